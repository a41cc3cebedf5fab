"""Plans and predictions of robots: what tasks make of their messages, and of what a solver gives back."""

import numpy as np

from cardan.errors import ShapeError
from cardan.maths import Mat, Vec, mrp_from_quaternion, quaternion_from_mrp
from cardan.mechanism.tree import HINGE
from cardan.messages import (
    ArticulatedPrediction,
    FlyerReference,
    FrameMotion,
    HingeReferences,
    HingeStates,
    SlideStates,
    ThrusterLimits,
    TipReference,
)
from cardan.mpc.plans import node_of
from cardan.mpc.tree_costs import REFERENCE, WEIGHTS
from cardan.mpc.tree_prediction import BASE_Q, BASE_U
from cardan.robotics.packing import FRAME_NUMBERS, FRAME_TURN, KIND, NQ, NU, records_of


def node_of_tree(robot: Vec, base: FrameMotion, hinges: HingeStates, slides: SlideStates) -> Vec:
    """A node of the prediction: coordinates and rates of a robot, whose joints are hinges and slides."""
    nq, nu, b = int(robot[NQ]), int(robot[NU]), records_of(robot)
    node, quaternion = np.zeros(nq + nu), quaternion_from_mrp(base.sigma_BN)
    for i in range(3):
        node[i], node[nq + i], node[nq + 3 + i] = base.r_BN_N[i], base.omega_BN_B[i], base.v_BN_N[i]
    for i in range(4):
        node[3 + i] = quaternion[i]
    hinge, slide = 0, 0
    for j in range(nu - BASE_U):
        if b[1 + j, KIND] == HINGE:
            if hinge < len(hinges.angle):
                node[BASE_Q + j], node[nq + BASE_U + j] = hinges.angle[hinge], hinges.rate[hinge]
            hinge += 1
        else:
            if slide < len(slides.displacement):
                node[BASE_Q + j], node[nq + BASE_U + j] = slides.displacement[slide], slides.rate[slide]
            slide += 1
    if hinge != len(hinges.angle) or slide != len(slides.displacement):
        raise ShapeError("`joints` and `slides` have not as many elements as the robot has hinges and slides")
    return node


def input_limits(thrust_range: Mat, max_effort: Vec, limits: ThrusterLimits) -> tuple[Vec, Vec]:
    """Between which thrusts [N], then efforts of joints, may be chosen; a message may say so of thrusts."""
    thrusters, is_told = len(thrust_range), len(limits.upper) > 0
    if is_told and len(limits.upper) != thrusters:
        raise ShapeError("`limits` are one per thruster")
    lower, upper = np.zeros(thrusters + len(max_effort)), np.zeros(thrusters + len(max_effort))
    for i in range(thrusters):
        lower[i] = limits.lower[i] if is_told else thrust_range[i, 0]
        upper[i] = limits.upper[i] if is_told else thrust_range[i, 1]
    for i in range(len(max_effort)):
        lower[thrusters + i], upper[thrusters + i] = -max_effort[i], max_effort[i]
    return lower, upper


def base_frame() -> Vec:
    """The base's own frame, as frames on a robot are given."""
    frame = np.zeros(FRAME_NUMBERS)
    for i in range(3):
        frame[FRAME_TURN + 4 * i] = 1.0
    return frame


def aims_of(
    tip: Vec, reference: FlyerReference, tip_reference: TipReference, base_weights: Mat, tip_weights: Mat
) -> tuple[Mat, Mat, Mat]:
    """Base and tip as frames that should be somewhere: frames, references, weights."""
    frames, references, weights = np.zeros((2, FRAME_NUMBERS)), np.zeros((2, REFERENCE)), np.zeros((2, WEIGHTS))
    frames[0], frames[1] = base_frame(), tip
    references[0] = node_of(reference.r_RN_N, reference.sigma_RN, reference.v_RN_N, reference.omega_RN_N)
    references[1] = node_of(
        tip_reference.r_TN_N, tip_reference.sigma_TN, tip_reference.v_TN_N, tip_reference.omega_TN_N
    )
    for i in range(WEIGHTS):
        weights[0, i], weights[1, i] = base_weights[i // 4, i % 4], tip_weights[i // 4, i % 4]
    return frames, references, weights


def posture_of(robot: Vec, posture: Vec, reference: HingeReferences) -> Mat:
    """(2, n_m) Where joints should be, and how fast they should go: what a message says of hinges, else the posture."""
    out, b, hinge = np.zeros((2, len(posture))), records_of(robot), 0
    is_told = len(reference.angle) > 0
    for j in range(len(posture)):
        out[0, j] = posture[j]
        if is_told and b[1 + j, KIND] == HINGE:
            if hinge < len(reference.angle):
                out[0, j], out[1, j] = reference.angle[hinge], reference.rate[hinge]
            hinge += 1
    if is_told and hinge != len(reference.angle):
        raise ShapeError("`joint_reference` has not as many elements as the robot has hinges")
    return out


UNLIMITED = 1.0e9
"""What parameters say where a joint has no limit: they are finite."""


def ranges_of(joint_range: Mat, rate: Vec) -> Mat:
    """(3, n_m) Limits of joints as the solver takes them: infinite where there is none."""
    out = np.zeros((3, len(rate)))
    for j in range(len(rate)):
        out[0, j] = joint_range[j, 0] if joint_range[j, 0] > -UNLIMITED else -np.inf
        out[1, j] = joint_range[j, 1] if joint_range[j, 1] < UNLIMITED else np.inf
        out[2, j] = rate[j] if rate[j] < UNLIMITED else np.inf
    return out


def efforts_by_kind(robot: Vec, effort: Vec) -> tuple[Vec, Vec]:
    """Torques of hinges [N m] and forces of slides [N]."""
    b, hinges = records_of(robot), 0
    for j in range(len(effort)):
        hinges += 1 * (b[1 + j, KIND] == HINGE)
    torque, force, hinge, slide = np.zeros(hinges), np.zeros(len(effort) - hinges), 0, 0
    for j in range(len(effort)):
        if b[1 + j, KIND] == HINGE:
            torque[hinge] = effort[j]
            hinge += 1
        else:
            force[slide] = effort[j]
            slide += 1
    return torque, force


def tree_prediction_of(nodes: Mat, plan: Mat, tips: Mat, nq: int, thrusters: int, step: float) -> ArticulatedPrediction:
    """A message about nodes and the plan that leads along them."""
    count = nodes.shape[0]
    time, sigma = np.zeros(count), np.zeros((count, 3))
    for k in range(count):
        time[k] = k * step
        mrp = mrp_from_quaternion(nodes[k, 3:7].copy())
        for i in range(3):
            sigma[k, i] = mrp[i]
    places = nodes[:, 0:3].copy(), nodes[:, nq + 3 : nq + 6].copy(), nodes[:, nq : nq + 3].copy()
    joint, rate = nodes[:, BASE_Q:nq].copy(), nodes[:, nq + BASE_U :].copy()
    thrust, effort = plan[:, :thrusters].copy(), plan[:, thrusters:].copy()
    return ArticulatedPrediction(time, places[0], places[1], sigma, places[2], tips.copy(), joint, rate, thrust, effort)
