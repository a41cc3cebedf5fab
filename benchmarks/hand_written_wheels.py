"""`reaction-wheels` as a program written by hand: what a run could cost without a framework.

Its tree, a bus with three bodies on hinges, and its parts are fixed in the code. Its numbers are data, so that it flies
whatever the options of the mission make of the vehicle: wheels that are misaligned or out of balance. The same RK4 with
the same step, flight software at the same rate, the same samples at every tick, as one Numba function over numbers in
registers.

All in components of the bus, about its origin B. A body has the mass m, the centre of mass c and the inertia I about
it; wheels turn with the rate n about the axis a through p. With d = c - p, the momentum that a unit of n gives is

    f = m a x d,   g = I a + c x f,   D = a . (g - p x f)                                                            (1)

The velocities alone and gravity G leave

    F = G - m (omega x (omega x c) + 2 n omega x (a x d) + n^2 a x (a x d))                                          (2)
    L = c x F - I (n omega x a) - w x (I w),   w = omega + n a                                                       (3)

The hinges give n' = (e - g . alpha - f . b) / D with e = u + a . (L - p x F), motor torques u, and the bus

    (J - sum g gT/D) alpha + ([mc~] - sum g fT/D) b = sum L - sum g e/D                                              (4)
    ([mc~]T - sum f gT/D) alpha + (M 1 - sum f fT/D) b = sum F - sum f e/D                                           (5)
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

import cardan as cd
from cardan.celestial import EARTH
from cardan.maths import dcm_from_quaternion, quaternion_from_mrp
from cardan.missions import reaction_wheels

COLUMNS = {
    "nav.motion": 12, "nav.attitude": 6, "ref.reference": 9, "err.error": 12, "stored.momentum": 3, "ctl.torque": 3,
    "share.torques": 3, "limit.torques": 3, "bus.motion": 12, "rw1Spin.state": 2, "rw2Spin.state": 2,
    "rw3Spin.state": 2,
}  # fmt: skip
"""What a sample has beside its time, as the mission records it."""

WORDS = 1 + sum(COLUMNS.values())
STEP = 0.1


class Vehicle(NamedTuple):
    """The numbers of the mission; of four bodies, the first of which is the bus.

    Attributes:
        mass: (4,) [kg]
        com: (4, 3) [m] In components of the body.
        inertia: (4, 3, 3) [kg m^2]
        place: (4, 3) [m] In the bus.
        turn: (4, 3, 3) [-] Takes components of the body to those of the bus, at zero angle.
        axis: (4, 3) [-] In the bus.
        mu: [m^3/s^2]
        gains: K [N m], P [N m s/rad], Ki [rad/kg/m^2], largest integral [N m s].
        believed: (3, 3) [kg m^2] The controller's inertia.
        axes: (3, 3) [-] Of the wheels, for momentum and allocation.
        spin: (3,) [kg m^2]
        limit: (3,) [N m]
        reference: (9,) Attitude, rate and acceleration to follow.
    """

    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray
    place: np.ndarray
    turn: np.ndarray
    axis: np.ndarray
    mu: float
    gains: np.ndarray
    believed: np.ndarray
    axes: np.ndarray
    spin: np.ndarray
    limit: np.ndarray
    reference: np.ndarray


def vehicle(scn: cd.Scenario) -> Vehicle:
    """The numbers of a scenario of the mission."""
    assert scn.mechanism is not None
    tree = scn.mechanism.tree
    turns = np.array([np.eye(3), *(dcm_from_quaternion(quat).T for quat in tree.offset_quat[2:])])
    parts: dict[str, Any] = {name: placed.part for name, placed in scn.parts.items()}
    ctl = parts["ctl"]
    return Vehicle(
        mass=tree.mass[1:], com=tree.com[1:], inertia=tree.inertia[1:],
        place=np.array([np.zeros(3), *tree.offset_pos[2:]]), turn=turns,
        axis=np.array([np.zeros(3), *(turn @ axis for turn, axis in zip(turns[1:], tree.axis[2:], strict=True))]),
        mu=EARTH.mu, gains=np.array([ctl.K, ctl.P, ctl.Ki, ctl.integral_limit]), believed=np.array(ctl.inertia_B),
        axes=np.array(parts["share"].axes_B), spin=np.array(parts["stored"].inertia),
        limit=np.array(parts["limit"].max_torque), reference=np.array([*parts["ref"].sigma_RN, *np.zeros(6)]),
    )  # fmt: skip


def start(scn: cd.Scenario) -> np.ndarray:
    """Position, quaternion, velocity, rate, wheel angles and wheel rates at the beginning."""
    bus = scn.initial_states["bus"]
    speeds = [scn.initial_states[name].rate for name in reaction_wheels.WHEELS]
    q = quaternion_from_mrp(np.asarray(bus.sigma_BN))
    return np.array([*bus.r_BN_N, *q, *bus.v_BN_N, *bus.omega_BN_B, 0.0, 0.0, 0.0, *speeds])


def fly(numbers: Vehicle, begin: np.ndarray, until: float = 600.0) -> np.ndarray:
    """(ticks, WORDS) A run of the mission: for each tick its time, then `COLUMNS`."""
    samples = np.empty((round(until / STEP) + 1, WORDS))
    _fly(numbers, begin, samples)
    return samples


# ---- vectors and matrices as tuples --------------------------------------------------------------------------------


@njit(inline="always")
def _vec(a, i):
    return a[i, 0], a[i, 1], a[i, 2]


@njit(inline="always")
def _mat(a, i):
    return a[i, 0, 0], a[i, 0, 1], a[i, 0, 2], a[i, 1, 0], a[i, 1, 1], a[i, 1, 2], a[i, 2, 0], a[i, 2, 1], a[i, 2, 2]


@njit(inline="always")
def _add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@njit(inline="always")
def _sub(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@njit(inline="always")
def _times(s, a):
    return s * a[0], s * a[1], s * a[2]


@njit(inline="always")
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(inline="always")
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(inline="always")
def _on(m, a):
    """Matrix times vector."""
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
        m[6] * a[0] + m[7] * a[1] + m[8] * a[2],
    )


@njit(inline="always")
def _back(m, a):
    """Transposed matrix times vector."""
    return (
        m[0] * a[0] + m[3] * a[1] + m[6] * a[2],
        m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
        m[2] * a[0] + m[5] * a[1] + m[8] * a[2],
    )


@njit(inline="always")
def _product(a, b):
    x, y, z = _on(a, (b[0], b[3], b[6])), _on(a, (b[1], b[4], b[7])), _on(a, (b[2], b[5], b[8]))
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


@njit(inline="always")
def _flip(m):
    return m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]


@njit(inline="always")
def _less(m, s, a, b):
    """The matrix less s a bT."""
    x, y, z = s * a[0], s * a[1], s * a[2]
    return (
        m[0] - x * b[0], m[1] - x * b[1], m[2] - x * b[2], m[3] - y * b[0], m[4] - y * b[1], m[5] - y * b[2],
        m[6] - z * b[0], m[7] - z * b[1], m[8] - z * b[2],
    )  # fmt: skip


@njit(inline="always")
def _inverse(m):
    """Of a symmetric matrix."""
    a, b, c, d, e, f = m[0], m[1], m[2], m[4], m[5], m[8]
    A, B, C = d * f - e * e, c * e - b * f, b * e - c * d
    s = 1.0 / (a * A + b * B + c * C)
    D, E, F = a * f - c * c, b * c - a * e, a * d - b * b
    return s * A, s * B, s * C, s * B, s * D, s * E, s * C, s * E, s * F


@njit(inline="always")
def _minus(a, b):
    return (
        a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5], a[6] - b[6], a[7] - b[7],
        a[8] - b[8],
    )  # fmt: skip


# ---- the vehicle ---------------------------------------------------------------------------------------------------


@njit(inline="always")
def body_turn(qw, qx, qy, qz):
    """Takes body components to inertial ones."""
    return (
        1.0 - 2.0 * (qy * qy + qz * qz), 2.0 * (qx * qy - qw * qz), 2.0 * (qx * qz + qw * qy),
        2.0 * (qx * qy + qw * qz), 1.0 - 2.0 * (qx * qx + qz * qz), 2.0 * (qy * qz - qw * qx),
        2.0 * (qx * qz - qw * qy), 2.0 * (qy * qz + qw * qx), 1.0 - 2.0 * (qx * qx + qy * qy),
    )  # fmt: skip


@njit(inline="always")
def _pull(p, i, r, t, c):
    """[N] Gravity on a body whose centre of mass is at `c`, in components of the bus."""
    at = _add(r, _on(t, c))
    squared = _dot(at, at)
    return _back(t, _times(-p.mu * p.mass[i] / (squared * math.sqrt(squared)), at))


@njit(inline="always")
def _wheel(p, i, angle):
    """The turn of a wheel: Rodrigues' formula about its axis, after the turn at zero angle."""
    a, s, c = _vec(p.axis, i), math.sin(angle), math.cos(angle)
    k = 1.0 - c
    spin = (
        c + k * a[0] * a[0], k * a[0] * a[1] - s * a[2], k * a[0] * a[2] + s * a[1],
        k * a[0] * a[1] + s * a[2], c + k * a[1] * a[1], k * a[1] * a[2] - s * a[0],
        k * a[0] * a[2] - s * a[1], k * a[1] * a[2] + s * a[0], c + k * a[2] * a[2],
    )  # fmt: skip
    return _product(spin, _mat(p.turn, i))


