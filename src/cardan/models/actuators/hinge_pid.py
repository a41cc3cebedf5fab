"""PID control of hinges, evaluated at every stage."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, OnePer, model, output
from cardan.maths import Vec, choose, clip
from cardan.messages import HingeReferences, HingeStates, HingeTorques


class HingePidState(NamedTuple):
    """The integrals of the errors of the angles."""

    integral: Annotated[Vec, "rad s"]


@model
class HingePid(NamedTuple):
    """Motors that drive hinges along references; the integral of each error is a continuous state.

        wanted = K_p e + K_d de/dt + K_i integral(e),   e = reference - angle                                     (1)
        torque = wanted, up to max_torque                                                                         (2)

    While a motor is at its limit, its integral does not grow further in that direction.

    Attributes:
        K_p: [N m/rad] For each hinge.
        K_d: [N m s/rad]
        K_i: [N m/rad/s]
        max_torque: [N m] Largest torque of each motor, either sign.
    """

    K_p: Annotated[Vec, "N m/rad"]
    K_d: Annotated[Vec, "N m s/rad", OnePer("K_p")]
    K_i: Annotated[Vec, "N m/rad/s", OnePer("K_p")]
    max_torque: Annotated[Vec, "N m", NotNegative, OnePer("K_p")]

    def initial(self) -> HingePidState:
        return HingePidState(integral=np.zeros(len(self.K_p)))

    def derivatives(self, x: HingePidState, states: HingeStates, reference: HingeReferences) -> HingePidState:
        error = reference.angle - states.angle
        wanted = _wanted(self.K_p, self.K_d, self.K_i, x.integral, states, reference)
        is_beyond = (np.abs(wanted) > self.max_torque) & (wanted * error > 0.0)
        return HingePidState(integral=choose(is_beyond, 0.0, error))

    @output
    def torques(self, x: HingePidState, states: HingeStates, reference: HingeReferences) -> HingeTorques:
        # Eq. (2)
        wanted = _wanted(self.K_p, self.K_d, self.K_i, x.integral, states, reference)
        return HingeTorques(torque=clip(wanted, -self.max_torque, self.max_torque))


def _wanted(K_p: Vec, K_d: Vec, K_i: Vec, integral: Vec, states: HingeStates, reference: HingeReferences) -> Vec:
    """[N m] What the law asks for before it is limited."""
    if not len(integral) == len(K_p) == len(states.angle) == len(reference.angle):
        raise ValueError("HingePid: its parameters, `states` and `reference` have different numbers of hinges.")
    # Eq. (1)
    error, error_rate = reference.angle - states.angle, reference.rate - states.rate
    return K_p * error + K_d * error_rate + K_i * integral
