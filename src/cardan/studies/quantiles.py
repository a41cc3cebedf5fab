"""The normal distribution and its inverse, with the same bits on every machine that has the same C library.

Algorithm AS 241 (Wichura, Applied Statistics 37, 1988): rational functions with a relative error of about 1e-16. They
take sums, products, one root and one logarithm, where `scipy.special.ndtri` depends on how SciPy was compiled.
"""

import math

import numpy as np

from cardan.maths import log

_CENTRE = (
    (
        3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
        4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
    ),
    (
        1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
        3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
    ),
)  # fmt: skip
_MIDDLE = (
    (
        1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
        1.27045825245236838258, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
    ),
    (
        1.0, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
        1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
    ),
)  # fmt: skip
_TAIL = (
    (
        6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 2.96560571828504891230e-1,
        2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
    ),
    (
        1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
        7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
    ),
)  # fmt: skip


def normal_quantile(p: np.ndarray) -> np.ndarray:
    """The number that a standard normal variable is below with probability `p`, between 0 and 1, both excluded."""
    p = np.asarray(p, float)
    q = p - 0.5
    central = _ratio(_CENTRE, 0.180625 - q * q) * q
    tail = np.where(q < 0.0, p, 1.0 - p)
    r = np.sqrt(-log(np.where(tail > 0.0, tail, 0.5)))
    outer = np.where(r <= 5.0, _ratio(_MIDDLE, r - 1.6), _ratio(_TAIL, r - 5.0))
    return np.where(np.abs(q) <= 0.425, central, np.where(q < 0.0, -outer, outer))


def normal_probability(x: float) -> float:
    """The probability that a standard normal variable is below `x`."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def _ratio(polynomials: tuple[tuple[float, ...], tuple[float, ...]], x: np.ndarray) -> np.ndarray:
    above, below = (_polynomial(coefficients, x) for coefficients in polynomials)
    return np.asarray(above / below)


def _polynomial(coefficients: tuple[float, ...], x: np.ndarray) -> np.ndarray:
    value = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value
