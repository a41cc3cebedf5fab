"""What the environments of free flyers have in common: the vehicle, what it sees, and what may go wrong with it."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan import message, model, output, task
from cardan.contracts import NotNegative, OnePer
from cardan.fsw import flyer_error
from cardan.maths import ZERO3, Mat, RandomKey, Vec, Vec3, choose, clip, normal_if, total
from cardan.mechanism import Flyer, Mechanism
from cardan.messages import (
    BodyWrench,
    FlyerError,
    FlyerReference,
    FrameMotion,
    InertialWrench,
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


@model
class ThrusterHealth(NamedTuple):
    """What is wrong with the thrusters of a bank, by numbers that may differ from episode to episode.

        thrust = gain demanded; of one thruster, from `after` on, share max_thrust                                 (1)

    Attributes:
        max_thrust: [N] Of each thruster.
        gain: [-] Of each thruster.
        number: [-] Of the thruster that gets stuck, from 0; -1 for none.
        share: [-] Of its thrust at which it is stuck: 0 for off, 1 for on.
        after: [s] When it gets stuck.
    """

    max_thrust: Annotated[Vec, "N", NotNegative]
    gain: Annotated[Vec, "-", NotNegative, OnePer("max_thrust")]
    number: Annotated[int, "-"] = -1
    share: Annotated[float, "-", NotNegative] = 0.0
    after: Annotated[float, "s", NotNegative] = 0.0

    @output
    def given(self, t: float, forces: ThrusterForces) -> ThrusterForces:
        if len(forces.thrust) != len(self.gain):
            raise ValueError("ThrusterHealth: `forces` has another number of thrusters than `gain`.")
        # Eq. (1)
        numbers = np.cumsum(0.0 * forces.thrust + 1.0) - 1.0
        is_stuck = (numbers == self.number) & (t >= self.after)
        return ThrusterForces(thrust=choose(is_stuck, self.share * self.max_thrust, self.gain * forces.thrust))


@model
class SteadyPush(NamedTuple):
    """A force and a torque that do not change, such as of air that streams or of a leak.

    Attributes:
        force_N: [N] At the centre of mass, in inertial components.
        torque_N: [N m] In inertial components.
    """

    force_N: Annotated[Vec3, "N"] = ZERO3
    torque_N: Annotated[Vec3, "N m"] = ZERO3

    @output
    def push(self) -> InertialWrench:
        return InertialWrench(force_N=1.0 * self.force_N, torque_N=1.0 * self.torque_N)


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
        scn.intercept(bank.forces, ThrusterHealth(thrusters.max_thrust, np.ones(count)), name="health")
        steady = scn.add(SteadyPush(), name="steady")
        scn.connect(steady.push, body.com.wrench_N)
