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
class InertialForce(NamedTuple):
    """A force on a vehicle.

    Attributes:
        force_N: [N] In inertial components.
    """

    force_N: Annotated[Vec3, "N"]


@message
class StoredMomentum(NamedTuple):
    """Angular momentum that is stored in a body, in wheels for instance.

    Attributes:
        momentum_B: [N m s] Relative to the body, in body components.
    """

    momentum_B: Annotated[Vec3, "N m s"]


@message
class Force(NamedTuple):
    """A force along a line.

    Attributes:
        force: [N] Positive in the direction of positive displacement.
    """

    force: Annotated[float, "N"]


@message
class AngularImpulseGiven(NamedTuple):
    """What a load has given to a vehicle with centre of mass C since the start.

    Attributes:
        impulse_C_N: [N m s] About the centre of mass, in inertial components.
    """

    impulse_C_N: Annotated[Vec3, "N m s"]
