"""What drives a free flyer in its prediction, with what was learnt of its thrusters (docs/theory/gp_residual.md).

Without anything learnt it is the mixer times the thrusts.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from cardan.mpc.dense import add_scaled, dot, multiply, product
from cardan.mpc.flyer_prediction import DR, DTHETA, DV, DW, NEAR, WRENCH, Q
from cardan.mpc.gaussian_process import (
    OUTSIDE,
    Posterior,
    axes,
    outside,
    piece,
    solve_upper_back,
    weights_of,
    wrench_rows,
)
from cardan.mpc.problem import mixer_at
from cardan.native.pointers import load_int
from cardan.native.storage import float_matrix, float_vector


class Learnt(NamedTuple):
    """What was learnt, and how it is used. Without nodes nothing was.

    Attributes:
        nodes: Of each thruster's curve.
        max_thrust: (nu,) [N] Over which the nodes lie.
        posterior: Mean and precision of the weights.
        tightening: [-] Standard deviations by which soft limits are tightened.
        feedback: [rad/s] With which later thrusts are taken to hold the flyer on its plan.
    """

    nodes: int
    max_thrust: Any
    posterior: Posterior
    tightening: float
    feedback: float


def learnt_at(thrusters, context):
    """What was learnt: nodes; addresses of largest thrusts, mean, factor, and of tightening and feedback."""
    nodes = load_int(context)
    size, s = weights_of(thrusters, nodes), float_vector(load_int(context + 32), 2)
    mean, factor = float_vector(load_int(context + 16), size), float_matrix(load_int(context + 24), size, size)
    return Learnt(nodes, float_vector(load_int(context + 8), thrusters), Posterior(mean, factor), s[0], s[1])


def drive(case, node, thrust, wrench):
    """The wrench of demanded thrusts, with the mean of what is known of them: Eq. (6)."""
    multiply(case.mixer, thrust, wrench)
    learnt = case.learnt
    if learnt.nodes == 0:
        return
    mean, thrusters = learnt.posterior.mean, len(thrust)
    for i in range(thrusters):
        below, share = piece(thrust[i], learnt.max_thrust[i], learnt.nodes)
        at = i * learnt.nodes + below
        error = (1.0 - share) * mean[at] + share * mean[at + 1]
        for c in range(WRENCH):
            wrench[c] += case.mixer[c, i] * error
    along = np.zeros((OUTSIDE, WRENCH))
    outside(node[Q : Q + 4], along)
    for k in range(OUTSIDE):
        add_scaled(along[k], mean[thrusters * learnt.nodes + k], wrench)


def drive_near(case, problem, k, thrust, wrench):
    """The mixer of stage k about demanded thrusts, Eq. (7), into the problem; its own wrench of them, into `wrench`."""
    learnt, mixer = case.learnt, mixer_at(problem, k)
    if learnt.nodes > 0:
        mean = learnt.posterior.mean
        for i in range(len(thrust)):
            below, _ = piece(thrust[i], learnt.max_thrust[i], learnt.nodes)
            at = i * learnt.nodes + below
            slope = (mean[at + 1] - mean[at]) * (learnt.nodes - 1) / learnt.max_thrust[i]
            for c in range(WRENCH):
                mixer[c, i] = case.mixer[c, i] * (1.0 + slope)
    multiply(mixer, thrust, wrench)


def tighten(case, problem, plan, nodes, margins):
    """By how much each soft limit is tightened at each stage: Eqs. (8) and (9)."""
    learnt, size = case.learnt, len(case.learnt.posterior.mean)
    held, here, there = np.zeros((NEAR, NEAR)), np.zeros((NEAR, size)), np.zeros((NEAR, size))
    rows, row = np.zeros((WRENCH, size)), np.zeros(size)
    for k in range(plan.shape[0]):
        hold_on_plan(case, problem.A[k], problem.B[k], nodes[k], held)
        wrench_rows(case.mixer, learnt.max_thrust, plan[k], nodes[k, Q : Q + 4], rows)
        product(held, here, there)
        for i in range(NEAR):
            for c in range(WRENCH):
                add_scaled(rows[c], problem.B[k, i, c], there[i])
            here[i, :] = there[i]
        for r in range(margins.shape[1]):
            row[:] = 0.0
            for i in range(NEAR):
                if problem.G[k + 1, r, i] != 0.0:
                    add_scaled(here[i], problem.G[k + 1, r, i], row)
            solve_upper_back(learnt.posterior.factor, row)
            margins[k + 1, r] = learnt.tightening * math.sqrt(dot(row, row))


def hold_on_plan(case, A, B, node, out):
    """The next neighbourhood if thrusts hold the flyer on its plan, critically damped: A + B K, Eq. (8)."""
    w = case.learnt.feedback
    mass, J, along = case.body.mass, case.body.inertia, np.zeros((3, 3))
    axes(node[Q : Q + 4], along)
    for i in range(NEAR):
        for j in range(3):
            force = torque = 0.0
            for c in range(3):
                force += B[i, c] * along[j, c] * mass
                torque += B[i, 3 + c] * J[c, j]
            out[i, DR + j] = A[i, DR + j] - w * w * force
            out[i, DV + j] = A[i, DV + j] - 2.0 * w * force
            out[i, DTHETA + j] = A[i, DTHETA + j] - w * w * torque
            out[i, DW + j] = A[i, DW + j] - 2.0 * w * torque
