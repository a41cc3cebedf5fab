"""A body with a tank that thrusters empty."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import AnyInertia, NotNegative, model, output
from cardan.maths import IDENTITY3, ZERO3, Mat3, Scalar, Vec3, choose, dot, outer
from cardan.messages import MassProperties, ThrusterSwitch

_NO_INERTIA = np.zeros((3, 3))


class PropellantTankState(NamedTuple):
    """What is left."""

    mass: Annotated[float, "kg", NotNegative] = 0.0


@model
class PropellantTank(NamedTuple):
    """Mass properties of a body B with a sphere T of propellant, from which two thrusters draw while they fire.

        d(mass)/dt = - flow_rate (thrusters that are on)                                                          (1)
        inertia_T  = 2/5 mass radius^2 1                                                                          (2)
        r_CB       = (dry_mass r_DB + mass r_TB) / (dry_mass + mass)                                              (3)
        inertia_C  = inertia_D + dry_mass [r_DC]^2 + inertia_T + mass [r_TC]^2,   [r]^2 = r.r 1 - r r^T           (4)

    The remaining propellant fills the tank, as a gas does; its centre stays where it is. D is the body's dry centre of
    mass; by default there is nothing but the tank.

    Attributes:
        full_mass: [kg] Of the propellant at the start.
        radius: [m] Of the tank.
        flow_rate: [kg/s] Of one thruster.
        r_TB_B: [m] Centre of the tank, in body components.
        dry_mass: [kg] Of the body without propellant.
        r_DB_B: [m] Its centre of mass, in body components.
        inertia_D_B: [kg m^2] About that centre, in body components.
    """

    full_mass: Annotated[float, "kg", NotNegative]
    radius: Annotated[float, "m", NotNegative]
    flow_rate: Annotated[float, "kg/s", NotNegative]
    r_TB_B: Annotated[Vec3, "m"] = ZERO3
    dry_mass: Annotated[float, "kg", NotNegative] = 0.0
    r_DB_B: Annotated[Vec3, "m"] = ZERO3
    inertia_D_B: Annotated[Mat3, "kg m^2", AnyInertia] = _NO_INERTIA

    def initial(self) -> PropellantTankState:
        return PropellantTankState(mass=self.full_mass)

    def derivatives(
        self,
        x: PropellantTankState,
        first: ThrusterSwitch = ThrusterSwitch(False),
        second: ThrusterSwitch = ThrusterSwitch(False),
    ) -> PropellantTankState:
        # Eq. (1)
        firing = choose(first.is_on, 1.0, 0.0) + choose(second.is_on, 1.0, 0.0)
        return PropellantTankState(mass=-self.flow_rate * firing)

    @output
    def properties(self, x: PropellantTankState) -> MassProperties:
        # Eqs. (2) to (4)
        mass = self.dry_mass + x.mass
        r_CB_B = (self.dry_mass * self.r_DB_B + x.mass * self.r_TB_B) / mass
        dry_B = self.inertia_D_B + point_inertia(self.dry_mass, self.r_DB_B - r_CB_B)
        tank_B = 0.4 * x.mass * (self.radius * self.radius) * IDENTITY3 + point_inertia(x.mass, self.r_TB_B - r_CB_B)
        return MassProperties(mass, r_CB_B, dry_B + tank_B)


def point_inertia(mass: Scalar, arm_B: Vec3) -> Mat3:
    """[kg m^2] Inertia of a mass [kg] at `arm_B` [m] about the origin."""
    inertia_B: Mat3 = mass * (dot(arm_B, arm_B) * IDENTITY3 - outer(arm_B, arm_B))
    return inertia_B
