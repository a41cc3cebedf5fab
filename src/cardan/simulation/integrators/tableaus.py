"""Runge-Kutta coefficients of the integrators, with their sources.

A row of `a` lists its entries from the left; what is missing is zero. The order of every method is proved by the
convergence tests, not by trust in these numbers.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from cardan.simulation import core


class Tableau(NamedTuple):
    """Coefficients of an explicit Runge-Kutta method, or of a Rosenbrock method.

    Attributes:
        name: What the method is called.
        order: Order of the solution that is carried on.
        a: (s, s) Matrix.
        b: (s,) Weights of the solution.
        c: (s,) Nodes.
        error: (s,) Weights of the error estimate, or empty.
        error_low: (s,) Weights of a second estimate of lower order, or empty.
        error_order: Order of the error estimate.
        is_fsal: Whether the last stage is evaluated at the new state (first same as last).
        coupling: (s, s + 1) Of a Rosenbrock method, as in `core.Method`; without rows for an explicit one.
    """

    name: str
    order: int
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    error: np.ndarray
    error_low: np.ndarray
    error_order: int
    is_fsal: bool
    coupling: np.ndarray = np.empty((0, 0))

    @property
    def is_implicit(self) -> bool:
        return len(self.coupling) > 0

    def method(
        self,
        identity: int,
        *,
        step: int = 0,
        is_semi_implicit: bool = False,
        first_step: float = 0.0,
        min_step: float = 0.0,
        max_step: float = 0.0,
    ) -> core.Method:
        """The numbers that the native core works with."""
        return core.Method(
            a=self.a,
            b=self.b,
            c=self.c,
            error=self.error,
            error_low=self.error_low,
            is_fsal=self.is_fsal,
            is_semi_implicit=is_semi_implicit,
            error_order=self.error_order,
            step=step,
            first_step=first_step,
            min_step=min_step,
            max_step=max_step,
            identity=identity,
            coupling=self.coupling,
        )


def _tableau(
    name: str,
    order: int,
    rows: list[Any],
    weights: Any,
    *,
    error: Any = (),
    error_low: Any = (),
    error_order: int = 0,
    is_fsal: bool = False,
) -> Tableau:
    stages = len(rows)
    a = np.array([_row(row, stages) for row in rows])
    return Tableau(
        name=name,
        order=order,
        a=a,
        b=_row(weights, stages),
        c=np.array([float(sum(map(Fraction, _values(row)))) for row in rows]),
        error=_row(error, stages) if error else np.empty(0),
        error_low=_row(error_low, stages) if error_low else np.empty(0),
        error_order=error_order,
        is_fsal=is_fsal,
    )


def _values(row: Any) -> list[Any]:
    return list(row.values()) if isinstance(row, dict) else row.split() if isinstance(row, str) else list(row)


def _row(row: Any, stages: int) -> np.ndarray:
    """A row from text ("1/2 0 3/4"), from numbers, or from {column: number}."""
    full = np.zeros(stages)
    columns = row if isinstance(row, dict) else range(len(_values(row)))
    for column, value in zip(columns, _values(row), strict=True):
        full[column] = float(Fraction(value))
    return full


def _rosenbrock(
    name: str, order: int, gamma: str, rows: list[str], coupling: list[str], nodes: str, times: str, weights: str
) -> Tableau:
    """A Rosenbrock method as in Eq. (2) of docs/theory/integrators/rosenbrock.md; its last stage is the error."""
    stages = len(rows)
    matrix = np.zeros((stages, stages + 1))
    for s, row in enumerate(coupling):
        matrix[s, :stages] = _row(row, stages)
        matrix[s, s] = 1.0 / float(Fraction(gamma))
    matrix[:, stages] = _row(times, stages)
    return Tableau(
        name=name,
        order=order,
        a=np.array([_row(row, stages) for row in rows]),
        b=_row(weights, stages),
        c=_row(nodes, stages),
        error=_row({stages - 1: 1}, stages),
        error_low=np.empty(0),
        error_order=order - 1,
        is_fsal=False,
        coupling=matrix,
    )


EULER = _tableau("explicit Euler", 1, [""], "1")

HEUN = _tableau("Heun", 2, ["", "1"], "1/2 1/2")

RK4 = _tableau("RK4", 4, ["", "1/2", "0 1/2", "0 0 1"], "1/6 1/3 1/3 1/6")

# Bogacki and Shampine, A 3(2) pair of Runge-Kutta formulas, Appl. Math. Letters 2 (1989)
BOGACKI_SHAMPINE_32 = _tableau(
    "Bogacki-Shampine 3(2)",
    3,
    ["", "1/2", "0 3/4", "2/9 1/3 4/9"],
    "2/9 1/3 4/9 0",
    error="-5/72 1/12 1/9 -1/8",
    error_order=2,
    is_fsal=True,
)

# Dormand and Prince, A family of embedded Runge-Kutta formulae, J. Comp. Appl. Math. 6 (1980)
DORMAND_PRINCE_54 = _tableau(
    "Dormand-Prince 5(4)",
    5,
    [
        "",
        "1/5",
        "3/40 9/40",
        "44/45 -56/15 32/9",
        "19372/6561 -25360/2187 64448/6561 -212/729",
        "9017/3168 -355/33 46732/5247 49/176 -5103/18656",
        "35/384 0 500/1113 125/192 -2187/6784 11/84",
    ],
    "35/384 0 500/1113 125/192 -2187/6784 11/84 0",
    error="71/57600 0 -71/16695 71/1920 -17253/339200 22/525 -1/40",
    error_order=4,
    is_fsal=True,
)

# Fehlberg, Low-order classical Runge-Kutta formulas with stepsize control, NASA TR R-315 (1969)
RKF45 = _tableau(
    "Runge-Kutta-Fehlberg 4(5)",
    5,
    [
        "",
        "1/4",
        "3/32 9/32",
        "1932/2197 -7200/2197 7296/2197",
        "439/216 -8 3680/513 -845/4104",
        "-8/27 2 -3544/2565 1859/4104 -11/40",
    ],
    "16/135 0 6656/12825 28561/56430 -9/50 2/55",
    error="1/360 0 -128/4275 -2197/75240 1/50 2/55",
    error_order=4,
)

# Fehlberg, Classical fifth-, sixth-, seventh-, and eighth-order Runge-Kutta formulas, NASA TR R-287 (1968)
RKF78 = _tableau(
    "Runge-Kutta-Fehlberg 7(8)",
    8,
    [
        "",
        "2/27",
        "1/36 1/12",
        "1/24 0 1/8",
        "5/12 0 -25/16 25/16",
        "1/20 0 0 1/4 1/5",
        "-25/108 0 0 125/108 -65/27 125/54",
        "31/300 0 0 0 61/225 -2/9 13/900",
        "2 0 0 -53/6 704/45 -107/9 67/90 3",
        "-91/108 0 0 23/108 -976/135 311/54 -19/60 17/6 -1/12",
        "2383/4100 0 0 -341/164 4496/1025 -301/82 2133/4100 45/82 45/164 18/41",
        "3/205 0 0 0 0 -6/41 -3/205 -3/41 3/41 6/41 0",
        "-1777/4100 0 0 -341/164 4496/1025 -289/82 2193/4100 51/82 33/164 12/41 0 1",
    ],
    "0 0 0 0 0 34/105 9/35 9/35 9/280 9/280 0 41/840 41/840",
    error="41/840 0 0 0 0 0 0 0 0 0 41/840 -41/840 -41/840",
    error_order=7,
)

# Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.10; their code DOP853
_DOP853_WEIGHTS = {
    0: 0.054293734116568765,
    5: 4.450312892752409,
    6: 1.8915178993145003,
    7: -5.801203960010585,
    8: 0.3111643669578199,
    9: -0.1521609496625161,
    10: 0.20136540080403034,
    11: 0.04471061572777259,
}
DOP853 = _tableau(
    "DOP853",
    8,
    [
        {},
        {0: 0.05260015195876773},
        {0: 0.0197250569845379, 1: 0.0591751709536137},
        {0: 0.02958758547680685, 2: 0.08876275643042054},
        {0: 0.2413651341592667, 2: -0.8845494793282861, 3: 0.924834003261792},
        {0: 0.037037037037037035, 3: 0.17082860872947386, 4: 0.12546768756682242},
        {0: 0.037109375, 3: 0.17025221101954405, 4: 0.06021653898045596, 5: -0.017578125},
        {
            0: 0.03709200011850479,
            3: 0.17038392571223998,
            4: 0.10726203044637328,
            5: -0.015319437748624402,
            6: 0.008273789163814023,
        },
        {
            0: 0.6241109587160757,
            3: -3.3608926294469414,
            4: -0.868219346841726,
            5: 27.59209969944671,
            6: 20.154067550477894,
            7: -43.48988418106996,
        },
        {
            0: 0.47766253643826434,
            3: -2.4881146199716677,
            4: -0.590290826836843,
            5: 21.230051448181193,
            6: 15.279233632882423,
            7: -33.28821096898486,
            8: -0.020331201708508627,
        },
        {
            0: -0.9371424300859873,
            3: 5.186372428844064,
            4: 1.0914373489967295,
            5: -8.149787010746927,
            6: -18.52006565999696,
            7: 22.739487099350505,
            8: 2.4936055526796523,
            9: -3.0467644718982196,
        },
        {
            0: 2.273310147516538,
            3: -10.53449546673725,
            4: -2.0008720582248625,
            5: -17.9589318631188,
            6: 27.94888452941996,
            7: -2.8589982771350235,
            8: -8.87285693353063,
            9: 12.360567175794303,
            10: 0.6433927460157636,
        },
        _DOP853_WEIGHTS,
    ],
    _DOP853_WEIGHTS,
    error={
        0: 0.01312004499419488,
        5: -1.2251564463762044,
        6: -0.4957589496572502,
        7: 1.6643771824549864,
        8: -0.35032884874997366,
        9: 0.3341791187130175,
        10: 0.08192320648511571,
        11: -0.022355307863886294,
    },
    error_low={
        0: -0.18980075407240762,
        5: 4.450312892752409,
        6: 1.8915178993145003,
        7: -5.801203960010585,
        8: -0.4226823213237919,
        9: -0.1521609496625161,
        10: 0.20136540080403034,
        11: 0.02265179219836082,
    },
    error_order=7,
    is_fsal=True,
)


def identity_of(integrator: object) -> int:
    """A number that tells integrators with their settings apart."""
    return int.from_bytes(repr(integrator).encode(), "little") % (2**61 - 1)


# Sandu and others, Benchmarking stiff ODE solvers for atmospheric chemistry problems II: Rosenbrock solvers,
# Atmospheric Environment 31 (1997)
RODAS3 = _rosenbrock(
    "Rodas3", 3, "1/2",
    rows=["", "0", "2 0", "2 0 1"],
    coupling=["", "4", "1 -1", "1 -1 -8/3"],
    nodes="0 0 1 1", times="1/2 3/2 0 0", weights="2 0 1 1",
)  # fmt: skip

# Hairer and Wanner, Solving Ordinary Differential Equations II, 2nd edition (1996), section IV.7 and their code RODAS
_LAST = "1.221224509226641 6.019134481288629 12.53708332932087 -0.6878860361058950"
RODAS4 = _rosenbrock(
    "Rodas4", 4, "1/4",
    rows=[
        "", "1.544", "0.9466785280815826 0.2557011698983284",
        "3.314825187068521 2.896124015972201 0.9986419139977817", _LAST, f"{_LAST} 1",
    ],
    coupling=[
        "", "-5.6688", "-2.430093356833875 -0.2063599157091915",
        "-0.1073529058151375 -9.594562251023355 -20.47028614809616",
        "7.496443313967647 -10.24680431464352 -33.99990352819905 11.70890893206160",
        "8.083246795921522 -7.981132988064893 -31.52159432874371 16.31930543123136 -6.058818238834054",
    ],
    nodes="0 0.386 0.21 0.63 1 1", times="0.25 -0.1043 0.1035 -0.0362 0 0", weights=f"{_LAST} 1 1",
)  # fmt: skip
