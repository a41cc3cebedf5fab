"""What a robot can reach: clouds of points, their volume, and how the reach of a floating base depends on its path."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.errors import SettingError, did_you_mean
from cardan.maths import Vec
from cardan.mechanism.tree import BALL, HINGE, Q_SIZE
from cardan.robotics.bases import check_base
from cardan.robotics.manipulability import matrices_at, rows_of, task_matrix
from cardan.robotics.robot import Robot
from cardan.robotics.state import WhichFrame
from cardan.robotics.sweeps import in_threads, native_points

Limits = Mapping[str, tuple[float, float]]
_NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class Workspace:
    """Where a frame of a robot can be.

    Attributes:
        points: (n, 3) [m] Relative to `origin`, along inertial axes.
        base: "fixed", "floating" or "flying".
        origin: What the points are relative to.
        frame: The frame's name.
    """

    points: np.ndarray
    base: str
    origin: str
    frame: str

    @property
    def distances(self) -> np.ndarray:
        """(n,) [m] From the origin."""
        return np.asarray(np.linalg.norm(self.points, axis=1))

    def volume(self, cell: float) -> float:
        """[m^3] Volume of all cubes of edge `cell` [m] that a point is in.

        Cubes that the boundary cuts count as a whole, so that it is too large by about half a cube all over the
        boundary: `2 * w.volume(c) - w.volume(2 * c)` takes that out. There should be about ten points per cube.
        """
        if not cell > 0.0:
            raise SettingError(f"cell = {cell!r}.\n  Use an edge above 0 m.")
        index = np.floor((self.points - self.points.min(axis=0)) / cell).astype(np.int64)
        size = index.max(axis=0) + 1
        flat = (index[:, 0] * size[1] + index[:, 1]) * size[2] + index[:, 2]
        filled = np.unique(flat).size if size.prod() > 2**27 else np.count_nonzero(np.bincount(flat))
        return float(filled) * cell**3


def workspace(
    robot: Robot,
    frame: WhichFrame,
    *,
    base: str = "fixed",
    samples: int = 100_000,
    limits: Limits | None = None,
    attitude: str = "free",
    base_range: float = 1.0,
    seed: int = 0,
) -> Workspace:
    """A cloud of points that a frame of the robot can reach, from joint coordinates spread evenly over their ranges.

    Args:
        robot: The robot.
        frame: The frame.
        base: "fixed": the base stays at the origin. "floating": nothing pushes the base, so that the centre of mass of
            the whole robot stays, and points are relative to it. "flying": the base goes anywhere within `base_range`.
        samples: How many points.
        limits: Ranges of joints by name, [rad] or [m]; else those of the mechanism, else a whole turn of a hinge.
        attitude: Of a floating or flying base. "free": any. "held": that of the inertial frame.
        base_range: [m] Half the edge of the cube in which a flying base stays.
        seed: Of the random numbers.
    """
    check_base(base)
    check_attitude(attitude)
    if samples < 1:
        raise SettingError(f"samples = {samples!r}.\n  Use at least 1.")
    if base != "fixed":
        robot.need_free_base(f"a {base} base")
    points = np.empty((samples, 3))
    ranges, numbers, where = joint_ranges(robot, limits), robot.numbers, np.array(robot.frame(frame).numbers)
    sweep = native_points()

    def work(stretch: slice, number: int) -> None:
        rng = np.random.default_rng([seed, number])
        count = stretch.stop - stretch.start
        rows = random_joints(robot, ranges, count, rng)
        if robot.n_0:
            rows[:, 3:7] = _NO_TURN
            if base != "fixed" and attitude == "free":
                rows[:, 3:7] = random_quaternions(count, rng)
            if base == "flying":
                rows[:, :3] = rng.uniform(-base_range, base_range, size=(count, 3))
        sweep(numbers, rows, where, base == "floating", points[stretch])

    in_threads(work, samples)
    origin = {"fixed": "the base", "floating": "the centre of mass", "flying": "the middle of the base's range"}[base]
    return Workspace(points, base, origin, robot.frame(frame).name)


@dataclass(frozen=True)
class PathDependence:
    """How the reach of a floating base depends on its path, by the distance from the centre of mass.

    A floating base turns with every closed path of its joints, so a point at a given distance can be met with any
    attitude of the base. At distances where some configuration is dynamically singular, there are paths on which the
    tip cannot go on; nearer and farther it can, on any path (Papadopoulos and Dubowsky 1993).

    Attributes:
        reach: (2,) [m] Smallest and largest distance that the frame reaches.
        singular_distances: (k,) [m] Distances of the frame in singular configurations that were found.
        singular_joints: (k, n_m) Those configurations.
    """

    reach: tuple[float, float]
    singular_distances: np.ndarray
    singular_joints: np.ndarray

    def dependent(self, bins: int = 200) -> list[tuple[float, float]]:
        """[m] Intervals of distances at which the workspace depends on the path, in `bins` parts of the reach."""
        edges = np.linspace(*self.reach, bins + 1)
        filled = np.histogram(self.singular_distances, edges)[0] > 0
        steps = np.diff(np.concatenate([[0], filled.astype(int), [0]]))
        begins, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
        return [(float(edges[a]), float(edges[b])) for a, b in zip(begins, ends, strict=True)]


def path_dependence(
    robot: Robot,
    frame: WhichFrame,
    *,
    rows: Any = "position",
    samples: int = 20_000,
    limits: Limits | None = None,
    seed: int = 0,
) -> PathDependence:
    """Distances from the centre of mass at which the workspace of a floating base depends on the path.

    Pairs of random configurations between which the determinant of the generalized Jacobian changes its sign are halved
    until the singular configuration between them is found.

    Args:
        robot: The robot; it has as many joint freedoms as `rows` asks for.
        frame: The frame.
        rows: Of the twist: "position", "attitude", "all", or their numbers, 0 to 5.
        samples: How many configurations.
        limits: Ranges of joints by name, as for `workspace`.
        seed: Of the random numbers.
    """
    robot.need_free_base("a floating base")
    which = rows_of(rows)
    if len(which) != robot.n_m:
        raise SettingError(
            f"`rows` asks for {len(which)} components, and the robot has {robot.n_m} joint freedoms.\n"
            "  A determinant needs as many of one as of the other; name the components by their numbers, 0 to 5."
        )
    rng = np.random.default_rng(seed)
    joints = random_joints(robot, joint_ranges(robot, limits), samples, rng)

    def determinants(configurations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        J, H, points = matrices_at(robot, frame, configurations)
        return np.linalg.det(task_matrix(robot, J, H, "floating", which)), np.linalg.norm(points, axis=1)

    det, distance = determinants(joints)
    order = rng.permutation(samples)
    apart = det * det[order] < 0.0
    low, high, sign = joints[apart], joints[order][apart], np.sign(det[apart])
    for _ in range(50):
        middle = 0.5 * (low + high)
        is_low = np.sign(determinants(middle)[0]) == sign
        low, high = np.where(is_low[:, None], middle, low), np.where(is_low[:, None], high, middle)
    found = 0.5 * (low + high)
    singular = determinants(found)[1] if len(found) else np.zeros(0)
    return PathDependence((float(distance.min()), float(distance.max())), singular, found[:, 7:])


# ---- coordinates -----------------------------------------------------------------------------------------------------


def check_attitude(attitude: str) -> None:
    """Refuse what is no word for the attitude of a base."""
    if attitude not in ("free", "held"):
        raise SettingError(f"attitude = {attitude!r}.{did_you_mean(attitude, ('free', 'held'))}\n  Use free or held.")


def joint_ranges(robot: Robot, limits: Limits | None = None) -> np.ndarray:
    """(joints, 2) Lowest and highest coordinate of every joint; of a ball joint they mean nothing."""
    given = dict(limits or {})
    unknown = [name for name in given if name not in robot.joints]
    if unknown:
        robot.freedom(unknown[0])
    model = robot.mechanism.model
    ranges = np.zeros((len(robot.joints), 2))
    for i, name in enumerate(robot.joints):
        joint = model.joint(name)
        kind = int(joint.type[0])
        if name in given:
            ranges[i] = given[name]
        elif joint.limited[0]:
            ranges[i] = joint.range
        elif kind in (HINGE, BALL):
            ranges[i] = [-np.pi, np.pi]
        else:
            raise SettingError(f"`{name}` slides without limits.\n  Give its range: limits={{{name!r}: (low, high)}}.")
    return ranges


def random_joints(robot: Robot, ranges: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """(count, nq) Coordinates with joints spread evenly over their ranges, and a base at the origin."""
    out = np.zeros((count, robot.nq))
    at = 0
    if robot.n_0:
        out[:, 3], at = 1.0, 7
    for name, (low, high) in zip(robot.joints, ranges, strict=True):
        kind = int(robot.mechanism.model.joint(name).type[0])
        if kind == BALL:
            out[:, at : at + 4] = random_quaternions(count, rng)
        else:
            out[:, at] = low + (high - low) * rng.random(count)
        at += Q_SIZE[kind]
    return out


def random_quaternions(count: int, rng: np.random.Generator) -> Vec:
    """(count, 4) Attitudes spread evenly over all."""
    out = rng.normal(size=(count, 4))
    return np.asarray(out / np.linalg.norm(out, axis=1, keepdims=True))
