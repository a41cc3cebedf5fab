"""A reference at rest that the plan chooses and reaches: Eqs. (15) and (16) of docs/theory/tracking_mpc.md.

Its position and a rotation about its axes are six more states, constant and free initially.
"""

from typing import Any, NamedTuple

from cardan.mpc.flyer_algebra import (
    quaternion_product,
    rotation_vector,
    row_times,
    turn_by,
    turn_derivative,
    turn_of,
)
from cardan.mpc.flyer_prediction import DR, DTHETA, NEAR, Q, R, V, W

STATES = 6


def free_of(case):
    return STATES if case.settings.offset_r + case.settings.offset_theta > 0.0 else 0


class Errors(NamedTuple):
    """How far a node is from its reference.

    Attributes:
        r: [m] Inertial.
        theta: [rad] Rotation vector, the short one.
        v: [m/s] Inertial.
        omega: [rad/s] Body.
        spin: [rad/s] Angular velocity of the reference, in body components.
    """

    r: Any
    theta: Any
    v: Any
    omega: Any
    spin: Any


def error_at_rest(ref, node):
    """Errors from a pose at rest."""
    q = (node[Q], node[Q + 1], node[Q + 2], node[Q + 3])
    return Errors(
        (node[R] - ref[R], node[R + 1] - ref[R + 1], node[R + 2] - ref[R + 2]),
        rotation_vector(quaternion_product((ref[Q], -ref[Q + 1], -ref[Q + 2], -ref[Q + 3]), q)),
        (node[V] - 0.0, node[V + 1] - 0.0, node[V + 2] - 0.0),
        (node[W] - 0.0, node[W + 1] - 0.0, node[W + 2] - 0.0),
        (0.0, 0.0, 0.0),
    )


def weigh_target(case, node, r, theta, error, turn, H, g):
    """What a move of the artificial reference does to errors: d e_r = - dr_a, d e_theta = - D dtheta_a, Eq. (16)."""
    back = turn_of(case.target, node)
    for i in range(3):
        H[NEAR + DR + i, NEAR + DR + i] = r
        H[NEAR + DR + i, DR + i] = H[DR + i, NEAR + DR + i] = -r
        g[NEAR + DR + i] = -r * error.r[i]
    # D = turn C, with C from the axes of the artificial reference to those of the body
    along = row_times(turn[0], back), row_times(turn[1], back), row_times(turn[2], back)
    for i in range(3):
        slope = 0.0
        for m in range(3):
            slope -= theta * along[m][i] * error.theta[m]
        g[NEAR + DTHETA + i] = slope
        for j in range(3):
            own, shared = 0.0, 0.0
            for m in range(3):
                own += theta * along[m][i] * along[m][j]
                shared -= theta * along[m][i] * turn[m][j]
            H[NEAR + DTHETA + i, NEAR + DTHETA + j] = own
            H[NEAR + DTHETA + i, DTHETA + j] = H[DTHETA + j, NEAR + DTHETA + i] = shared


def weigh_offset(case, stages, H, g):
    """Add what the artificial reference's distance from the reference costs, over all stages: Eq. (15)."""
    r, theta = stages * case.settings.offset_r, stages * case.settings.offset_theta
    moved, turned = offset_of(case)
    turn = turn_derivative(turned)
    for i in range(3):
        H[NEAR + DR + i, NEAR + DR + i] += r
        g[NEAR + DR + i] += r * moved[i]
        for m in range(3):
            g[NEAR + DTHETA + i] += theta * turn[m][i] * turned[m]
            for j in range(3):
                H[NEAR + DTHETA + i, NEAR + DTHETA + j] += theta * turn[m][i] * turn[m][j]


def offset_of(case):
    """From the reference to the artificial one: [m], and the short rotation vector [rad]."""
    ref, to = case.reference, case.target
    turned = quaternion_product(
        (ref[Q], -ref[Q + 1], -ref[Q + 2], -ref[Q + 3]), (to[Q], to[Q + 1], to[Q + 2], to[Q + 3])
    )
    return (to[R] - ref[R], to[R + 1] - ref[R + 1], to[R + 2] - ref[R + 2]), rotation_vector(turned)


def move_target(case, iterate, share):
    """Move the artificial reference from where it was by a share of its step."""
    if free_of(case) > 0:
        was, to, step = case.before, case.target, iterate.x[0]
        for i in range(3):
            to[R + i] = was[R + i] + share * step[NEAR + DR + i]
        at = NEAR + DTHETA
        q = quaternion_product(
            (was[Q], was[Q + 1], was[Q + 2], was[Q + 3]),
            turn_by(share * step[at], share * step[at + 1], share * step[at + 2]),
        )
        for i in range(4):
            to[Q + i] = q[i]
