"""A PID controller for motion along a line."""

from typing import Annotated, NamedTuple

from cardan.contracts import task
from cardan.messages import Force, LineIntegral, LineMotion


class LinePidOutputs(NamedTuple):
    command: Force


@task
class LinePid(NamedTuple):
    """PID feedback of position, velocity and the integral of the position error.

        force = K_p (reference - position) + K_d (reference rate - velocity) + K_i integral                       (1)

    The integral is an input: it may be sampled here and there, or be a continuous state as in `TrackingIntegral`.

    Attributes:
        K_p: [N/m]
        K_d: [N s/m]
        K_i: [N/m/s]
    """

    K_p: Annotated[float, "N/m"]
    K_d: Annotated[float, "N s/m"]
    K_i: Annotated[float, "N/m/s"] = 0.0

    def step(
        self, motion: LineMotion, reference: LineMotion, integral: LineIntegral = LineIntegral(0.0)
    ) -> LinePidOutputs:
        # Eq. (1)
        proportional = self.K_p * (reference.position - motion.position)
        derivative = self.K_d * (reference.velocity - motion.velocity)
        return LinePidOutputs(command=Force(proportional + derivative + self.K_i * integral.integral))
