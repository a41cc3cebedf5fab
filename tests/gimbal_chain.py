"""Gimbals as the tests wire them: a command script, flight software, drives and motion."""

from typing import Annotated, Any, NamedTuple

import numpy as np

import cardan as cd
from cardan import drivers, fsw, models
from cardan.gimbals import CrankGimbal, GimbalTables, make_gimbal_tables
from cardan.messages import GimbalAngles, MotorAngle, StepCommand

DEG = np.deg2rad(1.0)
STEP = {"step_angle": 0.008 * DEG, "step_time": 0.008, "max_steps": 20000}
GIMBAL = CrankGimbal()


class ScriptOutputs(NamedTuple):
    angles: GimbalAngles
    motor: MotorAngle
    steps: StepCommand


@cd.task
class Script(NamedTuple):
    """Sends row `n` of its table from time[n] on, as gimbal angles, as a motor angle and as steps.

    Attributes:
        time: [s] When each row begins.
        first: [-] First value of each row.
        second: [-] Second value of each row.
    """

    time: Annotated[cd.Vec, "s"]
    first: Annotated[cd.Vec, "-"]
    second: Annotated[cd.Vec, "-"]

    def step(self, t: float) -> ScriptOutputs:
        row = np.sum(self.time <= t + 1.0e-9) - 1
        first, second = self.first[row], self.second[row]
        return ScriptOutputs(
            GimbalAngles(first, second, False), MotorAngle(first), StepCommand(np.int64(first), np.int64(row + 1))
        )


def tables() -> GimbalTables:
    return make_gimbal_tables(GIMBAL)


def add_gimbal(scn: cd.Scenario, angles: Any, every: float, made: GimbalTables, name: str = "") -> Any:
    """Everything between gimbal angles and the motion of the platform; returns the model of the platform."""
    motors = scn.add(fsw.GimbalToMotorAngles(*made.to_motors), name=f"{name}motors", every=every, angles=angles)
    drives = []
    for i in (1, 2):
        target = getattr(motors, f"motor{i}")
        control = scn.add(fsw.StepperController(**STEP), name=f"{name}ctl{i}", every=every, target=target)
        drive = scn.add(drivers.StepperDriver(**STEP), name=f"{name}drive{i}", every=every, command=control.command)
        scn.add(models.StepperMotor(), name=f"{name}motor{i}", arc=drive.arc)
        drives.append(drive)
    path = scn.add(
        drivers.GimbalDriver(*made.to_gimbal, motor_step=STEP["step_angle"], step_time=STEP["step_time"]),
        name=f"{name}path",
        every=every,
        first=drives[0].motor,
        second=drives[1].motor,
    )
    return scn.add(models.TwoAxisGimbal(), name=f"{name}gimbal", arc=path.arc)
