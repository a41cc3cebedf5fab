"""Integrators with a fixed step: `ExplicitEuler`, `SemiImplicitEuler`, `Heun`, `Rk4`, `Rodas3`."""

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar, final

from cardan.errors import IntegratorError, shown
from cardan.scenario.clock import nanoseconds
from cardan.simulation import core
from cardan.simulation.integrators import tableaus
from cardan.simulation.integrators.tableaus import Tableau, identity_of


@dataclass(frozen=True)
class FixedStep(ABC):
    """An integrator whose steps all have the same length.

    Attributes:
        step: [s] Length of a step. Periods of tasks are whole multiples of it.
    """

    step: float

    tableau: ClassVar[Tableau]
    is_semi_implicit: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.base_tick <= 0:
            raise IntegratorError(f"{self}: the step must be positive, got {self.step!r} s.\n  Use e.g. step=0.1.")

    @property
    def order(self) -> int:
        return self.tableau.order

    @property
    def base_tick(self) -> int:
        """[ns] What periods must be multiples of."""
        return nanoseconds(self.step, f"{type(self).__name__}(step={shown(self.step)}): the step")

    def method(self) -> core.Method:
        """The numbers that the native core works with."""
        return self.tableau.method(identity_of(self), step=self.base_tick, is_semi_implicit=self.is_semi_implicit)


@final
@dataclass(frozen=True)
class ExplicitEuler(FixedStep):
    """x(t + h) = x + h f(t, x). First order; for comparison and teaching."""

    tableau = tableaus.EULER


@final
@dataclass(frozen=True)
class SemiImplicitEuler(FixedStep):
    """Velocities first, then positions with the new velocities. First order, and no drift of energy.

    Positions are the coordinates of mechanisms and the states marked with `Position`; everything else advances as with
    `ExplicitEuler`.
    """

    tableau = tableaus.EULER
    is_semi_implicit = True


@final
@dataclass(frozen=True)
class Heun(FixedStep):
    """The explicit trapezoidal rule. Second order, two evaluations per step."""

    tableau = tableaus.HEUN


@final
@dataclass(frozen=True)
class Rk4(FixedStep):
    """The classical Runge-Kutta method. Fourth order, four evaluations per step."""

    tableau = tableaus.RK4


@final
@dataclass(frozen=True)
class Rodas3(FixedStep):
    """A Rosenbrock method of third order for what is stiff: no step is too long for its stability.

    Every step takes as many evaluations as there are states, and four more.
    """

    tableau = tableaus.RODAS3
