import numpy as np
import pytest

from cardan.fsw import CaptureSequencer
from cardan.fsw.sequencing.capture_sequencer import CaptureSequencerMemory
from cardan.messages import FrameMotion, HingeStates, SlideState

GOAL = np.array([0.0, 0.0, 1.0])
PLAN = CaptureSequencer(GOAL, np.zeros(3), begin=0.0, duration=10.0, pull_time=2.0)
TIP = FrameMotion(r_BN_N=np.array([0.0, 0.5, 1.2]))


def step(t, memory, *, slides=(0.0, 0.0, 0.2), speed=0.0, turn=0.0, rate=0.0, plan=PLAN):
    fixture = FrameMotion(r_BN_N=TIP.r_BN_N + np.array(slides))
    x, y, z = (SlideState(r, speed) for r in slides)
    turns = HingeStates(np.array([turn, 0.0, 0.0]), np.array([rate, 0.0, 0.0]))
    return plan.step(t, 0.01, memory, FrameMotion(), TIP, fixture, x, y, z, turns)


def test_the_reference_goes_from_the_tip_to_the_fixture():
    memory, outputs = step(0.0, CaptureSequencerMemory())
    assert outputs.reference.r_TN_N == pytest.approx(TIP.r_BN_N, abs=1e-15)
    memory, outputs = step(10.0, memory)
    assert outputs.reference.r_TN_N == pytest.approx(TIP.r_BN_N + np.array([0.0, 0.0, 0.2]), abs=1e-15)
    assert not outputs.lock_z.is_engaged and not outputs.locks.is_engaged.any()


@pytest.mark.parametrize(
    "beyond", [{"slides": (0.0, 0.04, 0.0)}, {"speed": 0.03}, {"turn": 0.2}, {"rate": 0.1}], ids=lambda b: next(iter(b))
)
def test_every_side_of_the_envelope_counts(beyond):
    inside = {"slides": (0.0, 0.0, 0.01)}
    assert step(0.0, CaptureSequencerMemory(), **inside)[0].is_captured
    assert not step(0.0, CaptureSequencerMemory(), **inside | beyond)[0].is_captured


def test_locks_hold_what_was_captured_pull_it_in_and_never_let_go():
    memory, outputs = step(3.0, CaptureSequencerMemory(), slides=(0.0, 0.0, 0.02), turn=0.05)
    assert outputs.lock_z.is_engaged and outputs.lock_z.displacement == 0.02
    assert outputs.locks.angle[0] == 0.05 and outputs.status.since == 3.0
    memory, outputs = step(4.0, memory)
    assert outputs.lock_z.displacement == pytest.approx(0.01, abs=1e-15)
    memory, outputs = step(9.0, memory, slides=(1.0, 0.0, 0.0))
    assert outputs.lock_z.is_engaged and outputs.lock_z.displacement == 0.0


def test_after_capture_the_tip_comes_to_its_goal_at_the_base_without_a_jump():
    memory, outputs = step(0.0, CaptureSequencerMemory(), slides=(0.0, 0.0, 0.01))
    assert outputs.reference.r_TN_N == pytest.approx(TIP.r_BN_N, abs=1e-4)
    for i in range(1, 6000):
        memory, outputs = step(0.01 * i, memory)
    assert outputs.reference.r_TN_N == pytest.approx(GOAL, abs=1e-3)
    assert np.linalg.norm(outputs.reference.v_TN_N) < 1e-3


def test_other_than_three_hinges_are_refused():
    with pytest.raises(ValueError, match="must be the three hinges"):
        PLAN.step(
            0.0, 0.01, CaptureSequencerMemory(), FrameMotion(), TIP, TIP, SlideState(), SlideState(), SlideState(),
            HingeStates(np.zeros(2), np.zeros(2)),
        )  # fmt: skip
