"""Spherical-harmonic fields: coefficients, and the rows that the kernel of gravity and magnetism works off."""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from cardan.ephemeris.data_files import load_data
from cardan.errors import DamagedData, OutsideData


@dataclass(frozen=True)
class HarmonicField:
    """A fully normalised series of a gravitational potential.

    Attributes:
        C: [-] (degree + 1, degree + 1) Coefficients of the cosines, C[n, m].
        S: [-] Coefficients of the sines.
        mu: [m^3/s^2] Gravitational parameter that they belong to.
        radius: [m] Reference radius that they belong to.
        tide_system: `tide_free`, `zero_tide`, `mean_tide` or `unknown`: which part of the permanent tide C_20 has.
        source: What errors call it.
    """

    C: np.ndarray
    S: np.ndarray
    mu: float
    radius: float
    tide_system: str = "unknown"
    source: str = "the field"

    @property
    def degree(self) -> int:
        return len(self.C) - 1

    @property
    def J2(self) -> float:
        """[-] Of the oblateness: - sqrt(5) C_20."""
        return -math.sqrt(5.0) * float(self.C[2, 0]) if self.degree >= 2 else 0.0

    def check_degree(self, degree: int) -> None:
        """Raise unless the field has this degree."""
        if not (isinstance(degree, int | np.integer) and 0 <= degree <= self.degree):
            raise OutsideData(
                f"{self.source} has coefficients up to degree {self.degree}; degree {degree!r} was asked for.\n"
                f"  Choose a whole number from 0 to {self.degree}, or read a larger file with `read_gfc`."
            )


@cache
def egm2008() -> HarmonicField:
    """EGM2008 to degree 120, tide free. N. K. Pavlis et al., Journal of Geophysical Research 117 (2012)."""
    data = load_data("egm2008_120.npz")
    packed = data["coefficients"]
    C, S = np.tril(packed), np.zeros_like(packed)
    S[:, 1:] = np.triu(packed, 1).T[:, :-1]  # S_nm lies at [m - 1, n]
    return HarmonicField(C, S, float(data["mu"]), float(data["radius"]), str(data["tide_system"]), "EGM2008 as shipped")


