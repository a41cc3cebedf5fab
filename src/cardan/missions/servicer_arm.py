"""What the missions of the servicer have in common: the vehicle, its servo, and what is read off a run."""

from typing import Any, NamedTuple

import numpy as np

from cardan import robotics
from cardan.maths import rotation_angle
from cardan.mechanism import Mechanism
from cardan.messages import HingeState
from cardan.missions.mission import Result
from cardan.missions.vehicles import vehicle
from cardan.plots import Panel
from cardan.robotics import Pose, Robot
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

BEND = np.array([0.5, 0.9, -0.9, 1.7, 0.9, -0.8, 0.0])  # [rad] where the arm starts
BEGIN, DURATION, UNTIL = 1.0, 20.0, 25.0  # [s]
PORTS = ("bus.motion", "bus.momentum", "tip.motion", "*.state", "line.reference", "law.command", "servo.torque")
RECORD = Record(every=0.05, ports=PORTS)


class Servicer(NamedTuple):
    """The vehicle in a scenario.

    Attributes:
        robot: The vehicle as a robot.
        tip: The tip as tasks take it.
        start: Where the tip starts.
        motion: The ports that every task of the robot reads.
    """

    robot: Robot
    tip: np.ndarray
    start: Pose
    motion: dict[str, Any]


def servicer(name: str) -> tuple[Scenario, Servicer]:
    """A scenario with the servicer at rest and its arm bent."""
    m = Mechanism.from_mjcf(vehicle("servicer.xml"))
    robot = Robot(m)
    scn = Scenario(name, mechanism=m)
    scn.start({joint: HingeState(angle=angle) for joint, angle in zip(robot.joints, BEND, strict=True)})
    q = robot.drawn
    q[7:] = BEND
    motion = {"base": m.bodies["bus"].motion, "joints": robot.hinges("arm").states}
    return scn, Servicer(robot, robot.frame("tip").numbers, robot.at(q).pose("tip"), motion)


def follow(scn: Scenario, made: Servicer, command: Any, period: float) -> None:
    """Torques at the joints that give them the rates of `command`."""
    servo = robotics.RateServo(made.robot.numbers, gain=0.5 / period)
    added = scn.add(servo, name="servo", every=period, **made.motion, command=command)
    scn.connect(added.torque, made.robot.hinges("arm").efforts)


# ---- reading a run ---------------------------------------------------------------------------------------------------


def base_angle(log: Log) -> np.ndarray:
    """[rad] How far the base has turned."""
    return np.asarray(rotation_angle(log["bus.motion"].sigma_BN))


def tip_error(log: Log) -> np.ndarray:
    """[m] From the tip to its reference."""
    return np.asarray(np.linalg.norm(log["tip.motion"].r_BN_N - log["line.reference"].r_TN_N, axis=1))


def tip_way(log: Log) -> float:
    """[m] The length of the way that the tip has gone."""
    return float(np.sum(np.linalg.norm(np.diff(log["tip.motion"].r_BN_N, axis=0), axis=1)))


def tip_results(log: Log) -> list[Result]:
    """How far the tip has gone, and how well it has kept to its line."""
    return [
        Result("way of the tip", tip_way(log), "m"),
        Result("largest distance of the tip from its reference", 1e6 * float(tip_error(log).max()), "um"),
    ]


def momentum_results(log: Log) -> list[Result]:
    """How well the momentum is kept, which is zero."""
    momentum = log["bus.momentum"]
    return [
        Result("largest angular momentum", float(np.linalg.norm(momentum.momentum_C_N, axis=1).max()), "N m s"),
        Result("largest momentum", float((momentum.mass * np.linalg.norm(momentum.v_CN_N, axis=1)).max()), "N s"),
    ]


def joint_panels(log: Log) -> list[Panel]:
    """Angles and torques of the seven joints."""
    names = [f"joint{i}" for i in range(1, 8)]
    turned = np.stack([log[f"{name}.state"].angle - log[f"{name}.state"].angle[0] for name in names], axis=1)
    torque = log["servo.torque"].torque
    return [
        Panel("turn of the joints [deg]", numbered(log.t, np.rad2deg(turned))),
        Panel("joint torque [N m]", numbered(log.t, torque), is_stepped=True),
    ]


def numbered(t: np.ndarray, values: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Curves of the columns, numbered from 1."""
    return {str(i + 1): (t, values[:, i]) for i in range(values.shape[1])}
