"""Linear-quadratic control of a free flyer's position and attitude."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import Constraint, Inertia, NotNegative, OfShape, Positive, task
from cardan.contracts.constraints import require
from cardan.errors import ImpossibleValue
from cardan.fsw.allocation.thruster_allocation import ALL_AXES, EFFORT, NO_LIMITS, six, thrusts_for
from cardan.fsw.allocation.wrench_axes import AnyWrench, OnePerColumn, SixRows
from cardan.fsw.control.flyer_error import FlyerControlOutputs, error_vector, feed_forward, flyer_error
from cardan.maths import Mat, Mat3, Vec
from cardan.maths.matrices import times
from cardan.messages import BodyWrench, FlyerReference, FrameMotion, ThrusterLimits

STATE_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 10.0, 10.0, 10.0, 1.0, 1.0, 1.0)
"""Of position [1/m^2], attitude [1/rad^2], velocity [s^2/m^2] and rate [s^2/rad^2], as SmallSatSim has them."""


@task
class FlyerLqr(NamedTuple):
    """Linear-quadratic feedback of the error on SE(3), with the thrusts that come closest to its wrench.

        wrench = - gain [r_BR, theta_BR, v_BR, omega_BR] + what the reference needs                               (1)

    In body components and about the centre of mass, whose motion it reads. `flyer_lqr` makes the gain.

    Attributes:
        mass: [kg]
        inertia_B: [kg m^2] About the centre of mass, in body components.
        mixer: [-] Maps thrusts to force and torque about the centre of mass, a column for each thruster.
        max_thrust: [N] Of each thruster.
        gain: [-] (6, 12) From the error to force [N] and torque [N m].
        weights: [-] Of force x, y, z and torque x, y, z where thrusters cannot give all.
        effort: [-] Weight of the thrusts themselves.
    """

    mass: Annotated[float, "kg", Positive]
    inertia_B: Annotated[Mat3, "kg m^2", Inertia]
    mixer: Annotated[Mat, "-", SixRows, AnyWrench]
    max_thrust: Annotated[Vec, "N", Positive, OnePerColumn]
    gain: Annotated[Mat, "-", OfShape(6, 12)]
    weights: Annotated[Vec, "-", NotNegative, OfShape(6)] = ALL_AXES
    effort: Annotated[float, "-", Positive] = EFFORT

    def step(
        self, motion: FrameMotion, reference: FlyerReference, limits: ThrusterLimits = NO_LIMITS
    ) -> FlyerControlOutputs:
        # Eq. (1)
        error = flyer_error(motion, reference)
        along_B, turning_B = feed_forward(motion, reference, self.mass, self.inertia_B)
        asked = six(along_B, turning_B) - times(self.gain, error_vector(error))
        command, status = thrusts_for(asked, self.mixer, self.max_thrust, self.weights, self.effort, limits)
        return FlyerControlOutputs(command, BodyWrench(asked[:3].copy(), asked[3:].copy()), error, status)


_SemiDefinite = Constraint(
    "symmetric and positive semi-definite",
    lambda value: (
        value.ndim == 2
        and value.shape[0] == value.shape[1]
        and np.allclose(value, value.T, rtol=1e-9, atol=0.0)
        and float(np.linalg.eigvalsh(value)[0]) >= -1e-12 * float(np.abs(value).max())
    ),
    found=lambda value: (
        f"a least eigenvalue of {np.linalg.eigvalsh(0.5 * (value + value.T))[0]:.6g}"
        if value.ndim == 2 and value.shape[0] == value.shape[1]
        else f"shape {value.shape}"
    ),
)


def lqr_gain(
    mass: float, inertia_B: Mat3, mixer: Mat, period: float, state_weights: Any, thrust_weight: float
) -> np.ndarray:
    """The gain (6, 12) of `FlyerLqr`: docs/theory/flyer_lqr.md, Eqs. (2) to (5)."""
    from scipy.linalg import solve_discrete_are

    dt = float(require("flyer_lqr.period", period, "s", OfShape(), Positive))
    weight = float(require("flyer_lqr.thrust_weight", thrust_weight, "-", OfShape(), Positive))
    given = np.asarray(state_weights, dtype=float)
    Q = require("flyer_lqr.state_weights", np.diag(given) if given.ndim == 1 else given, "-", _SemiDefinite)
    if Q.shape != (12, 12):
        raise ImpossibleValue(
            "`flyer_lqr.state_weights` must be 12 numbers or a matrix of 12 x 12: position, attitude, velocity, rate.\n"
            f"  got {given.shape}"
        )
    # Eq. (2), exact over a period in which the wrench is constant
    spread = np.zeros((6, 6))
    spread[:3, :3], spread[3:, 3:] = np.eye(3) / mass, np.linalg.inv(inertia_B)
    A = np.block([[np.eye(6), dt * np.eye(6)], [np.zeros((6, 6)), np.eye(6)]])
    B = np.vstack([0.5 * dt * dt * spread, dt * spread])
    # Eq. (3): the least effort with which thrusters give a wrench
    R = weight * np.linalg.inv(mixer @ mixer.T)
    try:
        P = solve_discrete_are(A, B, Q, R)
        gain = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        slowest = float(np.abs(np.linalg.eigvals(A - B @ gain)).max())
    except np.linalg.LinAlgError:
        slowest = 1.0
    if not slowest < 1.0 - 1e-9:
        raise ImpossibleValue(
            "`flyer_lqr.state_weights` leaves errors without a price, so that there is no stable gain.\n"
            "  Give position and attitude along every axis a weight above 0."
        )
    return np.asarray(gain)


def flyer_lqr(
    mass: float,
    inertia_B: Mat3,
    mixer: Mat,
    max_thrust: Vec,
    *,
    period: float,
    state_weights: Any = STATE_WEIGHTS,
    thrust_weight: float = 1e-3,
) -> FlyerLqr:
    """Linear-quadratic control with the gain that minimises a sum over all periods.

    Args:
        mass: [kg]
        inertia_B: [kg m^2] (3, 3)
        mixer: [-] (6, n)
        max_thrust: [N] (n,)
        period: [s] Of the task.
        state_weights: [-] 12, or 12 x 12: of position, attitude, velocity and rate errors, in body components.
        thrust_weight: [1/N^2] Of each thrust.
    """
    gain = lqr_gain(mass, np.asarray(inertia_B, float), np.asarray(mixer, float), period, state_weights, thrust_weight)
    return FlyerLqr(mass, inertia_B, mixer, max_thrust, gain)
