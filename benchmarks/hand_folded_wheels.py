"""`reaction-wheels` as `hand_written_wheels`, with all that is known of its numbers folded into the equations.

One inertia that is constant in the bus, balanced wheels on its axes, flight software without noise, bias and integral
terms, a reference that stands still. Gravity acts on each of the four bodies, as the mission has it. It flies this
vehicle with these numbers and no other: the floor below any program that reads its numbers from memory.

About the origin B of the bus, with the mass M and the inertia J of the whole vehicle, its centre of mass c, wheels of
inertia s on the axes a_j with rates n_j, motor torques u_j, and external force F and torque L:

    M (a + alpha x c + omega x (omega x c)) = F
    J alpha + M c x a + omega x (J omega + h) + sum s n_j' a_j = L,   h = sum s n_j a_j
    s (a_j . alpha + n_j') = u_j

With the axes 1, 2 and 3, a and n_j' are eliminated:

    D alpha = L - c x F + M c x (omega x (omega x c)) - omega x (J omega + h) - u
    D       = J - s 1 - M (c.c 1 - c cT),  constant
"""

import math

import numpy as np
from numba import njit

from benchmarks.hand_written_wheels import STEP, WORDS, along, body_turn, mrp
from cardan.celestial import EARTH
from cardan.missions import reaction_wheels

_MU, _STEP, _K, _P, _LIMIT = EARTH.mu, STEP, 3.5, 30.0, 0.2
_BUS, _WHEEL, _SPIN = 750.0, reaction_wheels.WHEEL_MASS, reaction_wheels.WHEEL_INERTIA
_ARM = 0.5  # [m] the third wheel is as far along each axis
_MASS = _BUS + 3.0 * _WHEEL
_C = _WHEEL * _ARM / _MASS  # [m] the centre of mass, along each axis


def _inertia() -> tuple[np.ndarray, np.ndarray]:
    """J, and the inverse of D."""
    J = np.diag([900.0, 800.0, 600.0]) + 2.0 * _SPIN * np.eye(3)  # each wheel has half of its spin inertia across
    J += _WHEEL * _ARM**2 * (3.0 * np.eye(3) - np.ones((3, 3)))
    D = J - _SPIN * np.eye(3) - _MASS * _C**2 * (3.0 * np.eye(3) - np.ones((3, 3)))
    return J, np.linalg.inv(D)


_J, _DI = _inertia()
_J00, _J11, _J22, _J01 = _J[0, 0], _J[1, 1], _J[2, 2], _J[0, 1]  # all products of inertia are the same
_D00, _D11, _D22, _D01, _D02, _D12 = _DI[0, 0], _DI[1, 1], _DI[2, 2], _DI[0, 1], _DI[0, 2], _DI[1, 2]


@njit(inline="always")
def _pull(mass, x, y, z):
    """[N] Gravity on a body."""
    squared = x * x + y * y + z * z
    strength = -_MU * mass / (squared * math.sqrt(squared))
    return strength * x, strength * y, strength * z


@njit(inline="always")
def _rates(x, u):
    """The rates of position, quaternion, velocity, rate, wheel angles and wheel rates."""
    rx, ry, rz, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz, _, _, _, n1, n2, n3 = x
    scale = 1.0 / math.sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
    t = body_turn(qw * scale, qx * scale, qy * scale, qz * scale)

    # gravity on the bus and two wheels at its origin, and on the third wheel, in inertial components
    ax, ay, az = _ARM * (t[0] + t[1] + t[2]), _ARM * (t[3] + t[4] + t[5]), _ARM * (t[6] + t[7] + t[8])
    bx, by, bz = _pull(_BUS, rx, ry, rz)
    ix, iy, iz = _pull(_WHEEL, rx, ry, rz)
    jx, jy, jz = _pull(_WHEEL, rx, ry, rz)
    gx, gy, gz = _pull(_WHEEL, rx + ax, ry + ay, rz + az)
    Fx, Fy, Fz = bx + ix + jx + gx, by + iy + jy + gy, bz + iz + jz + gz

    # in body components: force, and the force on the third wheel, whose torque is about the origin
    fx, fy, fz = t[0] * Fx + t[3] * Fy + t[6] * Fz, t[1] * Fx + t[4] * Fy + t[7] * Fz, t[2] * Fx + t[5] * Fy + t[8] * Fz
    hx, hy, hz = t[0] * gx + t[3] * gy + t[6] * gz, t[1] * gx + t[4] * gy + t[7] * gz, t[2] * gx + t[5] * gy + t[8] * gz
    Lx, Ly, Lz = _ARM * (hz - hy) - _C * (fz - fy), _ARM * (hx - hz) - _C * (fx - fz), _ARM * (hy - hx) - _C * (fy - fx)

    # omega x (omega x c)
    along, square = _C * (wx + wy + wz), wx * wx + wy * wy + wz * wz
    kx, ky, kz = wx * along - _C * square, wy * along - _C * square, wz * along - _C * square
    m = _MASS * _C
    Hx = _J00 * wx + _J01 * (wy + wz) + _SPIN * n1
    Hy = _J11 * wy + _J01 * (wx + wz) + _SPIN * n2
    Hz = _J22 * wz + _J01 * (wx + wy) + _SPIN * n3
    px = Lx + m * (kz - ky) - (wy * Hz - wz * Hy) - u[0]
    py = Ly + m * (kx - kz) - (wz * Hx - wx * Hz) - u[1]
    pz = Lz + m * (ky - kx) - (wx * Hy - wy * Hx) - u[2]
    dx = _D00 * px + _D01 * py + _D02 * pz
    dy = _D01 * px + _D11 * py + _D12 * pz
    dz = _D02 * px + _D12 * py + _D22 * pz

    # acceleration of the origin, in body components, then in inertial ones
    ox, oy, oz = fx / _MASS - _C * (dy - dz) - kx, fy / _MASS - _C * (dz - dx) - ky, fz / _MASS - _C * (dx - dy) - kz
    return (
        vx, vy, vz,
        0.5 * (-qx * wx - qy * wy - qz * wz), 0.5 * (qw * wx + qy * wz - qz * wy),
        0.5 * (qw * wy + qz * wx - qx * wz), 0.5 * (qw * wz + qx * wy - qy * wx),
        t[0] * ox + t[1] * oy + t[2] * oz, t[3] * ox + t[4] * oy + t[5] * oz, t[6] * ox + t[7] * oy + t[8] * oz,
        dx, dy, dz, n1, n2, n3, u[0] / _SPIN - dx, u[1] / _SPIN - dy, u[2] / _SPIN - dz,
    )  # fmt: skip


