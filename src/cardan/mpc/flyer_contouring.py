"""Contouring of a path by a free flyer with thrusters: how fast it goes along the path is decided with its thrusts.

Native code `f(t, context) -> status` (docs/theory/contouring_mpc.md). All that it reads and writes lies at the
addresses in its context, `Slots`. A node is that of `flyer_prediction` and the arc length s; a neighbourhood has ds
behind it; the last input is the speed along the path.
"""

import math
from typing import Any, NamedTuple

import numpy as np

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
    TINY,
    bend,
    count_active,
    excess,
    limit,
    most_of,
    rows_of,
    weigh_round_limits,
)
from cardan.mpc.flyer_prediction import (
    DR,
    DTHETA,
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
from cardan.mpc.learnt_drive import Learnt, drive, drive_near, learnt_at, reallocate, tightened
from cardan.mpc.problem import Problem, new_iterate
from cardan.mpc.sqp import Budget, improve, put_within, report, stay
from cardan.native.pointers import load_int
from cardan.native.storage import float_matrix, float_vector

S, DS, ALONG = NODE, NEAR, WRENCH  # the arc length in a node, in a neighbourhood; its speed in what drives a node
OWN_ROWS = 1  # soft row behind those of `flyer_limits`: the tube about the path


class Slots(NamedTuple):
    """The context: whole numbers first, then addresses of rows of numbers.

    Attributes:
        stages: N.
        thrusters: nu.
        spheres: How many.
        planes: How many.
        corners: How many.
        is_closed: Whether the first corner, which is the last too, follows the last.
        programs: Most programs.
        iterations: Most iterations of each.
        settings: As in `Settings`.
        inertia: (3, 3)
        gradient: (3, 3)
        mixer: (6, nu)
        lower: (nu,)
        upper: (nu,)
        spheres_at: (spheres, 4) Centre and radius [m] of what is kept clear of.
        planes_at: (planes, 4) Unit normal n and offset d [m]: n r <= d.
        corners_at: (corners, 3) [m] Corners of the path.
        turns_at: (corners, 4) Quaternions there.
        now: (14,) Where the flyer is, as a node.
        plan: (N, nu + 1) [N], and the speed [m/s]: on entry what was planned, on return what is planned.
        nodes: (N + 1, 14) On return where that leads.
        outcome: As `sqp.Outcome`.
        learnt: What was learnt of the thrusters, as `learnt_at` reads it.
        first_programs: Most about a plan that is new, or exceeds a soft limit.
        is_new: Whether the plan is no more than a guess.
    """

    stages: int
    thrusters: int
    spheres: int
    planes: int
    corners: int
    is_closed: int
    programs: int
    iterations: int
    settings: int
    inertia: int
    gradient: int
    mixer: int
    lower: int
    upper: int
    spheres_at: int
    planes_at: int
    corners_at: int
    turns_at: int
    now: int
    plan: int
    nodes: int
    outcome: int
    learnt: int
    first_programs: int
    is_new: int


class Settings(NamedTuple):
    """Numbers of a controller, in the order in which they lie in memory.

    Attributes:
        mass: [kg]
        step: [s] Of the prediction.
        lag: Weight of errors along the path; the next three of those across it, of attitude and of rate.
        contour: See above.
        theta: See above.
        omega: See above.
        thrust: [1/N^2] Weight of each thrust.
        progress: [s^2/m^2] Weight of what the speed along the path lacks.
        speed: [m/s] Wanted and largest speed along the path.
        tube: [m] Radius about the path, soft.
        max_speed: [m/s] Soft.
        max_rate: [rad/s] Soft.
        linear: Penalty of what exceeds a soft limit.
        quadratic: See above.
        tolerance: [-] Of the interior point.
    """

    mass: float
    step: float
    lag: float
    contour: float
    theta: float
    omega: float
    thrust: float
    progress: float
    speed: float
    tube: float
    max_speed: float
    max_rate: float
    linear: float
    quadratic: float
    tolerance: float


class Case(NamedTuple):
    """What does not change between programs, but for `margins`.

    These (N + 1, rows) are by how much soft limits are tightened for what is not known of the thrusters.
    """

    body: Body
    settings: Settings
    mixer: Any
    weights: Any
    lower: Any
    upper: Any
    spheres: Any
    planes: Any
    corners: Any
    turns: Any
    arcs: Any
    is_closed: bool
    learnt: Learnt
    margins: Any


class Place(NamedTuple):
    """A place along the path.

    Attributes:
        r: [m] Inertial.
        t: [-] Unit tangent, inertial.
        q: [-] Quaternion of the attitude.
        turn: [rad/m] How it turns along the path, about its own axes.
        pace: [-] 1 along the path; 0 before its beginning and behind its end, where the place stays.
    """

    r: Any
    t: Any
    q: Any
    turn: Any
    pace: float


class Errors(NamedTuple):
    """How far a node is from its place along the path.

    Attributes:
        lag: [m] Along it.
        contour: [m] Across it.
        theta: [rad] Rotation vector, the short one.
        turn: [rad/m] How the path turns there, in body components.
        t: [-] Its unit tangent, inertial.
        pace: [-] As in `Place`.
    """

    lag: float
    contour: Any
    theta: Any
    turn: Any
    t: Any
    pace: float


def contour(t, context):
    """Improve a plan."""
    slots = slots_at(context)
    case = case_at(slots)
    stages, inputs, rows = slots.stages, slots.thrusters + 1, rows_of(case) + OWN_ROWS
    plan, nodes = float_matrix(slots.plan, stages, inputs), float_matrix(slots.nodes, stages + 1, NODE + 1)
    problem, iterate = new_problem(case, stages, inputs, rows), new_iterate(stages, NEAR + 1, inputs, rows)
    now, trial = float_vector(slots.now, NODE + 1), np.zeros((stages, inputs))
    room = (new_step_room(), np.zeros(WRENCH + 1))
    put_within(plan, case.lower, case.upper)
    is_new = slots.is_new > 0
    if case.learnt.nodes > 0:
        # the thrusters may not be what they were
        cost = cost_of(case, plan, now, nodes, room)
        reallocate(case, plan, trial)
        if cost_of(case, trial, now, nodes, room) < cost:
            plan[:, :] = trial
            is_new = True
    # half or a quarter of a first step from far off the path gains more than a bent one
    budget = Budget(case.settings.tolerance, slots.programs, slots.first_programs, slots.iterations, is_new, 2)
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
        0,
        linearise,
        cost_of,
        largest_excess,
        bend_limits,
        stay,
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
        load_int(w + 184), load_int(w + 192),
    )  # fmt: skip


