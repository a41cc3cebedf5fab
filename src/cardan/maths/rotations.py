"""Attitude: direction cosine matrices, unit quaternions (scalar first) and modified Rodrigues parameters (MRP).

`dcm_BN` takes N components to B. Conversions are named target_from_source, so that names meet:
`sigma_BN = mrp_from_dcm(dcm_BN)`. Source of all relations: Schaub and Junkins, Analytical Mechanics of Space Systems,
chapter 3.

From plain Python all of them take stacks, too: of a logged (N, 3), `quaternion_from_mrp` gives (N, 4).
"""

import numpy as np

from cardan.maths.arrays import Mat3, Scalar, Vec3, Vec4
from cardan.maths.choosing import choose
from cardan.maths.elementary import arctan
from cardan.maths.stacks import on_stacks
from cardan.maths.vectors import cross, dot

NO_ROTATION: Vec4 = np.array([1.0, 0.0, 0.0, 0.0])
NO_ROTATION.flags.writeable = False


@on_stacks("(3)->(3)")
def short_mrp(sigma: Vec3) -> Vec3:
    """The MRP of the same attitude with |sigma| <= 1: the shadow set where the rotation is beyond 180 deg."""
    s2 = dot(sigma, sigma)
    scale = choose(s2 > 1.0, -1.0 / choose(s2 > 1.0, s2, 1.0), 1.0)
    return np.array((scale * sigma[0], scale * sigma[1], scale * sigma[2]))


@on_stacks("(3),(3)->(3)")
def mrp_rate(sigma_BN: Vec3, omega_BN_B: Vec3) -> Vec3:
    """Rate of the MRP of B relative to N.

        sigma_dot = 1/4 [ (1 - s^2) I + 2 [s~] + 2 s sT ] omega

    Args:
        sigma_BN: [-] MRP of B relative to N.
        omega_BN_B: [rad/s] Angular velocity of B relative to N, in B.

    Returns:
        [1/s] sigma_dot_BN.

    Schaub and Junkins, section 3.6.
    """
    s2 = dot(sigma_BN, sigma_BN)
    along = 2.0 * dot(sigma_BN, omega_BN_B)
    rate: Vec3 = 0.25 * ((1.0 - s2) * omega_BN_B + 2.0 * cross(sigma_BN, omega_BN_B) + along * sigma_BN)
    return rate


@on_stacks("(3),(3)->(3)")
def mrp_relative(sigma_BN: Vec3, sigma_RN: Vec3) -> Vec3:
    """[-] MRP of B relative to R, the short rotation, from those of B and R relative to N.

    Schaub and Junkins, section 3.6 (relative attitude by subtraction of MRPs).
    """
    b2 = dot(sigma_BN, sigma_BN)
    r2 = dot(sigma_RN, sigma_RN)
    # at 360 deg between the two sets the quotient is 0/0; the shadow of one of them avoids it
    is_close = 1.0 + r2 * b2 + 2.0 * dot(sigma_BN, sigma_RN) < 0.1
    scale = choose(is_close, -1.0 / choose(r2 > 0.0, r2, 1.0), 1.0)
    r = np.array((scale * sigma_RN[0], scale * sigma_RN[1], scale * sigma_RN[2]))
    s2 = scale * scale * r2
    along, back = 1.0 - s2, 1.0 - b2
    share = 1.0 / (1.0 + s2 * b2 + 2.0 * dot(sigma_BN, r))
    across = cross(sigma_BN, r)
    return short_mrp(
        np.array(
            (
                share * (along * sigma_BN[0] - back * r[0] + 2.0 * across[0]),
                share * (along * sigma_BN[1] - back * r[1] + 2.0 * across[1]),
                share * (along * sigma_BN[2] - back * r[2] + 2.0 * across[2]),
            )
        )
    )


@on_stacks("(3)->(3,3)")
def dcm_from_mrp(sigma_BN: Vec3) -> Mat3:
    """dcm_BN from the MRP of B relative to N."""
    return dcm_from_quaternion(quaternion_from_mrp(sigma_BN))


@on_stacks("(3,3)->(3)")
def mrp_from_dcm(dcm_BN: Mat3) -> Vec3:
    """[-] MRP of B relative to N, the short rotation, from dcm_BN."""
    return mrp_from_quaternion(quaternion_from_dcm(dcm_BN))