@njit(inline="always")
def _rates(p, x, u):
    """The rates of position, quaternion, velocity, rate, wheel angles and wheel rates."""
    qw, qx, qy, qz = x[3], x[4], x[5], x[6]
    scale = 1.0 / math.sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
    t = body_turn(qw * scale, qx * scale, qy * scale, qz * scale)
    r, omega = (x[0], x[1], x[2]), (x[10], x[11], x[12])

    # the bus
    m, c, tensor = p.mass[0], _vec(p.com, 0), _mat(p.inertia, 0)
    F = _sub(_pull(p, 0, r, t, c), _times(m, _cross(omega, _cross(omega, c))))
    L = _sub(_cross(c, F), _cross(omega, _on(tensor, omega)))
    M, mc = m, _times(m, c)
    square = m * _dot(c, c)
    J = _less(tensor, m, c, c)
    J = (J[0] + square, J[1], J[2], J[3], J[4] + square, J[5], J[6], J[7], J[8] + square)
    K = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    N = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    # the wheels
    one, F, L, M, mc, J, K, N = _hinged(p, 1, x[13], x[16], u[0], r, t, omega, F, L, M, mc, J, K, N)
    two, F, L, M, mc, J, K, N = _hinged(p, 2, x[14], x[17], u[1], r, t, omega, F, L, M, mc, J, K, N)
    three, F, L, M, mc, J, K, N = _hinged(p, 3, x[15], x[18], u[2], r, t, omega, F, L, M, mc, J, K, N)

    # Eqs. (4) and (5): the acceleration of the origin is eliminated
    K = (K[0], K[1] - mc[2], K[2] + mc[1], K[3] + mc[2], K[4], K[5] - mc[0], K[6] - mc[1], K[7] + mc[0], K[8])
    N = (N[0] + M, N[1], N[2], N[3], N[4] + M, N[5], N[6], N[7], N[8] + M)
    Ni = _inverse(N)
    KN = _product(K, Ni)
    alpha = _on(_inverse(_minus(J, _product(KN, _flip(K)))), _sub(L, _on(KN, F)))
    b = _on(Ni, _sub(F, _back(K, alpha)))
    d = _on(t, b)
    wx, wy, wz = omega
    return (
        x[7], x[8], x[9],
        0.5 * (-qx * wx - qy * wy - qz * wz), 0.5 * (qw * wx + qy * wz - qz * wy),
        0.5 * (qw * wy + qz * wx - qx * wz), 0.5 * (qw * wz + qx * wy - qy * wx),
        d[0], d[1], d[2], alpha[0], alpha[1], alpha[2], x[16], x[17], x[18],
        _answer(one, alpha, b), _answer(two, alpha, b), _answer(three, alpha, b),
    )  # fmt: skip