def case_at(slots):
    n, s = slots.thrusters, float_vector(slots.settings, 15)
    settings = Settings(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13], s[14])
    inertia, given = float_matrix(slots.inertia, 3, 3), float_matrix(slots.mixer, WRENCH, n)
    low, high = float_vector(slots.lower, n), float_vector(slots.upper, n)
    # the speed along the path is one more input, and drives one more number
    mixer, weights = np.zeros((WRENCH + 1, n + 1)), np.zeros(n + 1)
    lower, upper = np.zeros(n + 1), np.zeros(n + 1)
    for j in range(n):
        lower[j], upper[j], weights[j] = low[j], high[j], settings.thrust
        for i in range(WRENCH):
            mixer[i, j] = given[i, j]
    mixer[ALONG, n], weights[n], upper[n] = 1.0, settings.progress, settings.speed
    corners = float_matrix(slots.corners_at, slots.corners, 3)
    return Case(
        Body(settings.mass, inertia, inverse_of(inertia), float_matrix(slots.gradient, 3, 3)),
        settings,
        mixer,
        weights,
        lower,
        upper,
        float_matrix(slots.spheres_at, slots.spheres, 4),
        float_matrix(slots.planes_at, slots.planes, 4),
        corners,
        float_matrix(slots.turns_at, slots.corners, 4),
        arc_lengths(corners),
        slots.is_closed > 0,
        learnt_at(n, slots.learnt),
        np.zeros((slots.stages + 1, OTHERS + slots.spheres + slots.planes + OWN_ROWS)),
    )


def new_problem(case, stages, inputs, rows):
    """The program, with all that does not follow from a plan."""
    near, penalty, n = NEAR + 1, np.ones(rows), inputs - 1
    mixers = np.zeros((stages * (WRENCH + 1), inputs)) if case.learnt.nodes > 0 else case.mixer
    problem = Problem(
        np.zeros((stages, near, near)), np.zeros((stages, near, WRENCH + 1)), np.zeros((stages, near)), mixers,
        np.zeros((stages + 1, near, near)), np.zeros((stages + 1, near)), case.weights, np.zeros((stages, inputs)),
        np.zeros((stages, inputs)), np.zeros((stages, inputs)), np.zeros((stages + 1, rows, near)),
        np.zeros((stages + 1, rows)), case.settings.linear * penalty, case.settings.quadratic * penalty,
    )  # fmt: skip
    problem.lower[:, :] = case.lower
    problem.upper[:, :] = case.upper
    for k in range(stages):
        problem.r[k, n] = -case.settings.progress * case.settings.speed
        problem.A[k, DS, DS], problem.B[k, DS, ALONG] = 1.0, case.settings.step
    return problem


# ---- the path ------------------------------------------------------------------------------------------------------


