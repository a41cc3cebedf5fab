"""What thrusters really give, learnt from flight by Gaussian processes (docs/theory/gp_residual.md).

The wrench that a prediction lacks comes from the errors d_i of the thrusters' curves and from outside disturbances:

    w = sum_i m_i d_i(u_i) + (C_BN f_N, torque_B) + noise                                                          (1)

The d_i are independent Gaussian processes of the demanded thrusts u_i; force and torque from outside are Gaussian. A
process is linear between `nodes` evenly spaced points from zero to the largest thrust, so its values there, the
*weights*, determine it. The mean and the precision of the weights sum up any number of points, Eq. (3). Coincident
points need no special case: each adds to the precision.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from cardan.maths import exp
from cardan.mpc.dense import add_scaled, dot
from cardan.mpc.flyer_prediction import WRENCH
from cardan.native.linking import address, hold, linked
from cardan.native.pointers import load_int
from cardan.native.storage import float_matrix, float_vector

OUTSIDE = 6  # weights after those of the curves: force (inertial) and torque (body) from outside


class Prior(NamedTuple):
    """What is believed before the first point.

    Attributes:
        mixer: (6, nu) Thrusts to force and torque in body components.
        max_thrust: (nu,) [N]
        spread: [-] Standard deviation of a thruster's error, relative to its largest thrust.
        length: [-] Length scale of the curves, relative to the largest thrust.
        force: [N] Standard deviation of each component of the force from outside.
        torque: [N m] And of the torque.
        force_noise: [N] Standard deviation of what no weight explains, in each component of a point.
        torque_noise: [N m] See above.
    """

    mixer: Any
    max_thrust: Any
    spread: float
    length: float
    force: float
    torque: float
    force_noise: float
    torque_noise: float


class Posterior(NamedTuple):
    """What is believed after some points.

    Attributes:
        mean: (n,) Of the weights: `nodes` for each thruster [N], then force [N] and torque [N m] from outside.
        factor: (n, n) Upper triangular U: U' U is the precision of the weights.
    """

    mean: Any
    factor: Any


def weights_of(thrusters, nodes):
    """How many weights there are."""
    return thrusters * nodes + OUTSIDE


def nodes_of(posterior, thrusters):
    """How many nodes each curve has."""
    return (len(posterior.mean) - OUTSIDE) // thrusters


# ---- learning --------------------------------------------------------------------------------------------------------


def learn(prior, thrust, q_BN, wrench, out):
    """The posterior after points: demanded thrusts (n, nu), attitudes (n, 4) and wrenches that were lacking (n, 6).

    The precision is that of the prior and a square for each point, so it has a factor whatever the points are.
    """
    U, mean, thrusters = out.factor, out.mean, len(prior.max_thrust)
    nodes = nodes_of(out, thrusters)
    U[:, :] = 0.0
    mean[:] = 0.0
    # Eq. (2)
    own = inverse_covariance(nodes, prior.length)
    for i in range(thrusters):
        part = 1.0 / (prior.spread * prior.max_thrust[i]) ** 2
        for a in range(nodes):
            for b in range(a, nodes):
                U[i * nodes + a, i * nodes + b] = part * own[a, b]
    for c in range(OUTSIDE):
        U[thrusters * nodes + c, thrusters * nodes + c] = 1.0 / (prior.force if c < 3 else prior.torque) ** 2
    # Eq. (3)
    precision = precisions(prior)
    gram, weighted = np.zeros((thrusters, thrusters)), np.zeros((thrusters, WRENCH))
    for i in range(thrusters):
        for c in range(WRENCH):
            weighted[i, c] = prior.mixer[c, i] * precision[c]
        for j in range(thrusters):
            for c in range(WRENCH):
                gram[i, j] += weighted[i, c] * prior.mixer[c, j]
    at, share, along = np.zeros(thrusters, np.int64), np.zeros(thrusters), np.zeros((OUTSIDE, WRENCH))
    for p in range(thrust.shape[0]):
        for i in range(thrusters):
            below, share[i] = piece(thrust[p, i], prior.max_thrust[i], nodes)
            at[i] = i * nodes + below
        outside(q_BN[p], along)
        add_point(gram, weighted, precision, at, share, along, wrench[p], U, mean)
    factorise_upper(U)
    solve_upper_back(U, mean)
    solve_upper(U, mean)


def add_point(gram, weighted, precision, at, share, along, wrench, U, right):
    """Add a point to the upper half of the precision, and to its right-hand side."""
    last = len(right) - OUTSIDE
    for i in range(len(at)):
        a, upper, lower = at[i], share[i], 1.0 - share[i]
        for j in range(i):
            first, second = gram[i, j] * (1.0 - share[j]), gram[i, j] * share[j]
            U[at[j], a] += first * lower
            U[at[j], a + 1] += first * upper
            U[at[j] + 1, a] += second * lower
            U[at[j] + 1, a + 1] += second * upper
        U[a, a] += gram[i, i] * lower * lower
        U[a, a + 1] += gram[i, i] * lower * upper
        U[a + 1, a + 1] += gram[i, i] * upper * upper
        value = dot(weighted[i], wrench)
        right[a] += lower * value
        right[a + 1] += upper * value
        for k in range(OUTSIDE):
            value = dot(weighted[i], along[k])
            U[a, last + k] += lower * value
            U[a + 1, last + k] += upper * value
    for k in range(OUTSIDE):
        for c in range(WRENCH):
            right[last + k] += along[k, c] * precision[c] * wrench[c]
            for m in range(k, OUTSIDE):
                U[last + k, last + m] += along[k, c] * precision[c] * along[m, c]


def inverse_covariance(nodes, length):
    """Of the weights of a curve: Matern's kernel of order 3/2 at even places from 0 to 1, inverted."""
    U, out = np.zeros((nodes, nodes)), np.zeros((nodes, nodes))
    for a in range(nodes):
        for b in range(nodes):
            r = math.sqrt(3.0) * abs(a - b) / (length * (nodes - 1))
            U[a, b] = (1.0 + r) * exp(-r)
    factorise_upper(U)
    for a in range(nodes):
        out[a, a] = 1.0
        solve_upper_back(U, out[a])
        solve_upper(U, out[a])
    return out


