import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardan.fsw import PulseModulation
from cardan.messages import ThrusterCommand

MOST = np.array([0.6, 0.3])
DT = 0.25


@given(seed=st.integers(0, 10**6), min_on=st.sampled_from([0.0, 0.02, 0.1]), min_off=st.sampled_from([0.0, 0.02, 0.05]))
def test_no_impulse_is_lost_or_made(seed, min_on, min_off):
    rng, part = np.random.default_rng(seed), PulseModulation(MOST, min_on=min_on, min_off=min_off)
    memory, asked, given_ = part.initial(), np.zeros(2), np.zeros(2)
    for _ in range(60):
        demand = MOST * rng.uniform(0.0, 1.0, 2)
        memory, outputs = part.step(DT, memory, ThrusterCommand(demand))
        on = outputs.pulses.on_time
        asked, given_ = asked + DT * demand, given_ + on * MOST
        assert np.all((on == 0.0) | (on >= min_on)) and np.all((on == DT) | (on <= DT - min_off))
        # what is missing is exactly what is owed
        assert given_ + memory.owed == pytest.approx(asked, abs=1e-12)


def test_debts_are_limited_to_one_period():
    part = PulseModulation(MOST)
    memory = part.initial()
    for _ in range(50):
        memory, _ = part.step(DT, memory, ThrusterCommand(5.0 * MOST))
    assert memory.owed == pytest.approx(DT * MOST)
    _, outputs = part.step(DT, memory, ThrusterCommand(np.zeros(2)))
    assert outputs.pulses.on_time == pytest.approx([DT, DT])


def test_every_command_has_a_new_number():
    part = PulseModulation(MOST)
    memory, first = part.step(DT, part.initial(), ThrusterCommand(MOST))
    _, second = part.step(DT, memory, ThrusterCommand(MOST))
    assert (first.pulses.number, second.pulses.number) == (1, 2)


def test_a_command_of_another_number_of_thrusters_is_refused():
    part = PulseModulation(MOST)
    text = "PulseModulation: `command` has another number of thrusters than `max_thrust`."
    with pytest.raises(ValueError, match=text):
        part.step(DT, part.initial(), ThrusterCommand(np.zeros(3)))
