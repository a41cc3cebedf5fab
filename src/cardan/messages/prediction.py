"""What predictive controllers expect, and how their solvers fared."""

from typing import Annotated, NamedTuple

from cardan.contracts import message
from cardan.maths import ZERO3, Mat, Rows3, Vec, Vec3


@message
class FlyerPrediction(NamedTuple):
    """Where a controller expects a free flyer to go, stage by stage from now.

    Attributes:
        time: [s] From now.
        r_BN_N: [m] Positions of its centre of mass, in inertial components.
        v_BN_N: [m/s] Velocities, in inertial components.
        sigma_BN: [-] Attitudes.
        omega_BN_B: [rad/s] Angular velocities, in body components.
        thrust: [N] Of each thruster, a row for each stage but the last.
    """

    time: Annotated[Vec, "s"]
    r_BN_N: Annotated[Rows3, "m"]
    v_BN_N: Annotated[Rows3, "m/s"]
    sigma_BN: Annotated[Rows3, "-"]
    omega_BN_B: Annotated[Rows3, "rad/s"]
    thrust: Annotated[Mat, "N"]


@message
class ArticulatedPrediction(NamedTuple):
    """Where a controller expects a base with joints to go, stage by stage from now.

    Attributes:
        time: [s] From now.
        r_BN_N: [m] Positions of the base's frame, in inertial components.
        v_BN_N: [m/s] Its velocities, in inertial components.
        sigma_BN: [-] Its attitudes.
        omega_BN_B: [rad/s] Its angular velocities, in body components.
        r_TN_N: [m] Positions of the tip, in inertial components.
        joint: [-] Coordinates of the joints, [rad] of hinges and [m] of slides, a row for each stage.
        joint_rate: [1/s] Their rates.
        thrust: [N] Of each thruster, or components of a wrench, a row for each stage but the last.
        effort: [-] Along each joint, [N m] or [N], the same.
    """

    time: Annotated[Vec, "s"]
    r_BN_N: Annotated[Rows3, "m"]
    v_BN_N: Annotated[Rows3, "m/s"]
    sigma_BN: Annotated[Rows3, "-"]
    omega_BN_B: Annotated[Rows3, "rad/s"]
    r_TN_N: Annotated[Rows3, "m"]
    joint: Annotated[Mat, "-"]
    joint_rate: Annotated[Mat, "1/s"]
    thrust: Annotated[Mat, "N"]
    effort: Annotated[Mat, "-"]


@message
class SolverStatus(NamedTuple):
    """How a solver fared at a tick.

    Attributes:
        is_converged: [-] Whether the last program was solved to its tolerance.
        is_fallback: [-] Whether the solver broke down, so that the plan of the tick before was continued.
        programs: [-] Quadratic programs that were solved.
        iterations: [-] Of the interior point, over all of them.
        mu: [-] Mean product of slacks and multipliers of the last program; -1 if it broke down.
        residual: [-] Largest violation of its conditions of optimality, relative to their terms; -1 if it broke down.
        cost: [-] Of the plan, by its own prediction.
        excess: [-] Largest excess over a soft limit along the prediction, in the unit of that limit.
        active: [-] Bounds and soft limits that the plan meets.
    """

    is_converged: Annotated[bool, "-"] = True
    is_fallback: Annotated[bool, "-"] = False
    programs: Annotated[int, "-"] = 0
    iterations: Annotated[int, "-"] = 0
    mu: Annotated[float, "-"] = 0.0
    residual: Annotated[float, "-"] = 0.0
    cost: Annotated[float, "-"] = 0.0
    excess: Annotated[float, "-"] = 0.0
    active: Annotated[int, "-"] = 0


@message
class LearntThrusters(NamedTuple):
    """What is known of the errors of a prediction's thrusters, and of what pushes from outside.

    Attributes:
        thrust_error: [N] What each thruster gives more than is demanded, a row each, at even places from no thrust to
            the largest; in between it is linear. No columns if nothing is known.
        force_N: [N] From outside, in inertial components.
        torque_B: [N m] From outside, in body components.
        factor: [-] Upper triangular U: (U' U)^-1 is the covariance of all numbers above, in their order.
    """

    thrust_error: Annotated[Mat, "N"]
    force_N: Annotated[Vec3, "N"]
    torque_B: Annotated[Vec3, "N m"]
    factor: Annotated[Mat, "-"]


@message
class LearningStatus(NamedTuple):
    """How learning goes.

    Attributes:
        points: [-] In the window.
        surprise: [-] How far the newest is from what all others say, in standard deviations squared: 6 on average.
        is_changed: [-] Whether a change was found at this tick, so that older points were forgotten.
        changes: [-] How many were found so far.
        force_B: [N] What the prediction lacked over the last period, in body components.
        torque_B: [N m] The same.
        thrust_error: [N] What each thruster gave more than was demanded over the last period, by what is known.
        thrust_deviation: [N] Its standard deviation.
    """

    thrust_error: Annotated[Vec, "N"]
    thrust_deviation: Annotated[Vec, "N"]
    points: Annotated[int, "-"] = 0
    surprise: Annotated[float, "-"] = 0.0
    is_changed: Annotated[bool, "-"] = False
    changes: Annotated[int, "-"] = 0
    force_B: Annotated[Vec3, "N"] = ZERO3
    torque_B: Annotated[Vec3, "N m"] = ZERO3
