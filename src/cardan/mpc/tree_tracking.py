"""Predictive control of base and joints of a robot: sequential quadratic programming over its prediction.

Native code `f(t, context) -> status` (docs/theory/articulated_mpc.md). All that it reads and writes lies at the
addresses in its context, `Slots`. Every program begins with a plan that can be flown and ends with one that costs less,
so that any number of programs is a controller.
"""

from typing import Any, NamedTuple

import numpy as np

from cardan.mpc.dense import dot, row_dot
from cardan.mpc.problem import Problem, new_iterate
from cardan.mpc.sqp import Budget, improve, no_feedback, put_within, report, stay
from cardan.mpc.tree_costs import (
    ERRORS,
    JOINT_WEIGHTS,
    REFERENCE,
    WEIGHTS,
    Aims,
    Limits,
    count_rows,
    limit_rows,
    look,
    margins,
    node_cost,
    weigh_node,
    weigh_round_limits,
)
from cardan.mpc.tree_prediction import BASE_U, TreeRoom, new_tree_room, predict, predict_near
from cardan.native.pointers import load_int
from cardan.native.storage import float_matrix, float_vector
from cardan.robotics.kinematics import point_of
from cardan.robotics.packing import FRAME_NUMBERS, NQ, NU


class Slots(NamedTuple):
    """The context: whole numbers first, then addresses of rows of numbers.

    Attributes:
        stages: N.
        thrusters: Inputs of the base: thrusters, or the components of a wrench.
        frames: How many frames should be somewhere; the last one's way is reported.
        points: How many points keep clear.
        spheres: Of how many spheres.
        walls: And of how many walls.
        programs: Most programs.
        iterations: Most iterations of each.
        words: Of the robot.
        settings: step, max_speed, max_rate, penalties (linear, quadratic), tolerance.
        robot: (words,)
        mixer: (6, thrusters)
        weights: (inputs,) Of inputs: thrusters, then joints.
        lower: (inputs,)
        upper: (inputs,)
        frames_at: (frames, 13)
        references: (frames, 13)
        frame_weights: (frames, 8)
        joint_weights: (4,)
        posture: (2, n_m) And pace.
        ranges: (3, n_m) Lowest and highest coordinates of joints, largest rates.
        points_at: (points, 13)
        radii: (points,)
        spheres_at: (spheres, 4)
        walls_at: (walls, 4)
        now: (nq + nu,) Where the robot is.
        plan: (N, inputs) On entry what was planned, within bounds; on return what is planned.
        nodes: (N + 1, nq + nu) On return where that leads.
        tips: (N + 1, 3) On return where the last frame goes.
        outcome: As `sqp.Outcome`.
        first_programs: Most about a plan that is new, or exceeds a soft limit.
        is_new: Whether the plan is no more than a guess.
    """

    stages: int
    thrusters: int
    frames: int
    points: int
    spheres: int
    walls: int
    programs: int
    iterations: int
    words: int
    settings: int
    robot: int
    mixer: int
    weights: int
    lower: int
    upper: int
    frames_at: int
    references: int
    frame_weights: int
    joint_weights: int
    posture: int
    ranges: int
    points_at: int
    radii: int
    spheres_at: int
    walls_at: int
    now: int
    plan: int
    nodes: int
    tips: int
    outcome: int
    first_programs: int
    is_new: int


SETTINGS = 6


class Case(NamedTuple):
    """What does not change between programs.

    Attributes:
        room: The robot, and memory.
        aims: What it should do.
        limits: What it should not do.
        mixer: (6 + n_m, inputs) From inputs to what drives the robot.
        weights: (inputs,)
        lower: (inputs,)
        upper: (inputs,)
        linear: Penalty of what exceeds a soft limit.
        quadratic: The same.
        y: (6 + n_m,) Memory: what drives the robot.
        gap: (rows,) Memory: what soft limits leave.
    """

    room: TreeRoom
    aims: Aims
    limits: Limits
    mixer: Any
    weights: Any
    lower: Any
    upper: Any
    linear: float
    quadratic: float
    y: Any
    gap: Any


