"""The kernels as Python calls them: sizes checked, compiled for known types, kept on disk."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import carray

from cardan.native.cached_function import cached_function
from cardan.native.pointers import as_voidptr
from cardan.robotics import inertia, kinematics, recursion
from cardan.robotics.packing import HEADER, LINKS, NQ, NU, RECORD, records_of

NO_WRENCHES = np.zeros((0, 6))
ROW, TABLE = "float64[::1]", "float64[:, ::1]"


def tables_at(address):
    """The row of numbers that lies at an address, and the table of records in it, without counting references."""
    head = carray(as_voidptr(address), HEADER, dtype=np.float64)
    links, nu = int(head[LINKS]), int(head[NU])
    m = carray(as_voidptr(address), HEADER + RECORD * links + 2 * nu, dtype=np.float64)
    return m, carray(as_voidptr(address + 8 * HEADER), (links, RECORD), dtype=np.float64)


def call_inertia(address, q, H):
    m, b = tables_at(address)
    if len(q) != int(m[NQ]) or H.shape[0] != int(m[NU]) or H.shape[1] != int(m[NU]):
        return 1
    inertia.inertia_of(m, b, q, H)
    return 0


def call_forward(address, q, u, tau, out):
    m, b = tables_at(address)
    if len(q) != int(m[NQ]) or len(u) != int(m[NU]) or len(tau) != len(u) or len(out) != len(u):
        return 1
    recursion.accelerations_of(m, b, q, u, tau, NO_WRENCHES, out)
    return 0


def call_inverse(address, q, u, u_dot, out):
    m, b = tables_at(address)
    if len(q) != int(m[NQ]) or len(u) != int(m[NU]) or len(u_dot) != len(u) or len(out) != len(u):
        return 1
    recursion.efforts_of(m, b, q, u, u_dot, NO_WRENCHES, out)
    return 0


def all_places(m, q, w, s):
    kinematics.place(m, records_of(m), q, w, s)


SIGNATURES: dict[Callable[..., Any], tuple[str, ...]] = {
    call_inertia: ("int64", ROW, TABLE),
    call_forward: ("int64", *(ROW,) * 4),
    call_inverse: ("int64", *(ROW,) * 4),
    all_places: (ROW, ROW, TABLE, TABLE),
    kinematics.frame_pose: (ROW, ROW, ROW, ROW, TABLE),
    kinematics.jacobian: (ROW, ROW, ROW, TABLE),
    kinematics.jacobian_rate: (ROW, ROW, ROW, ROW, TABLE),
    kinematics.centres_of_mass: (ROW, ROW, TABLE, ROW),
    inertia.convective_matrix: (ROW, ROW, ROW, "float64", TABLE),
    recursion.forward_dynamics: (ROW, ROW, ROW, ROW, TABLE, ROW),
    recursion.inverse_dynamics: (ROW, ROW, ROW, ROW, TABLE, ROW),
    recursion.floating_dynamics: (ROW, ROW, ROW, ROW, TABLE, ROW),
}


@cache
def native(function: Callable[..., Any]) -> Any:
    """A kernel of `SIGNATURES` as native code."""
    is_short = function in (call_inertia, call_forward, call_inverse)
    result = "int64" if is_short else "none"
    return cached_function(function, f"{result}({', '.join(SIGNATURES[function])})", nogil=not is_short)
