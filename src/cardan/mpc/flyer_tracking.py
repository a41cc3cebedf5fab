"""Tracking of a moving frame by a free flyer with thrusters: sequential quadratic programming over its prediction.

Native code `f(t, context) -> status` (docs/theory/tracking_mpc.md). All that it reads and writes lies at the addresses
in its context, `Slots`.
"""

from typing import Any, NamedTuple

import numpy as np

from cardan.mpc.artificial_reference import (
    Errors,
    error_at_rest,
    free_of,
    move_target,
    offset_of,
    weigh_offset,
    weigh_target,
)
from cardan.mpc.dense import dot
from cardan.mpc.flyer_algebra import (
    quaternion_product,
    rotation_vector,
    square,
    turn_by,
    turn_derivative,
    turned_back_by,
)
from cardan.mpc.flyer_feedback import push_back
from cardan.mpc.flyer_limits import (
    OTHERS,
    bend,
    count_active,
    excess,
    largest_excess,
    limit,
    most_of,
    rows_of,
    weigh_round_limits,
)
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
from cardan.mpc.learnt_drive import Learnt, drive, drive_near, learnt_at, tightened
from cardan.mpc.problem import Problem, new_iterate
from cardan.mpc.sqp import Budget, improve, put_within, report
from cardan.native.pointers import load_int
from cardan.native.storage import float_matrix, float_vector


