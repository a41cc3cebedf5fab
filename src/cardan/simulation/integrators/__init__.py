"""Integrators over the whole state. Each is a value: what it is called with is all there is to it."""

from cardan.simulation.integrators.adaptive import AdaptiveStep as AdaptiveStep
from cardan.simulation.integrators.adaptive import BogackiShampine32 as BogackiShampine32
from cardan.simulation.integrators.adaptive import Dop853 as Dop853
from cardan.simulation.integrators.adaptive import DormandPrince54 as DormandPrince54
from cardan.simulation.integrators.adaptive import Rkf45 as Rkf45
from cardan.simulation.integrators.adaptive import Rkf78 as Rkf78
from cardan.simulation.integrators.adaptive import Rodas4 as Rodas4
from cardan.simulation.integrators.adaptive import Tolerance as Tolerance
from cardan.simulation.integrators.fixed import ExplicitEuler as ExplicitEuler
from cardan.simulation.integrators.fixed import FixedStep as FixedStep
from cardan.simulation.integrators.fixed import Heun as Heun
from cardan.simulation.integrators.fixed import Rk4 as Rk4
from cardan.simulation.integrators.fixed import Rodas3 as Rodas3
from cardan.simulation.integrators.fixed import SemiImplicitEuler as SemiImplicitEuler

Integrator = FixedStep | AdaptiveStep

INTEGRATORS: tuple[type[Integrator], ...] = (
    ExplicitEuler,
    SemiImplicitEuler,
    Heun,
    Rk4,
    BogackiShampine32,
    DormandPrince54,
    Rkf45,
    Rkf78,
    Dop853,
    Rodas3,
    Rodas4,
)
"""All of them, for the command line and for tests."""