def arc_lengths(corners: Any) -> Any:
    """[m] From the first corner along the path."""
    out = np.zeros(corners.shape[0])
    for i in range(1, corners.shape[0]):
        out[i] = out[i - 1] + math.sqrt(
            square(
                (
                    corners[i, 0] - corners[i - 1, 0],
                    corners[i, 1] - corners[i - 1, 1],
                    corners[i, 2] - corners[i - 1, 2],
                )
            )
        )
    return out


def line_at(arcs: Any, s: Any) -> int:
    """The number of the line on which an arc length lies; the first or the last if it lies before or behind all."""
    low, high = 0, arcs.shape[0] - 2
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if arcs[middle] <= s else (low, middle - 1)
    return low


def place_at(corners: Any, turns: Any, arcs: Any, is_closed: bool, s: Any) -> Place:
    """The place at an arc length; a closed path begins again."""
    if is_closed:
        whole = arcs[arcs.shape[0] - 1]
        s -= whole * math.floor(s / whole)
    i = line_at(arcs, s)
    per = 1.0 / (arcs[i + 1] - arcs[i])
    asked = per * (s - arcs[i])
    share = min(max(asked, 0.0), 1.0)
    pace = 1.0 if share == asked else 0.0
    along = (corners[i + 1, 0] - corners[i, 0], corners[i + 1, 1] - corners[i, 1], corners[i + 1, 2] - corners[i, 2])
    a = (turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3])
    b = (turns[i + 1, 0], turns[i + 1, 1], turns[i + 1, 2], turns[i + 1, 3])
    turn = rotation_vector(quaternion_product((a[0], -a[1], -a[2], -a[3]), b))
    return Place(
        (corners[i, 0] + share * along[0], corners[i, 1] + share * along[1], corners[i, 2] + share * along[2]),
        (along[0] * per, along[1] * per, along[2] * per),
        quaternion_product(a, turn_by(share * turn[0], share * turn[1], share * turn[2])),
        (pace * per * turn[0], pace * per * turn[1], pace * per * turn[2]),
        pace,
    )


def errors_of(case, node):
    """Errors of a node: Eqs. (2) and (3)."""
    at = place_at(case.corners, case.turns, case.arcs, case.is_closed, node[S])
    e, t = (node[R] - at.r[0], node[R + 1] - at.r[1], node[R + 2] - at.r[2]), at.t
    lag = (t[0] * e[0] + t[1] * e[1]) + t[2] * e[2]
    off = quaternion_product((at.q[0], -at.q[1], -at.q[2], -at.q[3]), (node[Q], node[Q + 1], node[Q + 2], node[Q + 3]))
    across = (e[0] - lag * t[0], e[1] - lag * t[1], e[2] - lag * t[2])
    return Errors(lag, across, rotation_vector(off), turned_back_by(off, at.turn), t, at.pace)


# ---- the program ---------------------------------------------------------------------------------------------------


def linearise(case, problem, iterate, plan, nodes, room):
    """The program about a plan: dynamics, errors, soft limits in its neighbourhood; whether these limits have moved."""
    stages = plan.shape[0]
    step_room, driven = room
    for k in range(stages):
        drive(case, nodes[k], plan[k], driven)
        A, B = problem.A[k], problem.B[k]
        predict_near(case.body, nodes[k], driven, case.settings.step, step_room, nodes[k + 1], A, B)
        nodes[k + 1, S] = nodes[k, S] + case.settings.step * driven[ALONG]
        drive_near(case, problem, k, plan[k], driven)
        for i in range(NEAR + 1):
            problem.c[k, i] = -dot(B[i], driven)
        weigh_errors(case, nodes[k + 1], problem.Q[k + 1], problem.q[k + 1])
        limit_all(case, nodes[k + 1], problem.G[k + 1], problem.h[k + 1])
        weigh_round_limits(case, nodes[k + 1], iterate.row[k + 1], problem.G[k + 1], problem.Q[k + 1])
    most = most_of(case, rows_of(case) + OWN_ROWS)
    most[rows_of(case)] = 0.5 * case.settings.tube
    return tightened(case, problem, plan, nodes, most)


