"""Four controllers as a user would write them, each driving one joint of an arm at every stage."""

from typing import Annotated, NamedTuple

import numpy as np

import cardan as cd
from cardan.messages import HingeState, HingeTorque

UNTIL = 20.0  # [s]


class DriveState(NamedTuple):
    integral: Annotated[float, "rad s"] = 0.0


@cd.model
class Drive(NamedTuple):
    """A PID along a sinusoid, with friction that it cancels.

    Attributes:
        K_p: [N m/rad]
        K_d: [N m s/rad]
        K_i: [N m/rad/s]
        amplitude: [rad]
        frequency: [rad/s]
    """

    K_p: Annotated[float, "N m/rad"] = 20.0
    K_d: Annotated[float, "N m s/rad"] = 8.0
    K_i: Annotated[float, "N m/rad/s"] = 2.0
    amplitude: Annotated[float, "rad"] = 0.3
    frequency: Annotated[float, "rad/s"] = 0.5

    def derivatives(self, t: float, x: DriveState, joint: HingeState) -> DriveState:
        return DriveState(integral=self.amplitude * np.sin(self.frequency * t) - joint.angle)

    @cd.output
    def torque(self, t: float, x: DriveState, joint: HingeState) -> HingeTorque:
        angle = self.amplitude * np.sin(self.frequency * t)
        rate = self.amplitude * self.frequency * np.cos(self.frequency * t)
        wanted = self.K_p * (angle - joint.angle) + self.K_d * (rate - joint.rate) + self.K_i * x.integral
        return HingeTorque(torque=wanted + 0.1 * np.tanh(20.0 * joint.rate))


def arm() -> cd.Mechanism:
    m = cd.Mechanism("arm")
    body = m.add_body("hub", joint=cd.Free(), mass=300.0, inertia_B=np.diag([60.0, 70.0, 80.0]))
    for i in range(4):
        axis = [0.0, 1.0, 0.0] if i % 2 else [0.0, 0.0, 1.0]
        body = m.add_body(
            f"link{i}", parent=body, joint=cd.Hinge(axis), mass=4.0,
            inertia_B=np.diag([0.05, 0.4, 0.4]), r_BP_P=[0.5, 0.0, 0.0],
        )  # fmt: skip
    return m


def controlled_arm() -> tuple[cd.Simulation, str, float]:
    """The simulation, the same vehicle as MJCF, and how long it runs [s]."""
    m = arm()
    scn = cd.Scenario("user-controllers", mechanism=m)
    for i in range(4):
        joint = m.joints[f"link{i}_joint"]
        drive = scn.add(Drive(frequency=0.5 + 0.1 * i), name=f"drive{i}", joint=joint.state)
        scn.connect(drive.torque, joint.effort)
    return cd.Simulation(scn, dynamics=cd.Mujoco(), integrator=cd.Rk4(step=0.01)), m.mjcf, UNTIL
