"""How long a step may be: the linear stability of the integrators, from their coefficients.

On x' = z/h x one step multiplies x by R(z), a polynomial that the tableau determines. What decays must not grow:
|R(z)| <= 1 (docs/theory/integrators/README.md, Eqs. (1) to (3)).
"""

import math

import numpy as np
from numpy.polynomial import polynomial

from cardan.simulation.integrators.tableaus import Tableau

# [-] coefficients below this vanish but for rounding
_ROUNDING = 1.0e-13
# [-] no region of these methods reaches further, and none has a gap that is narrower
_FARTHEST, _FINENESS = 30.0, 0.01


def stability_polynomial(tableau: Tableau) -> np.ndarray:
    """(s + 1,) The coefficients of R(z), constant term first: Eq. (1)."""
    coefficients, power = [1.0], np.ones(len(tableau.b))
    for _ in tableau.b:
        coefficients.append(float(tableau.b @ power))
        power = tableau.a @ power
    return np.array(coefficients)


def stable_reach(coefficients: np.ndarray, direction: complex) -> float:
    """[-] How far |R| <= 1 holds from the origin along the unit number `direction`: Eq. (2)."""
    along = coefficients * direction ** np.arange(len(coefficients))
    excess = np.real(polynomial.polymul(along, np.conj(along)))
    excess[0] -= 1.0
    present = np.flatnonzero(np.abs(excess) > _ROUNDING)
    # whether it grows at once is said by the first term that does not vanish
    excess = excess[present[0] :]
    if excess[0] > 0.0:
        return 0.0
    grid = np.arange(0.0, _FARTHEST, _FINENESS)
    grows = np.flatnonzero(polynomial.polyval(grid, excess) > 0.0)
    high = float(grid[grows[0]])
    low = high - _FINENESS
    while high - low > 1.0e-12 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if polynomial.polyval(middle, excess) > 0.0 else (middle, high)
    return low


def axis_limits(tableau: Tableau, is_semi_implicit: bool = False) -> tuple[float, float]:
    """[-] Largest stable h times damping rate of a decay, and h times frequency of an undamped oscillation."""
    if is_semi_implicit:
        return 2.0, 2.0  # Eq. (4)
    if tableau.is_implicit:
        return math.inf, math.inf
    coefficients = stability_polynomial(tableau)
    return stable_reach(coefficients, -1.0), stable_reach(coefficients, 1j)


def implicit_growth(tableau: Tableau, z: np.ndarray) -> np.ndarray:
    """[-] R(z) of a Rosenbrock method: Eq. (4) of docs/theory/integrators/rosenbrock.md."""
    n = len(tableau.b)
    coupling, one = tableau.coupling[:, :n], np.eye(n)
    diagonal = np.diag(np.diag(coupling))
    stages = [
        np.linalg.solve(diagonal - (coupling - diagonal) - each * (one + tableau.a), np.full(n, each)) for each in z
    ]
    return np.asarray(1.0 + np.array(stages) @ tableau.b)


def growth(coefficients: np.ndarray, z: np.ndarray) -> np.ndarray:
    """[-] |R(z)|."""
    return np.asarray(np.abs(polynomial.polyval(z, coefficients)))


def stable_step(coefficients: np.ndarray, rates: np.ndarray) -> float:
    """[s] Largest step with which nothing grows of what the given rates [1/s] let decay or oscillate: Eq. (3)."""
    lengths = np.abs(rates)
    moving = lengths > 0.0
    reaches = [stable_reach(coefficients, rate / abs(rate)) for rate in rates[moving]]
    return float(np.min(np.array(reaches) / lengths[moving], initial=math.inf))
