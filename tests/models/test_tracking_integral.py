from cardan.messages import LineMotion
from cardan.models import TrackingIntegral
from cardan.models.structures.tracking_integral import TrackingIntegralState


def test_the_rate_is_the_distance_to_the_reference():
    part = TrackingIntegral()
    rates = part.derivatives(TrackingIntegralState(5.0), LineMotion(0.25, 9.0), LineMotion(1.0, 9.0))
    assert rates.integral == 0.75
    assert part.error(TrackingIntegralState(5.0)).integral == 5.0