class Slots(NamedTuple):
    """The context: whole numbers first, then addresses of rows of numbers.

    Attributes:
        stages: N.
        thrusters: nu.
        spheres: How many.
        planes: How many.
        programs: Most programs.
        first_programs: Most about a plan that is new, or exceeds a soft limit.
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
        outcome: As `sqp.Outcome`.
        target: (7,) Position and quaternion of the artificial reference; on return the new one.
        learnt: What was learnt of the thrusters, as `learnt_at` reads it.
        is_new: Whether the plan is no more than a guess.
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
    target: int
    learnt: int
    is_new: int


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
        offset_r: Weight of the distance between artificial reference and reference; none is used if both are zero.
        offset_theta: And of the angle between them.
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
    offset_r: float
    offset_theta: float


class Case(NamedTuple):
    """What does not change between programs, but for `target`, the artificial reference, and `before`, the last one.

    `margins` (N + 1, rows) is by how much soft limits are tightened for what is not known of the thrusters.
    """

    body: Body
    settings: Settings
    mixer: Any
    weights: Any
    lower: Any
    upper: Any
    spheres: Any
    planes: Any
    reference: Any
    target: Any
    before: Any
    learnt: Learnt
    margins: Any


def track(t, context):
    """Improve a plan."""
    slots = slots_at(context)
    case = case_at(slots)
    stages, inputs, rows, free = slots.stages, slots.thrusters, rows_of(case), free_of(case)
    plan, nodes = float_matrix(slots.plan, stages, inputs), float_matrix(slots.nodes, stages + 1, NODE)
    problem, iterate = new_problem(case, stages, inputs), new_iterate(stages, NEAR + free, inputs, rows)
    now, trial, room = float_vector(slots.now, NODE), np.zeros((stages, inputs)), (new_step_room(), np.zeros(WRENCH))

    put_within(plan, case.lower, case.upper)
    cost = cost_of(case, plan, now, nodes, room)
    is_new = slots.is_new > 0
    trial[:, :] = case.lower
    if cost_of(case, trial, now, nodes, room) < cost:
        # a plan that is worse than none is no guess: the thrusters are not what they were
        plan[:, :] = trial
        is_new = True
    budget = Budget(case.settings.tolerance, slots.programs, slots.first_programs, slots.iterations, is_new, 1)
    done = improve(
        case,
        problem,
        iterate,
        plan,
        trial,
        now,
        nodes,
        room,
        budget,
        free,
        linearise,
        cost_of,
        largest_excess,
        bend_limits,
        move_target,
        feed_back,
    )
    report(slots.outcome, done, largest_excess(case, nodes), count_active(case, plan, nodes))
    return 0


# ---- memory --------------------------------------------------------------------------------------------------------


def slots_at(context):
    w = context
    return Slots(
        load_int(w), load_int(w + 8), load_int(w + 16), load_int(w + 24), load_int(w + 32), load_int(w + 40),
        load_int(w + 48), load_int(w + 56), load_int(w + 64), load_int(w + 72), load_int(w + 80), load_int(w + 88),
        load_int(w + 96), load_int(w + 104), load_int(w + 112), load_int(w + 120), load_int(w + 128), load_int(w + 136),
        load_int(w + 144), load_int(w + 152), load_int(w + 160), load_int(w + 168), load_int(w + 176),
        load_int(w + 184),
    )  # fmt: skip


def case_at(slots):
    n, s = slots.thrusters, float_vector(slots.settings, 17)
    settings = Settings(
        s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13], s[14], s[15], s[16]
    )
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
        float_vector(slots.target, 7),
        np.zeros(7),
        learnt_at(n, slots.learnt),
        np.zeros((slots.stages + 1, OTHERS + slots.spheres + slots.planes)),
    )


def new_problem(case, stages, inputs):
    """The program, with all that does not follow from a plan."""
    rows, near = rows_of(case), NEAR + free_of(case)
    penalty = np.ones(rows)
    mixers = np.zeros((stages * WRENCH, inputs)) if case.learnt.nodes > 0 else case.mixer
    problem = Problem(
        np.zeros((stages, near, near)), np.zeros((stages, near, WRENCH)), np.zeros((stages, near)), mixers,
        np.zeros((stages + 1, near, near)), np.zeros((stages + 1, near)), case.weights, np.zeros((stages, inputs)),
        np.zeros((stages, inputs)), np.zeros((stages, inputs)), np.zeros((stages + 1, rows, near)),
        np.zeros((stages + 1, rows)), case.settings.linear * penalty, case.settings.quadratic * penalty,
    )  # fmt: skip
    problem.lower[:, :] = case.lower
    problem.upper[:, :] = case.upper
    return problem


# ---- the program ---------------------------------------------------------------------------------------------------


def linearise(case, problem, iterate, plan, nodes, room):
    """The program about a plan: dynamics, errors, soft limits in its neighbourhood; whether these limits have moved."""
    settings, stages, free = case.settings, plan.shape[0], free_of(case)
    step_room, wrench = room
    for k in range(stages):
        drive(case, nodes[k], plan[k], wrench)
        A, B = problem.A[k], problem.B[k]
        predict_near(case.body, nodes[k], wrench, settings.step, step_room, nodes[k + 1], A, B)
        drive_near(case, problem, k, plan[k], wrench)
        for i in range(NEAR):
            problem.c[k, i] = -dot(B[i], wrench)
        for i in range(NEAR, NEAR + free):
            A[i, i] = 1.0
        weigh_errors(case, nodes[k + 1], k + 1, stages, problem.Q[k + 1], problem.q[k + 1])
        limit(case, nodes[k + 1], problem.G[k + 1], problem.h[k + 1])
        weigh_round_limits(case, nodes[k + 1], iterate.row[k + 1], problem.G[k + 1], problem.Q[k + 1])
    if free > 0:
        for i in range(7):
            case.before[i] = case.target[i]
        weigh_errors(case, nodes[0], 0, stages, problem.Q[0], problem.q[0])
        weigh_offset(case, stages, problem.Q[0], problem.q[0])
    return tightened(case, problem, plan, nodes, most_of(case, rows_of(case)))


def bend_limits(case, problem, iterate, nodes):
    bend(case, problem, iterate, nodes, excess, rows_of(case))


def weigh_errors(case, node, k, stages, H, g):
    """Weights of a neighbourhood, by Gauss and Newton, and slopes: Eqs. (10) and (16)."""
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
    if free_of(case) > 0:
        weigh_target(case, node, r, theta, error, turn, H, g)


def weights_at(settings, k, stages):
    if k == stages:
        return settings.last_r, settings.last_theta, settings.last_v, settings.last_omega
    return settings.r, settings.theta, settings.v, settings.omega


def error_of(case, node, k):
    """Errors at stage k: the reference goes on as it moves now, Eqs. (7) and (8); an artificial one is at rest."""
    if free_of(case) > 0:
        return error_at_rest(case.target, node)
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


# ---- the cost of a plan --------------------------------------------------------------------------------------------


def feed_back(case, plan, now, nodes, room):
    """The plan that feedback makes on its way to the reference; there always is one."""
    step_room, wrench = room
    for i in range(NODE):
        nodes[0, i] = now[i]
    for k in range(plan.shape[0]):
        error = error_of(case, nodes[k], k)
        push_back(case, plan.shape[1], nodes[k], error.r, error.v, error.theta, error.omega, plan[k], wrench)
        drive(case, nodes[k], plan[k], wrench)
        predict(case.body, nodes[k], wrench, case.settings.step, step_room, nodes[k + 1])
    return True


def cost_of(case, plan, now, nodes, room):
    """Follow a plan from `now`, into `nodes`, and add up what it costs: Eq. (1), and Eq. (15)."""
    stages, total = plan.shape[0], 0.0
    step_room, wrench = room
    for i in range(NODE):
        nodes[0, i] = now[i]
    if free_of(case) > 0:
        moved, turned = offset_of(case)
        total += 0.5 * stages * (case.settings.offset_r * square(moved) + case.settings.offset_theta * square(turned))
        total += error_cost(case, nodes[0], 0, stages)
    for k in range(stages):
        drive(case, nodes[k], plan[k], wrench)
        predict(case.body, nodes[k], wrench, case.settings.step, step_room, nodes[k + 1])
        for i in range(plan.shape[1]):
            total += 0.5 * case.weights[i] * plan[k, i] * plan[k, i]
        total += error_cost(case, nodes[k + 1], k + 1, stages)
        for j in range(rows_of(case)):
            over = max(0.0, excess(case, nodes[k + 1], j) + case.margins[k + 1, j])
            total += case.settings.linear * over + 0.5 * case.settings.quadratic * over * over
    return total


def error_cost(case, node, k, stages):
    r, theta, v, omega = weights_at(case.settings, k, stages)
    error = error_of(case, node, k)
    total = 0.5 * r * square(error.r) + 0.5 * theta * square(error.theta)
    return total + 0.5 * v * square(error.v) + 0.5 * omega * square(error.omega)