def read_gfc(path: str | Path, degree: int | None = None) -> HarmonicField:
    """A gravity field from a file in the format of the ICGEM, `.gfc`, with static coefficients.

    Args:
        path: The file.
        degree: How much of it to keep; all of it if left out.

    Raises:
        DamagedData: It is no such file, or incomplete.
        OutsideData: It has no such degree.
    """
    try:
        lines = [line.split() for line in Path(path).read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError as error:
        raise DamagedData(f"`{path}` cannot be read: {error.strerror}.") from error
    head = {words[0]: words[1] for words in lines if len(words) >= 2 and words[0] not in ("gfc", "gfct")}
    try:
        mu, radius = _number(head["earth_gravity_constant"]), _number(head["radius"])
        top = int(head["max_degree"])
    except (KeyError, ValueError) as error:
        raise DamagedData(
            f"`{path}` is no gravity field: it lacks {error}.\n"
            "  The header of a .gfc file has earth_gravity_constant, radius and max_degree."
        ) from error
    if head.get("norm", "fully_normalized") != "fully_normalized":
        raise DamagedData(f"`{path}` has coefficients of norm `{head['norm']}`.\n  expected fully_normalized")
    if any(words[:1] in (["gfct"], ["trnd"], ["acos"], ["asin"]) for words in lines):
        raise DamagedData(f"`{path}` has coefficients that change with time, which are not supported.")
    C, S = np.zeros((top + 1, top + 1)), np.zeros((top + 1, top + 1))
    is_given = np.zeros((top + 1, top + 1), dtype=bool)
    try:
        for words in lines:
            if words[:1] == ["gfc"]:
                n, m = int(words[1]), int(words[2])
                C[n, m], S[n, m], is_given[n, m] = _number(words[3]), _number(words[4]), True
    except (IndexError, ValueError) as error:
        raise DamagedData(f"`{path}`: the line {' '.join(words)!r} cannot be read ({error}).") from error
    missing = [(n, m) for n in range(2, top + 1) for m in range(n + 1) if not is_given[n, m]]
    if missing or not (np.isfinite(C).all() and np.isfinite(S).all()):
        n, m = missing[0] if missing else (0, 0)
        raise DamagedData(
            f"`{path}` is incomplete: it says max_degree {top} and has no finite coefficient of degree {n}, order {m}."
        )
    C[0, 0] = 1.0
    field = HarmonicField(C, S, mu, radius, head.get("tide_system", "unknown"), f"`{path}`")
    if degree is None:
        return field
    field.check_degree(degree)
    n = degree + 1
    return HarmonicField(C[:n, :n], S[:n, :n], mu, radius, field.tide_system, field.source)


def gradient_rows(C: np.ndarray, S: np.ndarray, degree: int) -> np.ndarray:
    """The rows with which a loop finds the gradient of a harmonic series, which is a harmonic series itself.

    With V_nm, W_nm the fully normalised solid harmonics of `cardan.maths.harmonics`, R the reference radius,

        gradient = 1/R^2 sum over n <= degree + 1 of (xV V + xW W, yV V + yW W, zV V + zW W)                      (1)

    A row is (a, b, xV, xW, yV, yW, zV, zW), column by column (m outer), where a row with n = m has f_m in place of a.
    With k = n - 1, nu(k, j) = sqrt(M(k, j) / M(n, m)), M(n, m) = (2 - [m = 0]) (2 n + 1) (n - m)! / (n + m)!

        U = h nu(k, m - 1) C_(k, m - 1),   h = 1 if m = 1 else 1/2                                                 (2)
        D = 1/2 (k - m + 1) (k - m) nu(k, m + 1) C_(k, m + 1),    Z = (k - m + 1) nu(k, m) C_(k, m)                (3)
        xV = D_C - U_C, xW = D_S - U_S, yV = D_S + U_S, yW = -(D_C + U_C), zV = -Z_C, zW = -Z_S                    (4)

    which is Cunningham's derivative (Montenbruck and Gill, Satellite Orbits, Eq. 3.33), regrouped by the harmonic.
    """
    rows = []
    for m in range(degree + 2):
        for n in range(m, degree + 2):
            if n == m:
                a, b = (1.0 if m == 0 else math.sqrt(3.0) if m == 1 else math.sqrt((2 * m + 1) / (2 * m))), 0.0
            else:
                a = math.sqrt((2 * n + 1) * (2 * n - 1) / ((n - m) * (n + m)))
                b = 0.0
                if n > m + 1:
                    b = math.sqrt((2 * n + 1) * (n + m - 1) * (n - m - 1) / ((2 * n - 3) * (n - m) * (n + m)))
            rows.append([a, b, *_parts(C, S, n, m)])
    return np.array(rows)


def _parts(C: np.ndarray, S: np.ndarray, n: int, m: int) -> tuple[float, ...]:
    """Eqs. (2) to (4)."""
    k = n - 1

    def term(order: int, factor: float) -> tuple[float, float]:
        if not 0 <= order <= k or factor == 0.0:
            return 0.0, 0.0
        scale = factor * math.sqrt(_ratio(k, order, n, m))
        return scale * float(C[k, order]), scale * float(S[k, order])

    U_C, U_S = term(m - 1, 1.0 if m == 1 else 0.5)
    D_C, D_S = term(m + 1, 0.5 * (k - m + 1) * (k - m))
    Z_C, Z_S = term(m, float(k - m + 1))
    return D_C - U_C, D_S - U_S, D_S + U_S, -(D_C + U_C), -Z_C, -Z_S


def _ratio(k: int, j: int, n: int, m: int) -> float:
    """M(k, j) / M(n, m); k - j and n - m, and k + j and n + m, differ by two at most, so the factorials are short."""
    above, below = (1 if j == 0 else 2) * (2 * k + 1), (1 if m == 0 else 2) * (2 * n + 1)
    for top, bottom in ((k - j, n - m), (n + m, k + j)):
        if top > bottom:
            above *= math.prod(range(bottom + 1, top + 1))
        else:
            below *= math.prod(range(top + 1, bottom + 1))
    return above / below


def _number(text: str) -> float:
    return float(text.replace("D", "e").replace("d", "e"))
