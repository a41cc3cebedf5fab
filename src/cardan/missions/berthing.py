"""`berthing` and `capture-of-a-tumbling-target`: an arm captures a free vehicle, and the two become one."""

from typing import Any

import numpy as np

from cardan import Dop853, fsw, robotics
from cardan.dynamics import Mujoco, RecursiveTree
from cardan.maths import mrp_from_dcm
from cardan.mechanism import Box, Hinge, Mechanism, Slide
from cardan.messages import HingeState, SlideState
from cardan.missions.mission import Curve, Mission, Result
from cardan.missions.servicer_arm import BEND, base_angle, numbered
from cardan.missions.vehicles import vehicle
from cardan.plots import Panel
from cardan.robotics import Robot
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

PERIOD = 0.01  # [s]
SLIDES, TURNS = ("slide_x", "slide_y", "slide_z"), ("turn_x", "turn_y", "turn_z")
MASS, INERTIA = 40.0, np.diag([3.0, 3.2, 2.4])  # [kg], [kg m^2] of the client, about its centre of mass
CENTRE = (0.0, 0.0, 0.45)  # [m] of its mass, from its fixture
RECORD = Record(
    every=0.05,
    ports=("bus.motion", "bus.momentum", "tip.motion", "client.motion", "*.state", "capture.*", "servo.torque"),
)


def add_client(m: Mechanism) -> None:
    """A free vehicle, its fixture at the tip of the arm: six joints that nothing drives leave it free.

    A body that hangs on another by three slides and three hinges without springs, dampers or drives moves as if it did
    not hang on it at all. Locks on them make the two vehicles one, exactly.
    """
    axes = np.eye(3)
    joints: dict[str, Any] = {name: Slide(axis) for name, axis in zip(SLIDES, axes, strict=True)}
    joints |= {name: Hinge(axis) for name, axis in zip(TURNS, axes, strict=True)}
    flange = m.bodies["flange"]
    client = m.add_body(
        "client", parent=flange, joints=joints, mass=MASS, inertia_B=INERTIA, r_CB_B=CENTRE, r_BP_P=(0.0, 0.0, 0.19)
    )
    m.add_shape(client, Box([0.25, 0.25, 0.3]), r_SB_B=(0.0, 0.0, 0.45), color=(0.8, 0.7, 0.4, 1.0))


def scenario(
    name: str,
    offset: tuple[float, float, float],
    drift: tuple[float, float, float],
    angles: tuple[float, float, float],
    rates: tuple[float, float, float],
    sequencer: dict[str, Any],
) -> Scenario:
    """The servicer, a client that starts beside its tip, and what captures it."""
    m = Mechanism.from_mjcf(vehicle("servicer.xml"))
    # what flight software knows of the arm: nothing of what it will hold
    robot = Robot(Mechanism.from_mjcf(vehicle("servicer.xml")))
    add_client(m)
    scn = Scenario(name, mechanism=m)
    starts: dict[Any, Any] = {joint: HingeState(angle=angle) for joint, angle in zip(robot.joints, BEND, strict=True)}
    starts |= {joint: SlideState(r, v) for joint, r, v in zip(SLIDES, offset, drift, strict=True)}
    starts |= {joint: HingeState(a, w) for joint, a, w in zip(TURNS, angles, rates, strict=True)}
    scn.start(starts)

    q = robot.drawn
    q[7:] = BEND
    start = robot.at(q).pose("tip")
    arm, turns = m.group_of_hinges("arm", *robot.joints), m.group_of_hinges("turns", *TURNS)
    motion: dict[str, Any] = {"base": m.bodies["bus"].motion, "joints": arm.states}
    slides: dict[str, Any] = {slide: m.joints[slide].state for slide in SLIDES}
    plan = fsw.CaptureSequencer(start.r_N, mrp_from_dcm(start.R.T), **sequencer)
    capture = scn.add(
        plan, name="capture", every=PERIOD, base=m.bodies["bus"].motion, tip=m.sites["tip"].motion,
        fixture=m.bodies["client"].motion, turns=turns.states, **slides,
    )  # fmt: skip
    for lock, slide in zip((capture.lock_x, capture.lock_y, capture.lock_z), SLIDES, strict=True):
        scn.connect(lock, m.joints[slide].lock)
    scn.connect(capture.locks, turns.locks)
    tip = robot.frame("tip").numbers
    control = robotics.ResolvedMotionRate(robot.numbers, tip, damping=0.02, is_floating=False)
    law = scn.add(control, name="law", every=PERIOD, **motion, reference=capture.reference)
    servo = robotics.RateServo(robot.numbers, gain=0.5 / PERIOD)
    added = scn.add(servo, name="servo", every=PERIOD, **motion, command=law.command)
    scn.connect(added.torque, arm.efforts)
    return scn