def track_tree(t, context):
    """Improve a plan."""
    slots = slots_at(context)
    settings = float_vector(slots.settings, SETTINGS)
    case = case_at(slots, settings)
    stages, inputs, near = slots.stages, len(case.weights), 2 * len(case.y)
    plan = float_matrix(slots.plan, stages, inputs)
    now = float_vector(slots.now, int(case.room.m[NQ]) + int(case.room.m[NU]))
    nodes = float_matrix(slots.nodes, stages + 1, len(now))
    problem, iterate = new_problem(case, stages), new_iterate(stages, near, inputs, len(case.gap))
    room, trial = np.zeros((ERRORS, near)), np.zeros((stages, inputs))

    put_within(plan, case.lower, case.upper)
    cost, is_new = cost_of(case, plan, now, nodes, room), slots.is_new > 0
    put_within(trial, case.lower, case.upper)
    if not cost <= cost_of(case, trial, now, nodes, room):
        # a plan that is worse than to give nothing is no guess: the craft is not what it was
        plan[:, :] = trial
        is_new = True
    budget = Budget(settings[5], slots.programs, slots.first_programs, slots.iterations, is_new, 0)
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
        no_feedback,
    )
    excess, active = watch(case, plan, nodes, float_matrix(slots.tips, stages + 1, 3))
    report(slots.outcome, done, excess, active)
    return 0


MET = 1.0e-3  # [-] of its range that an input at a bound is away from it at the most; for soft limits in their unit


# ---- memory --------------------------------------------------------------------------------------------------------


def slots_at(context):
    w = context
    return Slots(
        load_int(w), load_int(w + 8), load_int(w + 16), load_int(w + 24), load_int(w + 32), load_int(w + 40),
        load_int(w + 48), load_int(w + 56), load_int(w + 64), load_int(w + 72), load_int(w + 80), load_int(w + 88),
        load_int(w + 96), load_int(w + 104), load_int(w + 112), load_int(w + 120), load_int(w + 128), load_int(w + 136),
        load_int(w + 144), load_int(w + 152), load_int(w + 160), load_int(w + 168), load_int(w + 176),
        load_int(w + 184), load_int(w + 192), load_int(w + 200), load_int(w + 208), load_int(w + 216),
        load_int(w + 224), load_int(w + 232), load_int(w + 240), load_int(w + 248),
    )  # fmt: skip


def case_at(slots, settings):
    robot = float_vector(slots.robot, slots.words)
    room = new_tree_room(robot)
    joints = int(robot[NU]) - BASE_U
    inputs = slots.thrusters + joints
    posture, ranges = float_matrix(slots.posture, 2, joints), float_matrix(slots.ranges, 3, joints)
    aims = Aims(
        settings[0],
        float_matrix(slots.frames_at, slots.frames, FRAME_NUMBERS),
        float_matrix(slots.references, slots.frames, REFERENCE),
        float_matrix(slots.frame_weights, slots.frames, WEIGHTS),
        float_vector(slots.joint_weights, JOINT_WEIGHTS),
        posture[0],
        posture[1],
    )
    limits = Limits(
        settings[0],
        settings[1],
        settings[2],
        ranges[0],
        ranges[1],
        ranges[2],
        float_matrix(slots.points_at, slots.points, FRAME_NUMBERS),
        float_vector(slots.radii, slots.points),
        float_matrix(slots.spheres_at, slots.spheres, 4),
        float_matrix(slots.walls_at, slots.walls, 4),
    )
    return Case(
        room, aims, limits, whole_mixer(float_matrix(slots.mixer, BASE_U, slots.thrusters), joints),
        float_vector(slots.weights, inputs), float_vector(slots.lower, inputs), float_vector(slots.upper, inputs),
        settings[3], settings[4], np.zeros(BASE_U + joints), np.zeros(count_rows(limits)),
    )  # fmt: skip


def whole_mixer(mixer, joints):
    """Thrusters drive the base, and every joint has an input of its own."""
    rows, thrusters = mixer.shape
    out = np.zeros((rows + joints, thrusters + joints))
    out[:rows, :thrusters] = mixer
    for j in range(joints):
        out[rows + j, thrusters + j] = 1.0
    return out


