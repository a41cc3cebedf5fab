"""`free-floating-reach`: an arm moves its tip along a line while the base, which nothing holds, reacts."""

import numpy as np

from cardan import Rk4, robotics
from cardan.dynamics import Mujoco, RecursiveTree
from cardan.maths import mrp_from_dcm
from cardan.missions.mission import Curve, Mission, Result
from cardan.missions.servicer_arm import (
    BEGIN,
    DURATION,
    RECORD,
    UNTIL,
    base_angle,
    follow,
    joint_panels,
    momentum_results,
    numbered,
    servicer,
    tip_error,
    tip_results,
)
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log

PERIOD = 0.01  # [s]


def build(way: tuple[float, float, float] = (0.0, 0.45, 0.0)) -> Scenario:
    """A line for the tip, resolved motion-rate control with the generalized Jacobian, and a servo, at 100 Hz."""
    scn, made = servicer("free-floating-reach")
    start = made.start
    path = robotics.TipLine(start.r_N, start.r_N + np.array(way), DURATION, BEGIN, mrp_from_dcm(start.R.T))
    line = scn.add(path, name="line", every=PERIOD)
    control = robotics.ResolvedMotionRate(made.robot.numbers, made.tip)
    law = scn.add(control, name="law", every=PERIOD, **made.motion, reference=line.reference)
    follow(scn, made, law.command, PERIOD)
    return scn


def results(log: Log) -> list[Result]:
    position = log["bus.motion"].r_BN_N
    return [
        *tip_results(log),
        Result("turn of the base at the end", float(np.rad2deg(base_angle(log)[-1])), "deg"),
        Result("shift of the base at the end", 1e3 * float(np.linalg.norm(position[-1] - position[0])), "mm"),
        *momentum_results(log),
    ]


def curve(log: Log) -> Curve:
    return Curve("turn of the base [deg]", log.t, np.rad2deg(base_angle(log)))


def reach_figure(log: Log) -> list[Panel]:
    tip, base = log["tip.motion"].r_BN_N, log["bus.motion"]
    momentum = log["bus.momentum"].momentum_C_N
    return [
        Panel("tip, from its start [m]", numbered(log.t, tip - tip[0])),
        Panel("tip off its line [um]", {"": (log.t, 1e6 * tip_error(log))}),
        Panel(r"base attitude $4\sigma_{BN}$ [deg]", numbered(log.t, np.rad2deg(4.0 * base.sigma_BN))),
        Panel("angular momentum [N m s]", numbered(log.t, momentum)),
    ]


MISSION = Mission(
    name="free-floating-reach",
    title="An arm moves its tip along a line while its base floats",
    about=(
        "A servicer of 110 kg with an arm of seven joints floats without any control of its base. Resolved motion-rate "
        "control with the generalized Jacobian moves the tip along a straight line at a fixed attitude; the base "
        "reacts and turns by 22 degrees, and the momentum of the whole stays zero."
    ),
    build=build,
    until=UNTIL,
    integrator=Rk4(step=PERIOD),
    results=results,
    curve=curve,
    figures={"reach": reach_figure, "joints": joint_panels},
    record=RECORD,
    options={"way": "[m] from the start of the tip to its end, in inertial components"},
    dynamics=(RecursiveTree(), Mujoco()),
)
