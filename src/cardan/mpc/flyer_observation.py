"""The wrench that a prediction lacked, from where the flyer is after it (docs/theory/gp_residual.md)."""

from typing import Any

import numpy as np

from cardan.mpc.flyer_prediction import DV, NEAR, NODE, WRENCH, Body, V, inverse_of, new_step_room, predict_near
from cardan.mpc.gaussian_process import factorise_upper, solve_upper, solve_upper_back
from cardan.native.linking import address, hold, linked
from cardan.native.pointers import load_int
from cardan.native.storage import float_matrix, float_vector


def observe(body, before, after, wrench, h, out):
    """The constant wrench, in body components, that explains velocity and rate after a step: Eq. (10)."""
    predicted, A, B = np.zeros(NODE), np.zeros((NEAR, NEAR)), np.zeros((NEAR, WRENCH))
    predict_near(body, before, wrench, h, new_step_room(), predicted, A, B)
    U = np.zeros((WRENCH, WRENCH))
    for i in range(WRENCH):
        out[i] = 0.0
        for c in range(WRENCH):
            # velocity and rate are next to each other, in a node and in its neighbourhood
            out[i] += B[DV + c, i] * (after[V + c] - predicted[V + c])
            for j in range(WRENCH):
                U[i, j] += B[DV + c, i] * B[DV + c, j]
    factorise_upper(U)
    solve_upper_back(U, out)
    solve_upper(U, out)


def observe_at(t, context):
    """Native code: `observe`. Context: mass and step, inertia, gradient, before, after, wrench, what it writes to."""
    s, inertia = float_vector(load_int(context), 2), float_matrix(load_int(context + 8), 3, 3)
    body = Body(s[0], inertia, inverse_of(inertia), float_matrix(load_int(context + 16), 3, 3))
    before, after = float_vector(load_int(context + 24), NODE), float_vector(load_int(context + 32), NODE)
    wrench, out = float_vector(load_int(context + 40), WRENCH), float_vector(load_int(context + 48), WRENCH)
    observe(body, before, after, wrench, s[1], out)
    return 0


run_observe = linked("mpc.observe", observe_at)


def lacking_wrench(mass: float, inertia: Any, gradient: Any, before: Any, after: Any, wrench: Any, h: float) -> Any:
    """(6,) What a prediction over `h` [s] from a node under a wrench lacked, by the node where it ended."""
    out, settings = np.zeros(WRENCH), np.array([mass, h])
    context = np.array(
        [
            address(settings), address(inertia), address(gradient),
            address(before), address(after), address(wrench), address(out),
        ]
    )  # fmt: skip
    run_observe(address(context))
    hold((context, settings, inertia, gradient, before, after, wrench))
    return out
