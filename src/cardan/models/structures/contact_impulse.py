"""Impulse and duration of a contact."""

from typing import Annotated, NamedTuple

from cardan.contracts import NotNegative, model, output
from cardan.maths import ZERO3, Vec3, choose
from cardan.messages import ContactImpulseGiven, ContactLoad


class ContactImpulseState(NamedTuple):
    """Since the start."""

    impulse_N: Annotated[Vec3, "N s"] = ZERO3
    total: Annotated[float, "N s", NotNegative] = 0.0
    duration: Annotated[float, "s", NotNegative] = 0.0


@model
class ContactImpulse(NamedTuple):
    """The impulse of a contact, and how long it lasts, integrated with everything else at every stage.

    d(impulse_N)/dt = force_N,   d(total)/dt = sum of |force| over places                                          (1)
    d(duration)/dt  = 1 while they touch, else 0                                                                   (2)
    """

    def derivatives(self, x: ContactImpulseState, contact: ContactLoad) -> ContactImpulseState:
        # Eqs. (1) and (2)
        return ContactImpulseState(contact.force_N + ZERO3, contact.total + 0.0, choose(contact.places > 0.0, 1.0, 0.0))

    @output
    def given(self, x: ContactImpulseState) -> ContactImpulseGiven:
        return ContactImpulseGiven(x.impulse_N + ZERO3, x.total + 0.0, x.duration + 0.0)
