"""Sine and cosine of an angle, by sums and products alone.

One source serves numbers, arrays and, as compiled code, eight numbers in a register. The C library's functions take one
number at a time, which is what eight runs side by side would wait for.

The nearest multiple n of pi/2 is taken from the angle. Four parts make up pi/2, the first three of 25 bits, so that
their products with n are exact, and so is the first difference; what the other two round away is kept in `rest`:

    x = n pi/2 + r + rest,   |r| <= pi/4                                                                           (1)

Sine and cosine of r are the minimax polynomials of fdlibm 5.3 (Sun Microsystems), to first order in `rest`; n mod 4
says which of the two is which, and their signs. Both are within 0.8 units in the last place.
"""

from typing import Any

from cardan.maths.choosing import choose

LARGEST = 2.0**28
"""[rad] The angle from which on products with n are not exact any more."""

SMALLEST = 0.785
"""[rad] The angle up to which n is 0."""

_TWO_OVER_PI = 0.6366197723675814
_QUARTER_TURN = (1.5707963109016418, 1.5893254712295857e-08, 6.123233932053594e-17, 6.36831716351095e-25)
_INTEGERS = 1.5 * 2.0**52  # among numbers of this size only integers are left: adding it rounds to the nearest

_SINE = (
    -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
    -2.50507602534068634195e-08, 1.58969099521155010221e-10,
)  # fmt: skip
_COSINE = (
    4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05, -2.75573143513906633035e-07,
    2.08757232129817482790e-09, -1.13596475577881948265e-11,
)  # fmt: skip


def near_sin_cos(x: Any) -> tuple[Any, Any]:
    """[-] Sine and cosine of angles [rad] up to `LARGEST`."""
    n = (x * _TWO_OVER_PI + _INTEGERS) - _INTEGERS
    # Eq. (1)
    begun = x - n * _QUARTER_TURN[0]
    nearer, lost = difference(begun, n * _QUARTER_TURN[1])
    nearest, lost_again = difference(nearer, n * _QUARTER_TURN[2])
    small = n * _QUARTER_TURN[3] - (lost + lost_again)
    r = nearest - small
    rest = (nearest - r) - small
    sine, cosine = of_small_angle(r, rest)

    quarters = n - 4.0 * ((0.25 * n + _INTEGERS) - _INTEGERS)  # -2, -1, 0, 1 or 2
    is_half = abs(quarters) == 2.0
    is_odd = abs(quarters) == 1.0
    first, second = choose(is_odd, cosine, sine), choose(is_odd, sine, cosine)
    return (
        choose(is_half | (quarters == -1.0), -first, first),
        choose(is_half | (quarters == 1.0), -second, second),
    )


def of_small_angle(r: Any, rest: Any) -> tuple[Any, Any]:
    """[-] Sine and cosine of r + rest [rad], an angle up to pi/4."""
    z = r * r
    higher = _SINE[1] + z * (_SINE[2] + z * (_SINE[3] + z * (_SINE[4] + z * _SINE[5])))
    cube = z * r
    sine = r - ((z * (0.5 * rest - cube * higher) - rest) - cube * _SINE[0])

    lower = z * (_COSINE[0] + z * (_COSINE[1] + z * _COSINE[2]))
    square = z * z
    higher = (square * square) * (_COSINE[3] + z * (_COSINE[4] + z * _COSINE[5]))
    half = 0.5 * z
    whole = 1.0 - half
    cosine = whole + (((1.0 - whole) - half) + (z * (lower + higher) - r * rest))
    return sine, cosine


def difference(a: Any, b: Any) -> tuple[Any, Any]:
    """A - b, and what it rounds away (D. E. Knuth)."""
    c = a - b
    back = a - c
    return c, (a - (c + back)) + (back - b)
