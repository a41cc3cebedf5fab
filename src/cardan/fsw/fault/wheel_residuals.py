"""Wheels that do not follow their commands, from their momentum balance."""

from typing import Annotated, NamedTuple

from cardan.contracts import Positive, task
from cardan.maths import Vec
from cardan.messages import HingeStates, HingeTorques, Residual


class WheelResidualsMemory(NamedTuple):
    """Rates and torques of the tick before."""

    rate: Annotated[Vec, "rad/s"]
    torque: Annotated[Vec, "N m"]
    has_begun: Annotated[bool, "-"]


class WheelResidualsOutputs(NamedTuple):
    residual: Residual


@task
class WheelResiduals(NamedTuple):
    """How much each wheel's rate changed beyond its motor command.

        r = (inertia (rate - rate before) / dt - torque + drag rate) / noise                                      (1)

    `CusumTest` on it names the wheel: dead, weak, rubbing, running away.

    Attributes:
        inertia: [kg m^2] About the spin axis, of each wheel with what turns with it.
        noise: [N m] Deviation of the numerator while all is well, from the body's own turning and from sensors.
        drag: [N m s/rad] Viscous drag that is expected.
    """

    inertia: Annotated[Vec, "kg m^2", Positive]
    noise: Annotated[float, "N m", Positive]
    drag: Annotated[float, "N m s/rad"] = 0.0

    def initial(self) -> WheelResidualsMemory:
        return WheelResidualsMemory(0.0 * self.inertia, 0.0 * self.inertia, False)

    def step(
        self, dt: float, x: WheelResidualsMemory, wheels: HingeStates, torques: HingeTorques
    ) -> tuple[WheelResidualsMemory, WheelResidualsOutputs]:
        if len(wheels.rate) != len(self.inertia) or len(torques.torque) != len(self.inertia):
            raise ValueError("WheelResiduals: `wheels` or `torques` has another number of wheels than `inertia`.")
        # Eq. (1)
        lacking = self.inertia * (wheels.rate - x.rate) / dt - x.torque + self.drag * x.rate
        residual = lacking / self.noise if x.has_begun else 0.0 * lacking
        return WheelResidualsMemory(1.0 * wheels.rate, 1.0 * torques.torque, True), WheelResidualsOutputs(
            Residual(residual)
        )
