"""The week itself is too long for a test suite on a small machine; a day with an early swap shows the same."""

import numpy as np
import pytest

import cardan as cd
from cardan.errors import SettingError
from cardan.gimbals import pointing_bound
from cardan.missions import MISSIONS
from cardan.missions.explorer import GIMBAL, STEP, explorer, vehicle_inertia
from cardan.missions.sep_point import (
    CONTROL_EVERY,
    SWIRL,
    along_and_across,
    balance,
    gimbal_error,
    thrust_error,
    wheel_momentum,
    wheel_speeds,
)

MISSION = MISSIONS["sep-point"]
DEG, HOUR = np.deg2rad(1.0), 3600.0


def fly(hours, service=None, **options):
    sim = cd.Simulation(
        MISSION.scenario(options), dynamics=MISSION.service(service), integrator=MISSION.integrator_for(options)
    )
    return sim, sim.run(until=hours * HOUR, record=MISSION.record)


@pytest.fixture(scope="module")
def day():
    return fly(12.0, swap=6.0)


def test_momentum_is_what_swirl_and_offset_torques_gave(day):
    _, log = day
    assert np.max(balance(log, log["hub.momentum"].momentum_C_N)[1:]) < 1e-7
    # the wheels have all of it once the explorer is at rest: an hour after the last command
    assert balance(log, wheel_momentum(log))[-1] < 1e-4


def test_wheel_speeds_evolve_linearly_and_come_back(day):
    _, log = day
    speeds = wheel_speeds(log)
    first = (log.t > 2.5 * HOUR) & (log.t < 5.9 * HOUR)
    for wheel in speeds.T:
        line = np.polyval(np.polyfit(log.t[first], wheel[first], 1), log.t[first])
        # the moving centre of mass bends them a little
        assert np.max(np.abs(wheel[first] - line)) < 0.02 * np.ptp(wheel[first]) + 0.02
    along, _ = along_and_across(log)
    assert along[np.argmin(np.abs(log.t - 6.0 * HOUR))] == pytest.approx(5.0 * HOUR * SWIRL, rel=0.01)
    assert abs(along[-1]) < 0.02 * np.max(along[log.t > HOUR])


def test_both_gimbals_point_within_what_steps_and_tables_explain(day):
    _, log = day
    bound = pointing_bound(GIMBAL, step_angle=STEP["step_angle"]).inside
    t = log.t[1:]
    assert np.max(gimbal_error(log, 1)[t > 0.5 * HOUR]) < bound
    assert np.max(gimbal_error(log, 2)[t > 6.5 * HOUR]) < bound


def test_thrust_pushes_where_it_should(day):
    _, log = day
    assert np.nanmax(thrust_error(log)) < 0.02 * DEG
    assert np.isnan(thrust_error(log)).sum() > 6  # while the explorer turns


def test_the_integrator_lands_on_every_edge_and_takes_long_steps_when_nothing_moves(day):
    sim, log = day
    moved = sum(
        np.abs(np.diff(log[f"gimbal{n}_drive{i}.motor"].angle)).sum() / STEP["step_angle"]
        for n in (1, 2)
        for i in (1, 2)
    )
    ticks = 12.0 * HOUR / CONTROL_EVERY
    # two edges for each step of each motor, less where two motors share them; beyond, little more than a step per tick
    assert moved > 500
    assert ticks < sim.steps["accepted"] < 1.5 * ticks + 2.0 * moved


def test_thrust_beside_the_centre_of_mass_holds_the_wheels():
    options = {"swap": 100.0, "pressure": 1.5e-3}
    _, left = fly(16.0, **options)
    _, held = fly(16.0, **(options | {"unload.time": 2.0}))
    _, grown = along_and_across(left)
    _, kept = along_and_across(held)
    assert grown[-1] > 4.0 and kept[-1] < 0.35 * grown[-1]
    # and stays: the last two hours change it by less than a tenth of what they change without
    late = left.t > 14.0 * HOUR
    assert np.ptp(kept[late]) < 0.3 * np.ptp(grown[late])
    assert np.max(balance(held, held["hub.momentum"].momentum_C_N)[1:]) < 1e-7


def test_three_wheels_serve_as_well():
    _, log = fly(3.0, wheels=3)
    assert wheel_speeds(log).shape[1] == 3 and np.nanmax(thrust_error(log)) < 0.02 * DEG


@pytest.mark.parametrize("wheels", [3, 4])
def test_the_controller_believes_in_the_explorer_s_own_inertia(wheels):
    m = explorer(wheels)
    sim = cd.Simulation(cd.Scenario(mechanism=m), dynamics=cd.RecursiveTree())
    assert vehicle_inertia(wheels) == pytest.approx(sim["hub.momentum"].inertia_C_N, rel=1e-12)


@pytest.mark.parametrize("service", ["mujoco", "back-substitution"])
def test_every_service_flies_it_alike(day, service):
    _, log = fly(0.5, service)
    _, ours = day
    same = ours.t <= 0.5 * HOUR
    assert log["hub.motion"].sigma_BN == pytest.approx(ours["hub.motion"].sigma_BN[same], abs=1e-9)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"wheels": 5}, "The option `wheels` is 3 or 4; got 5."),
        ({"unload.time": -1.0}, "The option `unload.time` is not negative; got -1.0."),
        ({"tables": 3}, "The option `tables` is a text; got 3."),
    ],
)
def test_options_that_make_no_sense_are_refused(options, text):
    with pytest.raises(SettingError) as error:
        MISSION.scenario(options)
    assert str(error.value) == text
