import numpy as np
import pytest

import cardan as cd
from cardan import drivers, fsw, models
from cardan.messages import ThrusterCommand, ThrusterPulses

MOST = np.array([0.6, 0.3, 0.3])


def opened(demand: np.ndarray, *, min_on: float = 0.0, until: float = 5.0) -> np.ndarray:
    """[N s] What thrusters give while a constant thrust is demanded of them every 0.5 s."""
    scn = cd.Scenario("pulses")
    pulses = scn.add(fsw.PulseModulation(MOST, min_on=min_on), name="pulses", every=0.5)
    scn.connect(ThrusterCommand(demand), pulses.command)
    valves = scn.add(drivers.ThrusterValves(MOST, min_on=min_on), name="valves", every=0.5, pulses=pulses.pulses)
    bank = scn.add(models.ThrusterBank(MOST), name="bank", command=valves.command)
    scn.add(models.ThrusterWrench(np.eye(3), np.eye(3)), name="wrench", forces=bank.forces)
    sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.5))
    sim.run(until=until)
    return sim["wrench.impulses"].impulse


def test_pulses_give_the_impulse_that_continuous_thrust_would():
    """Valves shut between ticks and steps, to the nanosecond of the clock."""
    demand = np.array([0.123, 0.3, 0.017])
    assert opened(demand) == pytest.approx(5.0 * demand, abs=1e-8)


def test_small_demands_wait_until_they_are_worth_a_pulse():
    demand = np.array([0.01, 0.01, 0.0])
    # thruster 1 owes 5 mN s per period, and its shortest pulse gives 30: it opens every sixth period
    given = opened(demand, min_on=0.1)
    assert given[1] == pytest.approx(0.03, abs=1e-9)
    assert given[0] == 0.0 and given[2] == 0.0
    assert opened(demand, min_on=0.1, until=20.0)[1] == pytest.approx(0.2, abs=0.03)


def test_a_pulse_that_is_too_short_does_not_open_the_valve():
    part = drivers.ThrusterValves(MOST, min_on=0.1)
    pulses = ThrusterPulses(np.array([0.05, 0.1, 0.2]), 1)
    memory, outputs = part.step(10.0, part.initial(), pulses)
    assert outputs.command.thrust.tolist() == [0.0, 0.3, 0.3]
    assert outputs.wake_up.after == pytest.approx(0.1)
    _, later = part.step(10.1, memory, pulses)
    assert later.command.thrust.tolist() == [0.0, 0.0, 0.3]
    assert later.wake_up.after == pytest.approx(0.1)


def test_a_command_is_obeyed_once():
    part = drivers.ThrusterValves(MOST)
    pulses = ThrusterPulses(np.full(3, 0.1), 1)
    memory, _ = part.step(0.0, part.initial(), pulses)
    _, later = part.step(0.5, memory, pulses)
    assert not later.command.thrust.any() and later.wake_up.after == 0.0


def test_pulses_of_another_number_of_thrusters_are_refused():
    part = drivers.ThrusterValves(MOST)
    text = "ThrusterValves: `pulses` has another number of thrusters than `max_thrust`."
    with pytest.raises(ValueError, match=text):
        part.step(0.0, part.initial(), ThrusterPulses(np.zeros(2), 1))
