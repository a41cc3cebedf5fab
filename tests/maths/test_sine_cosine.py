"""Our own sine and cosine against their series in sixty digits."""

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

from cardan import maths
from cardan.maths.sine_cosine import LARGEST, SMALLEST
from cardan.native.compiling import jitted


def arctan_of_inverse(n: int) -> Decimal:
    total, power, k = Decimal(0), Decimal(1) / n, 1
    while abs(power) > Decimal(10) ** -78:
        total += power / k if k % 4 == 1 else -power / k
        power, k = power / (n * n), k + 2
    return total


def exact(x: float) -> tuple[Decimal, Decimal]:
    """Sine and cosine, by their series about zero after whole turns are taken off."""
    turn = 8 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))  # Machin
    r = Decimal(x).remainder_near(turn)
    sums, term = [Decimal(0), Decimal(0)], Decimal(1)
    for k in range(80):
        sums[k % 2] += term if k % 4 < 2 else -term
        term *= r / (k + 1)
    return sums[1], sums[0]


def angles() -> np.ndarray:
    """Of every size, next to multiples of a quarter turn, where one of the two nearly vanishes, and at the limits."""
    rng = np.random.default_rng(0)
    quarters = 0.5 * np.pi * np.concatenate([np.arange(1, 9), rng.integers(9, 2**27, 40)])
    limits = [SMALLEST, np.nextafter(SMALLEST, 1.0), 0.25 * np.pi, LARGEST, np.nextafter(LARGEST, 0.0)]
    sizes = 10.0 ** rng.uniform(-9.0, 8.4, 100) * rng.choice([-1.0, 1.0], 100)
    return np.concatenate([quarters, np.nextafter(quarters, 0.0), limits, sizes, rng.uniform(-7.0, 7.0, 100)])


def both(x: Any) -> Any:
    return maths.sin_cos(x)


def test_sine_and_cosine_are_within_four_fifths_of_a_unit_in_the_last_place():
    with localcontext() as context:
        context.prec = 80
        for x in angles():
            for found, truth in zip(maths.sin_cos(x), exact(float(x)), strict=True):
                unit = Decimal(float(np.spacing(abs(float(truth)))))
                assert abs(Decimal(float(found)) - truth) <= Decimal("0.8") * unit, x


def test_native_code_which_skips_the_reduction_of_small_angles_gives_the_same_bits():
    native = jitted(both)
    for x in (*angles(), 0.0, -0.0, 5e-324, 1e300):
        assert np.array(native(x)).tobytes() == np.array(maths.sin_cos(x)).tobytes(), x


@pytest.mark.parametrize("x", [np.inf, -np.inf, np.nan])
def test_what_has_no_angle_has_no_sine(x):
    assert np.isnan(maths.sin_cos(x)).all() and np.isnan(jitted(both)(x)).all()
