"""Relative motion of a deputy D about a chief C: Hill frame, linear propagation, relative orbital elements.

The Hill frame H of the chief has x along its radius, y along its track and z along the normal of its orbit. A relative
state is (x, y, z, vx, vy, vz) in H [m, m/s], rates as seen in the turning frame. docs/theory/relative_motion.md.
"""

from typing import Any, NamedTuple

import numpy as np

from cardan.celestial import EARTH
from cardan.errors import SettingError
from cardan.maths import ZERO3
from cardan.messages.mechanism import FrameMotion


class OrbitalElements(NamedTuple):
    """A Keplerian ellipse and where on it a body is.

    Attributes:
        a: [m] Semi-major axis.
        e: [-] Eccentricity.
        i: [rad] Inclination.
        Omega: [rad] Right ascension of the ascending node.
        omega: [rad] Argument of periapsis.
        M: [rad] Mean anomaly.
    """

    a: float
    e: float
    i: float
    Omega: float
    omega: float
    M: float


class RelativeElements(NamedTuple):
    """Quasi-nonsingular relative orbital elements of a deputy; all are small for formations.

    Attributes:
        a: [-] Difference of semi-major axes over that of the chief.
        longitude: [rad] Difference of mean longitudes M + omega, and of the nodes times cos i.
        ex: [-] Difference of e cos(omega).
        ey: [-] Difference of e sin(omega).
        ix: [rad] Difference of inclinations.
        iy: [rad] Difference of the nodes times sin i.
    """

    a: float
    longitude: float
    ex: float
    ey: float
    ix: float
    iy: float


# ---- frames --------------------------------------------------------------------------------------------------------


def hill_frame(chief: FrameMotion) -> tuple[np.ndarray, np.ndarray]:
    """[-], [rad/s] dcm_HN of the Hill frame of a chief, and omega_HN_H of a chief on a Keplerian orbit."""
    r, h = np.asarray(chief.r_BN_N), np.cross(chief.r_BN_N, chief.v_BN_N)
    x, z = r / np.linalg.norm(r), h / np.linalg.norm(h)
    return np.array([x, np.cross(z, x), z]), np.array([0.0, 0.0, np.linalg.norm(h) / (r @ r)])


def hill_from_inertial(chief: FrameMotion, deputy: FrameMotion) -> np.ndarray:
    """(6,) The relative state of a deputy.

    r_DC_H = dcm_HN (r_D - r_C),    v_DC_H = dcm_HN (v_D - v_C) - omega_HN_H x r_DC_H                          (1)
    """
    dcm_HN, omega = hill_frame(chief)
    r = dcm_HN @ (np.asarray(deputy.r_BN_N) - chief.r_BN_N)
    v = dcm_HN @ (np.asarray(deputy.v_BN_N) - chief.v_BN_N)
    return np.concatenate([r, v - np.cross(omega, r)])


def inertial_from_hill(chief: FrameMotion, state: Any) -> FrameMotion:
    """The motion of a deputy with a relative state; its attitude is that of N."""
    state = np.asarray(state, dtype=float)
    dcm_HN, omega = hill_frame(chief)
    v = dcm_HN.T @ (state[3:] + np.cross(omega, state[:3]))
    return FrameMotion(chief.r_BN_N + dcm_HN.T @ state[:3], chief.v_BN_N + v, ZERO3, ZERO3)


# ---- propagation ---------------------------------------------------------------------------------------------------


def clohessy_wiltshire(n: float, t: float) -> np.ndarray:
    """(6, 6) Takes a relative state by `t` [s] along a circular orbit of mean motion `n` [rad/s].

    x = (4 - 3 c) x0 + s/n vx0 + 2 (1 - c)/n vy0                                                              (2)
    y = 6 (s - n t) x0 + y0 - 2 (1 - c)/n vx0 + (4 s - 3 n t)/n vy0,    z = c z0 + s/n vz0                     (3)
    """
    if not n > 0.0:
        raise SettingError(f"A mean motion of {n!r} rad/s.\n  It must be positive.")
    s, c, angle = np.sin(n * t), np.cos(n * t), n * t
    return np.array(
        [
            [4.0 - 3.0 * c, 0.0, 0.0, s / n, 2.0 * (1.0 - c) / n, 0.0],
            [6.0 * (s - angle), 1.0, 0.0, -2.0 * (1.0 - c) / n, (4.0 * s - 3.0 * angle) / n, 0.0],
            [0.0, 0.0, c, 0.0, 0.0, s / n],
            [3.0 * n * s, 0.0, 0.0, c, 2.0 * s, 0.0],
            [-6.0 * n * (1.0 - c), 0.0, 0.0, -2.0 * s, 4.0 * c - 3.0, 0.0],
            [0.0, 0.0, -n * s, 0.0, 0.0, c],
        ]
    )