@njit(inline="always")
def _hinged(p, i, angle, n, u, r, t, omega, F, L, M, mc, J, K, N):
    """Add a wheel to the equations of the bus. Eqs. (1) to (5)."""
    m, a, at = p.mass[i], _vec(p.axis, i), _vec(p.place, i)
    turn = _wheel(p, i, angle)
    d = _on(turn, _vec(p.com, i))
    c = _add(at, d)
    tensor = _product(_product(turn, _mat(p.inertia, i)), _flip(turn))
    swing = _cross(a, d)
    f = _times(m, swing)
    Ia = _on(tensor, a)
    g = _add(Ia, _cross(c, f))
    D = _dot(a, Ia) + _dot(swing, f)
    bias = _add(_cross(omega, _add(_cross(omega, c), _times(2.0 * n, swing))), _times(n * n, _cross(a, swing)))
    own = _sub(_pull(p, i, r, t, c), _times(m, bias))
    w = _add(omega, _times(n, a))
    about = _sub(_cross(c, own), _add(_on(tensor, _times(n, _cross(omega, a))), _cross(w, _on(tensor, w))))
    e = u + _dot(a, _sub(about, _cross(at, own)))
    s = 1.0 / D
    F = _sub(_add(F, own), _times(s * e, f))
    L = _sub(_add(L, about), _times(s * e, g))
    square = m * _dot(c, c)
    J = _less(_less(J, m, c, c), s, g, g)
    J = (
        J[0] + tensor[0] + square, J[1] + tensor[1], J[2] + tensor[2], J[3] + tensor[3], J[4] + tensor[4] + square,
        J[5] + tensor[5], J[6] + tensor[6], J[7] + tensor[7], J[8] + tensor[8] + square,
    )  # fmt: skip
    return (s, e, g, f), F, L, M + m, _add(mc, _times(m, c)), J, _less(K, s, g, f), _less(N, s, f, f)


