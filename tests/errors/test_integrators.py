"""Integrators with settings that make no sense, and steps that collapse."""

from math import inf, nan
from typing import Annotated, NamedTuple

import pytest

import cardan as cd
from cardan.errors import IntegratorError, SettingError, StepCollapsed, UnknownName
from cardan.simulation.integrators import INTEGRATORS, AdaptiveStep
from errors.conftest import refused
from parts import Count, Gain, Lag, Number, plain

ADAPTIVE = [cls for cls in INTEGRATORS if issubclass(cls, AdaptiveStep)]


class TestSettings:
    @pytest.mark.parametrize("cls", ADAPTIVE)
    @pytest.mark.parametrize(("rtol", "atol"), [(-1e-8, 1e-8), (1e-8, -1e-8), (0.0, 0.0), (nan, 1e-8), (1e-8, inf)])
    def test_tolerances_are_finite_and_not_negative(self, cls, rtol, atol):
        with refused(
            IntegratorError,
            f"""
            {cls.__name__}: tolerances must be finite and not negative, and one must be positive.
              got absolute {atol!r}, relative {rtol!r}
            """,
        ):
            cls(rtol=rtol, atol=atol)

    def test_so_are_the_tolerances_of_one_state(self):
        with refused(
            IntegratorError,
            """
            Dop853: tolerances for `lag.value` must be finite and not negative, and one must be positive.
              got absolute -1.0, relative 0.1
            """,
        ):
            cd.Dop853(tolerances={"lag.value": cd.Tolerance(-1.0, 0.1)})

    @pytest.mark.parametrize("value", [1e-8, (1e-8, 1e-6), None])
    def test_the_tolerance_of_one_state_is_a_tolerance(self, value):
        with refused(
            IntegratorError,
            f"""
            Rkf45: the tolerance for `lag.value` is {value!r}.
              Use e.g. Tolerance(absolute=1e-10, relative=1e-8).
            """,
        ):
            cd.Rkf45(tolerances={"lag.value": value})

    @pytest.mark.parametrize(("low", "high"), [(1e-10, 1.0), (1.0, 0.1), (nan, 1.0), (1e-9, nan), (inf, inf)])
    def test_the_smallest_step_is_below_the_largest(self, low, high):
        with refused(
            IntegratorError,
            f"""
            DormandPrince54: steps need 1e-9 s <= min_step <= max_step, and min_step must be finite.
              got min_step {low!r} s, max_step {high!r} s
            """,
        ):
            cd.DormandPrince54(min_step=low, max_step=high)

    @pytest.mark.parametrize("step", [0.0, -1.0, nan])
    def test_the_first_step_is_positive(self, step):
        with refused(IntegratorError, f"Rkf78: first_step must be positive, got {step!r} s."):
            cd.Rkf78(first_step=step)

    @pytest.mark.parametrize("setting", ["rtol", "atol", "min_step", "max_step", "first_step"])
    @pytest.mark.parametrize("value", ["x", [1e-8], 1e-8j, object])
    def test_a_setting_is_a_number(self, setting, value):
        with refused(
            IntegratorError,
            f"""
            DormandPrince54: {setting} is {value!r}, which is not a number.
              Use e.g. 1e-6.
            """,
        ):
            cd.DormandPrince54(**{setting: value})

    @pytest.mark.parametrize("setting", ["rtol", "atol", "min_step", "max_step"])
    def test_only_the_first_step_may_be_left_open(self, setting):
        with pytest.raises(IntegratorError, match=f"{setting} is None, which is not a number"):
            cd.Dop853(**{setting: None})

    def test_a_number_beyond_all_floats_is_infinite(self):
        with refused(
            IntegratorError,
            """
            Dop853: tolerances must be finite and not negative, and one must be positive.
              got absolute 1e-10, relative inf
            """,
        ):
            cd.Dop853(rtol=10**400)

    def test_so_is_each_half_of_a_tolerance(self):
        with refused(
            IntegratorError,
            """
            Rkf45: the relative tolerance for `lag.value` is 'x', which is not a number.
              Use e.g. 1e-6.
            """,
        ):
            cd.Rkf45(tolerances={"lag.value": cd.Tolerance(1e-8, "x")})

    @pytest.mark.parametrize("tolerances", ["lag.value", 1e-8, None])
    def test_tolerances_are_given_by_path(self, tolerances):
        with refused(
            IntegratorError,
            f"""
            Rkf45: tolerances is {tolerances!r}.
              Use a dictionary, e.g. tolerances={{"plant.sigma_BN": Tolerance(absolute=1e-10, relative=1e-8)}}.
            """,
        ):
            cd.Rkf45(tolerances=tolerances)

    def test_whole_numbers_are_numbers_to_native_code_too(self):
        """Native code reads floats: an integer in their place was a step of 5e-323 s, and a run without end."""
        scn = cd.Scenario()
        scn.add(Lag(), name="lag")
        sims = [plain(scn, cd.DormandPrince54(max_step=step, first_step=step)) for step in (1, 1.0)]
        for sim in sims:
            sim.run(until=5.0)
        assert sims[0].snapshot() == sims[1].snapshot()
        assert sims[0].integrator == sims[1].integrator


