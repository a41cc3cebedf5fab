import numpy as np
import pytest

from cardan import models
from cardan.errors import SettingError
from cardan.messages import MotionPlan
from motions import assert_consistent

PROFILE = models.smoothed_bang_coast_bang(
    start=0.2, reference=-1.9, max_acceleration=0.3, bang=0.5, smooth=0.4, start_time=1.0
)


@pytest.mark.parametrize("t", [0.5, 1.1, 1.6, 2.2, 3.0, 9.0])
def test_the_rates_of_a_translation_are_its_derivatives(t):
    part = models.translation_along([1.0, 2.0, -2.0], PROFILE)
    assert_consistent(part.motion, t)


def test_it_ends_exactly_at_its_reference():
    part = models.translation_along([0.0, -2.0, 0.0], PROFILE)
    assert float(part.displacement(100.0).displacement) == -1.9
    assert part.motion(100.0).r_FM_M == pytest.approx([0.0, 1.9, 0.0], abs=0.0)


def test_a_plan_replaces_the_profile():
    part = models.translation_along([0.0, 0.0, 1.0], PROFILE)
    plan = MotionPlan(5.0, 0.1, 0.2, 0.3, np.array([2.0]), np.array([0.0]), np.array([0.0]))
    assert part.displacement(6.0, plan).displacement == pytest.approx(0.3)
    assert part.motion(6.0, plan).v_FM_M == pytest.approx([0.0, 0.0, 0.2])


def test_a_zero_axis_is_refused():
    with pytest.raises(SettingError, match=r"translation_along: the axis is \[0, 0, 0\]"):
        models.translation_along([0, 0, 0], PROFILE)
