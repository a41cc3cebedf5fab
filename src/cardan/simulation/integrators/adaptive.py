"""Integrators that choose their step: `BogackiShampine32`, `DormandPrince54`, `Rkf45`, `Rkf78`, `Dop853`, `Rodas4`."""

import math
from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, NamedTuple, final

from cardan.errors import IntegratorError, shown
from cardan.simulation import core
from cardan.simulation.integrators import tableaus
from cardan.simulation.integrators.tableaus import Tableau, identity_of


class Tolerance(NamedTuple):
    """How large the error of one step may be for one state: `absolute + relative * |state|`.

    Attributes:
        absolute: In the unit of the state.
        relative: [-]
    """

    absolute: float
    relative: float


@dataclass(frozen=True)
class AdaptiveStep(ABC):
    """An integrator that keeps the estimated error of each step within tolerances.

    Attributes:
        rtol: [-] Relative tolerance of every state.
        atol: Absolute tolerance of every state, in its own unit.
        tolerances: Other tolerances for some states, by path: `{"plant.sigma_BN": Tolerance(1e-12, 1e-10)}`.
        first_step: [s] First step to try; None to choose it from the problem.
        min_step: [s] Smallest step. Needing a smaller one is an error.
        max_step: [s] Largest step.
    """

    rtol: float = 1.0e-8
    atol: float = 1.0e-10
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    first_step: float | None = None
    min_step: float = 1.0e-9
    max_step: float = math.inf

    tableau: ClassVar[Tableau]

    def __post_init__(self) -> None:
        name = type(self).__name__
        for setting in ("rtol", "atol", "min_step", "max_step", "first_step"):
            value = getattr(self, setting)
            if value is not None or setting != "first_step":
                object.__setattr__(self, setting, _number(value, f"{name}: {setting}"))
        object.__setattr__(self, "tolerances", self._checked_tolerances())
        for path, tolerance in {"": Tolerance(self.atol, self.rtol), **self.tolerances}.items():
            where = f" for `{path}`" if path else ""
            if not (all(0.0 <= value < math.inf for value in tolerance) and sum(tolerance) > 0.0):
                raise IntegratorError(
                    f"{name}: tolerances{where} must be finite and not negative, and one must be positive.\n"
                    f"  got absolute {tolerance.absolute!r}, relative {tolerance.relative!r}"
                )
        if not (1.0e-9 <= self.min_step <= self.max_step and self.min_step < math.inf):
            raise IntegratorError(
                f"{name}: steps need 1e-9 s <= min_step <= max_step, and min_step must be finite.\n"
                f"  got min_step {self.min_step!r} s, max_step {self.max_step!r} s"
            )
        if self.first_step is not None and not self.first_step > 0.0:
            raise IntegratorError(f"{name}: first_step must be positive, got {self.first_step!r} s.")

    def _checked_tolerances(self) -> dict[str, Tolerance]:
        name, example = type(self).__name__, "Tolerance(absolute=1e-10, relative=1e-8)"
        if not isinstance(self.tolerances, Mapping):
            raise IntegratorError(
                f"{name}: tolerances is {shown(self.tolerances)}.\n"
                f'  Use a dictionary, e.g. tolerances={{"plant.sigma_BN": {example}}}.'
            )
        for path, tolerance in self.tolerances.items():
            if not isinstance(tolerance, Tolerance):
                raise IntegratorError(
                    f"{name}: the tolerance for `{path}` is {shown(tolerance)}.\n  Use e.g. {example}."
                )
        return {
            path: Tolerance(
                _number(given.absolute, f"{name}: the absolute tolerance for `{path}`"),
                _number(given.relative, f"{name}: the relative tolerance for `{path}`"),
            )
            for path, given in self.tolerances.items()
        }

    @property
    def order(self) -> int:
        return self.tableau.order

    @property
    def base_tick(self) -> int:
        """[ns] What periods must be multiples of: the step adapts, so any whole nanosecond will do."""
        return 1

    def method(self) -> core.Method:
        """The numbers that the native core works with."""
        return self.tableau.method(
            identity_of(self), first_step=self.first_step or 0.0, min_step=self.min_step, max_step=self.max_step
        )


def _number(value: Any, what: str) -> float:
    """A setting as the float that native code reads."""
    if not isinstance(value, Real):
        raise IntegratorError(f"{what} is {shown(value)}, which is not a number.\n  Use e.g. 1e-6.")
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return math.inf


@final
@dataclass(frozen=True)
class BogackiShampine32(AdaptiveStep):
    """Third order with a second-order estimate; for loose tolerances and many jumps."""

    tableau = tableaus.BOGACKI_SHAMPINE_32


@final
@dataclass(frozen=True)
class DormandPrince54(AdaptiveStep):
    """Fifth order with a fourth-order estimate; the usual choice."""

    tableau = tableaus.DORMAND_PRINCE_54


@final
@dataclass(frozen=True)
class Rkf45(AdaptiveStep):
    """Fehlberg's 4(5) pair; the fifth-order solution is carried on."""

    tableau = tableaus.RKF45


@final
@dataclass(frozen=True)
class Rkf78(AdaptiveStep):
    """Fehlberg's 7(8) pair; the eighth-order solution is carried on."""

    tableau = tableaus.RKF78


@final
@dataclass(frozen=True)
class Dop853(AdaptiveStep):
    """Hairer's eighth-order method with two estimates; for tight tolerances and long coasts."""

    tableau = tableaus.DOP853


@final
@dataclass(frozen=True)
class Rodas4(AdaptiveStep):
    """A Rosenbrock method of fourth order with a third-order estimate, for what is stiff.

    Every step takes as many evaluations as there are states, and seven more.
    """

    tableau = tableaus.RODAS4