def yamanaka_ankersen(chief: OrbitalElements, t: float, mu: float = EARTH.mu) -> np.ndarray:
    """(6, 6) Takes a relative state by `t` [s] along an ellipse, from where the chief is.

    With true anomaly f, rho = 1 + e cos f, k2 = h / p^2 and J = k2 t, tilde states rho r and - e sin f r + v / (k2 rho)
    of (u, w) = (y, -x) go from f0 to f by Phi(f) Phi(f0)^-1, and z~ turns by f - f0 (Eq. (4) of the page).
    """
    if not (0.0 <= chief.e < 1.0 and chief.a > 0.0):
        raise SettingError(f"There is no ellipse with a = {chief.a!r} m, e = {chief.e!r}.")
    e, p = chief.e, chief.a * (1.0 - chief.e * chief.e)
    k2 = np.sqrt(mu / p**3)
    f0 = true_anomaly(chief.M, e)
    f = true_anomaly(chief.M + np.sqrt(mu / chief.a**3) * t, e)
    planar = _basis(e, f, k2 * t) @ np.linalg.inv(_basis(e, f0, 0.0))
    turn = np.array([[np.cos(f - f0), np.sin(f - f0)], [-np.sin(f - f0), np.cos(f - f0)]])
    # (u, w, u', w', z, z') of tilde states, from (x, y, z, vx, vy, vz) and back
    tilde = np.zeros((6, 6))
    tilde[:4, :4], tilde[4:, 4:] = planar, turn
    found: np.ndarray = np.linalg.inv(_to_tilde(e, f, k2)) @ tilde @ _to_tilde(e, f0, k2)
    return found


def _basis(e: float, f: float, J: float) -> np.ndarray:
    rho, sine, cosine = 1.0 + e * np.cos(f), np.sin(f), np.cos(f)
    S, C = rho * sine, rho * cosine
    S_rate, C_rate = cosine + e * np.cos(2.0 * f), -(sine + e * np.sin(2.0 * f))
    return np.array(
        [
            [1.0, -C * (1.0 + 1.0 / rho), S * (1.0 + 1.0 / rho), 3.0 * rho * rho * J],
            [0.0, S, C, 2.0 - 3.0 * e * S * J],
            [0.0, 2.0 * S, 2.0 * C - e, 3.0 * (1.0 - 2.0 * e * S * J)],
            [0.0, S_rate, C_rate, -3.0 * e * (S_rate * J + S / (rho * rho))],
        ]
    )


def _to_tilde(e: float, f: float, k2: float) -> np.ndarray:
    """Rows u~, w~, u~', w~', z~, z~' of (x, y, z, vx, vy, vz)."""
    rho, slope = 1.0 + e * np.cos(f), -e * np.sin(f)
    rows = np.zeros((6, 6))
    for place, rate, column, sign in ((0, 2, 1, 1.0), (1, 3, 0, -1.0), (4, 5, 2, 1.0)):
        rows[place, column] = sign * rho
        rows[rate, column], rows[rate, column + 3] = sign * slope, sign / (k2 * rho)
    return rows


# ---- elements ------------------------------------------------------------------------------------------------------


def true_anomaly(M: float, e: float) -> float:
    """[rad] From the mean anomaly, in the same revolution."""
    E = M + e * np.sin(M)
    for _ in range(50):
        step = (E - e * np.sin(E) - M) / (1.0 - e * np.cos(E))
        E -= step
        if abs(step) < 1e-15 * max(1.0, abs(E)):
            break
    half = np.arctan2(np.sqrt(1.0 + e) * np.sin(0.5 * E), np.sqrt(1.0 - e) * np.cos(0.5 * E))
    f = 2.0 * half
    return float(f + 2.0 * np.pi * np.round((E - f) / (2.0 * np.pi)))


