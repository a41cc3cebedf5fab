"""NRLMSISE-00 along the orbit, computed by `pymsis` at ticks, as arcs that a model evaluates at stages."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.celestial import EARTH
from cardan.contracts import Constraint, NotNegative, OneOf, Positive, model, output, task
from cardan.ephemeris import EARTH_RATE, Epoch
from cardan.errors import MissingExtra
from cardan.maths import Vec, choose, cross, exp, geodetic
from cardan.messages import Air, DensityArc, DensityFactor, FrameMotion, PlanetOrientation

_SevenOrOne = Constraint("one number, or seven", lambda ap: len(ap) in (1, 7))
_J2 = 1.0826261738522227e-3


class MsisArcsOutputs(NamedTuple):
    arc: DensityArc


@task(jit=False)
class MsisArcs(NamedTuple):
    """The air ahead, as a parabola in time of the logarithm of its density.

    The orbit is predicted over one period of the task with the Earth's mass and oblateness. NRLMSISE-00 gives the
    density at its beginning, middle and end, and the parabola goes through them. It runs as Python.

    Attributes:
        utc_at_start: [s] UTC at time zero, since 2000-01-01T12:00:00.
        f107: [-] Solar flux at 10.7 cm of the day before, observed, in solar flux units.
        f107a: [-] Its mean over 81 days, centred.
        ap: [-] Geomagnetic index: of the day, or all seven that the model takes.
        version: [-] 0 is NRLMSISE-00; 2 (2.0) and 2.1, which must not be used commercially.
    """

    utc_at_start: Annotated[float, "s"]
    f107: Annotated[float, "-", Positive] = 150.0
    f107a: Annotated[float, "-", Positive] = 150.0
    ap: Annotated[Vec, "-", NotNegative, _SevenOrOne] = np.array([4.0])
    version: Annotated[float, "-", OneOf(0, 2, 2.1)] = 0.0

    def step(self, t: float, dt: float, motion: FrameMotion, planet: PlanetOrientation) -> MsisArcsOutputs:
        places = _predicted(motion, planet, dt)
        density, temperature = msis(
            self.utc_at_start + t + 0.5 * dt * np.arange(3), places, self.f107, self.f107a, self.ap, self.version
        )
        first, middle, last = np.log(density)
        curvature = 4.0 * (first - 2.0 * middle + last) / (dt * dt)
        slope = (last - first) / dt - 0.5 * curvature * dt
        arc = DensityArc(t, dt, float(first), float(slope), float(curvature), float(temperature[1]))
        return MsisArcsOutputs(arc=arc)


@model
class ArcAtmosphere(NamedTuple):
    """Air density from the arcs of `MsisArcs` along the orbit; the air turns with the planet.

        density = exp(ln_density + slope (t - start) + curvature (t - start)^2 / 2) factor                         (1)

    Before and after its arc the density is not a number, which ends the run.

    Attributes:
        tolerance: [s] How far beyond an arc time may be.
    """

    tolerance: Annotated[float, "s", NotNegative] = 1e-6

    @output
    def air(
        self,
        t: float,
        arc: DensityArc,
        motion: FrameMotion,
        planet: PlanetOrientation,
        factor: DensityFactor = DensityFactor(),
    ) -> Air:
        since = t - arc.start
        # before the first tick of the task there is no arc, and nothing is integrated yet
        is_inside = (since >= -self.tolerance) & (since <= arc.duration + self.tolerance)
        since = choose(is_inside, since, np.nan)
        density = exp(arc.ln_density + since * (arc.slope + 0.5 * arc.curvature * since)) * factor.factor
        v_AN_N = cross(planet.omega_PN_N, motion.r_BN_N)
        return Air(density=density, temperature=arc.temperature, v_AN_N=v_AN_N)


def msis_arcs(epoch: Epoch, f107: float = 150.0, f107a: float = 150.0, ap: Any = 4.0, version: float = 0.0) -> MsisArcs:
    """NRLMSISE-00 for a scenario with this epoch; the indices are those of `MsisArcs`."""
    return MsisArcs(epoch.seconds("UTC"), f107, f107a, np.atleast_1d(np.asarray(ap, dtype=float)), version)


def msis(
    utc: np.ndarray, r_P: np.ndarray, f107: float, f107a: float, ap: np.ndarray, version: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """[kg/m^3], [K] Density and temperature at instants of UTC [s since J2000] and places (n, 3) [m], Earth-fixed."""
    try:
        import pymsis
    except ImportError as error:
        raise MissingExtra("NRLMSISE-00 needs `pymsis`.\n  pip install cardan[msis]") from error
    sin_latitude, cos_latitude, height = geodetic(r_P)
    dates = np.datetime64("2000-01-01T12:00:00", "us") + np.rint(1e6 * np.asarray(utc)).astype("timedelta64[us]")
    n = len(dates)
    found = pymsis.calculate(
        dates,
        np.rad2deg(np.arctan2(r_P[:, 1], r_P[:, 0])),
        np.rad2deg(np.arctan2(sin_latitude, cos_latitude)),
        1e-3 * height,
        np.full(n, f107),
        np.full(n, f107a),
        np.broadcast_to(ap, (n, 7)),
        version=0 if version == 0.0 else float(version),
    )
    return np.asarray(found[:, 0], dtype=float), np.asarray(found[:, 10], dtype=float)


def _predicted(motion: FrameMotion, planet: PlanetOrientation, duration: float) -> np.ndarray:
    """[m] (3, 3) Earth-fixed places now, after half the duration and after all of it; the Earth turns evenly."""
    state = np.concatenate([motion.r_BN_N, motion.v_BN_N])
    dcm_PN, found = planet.dcm_PN, [planet.dcm_PN @ motion.r_BN_N]
    for k in (1, 2):
        for _ in range(4):
            state = _rk4(state, duration / 8.0, dcm_PN[2])
        angle = EARTH_RATE * k * duration / 2.0
        turn = np.array([[np.cos(angle), np.sin(angle), 0.0], [-np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
        found.append(turn @ dcm_PN @ state[:3])
    return np.array(found)


def _rk4(state: np.ndarray, h: float, pole_N: np.ndarray) -> np.ndarray:
    a = _rates(state, pole_N)
    b = _rates(state + 0.5 * h * a, pole_N)
    c = _rates(state + 0.5 * h * b, pole_N)
    d = _rates(state + h * c, pole_N)
    after: np.ndarray = state + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    return after


def _rates(state: np.ndarray, pole_N: np.ndarray) -> np.ndarray:
    r = state[:3]
    length = np.linalg.norm(r)
    s = pole_N @ r / length
    bulge = 1.5 * _J2 * (EARTH.radius / length) ** 2
    g = -EARTH.mu / length**3 * (r + bulge * ((1.0 - 5.0 * s * s) * r + 2.0 * s * length * pole_N))
    return np.concatenate([state[3:], g])
