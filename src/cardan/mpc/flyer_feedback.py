"""Plans that feedback makes, where the last plan leads astray (docs/theory/tracking_mpc.md, Eq. (19))."""

import math

from cardan.mpc.flyer_algebra import square, turned_back_by
from cardan.mpc.flyer_prediction import WRENCH, Q, W

RATE = 0.5  # [rad/s] of position; attitude is twice as fast
SWEEPS, TINY = 10, 1.0e-12


def push_back(case, thrusters, node, r, v, theta, omega, thrust, left):
    """Thrusts against errors of position and velocity (inertial), attitude and rate (body), critically damped.

    An error of position or attitude counts no further than one thruster could answer. The thrusts come about as close
    to the wrench as their bounds allow.
    """
    body, J = case.body, case.body.inertia
    force, torque = authority(case, thrusters, 0), authority(case, thrusters, 3)
    q = (node[Q], node[Q + 1], node[Q + 2], node[Q + 3])
    pull = turned_back_by(q, asked(r, v, RATE, force / body.mass))
    turn = asked(theta, omega, 2.0 * RATE, 3.0 * torque / (J[0, 0] + J[1, 1] + J[2, 2]))
    spin = (node[W], node[W + 1], node[W + 2])
    h = (
        (J[0, 0] * spin[0] + J[0, 1] * spin[1]) + J[0, 2] * spin[2],
        (J[1, 0] * spin[0] + J[1, 1] * spin[1]) + J[1, 2] * spin[2],
        (J[2, 0] * spin[0] + J[2, 1] * spin[1]) + J[2, 2] * spin[2],
    )
    left[3], left[4] = spin[1] * h[2] - spin[2] * h[1], spin[2] * h[0] - spin[0] * h[2]
    left[5] = spin[0] * h[1] - spin[1] * h[0]
    for i in range(3):
        left[i] = body.mass * pull[i]
        left[3 + i] += (J[i, 0] * turn[0] + J[i, 1] * turn[1]) + J[i, 2] * turn[2]
    for i in range(thrusters):
        thrust[i] = case.lower[i]
        for c in range(WRENCH):
            left[c] -= case.mixer[c, i] * thrust[i]
    # thruster by thruster, as in `learnt_drive.reallocate`
    for _ in range(SWEEPS):
        for i in range(thrusters):
            size = along = 0.0
            for c in range(WRENCH):
                part = case.mixer[c, i] / (force if c < 3 else torque) ** 2
                size += part * case.mixer[c, i]
                along += part * left[c]
            before = thrust[i]
            thrust[i] = min(max(before + along / max(size, TINY), case.lower[i]), case.upper[i])
            for c in range(WRENCH):
                left[c] -= case.mixer[c, i] * (thrust[i] - before)


def asked(error, rate, w, most):
    """The acceleration that feedback asks for: Eq. (19)."""
    share = min(1.0, most / max(w * w * math.sqrt(square(error)), TINY))
    return (
        -w * (share * w * error[0] + 2.0 * rate[0]),
        -w * (share * w * error[1] + 2.0 * rate[1]),
        -w * (share * w * error[2] + 2.0 * rate[2]),
    )


def authority(case, thrusters, first):
    """The most that one thruster gives along any of three axes: [N] from 0, [N m] from 3."""
    found = TINY
    for c in range(first, first + 3):
        for i in range(thrusters):
            found = max(found, abs(case.mixer[c, i]) * case.upper[i])
    return found
