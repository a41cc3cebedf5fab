import pytest

from cardan.messages import AngleArc, PrescribedAngle
from cardan.models import StepperMotor


def test_motion_along_an_arc_is_a_parabola():
    arc = AngleArc(start=10.0, angle=1.0, rate=0.2, acceleration=-0.4)
    assert StepperMotor().motion(10.0, arc) == PrescribedAngle(1.0, 0.2, -0.4)
    assert StepperMotor().motion(10.5, arc) == pytest.approx((1.0 + 0.1 - 0.05, 0.0, -0.4))


def test_at_rest_it_stays_where_it_is():
    assert StepperMotor().motion(1.0e6, AngleArc(angle=0.7)) == PrescribedAngle(0.7, 0.0, 0.0)
