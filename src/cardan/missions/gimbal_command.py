"""`gimbal-command`: a stowed gimbal is commanded to a thrust direction, step by step."""

import numpy as np

from cardan import DormandPrince54
from cardan.dynamics import BackSubstitution, Mujoco, RecursiveTree
from cardan.maths import gimbal_quaternion, rotation_angle
from cardan.messages import PrescribedTurn, ThrustAxis
from cardan.missions.explorer import DEG, GIMBAL, add_gimbal, bound_result, explorer, gimbal_error, gimbal_tables
from cardan.missions.mission import Curve, Mission, Result, direction, last_of, parameter
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

AXIS_B = (-0.0858, -0.4216, 0.9027)  # Table 2: tip -5 deg, tilt -10 deg
CROSS = 0.4 * np.array([[-1.0, 1.0, np.nan, -1.0, 1.0], [-1.0, 1.0, np.nan, 1.0, -1.0]])  # [deg] marks the reference
EVERY = 0.2  # [s] of flight software: a whole number of motor steps


def build(axis: tuple[float, float, float] = AXIS_B, tables: str = "") -> Scenario:
    """The explorer adrift with both gimbals stowed; the first is commanded, with flight software and drives at 5 Hz."""
    m = explorer(wheels=0)
    scn = Scenario("gimbal-command", mechanism=m)
    add_gimbal(scn, 1, ThrustAxis(axis_B=direction(axis, "axis")), gimbal_tables(tables), EVERY)
    stowed = PrescribedTurn(q_CP=gimbal_quaternion(GIMBAL.tip_max, 0.0, 1, 2))
    scn.connect(stowed, m.joints["gimbal2_ball"].prescribed)
    return scn


def pointing_error(log: Log) -> np.ndarray:
    """[rad] Between the commanded thrust axis and the platform's, from the second sample on."""
    return gimbal_error(log, 1)


def results(log: Log) -> list[Result]:
    motion, angles = log["gimbal1.motion"], log["gimbal1_pointing.angles"]
    return [
        Result("commanded tip", float(angles.tip[-1]) / DEG, "deg"),
        Result("commanded tilt", float(angles.tilt[-1]) / DEG, "deg"),
        last_of("tip at the end", motion.tip[1:] / DEG, "deg"),
        last_of("tilt at the end", motion.tilt[1:] / DEG, "deg"),
        *(Result(f"steps of motor {i}", float(steps_taken(log, i)[-1]), "-") for i in (1, 2)),
        last_of("pointing error at the end", pointing_error(log) / DEG, "deg"),
        bound_result(log),
        Result("turn of the hub at the end", float(rotation_angle(log["hub.motion"].sigma_BN[-1])) / DEG, "deg"),
        Result(
            "largest angular momentum", float(np.linalg.norm(log["hub.momentum"].momentum_C_N, axis=1).max()), "N m s"
        ),
    ]


def steps_taken(log: Log, motor: int) -> np.ndarray:
    """[-] Complete steps of a motor since it was stowed."""
    step_angle = parameter(log, f"gimbal1_drive{motor}.step_angle")
    taken: np.ndarray = np.round(log[f"gimbal1_drive{motor}.motor"].angle / step_angle)
    return taken


def curve(log: Log) -> Curve:
    return Curve("pointing error [deg]", log.t[1:], pointing_error(log) / DEG)


def motors_figure(log: Log) -> list[Panel]:
    """Figure 12: angle and reference of each motor, and the steps it has taken."""
    panels = []
    for i in (1, 2):
        angle, target = log[f"gimbal1_motor{i}.motion"].angle, log[f"gimbal1_motors.motor{i}"].angle
        curves = {"motor": (log.t, angle / DEG), "reference": (log.t, target / DEG)}
        panels.append(Panel(rf"motor {i} $\theta$ [deg]", curves))
        panels.append(Panel(f"motor {i} steps [-]", {"steps": (log.t, steps_taken(log, i))}))
    return panels


def performance_figure(log: Log) -> list[Panel]:
    """Figure 13: the path inside the diamond, and the pointing error."""
    motion, angles = log["gimbal1.motion"], log["gimbal1_pointing.angles"]
    tip_max, tilt_max = GIMBAL.tip_max / DEG, GIMBAL.tilt_max / DEG
    path = {
        "limits": ([tip_max, 0.0, -tip_max, 0.0, tip_max], [0.0, tilt_max, 0.0, -tilt_max, 0.0]),
        "path": (motion.tip[1:] / DEG, motion.tilt[1:] / DEG),
        "reference": (angles.tip[-1:] / DEG + CROSS[0], angles.tilt[-1:] / DEG + CROSS[1]),
    }
    return [
        Panel(r"tilt $\phi$ [deg]", path, across=r"tip $\psi$ [deg]", has_equal_axes=True),
        Panel("pointing error [deg]", {"error": (log.t[1:], pointing_error(log) / DEG)}, is_logarithmic=True),
    ]


MISSION = Mission(
    name="gimbal-command",
    title="A stowed two-axis gimbal steps to a commanded thrust direction",
    about=(
        "Flight software turns a thrust direction into gimbal angles, by tables into motor angles, and into whole "
        "steps. Two stepper motors take them, each step of 0.008 deg accelerated and braked within 8 ms; the platform "
        "turns first while both motors step, then while one of them steps on, and turns the free explorer a little. "
        "Kiner, Allard and Schaub, Tables 1 and 2, Figures 12 and 13."
    ),
    build=build,
    until=150.0,
    integrator=DormandPrince54(rtol=1.0e-10, atol=1.0e-12),
    results=results,
    curve=curve,
    figures={"motors": motors_figure, "performance": performance_figure},
    record=Record(
        every=0.2,
        ports=(
            "gimbal1_pointing.angles",
            "gimbal1_motors.*",
            "gimbal1_steps*.motor",
            "gimbal1_drive*.motor",
            "gimbal1_motor?.motion",
            "gimbal1.motion",
            "gimbal?_ball.state",
            "hub.motion",
            "hub.momentum",
        ),
    ),
    options={
        "axis": "[-] direction in which the thrust is to push, in body components",
        "tables": "folder with other tables of the gimbal",
    },
    dynamics=(RecursiveTree(), Mujoco(), BackSubstitution()),
)
