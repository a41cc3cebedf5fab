"""Heights and latitudes above an ellipsoid."""

import numpy as np

from cardan.maths.arrays import Scalar, Vec3
from cardan.maths.stacks import on_stacks

WGS84_RADIUS = 6378137.0
"""[m] Equatorial radius of WGS84."""

WGS84_FLATTENING = 1.0 / 298.257223563
"""[-] Flattening of WGS84."""


@on_stacks("(3)->(),(),()")
def geodetic(r_P: Vec3) -> tuple[Scalar, Scalar, Scalar]:
    """Sine and cosine of the geodetic latitude, and the height [m] above WGS84, at an Earth-fixed place [m].

    Bowring's formula, applied twice: 1e-9 m from the ground to the Moon. Not for places within 50 km of the centre.
    """
    e2 = WGS84_FLATTENING * (2.0 - WGS84_FLATTENING)
    axis = 1.0 - WGS84_FLATTENING
    polar = axis * WGS84_RADIUS
    rho = np.sqrt(r_P[0] * r_P[0] + r_P[1] * r_P[1])
    z = r_P[2]
    # sine and cosine of the reduced latitude, first as if the point lay on the ellipsoid
    sine, cosine = z, axis * rho
    length = np.sqrt(sine * sine + cosine * cosine)
    sine, cosine = sine / length, cosine / length
    sin_latitude, cos_latitude = sine, cosine
    for _ in range(2):
        up = z + e2 / (1.0 - e2) * polar * sine * sine * sine
        out = rho - e2 * WGS84_RADIUS * cosine * cosine * cosine
        length = np.sqrt(up * up + out * out)
        sin_latitude, cos_latitude = up / length, out / length
        sine, cosine = axis * sin_latitude, cos_latitude
        length = np.sqrt(sine * sine + cosine * cosine)
        sine, cosine = sine / length, cosine / length
    radius = WGS84_RADIUS * np.sqrt(1.0 - e2 * sin_latitude * sin_latitude)
    return sin_latitude, cos_latitude, rho * cos_latitude + z * sin_latitude - radius
