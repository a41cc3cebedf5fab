import numpy as np
import pytest

from cardan.messages import SlideState
from cardan.models import SlideFriction

PART = SlideFriction(friction=4.0, transition=0.01)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_moving_slide_feels_its_friction_against_its_motion(sign):
    # 1 - 1/sqrt(1 + (0.01/5)^2) = 2e-6
    assert PART.force(SlideState(rate=5.0 * sign)).force == pytest.approx(-4.0 * sign, rel=3e-6)


def test_at_the_transition_it_feels_the_root_of_a_half_and_at_rest_nothing():
    assert PART.force(SlideState(rate=0.01)).force == pytest.approx(-4.0 * np.sqrt(0.5), rel=1e-15)
    assert PART.force(SlideState(displacement=3.0)).force == 0.0