@njit(inline="always")
def _answer(wheel, alpha, b):
    """How a wheel accelerates."""
    s, e, g, f = wheel
    return s * (e - _dot(g, alpha) - _dot(f, b))


@njit(inline="always")
def along(x, h, k):
    """The sum x + h k."""
    return (
        x[0] + h * k[0], x[1] + h * k[1], x[2] + h * k[2], x[3] + h * k[3], x[4] + h * k[4], x[5] + h * k[5],
        x[6] + h * k[6], x[7] + h * k[7], x[8] + h * k[8], x[9] + h * k[9], x[10] + h * k[10], x[11] + h * k[11],
        x[12] + h * k[12], x[13] + h * k[13], x[14] + h * k[14], x[15] + h * k[15], x[16] + h * k[16],
        x[17] + h * k[17], x[18] + h * k[18],
    )  # fmt: skip


@njit(inline="always")
def _step(p, x, u):
    """RK4, and a quaternion of unit length."""
    total, y = x, x
    for stage in range(4):
        k = _rates(p, y, u)
        total = along(total, STEP / (3.0 if 0 < stage < 3 else 6.0), k)
        y = along(x, STEP if stage == 2 else 0.5 * STEP, k)
    scale = 1.0 / math.sqrt(total[3] ** 2 + total[4] ** 2 + total[5] ** 2 + total[6] ** 2)
    return (*total[:3], total[3] * scale, total[4] * scale, total[5] * scale, total[6] * scale, *total[7:])


# ---- flight software -----------------------------------------------------------------------------------------------


@njit(inline="always")
def mrp(qw, qx, qy, qz):
    """The short rotation."""
    sign = -1.0 if qw < 0.0 else 1.0
    return _times(sign / (1.0 + sign * qw), (qx, qy, qz))


@njit(inline="always")
def _mrp_relative(a, b):
    """The rotation `a` relative to `b`, the short one."""
    aa, bb = _dot(a, a), _dot(b, b)
    s = _add(_sub(_times(1.0 - bb, a), _times(1.0 - aa, b)), _times(2.0, _cross(a, b)))
    s = _times(1.0 / (1.0 + aa * bb + 2.0 * _dot(a, b)), s)
    square = _dot(s, s)
    return _times(-1.0 / square, s) if square > 1.0 else s


@njit(inline="always")
def _within(value, limit):
    return max(-limit, min(limit, value))


