"""The kernels as Python calls them: sizes checked, compiled for known types, kept on disk."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import carray, types

from cardan.maths import Vec
from cardan.mechanism.coordinates import LENGTH_TOLERANCE
from cardan.mechanism.tree import BALL
from cardan.native.array_arguments import ARRAY_OBJECT, KINDS, data_at, is_array, kinds_of_arrays, size_at
from cardan.native.cached_function import cached_function, short_function
from cardan.native.layout import WORD
from cardan.native.pointers import as_voidptr
from cardan.robotics import derivatives, inertia, kinematics, recursion
from cardan.robotics.packing import HEADER, IS_FREE, KIND, LINKS, NQ, NU, Q_AT, RECORD, records_of

NO_WRENCHES = np.zeros((0, 6))
ROW, TABLE = "float64[::1]", "float64[:, ::1]"


def with_room(numbers: Vec) -> Vec:
    """What the short functions below work on: kinds of arrays, a copy of a robot's row of numbers, room for tables."""
    links, nu = int(numbers[LINKS]), int(numbers[NU])
    room = np.zeros(links * recursion.ARTICULATED + nu * (6 + recursion.FREEDOM))
    return np.concatenate([kinds_of_arrays().view(np.float64), numbers, room])


def numbers_in(memory: Vec) -> Vec:
    """The row of numbers in what `with_room` has made."""
    numbers = memory[KINDS:]
    return numbers[: HEADER + RECORD * int(numbers[LINKS]) + 2 * int(numbers[NU])]


def table_at(address, rows, columns):
    """A table that lies at an address, without counting references, and where it ends."""
    return carray(as_voidptr(address), (rows, columns), dtype=np.float64), address + WORD * rows * columns


def row_at(address, size):
    """A row that lies at an address, without counting references."""
    return carray(as_voidptr(address), size, dtype=np.float64)


def tables_at(memory, width):
    """In what `with_room` has made: the row of numbers, its records, and w (links, width), s (nu, 6) and `free`.

    The interpreter's lock is held meanwhile, so that one room serves all threads.
    """
    address = memory + WORD * KINDS
    head = row_at(address, HEADER)
    links, nu = int(head[LINKS]), int(head[NU])
    size = HEADER + RECORD * links + 2 * nu
    b, _ = table_at(address + WORD * HEADER, links, RECORD)
    w, end = table_at(address + WORD * size, links, width)
    s, end = table_at(end, nu, 6)
    free, _ = table_at(end, nu, recursion.FREEDOM)
    return row_at(address, size), b, w, s, free


def is_row(memory, array, size, is_written):
    """Whether an argument is an array of so many numbers."""
    return is_array(array, memory, 1, is_written) and size_at(array, 0) == size


def given(array, size):
    """The numbers of an argument that `is_row`."""
    return row_at(data_at(array), size)


def has_attitudes(m, b, q):
    """Whether the quaternions of a free base and of ball joints are of unit length; Python says which is not."""
    fits = m[IS_FREE] == 0.0 or is_unit(q, 3)
    for i in range(1, b.shape[0]):
        if b[i, KIND] == BALL:
            fits = fits and is_unit(q, int(b[i, Q_AT]))
    return fits


def is_unit(q, at):
    """Whether four numbers are of unit length, wherever `check_quaternions` says so; false if one is nan."""
    squared = q[at] * q[at] + q[at + 1] * q[at + 1] + q[at + 2] * q[at + 2] + q[at + 3] * q[at + 3]
    return abs(squared - 1.0) <= 2.001 * LENGTH_TOLERANCE  # of squares: twice, and a little for the next order


def call_inertia(memory, q, out):
    """Writes H if the arguments are as they must be; else returns 1 and does nothing."""
    m, b, w, s, _ = tables_at(memory, kinematics.WIDTH)
    nq, nu = int(m[NQ]), int(m[NU])
    is_square = is_array(out, memory, 2, True) and size_at(out, 0) == nu and size_at(out, 1) == nu
    if not (is_square and is_row(memory, q, nq, False) and has_attitudes(m, b, given(q, nq))):
        return 1
    H, _ = table_at(data_at(out), nu, nu)
    inertia.inertia_of(m, b, w, s, given(q, nq), H)
    return 0


def call_forward(memory, q, u, tau, out):
    """Writes accelerations, or returns 1."""
    m, b, w, s, free = tables_at(memory, recursion.ARTICULATED)
    nq, nu = int(m[NQ]), int(m[NU])
    if not (are_rows(memory, nq, nu, q, u, tau) and is_row(memory, out, nu, True)):
        return 1
    if not has_attitudes(m, b, given(q, nq)):
        return 1
    rows = given(q, nq), given(u, nu), given(tau, nu)
    recursion.accelerations_of(m, b, w, s, free, rows[0], rows[1], rows[2], NO_WRENCHES, given(out, nu))
    return 0


def call_inverse(memory, q, u, u_dot, out):
    """Writes efforts, or returns 1."""
    m, b, w, s, _ = tables_at(memory, kinematics.WIDTH)
    nq, nu = int(m[NQ]), int(m[NU])
    if not (are_rows(memory, nq, nu, q, u, u_dot) and is_row(memory, out, nu, True)):
        return 1
    if not has_attitudes(m, b, given(q, nq)):
        return 1
    rows = given(q, nq), given(u, nu), given(u_dot, nu)
    recursion.efforts_of(m, b, w, s, rows[0], rows[1], rows[2], NO_WRENCHES, given(out, nu))
    return 0


def are_rows(memory, nq, nu, q, u, other):
    return is_row(memory, q, nq, False) and is_row(memory, u, nu, False) and is_row(memory, other, nu, False)


def all_places(m, q, w, s):
    kinematics.place(m, records_of(m), q, w, s)


SIGNATURES: dict[Callable[..., Any], tuple[str, ...]] = {
    all_places: (ROW, ROW, TABLE, TABLE),
    kinematics.frame_pose: (ROW, ROW, ROW, ROW, TABLE),
    kinematics.jacobian: (ROW, ROW, ROW, TABLE),
    kinematics.jacobian_rate: (ROW, ROW, ROW, ROW, TABLE),
    kinematics.centres_of_mass: (ROW, ROW, TABLE, ROW),
    inertia.convective_matrix: (ROW, ROW, ROW, "float64", TABLE),
    recursion.forward_dynamics: (ROW, ROW, ROW, ROW, TABLE, ROW),
    recursion.inverse_dynamics: (ROW, ROW, ROW, ROW, TABLE, ROW),
    recursion.floating_dynamics: (ROW, ROW, ROW, ROW, TABLE, ROW),
    derivatives.inverse_derivatives: (ROW, ROW, ROW, ROW, TABLE, TABLE),
    derivatives.forward_derivatives: (ROW, ROW, ROW, ROW, ROW, TABLE, TABLE, TABLE),
}


@cache
def native(function: Callable[..., Any]) -> Any:
    """A kernel of `SIGNATURES` as native code."""
    return cached_function(function, f"none({', '.join(SIGNATURES[function])})")


@cache
def short(function: Callable[..., Any]) -> Any:
    """One of the short functions as native code: `f(address, arrays...) -> 0`, or 1 if the arrays do not fit."""
    arrays = function.__code__.co_argcount - 1
    return short_function(function, types.int64(types.int64, *[ARRAY_OBJECT] * arrays))
