"""Many configurations in one native call: kernels, and what calls them."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np

from cardan.maths import Mat, Vec
from cardan.native.cached_function import cached_function
from cardan.robotics.inertia import gather, inertia_at, weigh
from cardan.robotics.kinematics import LEVER_, MASS_, WIDTH, jacobian_at, new_tables, place, point_of, subtree_masses
from cardan.robotics.packing import IS_FREE, LINKS, records_of

CHUNK = 1 << 15


def sweep_points(m: Vec, rows: Mat, frame: Vec, is_about_com: bool, points: Mat) -> None:
    """Position of a frame for each row of coordinates, inertial or relative to the centre of mass."""
    w, s = new_tables(m, WIDTH)
    b = records_of(m)
    lever, mass = np.empty((int(m[LINKS]), 3)), np.empty(int(m[LINKS]))
    for i in range(len(rows)):
        place(m, b, rows[i], w, s)
        p = point_of(w, frame)
        if is_about_com:
            subtree_masses(b, w, lever, mass)
        for k in range(3):
            if is_about_com:
                points[i, k] = p[k] - lever[0, k] / mass[0]
            else:
                points[i, k] = p[k] + (rows[i, k] if m[IS_FREE] != 0.0 else 0.0)


def sweep_matrices(m: Vec, rows: Mat, frame: Vec, J: np.ndarray, H: np.ndarray, points: Mat) -> None:
    """Jacobian, inertia, and position relative to the centre of mass, for each row of coordinates."""
    w, s = new_tables(m, WIDTH)
    b = records_of(m)
    for i in range(len(rows)):
        place(m, b, rows[i], w, s)
        weigh(b, w)
        gather(b, w)
        inertia_at(m, b, w, s, H[i])
        jacobian_at(m, b, w, s, frame, J[i])
        p = point_of(w, frame)
        for k in range(3):
            points[i, k] = p[k] - (w[0, LEVER_ + k] / w[0, MASS_] if w[0, MASS_] > 0.0 else 0.0)


@cache
def native_points() -> Any:
    table = "float64[:, ::1]"
    return cached_function(sweep_points, f"none(float64[::1], {table}, float64[::1], boolean, {table})")


@cache
def native_matrices() -> Any:
    row, table, stack = "float64[::1]", "float64[:, ::1]", "float64[:, :, ::1]"
    return cached_function(sweep_matrices, f"none({row}, {table}, {row}, {stack}, {stack}, {table})")


def chunks(count: int) -> Iterator[slice]:
    """Stretches of rows that fit into the processor's caches."""
    for start in range(0, count, CHUNK):
        yield slice(start, min(start + CHUNK, count))


def in_threads(work: Any, count: int) -> None:
    """`work(stretch, number)` for stretches of `count` rows, in as many threads as there are processors."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for done in [pool.submit(work, stretch, number) for number, stretch in enumerate(chunks(count))]:
            done.result()
