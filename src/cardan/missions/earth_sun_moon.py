"""What pulls and lights a satellite of the Earth: its gravity field, the Sun and the Moon, with their shadows."""

from typing import Any, NamedTuple

import numpy as np

from cardan import Epoch, models
from cardan.celestial import EARTH, MOON, SUN
from cardan.scenario import Scenario


class Sky(NamedTuple):
    """Parts that others are wired to.

    Attributes:
        bodies: `Ephemeris` of the Earth, the Sun and the Moon, seen from the Earth.
        earth: `EarthOrientation`.
        sun: `Sunlight` on the body, with the shadows of the Earth and the Moon.
    """

    bodies: Any
    earth: Any
    sun: Any


def add_sky(scn: Scenario, epoch: Epoch, duration: float, everything: Any, body: Any, degree: int) -> Sky:
    """Let the Earth, the Sun and the Moon pull `everything`, a group of bodies, and light `body`.

    Args:
        scn: Gets the parts `sky`, `earth`, `field`, `others` and `sun`.
        epoch: When the run begins.
        duration: [s] How far tables reach.
        everything: The group of all bodies of a vehicle.
        body: A body of that vehicle.
        degree: Of the Earth's field.
    """
    bodies = scn.add(models.ephemeris(epoch, duration), name="sky")
    earth = scn.add(models.earth_orientation(epoch, duration), name="earth")
    field = scn.add(
        models.harmonic_gravity(degree),
        name="field",
        positions=everything.positions,
        vehicle=body.momentum,
        planet=earth.planet,
    )
    others = scn.add(
        models.NBodyGravity(mu=np.array([0.0, SUN.mu, MOON.mu])),
        name="others",
        positions=everything.positions,
        celestial=bodies.positions,
    )
    scn.connect(field.pull, everything.gravity)
    scn.connect(others.pull, everything.gravity)
    sun = scn.add(
        models.Sunlight(radius=np.array([EARTH.radius, SUN.radius, MOON.radius])),
        name="sun",
        motion=body.motion,
        celestial=bodies.positions,
    )
    return Sky(bodies, earth, sun)
