"""`gateway-inspection`: a free flyer inspects a station along 24 waypoints."""

from itertools import pairwise

import numpy as np

from cardan import Rk4, fsw
from cardan.dynamics import Mujoco
from cardan.errors import SettingError
from cardan.maths import mrp_from_quaternion
from cardan.messages import FrameMotion
from cardan.missions.free_flyer import (
    NAME,
    PATH_CONTROLLERS,
    break_thruster,
    check_start,
    controller_names,
    controller_of,
    error_sizes,
    fly,
    kind_of,
    thrust_figure,
    thrust_results,
)
from cardan.missions.free_flyer_setpoint import fixed_axes_quaternion
from cardan.missions.mission import Campaign, Curve, Mission, Result, parameter
from cardan.missions.vehicles import add_flyer, gateway
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

# position [m]; turns about the fixed axes x, y, z [deg]; SmallSatSim, planners/mission/mission.py
_TABLE = np.array([
    [-3.3, -9.0, 0.0, 0, 0, 90], [-3.3, -18.0, 0.0, 0, 0, 90], [-1.0, -20.0, 5.0, 0, 0, 90],
    [16.0, 0.0, 23.0, 0, 0, 180], [16.0, 0.0, 0.0, 0, 0, 180], [16.0, 0.0, -23.0, 0, 0, 180],
    [16.0, 0.0, -26.0, 0, 0, 180], [7.0, 0.0, -26.0, 0, -90, 0], [7.0, 0.0, -4.5, 0, 0, 0],
    [3.0, 0.0, -4.5, 0, -90, 0], [3.0, 0.0, -8.0, 0, -180, 0], [3.6, 16.0, -8.0, 0, -90, 0],
    [3.6, 16.0, 0.0, 90, 0, -90], [-2.5, 16.0, 0.0, 0, 0, -90], [-1.5, 10.5, -2.0, 0, 0, -90],
    [-2.0, 7.75, -1.0, 0, 0, -90], [-5.0, 5.0, 0.0, 0, 0, -90], [-7.5, 5.0, 0.0, 0, 0, -90],
    [-18.0, 10.0, 0.0, 0, 0, -45], [-18.0, 0.0, 0.0, 0, 0, -45], [-18.0, 0.0, -5.0, 0, -45, 0],
    [-8.0, 0.0, -5.0, 0, -90, 0], [-3.3, 0.0, -3.5, 0, -90, 0], [-3.3, -9.0, -3.5, 0, -45, 90],
])  # fmt: skip
WAYPOINTS = _TABLE[:, :3]
ATTITUDES = np.array([fixed_axes_quaternion(*np.deg2rad(turns)) for turns in _TABLE[:, 3:]])
FIRST = 13  # the waypoint near which it starts, counted from 1

# the trial that reproduces Table II of SmallSatSim's paper: seed 17, its first
OFFSET = (-0.287469, 0.042821, -0.431871)  # [m]
ATTITUDE = (0.77877029, 0.39586503, -0.18971915, 0.44812315)


def build(
    controller: str = "pd",
    vehicle: str = "astrobee",
    spacing: float = 0.4,
    clearance: float = 0.35,
    start_offset: tuple[float, float, float] = OFFSET,
    start_attitude: tuple[float, float, float, float] = ATTITUDE,
    fault: str = "none",
    fault_thruster: int = 6,
    fault_time: float = 1.0,
) -> Scenario:
    """The station, a flyer near the 13th waypoint, a planner, a controller and thrusters."""
    chosen, kind = controller_of(controller, PATH_CONTROLLERS), kind_of(vehicle)
    length = float(np.linalg.norm(start_attitude))
    if length == 0.0:
        raise SettingError("The option `start.attitude` is a quaternion; got zero.\n  No rotation is [1, 0, 0, 0].")
    start_N = WAYPOINTS[FIRST - 1] + np.array(start_offset)
    m = gateway()
    flyer = add_flyer(m, kind, name=NAME, r_BN_N=start_N)
    q_BN = np.array(start_attitude) / length
    check_start(m, flyer, start_N, q_BN)
    scn = Scenario("gateway-inspection", mechanism=m)
    path = fsw.waypoint_mission(
        WAYPOINTS, ATTITUDES, spacing=spacing, clearance=clearance, is_closed=True, is_repeated=True
    )
    plan = scn.add(path, name="plan", every=chosen.period, motion=m.bodies[flyer.body].com.motion)
    fly(scn, m, flyer, chosen, plan.reference, (WAYPOINTS, ATTITUDES))
    if chosen.has_path:
        scn.leave_open(plan.reference, plan.progress)  # it only tells how far the vehicle is
    break_thruster(scn, flyer, fault, fault_thruster, fault_time)
    scn.start({flyer.body: FrameMotion(r_BN_N=start_N, sigma_BN=mrp_from_quaternion(q_BN))})
    return scn


