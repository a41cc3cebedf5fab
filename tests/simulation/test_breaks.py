"""Parts that say when they are not smooth: no step passes over such an instant, and no order is lost."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import NotFinite, ShapeError
from cardan.maths import Vec, choose
from cardan.messages import LineMotion
from cardan.simulation.schedule import breaks
from errors.conftest import refused


class Speed(NamedTuple):
    speed: Annotated[float, "m/s"] = 0.0


@cd.model
class Switched(NamedTuple):
    """Accelerates by 1 m/s^2 from `on` to `off`."""

    on: Annotated[float, "s"]
    off: Annotated[float, "s"]

    def breaks(self) -> Vec:
        return np.array([self.on, self.off])

    def derivatives(self, t: float, x: Speed) -> Speed:
        return Speed(speed=choose((t >= self.on) & (t < self.off), 1.0, 0.0))

    @cd.output
    def motion(self, x: Speed) -> LineMotion:
        return LineMotion(position=0.0, velocity=x.speed)


INTEGRATORS = [
    cd.Rk4(step=1.0),
    cd.Heun(step=0.5),
    cd.Dop853(rtol=1e-13, atol=1e-13),
    cd.DormandPrince54(rtol=1e-13, atol=1e-13),
    cd.BogackiShampine32(rtol=1e-8, atol=1e-10),
]


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda integrator: type(integrator).__name__)
@pytest.mark.parametrize("off", [7.0, 7.123456789012345])
def test_a_jump_that_is_announced_is_met_to_the_nanosecond(integrator, off):
    """Two crossings of 2 ns each, at 1 m/s^2: 4e-9 m/s at the most, whatever the step; few steps."""
    scn = cd.Scenario()
    scn.add(Switched(on=2.5 + 1e-10, off=off), name="plant")
    sim = cd.Simulation(scn, integrator=integrator)
    sim.run(until=10.0)
    assert sim["plant.state"].speed == pytest.approx(off - 2.5, abs=4e-9)
    assert sim.steps["accepted"] < 60


def test_instants_that_differ_by_rounding_are_one():
    scn = cd.Scenario()
    scn.add(Switched(on=1.0, off=2.0), name="a")
    scn.add(Switched(on=1.0 + 2e-9, off=3.0), name="b")
    found = breaks(scn.parts).ravel().tolist()
    assert found == [999_999_999, 1_000_000_003, 1_999_999_999, 2_000_000_001, 2_999_999_999, 3_000_000_001]


def test_a_break_at_the_start_leaves_only_what_comes_after():
    scn = cd.Scenario()
    scn.add(Switched(on=0.0, off=1.0), name="a")
    assert breaks(scn.parts).ravel().tolist() == [1, 999_999_999, 1_000_000_001]


def test_a_late_and_short_motion_is_not_stepped_over():
    """At rest an adaptive step grows without bound; the motion of 0.2 s after 900 s is found all the same."""
    mechanism = cd.Mechanism("late")
    hub = mechanism.add_body("hub", joint=cd.Free(), mass=10.0, inertia_B=np.eye(3))
    arm = mechanism.add_body("arm", parent=hub, joint=cd.Carriage(), mass=1.0, inertia_B=np.eye(3))
    scn = cd.Scenario(mechanism=mechanism)
    jump = models.bang_bang(start=0.0, reference=0.01, max_acceleration=1.0, start_time=900.0)
    move = scn.add(models.translation_along([1, 0, 0], jump), name="move")
    scn.connect(move.motion, arm.prescribed)
    sim = cd.Simulation(scn, dynamics=cd.BackSubstitution(), integrator=cd.Dop853(rtol=1e-12, atol=1e-12))
    log = sim.run(until=2000.0, record=cd.Record(every=2000.0, ports=["hub.motion", "hub.momentum"]))
    assert log["hub.motion"].r_BN_N[-1] == pytest.approx([-0.01 / 11.0, 0.0, 0.0], abs=2e-9)


def test_a_profile_with_jumps_of_acceleration_keeps_momentum_with_any_integrator():
    for integrator in (cd.Rk4(step=0.1), cd.Dop853(rtol=1e-12, atol=1e-13)):
        mechanism = cd.Mechanism("bang")
        hub = mechanism.add_body("hub", joint=cd.Free(), mass=10.0, inertia_B=np.eye(3))
        arm = mechanism.add_body("arm", parent=hub, joint=cd.Carriage(), mass=1.0, inertia_B=np.eye(3))
        scn = cd.Scenario(mechanism=mechanism)
        swing = models.bang_coast_bang(start=0.0, reference=2.0, max_acceleration=0.3, bang=0.77, start_time=1.3)
        move = scn.add(models.rotation_about([0, 0, 1], swing, [1.0, 0.5, 0.0]), name="move")
        scn.connect(move.motion, arm.prescribed)
        sim = cd.Simulation(scn, dynamics=cd.BackSubstitution(), integrator=integrator)
        log = sim.run(until=12.0, record=cd.Record(every=0.5, ports=["hub.momentum"]))
        # crossing a jump in 2 ns costs up to 2e-9 of what the motor changes
        assert np.abs(log["hub.momentum"].momentum_C_N).max() < 2e-8


class TestWhatIsNoTime:
    @staticmethod
    def saying(said) -> cd.Scenario:
        @cd.model
        class Says(NamedTuple):
            def breaks(self) -> Vec:
                return said

            def derivatives(self, x: Speed) -> Speed:
                return Speed(1.0)

        scn = cd.Scenario()
        scn.add(Says(), name="plant")
        return scn

    @pytest.mark.parametrize("said", [np.array([1.0, np.nan]), [np.nan]], ids=str)
    def test_nan_is_refused_before_the_run(self, said):
        text = f"""
            `plant.breaks` returned nan: {said!r}.
              Return finite times [s]; inf for never.
            """
        with refused(NotFinite, text):
            cd.Simulation(self.saying(said))

    @pytest.mark.parametrize("said", [None, "1.0", 1.0, [[1.0], [2.0, 3.0]], np.eye(2), [1.0, None]], ids=str)
    def test_so_is_what_is_no_list_of_numbers(self, said):
        text = f"""
            `plant.breaks` returned {" ".join(repr(said).split())}.
              expected times [s], e.g. `np.array([1.0, 2.5])`
            """
        with refused(ShapeError, text):
            cd.Simulation(self.saying(said))

    def test_an_exception_says_where_it_was_raised(self):
        @cd.model
        class Fails(NamedTuple):
            def breaks(self) -> Vec:
                raise LookupError("no table")

            def derivatives(self, x: Speed) -> Speed:
                return Speed(1.0)

        scn = cd.Scenario()
        scn.add(Fails(), name="plant")
        with refused(LookupError, "no table", note="in `plant.breaks`"):
            cd.Simulation(scn)

    def test_infinity_is_never(self):
        sim = cd.Simulation(self.saying([0.35, np.inf, -np.inf, 1e300]), jit=False)
        log = sim.run(until=1.0, record=cd.Record(every="step"))
        assert len(log.t) == 13  # eleven points of the grid, and the two sides of one break