def precisions(prior):
    """One over the variance of the noise, for each component of a wrench."""
    out = np.zeros(WRENCH)
    for c in range(3):
        out[c], out[3 + c] = 1.0 / prior.force_noise**2, 1.0 / prior.torque_noise**2
    return out


def piece(thrust, largest, nodes):
    """The node below a thrust, and which part of the way to the next it is; curves end at 0 and at the largest."""
    along = min(max(thrust / largest, 0.0), 1.0) * (nodes - 1)
    node = min(int(along), nodes - 2)
    return node, along - node


def outside(q, along):
    """(6, 6) The wrench in body components of each weight from outside, by rows."""
    along[:, :] = 0.0
    axes(q, along)
    along[3, 3] = along[4, 4] = along[5, 5] = 1.0


def axes(q, out):
    """Inertial axes in body components, by rows: C_NB, into the first three of three rows."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0], out[0, 1], out[0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)


# ---- what follows from it --------------------------------------------------------------------------------------------


def wrench_rows(mixer, max_thrust, thrust, q, rows):
    """(6, n) How the wrench at demanded thrusts follows from the weights: H of Eq. (3)."""
    thrusters = len(thrust)
    nodes = (rows.shape[1] - OUTSIDE) // thrusters
    rows[:, :] = 0.0
    for i in range(thrusters):
        below, share = piece(thrust[i], max_thrust[i], nodes)
        at = i * nodes + below
        for c in range(WRENCH):
            rows[c, at] = mixer[c, i] * (1.0 - share)
            rows[c, at + 1] = mixer[c, i] * share
    along = np.zeros((OUTSIDE, WRENCH))
    outside(q, along)
    for k in range(OUTSIDE):
        for c in range(WRENCH):
            rows[c, thrusters * nodes + k] = along[k, c]


def expect(prior, posterior, thrust, q, mean, covariance):
    """What demanded thrusts lack: mean (6,) and covariance (6, 6), without noise, Eq. (4)."""
    rows = np.zeros((WRENCH, len(posterior.mean)))
    wrench_rows(prior.mixer, prior.max_thrust, thrust, q, rows)
    for a in range(WRENCH):
        mean[a] = dot(rows[a], posterior.mean)
        solve_upper_back(posterior.factor, rows[a])
    for a in range(WRENCH):
        for b in range(WRENCH):
            covariance[a, b] = dot(rows[a], rows[b])


def expect_errors(prior, posterior, thrust, mean, deviation):
    """[N] What each thruster gives more than is demanded: mean (nu,) and standard deviation (nu,)."""
    thrusters, row = len(thrust), np.zeros(len(posterior.mean))
    nodes = nodes_of(posterior, thrusters)
    for i in range(thrusters):
        row[:] = 0.0
        below, share = piece(thrust[i], prior.max_thrust[i], nodes)
        row[i * nodes + below], row[i * nodes + below + 1] = 1.0 - share, share
        mean[i] = dot(row, posterior.mean)
        solve_upper_back(posterior.factor, row)
        deviation[i] = math.sqrt(dot(row, row))


def surprise(prior, posterior, thrust, q, wrench):
    """How far a point of the posterior is from what all others say, in standard deviations squared: Eq. (5)."""
    mean, U, gap = np.zeros(WRENCH), np.zeros((WRENCH, WRENCH)), np.zeros(WRENCH)
    expect(prior, posterior, thrust, q, mean, U)
    precision = precisions(prior)
    for i in range(WRENCH):
        gap[i] = wrench[i] - mean[i]
        for j in range(WRENCH):
            U[i, j] = -U[i, j]
        U[i, i] += 1.0 / precision[i]
    factorise_upper(U)
    solve_upper_back(U, gap)
    return dot(gap, gap)


# ---- triangular algebra along rows -----------------------------------------------------------------------------------


def factorise_upper(m):
    """Upper triangular U with U' U = m, in place of the upper half of m; what is below means nothing."""
    n = m.shape[0]
    for j in range(n):
        part = 1.0 / math.sqrt(m[j, j])
        for k in range(j, n):
            m[j, k] *= part
        for i in range(j + 1, n):
            if m[j, i] != 0.0:
                add_scaled(m[j, i:], -m[j, i], m[i, i:])


