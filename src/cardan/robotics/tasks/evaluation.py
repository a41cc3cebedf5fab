"""What all tasks of robots begin with: coordinates from messages, and the matrices at them."""

from typing import NamedTuple

import numpy as np

from cardan.contracts import Constraint
from cardan.errors import ShapeError
from cardan.maths import Mat, Mat3, Vec, Vec3, matvec, mrp_from_dcm, mrp_relative, quaternion_from_mrp
from cardan.maths.matrices import times
from cardan.messages import FrameMotion, HingeStates, TipReference
from cardan.robotics.control import reaction_equations
from cardan.robotics.inertia import gather, inertia_at, weigh
from cardan.robotics.kinematics import TURN_, WIDTH, jacobian_at, new_tables, place, point_of
from cardan.robotics.packing import (
    FRAME_LINK,
    FRAME_NUMBERS,
    FRAME_TURN,
    HEADER,
    IS_FREE,
    LINKS,
    NQ,
    NU,
    RECORD,
    records_of,
)


class Evaluation(NamedTuple):
    """A robot at one tick.

    Attributes:
        r_TN_N: [m] Position of the tip, in inertial components.
        R_T: [-] Takes components of the tip to inertial ones.
        t: (6,) Twist of the tip (angular, linear), in inertial components.
        J_0: (6, 6) Jacobian of the tip, of the base; zero where there is none.
        J_m: (6, n) Jacobian of the tip, of the joints.
        H_0: (6, 6) Inertia of the base; one where there is none, so that it can be inverted.
        H_0m: (6, n) Coupling inertia.
        u_0: (6,) Rates of the base.
        momentum: (6,) H_0 u_0 + H_0m u_m.
    """

    r_TN_N: Vec3
    R_T: Mat3
    t: Vec
    J_0: Mat
    J_m: Mat
    H_0: Mat
    H_0m: Mat
    u_0: Vec
    momentum: Vec


RobotNumbers = Constraint(
    "the row of numbers of a robot",
    lambda robot: len(robot) >= HEADER and len(robot) == HEADER + RECORD * robot[LINKS] + 2 * robot[NU],
    found=lambda robot: f"{len(robot)} other numbers",
    advice="Give `Robot(...).numbers`.",
)
FrameNumbers = Constraint(
    "the row of numbers of a frame on `robot`",
    lambda tip, robot: len(tip) == FRAME_NUMBERS and 0 <= tip[FRAME_LINK] < robot[LINKS],
    of=("robot",),
    found=lambda tip, robot: f"{len(tip)} other numbers",
    advice="Give `robot.frame(...).numbers`.",
)


def coordinates(robot: Vec, base: FrameMotion, joints: HingeStates) -> tuple[Vec, Vec]:
    """Coordinates q and rates u from the motion of the base's frame and the states of all joints, which are hinges."""
    q, u = np.zeros(int(robot[NQ])), np.zeros(int(robot[NU]))
    is_free = robot[IS_FREE] != 0.0
    n_q, n_u = (7, 6) if is_free else (0, 0)
    if len(joints.angle) != len(q) - n_q or len(joints.rate) != len(u) - n_u:
        raise ShapeError("`joints` has not as many hinges as the robot: connect `robot.hinges(...)` with all of them")
    if is_free:
        q[0:3] = base.r_BN_N
        q[3:7] = quaternion_from_mrp(base.sigma_BN)
        u[0:3] = base.omega_BN_B
        u[3:6] = base.v_BN_N
    q[n_q:] = joints.angle
    u[n_u:] = joints.rate
    return q, u


def evaluate(robot: Vec, tip: Vec, base: FrameMotion, joints: HingeStates) -> Evaluation:
    """Pose and Jacobian of the tip, and the inertia of the robot."""
    q, u = coordinates(robot, base, joints)
    w, s = new_tables(robot, WIDTH)
    b = records_of(robot)
    J, H = np.empty((6, len(u))), np.empty((len(u), len(u)))
    place(robot, b, q, w, s)
    weigh(b, w)
    gather(b, w)
    inertia_at(robot, b, w, s, H)
    jacobian_at(robot, b, w, s, tip, J)
    p = point_of(w, tip)
    R_T = np.zeros((3, 3))
    link = int(tip[FRAME_LINK])
    for i in range(3):
        for j in range(3):
            for k in range(3):
                R_T[i, j] += w[link, TURN_ + 3 * i + k] * tip[FRAME_TURN + 3 * k + j]
    r_TN_N = np.array([p[0], p[1], p[2]])
    if robot[IS_FREE] != 0.0:
        r_TN_N = r_TN_N + base.r_BN_N
        J_0, J_m = J[:, :6].copy(), J[:, 6:].copy()
        H_0, H_0m, u_0 = H[:6, :6].copy(), H[:6, 6:].copy(), u[:6].copy()
    else:
        J_0, J_m = np.zeros((6, 6)), J
        H_0, H_0m, u_0 = np.eye(6), np.zeros((6, len(u))), np.zeros(6)
    momentum = times(H_0, u_0) + times(H_0m, joints.rate)
    return Evaluation(r_TN_N, R_T, times(J, u), J_0, J_m, H_0, H_0m, u_0, momentum)


def tip_error(now: Evaluation, reference: TipReference) -> tuple[Vec3, Vec3]:
    """Rotation [rad] and displacement [m] from the tip to where it should be, in inertial components.

    The rotation is four times the MRP: the rotation vector for small angles.
    """
    sigma_DT = mrp_relative(reference.sigma_TN, mrp_from_dcm(now.R_T.T))
    return 4.0 * matvec(now.R_T, sigma_DT), reference.r_TN_N - now.r_TN_N


def floating_equations(now: Evaluation, momentum: Vec) -> tuple[Mat, Vec]:
    """G (12, n) and drift (12,) of base and tip: [u_0; t] = G u_m + drift. Eqs. (29) and (30)."""
    return reaction_equations(now.H_0, now.H_0m, now.J_0, now.J_m, momentum)


def tip_command(now: Evaluation, reference: TipReference, attitude_gain: float, position_gain: float) -> Vec:
    """(6,) Twist that brings the tip to its reference: the reference's own, and feedback of the error. Eq. (35)."""
    rotation_N, displacement_N = tip_error(now, reference)
    t = np.zeros(6)
    t[0:3] = reference.omega_TN_N + attitude_gain * rotation_N
    t[3:6] = reference.v_TN_N + position_gain * displacement_N
    return t
