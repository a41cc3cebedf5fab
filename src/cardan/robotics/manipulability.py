"""How well a robot can move a frame: manipulability, its dynamic form, and maps of singular configurations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.errors import SettingError, ShapeError, did_you_mean
from cardan.maths import Vec
from cardan.robotics.bases import check_base
from cardan.robotics.robot import Robot
from cardan.robotics.state import Matrix, State, WhichFrame
from cardan.robotics.sweeps import chunks, native_matrices

ROWS = {"all": (0, 1, 2, 3, 4, 5), "attitude": (0, 1, 2), "position": (3, 4, 5)}


def rows_of(rows: str | Sequence[int]) -> list[int]:
    """Components of a twist (angular, linear), by name or number."""
    if isinstance(rows, str):
        if rows not in ROWS:
            raise SettingError(f"rows = {rows!r}.{did_you_mean(rows, ROWS)}\n  Use {', '.join(ROWS)}, or numbers.")
        return list(ROWS[rows])
    wrong = [row for row in rows if row not in range(6)]
    if wrong or not len(rows):
        raise SettingError(f"rows = {rows!r}.\n  Components of a twist are 0 to 5, the angular ones first.")
    return [int(row) for row in rows]


def manipulability(state: State, frame: WhichFrame, *, base: str = "fixed", rows: Any = "position") -> float:
    """Product of the singular values of the Jacobian: sqrt(det(J JT)), the volume of the ellipsoid of velocities.

    Args:
        state: The robot at one configuration.
        frame: The frame.
        base: "fixed": J_m. "floating": the generalized Jacobian J*. "flying": the whole J, of base and joints.
        rows: Of the twist: "position", "attitude", "all", or their numbers, 0 to 5.
    """
    return float(np.prod(_at(state, frame, base, rows, is_dynamic=False)))


def dynamic_manipulability(state: State, frame: WhichFrame, *, base: str = "fixed", rows: Any = "position") -> float:
    """Product of the singular values of J H^-1: the volume of the ellipsoid of accelerations per effort, at rest.

    The inertia is H_m, H* or H, as `base` has it. Yoshikawa 1985, for floating bases with J* and H*.
    """
    return float(np.prod(_at(state, frame, base, rows, is_dynamic=True)))


def _at(state: State, frame: WhichFrame, base: str, rows: Any, is_dynamic: bool) -> Vec:
    J, H, _ = matrices_at(state.robot, frame, state.q[None])
    matrix = task_matrix(state.robot, J, H, base, rows_of(rows), is_dynamic=is_dynamic)
    return np.asarray(np.linalg.svd(matrix[0], compute_uv=False))


@dataclass(frozen=True)
class SingularityMap:
    """Over two joints, how near each configuration is to a singular one.

    Attributes:
        joints: The names of the two joints.
        x: (k,) [rad] or [m] Coordinates of the first.
        y: (k,) Coordinates of the second.
        smallest: (k, k) Smallest singular value; row i is y[i], column j is x[j].
        determinant: (k, k) Of a square matrix; its sign changes where a singular set passes. None for others.
        manipulability: (k, k) Product of the singular values.
        base: "fixed", "floating" or "flying".
    """

    joints: tuple[str, str]
    x: Vec
    y: Vec
    smallest: Matrix
    determinant: Matrix | None
    manipulability: Matrix
    base: str


def singularity_map(
    robot: Robot,
    frame: WhichFrame,
    joints: tuple[str, str],
    *,
    q: Any = None,
    base: str = "fixed",
    rows: Any = "position",
    is_dynamic: bool = False,
    x: Any = None,
    y: Any = None,
) -> SingularityMap:
    """Singular values over two joints; all other coordinates stay.

    With base="floating" it shows dynamic singularities: those of the generalized Jacobian, which depend on masses.

    Args:
        robot: The robot.
        frame: The frame.
        joints: The two joints, with one freedom each.
        q: (nq,) The other coordinates; those of the drawing if left out.
        base: "fixed": J_m. "floating": J*. "flying": J.
        rows: Of the twist: "position", "attitude", "all", or their numbers, 0 to 5.
        is_dynamic: Whether to take J H^-1 instead of J.
        x: Coordinates of the first joint; 121 from -pi to pi if left out.
        y: Coordinates of the second joint.
    """
    across, up = (np.linspace(-np.pi, np.pi, 121) if v is None else np.asarray(v, float) for v in (x, y))
    if across.ndim != 1 or up.ndim != 1:
        raise ShapeError("`x` and `y` are rows of coordinates, one per joint.\n  Give each as a list of numbers.")
    start = robot.drawn if q is None else robot.take("q", q, robot.nq)
    rows_all = np.tile(start, (len(across) * len(up), 1))
    columns = [robot.coordinate(name) for name in joints]
    rows_all[:, columns[0]] = np.tile(across, len(up))
    rows_all[:, columns[1]] = np.repeat(up, len(across))
    which = rows_of(rows)
    J, H, _ = matrices_at(robot, frame, rows_all)
    matrix = task_matrix(robot, J, H, base, which, is_dynamic=is_dynamic)
    values = np.linalg.svd(matrix, compute_uv=False)
    shape = (len(up), len(across))
    is_square = matrix.shape[1] == matrix.shape[2]
    return SingularityMap(
        joints=joints,
        x=across,
        y=up,
        smallest=values[:, -1].reshape(shape),
        determinant=np.linalg.det(matrix).reshape(shape) if is_square else None,
        manipulability=np.prod(values, axis=1).reshape(shape),
        base=base,
    )


def matrices_at(robot: Robot, frame: WhichFrame, rows: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """J (n, 6, nu), H (n, nu, nu) and positions (n, 3) relative to the centre of mass, for rows of coordinates."""
    count = len(rows)
    J, H, points = np.empty((count, 6, robot.nu)), np.empty((count, robot.nu, robot.nu)), np.empty((count, 3))
    place, taken = np.array(robot.frame(frame).numbers), np.ascontiguousarray(rows, float)
    for stretch in chunks(count):
        native_matrices()(robot.numbers, taken[stretch], place, J[stretch], H[stretch], points[stretch])
    return J, H, points


def task_matrix(robot: Robot, J: Matrix, H: Matrix, base: str, rows: list[int], *, is_dynamic: bool = False) -> Matrix:
    """Rows of J_m, J* or J, or of these times the inverse of the inertia that belongs to them, for stacks of them."""
    check_base(base)
    n = robot.n_0
    if base == "floating":
        robot.need_free_base("a floating base")
        answer = np.linalg.solve(H[:, :n, :n], H[:, :n, n:])
        J, H = J[:, :, n:] - J[:, :, :n] @ answer, H[:, n:, n:] - H[:, n:, :n] @ answer
    elif base == "fixed":
        J, H = J[:, :, n:], H[:, n:, n:]
    if is_dynamic:
        J = np.linalg.solve(H, J.transpose(0, 2, 1)).transpose(0, 2, 1)
    return np.asarray(J[:, rows])