def solve_upper_back(U, out):
    """Out = U'^-1 out"""
    for i in range(len(out)):
        out[i] /= U[i, i]
        if out[i] != 0.0:
            add_scaled(U[i, i + 1 :], -out[i], out[i + 1 :])


def solve_upper(U, out):
    """Out = U^-1 out"""
    for i in range(len(out) - 1, -1, -1):
        out[i] = (out[i] - dot(U[i, i + 1 :], out[i + 1 :])) / U[i, i]


# ---- as a module of its own ------------------------------------------------------------------------------------------


def learn_at(t, context):
    """Native code: `learn`, then `surprise` and `expect_errors` of the last point. As `Knowledge` says."""
    points, thrusters, nodes = load_int(context), load_int(context + 8), load_int(context + 16)
    size, at, s = weights_of(thrusters, nodes), context + 24, float_vector(load_int(context + 24), 6)
    mixer, largest = float_matrix(load_int(at + 8), WRENCH, thrusters), float_vector(load_int(at + 16), thrusters)
    prior = Prior(mixer, largest, s[0], s[1], s[2], s[3], s[4], s[5])
    thrust = float_matrix(load_int(at + 24), points, thrusters)
    q, wrench = float_matrix(load_int(at + 32), points, 4), float_matrix(load_int(at + 40), points, WRENCH)
    posterior = Posterior(float_vector(load_int(at + 48), size), float_matrix(load_int(at + 56), size, size))
    learn(prior, thrust, q, wrench, posterior)
    error, deviation = float_vector(load_int(at + 64), thrusters), float_vector(load_int(at + 72), thrusters)
    if points > 0:
        last = points - 1
        expect_errors(prior, posterior, thrust[last], error, deviation)
        float_vector(load_int(at + 80), 1)[0] = surprise(prior, posterior, thrust[last], q[last], wrench[last])
    return 0


run_learn = linked("mpc.learn", learn_at)


class Knowledge(NamedTuple):
    """What points tell.

    Attributes:
        posterior: Mean and precision of the weights.
        error: (nu,) [N] What each thruster gave more than was demanded at the last point, by all points.
        deviation: (nu,) [N] Its standard deviation.
        surprise: [-] How far the last point is from what all others say, squared: 6 on average.
    """

    posterior: Posterior
    error: Any
    deviation: Any
    surprise: float


def knowledge(prior: Prior, nodes: int, thrust: Any, q_BN: Any, wrench: Any) -> Knowledge:
    """What points tell: demanded thrusts (n, nu), attitudes (n, 4), wrenches (n, 6), the newest last, all in rows."""
    thrusters = len(prior.max_thrust)
    size = weights_of(thrusters, nodes)
    posterior = Posterior(np.zeros(size), np.zeros((size, size)))
    error, deviation, far = np.zeros(thrusters), np.zeros(thrusters), np.zeros(1)
    numbers = np.array([prior.spread, prior.length, prior.force, prior.torque, prior.force_noise, prior.torque_noise])
    mixer = np.ascontiguousarray(prior.mixer)
    context = np.array(
        [
            thrust.shape[0], thrusters, nodes, address(numbers), address(mixer), address(prior.max_thrust),
            address(thrust), address(q_BN), address(wrench), address(posterior.mean), address(posterior.factor),
            address(error), address(deviation), address(far),
        ]
    )  # fmt: skip
    run_learn(address(context))
    hold((context, numbers, mixer, prior, thrust, q_BN, wrench))
    return Knowledge(posterior, error, deviation, far[0])