@njit(inline="always")
def _tick(p, t, x, memory, row):
    """Navigation, guidance, control and allocation: memory and motor torques; and a sample."""
    sigma, omega = mrp(x[3], x[4], x[5], x[6]), (x[10], x[11], x[12])
    rates, ref = (x[16], x[17], x[18]), p.reference
    sigma_RN, omega_RN, dot_RN = (ref[0], ref[1], ref[2]), (ref[3], ref[4], ref[5]), (ref[6], ref[7], ref[8])
    # the error
    turn = body_turn(x[3], x[4], x[5], x[6])
    omega_RN_B, dot_RN_B = _back(turn, omega_RN), _back(turn, dot_RN)
    sigma_BR, omega_BR = _mrp_relative(sigma, sigma_RN), _sub(omega, omega_RN_B)
    # stored momentum
    a1, a2, a3 = _vec(p.axes, 0), _vec(p.axes, 1), _vec(p.axes, 2)
    h = _times(p.spin[0] * rates[0], a1)
    h = _add(_add(h, _times(p.spin[1] * rates[1], a2)), _times(p.spin[2] * rates[2], a3))
    # feedback, with Eq. (4) of MrpFeedback
    K, P, Ki, most = p.gains[0], p.gains[1], p.gains[2], p.gains[3]
    integral = _add((memory[0], memory[1], memory[2]), _times(STEP * K, sigma_BR))
    integral = _within(integral[0], most), _within(integral[1], most), _within(integral[2], most)
    first = (memory[3], memory[4], memory[5]) if memory[6] > 0.0 else omega_BR
    b = p.believed
    I = (b[0, 0], b[0, 1], b[0, 2], b[1, 0], b[1, 1], b[1, 2], b[2, 0], b[2, 1], b[2, 2])  # noqa: E741
    z = _add(integral, _on(I, _sub(omega_BR, first)))
    omega_BN = _add(omega_BR, omega_RN_B)
    H = _add(_on(I, omega_BN), h)
    feedback = _add(_add(_times(K, sigma_BR), _times(P, omega_BR)), _times(P * Ki, z))
    torque = _add(_on(I, _sub(dot_RN_B, _cross(omega_BN, omega_RN_B))), _cross(_sub(omega_RN_B, _times(Ki, z)), H))
    torque = _sub(torque, feedback)
    # allocation
    nothing = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    shared = _on(_inverse(_less(_less(_less(nothing, -1.0, a1, a1), -1.0, a2, a2), -1.0, a3, a3)), torque)
    wanted = -_dot(a1, shared), -_dot(a2, shared), -_dot(a3, shared)
    u = _within(wanted[0], p.limit[0]), _within(wanted[1], p.limit[1]), _within(wanted[2], p.limit[2])
    row[0] = t
    for i in range(3):
        row[1 + i], row[4 + i], row[7 + i], row[10 + i] = x[i], x[7 + i], sigma[i], omega[i]
        row[13 + i], row[16 + i], row[19 + i], row[22 + i], row[25 + i] = (
            sigma[i], omega[i], sigma_RN[i], omega_RN[i], dot_RN[i],
        )  # fmt: skip
        row[28 + i], row[31 + i], row[34 + i], row[37 + i] = sigma_BR[i], omega_BR[i], omega_RN_B[i], dot_RN_B[i]
        row[40 + i], row[43 + i], row[46 + i], row[49 + i] = h[i], torque[i], wanted[i], u[i]
        row[52 + i], row[55 + i], row[58 + i], row[61 + i] = x[i], x[7 + i], sigma[i], omega[i]
        row[64 + 2 * i], row[65 + 2 * i] = x[13 + i], x[16 + i]
    return (*integral, *first, 1.0), u


@njit(cache=True)
def _fly(p, begin, samples):
    x = (
        begin[0], begin[1], begin[2], begin[3], begin[4], begin[5], begin[6], begin[7], begin[8], begin[9], begin[10],
        begin[11], begin[12], begin[13], begin[14], begin[15], begin[16], begin[17], begin[18],
    )  # fmt: skip
    memory = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(len(samples)):
        memory, u = _tick(p, i * STEP, x, memory, samples[i])
        if i < len(samples) - 1:
            x = _step(p, x, u)
