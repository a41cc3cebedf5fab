"""`zero-reaction`: a redundant arm moves its tip, and the base, which nothing holds, does not turn."""

import numpy as np

from cardan import Rk4, robotics
from cardan.dynamics import Mujoco, RecursiveTree
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

PERIOD = 0.005  # [s]


def build(way: tuple[float, float, float] = (-0.2, 0.3, 0.2)) -> Scenario:
    """A line for the tip, joint rates that leave the base's attitude alone, and a servo, at 200 Hz."""
    scn, made = servicer("zero-reaction")
    start = made.start
    path = robotics.TipLine(start.r_N, start.r_N + np.array(way), DURATION, BEGIN)
    line = scn.add(path, name="line", every=PERIOD)
    control = robotics.DesiredReaction(made.robot.numbers, made.tip)
    law = scn.add(control, name="law", every=PERIOD, **made.motion, reference=line.reference)
    follow(scn, made, law.command, PERIOD)
    return scn


def results(log: Log) -> list[Result]:
    return [
        *tip_results(log),
        Result("largest turn of the base", float(base_angle(log).max()), "rad"),
        Result("largest turn of a joint", float(np.rad2deg(_largest_turn(log))), "deg"),
        *momentum_results(log),
    ]


def _largest_turn(log: Log) -> float:
    return max(float(np.ptp(log[f"joint{i}.state"].angle)) for i in range(1, 8))


def curve(log: Log) -> Curve:
    return Curve("turn of the base [1e-9 rad]", log.t, 1e9 * base_angle(log))


def reaction_figure(log: Log) -> list[Panel]:
    tip = log["tip.motion"].r_BN_N
    return [
        Panel("tip, from its start [m]", numbered(log.t, tip - tip[0])),
        Panel("tip off its line [um]", {"": (log.t, 1e6 * tip_error(log))}),
        Panel(r"base attitude $4\sigma_{BN}$ [nrad]", numbered(log.t, 4e9 * log["bus.motion"].sigma_BN)),
        Panel("base position [mm]", numbered(log.t, 1e3 * log["bus.motion"].r_BN_N)),
    ]


MISSION = Mission(
    name="zero-reaction",
    title="A redundant arm moves its tip, and its floating base does not turn",
    about=(
        "The servicer of 110 kg floats without any control of its base. Of the seven joint rates, three are spent on "
        "the position of the tip and three on the attitude of the base, which shall not change (zero-reaction "
        "manoeuvre, Eq. 47 of Virgili-Llop, Drew and Romano 2016). At 200 Hz the base stays within 1e-8 rad."
    ),
    build=build,
    until=UNTIL,
    integrator=Rk4(step=PERIOD),
    results=results,
    curve=curve,
    figures={"reaction": reaction_figure, "joints": joint_panels},
    record=RECORD,
    options={"way": "[m] from the start of the tip to its end, in inertial components"},
    dynamics=(RecursiveTree(), Mujoco()),
)
