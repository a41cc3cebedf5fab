"""What the environments of free flyers have in common: the vehicle, what it sees, and what may go wrong with it."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan import message, model, output, task
from cardan.contracts import NotNegative
from cardan.fsw import flyer_error
from cardan.learning.environments.failing import ThrusterHealth
from cardan.learning.environments.hardship import Exposure, expose
from cardan.maths import Mat, RandomKey, Vec, clip, normal_if, total
from cardan.mechanism import Flyer, Mechanism
from cardan.messages import (
    BodyWrench,
    FlyerError,
    FlyerReference,
    FrameMotion,
    ThrusterCommand,
    ThrusterForces,
)
from cardan.missions import add_flyer
from cardan.scenario import Scenario

COMMAND = "command"  # the input from outside
VEHICLE = "flyer"
OBSERVER = "nav"


class FlyerObserverOutputs(NamedTuple):
    error: FlyerError


@task
class FlyerObserver(NamedTuple):
    """How far a flyer is from its reference, as noisy sensors say it: the observation of a policy.

        r_BR, theta_BR, v_BR and omega_BR of `FlyerPd`, Eqs. (1) and (2), with white noise                         (1)

    Attributes:
        noise_r: [m] Standard deviation about each axis.
        noise_theta: [rad]
        noise_v: [m/s]
        noise_omega: [rad/s]
    """

    noise_r: Annotated[float, "m", NotNegative] = 0.0
    noise_theta: Annotated[float, "rad", NotNegative] = 0.0
    noise_v: Annotated[float, "m/s", NotNegative] = 0.0
    noise_omega: Annotated[float, "rad/s", NotNegative] = 0.0

    def step(self, motion: FrameMotion, reference: FlyerReference, rng: RandomKey) -> FlyerObserverOutputs:
        error = flyer_error(motion, reference)
        is_noisy = self.noise_r + self.noise_theta + self.noise_v + self.noise_omega > 0.0
        drawn = normal_if(is_noisy, rng, 12)
        return FlyerObserverOutputs(
            FlyerError(
                r_BR_B=error.r_BR_B + self.noise_r * drawn[0:3],
                theta_BR_B=error.theta_BR_B + self.noise_theta * drawn[3:6],
                v_BR_B=error.v_BR_B + self.noise_v * drawn[6:9],
                omega_BR_B=error.omega_BR_B + self.noise_omega * drawn[9:12],
            )
        )


@message
class ThrusterEffort(NamedTuple):
    """What all thrusters of a bank have given together since the start.

    Attributes:
        impulse: [N s] Thrust over time.
    """

    impulse: Annotated[float, "N s"] = 0.0


@model
class IdealThrusters(NamedTuple):
    """Thrusters that give at once what is demanded, within their limits. `ThrusterBank` has those with a lag.

    Attributes:
        max_thrust: [N] Of each thruster.
    """

    max_thrust: Annotated[Vec, "N", NotNegative]

    @output
    def forces(self, command: ThrusterCommand) -> ThrusterForces:
        if len(command.thrust) != len(self.max_thrust):
            raise ValueError("IdealThrusters: `command` has another number of thrusters than `max_thrust`.")
        return ThrusterForces(thrust=clip(command.thrust, 0.0, self.max_thrust))


class ThrusterMixerState(NamedTuple):
    """What all thrusters have given."""

    impulse: Annotated[float, "N s"] = 0.0


@model
class ThrusterMixer(NamedTuple):
    """Force and torque of thrusters by their mixer, and one number for what they have used.

        wrench = sum of thrust row,   d(impulse)/dt = sum of thrusts                                               (1)

    `ThrusterWrench` counts what each thruster has given; this is for runs by the million.

    Attributes:
        rows: [-] Force and torque about the centre of mass of each thruster, per newton, in body components.
    """

    rows: Annotated[Mat, "-"]

    def derivatives(self, x: ThrusterMixerState, forces: ThrusterForces) -> ThrusterMixerState:
        return ThrusterMixerState(impulse=total(forces.thrust))

    @output
    def wrench(self, forces: ThrusterForces) -> BodyWrench:
        if self.rows.shape[0] != len(forces.thrust) or self.rows.shape[1] != 6:
            raise ValueError("ThrusterMixer: `rows` has not six numbers for each thruster of `forces`.")
        # Eq. (1)
        six = total(forces.thrust.reshape((-1, 1)) * self.rows)
        return BodyWrench(force_B=six[:3], torque_B=six[3:])

    @output
    def effort(self, x: ThrusterMixerState) -> ThrusterEffort:
        return ThrusterEffort(impulse=x.impulse)


def add_vehicle(m: Mechanism, vehicle: str) -> Flyer:
    """A free flyer by its name."""
    return add_flyer(m, vehicle, name=VEHICLE)


def fly(scn: Scenario, m: Mechanism, flyer: Flyer, period: float, *, reference: Any, is_hard: bool) -> None:
    """Add an observer, thrusters that are commanded from outside, and what may go wrong if `is_hard`."""
    body, thrusters = m.bodies[flyer.body], flyer.thrusters
    count = len(thrusters.names)
    scn.add(FlyerObserver(), name=OBSERVER, every=period, motion=body.com.motion, reference=reference)
    command = scn.input(COMMAND, ThrusterCommand(np.zeros(count)))
    bank = scn.add(IdealThrusters(thrusters.max_thrust), name="bank", command=command)
    push = scn.add(ThrusterMixer(flyer.mixer.T), name="push", forces=bank.forces)
    scn.connect(push.wrench, body.com.wrench)
    if is_hard:
        expose(scn, m, flyer.body, bank.forces, ThrusterHealth(thrusters.max_thrust, np.ones(count)))


def exposure_of(flyer: Flyer) -> Exposure:
    """Where hardships strike a free flyer."""
    sigmas = {"noise_r": 0.01, "noise_theta": 0.001, "noise_v": 0.001, "noise_omega": 0.001}
    sensors = {f"{OBSERVER}.{name}": sigma for name, sigma in sigmas.items()}
    return Exposure(flyer.body, len(flyer.thrusters.names), (0.0, 1.0), sensors)
