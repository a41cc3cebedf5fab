"""`desired-reaction`: the motion of an arm turns the base, which nothing else moves, by a prescribed angle."""

import numpy as np

from cardan import Rk4, robotics
from cardan.dynamics import Mujoco, RecursiveTree
from cardan.maths import mrp_relative, rotation_angle
from cardan.missions.mission import Curve, Mission, Result, direction
from cardan.missions.servicer_arm import (
    BEGIN,
    DURATION,
    PORTS,
    RECORD,
    UNTIL,
    base_angle,
    follow,
    joint_panels,
    momentum_results,
    numbered,
    servicer,
    tip_way,
)
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

PERIOD = 0.01  # [s]
BASE_ATTITUDE_ONLY = np.array([1.0, 1.0, 1.0, *9 * [0.0]])


def build(slew_angle: float = 10.0, slew_axis: tuple[float, float, float] = (0.0, 1.0, 0.0)) -> Scenario:
    """A turn for the base, joint rates whose reaction makes it, and a servo, at 100 Hz."""
    scn, made = servicer("desired-reaction")
    axis_N = direction(slew_axis, "slew.axis")
    turn = scn.add(robotics.AxisTurn(axis_N, np.deg2rad(slew_angle), DURATION, BEGIN), name="turn", every=PERIOD)
    # nothing is asked of the tip: its reference stays where it starts, for comparison
    line = scn.add(robotics.TipLine(made.start.r_N, made.start.r_N, DURATION, BEGIN), name="line", every=PERIOD)
    control = robotics.DesiredReaction(made.robot.numbers, made.tip, rows=BASE_ATTITUDE_ONLY)
    law = scn.add(control, name="law", every=PERIOD, **made.motion, reference=line.reference, attitude=turn.reference)
    follow(scn, made, law.command, PERIOD)
    return scn


def base_error(log: Log) -> np.ndarray:
    """[-] MRP of the base relative to its reference."""
    pairs = zip(log["bus.motion"].sigma_BN, log["turn.reference"].sigma_RN, strict=True)
    return np.array([mrp_relative(sigma_BN, sigma_RN) for sigma_BN, sigma_RN in pairs])


def results(log: Log) -> list[Result]:
    off = np.rad2deg(rotation_angle(base_error(log)))
    return [
        Result("turn of the base at the end", float(np.rad2deg(base_angle(log)[-1])), "deg"),
        Result("largest distance of the base from its reference", float(off.max()), "deg"),
        Result("way of the tip", tip_way(log), "m"),
        Result("largest joint torque", float(np.abs(log["servo.torque"].torque).max()), "N m"),
        *momentum_results(log),
    ]


def curve(log: Log) -> Curve:
    return Curve("turn of the base [deg]", log.t, np.rad2deg(base_angle(log)))


def slew_figure(log: Log) -> list[Panel]:
    base = log["bus.motion"]
    return [
        Panel(r"base attitude $4\sigma_{BN}$ [deg]", numbered(log.t, np.rad2deg(4.0 * base.sigma_BN))),
        Panel("off its reference [udeg]", numbered(log.t, 1e6 * np.rad2deg(4.0 * base_error(log)))),
        Panel("base rate [deg/s]", numbered(log.t, np.rad2deg(base.omega_BN_B))),
        Panel("angular momentum [N m s]", numbered(log.t, log["bus.momentum"].momentum_C_N)),
    ]


MISSION = Mission(
    name="desired-reaction",
    title="The motion of an arm turns its floating base",
    about=(
        "The servicer of 110 kg has no control of its base. Its arm moves such that the reaction turns the base by 10 "
        "degrees about its y axis and about no other (desired-reaction manoeuvre, Eq. 47 of Virgili-Llop, Drew and "
        "Romano 2016); of all such motions the one with the smallest joint rates is taken. The momentum stays zero."
    ),
    build=build,
    until=UNTIL,
    integrator=Rk4(step=PERIOD),
    results=results,
    curve=curve,
    figures={"slew": slew_figure, "joints": joint_panels},
    record=Record(every=RECORD.every, ports=(*PORTS, "turn.reference")),
    options={
        "slew.angle": "[deg] by which the base shall turn",
        "slew.axis": "[-] about which it shall turn, in inertial components",
    },
    dynamics=(RecursiveTree(), Mujoco()),
)
