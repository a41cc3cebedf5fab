"""An attitude reference about a fixed axis."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Above, Below, Positive, Unit, task
from cardan.maths import Vec3, tan
from cardan.messages import AttitudeReference
from cardan.robotics.tasks.smooth_step import smooth_step


class AxisTurnOutputs(NamedTuple):
    reference: AttitudeReference


@task
class AxisTurn(NamedTuple):
    """An attitude reference that turns about a fixed axis by a given angle.

        angle(t) = angle f((t - begin) / duration),    f(s) = 10 s^3 - 15 s^4 + 6 s^5                             (1)

    It starts at the attitude of the inertial frame, and waits before `begin` and after the end.

    Attributes:
        axis_N: [-] Unit vector, in inertial components.
        angle: [rad] Below 2 pi.
        duration: [s]
        begin: [s]
    """

    axis_N: Annotated[Vec3, "-", Unit]
    angle: Annotated[float, "rad", Above(-2.0 * np.pi), Below(2.0 * np.pi)]
    duration: Annotated[float, "s", Positive]
    begin: Annotated[float, "s"] = 0.0

    def step(self, t: float) -> AxisTurnOutputs:
        # Eq. (1)
        share, slope = smooth_step((t - self.begin) / self.duration)
        sigma_RN = tan(0.25 * self.angle * share) * self.axis_N
        omega_RN_N = (self.angle * slope / self.duration) * self.axis_N
        return AxisTurnOutputs(reference=AttitudeReference(sigma_RN, omega_RN_N, np.zeros(3)))