class TestSimulations:
    @pytest.mark.parametrize("integrator", [cd.Rk4, "rk4", 0.1])
    def test_an_integrator_is_one_of_cardan(self, integrator):
        scn = cd.Scenario()
        scn.add(Lag(), name="lag")
        with refused(
            SettingError,
            f"""
            {integrator!r} is not an integrator.
              Use e.g. `integrator=cardan.Rk4(step=0.1)`.
            """,
        ):
            plain(scn, integrator)

    @pytest.mark.parametrize("scenario", ["hello", None, Lag()])
    def test_a_simulation_is_made_of_a_scenario(self, scenario):
        with refused(
            SettingError,
            f"""
            {scenario!r} is not a scenario.
              Use e.g. `cardan.Simulation(scn)`.
            """,
        ):
            plain(scenario)

    def test_a_tolerance_belongs_to_a_state(self):
        scn = cd.Scenario()
        scn.add(Lag(), name="slow")
        scn.add(Lag(), name="fast")
        with refused(
            UnknownName,
            """
            Dop853: there is no state `slow.velue` to give a tolerance to. Did you mean `slow.value`?
              states: slow.value, fast.value
            """,
        ):
            plain(scn, cd.Dop853(tolerances={"slow.velue": cd.Tolerance(1e-8, 1e-8)}))

    def test_without_states_there_are_no_tolerances(self):
        scn = cd.Scenario()
        scn.add(Gain(), name="gain", source=Number(1.0))
        with refused(
            UnknownName,
            """
            BogackiShampine32: there is no state `gain.value` to give a tolerance to.
              states: none
            """,
        ):
            plain(scn, cd.BogackiShampine32(tolerances={"gain.value": cd.Tolerance(1e-8, 1e-8)}))


class JumpState(NamedTuple):
    height: Annotated[float, "m"] = 0.0
    speed: Annotated[float, "m/s"] = 1.0


@cd.model
class Jump(NamedTuple):
    """The speed changes at once at 0.5 s, where no tick is."""

    def derivatives(self, t: float, x: JumpState) -> JumpState:
        return JumpState(height=x.speed, speed=0.0 if t < 0.5 else 1e6)


class TestCollapse:
    @pytest.fixture
    def scn(self) -> cd.Scenario:
        scn = cd.Scenario()
        scn.add(Lag(), name="lag", source=Number(0.0))
        scn.add(Jump(), name="jump")
        scn.add(Count(), name="count", every=0.1)
        return scn

    def test_a_jump_between_ticks_collapses_the_step(self, scn):
        sim = plain(scn, cd.DormandPrince54(rtol=1e-9, atol=1e-9, min_step=1e-4))
        with pytest.raises(StepCollapsed) as caught:
            sim.run(until=1.0)
        first, *others = str(caught.value).splitlines()
        assert first.startswith("DormandPrince54 cannot meet its tolerances at t = 0.49")
        assert first.endswith(" s with its smallest step, 0.0001 s.")
        assert others == [
            "  The error is largest in `jump.speed` [m/s] (absolute 1e-09, relative 1e-09).",
            "  Something there jumps or is very stiff: let it jump at a tick, loosen that tolerance, or lower "
            "min_step.",
        ]
        # the simulation stands at the last step it has accepted
        assert 0.49 < sim.now < 0.5
        assert sim["jump.state"].speed == 1.0
        assert sim.log.t.tolist() == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])

    def test_the_tolerance_of_the_state_itself_is_shown(self, scn):
        tolerances = {"jump.speed": cd.Tolerance(absolute=1e-3, relative=1e-5)}
        sim = plain(scn, cd.Dop853(tolerances=tolerances, min_step=1e-3))
        with pytest.raises(StepCollapsed) as caught:
            sim.run(until=1.0)
        assert str(caught.value).splitlines()[1] == (
            "  The error is largest in `jump.speed` [m/s] (absolute 0.001, relative 1e-05)."
        )

    def test_a_simulation_whose_step_collapsed_can_be_restored_elsewhere(self, scn):
        sim = plain(scn, cd.DormandPrince54(rtol=1e-9, atol=1e-9, min_step=1e-4))
        with pytest.raises(StepCollapsed):
            sim.run(until=1.0)
        again = cd.Scenario()
        again.add(Lag(), name="lag", source=Number(0.0))
        again.add(Jump(), name="jump")
        again.add(Count(), name="count", every=0.1)
        other = plain(again, cd.Rk4(step=0.01))
        other.restore(sim.snapshot())
        other.run(until=1.0)
        assert other["jump.state"].speed == pytest.approx(5e5, rel=0.02)
