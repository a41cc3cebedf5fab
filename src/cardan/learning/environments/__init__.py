"""Ready environments, by name."""

from collections.abc import Callable
from typing import Any

from cardan.errors import UnknownName, did_you_mean
from cardan.learning.environment import Environment
from cardan.learning.environments.arm_reach import arm_reach
from cardan.learning.environments.docking import docking
from cardan.learning.environments.free_flyer_inspection import free_flyer_inspection
from cardan.learning.environments.free_flyer_setpoint import free_flyer_setpoint
from cardan.learning.environments.hardship import Hardship as Hardship
from cardan.learning.environments.thruster_arms import thruster_arms
from cardan.learning.environments.wheel_detumble import wheel_detumble

ENVIRONMENTS: dict[str, Callable[..., Environment]] = {
    "FreeFlyerSetpoint": free_flyer_setpoint,
    "FreeFlyerInspection": free_flyer_inspection,
    "Docking": docking,
    "WheelDetumble": wheel_detumble,
    "ArmReach": arm_reach,
    "ThrusterArms": thruster_arms,
}


def environment(name: str, **options: Any) -> Environment:
    """A ready environment.

    Args:
        name: `FreeFlyerSetpoint`, with or without `cardan/` before and `-v0` behind.
        options: Of its function.
    """
    short = str(name).removeprefix("cardan/").removesuffix("-v0")
    if short not in ENVIRONMENTS:
        raise UnknownName(
            f"There is no environment `{name}`.{did_you_mean(short, ENVIRONMENTS)}\n"
            f"  There are: {', '.join(ENVIRONMENTS)}"
        )
    return ENVIRONMENTS[short](**options)
