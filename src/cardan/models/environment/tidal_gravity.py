"""Gravity in a non-rotating local frame that falls along an orbit."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.celestial import EARTH
from cardan.contracts import Positive, Within, model, output
from cardan.maths import ZERO3, Scalar, Vec3, by_rows, choose, norm, sin, sin_cos
from cardan.messages import FrameMotion, FramePositions, GravityField
from cardan.models.environment.point_mass_field import Gradient, Pull, point_mass_gradient, tidal_growth

_ITERATIONS = 12  # Newton's method on Kepler's equation converges to rounding in fewer, for every e up to 0.9


@model
class TidalGravity(NamedTuple):
    """The origin C of the inertial frame's axes falls on a Keplerian orbit; bodies near it feel the rest.

    With r from C, s = - r_C from C to the planet, and f(q) of `NBodyGravity`, Eq. (3),

        g_N = - mu (r + f(q) s) / |r - s|^3,    gradient_N = mu / |d|^3 (3 e eT - 1),   d = r - s                  (1)
        linear:  g_N = mu / r_C^3 (3 (r . u) u - r),   u = r_C / |r_C|                                            (2)

    The frame does not turn: no Coriolis terms, torques and joints are as in any inertial frame. Coordinates are metres
    instead of 7e6 m, so that no digits are lost between vehicles. Eq. (2) is what Clohessy and Wiltshire solve.

    Attributes:
        a: [m] Semi-major axis of the orbit of C.
        e: [-] Eccentricity, up to 0.9.
        i: [rad] Inclination.
        Omega: [rad] Right ascension of the ascending node.
        omega: [rad] Argument of periapsis.
        M_0: [rad] Mean anomaly at time zero.
        mu: [m^3/s^2] Gravitational parameter; of the Earth if left alone.
        is_linear: [-] True for Eq. (2).
    """

    a: Annotated[float, "m", Positive]
    e: Annotated[float, "-", Within(0.0, 0.9)] = 0.0
    i: Annotated[float, "rad"] = 0.0
    Omega: Annotated[float, "rad"] = 0.0
    omega: Annotated[float, "rad"] = 0.0
    M_0: Annotated[float, "rad"] = 0.0
    mu: Annotated[float, "m^3/s^2", Positive] = EARTH.mu
    is_linear: Annotated[bool, "-"] = False

    @output
    def pull(self, t: float, positions: FramePositions) -> GravityField:
        r_C, _ = _orbit(self.a, self.e, self.i, self.Omega, self.omega, self.M_0, self.mu, t)
        share = choose(self.is_linear, 1.0, 0.0)
        return GravityField(
            g_N=by_rows(_pull, 3, positions.r_BN_N, self.mu, r_C, share),
            gradient_N=by_rows(_gradient, 6, positions.r_BN_N, self.mu, r_C),
        )

    @output
    def origin(self, t: float) -> FrameMotion:
        r_C, v_C = _orbit(self.a, self.e, self.i, self.Omega, self.omega, self.M_0, self.mu, t)
        return FrameMotion(r_BN_N=r_C, v_BN_N=v_C, sigma_BN=ZERO3, omega_BN_B=ZERO3)


def _pull(r: Vec3, mu: Scalar, r_C: Vec3, linear_share: Scalar) -> Pull:
    """Eqs. (1) and (2) at one place."""
    # Eq. (1)
    dx, dy, dz = r[0] + r_C[0], r[1] + r_C[1], r[2] + r_C[2]
    squared = dx * dx + dy * dy + dz * dz
    strength, growth = -mu / (squared * np.sqrt(squared)), tidal_growth(r, -r_C)
    # Eq. (2)
    length = norm(r_C)
    ux, uy, uz = r_C[0] / length, r_C[1] / length, r_C[2] / length
    along, scale = 3.0 * (r[0] * ux + r[1] * uy + r[2] * uz), mu / (length * length * length)
    rest = 1.0 - linear_share
    return (
        linear_share * (scale * (along * ux - r[0])) + rest * (strength * (r[0] - growth * r_C[0])),
        linear_share * (scale * (along * uy - r[1])) + rest * (strength * (r[1] - growth * r_C[1])),
        linear_share * (scale * (along * uz - r[2])) + rest * (strength * (r[2] - growth * r_C[2])),
    )


def _gradient(r: Vec3, mu: Scalar, r_C: Vec3) -> Gradient:
    return point_mass_gradient(r + r_C, mu)


@model
class ShiftedMotion(NamedTuple):
    """Motion in a local frame, seen from the planet, for models of light, air and magnetic field.

    r_BN_N = r_C + r,    v_BN_N = v_C + v                                                                     (1)
    """

    @output
    def shifted(self, motion: FrameMotion, origin: FrameMotion) -> FrameMotion:
        return FrameMotion(
            r_BN_N=origin.r_BN_N + motion.r_BN_N,
            v_BN_N=origin.v_BN_N + motion.v_BN_N,
            sigma_BN=motion.sigma_BN,
            omega_BN_B=motion.omega_BN_B,
        )


def _orbit(
    a: Scalar, e: Scalar, i: Scalar, Omega: Scalar, omega: Scalar, M_0: Scalar, mu: Scalar, t: Scalar
) -> tuple[np.ndarray, np.ndarray]:
    """[m], [m/s] Position and velocity on an ellipse."""
    n = np.sqrt(mu / (a * a * a))
    M = M_0 + n * t
    M = M - 2.0 * np.pi * np.floor(M / (2.0 * np.pi) + 0.5)
    E = M + e * sin(M)
    for _ in range(_ITERATIONS):
        sin_E, cos_E = sin_cos(E)
        E = E - (E - e * sin_E - M) / (1.0 - e * cos_E)
    sin_E, cos_E = sin_cos(E)
    root = np.sqrt(1.0 - e * e)
    rate = n / (1.0 - e * cos_E)
    sin_Omega, cos_Omega = sin_cos(Omega)
    sin_omega, cos_omega = sin_cos(omega)
    sin_i, cos_i = sin_cos(i)
    P = np.array(
        [
            cos_Omega * cos_omega - sin_Omega * sin_omega * cos_i,
            sin_Omega * cos_omega + cos_Omega * sin_omega * cos_i,
            sin_omega * sin_i,
        ]
    )
    Q = np.array(
        [
            -cos_Omega * sin_omega - sin_Omega * cos_omega * cos_i,
            -sin_Omega * sin_omega + cos_Omega * cos_omega * cos_i,
            cos_omega * sin_i,
        ]
    )
    r = a * (cos_E - e) * P + a * root * sin_E * Q
    return r, a * rate * (root * cos_E * Q - sin_E * P)
