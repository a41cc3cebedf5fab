"""`formation-inspection`: a free flyer circles a satellite, in the falling local frame of its orbit."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan import Rk4, fsw, models, orbit
from cardan.celestial import EARTH
from cardan.dynamics import Mujoco, RecursiveTree
from cardan.errors import SettingError
from cardan.maths import mrp_from_dcm
from cardan.messages import FrameMotion
from cardan.missions.free_flyer import (
    NAME,
    break_thruster,
    controller_names,
    controller_of,
    error_sizes,
    fly,
    kind_of,
    one_of,
    thrust_figure,
    thrust_results,
)
from cardan.missions.mission import Campaign, Curve, Mission, Result, direction
from cardan.missions.vehicles import add_flyer, inspected
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

TARGET = "target"
GRAVITY = ("none", "cw", "point-mass", "j2")
REACH = 4.1  # [m] of the arrays of the target
NEAREST = 5.0  # [m] a circle around them
SETTLED = 60.0  # [s] after which errors are those of flying, not of the start


def build(
    controller: str = "pd",
    vehicle: str = "astrobee",
    gravity: str = "j2",
    altitude: float = 5.0e5,
    inclination: float = 97.4,
    radius: float = 30.0,
    speed: float = 0.2,
    normal: tuple[float, float, float] = (0.5, 0.5, 1.0),
    start_offset: tuple[float, float, float] = (0.3, -0.2, 0.4),
    fault: str = "none",
    fault_thruster: int = 6,
    fault_time: float = 120.0,
) -> Scenario:
    """A satellite at the origin, a flyer on a circle about it, and gravity that differs from place to place."""
    chosen, kind = controller_of(controller), kind_of(vehicle)
    one_of("gravity", gravity, GRAVITY)
    if radius < NEAREST:
        raise SettingError(f"The option `radius` is {NEAREST:g} m or more, to be clear of the target; got {radius:g}.")
    if not 1.0e5 <= altitude <= 1.0e8:
        raise SettingError(f"The option `altitude` is from 1e5 to 1e8 m; got {altitude:g}.")
    if speed < 0.0:
        raise SettingError(f"The option `speed` is zero or positive; got {speed:g}.")
    n_N = direction(normal, "normal")

    m = inspected()
    # where the circle begins: out along the axis that is farthest from its normal
    out_N = np.cross(n_N, np.eye(3)[np.argmin(np.abs(n_N))])
    out_N /= np.linalg.norm(out_N)
    start_N = radius * out_N + np.array(start_offset)
    if np.linalg.norm(start_N) < REACH:
        raise SettingError(
            f"With `start.offset` the vehicle starts {np.linalg.norm(start_N):.3g} m from the centre of the target, "
            f"whose arrays reach {REACH:g} m.\n  Start it outside."
        )
    flyer = add_flyer(m, kind, name=NAME, r_BN_N=start_N)
    bodies = m.group_of_bodies("all")
    scn = Scenario("formation-inspection", mechanism=m)
    fall(scn, bodies, gravity, EARTH.radius + altitude, np.deg2rad(inclination))

    path = fsw.CirclePath(np.zeros(3), n_N, radius, speed=speed, faces_centre=True)
    plan = scn.add(path, name="plan", every=chosen.period, motion=m.bodies[flyer.body].com.motion)
    fly(scn, m, flyer, chosen, plan.reference)
    break_thruster(scn, flyer, fault, fault_thruster, fault_time)
    looking = np.array([-out_N, np.cross(n_N, -out_N), n_N])
    scn.start({flyer.body: FrameMotion(r_BN_N=start_N, sigma_BN=mrp_from_dcm(looking))})
    return scn


def fall(scn: Scenario, bodies: Any, gravity: str, a: float, i: float) -> None:
    """Gravity of this name, in the frame that falls with the target on a circle."""
    if gravity == "none":
        return
    if gravity == "j2":
        chief = orbit(a=a, i=i)
        start = models.FallingOrigin(chief.r_BN_N, chief.v_BN_N)
        field = scn.add(models.TidalJ2Gravity(), name="gravity", initial=start, positions=bodies.positions)
    else:
        part = models.TidalGravity(a=a, i=i, is_linear=gravity == "cw")
        field = scn.add(part, name="gravity", positions=bodies.positions)
    scn.connect(field.pull, bodies.gravity)


# ---- reading a run ---------------------------------------------------------------------------------------------------


def distances(log: Log) -> np.ndarray:
    """[m] From the flyer to the target."""
    return np.asarray(np.linalg.norm(_flown(log) - log[f"{TARGET}.motion"].r_BN_N, axis=1))


def _flown(log: Log) -> np.ndarray:
    name = next(name for name in log if name.startswith(f"{NAME}/") and name.endswith(".motion"))
    return np.asarray(log[name].r_BN_N)


def results(log: Log) -> list[Result]:
    sizes = error_sizes(log)
    r, theta = 1e3 * sizes["r"][log.t >= SETTLED], sizes["theta"][log.t >= SETTLED]
    return [
        _settled("rms position error", r, "mm", lambda values: np.sqrt(np.mean(values * values))),
        _settled("largest position error", r, "mm", np.max),
        _settled("rms pointing error", theta, "deg", lambda values: np.sqrt(np.mean(values * values))),
        Result("nearest to the target", float(distances(log).min()), "m"),
        Result("target moved", 1e3 * float(np.linalg.norm(log[f"{TARGET}.motion"].r_BN_N[-1])), "mm"),
        Result("path flown", float(np.linalg.norm(np.diff(_flown(log), axis=0), axis=1).sum()), "m"),
        *thrust_results(log),
    ]


def _settled(name: str, values: np.ndarray, unit: str, find: Callable[[np.ndarray], Any]) -> Result:
    """A number of what is left when the start is over."""
    if not len(values):
        return Result(name, None, unit, f"known after {SETTLED:g} s")
    return Result(name, float(find(values)), unit)


def curve(log: Log) -> Curve:
    return Curve("position error [mm]", log.t, 1e3 * error_sizes(log)["r"])


def path_figure(log: Log) -> list[Panel]:
    """The flight about the target, in the planes xy and xz."""
    flown, target = _flown(log), log[f"{TARGET}.motion"].r_BN_N
    return [
        Panel(
            f"{'xyz'[up]} [m]",
            {"flown": (flown[:, across], flown[:, up]), "target": (target[:, across], target[:, up])},
            across=f"{'xyz'[across]} [m]",
            has_equal_axes=True,
        )
        for across, up in ((0, 1), (0, 2))
    ]


def errors_figure(log: Log) -> list[Panel]:
    sizes, later = error_sizes(log), log.t >= SETTLED
    return [
        Panel("position error [m]", {"": (log.t, sizes["r"])}),
        Panel("position error, settled [mm]", {"": (log.t[later], 1e3 * sizes["r"][later])}),
        Panel("pointing error [deg]", {"": (log.t, sizes["theta"])}),
        Panel("velocity error [mm/s]", {"": (log.t, 1e3 * sizes["v"])}),
        Panel("distance to the target [m]", {"": (log.t, distances(log))}),
    ]


MISSION = Mission(
    name="formation-inspection",
    title="A free flyer circles a satellite, in the falling local frame of its orbit",
    about=(
        "Astrobee flies a circle of 30 m about a satellite 500 km up, with its first axis towards it all the way. "
        "Coordinates are those of a frame that falls with the satellite and does not turn, so that gravity is what "
        "Clohessy and Wiltshire's equations say, or that of two orbits about the oblate Earth. No controller is told."
    ),
    build=build,
    until=300.0,
    integrator=Rk4(step=0.01),
    results=results,
    curve=curve,
    figures={"path": path_figure, "errors": errors_figure, "thrust": thrust_figure},
    record=Record(every=0.5, ports=(f"{NAME}/*.motion", f"{TARGET}.motion", "plan.*", "ctl.*", "push.state")),
    options={
        "controller": controller_names(),
        "vehicle": "astrobee, sprint or cubesat",
        "gravity": "none, cw, point-mass or j2",
        "altitude": "[m] of the circular orbit",
        "inclination": "[deg] of the orbit",
        "radius": "[m] of the circle about the target",
        "speed": "[m/s] along it",
        "normal": "[-] axis of the circle, in inertial components",
        "start.offset": "[m] from the circle, in inertial components",
        "fault": "none, stuck-off or stuck-on",
        "fault.thruster": "which thruster, from 0",
        "fault.time": "[s] when it fails",
    },
    dynamics=(RecursiveTree(), Mujoco()),
    campaign=Campaign(
        disperse={"start.offset": "normal(0.3)", "radius": "uniform(10, 50)"},
        limits={"rms position error": "<= 20", "rms pointing error": "<= 1", "nearest to the target": ">= 5"},
        runs=100,
    ),
)