def passed(log: Log) -> tuple[int, float]:
    """How many references were passed, and the length of path [m] between the first and the last."""
    numbers, points_N = log["plan.progress"].number, parameter(log, "plan.points_N")
    count = int(numbers[-1] - numbers[0]) % len(points_N)
    between = points_N[(numbers[0] + np.arange(count + 1)) % len(points_N)]
    return count, float(np.sum(np.linalg.norm(np.diff(between, axis=0), axis=1)))


def results(log: Log) -> list[Result]:
    progress, sizes = log["plan.progress"], error_sizes(log)
    lateral = progress.lateral_error
    count, length = passed(log)
    return [
        Result("mean lateral error", float(lateral.mean()), "m"),
        Result("rms lateral error", float(np.sqrt(np.mean(lateral * lateral))), "m"),
        Result("largest lateral error", float(lateral.max()), "m"),
        Result("attitude error at the end", float(np.rad2deg(progress.attitude_error[-1])), "deg"),
        Result("references passed", float(count), "-"),
        Result("path flown", length, "m"),
        Result("progress", float(progress.fraction[-1]), "-"),
        Result("largest speed", float(sizes["v"].max()), "m/s"),
        *thrust_results(log),
    ]


def curve(log: Log) -> Curve:
    return Curve("lateral error [m]", log.t, log["plan.progress"].lateral_error)


def path_figure(log: Log) -> list[Panel]:
    """The flight and the path, in the planes xy and xz, where the flight is."""
    motion = next(log[name] for name in log if name.startswith(f"{NAME}/") and name.endswith(".motion"))
    corners, flown = parameter(log, "plan.corners_N"), motion.r_BN_N
    near = _near(corners, flown)
    return [
        Panel(
            f"{'xyz'[up]} [m]",
            {"path": (near[:, across], near[:, up]), "flown": (flown[:, across], flown[:, up])},
            across=f"{'xyz'[across]} [m]",
            has_equal_axes=True,
            dashed=("path",),
        )
        for across, up in ((0, 1), (0, 2))
    ]


def _near(corners: np.ndarray, flown: np.ndarray) -> np.ndarray:
    """Points of the path within 2 m of where the vehicle was; nan between pieces, which leaves gaps."""
    shares = np.linspace(0.0, 1.0, 200)[:, None]
    dense = np.concatenate([a + shares * (b - a) for a, b in pairwise(corners)])
    low, high = flown.min(axis=0) - 2.0, flown.max(axis=0) + 2.0
    inside = np.all((dense >= low) & (dense <= high), axis=1)
    return np.where(inside[:, None], dense, np.nan)


def errors_figure(log: Log) -> list[Panel]:
    progress, sizes = log["plan.progress"], error_sizes(log)
    return [
        Panel("lateral error [m]", {"": (log.t, progress.lateral_error)}),
        Panel("distance to the reference [m]", {"": (log.t, progress.distance)}),
        Panel("attitude error [deg]", {"": (log.t, np.rad2deg(progress.attitude_error))}),
        Panel("speed [m/s]", {"": (log.t, sizes["v"])}),
    ]


MISSION = Mission(
    name="gateway-inspection",
    title="A free flyer inspects a station along 24 waypoints",
    about=(
        "Astrobee flies along a closed path of 233 m around a station like the Gateway, from reference to reference, "
        "0.4 m apart, turning as it goes. It starts half a metre off the 13th waypoint, at an odd attitude. A thruster "
        "may fail. The inspection of SmallSatSim, with the start that reproduces Table II of its paper."
    ),
    build=build,
    until=30.0,
    integrator=Rk4(step=0.01),
    results=results,
    curve=curve,
    figures={"path": path_figure, "errors": errors_figure, "thrust": thrust_figure},
    record=Record(every=0.05, ports=(f"{NAME}/*.motion", "plan.*", "ctl.*", "push.state")),
    options={
        "controller": controller_names(PATH_CONTROLLERS),
        "vehicle": "astrobee, sprint or cubesat",
        "spacing": "[m] of the references along the path",
        "clearance": "[m] how near the vehicle must be before the next reference",
        "start.offset": "[m] from the 13th waypoint, in inertial components",
        "start.attitude": "[-] quaternion at the start, scalar first",
        "fault": "none, stuck-off or stuck-on",
        "fault.thruster": "which thruster, from 0",
        "fault.time": "[s] when it fails",
    },
    dynamics=(Mujoco(),),
    campaign=Campaign(
        disperse={
            "flyer/astrobee.motion.r_BN_N[0]": "uniform(2.9, 4.3)",
            "flyer/astrobee.motion.r_BN_N[1]": "uniform(15.3, 16.7)",
            "flyer/astrobee.motion.r_BN_N[2]": "uniform(-0.7, 0.7)",
            "flyer/astrobee.motion.sigma_BN": "attitude()",
        },
        limits={"mean lateral error": "<= 0.2", "references passed": ">= 8"},
        runs=200,
        record=Record(every=0.05, ports=("plan.progress", "ctl.error", "ctl.command", "push.state")),
        settings={"controller": "mpc"},
    ),
)
