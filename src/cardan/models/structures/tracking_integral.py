"""The integral of a tracking error as a continuous state."""

from typing import Annotated, NamedTuple

from cardan.contracts import model, output
from cardan.messages import LineIntegral, LineMotion


class TrackingIntegralState(NamedTuple):
    """The integral so far."""

    integral: Annotated[float, "m s"] = 0.0


@model
class TrackingIntegral(NamedTuple):
    """Integrates a tracking error, to the accuracy of the integrator.

    d(integral)/dt = reference - position                                                                         (1)
    """

    def derivatives(self, x: TrackingIntegralState, motion: LineMotion, reference: LineMotion) -> TrackingIntegralState:
        # Eq. (1)
        return TrackingIntegralState(integral=reference.position - motion.position)

    @output
    def error(self, x: TrackingIntegralState) -> LineIntegral:
        return LineIntegral(integral=x.integral)
