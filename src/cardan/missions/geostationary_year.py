"""`geostationary-year`: where a geostationary satellite drifts in a year if nobody keeps it."""

import numpy as np

from cardan import Dop853, Epoch, models
from cardan.dynamics import Mujoco, RecursiveTree
from cardan.mechanism import Free, Mechanism
from cardan.messages import FrameMotion
from cardan.missions.earth_sun_moon import add_sky
from cardan.missions.mission import Curve, Mission, Result
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

EPOCH = Epoch("2024-01-01T00:00:00Z")
DAY, YEAR = 86400.0, 366.0 * 86400.0  # [s]
MARGIN = 30.0 * DAY  # [s] by which tables outlast the year
RADIUS = 42164172.0  # [m] of a geostationary orbit
LONGITUDE = 20.0  # [deg] east
AREA = 30.0  # [m^2] of each of six faces


def build(longitude: float = LONGITUDE, mass: float = 2000.0, degree: int = 8) -> Scenario:
    """A satellite as a box, placed at a longitude; it does not steer."""
    m = Mechanism("satellite")
    body = m.add_body("body", joint=Free(), mass=mass, inertia_B=mass * np.eye(3))
    group = m.group_of_bodies("all")
    scn = Scenario("geostationary-year", mechanism=m, epoch=EPOCH)
    sky = add_sky(scn, EPOCH, YEAR + MARGIN, group, body, degree)
    normals = np.concatenate([np.eye(3), -np.eye(3)])
    light = scn.add(
        models.FacetRadiation(np.full(6, AREA), normals, normals, np.full(6, 0.3), np.full(6, 0.3)),
        name="light",
        motion=body.motion,
        light=sky.sun.light,
    )
    scn.connect(light.wrench, body.wrench)

    planet = models.earth_orientation(EPOCH, DAY).planet(0.0)
    angle = np.deg2rad(longitude)
    r_N = planet.dcm_PN.T @ (RADIUS * np.array([np.cos(angle), np.sin(angle), 0.0]))
    scn.start({body: FrameMotion(r_N, np.cross(planet.omega_PN_N, r_N))})
    return scn


def places(log: Log) -> np.ndarray:
    """[deg] Longitude, without jumps."""
    r_P = np.einsum("tij,tj->ti", log["earth.planet"].dcm_PN, log["body.motion"].r_BN_N)
    return np.asarray(np.rad2deg(np.unwrap(np.arctan2(r_P[:, 1], r_P[:, 0]))))


def inclination(log: Log) -> np.ndarray:
    """[deg] Of the orbit to the equator of the day."""
    h = np.cross(log["body.motion"].r_BN_N, log["body.motion"].v_BN_N)
    pole = log["earth.planet"].dcm_PN[:, 2]
    across = np.linalg.norm(np.cross(h, pole), axis=1)
    return np.asarray(np.rad2deg(np.arctan2(across, np.einsum("ij,ij->i", h, pole))))


def results(log: Log) -> list[Result]:
    visible = log["sun.light"].visible
    days = np.unique(np.floor(log.t[visible < 0.5] / DAY))
    return [
        Result("longitude at the end", float(places(log)[-1]), "deg"),
        Result("inclination at the end", float(inclination(log)[-1]), "deg"),
        Result("days with an eclipse, as sampled", float(len(days)), "-"),
    ]


def curve(log: Log) -> Curve:
    return Curve("longitude [deg]", log.t, places(log))


def drift_figure(log: Log) -> list[Panel]:
    days = log.t / DAY
    return [
        Panel("longitude [deg]", {"": (days, places(log))}, across="time [d]"),
        Panel("inclination [deg]", {"": (days, inclination(log))}, across="time [d]"),
        Panel("visible share of the Sun [-]", {"": (days, log["sun.light"].visible)}, across="time [d]"),
    ]


MISSION = Mission(
    name="geostationary-year",
    title="A year of a geostationary satellite that nobody keeps in its place",
    about=(
        "A satellite at 20 degrees east is left alone for 2024. The Earth's field to degree 8, the Sun, the Moon and "
        "sunlight act on it: it swings about the stable longitude of 75 degrees, its orbit tilts by 0.9 degrees, and "
        "it passes through the Earth's shadow in two seasons."
    ),
    build=build,
    until=YEAR,
    integrator=Dop853(rtol=1e-10, atol=1e-4, max_step=900.0),
    results=results,
    curve=curve,
    figures={"drift": drift_figure},
    record=Record(every=900.0, ports=["body.motion", "earth.planet", "sun.light"]),
    options={
        "longitude": "[deg] east, where it is placed",
        "mass": "[kg]; light pushes on 30 m^2 a side",
        "degree": "of the gravity field, 2 to 120",
    },
    dynamics=(RecursiveTree(), Mujoco()),
)
