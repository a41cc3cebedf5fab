"""How other bodies turn: the poles and prime meridians of the IAU."""

from typing import NamedTuple

import numpy as np

from cardan.ephemeris.epoch import Epoch
from cardan.errors import OutsideData, did_you_mean

DEG = np.pi / 180.0  # [rad]
DAY, CENTURY = 86400.0, 36525.0  # [s], [d]


class RotationElements(NamedTuple):
    """A pole and a prime meridian that move evenly.

    Attributes:
        alpha: [rad] Right ascension of the pole at time zero.
        alpha_rate: [rad/s]
        delta: [rad] Declination of the pole at time zero.
        delta_rate: [rad/s]
        W: [rad] Angle of the prime meridian, from the node of the equator on that of ICRF, at time zero.
        W_rate: [rad/s]
    """

    alpha: float
    alpha_rate: float
    delta: float
    delta_rate: float
    W: float
    W_rate: float


# [deg], [deg/century], [deg], [deg/century], [deg], [deg/d] since J2000 of TDB. B. A. Archinal et al., Report of the
# IAU Working Group on Cartographic Coordinates and Rotational Elements: 2009, Celestial Mechanics and Dynamical
# Astronomy 109 (2011), Tables 1 and 2; of the outer planets without terms below 0.01 deg.
_ELEMENTS = {
    "sun": (286.13, 0.0, 63.87, 0.0, 84.176, 14.1844),
    "mercury": (281.0097, -0.0328, 61.4143, -0.0049, 329.5469, 6.1385025),
    "venus": (272.76, 0.0, 67.16, 0.0, 160.20, -1.4813688),
    "moon": (269.9949, 0.0031, 66.5392, 0.0130, 38.3213, 13.17635815),
    "mars": (317.68143, -0.1061, 52.88650, -0.0609, 176.630, 350.89198226),
    "jupiter": (268.056595, -0.006499, 64.495303, 0.002413, 284.95, 870.536),
    "saturn": (40.589, -0.036, 83.537, -0.004, 38.90, 810.7939024),
    "uranus": (257.311, 0.0, -15.175, 0.0, 203.81, -501.1600928),
    "neptune": (299.36, 0.0, 43.46, 0.0, 253.18, 536.3128492),
}

# of the Moon: argument [deg], [deg/d]; amplitudes [deg] in alpha (sine), delta (cosine) and W (sine)
_MOON = np.array(
    [
        (125.045, -0.0529921, -3.8787, 1.5419, 3.5610),
        (250.089, -0.1059842, -0.1204, 0.0239, 0.1208),
        (260.008, 13.0120009, 0.0700, -0.0278, -0.0642),
        (176.625, 13.3407154, -0.0172, 0.0068, 0.0158),
        (357.529, 0.9856003, 0.0, 0.0, 0.0252),
        (311.589, 26.4057084, 0.0072, -0.0029, -0.0066),
        (134.963, 13.0649930, 0.0, 0.0009, -0.0047),
        (276.617, 0.3287146, 0.0, 0.0, -0.0046),
        (34.226, 1.7484877, 0.0, 0.0, 0.0028),
        (15.134, -0.1589763, -0.0052, 0.0008, 0.0052),
        (119.743, 0.0036096, 0.0, 0.0, 0.0040),
        (239.961, 0.1643573, 0.0, 0.0, 0.0019),
        (25.053, 12.9590088, 0.0043, -0.0009, -0.0044),
    ]
)


def rotation_elements(body: str, epoch: Epoch, duration: float) -> RotationElements:
    """The rotation of a body over a run, linear about its middle.

    Of the Moon, whose pole and meridian swing with the months, the linear form is right to 0.01 deg over two days and
    to 0.1 deg over a week; of the others it is that of the IAU.
    """
    if body not in _ELEMENTS:
        raise OutsideData(
            f"There is no rotation of `{body}`.{did_you_mean(body, _ELEMENTS)}\n"
            f"  There are: {', '.join(_ELEMENTS)}; the Earth has `earth_orientation`."
        )
    days = epoch.seconds("TDB") / DAY
    middle = days + 0.5 * duration / DAY
    value, rate = _at(body, middle)
    start = value - rate * (middle - days)
    (alpha, delta, W), (alpha_rate, delta_rate, W_rate) = start * DEG, rate * DEG / DAY
    return RotationElements(alpha, alpha_rate, delta, delta_rate, float(np.remainder(W, 2.0 * np.pi)), W_rate)


def _at(body: str, days: float) -> tuple[np.ndarray, np.ndarray]:
    """[deg], [deg/d] alpha, delta and W, and their rates."""
    alpha, alpha_rate, delta, delta_rate, W, W_rate = _ELEMENTS[body]
    rate = np.array([alpha_rate / CENTURY, delta_rate / CENTURY, W_rate])
    value = np.array([alpha, delta, W]) + rate * days
    if body == "moon":
        value[2] -= 1.4e-12 * days * days
        rate[2] -= 2.8e-12 * days
        E, E_rate = (_MOON[:, 0] + _MOON[:, 1] * days) * DEG, _MOON[:, 1] * DEG
        amplitudes = _MOON[:, 2:]
        value = value + np.array(
            [np.sin(E) @ amplitudes[:, 0], np.cos(E) @ amplitudes[:, 1], np.sin(E) @ amplitudes[:, 2]]
        )
        rate = rate + np.array(
            [
                (np.cos(E) * E_rate) @ amplitudes[:, 0],
                -(np.sin(E) * E_rate) @ amplitudes[:, 1],
                (np.cos(E) * E_rate) @ amplitudes[:, 2],
            ]
        )
    return value, rate
