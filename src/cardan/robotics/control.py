"""Control primitives as functions of matrices: rates and torques of joints from what tip and base shall do.

Plain functions on arrays, which tasks compile (docs/theory/robotics.md, "Control"). Vectors of rates at a tip are
(angular, linear).
"""

import numpy as np

from cardan.maths import Mat, Vec
from cardan.maths.matrices import (
    adjugate,
    null_space,
    product,
    pseudo_inverse,
    solve_positive,
    times,
    times_transposed,
)


def resolved_rates(J: Mat, x_dot: Vec, damping: float = 0.0) -> Vec:
    """Resolved motion-rate control: the smallest joint rates for which J u_m is nearest to `x_dot`. Eq. (27).

    Args:
        J: (k, n) J_m where the base is held, J* where it floats; or some of their rows.
        x_dot: (k,) What the tip shall do.
        damping: Of the inverse; 0 for the pseudo-inverse. Damped least squares bound the rates near singularities.
    """
    return times(pseudo_inverse(J, damping), x_dot)


def transposed_jacobian(J: Mat, wrench: Vec) -> Vec:
    """Transposed Jacobian control: joint efforts JT w that act at the tip like the wrench `w`. Eq. (28)."""
    return times_transposed(J, wrench)


def reaction_equations(H_0: Mat, H_0m: Mat, J_0: Mat, J_m: Mat, momentum: Vec) -> tuple[Mat, Vec]:
    """G and drift of base and tip of a floating base: [u_0; t] = G u_m + drift. Eqs. (29) and (30).

        G = [ -H_0^-1 H_0m ; J* ],    drift = [ H_0^-1 ; J_0 H_0^-1 ] momentum

    Args:
        H_0: (6, 6)
        H_0m: (6, n)
        J_0: (6, 6) Of the tip.
        J_m: (6, n) Of the tip.
        momentum: (6,) H_0 u_0 + H_0m u_m, which nothing changes.

    Returns:
        G (12, n): six rows for the base, six for the tip; and drift (12,).
    """
    n = H_0m.shape[1]
    right = np.zeros((6, n + 1))
    right[:, :n] = -H_0m
    right[:, n] = momentum
    base = solve_positive(H_0, right)
    tip = product(J_0, base)
    G = np.zeros((12, n))
    drift = np.zeros(12)
    for i in range(6):
        for j in range(n):
            G[i, j] = base[i, j]
            G[6 + i, j] = J_m[i, j] + tip[i, j]
        drift[i], drift[6 + i] = base[i, n], tip[i, n]
    return G, drift


def chosen(matrix: Mat, vector: Vec, rows: Vec) -> tuple[Mat, Vec]:
    """The rows of a matrix and of a vector that are marked by a number above 0 in `rows`."""
    count = 0
    for mark in rows:
        if mark > 0.0:
            count += 1
    left, right = np.zeros((count, matrix.shape[1])), np.zeros(count)
    at = 0
    for i in range(len(rows)):
        if rows[i] > 0.0:
            for j in range(matrix.shape[1]):
                left[at, j] = matrix[i, j]
            right[at] = vector[i]
            at += 1
    return left, right


def desired_reaction(G: Mat, drift: Vec, wanted: Vec, rows: Vec, damping: float = 0.0) -> Vec:
    """Joint rates that give base and tip of a floating base the rates `wanted`, as far as `rows` asks. Eq. (31).

    The desired-reaction manoeuvre; with base rates of zero wanted, the zero-reaction manoeuvre; with nothing asked of
    the tip and momentum in `drift`, momentum dumping.

    Args:
        G: (12, n) Of `reaction_equations`.
        drift: (12,) Of `reaction_equations`.
        wanted: (12,) [u_0; t].
        rows: (12,) Above 0 where a rate is asked for.
        damping: Of the inverse.
    """
    left, right = chosen(G, wanted - drift, rows)
    return times(pseudo_inverse(left, damping), right)


def capped_inverse(G: Mat, largest_gain: float) -> Mat:
    """An inverse that stays bounded where G is singular: k adj(G), k = 1/det(G) as far as `largest_gain`. Eq. (32).

    Where G has more columns than rows, GT k adj(G GT). With k = 1/det it is the inverse itself, or the pseudo-inverse.
    With a smaller k all rates shrink alike, and their directions stay.

    Args:
        G: (k, n)
        largest_gain: Largest |k|, in the unit of 1/det(G), or of 1/det(G GT).
    """
    is_square = G.shape[0] == G.shape[1]
    square = G if is_square else product(G, G.T)
    adj, det = adjugate(square)
    gain = largest_gain
    if abs(det) * largest_gain > 1.0:
        gain = 1.0 / abs(det)
    if det < 0.0:
        gain = -gain
    inverse = gain * adj
    if is_square:
        return inverse
    return product(np.ascontiguousarray(G.T), inverse)


def reaction_null_space(A: Mat) -> Mat:
    """(n, n) Projector onto joint rates that leave the base alone: 1 - A+ A. Eq. (33).

    Args:
        A: (k, n) Rows of H_0m, or of -H_0^-1 H_0m for single components of the base's rate.
    """
    return null_space(A)


def momentum_dumping(H_0m: Mat, momentum: Vec, damping: float = 0.0) -> Vec:
    """Joint rates that carry the momentum, so that the base stops: H_0m u_m = momentum. Eq. (34).

    Args:
        H_0m: (k, n) Rows of the coupling inertia.
        momentum: (k,) The same rows of H_0 u_0 + H_0m u_m.
        damping: Of the inverse.
    """
    return times(pseudo_inverse(H_0m, damping), momentum)
