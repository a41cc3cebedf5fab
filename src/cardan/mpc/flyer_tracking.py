"""Tracking of a moving frame by a free flyer with thrusters: sequential quadratic programming over its prediction.

Native code `f(t, context) -> status` (docs/theory/tracking_mpc.md). All that it reads and writes lies at the addresses
in its context, `Slots`. Every program begins with a plan that can be flown and ends with one that costs less, so that
any number of programs is a controller.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from cardan.maths import arctan2, sin_cos
from cardan.mpc.dense import dot
from cardan.mpc.flyer_prediction import (
    DR,
    DTHETA,
    DV,
    DW,
    NEAR,
    NODE,
    WRENCH,
    Body,
    Q,
    R,
    V,
    W,
    inverse_of,
    new_step_room,
    predict,
    predict_near,
)  # fmt: skip
from cardan.mpc.interior_point import BROKEN_DOWN
from cardan.mpc.learnt_drive import Learnt, drive, drive_near, learnt_at, tighten
from cardan.mpc.problem import Problem, new_iterate
from cardan.mpc.program import solve_program
from cardan.native.pointers import load_int, store_float
from cardan.native.storage import float_matrix, float_vector


class Slots(NamedTuple):
    """The context: whole numbers first, then addresses of rows of numbers.

    Attributes:
        stages: N.
        thrusters: nu.
        spheres: How many.
        planes: How many.
        programs: Most programs.
        first_programs: Most of them where the plan is worse than none.
        iterations: Most iterations of each.
        settings: As in `Settings`.
        inertia: (3, 3)
        gradient: (3, 3)
        mixer: (6, nu)
        weights: (nu,) Of thrusts.
        lower: (nu,)
        upper: (nu,)
        spheres_at: (spheres, 4) Centre and radius [m] of what is kept clear of.
        planes_at: (planes, 4) Unit normal n and offset d [m]: n r <= d.
        now: (13,) Where the flyer is, as a node.
        reference: (13,) Where it should be; its angular velocity in inertial components.
        plan: (N, nu) [N] On entry what was planned, on return what is planned.
        nodes: (N + 1, 13) On return where that leads.
        outcome: As in `Outcome`.
        learnt: What was learnt of the thrusters, as `learnt_at` reads it.
    """

    stages: int
    thrusters: int
    spheres: int
    planes: int
    programs: int
    first_programs: int
    iterations: int
    settings: int
    inertia: int
    gradient: int
    mixer: int
    weights: int
    lower: int
    upper: int
    spheres_at: int
    planes_at: int
    now: int
    reference: int
    plan: int
    nodes: int
    outcome: int
    learnt: int


class Settings(NamedTuple):
    """Numbers of a controller, in the order in which they lie in memory.

    Attributes:
        mass: [kg]
        step: [s] Of the prediction.
        r: Weight of position errors; the next three of attitude, velocity and rate.
        theta: See above.
        v: See above.
        omega: See above.
        last_r: The same at the end of the horizon.
        last_theta: See above.
        last_v: See above.
        last_omega: See above.
        max_speed: [m/s] Soft.
        max_rate: [rad/s] Soft.
        linear: Penalty of what exceeds a soft limit.
        quadratic: See above.
        tolerance: [-] Of the interior point.
    """

    mass: float
    step: float
    r: float
    theta: float
    v: float
    omega: float
    last_r: float
    last_theta: float
    last_v: float
    last_omega: float
    max_speed: float
    max_rate: float
    linear: float
    quadratic: float
    tolerance: float


class Outcome(NamedTuple):
    """What was done, in the order in which it lies in memory.

    Attributes:
        status: Of the last program, as in `interior_point`.
        programs: How many.
        iterations: Of all of them.
        mu: Of the last one.
        residual: Of the last one.
        cost: Of the plan, by its own prediction.
        excess: Largest excess over a soft limit, by the same.
        active: How many bounds and soft limits are met, to rounding.
    """

    status: float
    programs: float
    iterations: float
    mu: float
    residual: float
    cost: float
    excess: float
    active: float


class Case(NamedTuple):
    """What a program is made of; `margins` (N + 1, rows) is by how much soft limits are tightened."""

    body: Body
    settings: Settings
    mixer: Any
    weights: Any
    lower: Any
    upper: Any
    spheres: Any
    planes: Any
    reference: Any
    learnt: Learnt
    margins: Any


SPEED, RATE, OTHERS = 0, 1, 2  # soft rows: speed, rate, then spheres and planes


def track(t, context):
    """Improve a plan."""
    slots = slots_at(context)
    case = case_at(slots)
    stages, inputs = slots.stages, slots.thrusters
    plan, nodes = float_matrix(slots.plan, stages, inputs), float_matrix(slots.nodes, stages + 1, NODE)
    problem, iterate = new_problem(case, stages, inputs), new_iterate(stages, NEAR, inputs, rows_of(case))
    step_room, wrench, trial = new_step_room(), np.zeros(WRENCH), np.zeros((stages, inputs))
    now = float_vector(slots.now, NODE)

    put_within(plan, case.lower, case.upper)
    cost = cost_of(case, plan, now, nodes, step_room, wrench)
    most = slots.programs
    trial[:, :] = case.lower
    if cost_of(case, trial, now, nodes, step_room, wrench) < cost:
        # a plan that is worse than none is no guess: the thrusters are not what they were
        plan[:, :] = trial
        most = slots.first_programs
    cost = cost_of(case, plan, now, nodes, step_room, wrench)
    status, programs, iterations, mu, residual = 0, 0, 0, 0.0, 0.0
    for _ in range(most):
        linearise(case, problem, plan, nodes, step_room, wrench)
        if case.learnt.nodes > 0 and case.learnt.tightening > 0.0:
            # margins follow the plan, and the plan is judged by the same ones
            tighten(case, problem, plan, nodes, case.margins)
            leave_some(case)
            cost = cost_of(case, plan, now, nodes, step_room, wrench)
        problem.h[:, :] -= case.margins
        iterate.x[:, :] = 0.0
        iterate.u[:, :] = plan
        outcome = solve_program(problem, iterate, case.settings.tolerance, slots.iterations)
        programs, iterations = programs + 1, iterations + outcome.iterations
        status, mu, residual = outcome.status, outcome.mu, outcome.residual
        if status == BROKEN_DOWN:
            break
        # no further than the plan gets better by its own prediction
        share, better = 1.0, False
        for _ in range(4):
            for k in range(stages):
                for i in range(inputs):
                    trial[k, i] = plan[k, i] + share * (iterate.u[k, i] - plan[k, i])
            there = cost_of(case, trial, now, nodes, step_room, wrench)
            better = there <= cost
            if better:
                break
            share *= 0.5
        if not better:
            break
        gained, cost = cost - there, there
        plan[:, :] = trial
        if gained <= SETTLED * cost:
            break
    cost = cost_of(case, plan, now, nodes, step_room, wrench)
    excess = largest_excess(case, nodes)
    active = count_active(case, plan, nodes)
    for i, value in enumerate((float(status), float(programs), float(iterations), mu, residual, cost, excess, active)):
        store_float(slots.outcome + 8 * i, value)
    return 0


SETTLED = 1.0e-9  # [-] a program that gains less of the cost is the last


# ---- memory --------------------------------------------------------------------------------------------------------


def slots_at(context):
    w = context
    return Slots(
        load_int(w), load_int(w + 8), load_int(w + 16), load_int(w + 24), load_int(w + 32), load_int(w + 40),
        load_int(w + 48), load_int(w + 56), load_int(w + 64), load_int(w + 72), load_int(w + 80), load_int(w + 88),
        load_int(w + 96), load_int(w + 104), load_int(w + 112), load_int(w + 120), load_int(w + 128), load_int(w + 136),
        load_int(w + 144), load_int(w + 152), load_int(w + 160), load_int(w + 168),
    )  # fmt: skip


def case_at(slots):
    n, s = slots.thrusters, float_vector(slots.settings, 15)
    settings = Settings(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13], s[14])
    inertia = float_matrix(slots.inertia, 3, 3)
    return Case(
        Body(settings.mass, inertia, inverse_of(inertia), float_matrix(slots.gradient, 3, 3)),
        settings,
        float_matrix(slots.mixer, WRENCH, n),
        float_vector(slots.weights, n),
        float_vector(slots.lower, n),
        float_vector(slots.upper, n),
        float_matrix(slots.spheres_at, slots.spheres, 4),
        float_matrix(slots.planes_at, slots.planes, 4),
        float_vector(slots.reference, NODE),
        learnt_at(n, slots.learnt),
        np.zeros((slots.stages + 1, OTHERS + slots.spheres + slots.planes)),
    )


def rows_of(case):
    return OTHERS + case.spheres.shape[0] + case.planes.shape[0]


def new_problem(case, stages, inputs):
    """The program, with all that does not follow from a plan."""
    rows = rows_of(case)
    penalty = np.ones(rows)
    mixers = np.zeros((stages * WRENCH, inputs)) if case.learnt.nodes > 0 else case.mixer
    problem = Problem(
        np.zeros((stages, NEAR, NEAR)), np.zeros((stages, NEAR, WRENCH)), np.zeros((stages, NEAR)), mixers,
        np.zeros((stages + 1, NEAR, NEAR)), np.zeros((stages + 1, NEAR)), case.weights, np.zeros((stages, inputs)),
        np.zeros((stages, inputs)), np.zeros((stages, inputs)), np.zeros((stages + 1, rows, NEAR)),
        np.zeros((stages + 1, rows)), case.settings.linear * penalty, case.settings.quadratic * penalty,
    )  # fmt: skip
    problem.lower[:, :] = case.lower
    problem.upper[:, :] = case.upper
    return problem


# ---- the program ---------------------------------------------------------------------------------------------------


def put_within(plan, lower, upper):
    """A plan from before may be of other limits."""
    for k in range(plan.shape[0]):
        for i in range(plan.shape[1]):
            plan[k, i] = min(max(plan[k, i], lower[i]), upper[i])


def linearise(case, problem, plan, nodes, step_room, wrench):
    """The program about a plan: dynamics, errors and soft limits in its neighbourhood."""
    settings, stages = case.settings, plan.shape[0]
    for k in range(stages):
        drive(case, nodes[k], plan[k], wrench)
        A, B = problem.A[k], problem.B[k]
        predict_near(case.body, nodes[k], wrench, settings.step, step_room, nodes[k + 1], A, B)
        drive_near(case, problem, k, plan[k], wrench)
        for i in range(NEAR):
            problem.c[k, i] = -dot(B[i], wrench)
        weigh_errors(case, nodes[k + 1], k + 1, stages, problem.Q[k + 1], problem.q[k + 1])
        limit(case, nodes[k + 1], problem.G[k + 1], problem.h[k + 1])


def leave_some(case):
    """However little is known, half of the speed and of the rate that are allowed are left."""
    for k in range(case.margins.shape[0]):
        case.margins[k, SPEED] = min(case.margins[k, SPEED], 0.5 * case.settings.max_speed)
        case.margins[k, RATE] = min(case.margins[k, RATE], 0.5 * case.settings.max_rate)


def weigh_errors(case, node, k, stages, H, g):
    """Weights of a neighbourhood, by Gauss and Newton, and slopes: Eq. (10)."""
    r, theta, v, omega = weights_at(case.settings, k, stages)
    error = error_of(case, node, k)
    turn = turn_derivative(error.theta)
    spin = error.spin
    H[:, :] = 0.0
    for i in range(3):
        H[DR + i, DR + i], H[DV + i, DV + i], H[DW + i, DW + i] = r, v, omega
        g[DR + i], g[DV + i], g[DW + i] = r * error.r[i], v * error.v[i], omega * error.omega[i]
    # the rate error turns with the body: d omega = dw - spin x dtheta
    cross = ((0.0, -spin[2], spin[1]), (spin[2], 0.0, -spin[0]), (-spin[1], spin[0], 0.0))
    for i in range(3):
        slope = 0.0
        for m in range(3):
            slope += theta * turn[m][i] * error.theta[m] - omega * cross[m][i] * error.omega[m]
        g[DTHETA + i] = slope
        for j in range(3):
            value = 0.0
            for m in range(3):
                value += theta * turn[m][i] * turn[m][j] + omega * cross[m][i] * cross[m][j]
            H[DTHETA + i, DTHETA + j] = value
            H[DTHETA + i, DW + j] = -omega * cross[j][i]
            H[DW + j, DTHETA + i] = -omega * cross[j][i]


def weights_at(settings, k, stages):
    if k == stages:
        return settings.last_r, settings.last_theta, settings.last_v, settings.last_omega
    return settings.r, settings.theta, settings.v, settings.omega


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


def error_of(case, node, k):
    """Errors at stage k: the reference goes on as it moves now, Eqs. (7) and (8)."""
    ref, t = case.reference, k * case.settings.step
    moved = (
        node[R] - ref[R] - t * ref[V],
        node[R + 1] - ref[R + 1] - t * ref[V + 1],
        node[R + 2] - ref[R + 2] - t * ref[V + 2],
    )
    q = (node[Q], node[Q + 1], node[Q + 2], node[Q + 3])
    then = quaternion_product(
        turn_by(t * ref[W], t * ref[W + 1], t * ref[W + 2]), (ref[Q], ref[Q + 1], ref[Q + 2], ref[Q + 3])
    )
    spin = turned_back_by(q, (ref[W], ref[W + 1], ref[W + 2]))
    return Errors(
        moved,
        rotation_vector(quaternion_product((then[0], -then[1], -then[2], -then[3]), q)),
        (node[V] - ref[V], node[V + 1] - ref[V + 1], node[V + 2] - ref[V + 2]),
        (node[W] - spin[0], node[W + 1] - spin[1], node[W + 2] - spin[2]),
        spin,
    )


def limit(case, node, G, h):
    """Soft limits of a neighbourhood: Eqs. (11) to (13)."""
    G[:, :] = 0.0
    settings = case.settings
    h[SPEED] = settings.max_speed - toward(node, V, G[SPEED], DV)
    h[RATE] = settings.max_rate - toward(node, W, G[RATE], DW)
    row = OTHERS
    for i in range(case.spheres.shape[0]):
        x, y, z = node[R] - case.spheres[i, 0], node[R + 1] - case.spheres[i, 1], node[R + 2] - case.spheres[i, 2]
        distance = math.sqrt((x * x + y * y) + z * z)
        part = -1.0 / max(distance, TINY)
        G[row, DR], G[row, DR + 1], G[row, DR + 2] = part * x, part * y, part * z
        h[row] = distance - case.spheres[i, 3]
        row += 1
    for i in range(case.planes.shape[0]):
        for j in range(3):
            G[row, DR + j] = case.planes[i, j]
        h[row] = case.planes[i, 3] - plane_height(case.planes, i, node)
        row += 1


TINY = 1.0e-12


def toward(node, at, row, near):
    """The length of the vector at `at`; its direction goes into a row."""
    x, y, z = node[at], node[at + 1], node[at + 2]
    length = math.sqrt((x * x + y * y) + z * z)
    part = 1.0 / max(length, TINY)
    row[near], row[near + 1], row[near + 2] = part * x, part * y, part * z
    return length


def plane_height(planes, i, node):
    return (planes[i, 0] * node[R] + planes[i, 1] * node[R + 1]) + planes[i, 2] * node[R + 2]


# ---- the cost of a plan --------------------------------------------------------------------------------------------


def cost_of(case, plan, now, nodes, step_room, wrench):
    """Follow a plan from `now`, into `nodes`, and add up what it costs: Eq. (1)."""
    stages, total = plan.shape[0], 0.0
    for i in range(NODE):
        nodes[0, i] = now[i]
    for k in range(stages):
        drive(case, nodes[k], plan[k], wrench)
        predict(case.body, nodes[k], wrench, case.settings.step, step_room, nodes[k + 1])
        for i in range(plan.shape[1]):
            total += 0.5 * case.weights[i] * plan[k, i] * plan[k, i]
        r, theta, v, omega = weights_at(case.settings, k + 1, stages)
        error = error_of(case, nodes[k + 1], k + 1)
        total += 0.5 * r * square(error.r) + 0.5 * theta * square(error.theta)
        total += 0.5 * v * square(error.v) + 0.5 * omega * square(error.omega)
        for j in range(rows_of(case)):
            over = max(0.0, excess(case, nodes[k + 1], j) + case.margins[k + 1, j])
            total += case.settings.linear * over + 0.5 * case.settings.quadratic * over * over
    return total


def excess(case, node, row):
    """How far a node exceeds a soft limit."""
    if row == SPEED:
        return length_at(node, V) - case.settings.max_speed
    if row == RATE:
        return length_at(node, W) - case.settings.max_rate
    i = row - OTHERS
    if i < case.spheres.shape[0]:
        x, y, z = node[R] - case.spheres[i, 0], node[R + 1] - case.spheres[i, 1], node[R + 2] - case.spheres[i, 2]
        return case.spheres[i, 3] - math.sqrt((x * x + y * y) + z * z)
    i -= case.spheres.shape[0]
    return plane_height(case.planes, i, node) - case.planes[i, 3]


def length_at(node, at):
    return math.sqrt((node[at] * node[at] + node[at + 1] * node[at + 1]) + node[at + 2] * node[at + 2])


def largest_excess(case, nodes):
    worst = 0.0
    for k in range(1, nodes.shape[0]):
        for j in range(rows_of(case)):
            worst = max(worst, excess(case, nodes[k], j))
    return worst


def count_active(case, plan, nodes):
    """How many bounds and soft limits are met."""
    count = 0.0
    for k in range(plan.shape[0]):
        for i in range(plan.shape[1]):
            near = MET * (case.upper[i] - case.lower[i])
            count += 1.0 * (plan[k, i] - case.lower[i] <= near or case.upper[i] - plan[k, i] <= near)
        for j in range(rows_of(case)):
            count += 1.0 * (excess(case, nodes[k + 1], j) >= -MET)
    return count


MET = 1.0e-3  # [-] of its range that an input at a bound is away from it at the most; for soft limits in their unit


# ---- algebra on tuples ---------------------------------------------------------------------------------------------


def square(a):
    return (a[0] * a[0] + a[1] * a[1]) + a[2] * a[2]


def quaternion_product(a, b):
    w, x, y, z = a
    return (
        w * b[0] - x * b[1] - y * b[2] - z * b[3],
        w * b[1] + x * b[0] + y * b[3] - z * b[2],
        w * b[2] - x * b[3] + y * b[0] + z * b[1],
        w * b[3] + x * b[2] - y * b[1] + z * b[0],
    )


def turn_by(x, y, z):
    """The quaternion of a rotation vector [rad]."""
    angle = math.sqrt((x * x + y * y) + z * z)
    sine, cosine = sin_cos(0.5 * angle)
    part = sine / angle if angle > SMALL else 0.5
    return cosine, part * x, part * y, part * z


def rotation_vector(q):
    """The short rotation vector [rad] of a quaternion."""
    w, x, y, z = q
    sign = 1.0 if w >= 0.0 else -1.0
    sine = math.sqrt((x * x + y * y) + z * z)
    part = sign * (2.0 * arctan2(sine, sign * w) / sine if sine > SMALL else 2.0)
    return part * x, part * y, part * z


def turned_back_by(q, a):
    """A vector in inertial components, in those of the body."""
    w, x, y, z = q[0], -q[1], -q[2], -q[3]
    tx, ty, tz = 2.0 * (y * a[2] - z * a[1]), 2.0 * (z * a[0] - x * a[2]), 2.0 * (x * a[1] - y * a[0])
    return a[0] + w * tx + (y * tz - z * ty), a[1] + w * ty + (z * tx - x * tz), a[2] + w * tz + (x * ty - y * tx)


def turn_derivative(theta):
    """How a rotation vector changes with a small turn about body axes, Eq. (9), by rows."""
    x, y, z = theta
    angle = math.sqrt((x * x + y * y) + z * z)
    # 1 / angle^2 - cot(angle / 2) / (2 angle), which is 1/12 at zero
    sine, cosine = sin_cos(0.5 * angle)
    part = (
        1.0 / (angle * angle) - cosine / (2.0 * angle * sine) if angle > 1.0e-3 else 1.0 / 12.0 + angle * angle / 720.0
    )
    xx, yy, zz = x * x, y * y, z * z
    return (
        (1.0 - part * (yy + zz), part * x * y - 0.5 * z, part * x * z + 0.5 * y),
        (part * x * y + 0.5 * z, 1.0 - part * (xx + zz), part * y * z - 0.5 * x),
        (part * x * z - 0.5 * y, part * y * z + 0.5 * x, 1.0 - part * (xx + yy)),
    )


SMALL = 1.0e-12