def weigh_errors(case, node, H, g):
    """Weights of a neighbourhood, by Gauss and Newton, and slopes: Eq. (4)."""
    lag, across, theta, omega = case.settings.lag, case.settings.contour, case.settings.theta, case.settings.omega
    error = errors_of(case, node)
    turn, b, t = turn_derivative(error.theta), error.turn, error.t
    H[:, :] = 0.0
    # what the turn of the path does to the attitude error, per metre
    along = (
        (turn[0][0] * b[0] + turn[0][1] * b[1]) + turn[0][2] * b[2],
        (turn[1][0] * b[0] + turn[1][1] * b[1]) + turn[1][2] * b[2],
        (turn[2][0] * b[0] + turn[2][1] * b[1]) + turn[2][2] * b[2],
    )
    H[DS, DS], g[DS] = lag * error.pace + theta * square(along), -lag * error.pace * error.lag
    for i in range(3):
        g[DR + i] = lag * error.lag * t[i] + across * error.contour[i]
        g[DW + i], H[DW + i, DW + i] = omega * node[W + i], omega
        H[DR + i, DS] = H[DS, DR + i] = -lag * error.pace * t[i]
        g[DS] -= theta * along[i] * error.theta[i]
        slope, shared = 0.0, 0.0
        for m in range(3):
            slope += theta * turn[m][i] * error.theta[m]
            shared -= theta * turn[m][i] * along[m]
        g[DTHETA + i] = slope
        H[DTHETA + i, DS] = H[DS, DTHETA + i] = shared
        for j in range(3):
            value = 0.0
            for m in range(3):
                value += theta * turn[m][i] * turn[m][j]
            H[DTHETA + i, DTHETA + j] = value
            H[DR + i, DR + j] = (lag - across) * t[i] * t[j] + (across if i == j else 0.0)


def limit_all(case, node, G, h):
    """Soft limits of a neighbourhood: those of every flyer, and the tube, Eq. (5)."""
    limit(case, node, G, h)
    row = rows_of(case)
    error = errors_of(case, node)
    distance = math.sqrt(square(error.contour))
    part = 1.0 / max(distance, TINY)
    for i in range(3):
        G[row, DR + i] = part * error.contour[i]
    h[row] = case.settings.tube - distance


def excess_of(case, node, row):
    """How far a node exceeds a soft limit."""
    if row < rows_of(case):
        return excess(case, node, row)
    return math.sqrt(square(errors_of(case, node).contour)) - case.settings.tube


def largest_excess(case, nodes):
    worst = 0.0
    for k in range(1, nodes.shape[0]):
        for j in range(rows_of(case) + OWN_ROWS):
            worst = max(worst, excess_of(case, nodes[k], j))
    return worst


def bend_limits(case, problem, iterate, nodes):
    bend(case, problem, iterate, nodes, excess_of, rows_of(case) + OWN_ROWS)


def feed_back(case, plan, now, nodes, room):
    """The plan that feedback makes on its way along the path; there always is one."""
    settings, n = case.settings, plan.shape[1] - 1
    step_room, driven = room
    for i in range(NODE + 1):
        nodes[0, i] = now[i]
    for k in range(plan.shape[0]):
        node, plan[k, n] = nodes[k], settings.speed
        error = errors_of(case, node)
        speed, t, turn = error.pace * settings.speed, error.t, error.turn
        r = (
            error.contour[0] + error.lag * t[0],
            error.contour[1] + error.lag * t[1],
            error.contour[2] + error.lag * t[2],
        )
        v = (node[V] - speed * t[0], node[V + 1] - speed * t[1], node[V + 2] - speed * t[2])
        omega = (node[W] - speed * turn[0], node[W + 1] - speed * turn[1], node[W + 2] - speed * turn[2])
        push_back(case, n, node, r, v, error.theta, omega, plan[k], driven)
        drive(case, node, plan[k], driven)
        predict(case.body, node, driven, settings.step, step_room, nodes[k + 1])
        nodes[k + 1, S] = node[S] + settings.step * driven[ALONG]
    return True


def cost_of(case, plan, now, nodes, room):
    """Follow a plan from `now`, into `nodes`, and add up what it costs: Eq. (1)."""
    stages, inputs = plan.shape
    settings, total, n = case.settings, 0.0, inputs - 1
    step_room, driven = room
    for i in range(NODE + 1):
        nodes[0, i] = now[i]
    for k in range(stages):
        drive(case, nodes[k], plan[k], driven)
        node = nodes[k + 1]
        predict(case.body, nodes[k], driven, settings.step, step_room, node)
        node[S] = nodes[k, S] + settings.step * driven[ALONG]
        for i in range(n):
            total += 0.5 * settings.thrust * plan[k, i] * plan[k, i]
        total += 0.5 * settings.progress * (plan[k, n] - settings.speed) * (plan[k, n] - settings.speed)
        error = errors_of(case, node)
        total += 0.5 * settings.lag * error.lag * error.lag + 0.5 * settings.contour * square(error.contour)
        total += 0.5 * settings.theta * square(error.theta)
        total += 0.5 * settings.omega * square((node[W], node[W + 1], node[W + 2]))
        for j in range(rows_of(case) + OWN_ROWS):
            over = max(0.0, excess_of(case, node, j) + case.margins[k + 1, j])
            total += settings.linear * over + 0.5 * settings.quadratic * over * over
    return total
