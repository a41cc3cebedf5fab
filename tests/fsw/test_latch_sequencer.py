import numpy as np
import pytest

import cardan as cd
from cardan.fsw import LatchSequencer
from cardan.fsw.sequencing.latch_sequencer import NOT_YET, LatchSequencerMemory, LatchSequencerOutputs
from cardan.messages import HingeStates

STOWED, DEPLOYED = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0])
PART = LatchSequencer(phase=[0, 1, 1], stowed=STOWED, deployed=DEPLOYED, begin=5.0)


class Sequence:
    """Steps a sequencer and keeps its memory."""

    def __init__(self, part: LatchSequencer = PART) -> None:
        self.part = part
        self.memory: LatchSequencerMemory = part.initial()

    def at(self, t: float, angle: object, rate: object = (0.0, 0.0, 0.0)) -> LatchSequencerOutputs:
        states = HingeStates(np.array(angle, float), np.array(rate, float))
        self.memory, sent = self.part.step(t, self.memory, states)
        return sent


def test_a_deployment_goes_through_all_its_phases():
    sequence = Sequence()
    # before the beginning all are held stowed
    sent = sequence.at(4.9, STOWED)
    assert sent.progress.phase == -1
    assert sent.locks.is_engaged.tolist() == [1.0, 1.0, 1.0]
    assert sent.locks.angle.tolist() == STOWED.tolist()
    assert sent.starts.start.tolist() == [NOT_YET] * 3
    # the first hinge is released
    sent = sequence.at(5.0, STOWED)
    assert tuple(sent.progress) == (0, 5.0)
    assert sent.locks.is_engaged.tolist() == [0.0, 1.0, 1.0]
    assert sent.locks.angle[1:].tolist() == STOWED[1:].tolist()
    assert sent.starts.start.tolist() == [5.0, NOT_YET, NOT_YET]
    # it is on its way
    assert tuple(sequence.at(6.0, [0.7, 0.2, 0.3]).progress) == (0, 5.0)
    # it arrives and latches, and the other two are released
    sent = sequence.at(7.0, [0.995, 0.2, 0.3])
    assert tuple(sent.progress) == (1, 7.0)
    assert sent.locks.is_engaged.tolist() == [1.0, 0.0, 0.0]
    assert sent.locks.angle[0] == DEPLOYED[0]
    assert sent.starts.start.tolist() == [5.0, 7.0, 7.0]
    # one of them is there: the phase waits for the other
    assert sequence.at(8.0, [1.0, 2.0, 1.0]).progress.phase == 1
    sent = sequence.at(9.0, DEPLOYED)
    assert tuple(sent.progress) == (2, 9.0)
    assert sent.locks.is_engaged.tolist() == [1.0, 1.0, 1.0]
    assert sent.locks.angle.tolist() == DEPLOYED.tolist()
    # and so it stays, whatever happens
    sent = sequence.at(99.0, STOWED)
    assert tuple(sent.progress) == (2, 9.0)
    assert sent.locks.angle.tolist() == DEPLOYED.tolist()
    assert sent.starts.start.tolist() == [5.0, 7.0, 7.0]


@pytest.mark.parametrize(
    ("angle", "rate", "phase"),
    [
        (1.0 + 0.0099, 0.99e-4, 1),
        (1.0 - 0.0099, -0.99e-4, 1),
        (1.0 + 0.0101, 0.0, 0),
        (1.0 - 0.0101, 0.0, 0),
        (1.0, 1.01e-4, 0),
        (1.0, -1.01e-4, 0),
    ],
)
def test_a_hinge_latches_only_within_both_tolerances(angle, rate, phase):
    sequence = Sequence()
    sequence.at(5.0, STOWED)
    assert sequence.at(6.0, [angle, 0.2, 0.3], [rate, 0.0, 0.0]).progress.phase == phase


def test_a_phase_lasts_at_least_as_long_as_it_should():
    sequence = Sequence(PART._replace(begin=np.float64(0.1), shortest=np.float64(0.2)))
    sequence.at(0.1, DEPLOYED)
    assert sequence.at(0.2, DEPLOYED).progress.phase == 0
    # 0.1 + 0.2 is a little more than 0.3 in binary numbers: it is that tick nevertheless
    assert sequence.at(0.3, DEPLOYED).progress.phase == 1
    assert sequence.at(0.4, DEPLOYED).progress.phase == 1
    assert sequence.at(0.5, DEPLOYED).progress.phase == 2


def test_a_phase_without_hinges_is_passed_over_in_a_tick():
    sequence = Sequence(PART._replace(phase=np.array([0.0, 2.0, 2.0])))
    assert [int(sequence.at(t, DEPLOYED).progress.phase) for t in (5.0, 6.0, 7.0, 8.0, 9.0)] == [0, 1, 2, 3, 3]


def test_a_hinge_that_strays_after_it_latched_is_not_released_again():
    sequence = Sequence()
    sequence.at(5.0, STOWED)
    sequence.at(6.0, [1.0, 0.2, 0.3])
    assert sequence.at(7.0, [0.5, 0.2, 0.3], [0.1, 0.0, 0.0]).locks.is_engaged.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_another_number_of_hinges_is_refused_also_natively(jit, count):
    scn = cd.Scenario("test")
    scn.add(PART, name="latch", every=0.1, states=HingeStates(np.zeros(count), np.zeros(count)))
    with pytest.raises(ValueError) as caught:
        cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=jit).run(until=0.1)
    assert str(caught.value) == "LatchSequencer: `states` has another number of hinges than `phase`."
