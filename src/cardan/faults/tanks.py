"""A tank with a hole (docs/theory/fault.md)."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan import model, output
from cardan.contracts import NotNegative, Positive, Unit
from cardan.maths import IDENTITY3, ZERO3, Mat3, Scalar, Vec3, choose, dot, outer
from cardan.messages import BodyWrench, FaultEffect, MassProperties

_X = np.array([1.0, 0.0, 0.0])


class TankLeakState(NamedTuple):
    """What is left in the tank."""

    mass: Annotated[float, "kg", NotNegative] = 0.0


@model
class TankLeak(NamedTuple):
    """Propellant that escapes through a hole while a fault lasts, pushing and turning the body.

        flow = w mass / time_constant,   d(mass)/dt = - flow                                                      (6)
        force_H = - flow exhaust_speed axis_H                                                                     (7)
        m' = m - lost,   r' = (m r - lost r_T) / m',   lost = full_mass - mass                                    (8)
        I' = I + m [r - r']^2 - lost [r_T - r']^2 - 2/5 lost radius^2 1,   [r]^2 = r.r 1 - r r^T                 (9)

    H is the site of the hole, so that the force has its torque; w says how far the fault has come. m, r and I are mass,
    centre of mass and inertia about it of the body with a full tank, a sphere about T.

    Attributes:
        full_mass: [kg] Of what can escape.
        time_constant: [s] In which the tank blows down.
        exhaust_speed: [m/s] Of what escapes.
        axis_H: [-] Unit vector along which it escapes, in the components of the site.
        r_TB_B: [m] Centre of the tank, in body components.
        radius: [m] Of the tank.
    """

    full_mass: Annotated[float, "kg", Positive]
    time_constant: Annotated[float, "s", Positive]
    exhaust_speed: Annotated[float, "m/s", NotNegative]
    axis_H: Annotated[Vec3, "-", Unit] = _X
    r_TB_B: Annotated[Vec3, "m"] = ZERO3
    radius: Annotated[float, "m", NotNegative] = 0.0

    def initial(self) -> TankLeakState:
        return TankLeakState(mass=self.full_mass)

    def derivatives(self, x: TankLeakState, effect: FaultEffect) -> TankLeakState:
        return TankLeakState(mass=-_flow(self, x, effect))

    @output
    def wrench(self, x: TankLeakState, effect: FaultEffect) -> BodyWrench:
        # Eq. (7)
        return BodyWrench(force_B=-_flow(self, x, effect) * self.exhaust_speed * self.axis_H)

    @output
    def properties(self, x: TankLeakState, full: MassProperties) -> MassProperties:
        # Eqs. (8) and (9)
        lost = self.full_mass - x.mass
        mass = full.mass - lost
        r_CB_B = (full.mass * full.r_CB_B - lost * self.r_TB_B) / mass
        body_B = full.inertia_C_B + _at(full.mass, full.r_CB_B - r_CB_B)
        tank_B = 0.4 * lost * (self.radius * self.radius) * IDENTITY3 + _at(lost, self.r_TB_B - r_CB_B)
        return MassProperties(mass, r_CB_B, body_B - tank_B)


def _flow(leak: TankLeak, x: TankLeakState, effect: FaultEffect) -> Scalar:
    """[kg/s] What escapes, Eq. (6)."""
    weight = choose(effect.is_active, effect.weight, 0.0)
    return weight * x.mass / leak.time_constant


def _at(mass: Scalar, r_B: Vec3) -> Mat3:
    """[kg m^2] Inertia of a mass [kg] at `r_B` [m] about the origin: m [r]^2."""
    inertia_B: Mat3 = mass * (dot(r_B, r_B) * IDENTITY3 - outer(r_B, r_B))
    return inertia_B
