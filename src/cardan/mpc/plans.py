"""Plans and predictions of free flyers: what tasks make of their messages, and of what a solver gives back."""

import numpy as np

from cardan.maths import Mat, Rows3, Vec, Vec3, dot, mrp_from_quaternion, mrp_relative, norm, quaternion_from_mrp
from cardan.messages import BodyWrench, FlyerPrediction, LearntThrusters, SolverStatus, ThrusterLimits
from cardan.mpc.flyer_prediction import NODE, Q, R, V, W
from cardan.mpc.interior_point import BROKEN_DOWN, SOLVED


def node_of(r: Vec3, sigma: Vec3, v: Vec3, omega: Vec3) -> Vec:
    """A node of the prediction."""
    node, q = np.zeros(NODE), quaternion_from_mrp(sigma)
    for i in range(3):
        node[R + i], node[V + i], node[W + i] = r[i], v[i], omega[i]
    for i in range(4):
        node[Q + i] = q[i]
    return node


def thrust_limits(max_thrust: Vec, limits: ThrusterLimits) -> tuple[Vec, Vec]:
    """[N] Between which thrusts may be chosen: what a message says, else from nothing to the largest."""
    if len(limits.upper) == 0:
        return np.zeros(len(max_thrust)), max_thrust.copy()
    if len(limits.upper) != len(max_thrust):
        raise ValueError("limits are one per thruster")
    return limits.lower.copy(), limits.upper.copy()


def learnt_weights(learnt: LearntThrusters, thrusters: int) -> Vec:
    """What is known of the thrusters, in a row, as `gaussian_process.Posterior` has it."""
    nodes = learnt.thrust_error.shape[1]
    out = np.zeros(thrusters * nodes + 6)
    if nodes > 0 and learnt.thrust_error.shape[0] != thrusters:
        raise ValueError("what is learnt is one row per thruster")
    if nodes > 0 and (learnt.factor.shape[0] != len(out) or learnt.factor.shape[1] != len(out)):
        raise ValueError("the factor of what is learnt has a row for each of its numbers")
    for i in range(thrusters * (nodes > 0)):
        for j in range(nodes):
            out[i * nodes + j] = learnt.thrust_error[i, j]
    for i in range(3):
        out[thrusters * nodes + i], out[thrusters * nodes + 3 + i] = learnt.force_N[i], learnt.torque_B[i]
    return out


def shifted(plan: Mat, steps: float) -> Mat:
    """A plan that is `steps` of its steps older; its last row is kept."""
    out, last = np.zeros(plan.shape), plan.shape[0] - 1
    whole = int(np.floor(steps))
    part = steps - whole
    for k in range(plan.shape[0]):
        here, there = min(k + whole, last), min(k + whole + 1, last)
        for i in range(plan.shape[1]):
            out[k, i] = (1.0 - part) * plan[here, i] + part * plan[there, i]
    return out


def within(plan: Mat, lower: Vec, upper: Vec) -> Mat:
    """A plan with every thrust between its limits."""
    out = np.zeros(plan.shape)
    for k in range(plan.shape[0]):
        for i in range(plan.shape[1]):
            out[k, i] = min(max(plan[k, i], lower[i]), upper[i])
    return out


def has_jumped(before_N: Vec3, before: Vec3, now_N: Vec3, now: Vec3, jump: float) -> bool:
    """Whether a reference is further than `jump` [m], [rad] from where it was expected: positions and MRPs."""
    turned = mrp_relative(now, before)
    is_far: bool = norm(now_N - before_N) > jump or 4.0 * norm(turned) / (1.0 + dot(turned, turned)) > jump
    return is_far


def beside(rows_N: Rows3, column: Vec) -> Mat:
    """(n, 4) Vectors with a number beside each."""
    out = np.zeros((len(column), 4))
    for i in range(len(column)):
        for j in range(3):
            out[i, j] = rows_N[i, j]
        out[i, 3] = column[i]
    return out


def wrench_of(mixer: Mat, thrust: Vec) -> BodyWrench:
    """Force and torque about the centre of mass that thrusts give."""
    wrench = np.zeros(6)
    for i in range(6):
        for j in range(len(thrust)):
            wrench[i] += mixer[i, j] * thrust[j]
    return BodyWrench(wrench[:3].copy(), wrench[3:].copy())


def prediction_of(nodes: Mat, plan: Mat, step: float) -> FlyerPrediction:
    """A message about nodes and the plan that leads along them."""
    count = nodes.shape[0]
    time, sigma = np.zeros(count), np.zeros((count, 3))
    for k in range(count):
        time[k] = k * step
        mrp = mrp_from_quaternion(nodes[k, Q : Q + 4].copy())
        for i in range(3):
            sigma[k, i] = mrp[i]
    places = nodes[:, R : R + 3].copy(), nodes[:, V : V + 3].copy(), nodes[:, W : W + 3].copy()
    return FlyerPrediction(time, places[0], places[1], sigma, places[2], plan.copy())


def status_of(outcome: Vec) -> SolverStatus:
    """A message about a `sqp.Outcome`."""
    return SolverStatus(
        outcome[0] == SOLVED,
        outcome[0] == BROKEN_DOWN,
        int(outcome[1]),
        int(outcome[2]),
        outcome[3],
        outcome[4],
        outcome[5],
        outcome[6],
        int(outcome[7]),
    )