def elements_from_motion(motion: FrameMotion, mu: float = EARTH.mu) -> OrbitalElements:
    """Osculating elements of an ellipse; `orbit` is the inverse. A circle has periapsis at the node, an equator x."""
    r, v = np.asarray(motion.r_BN_N, float), np.asarray(motion.v_BN_N, float)
    distance, h = np.linalg.norm(r), np.cross(r, v)
    energy = 0.5 * v @ v - mu / distance
    if not (energy < 0.0 and np.linalg.norm(h) > 0.0):
        raise SettingError("The motion is not on an ellipse, so it has no such elements.")
    a = -0.5 * mu / energy
    node = np.array([-h[1], h[0], 0.0])
    length = np.linalg.norm(node)
    node = node / length if length > 1e-12 * np.linalg.norm(h) else np.array([1.0, 0.0, 0.0])
    ahead = np.cross(h / np.linalg.norm(h), node)
    laplace = np.cross(v, h) / mu - r / distance
    ex, ey = laplace @ node, laplace @ ahead
    e = float(np.hypot(ex, ey))
    omega = float(np.arctan2(ey, ex)) if e > 1e-14 else 0.0
    f = float(np.arctan2(r @ ahead, r @ node)) - omega
    E = 2.0 * np.arctan2(np.sqrt(1.0 - e) * np.sin(0.5 * f), np.sqrt(1.0 + e) * np.cos(0.5 * f))
    i = float(np.arctan2(np.hypot(h[0], h[1]), h[2]))
    return OrbitalElements(float(a), e, i, float(np.arctan2(node[1], node[0])), omega, float(E - e * np.sin(E)))


def relative_elements(chief: OrbitalElements, deputy: OrbitalElements) -> RelativeElements:
    """Relative orbital elements of a deputy, Eq. (5) of the page."""
    node = _wrapped(deputy.Omega - chief.Omega)
    longitude = _wrapped(deputy.M + deputy.omega - chief.M - chief.omega)
    return RelativeElements(
        a=(deputy.a - chief.a) / chief.a,
        longitude=_wrapped(longitude + node * np.cos(chief.i)),
        ex=deputy.e * np.cos(deputy.omega) - chief.e * np.cos(chief.omega),
        ey=deputy.e * np.sin(deputy.omega) - chief.e * np.sin(chief.omega),
        ix=deputy.i - chief.i,
        iy=node * np.sin(chief.i),
    )


def deputy_elements(chief: OrbitalElements, relative: RelativeElements) -> OrbitalElements:
    """The elements of a deputy with these relative ones; the inverse of `relative_elements`."""
    if abs(np.sin(chief.i)) < 1e-9 and relative.iy != 0.0:
        raise SettingError("In the plane of the equator there is no node, so `iy` has no meaning.")
    ex = chief.e * np.cos(chief.omega) + relative.ex
    ey = chief.e * np.sin(chief.omega) + relative.ey
    node = relative.iy / np.sin(chief.i) if relative.iy != 0.0 else 0.0
    omega = float(np.arctan2(ey, ex))
    M = chief.M + chief.omega + relative.longitude - node * np.cos(chief.i) - omega
    return OrbitalElements(
        chief.a * (1.0 + relative.a), float(np.hypot(ex, ey)), chief.i + relative.ix, chief.Omega + node, omega, M
    )


def with_secular_j2(
    elements: OrbitalElements, t: float, *, J2: float, radius: float = EARTH.radius, mu: float = EARTH.mu
) -> OrbitalElements:
    """Mean elements after `t` [s] under the oblateness of the planet, on average over a revolution.

    Omega' = - 2 k cos i,   omega' = k (5 cos^2 i - 1),   M' = n + k eta (3 cos^2 i - 1)                        (6)
    k = 3/4 n J2 (R / (a eta^2))^2,   eta = sqrt(1 - e^2)                                                     (7)
    """
    a, e, i, Omega, omega, M = elements
    n, eta, cosine = np.sqrt(mu / a**3), np.sqrt(1.0 - e * e), np.cos(i)
    k = 0.75 * n * J2 * (radius / (a * eta * eta)) ** 2
    return OrbitalElements(
        a,
        e,
        i,
        Omega - 2.0 * k * cosine * t,
        omega + k * (5.0 * cosine * cosine - 1.0) * t,
        M + (n + k * eta * (3.0 * cosine * cosine - 1.0)) * t,
    )


def relative_after_j2(
    chief: OrbitalElements,
    relative: RelativeElements,
    t: float,
    *,
    J2: float,
    radius: float = EARTH.radius,
    mu: float = EARTH.mu,
) -> RelativeElements:
    """Mean relative elements after `t` [s] under the oblateness of the planet: those of two orbits by Eq. (6)."""
    options = {"J2": J2, "radius": radius, "mu": mu}
    deputy = with_secular_j2(deputy_elements(chief, relative), t, **options)
    return relative_elements(with_secular_j2(chief, t, **options), deputy)


def _wrapped(angle: float) -> float:
    return float(angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi)))
