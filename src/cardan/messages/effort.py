"""Forces and torques."""

from typing import Annotated, NamedTuple

from cardan.contracts import message
from cardan.maths import Vec3


@message
class BodyTorque(NamedTuple):
    """A torque on the body.

    Attributes:
        torque_B: [N m] In body components.
    """

    torque_B: Annotated[Vec3, "N m"]


@message
class Force(NamedTuple):
    """A force along a line.

    Attributes:
        force: [N] Positive in the direction of positive displacement.
    """

    force: Annotated[float, "N"]
