import numpy as np
import pytest

import cardan as cd
from cardan.errors import CardanError
from cardan.fsw import GripSequencer
from cardan.messages import FrameMotion, HingeStates, TipReference

PART = GripSequencer([0.3, 0.6], distance=0.02, angle=0.1, speed=0.05, rate=0.1)
ARM = HingeStates(np.array([0.4, -0.2]), np.zeros(2))
TARGET = TipReference(v_TN_N=np.array([0.0, 0.2, 0.0]), omega_TN_N=np.array([0.0, 0.0, 0.3]))


def tip(distance=0.01, angle=0.05, speed=0.02, rate=0.05):
    """A tip that is so far from the target, and moves so fast relative to it."""
    sigma = np.tan(0.25 * angle) * np.array([0.0, 0.0, 1.0])
    return FrameMotion(
        r_BN_N=[distance, 0.0, 0.0], sigma_BN=sigma, v_BN_N=[speed, 0.2, 0.0], omega_BN_B=[0.0, 0.0, 0.3 + rate]
    )


def first(motion):
    return PART.step(PART.initial(ARM), motion, TARGET, ARM)


@pytest.mark.parametrize("far", [{"distance": 0.021}, {"angle": 0.101}, {"speed": 0.051}, {"rate": 0.101}])
def test_outside_any_edge_of_the_envelope_it_stays_open(far):
    _, sent = first(tip(**far))
    assert not sent.status.is_captured and not sent.grip.is_closed
    assert not sent.locks.is_engaged.any() and sent.limits.upper.tolist() == [0.3, 0.6]


def test_within_it_the_gripper_closes_for_good():
    memory, sent = first(tip())
    assert tuple(sent.status) == pytest.approx((1.0, 0.01, 0.05, 0.02, 0.05))
    moved = HingeStates(np.array([0.5, -0.1]), np.zeros(2))
    for _ in range(2):
        assert sent.grip.is_closed and sent.grip.r_TN_N == pytest.approx(TARGET.r_TN_N)
        assert sent.locks.is_engaged.tolist() == [1.0, 1.0] and sent.locks.angle == pytest.approx(ARM.angle)
        assert not sent.limits.upper.any()
        memory, sent = PART.step(memory, tip(distance=1.0), TARGET, moved)


def test_plain_and_native_give_the_same_bits():
    assert cd.check_task(PART, inputs={"joints": ARM}).targets["native"] == "the same bits"


def test_an_envelope_of_nothing_is_refused():
    with pytest.raises(CardanError, match=r"`GripSequencer\.distance` must be positive"):
        GripSequencer([0.3], distance=0.0)
