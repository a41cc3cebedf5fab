"""Order of every integrator, behaviour of the adaptive ones, and manifolds."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.simulation.integrators import INTEGRATORS, AdaptiveStep, FixedStep
from parts import Count, Lag, LagState, Number, plain


class PairState(NamedTuple):
    a: Annotated[float, "-"] = 1.0
    b: Annotated[float, "-"] = 0.0


@cd.model
class Nonlinear(NamedTuple):
    """A nonlinear system that depends on time, with a closed form: a = exp(sin(t^2)), b = cos(t^2)."""

    def derivatives(self, t: float, x: PairState) -> PairState:
        return PairState(a=2.0 * t * x.b * x.a, b=-2.0 * t * np.log(x.a))

    def initial(self) -> PairState:
        return PairState(1.0, 1.0)


def largest_error(integrator: object, until: float = 1.5) -> float:
    """Over the whole way, so that an error that happens to cross zero at the end does not look like a high order."""
    scn = cd.Scenario()
    scn.add(Nonlinear(), name="pair")
    log = plain(scn, integrator).run(until=until, record=cd.Record(every="step"))
    a, b = np.exp(np.sin(log.t**2)), np.cos(log.t**2)
    return float(max(np.abs(log["pair.state"].a - a).max(), np.abs(log["pair.state"].b - b).max()))


@pytest.mark.parametrize("cls", INTEGRATORS)
def test_the_error_falls_with_the_order_of_the_method(cls):
    """Halving the step divides the error by 2^order; measured over a range where neither rounding nor the first
    terms beyond the order spoil it.
    """
    steps = {1: (4e-3, 2e-3), 2: (8e-3, 4e-3), 3: (1e-2, 5e-3), 8: (0.1, 0.05)}
    coarse, fine = steps.get(cls.tableau.order, (0.05, 0.025))
    if issubclass(cls, FixedStep):
        errors = [largest_error(cls(step=h)) for h in (coarse, fine)]
    else:
        # a huge tolerance and a largest step make the adaptive method take equal steps
        errors = [largest_error(cls(rtol=1e9, atol=1e9, first_step=h, max_step=h)) for h in (coarse, fine)]
    order = np.log2(errors[0] / errors[1])
    expected = cls.tableau.order
    assert expected - 0.3 < order < expected + 1.0


@pytest.mark.parametrize("cls", [c for c in INTEGRATORS if issubclass(c, AdaptiveStep)])
def test_the_error_follows_the_tolerance(cls):
    loose, tight = (largest_error(cls(rtol=tol, atol=tol)) for tol in (1e-5, 1e-8))
    assert tight < 1e-6
    assert tight < loose / 50


def test_the_semi_implicit_method_keeps_the_energy_of_an_oscillator():
    def energies(integrator: object) -> np.ndarray:
        scn = cd.Scenario()
        start = models.MassSpringDamperState(position=1.0)
        scn.add(models.MassSpringDamper(), name="mass", initial=start)
        log = plain(scn, integrator).run(until=200.0)
        return 0.5 * (log["mass.state"].position ** 2 + log["mass.state"].velocity ** 2)

    kept = energies(cd.SemiImplicitEuler(step=0.05))
    lost = energies(cd.ExplicitEuler(step=0.05))
    # the modified energy is conserved, so the true one oscillates by step / 2 and never drifts
    assert np.abs(kept / 0.5 - 1.0).max() < 0.03
    assert lost[-1] > 1e3


def test_tolerances_may_differ_by_state():
    def build(**options: object) -> cd.Simulation:
        scn = cd.Scenario()
        scn.add(Lag(time_constant=1.0), name="slow", initial=LagState(1.0))
        scn.add(Lag(time_constant=0.05), name="fast", initial=LagState(1.0))
        return plain(scn, cd.DormandPrince54(rtol=1e-8, atol=1e-8, **options))  # type: ignore[arg-type]

    strict = build()
    lenient = build(tolerances={"fast.value": cd.Tolerance(absolute=1e-2, relative=1e-2)})
    strict.run(until=5.0)
    lenient.run(until=5.0)
    assert lenient.steps["accepted"] < strict.steps["accepted"] / 2
    assert lenient["slow.state"].value == pytest.approx(np.exp(-5.0), rel=1e-6)


def test_the_step_stays_within_its_limits():
    scn = cd.Scenario()
    scn.add(Lag(), name="lag")
    sim = plain(scn, cd.Dop853(max_step=0.25))
    log = sim.run(until=10.0, record=cd.Record(every="step", ports=["lag.state"]))
    assert np.diff(log.t).max() <= 0.25 + 1e-12


@cd.model
class SquareRoot(NamedTuple):
    """dx/dt = -sqrt(x): nan for a trial state below zero, which large steps reach."""

    def derivatives(self, x: LagState) -> LagState:
        with np.errstate(invalid="ignore"):
            return LagState(-np.sqrt(x.value))


def test_a_trial_stage_that_is_not_finite_rejects_the_step():
    scn = cd.Scenario()
    scn.add(SquareRoot(), name="tank", initial=LagState(1.0))
    sim = plain(scn, cd.DormandPrince54(rtol=1e-6, atol=1e-9, first_step=4.0))
    sim.run(until=1.9)
    assert sim.steps["rejected"] > 0
    assert sim["tank.state"].value == pytest.approx((1.0 - 1.9 / 2.0) ** 2, rel=1e-4)


def test_a_quaternion_stays_on_its_sphere():
    scn = cd.Scenario()
    start = models.RigidBodyState(omega_BN_B=np.array([0.3, -2.0, 1.0]))
    scn.add(models.RigidBody(inertia_B=np.diag([3.0, 2.0, 1.0])), name="body", initial=start)
    log = plain(scn, cd.Rk4(step=0.1)).run(until=60.0)
    assert np.linalg.norm(log["body.state"].q_BN, axis=1) == pytest.approx(1.0, abs=4e-16)


def test_first_same_as_last_is_not_used_across_a_jump():
    """A staircase input changes the rate at ticks; a reused last stage would integrate the old rate."""
    scn = cd.Scenario()
    count = scn.add(Count(), name="count", every=1.0)
    scn.add(Lag(time_constant=1e3), name="lag", source=count.signal)
    sim = plain(scn, cd.BogackiShampine32(rtol=1e-3, atol=1e-3))
    sim.run(until=4.0)
    x = 0.0
    for held in (1.0, 2.0, 3.0, 4.0):
        x = held + (x - held) * np.exp(-1e-3)
    assert sim["lag.state"].value == pytest.approx(x, rel=1e-9)


def test_a_constant_input_is_read_at_every_stage():
    scn = cd.Scenario()
    scn.add(Lag(), name="lag", source=Number(3.0))
    sim = plain(scn)
    sim.run(until=40.0)
    assert sim["lag.state"].value == pytest.approx(3.0, rel=1e-12)
