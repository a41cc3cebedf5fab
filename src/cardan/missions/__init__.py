"""The ready scenarios that `cardan run` offers."""

from cardan.errors import UnknownName, did_you_mean
from cardan.missions import (
    berthing,
    branching_panels,
    desired_reaction,
    docking,
    fdi,
    fdi_sensors,
    fdi_wheels,
    formation_inspection,
    free_floating_reach,
    free_flyer_setpoint,
    gateway_inspection,
    geostationary_year,
    gimbal_command,
    hello,
    low_orbit_day,
    mass_spring_damper,
    mpc_capture,
    prescribed_verification,
    reaction_wheels,
    sep_point,
    solar_array_deployment,
    thruster_arms,
    zero_reaction,
)
from cardan.missions.docking import STEP
from cardan.missions.docking import docked_position as docked_position
from cardan.missions.docking import let_touch as let_touch
from cardan.missions.gateway_inspection import ATTITUDES, WAYPOINTS
from cardan.missions.mission import Campaign as Campaign
from cardan.missions.mission import Curve as Curve
from cardan.missions.mission import Mission as Mission
from cardan.missions.mission import Result as Result
from cardan.missions.mission import service_name as service_name
from cardan.missions.vehicles import add_flyer as add_flyer
from cardan.missions.vehicles import gateway as gateway
from cardan.missions.vehicles import port as port
from cardan.missions.vehicles import vehicle as vehicle

GATEWAY_WAYPOINTS, GATEWAY_ATTITUDES = WAYPOINTS, ATTITUDES
DOCKING_STEP = STEP

_MODULES = (
    hello,
    mass_spring_damper,
    branching_panels,
    reaction_wheels,
    thruster_arms,
    free_floating_reach,
    zero_reaction,
    desired_reaction,
    solar_array_deployment,
    prescribed_verification,
    gimbal_command,
    sep_point,
    free_flyer_setpoint,
    gateway_inspection,
    fdi,
    fdi_wheels,
    fdi_sensors,
    docking,
    formation_inspection,
    mpc_capture,
    low_orbit_day,
    geostationary_year,
)
_MISSIONS = (*(module.MISSION for module in _MODULES), berthing.BERTHING, berthing.TUMBLING)
MISSIONS: dict[str, Mission] = {mission.name: mission for mission in _MISSIONS}


def find_mission(name: str) -> Mission:
    """The mission of this name, or an error with the nearest one."""
    if name not in MISSIONS:
        raise UnknownName(
            f"There is no mission `{name}`.{did_you_mean(name, MISSIONS)}\n  missions: {', '.join(MISSIONS)}"
        )
    return MISSIONS[name]
