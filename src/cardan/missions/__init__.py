"""The ready scenarios that `cardan run` offers."""

from cardan.errors import UnknownName, did_you_mean
from cardan.missions import gimbal_command, hello, mass_spring_damper, reaction_wheels, sep_point
from cardan.missions.mission import Mission as Mission

MISSIONS: dict[str, Mission] = {
    module.MISSION.name: module.MISSION
    for module in (hello, mass_spring_damper, reaction_wheels, gimbal_command, sep_point)
}


def find_mission(name: str) -> Mission:
    """The mission of this name, or an error with the nearest one."""
    if name not in MISSIONS:
        raise UnknownName(
            f"There is no mission `{name}`.{did_you_mean(name, MISSIONS)}\n  missions: {', '.join(MISSIONS)}"
        )
    return MISSIONS[name]