def build_berthing(
    offset: tuple[float, float, float] = (0.06, -0.04, 0.25),
    drift: tuple[float, float, float] = (0.002, 0.001, 0.0),
    angles: tuple[float, float, float] = (0.05, -0.04, 0.06),
) -> Scenario:
    """A client that drifts slowly."""
    return scenario("berthing", offset, drift, angles, (0.0, 0.0, 0.0), {"duration": 20.0})


def build_tumbling(
    offset: tuple[float, float, float] = (0.05, 0.0, 0.2),
    drift: tuple[float, float, float] = (0.0, 0.002, 0.0),
    spin: float = 2.0,
) -> Scenario:
    """A client that turns about its approach axis."""
    rates = (0.0, 0.0, float(np.deg2rad(spin)))
    return scenario("capture-of-a-tumbling-target", offset, drift, (0.0, 0.0, -0.4), rates, {"duration": 15.0})


def results(log: Log) -> list[Result]:
    status, momentum = log["capture.status"], log["bus.momentum"]
    captured = np.flatnonzero(status.is_captured)
    since = float(status.since[-1]) if len(captured) else None
    note = "" if since is not None else f"not by {log.t[-1]:g} s"
    before = max(int(captured[0]) - 1, 0) if len(captured) else len(log.t) - 1
    r_TB_N = log["tip.motion"].r_BN_N - log["bus.motion"].r_BN_N
    linear = momentum.mass[:, None] * momentum.v_CN_N
    rate = np.linalg.norm(log["bus.motion"].omega_BN_B[-1])
    torque = np.abs(log["servo.torque"].torque).max()
    return [
        Result("captured after", since, "s", note),
        Result("distance before", 1e3 * float(status.distance[before]), "mm"),
        Result("angle before", float(np.rad2deg(status.angle[before])), "deg"),
        Result("distance at the end", 1e6 * float(status.distance[-1]), "um"),
        Result("relative rate at the end", float(np.rad2deg(status.rate[-1])), "deg/s"),
        Result("reach of the tip at the end", float(np.linalg.norm(r_TB_N[-1])), "m"),
        Result("turn of the base at the end", float(np.rad2deg(base_angle(log)[-1])), "deg"),
        Result("rate of the base at the end", float(np.rad2deg(rate)), "deg/s"),
        Result("largest joint torque", float(torque), "N m"),
        Result("change of momentum", float(np.ptp(linear, axis=0).max()), "N s"),
        Result("change of angular momentum", float(np.ptp(momentum.momentum_C_N, axis=0).max()), "N m s"),
    ]


def curve(log: Log) -> Curve:
    return Curve("distance of tip and fixture [m]", log.t, log["capture.status"].distance)


def capture_figure(log: Log) -> list[Panel]:
    status = log["capture.status"]
    return [
        Panel("distance of tip and fixture [m]", {"": (log.t, status.distance)}),
        Panel("angle between them [deg]", {"": (log.t, np.rad2deg(status.angle))}),
        Panel("base rate [deg/s]", numbered(log.t, np.rad2deg(log["bus.motion"].omega_BN_B))),
        Panel("joint torque [N m]", numbered(log.t, log["servo.torque"].torque), is_stepped=True),
    ]


_SHARED: dict[str, Any] = {
    # momentum is no coordinate of a tree: it stays as well as coordinates are integrated. Rk4 at the period of the
    # flight software loses 6e-7 N s while locks pull, this one 1e-13.
    "integrator": Dop853(rtol=1.0e-11, atol=1.0e-13),
    "results": results,
    "curve": curve,
    "figures": {"capture": capture_figure},
    "record": RECORD,
    "dynamics": (RecursiveTree(), Mujoco()),
}
_OFFSET = "[m] of the client's fixture from the tip at the start, in components of the tip"
_DRIFT = "[m/s] of the client at the start, in components of the tip"

BERTHING = Mission(
    name="berthing",
    title="An arm captures a free vehicle and pulls it in",
    about=(
        "A servicer of 110 kg with an arm of seven joints floats beside a client of 40 kg that drifts slowly. The tip "
        "follows the client's fixture; when it is within 3 cm and 6 degrees, locks engage by message and pull it to "
        "the tip. Two vehicles are one, and the arm brings the client back to where the tip started."
    ),
    build=build_berthing,
    until=60.0,
    options={"offset": _OFFSET, "drift": _DRIFT, "angles": "[rad] of the client at the start, about x, y, z"},
    **_SHARED,
)
TUMBLING = Mission(
    name="capture-of-a-tumbling-target",
    title="An arm captures a vehicle that turns, and brings it to rest",
    about=(
        "The client turns about the axis by which it is approached, at 2 degrees a second. The tip follows its fixture "
        "and turns with it, locks engage by message in the capture envelope, and the arm brakes the client. Nothing "
        "controls the base: the momentum of the client becomes that of both."
    ),
    build=build_tumbling,
    until=60.0,
    options={"offset": _OFFSET, "drift": _DRIFT, "spin": "[deg/s] of the client about the approach axis"},
    **_SHARED,
)
