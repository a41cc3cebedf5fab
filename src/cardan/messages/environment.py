"""What surrounds a vehicle: how planets are turned, gravity, light, air, magnetic field."""

from typing import Annotated, NamedTuple

from cardan.contracts import Constraint, NotNegative, OnePer, Positive, Rotation, Unit, Within, message
from cardan.maths import Mat, Mat3, Rows3, Vec, Vec3

_SixPerRow = Constraint(
    "six numbers per row of `g_N`", lambda gradient_N, g_N: gradient_N.shape == (len(g_N), 6), of=("g_N",)
)


@message
class PlanetOrientation(NamedTuple):
    """How a planet with its own frame P is turned; no defaults, so that none stands still unless it is told to.

    Attributes:
        dcm_PN: [-] Takes inertial components to those of the planet.
        omega_PN_N: [rad/s] Angular velocity of the planet, in inertial components.
    """

    dcm_PN: Annotated[Mat3, "-", Rotation]
    omega_PN_N: Annotated[Vec3, "rad/s"]


@message
class GravityField(NamedTuple):
    """Gravity at the centres of mass of several bodies, a row each.

    Attributes:
        g_N: [m/s^2] Acceleration, in inertial components.
        gradient_N: [1/s^2] How it changes with place: xx, xy, xz, yy, yz, zz, in inertial components.
    """

    g_N: Annotated[Rows3, "m/s^2"]
    gradient_N: Annotated[Mat, "1/s^2", _SixPerRow]


@message
class Light(NamedTuple):
    """Light from far away, as it arrives.

    Attributes:
        s_N: [-] Unit vector to where it comes from, in inertial components.
        flux: [W/m^2] With what is hidden taken off.
        visible: [-] Which share of the source is not hidden.
    """

    s_N: Annotated[Vec3, "-", Unit]
    flux: Annotated[float, "W/m^2", NotNegative]
    visible: Annotated[float, "-", Within(0.0, 1.0)] = 1.0


@message
class LitShares(NamedTuple):
    """How much of each facet of a body light reaches past other bodies.

    Attributes:
        share: [-] Of its area, from 0 to 1.
    """

    share: Annotated[Vec, "-", Within(0.0, 1.0)]


@message
class Air(NamedTuple):
    """The air around a vehicle.

    Attributes:
        density: [kg/m^3]
        temperature: [K] Zero where the model does not say.
        v_AN_N: [m/s] Velocity of the air A, in inertial components.
    """

    density: Annotated[float, "kg/m^3", NotNegative]
    temperature: Annotated[float, "K", NotNegative]
    v_AN_N: Annotated[Vec3, "m/s"]


@message
class DensityArc(NamedTuple):
    """The logarithm of the air's density along an orbit, as a parabola in time.

    Attributes:
        start: [s] When it begins, since the start of the run.
        duration: [s] How long it holds.
        ln_density: [-] Of the density in kg/m^3, at `start`; no air until an arc is sent.
        slope: [1/s]
        curvature: [1/s^2] Twice the coefficient of the square.
        temperature: [K] In the middle.
    """

    start: Annotated[float, "s"] = 0.0
    duration: Annotated[float, "s"] = 0.0
    ln_density: Annotated[float, "-"] = -1000.0
    slope: Annotated[float, "1/s"] = 0.0
    curvature: Annotated[float, "1/s^2"] = 0.0
    temperature: Annotated[float, "K"] = 0.0


@message
class DensityFactor(NamedTuple):
    """By how much the air is denser than its model says.

    Attributes:
        factor: [-]
    """

    factor: Annotated[float, "-", Positive] = 1.0


@message
class Magnetism(NamedTuple):
    """A magnetic field.

    Attributes:
        field_N: [T] Flux density, in inertial components.
    """

    field_N: Annotated[Vec3, "T"]


@message
class CelestialMotions(NamedTuple):
    """Motion of several celestial bodies, a row each.

    Attributes:
        r_BN_N: [m] Positions, in inertial components.
        v_BN_N: [m/s] Velocities.
    """

    r_BN_N: Annotated[Rows3, "m"]
    v_BN_N: Annotated[Rows3, "m/s", OnePer("r_BN_N")]