@njit(inline="always")
def _step(x, u):
    """RK4, and a quaternion of unit length."""
    k1 = _rates(x, u)
    k2 = _rates(along(x, 0.5 * _STEP, k1), u)
    k3 = _rates(along(x, 0.5 * _STEP, k2), u)
    k4 = _rates(along(x, _STEP, k3), u)
    x = along(along(along(along(x, _STEP / 6.0, k1), _STEP / 3.0, k2), _STEP / 3.0, k3), _STEP / 6.0, k4)
    scale = 1.0 / math.sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6])
    return (*x[:3], x[3] * scale, x[4] * scale, x[5] * scale, x[6] * scale, *x[7:])


@njit(inline="always")
def _limited(value):
    return -_LIMIT if value < -_LIMIT else _LIMIT if value > _LIMIT else value


@njit(inline="always")
def _tick(t, x, row):
    """Navigation, guidance, control and allocation: the motor torques; and a sample."""
    sigma, omega = mrp(x[3], x[4], x[5], x[6]), x[10:13]
    hx, hy, hz = _SPIN * x[16], _SPIN * x[17], _SPIN * x[18]
    # the reference stands still, so only the feedback is left of the law: Eq. (4) of MrpFeedback
    torque = (
        -_K * sigma[0] - _P * omega[0],
        -_K * sigma[1] - _P * omega[1],
        -_K * sigma[2] - _P * omega[2],
    )
    wanted = -torque[0], -torque[1], -torque[2]
    u = _limited(wanted[0]), _limited(wanted[1]), _limited(wanted[2])
    row[0] = t
    for i in range(3):
        r, v = x[i], x[7 + i]
        row[1 + i], row[4 + i], row[7 + i], row[10 + i] = r, v, sigma[i], omega[i]  # nav.motion
        row[13 + i], row[16 + i] = sigma[i], omega[i]  # nav.attitude
        row[19 + i], row[22 + i], row[25 + i] = 0.0, 0.0, 0.0  # ref.reference
        row[28 + i], row[31 + i], row[34 + i], row[37 + i] = sigma[i], omega[i], 0.0, 0.0  # err.error
        row[43 + i], row[46 + i], row[49 + i] = torque[i], wanted[i], u[i]
        row[52 + i], row[55 + i], row[58 + i], row[61 + i] = r, v, sigma[i], omega[i]  # bus.motion
        row[64 + 2 * i], row[65 + 2 * i] = x[13 + i], x[16 + i]
    row[40], row[41], row[42] = hx, hy, hz
    return u


@njit(cache=True)
def _fly(start, samples):
    x = (
        start[0], start[1], start[2], start[3], start[4], start[5], start[6], start[7], start[8], start[9], start[10],
        start[11], start[12], start[13], start[14], start[15], start[16], start[17], start[18],
    )  # fmt: skip
    for i in range(len(samples)):
        u = _tick(i * _STEP, x, samples[i])
        if i < len(samples) - 1:
            x = _step(x, u)


def fly(begin: np.ndarray, until: float = 600.0) -> np.ndarray:
    """(ticks, WORDS) A run of the mission, as that of `hand_written_wheels`."""
    samples = np.empty((round(until / _STEP) + 1, WORDS))
    _fly(begin, samples)
    return samples
