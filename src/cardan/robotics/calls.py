"""The kernels as Python calls them: sizes checked, compiled for known types, kept on disk."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cardan.native.cached_function import cached_function
from cardan.robotics import inertia, kinematics, recursion
from cardan.robotics.packing import NQ, NU, records_of

ROW, TABLE = "float64[::1]", "float64[:, ::1]"


def does_not_fit(m, q, u):
    return len(q) != int(m[NQ]) or len(u) != int(m[NU])


def call_inertia(m, q, H):
    if len(q) != int(m[NQ]) or H.shape[0] != int(m[NU]) or H.shape[1] != int(m[NU]):
        return 1
    inertia.inertia_matrix(m, q, H)
    return 0


def call_forward(m, q, u, tau, out):
    if does_not_fit(m, q, u) or len(tau) != len(u) or len(out) != len(u):
        return 1
    recursion.forward_dynamics(m, q, u, tau, np.empty((0, 6)), out)
    return 0


def call_inverse(m, q, u, u_dot, out):
    if does_not_fit(m, q, u) or len(u_dot) != len(u) or len(out) != len(u):
        return 1
    recursion.inverse_dynamics(m, q, u, u_dot, np.empty((0, 6)), out)
    return 0


def all_places(m, q, w, s):
    kinematics.place(m, records_of(m), q, w, s)


SIGNATURES: dict[Callable[..., Any], tuple[str, ...]] = {
    call_inertia: (ROW, ROW, TABLE),
    call_forward: (ROW,) * 5,
    call_inverse: (ROW,) * 5,
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
    result = "int64" if function in (call_inertia, call_forward, call_inverse) else "none"
    return cached_function(function, f"{result}({', '.join(SIGNATURES[function])})")