@on_stacks("(3)->(4)")
def quaternion_from_mrp(sigma_BN: Vec3) -> Vec4:
    """[-] Unit quaternion of B relative to N from its MRP."""
    s2 = dot(sigma_BN, sigma_BN)
    scale = 1.0 / (1.0 + s2)
    return np.array(
        [(1.0 - s2) * scale, 2.0 * sigma_BN[0] * scale, 2.0 * sigma_BN[1] * scale, 2.0 * sigma_BN[2] * scale]
    )


@on_stacks("(4)->(3)")
def mrp_from_quaternion(q_BN: Vec4) -> Vec3:
    """[-] MRP of B relative to N, the short rotation, from its unit quaternion."""
    sign = choose(q_BN[0] < 0.0, -1.0, 1.0)
    scale = sign / (1.0 + sign * q_BN[0])
    return np.array([q_BN[1] * scale, q_BN[2] * scale, q_BN[3] * scale])


@on_stacks("(4)->(3,3)")
def dcm_from_quaternion(q_BN: Vec4) -> Mat3:
    """dcm_BN from the unit quaternion of B relative to N."""
    w, x, y, z = q_BN[0], q_BN[1], q_BN[2], q_BN[3]
    return np.array(
        (
            (w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
            (2.0 * (x * y - w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z + w * x)),
            (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z),
        )
    )


@on_stacks("(3,3)->(4)")
def quaternion_from_dcm(dcm_BN: Mat3) -> Vec4:
    """[-] Unit quaternion of B relative to N, scalar part not negative, from dcm_BN.

    Sheppard's method: divide by the largest of the four components, so that no digit is lost.
    """
    c = dcm_BN
    trace = c[0, 0] + c[1, 1] + c[2, 2]
    w, x = 1.0 + trace, 1.0 - trace + 2.0 * c[0, 0]
    y, z = 1.0 - trace + 2.0 * c[1, 1], 1.0 - trace + 2.0 * c[2, 2]
    a, b, d = c[1, 2] - c[2, 1], c[2, 0] - c[0, 2], c[0, 1] - c[1, 0]
    e, f, g = c[0, 1] + c[1, 0], c[2, 0] + c[0, 2], c[1, 2] + c[2, 1]
    # four times the quaternion, times one of its components each: that with the largest
    q = _larger(w, (w, a, b, d), x, (a, x, e, f))
    q = _larger(np.maximum(w, x), q, y, (b, e, y, g))
    q = _larger(np.maximum(np.maximum(w, x), y), q, z, (d, f, g, z))
    return normalized_quaternion(np.array(q))


def _larger(size: Scalar, q: tuple[Scalar, ...], other_size: Scalar, other: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """That one of two quaternions whose size is larger; of equal ones the first."""
    is_other = other_size > size
    return (
        choose(is_other, other[0], q[0]),
        choose(is_other, other[1], q[1]),
        choose(is_other, other[2], q[2]),
        choose(is_other, other[3], q[3]),
    )


@on_stacks("(4),(3)->(4)")
def quaternion_rate(q_BN: Vec4, omega_BN_B: Vec3) -> Vec4:
    """[1/s] Rate of the unit quaternion of B relative to N; omega_BN_B [rad/s] in B.

    q_dot = 1/2 B(q) omega, Schaub and Junkins, section 3.4.
    """
    w, x, y, z = q_BN[0], q_BN[1], q_BN[2], q_BN[3]
    p, q, r = omega_BN_B[0], omega_BN_B[1], omega_BN_B[2]
    return 0.5 * np.array(
        [
            -x * p - y * q - z * r,
            w * p - z * q + y * r,
            z * p + w * q - x * r,
            -y * p + x * q + w * r,
        ]
    )


@on_stacks("(4),(4)->(4)")
def quaternion_product(q_FB: Vec4, q_BN: Vec4) -> Vec4:
    """[-] q_FN of the two rotations one after the other: dcm_FN = dcm_FB dcm_BN."""
    a, b = q_BN, q_FB
    return np.array(
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ]
    )


@on_stacks("(4)->(4)")
def normalized_quaternion(q: Vec4) -> Vec4:
    """[-] The unit quaternion along `q`, with its scalar part not negative."""
    length = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    unit: Vec4 = q / choose(q[0] < 0.0, -length, length)
    return unit


@on_stacks("(3)->()")
def rotation_angle(sigma_BN: Vec3) -> Scalar:
    """[rad] The principal rotation angle between B and N, from 0 to pi, from an MRP."""
    size = np.sqrt(dot(sigma_BN, sigma_BN))
    return 4.0 * arctan(np.minimum(size, 1.0 / np.maximum(size, 1.0)))
