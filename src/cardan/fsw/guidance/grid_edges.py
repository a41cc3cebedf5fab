"""A grid in space whose edges are free or blocked by what stands around it."""

import threading
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from cardan.errors import SettingError
from cardan.fsw.guidance.anytime_d_star import NO_WAY
from cardan.maths import Vec3, Vec4
from cardan.maths.swept import stays_above

_STEPS = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) if (i, j, k) != (0, 0, 0)]
_MOST_NODES = 200_000


class Surroundings(Protocol):
    """What a planner must know of the world; `cardan.mechanism.Clearance` is one."""

    moving: tuple[str, ...]
    radius: float
    reach: np.ndarray

    def distance(self, r_BN_N: Any, q_BN: Any = None, obstacles_N: Any = ()) -> tuple[float, str]:
        """[m] The least distance at a pose, and to what."""

    def distance_to_static(self, r_BN_N: Any, q_BN: Any = None) -> float:
        """[m] The same to what does not move."""

    def distance_to_moving(self, r_BN_N: Any, q_BN: Any, obstacles_N: Any) -> float:
        """[m] The same to what moves."""


class GridEdges:
    """Nodes on an even grid, each with up to 26 neighbours; edges that keep a margin all along are free.

    What is found out about an edge is kept: for ever where nothing moves, as long as obstacles stay where something
    does. It is a table of facts, not of state: asking again, in any order, gives the same answers.

    Args:
        around: Distances to what the vehicle may hit.
        low_N: [m] The corner of the grid with the smallest coordinates, in inertial components.
        high_N: [m] The opposite corner; the grid ends at or before it.
        spacing: [m] Of the nodes.
        margin: [m] Distance that is kept all along an edge.
        q_RN: [-] Attitude of the vehicle, a unit quaternion.
    """

    def __init__(
        self, around: Surroundings, low_N: Vec3, high_N: Vec3, spacing: float, margin: float, q_RN: Vec4
    ) -> None:
        self.around, self.low_N, self.spacing, self.margin, self.q_RN = around, low_N, spacing, margin, q_RN
        self.counts = tuple(int(n) for n in np.floor((high_N - low_N) / spacing + 1e-9) + 1)
        self.nodes = int(np.prod(self.counts))
        if min(self.counts) < 1 or not 1 < self.nodes <= _MOST_NODES:
            raise SettingError(
                f"grid_planner: a grid of {' x '.join(map(str, self.counts))} nodes; from 2 to {_MOST_NODES:,} are "
                "possible.\n  Give another `spacing`, or other corners."
            )
        self._static: dict[tuple[int, int], bool] = {}
        self._static_at: dict[int, float] = {}
        self._moving: dict[tuple[int, int], bool] = {}
        self._moving_at: dict[int, float] = {}
        self.obstacles_N = np.zeros((len(around.moving), 3))
        self.lock = threading.RLock()
        """Held while `look` counts: members of a batch ask from several threads."""

    def look(self, obstacles_N: np.ndarray) -> None:
        """Say where the moving obstacles are from now on."""
        if not np.array_equal(obstacles_N, self.obstacles_N):
            self.obstacles_N = np.array(obstacles_N)
            self._moving, self._moving_at = {}, {}

    # ---- nodes -------------------------------------------------------------------------------------------------------

    def place(self, node: int) -> Vec3:
        """[m] Where a node is."""
        i, j, k = self._cell(node)
        return np.asarray(self.low_N + self.spacing * np.array([i, j, k]))

    def _cell(self, node: int) -> tuple[int, int, int]:
        rest, k = divmod(node, self.counts[2])
        i, j = divmod(rest, self.counts[1])
        return i, j, k

    def neighbours(self, node: int) -> Iterator[int]:
        """The nodes around a node."""
        nx, ny, nz = self.counts
        i, j, k = self._cell(node)
        for di, dj, dk in _STEPS:
            if 0 <= i + di < nx and 0 <= j + dj < ny and 0 <= k + dk < nz:
                yield ((i + di) * ny + j + dj) * nz + k + dk

    def estimate(self, first: int, second: int) -> float:
        """[m] The shortest way between two nodes where nothing is blocked."""
        a, b = self._cell(first), self._cell(second)
        short, middle, long = sorted((abs(a[0] - b[0]), abs(a[1] - b[1]), abs(a[2] - b[2])))
        return self.spacing * (1.7320508075688772 * short + 1.4142135623730951 * (middle - short) + (long - middle))

    def nodes_by_distance(self, r_N: Vec3) -> Iterator[int]:
        """The corners of the cell around a point, then those of the cells around it, the nearest first."""
        here = (np.asarray(r_N) - self.low_N) / self.spacing
        ranges = [
            range(max(0, int(np.floor(x)) - 1), min(n - 1, int(np.floor(x)) + 2) + 1)
            for x, n in zip(here, self.counts, strict=True)
        ]
        cells = [(i, j, k) for i in ranges[0] for j in ranges[1] for k in ranges[2]]
        cells.sort(key=lambda cell: float(np.sum((np.array(cell) - here) ** 2)))
        for i, j, k in cells:
            yield (i * self.counts[1] + j) * self.counts[2] + k

    def near(self, obstacles_N: np.ndarray) -> list[int]:
        """Nodes with an edge that obstacles might block."""
        found: set[int] = set()
        axes = [self.low_N[i] + self.spacing * np.arange(self.counts[i]) for i in range(3)]
        for place, reach in zip(obstacles_N, self.around.reach, strict=True):
            far = reach + self.around.radius + self.margin + np.sqrt(3.0) * self.spacing
            square = sum(((axis - x) ** 2).reshape([-1 if i == d else 1 for i in range(3)])
                         for d, (axis, x) in enumerate(zip(axes, place, strict=True)))  # fmt: skip
            found |= {int(i) for i in np.flatnonzero(np.asarray(square) <= far * far)}
        return sorted(found)

    # ---- edges -------------------------------------------------------------------------------------------------------

    def cost(self, first: int, second: int) -> float:
        """[m] The length of an edge, or `NO_WAY` where it is blocked."""
        key = (first, second) if first < second else (second, first)
        is_free = self._static.get(key)
        if is_free is None:
            is_free = self._static[key] = self._check(key, self._static_at, self._to_static)
        if is_free and len(self.obstacles_N):
            is_clear = self._moving.get(key)
            if is_clear is None:
                is_clear = self._moving[key] = self._check(key, self._moving_at, self._to_moving)
            is_free = is_clear
        return self.estimate(first, second) if is_free else NO_WAY

    def is_free(self, a_N: Vec3, b_N: Vec3, *, at_rest: bool = False) -> bool:
        """Whether the vehicle keeps its margin along a straight line; from what is at rest alone with `at_rest`."""
        checks = [self._to_static] if at_rest or not len(self.obstacles_N) else [self._to_static, self._to_moving]
        length = float(np.linalg.norm(b_N - a_N))
        return all(
            stays_above(lambda s, to=to: to(a_N + s * (b_N - a_N)), to(a_N), to(b_N), length, self.margin)  # type: ignore[misc]
            for to in checks
        )

    def _check(self, key: tuple[int, int], known: dict[int, float], to: Any) -> bool:
        a_N, b_N = self.place(key[0]), self.place(key[1])
        ends = []
        for node, place in zip(key, (a_N, b_N), strict=True):
            if node not in known:
                known[node] = to(place)
            ends.append(known[node])
        length = float(np.linalg.norm(b_N - a_N))
        return stays_above(lambda share: to(a_N + share * (b_N - a_N)), ends[0], ends[1], length, self.margin)

    def _to_static(self, r_N: Vec3) -> float:
        return self.around.distance_to_static(r_N, self.q_RN)

    def _to_moving(self, r_N: Vec3) -> float:
        return self.around.distance_to_moving(r_N, self.q_RN, self.obstacles_N)
