"""What goes wrong in hard episodes: actuators that are weak or get stuck, and steady pushes.

All of it is numbers of parts that can be traced, so that episodes differ without building a scenario again, natively
and in JAX. `cardan.faults` has faults of every kind, on any connection, for scenarios that fly once.
"""

from typing import Annotated, NamedTuple

import numpy as np

from cardan import model, output
from cardan.contracts import NotNegative, OnePer
from cardan.maths import ZERO3, Scalar, Vec, Vec3, choose
from cardan.messages import HingeTorques, InertialWrench, ThrusterForces


def struck(demanded: Vec, gain: Vec, number: int, stuck_at: Vec, is_stuck: Scalar) -> Vec:
    """What actuators give: gain demanded, and of the one of that number, where it is stuck, `stuck_at`."""
    numbers = np.cumsum(0.0 * demanded + 1.0) - 1.0
    return choose((numbers == number) & is_stuck, stuck_at, gain * demanded)  # type: ignore[no-any-return]


@model
class ThrusterHealth(NamedTuple):
    """What is wrong with the thrusters of a bank.

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
        stuck_at = self.share * self.max_thrust
        return ThrusterForces(struck(forces.thrust, self.gain, self.number, stuck_at, t >= self.after))


@model
class MotorHealth(NamedTuple):
    """What is wrong with the motors of hinges.

        torque = gain demanded; of one motor, from `after` on, 0                                                   (1)

    Attributes:
        gain: [-] Of each motor.
        number: [-] Of the motor that dies, from 0; -1 for none.
        after: [s] When it dies.
    """

    gain: Annotated[Vec, "-", NotNegative]
    number: Annotated[int, "-"] = -1
    after: Annotated[float, "s", NotNegative] = 0.0

    @output
    def given(self, t: float, efforts: HingeTorques) -> HingeTorques:
        if len(efforts.torque) != len(self.gain):
            raise ValueError("MotorHealth: `efforts` has another number of hinges than `gain`.")
        # Eq. (1)
        return HingeTorques(struck(efforts.torque, self.gain, self.number, 0.0 * self.gain, t >= self.after))


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
