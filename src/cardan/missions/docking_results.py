"""What is measured of a docking, and what it is judged by: the metrics of SmallSatSim's paper and of its release."""

from typing import Any, NamedTuple

import numpy as np

from cardan import drivers, models
from cardan.missions.free_flyer import NAME, error_sizes
from cardan.missions.mission import Curve, Result, parameter
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log

GATE_DISTANCE, GATE_TIME = 0.30, 80.0  # [m], [s]
GATE_DEGREES, GATE_RADIANS = 0.35, 0.35  # the paper's gate is in degrees, the release's in radians
AFTER = 12.0  # [s] after the first contact it is judged
SETTLED_DISTANCE, SETTLED_ANGLE, SETTLED_SPEED, SETTLED_RATE = 0.25, 0.25, 0.10, 0.05  # [m], [rad], [m/s], [rad/s]
SETTLED_TIME = 1.0  # [s]
MOST_FORCE = 8.0  # [N]


def add_measures(scn: Scenario, pair: Any, step: float) -> None:
    """What sees the contact after every step, and what integrates it."""
    felt = scn.add(drivers.ContactMonitor(), name="felt", every=step, contact=pair.contact)
    scn.leave_open(felt.history)
    scn.add(models.ContactImpulse(), name="given", contact=pair.contact)


class Docking(NamedTuple):
    """What a log says of a docking.

    Attributes:
        first: [s] First contact; None if there was none.
        end: Which sample it is judged at.
        distance: [m] From the docked position, of each sample.
        turned: [rad] Attitude error of each sample.
        gate_degrees: [s] When it was within the gate of the paper; None if it was not.
        gate_radians: [s] When it was within that of the release, before it touched; None if it was not.
        is_settled: Whether it was settled at the end, by the release's measures.
        is_near: Whether it was settled by the paper's.
    """

    first: float | None
    end: int
    distance: np.ndarray
    turned: np.ndarray
    gate_degrees: float | None
    gate_radians: float | None
    is_settled: bool
    is_near: bool


def judge(log: Log) -> Docking:
    """Read a docking off a log."""
    t, motion, history = log.t, motion_of(log), log["felt.history"]
    distance = np.linalg.norm(motion.r_BN_N - parameter(log, "dock.r_DN_N"), axis=1)
    # the docked attitude is that of the station
    turned = 4.0 * np.arctan(np.linalg.norm(motion.sigma_BN, axis=1))
    speed, rate = np.linalg.norm(motion.v_BN_N, axis=1), np.linalg.norm(motion.omega_BN_B, axis=1)
    first = float(history.first[-1])
    has_touched = first >= 0.0
    end = min(int(np.searchsorted(t, first + AFTER - 1e-9)), len(t) - 1) if has_touched else len(t) - 1

    near = (distance <= GATE_DISTANCE) & (t <= GATE_TIME)
    in_degrees = np.flatnonzero(near & (np.rad2deg(turned) <= GATE_DEGREES))
    before = t < first if has_touched else np.full(len(t), True)
    in_radians = np.flatnonzero(near & before & (turned <= GATE_RADIANS))
    still = (distance <= SETTLED_DISTANCE) & (turned <= SETTLED_ANGLE) & (speed <= SETTLED_SPEED)
    still &= (rate <= SETTLED_RATE) & (log["touch.contact"].places > 0)
    last = still[: end + 1][t[: end + 1] >= t[end] - SETTLED_TIME]
    is_near = has_touched and bool(distance[end] <= SETTLED_DISTANCE and speed[end] <= SETTLED_SPEED)
    return Docking(
        first if has_touched else None,
        end,
        distance,
        turned,
        float(t[in_degrees[0]]) if len(in_degrees) else None,
        float(t[in_radians[0]]) if len(in_radians) else None,
        has_touched and bool(last.all()),
        is_near,
    )


def motion_of(log: Log) -> Any:
    """The recorded motion of the flyer."""
    return next(log[name] for name in log if name.startswith(f"{NAME}/") and name.endswith(".motion"))


def results(log: Log) -> list[Result]:
    seen, history, given = judge(log), log["felt.history"], log["given.given"]
    end, touch = seen.end, log["touch.contact"]
    peak, sampled = float(history.peak[end]), float(touch.largest[: end + 1].max())
    is_bounded = peak <= MOST_FORCE
    no_touch, no_gate = f"no contact by {log.t[-1]:g} s", f"not by {min(log.t[-1], GATE_TIME):g} s"
    docked = seen.gate_radians is not None and seen.is_settled and is_bounded
    return [
        Result("first contact", seen.first, "s", "" if seen.first is not None else no_touch),
        Result("peak contact force", peak, "N"),
        Result("peak contact force as sampled", sampled, "N"),
        Result("contact impulse", float(given.total[end]), "N s"),
        Result("time in contact", float(given.duration[end]), "s"),
        Result("contacts", float(history.touches[end]), "-"),
        Result("deepest penetration", 1e3 * float(history.penetration[end]), "mm"),
        Result(
            "within 0.3 m and 0.35 deg after", seen.gate_degrees, "s", "" if seen.gate_degrees is not None else no_gate
        ),
        Result(
            "within 0.3 m and 0.35 rad, untouched, after",
            seen.gate_radians,
            "s",
            "" if seen.gate_radians is not None else no_gate,
        ),
        Result("judged at", float(log.t[end]), "s"),
        Result("position error", 1e3 * float(seen.distance[end]), "mm"),
        Result("attitude error", float(np.rad2deg(seen.turned[end])), "deg"),
        Result("control effort", float(log["push.state"].impulse[end].sum()), "N s"),
        Result("settled", float(seen.is_settled), "-"),
        Result("contact bounded", float(is_bounded), "-"),
        Result(
            "docked by the paper", float(seen.gate_degrees is not None and seen.is_near and sampled <= MOST_FORCE), "-"
        ),
        Result("docked", float(docked), "-"),
    ]


def curve(log: Log) -> Curve:
    return Curve("distance from the docked position [m]", log.t, judge(log).distance)


def docking_figure(log: Log) -> list[Panel]:
    """Figure 6 of the paper: contact force and position error over time, and the attitude error beside them."""
    seen, touch = judge(log), log["touch.contact"]
    return [
        Panel("contact force [N]", {"sum of all places": (log.t, touch.total), "largest": (log.t, touch.largest)}),
        Panel("dock position error [m]", {"": (log.t, seen.distance)}),
        Panel("attitude error [deg]", {"": (log.t, np.rad2deg(seen.turned))}),
    ]


def approach_figure(log: Log) -> list[Panel]:
    """The flight to the port, seen along z, and the errors of the controller."""
    motion = motion_of(log)
    flown, goal, axis = motion.r_BN_N, parameter(log, "dock.r_DN_N"), parameter(log, "dock.axis_N")
    line = goal + np.outer([0.0, parameter(log, "dock.hold_distance")], axis)
    sizes = error_sizes(log)
    return [
        Panel(
            "y [m]",
            {"approach": (line[:, 0], line[:, 1]), "flown": (flown[:, 0], flown[:, 1])},
            across="x [m]",
            has_equal_axes=True,
            dashed=("approach",),
        ),
        Panel("distance to the reference [m]", {"": (log.t, sizes["r"])}),
        Panel("speed [m/s]", {"": (log.t, np.linalg.norm(motion.v_BN_N, axis=1))}),
    ]