def new_problem(case, stages):
    """The program, with all that does not follow from a plan."""
    rows, outputs, inputs = len(case.gap), len(case.y), len(case.weights)
    near = 2 * outputs
    problem = Problem(
        np.zeros((stages, near, near)), np.zeros((stages, near, outputs)), np.zeros((stages, near)), case.mixer,
        np.zeros((stages + 1, near, near)), np.zeros((stages + 1, near)), case.weights, np.zeros((stages, inputs)),
        np.zeros((stages, inputs)), np.zeros((stages, inputs)), np.zeros((stages + 1, rows, near)),
        np.zeros((stages + 1, rows)), case.linear * np.ones(rows), case.quadratic * np.ones(rows),
    )  # fmt: skip
    for k in range(stages):
        for i in range(inputs):
            problem.lower[k, i], problem.upper[k, i], problem.r[k, i] = case.lower[i], case.upper[i], 0.0
    return problem


# ---- the program ---------------------------------------------------------------------------------------------------


def drive(case, row):
    """What a row of a plan drives the robot with, into `case.y`."""
    for i in range(len(case.y)):
        case.y[i] = dot(case.mixer[i], row)


def linearise(case, problem, iterate, plan, nodes, E):
    """The program about a plan: dynamics, errors and soft limits in its neighbourhood; the limits never move."""
    stages = plan.shape[0]
    for k in range(stages):
        drive(case, plan[k])
        A, B, node = problem.A[k], problem.B[k], nodes[k + 1]
        predict_near(case.room, nodes[k], case.y, case.aims.step, node, A, B)
        for i in range(len(B)):
            problem.c[k, i] = -dot(B[i], case.y)
        look(case.room, node)
        weigh_node(case.room, case.aims, node, k + 1, stages, E, problem.Q[k + 1], problem.q[k + 1])
        margins(case.room, case.limits, node, problem.h[k + 1])
        limit_rows(case.room, case.limits, node, problem.G[k + 1])
        weigh_round_limits(case.room, case.limits, node, iterate.row[k + 1], problem.G[k + 1], problem.Q[k + 1])
    return False


def cost_of(case, plan, now, nodes, E):
    """Follow a plan from `now`, into `nodes`, and add up what it costs: Eq. (1)."""
    stages, total = plan.shape[0], 0.0
    for i in range(len(now)):
        nodes[0, i] = now[i]
    for k in range(stages):
        drive(case, plan[k])
        predict(case.room, nodes[k], case.y, case.aims.step, nodes[k + 1])
        for i in range(plan.shape[1]):
            total += 0.5 * case.weights[i] * plan[k, i] * plan[k, i]
        look(case.room, nodes[k + 1])
        total += node_cost(case.room, case.aims, nodes[k + 1], k + 1, stages)
        margins(case.room, case.limits, nodes[k + 1], case.gap)
        for j in range(len(case.gap)):
            over = max(0.0, -case.gap[j])
            total += case.linear * over + 0.5 * case.quadratic * over * over
    return total


def largest_excess(case, nodes):
    worst = 0.0
    for k in range(1, nodes.shape[0]):
        look(case.room, nodes[k])
        margins(case.room, case.limits, nodes[k], case.gap)
        for j in range(len(case.gap)):
            worst = max(worst, -case.gap[j])
    return worst


def bend_limits(case, problem, iterate, nodes):
    """Make soft limits of a program exact at `nodes`, where its step leads: a round one leaves less than it says."""
    for k in range(1, nodes.shape[0]):
        look(case.room, nodes[k])
        margins(case.room, case.limits, nodes[k], case.gap)
        for j in range(len(case.gap)):
            left = row_dot(problem.G, k, j, iterate.x) + case.gap[j]
            problem.h[k, j] = min(problem.h[k, j], left)


def watch(case, plan, nodes, tips):
    """Largest excess over a soft limit, and how many bounds and soft limits are met; writes the way of the tip."""
    worst, count, last = 0.0, 0.0, len(case.aims.frames) - 1
    for k in range(nodes.shape[0]):
        look(case.room, nodes[k])
        p = point_of(case.room.w, case.aims.frames[last])
        for i in range(3):
            tips[k, i] = nodes[k, i] + p[i]
        if k == 0:
            continue
        for i in range(plan.shape[1]):
            near = MET * (case.upper[i] - case.lower[i])
            count += 1.0 * (plan[k - 1, i] - case.lower[i] <= near or case.upper[i] - plan[k - 1, i] <= near)
        margins(case.room, case.limits, nodes[k], case.gap)
        for j in range(len(case.gap)):
            worst = max(worst, -case.gap[j])
            count += 1.0 * (case.gap[j] <= MET)
    return worst, count
