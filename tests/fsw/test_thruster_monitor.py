import numpy as np
import pytest

from cardan.fsw import ThrusterMonitor
from cardan.messages import FrameMotion, ThrusterCommand

MIXER = np.hstack(
    [np.vstack([np.eye(3), 0.1 * np.roll(np.eye(3), 1, axis=0)]), -np.vstack([np.eye(3), 0.1 * np.eye(3)])]
)
LIMITS = np.full(6, 0.4)
MONITOR = ThrusterMonitor(10.0, np.diag([0.15, 0.14, 0.16]), MIXER, LIMITS)


def fly(given, ticks=300, seed=1):
    """What is reported where thrusters give `given(command)`."""
    rng = np.random.default_rng(seed)
    x, v, omega, dt = MONITOR.initial(), np.zeros(3), np.zeros(3), 0.1
    u = np.zeros(6)
    for tick in range(ticks):
        measured = FrameMotion(v_BN_N=v + 1e-3 * rng.normal(size=3), omega_BN_B=omega + 1e-3 * rng.normal(size=3))
        x, out = MONITOR.step(dt * tick, dt, x, measured, ThrusterCommand(u))
        u = 0.2 * rng.uniform(size=6)
        wrench = MIXER @ (given(u) if tick >= 100 else u)
        v = v + dt * wrench[:3] / 10.0
        gyroscopic = np.cross(omega, MONITOR.inertia_B @ omega)
        omega = omega + dt * np.linalg.solve(MONITOR.inertia_B, wrench[3:] - gyroscopic)
    return out.report


def test_nothing_is_reported_where_nothing_is_wrong():
    assert not fly(lambda u: u).is_alarm


def test_the_weakness_of_all_within_what_is_not_known_is_let_pass():
    assert not fly(lambda u: 0.97 * u).is_alarm


@pytest.mark.parametrize("unit", range(6))
@pytest.mark.parametrize(("mode", "stuck"), [(1, 0.0), (2, 0.4)])
def test_the_thruster_that_is_stuck_is_named(unit, mode, stuck):
    report = fly(lambda u: np.where(np.arange(6) == unit, stuck, u), ticks=200)
    assert report.is_alarm and (report.suspect, report.mode) == (unit, mode)
    assert 10.0 < report.since < 16.0  # it failed at 10 s


@pytest.mark.parametrize("unit", [0, 4])
@pytest.mark.parametrize("given", [lambda u: 0.5 * u, lambda u: max(u, 0.2)])
def test_a_thruster_that_still_obeys_in_part_is_named_but_not_called_stuck(unit, given):
    report = fly(lambda u: np.where(np.arange(6) == unit, given(u[unit]), u))
    assert report.is_alarm and (report.suspect, report.mode) == (unit, 3)


def test_another_number_of_thrusters_is_refused():
    with pytest.raises(ValueError, match="ThrusterMonitor: `command` has another number of thrusters"):
        MONITOR.step(0.0, 0.1, MONITOR.initial(), FrameMotion(), ThrusterCommand(np.zeros(5)))
