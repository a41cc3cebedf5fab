"""How long a step may be, from the coefficients and by trial."""

import re
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.simulation.integrators import INTEGRATORS
from cardan.simulation.integrators.stability import axis_limits, stability_polynomial, stable_reach, stable_step

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "integrators" / "README.md"
FIXED = [cd.ExplicitEuler, cd.SemiImplicitEuler, cd.Heun, cd.Rk4]


def limits(integrator):
    return axis_limits(integrator.tableau, getattr(integrator, "is_semi_implicit", False))


EXPLICIT = [integrator for integrator in INTEGRATORS if not integrator.tableau.is_implicit]


@pytest.mark.parametrize("integrator", EXPLICIT, ids=lambda i: i.__name__)
def test_the_polynomial_is_the_exponential_up_to_the_order(integrator):
    """Coefficients of the tableaus are rounded, so theirs are to a few units in the last place."""
    exact = np.cumprod([1.0, *(1.0 / k for k in range(1, integrator.tableau.order + 1))])
    assert np.allclose(stability_polynomial(integrator.tableau)[: len(exact)], exact, rtol=1e-11, atol=0.0)


def test_limits_of_the_classical_method_are_those_in_textbooks():
    assert limits(cd.Rk4) == pytest.approx((2.785293563405282, np.sqrt(8.0)), rel=1e-11)
    assert limits(cd.Heun) == pytest.approx((2.0, 0.0), rel=1e-11)


def test_the_table_of_the_page_has_these_limits():
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \|$", PAGE.read_text(), re.MULTILINE)
    assert {name: (float(decay), float(oscillation)) for name, decay, oscillation in rows} == {
        integrator.__name__: tuple(np.floor(100.0 * np.array(limits(integrator)) + 1e-9) / 100.0)
        for integrator in EXPLICIT
    }


class State(NamedTuple):
    x: Annotated[float, "m", cd.Position]
    v: Annotated[float, "m/s"]


@cd.model
class Mode(NamedTuple):
    """A mass of 1 kg with spring and damper."""

    stiffness: Annotated[float, "N/m"] = 0.0
    damping: Annotated[float, "N s/m"] = 0.0

    def derivatives(self, x: State) -> State:
        return State(x.v, -self.stiffness * x.x - self.damping * x.v)


def final_size(integrator, **mode: float) -> float:
    scn = cd.Scenario()
    scn.add(Mode(**mode), name="mode", initial=State(0.3, 1.0))
    sim = cd.Simulation(scn, integrator=integrator)
    sim.run(until=400 * integrator.step, record=cd.Record(ports=[]))
    return abs(sim["mode.state"].v)


@pytest.mark.parametrize("kind", FIXED, ids=lambda i: i.__name__)
def test_within_the_limits_nothing_grows_and_beyond_them_it_does(kind):
    """Two per cent beyond the limit every method grows by more than 1 % per step, and 400 steps show it."""
    decay, oscillation = limits(kind)
    assert final_size(kind(step=round(0.99 * decay, 6)), damping=1.0) < 1.0
    assert final_size(kind(step=round(1.02 * decay, 6)), damping=1.0) > 1e4
    if oscillation > 0.0:
        assert final_size(kind(step=round(0.99 * oscillation, 6)), stiffness=1.0) < 30.0
        assert final_size(kind(step=round(1.02 * oscillation, 6)), stiffness=1.0) > 1e4


def test_the_stable_step_of_several_rates_is_that_of_the_worst():
    coefficients = stability_polynomial(cd.Rk4.tableau)
    rates = np.array([0.0, -1.0, -100.0, -3.0 + 4.0j])
    assert stable_step(coefficients, rates) == pytest.approx(0.02785293563405282)
    assert stable_reach(coefficients, (-3.0 + 4.0j) / 5.0) / 5.0 > 0.02785
