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
    mean, thrusters = learnt.posterior.mean, len(learnt.max_thrust)
    for i in range(thrusters):
        error = error_at(mean, learnt, i, thrust[i])
        for c in range(WRENCH):
            wrench[c] += case.mixer[c, i] * error
    along = np.zeros((OUTSIDE, WRENCH))
    outside(node[Q : Q + 4], along)
    for k in range(OUTSIDE):
        add_scaled(along[k], mean[thrusters * learnt.nodes + k], wrench[:WRENCH])


def drive_near(case, problem, k, thrust, wrench):
    """The mixer of stage k about demanded thrusts, Eq. (7), into the problem; its own wrench of them, into `wrench`."""
    learnt, mixer = case.learnt, mixer_at(problem, k)
    if learnt.nodes > 0:
        mixer[:, :] = case.mixer
        mean = learnt.posterior.mean
        for i in range(len(learnt.max_thrust)):
            below, _ = piece(thrust[i], learnt.max_thrust[i], learnt.nodes)
            at = i * learnt.nodes + below
            slope = (mean[at + 1] - mean[at]) * (learnt.nodes - 1) / learnt.max_thrust[i]
            for c in range(WRENCH):
                mixer[c, i] = case.mixer[c, i] * (1.0 + slope)
    multiply(mixer, thrust, wrench)


def reallocate(case, plan, out):
    """The plan whose thrusters, as they are now known, give the wrenches that the mixer alone makes of a plan.

    Each is found by going through the thrusters several times, from what was planned: a guess, no more.
    """
    learnt, thrusters = case.learnt, len(case.learnt.max_thrust)
    mean, left = learnt.posterior.mean, np.zeros(WRENCH)
    scale = np.zeros(WRENCH)  # force and torque count by what a thruster can give of each
    for c in range(WRENCH):
        for i in range(thrusters):
            scale[c] = max(scale[c], abs(case.mixer[c, i]) * learnt.max_thrust[i])
        scale[c] = 1.0 / max(scale[c], TINY) ** 2
    for k in range(plan.shape[0]):
        out[k, :] = plan[k]
        left[:] = 0.0
        for i in range(thrusters):
            error = error_at(mean, learnt, i, out[k, i])
            for c in range(WRENCH):
                left[c] -= case.mixer[c, i] * error
        for _ in range(SWEEPS):
            for i in range(thrusters):
                size = along = 0.0
                for c in range(WRENCH):
                    size += scale[c] * case.mixer[c, i] * case.mixer[c, i]
                    along += scale[c] * case.mixer[c, i] * left[c]
                before = out[k, i] + error_at(mean, learnt, i, out[k, i])
                out[k, i] = min(max(out[k, i] + along / max(size, TINY), case.lower[i]), case.upper[i])
                given = out[k, i] + error_at(mean, learnt, i, out[k, i]) - before
                for c in range(WRENCH):
                    left[c] -= case.mixer[c, i] * given


SWEEPS, TINY = 30, 1.0e-12


def error_at(mean, learnt, i, thrust):
    """[N] What thruster i gives more than is demanded."""
    below, share = piece(thrust, learnt.max_thrust[i], learnt.nodes)
    at = i * learnt.nodes + below
    return (1.0 - share) * mean[at] + share * mean[at + 1]


def tighten(case, problem, plan, nodes, margins):
    """By how much each soft limit is tightened at each stage: Eqs. (8) and (9)."""
    learnt, size = case.learnt, len(case.learnt.posterior.mean)
    held, here, there = np.zeros((NEAR, NEAR)), np.zeros((NEAR, size)), np.zeros((NEAR, size))
    rows, row = np.zeros((WRENCH, size)), np.zeros(size)
    for k in range(plan.shape[0]):
        hold_on_plan(case, problem.A[k], problem.B[k], nodes[k], held)
        wrench_rows(case.mixer, learnt.max_thrust, plan[k, : len(learnt.max_thrust)], nodes[k, Q : Q + 4], rows)
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


def tightened(case, problem, plan, nodes, most):
    """Tighten the soft limits of a program, if that is asked for, each by its `most` at most; whether it is."""
    if case.learnt.nodes == 0 or case.learnt.tightening == 0.0:
        return False
    # margins follow the plan, program by program: at rest, the speed of a first plan has no direction
    tighten(case, problem, plan, nodes, case.margins)
    for k in range(case.margins.shape[0]):
        for r in range(case.margins.shape[1]):
            case.margins[k, r] = min(case.margins[k, r], most[r])
    problem.h[:, :] -= case.margins
    return True


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
