"""`low-orbit-day`: a day 500 km up, with arrays that follow the Sun, in the whole environment."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan import Epoch, Rk4, fsw, models, task
from cardan.dynamics import Mujoco, RecursiveTree
from cardan.maths import arctan2, dcm_from_mrp, geodetic, matvec, mrp_from_dcm
from cardan.mechanism import Mechanism, facets_of
from cardan.messages import Attitude, FrameMotion, HingeReferences, HingeState, Light
from cardan.missions.earth_sun_moon import add_sky
from cardan.missions.mission import Curve, Mission, Result
from cardan.missions.vehicles import vehicle
from cardan.plots import Panel
from cardan.relative_motion import hill_frame
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

EPOCH = Epoch("2024-03-20T03:06:24Z")  # the spring equinox
DAY = 86400.0  # [s]
MARGIN = 7200.0  # [s] by which tables outlast the day
# [m], [m/s] of the centre of mass; the orbit is Sun-synchronous
START_R_N, START_V_N = np.array([6878137.0, 0.0, 0.0]), np.array([0.0, -981.0, 7549.0])
ARRAYS, WHEELS = ("array1", "array2"), ("wheel1", "wheel2", "wheel3")
WHEEL_INERTIA = 0.05  # [kg m^2]
INERTIA_B = np.diag([125.0, 118.0, 40.0])  # [kg m^2] what the controller believes in
FREQUENCY, DAMPING = 0.03, 0.9  # [rad/s], [-] of the attitude loop
HINGE_Z = {"array1": 0.5, "array2": -0.5}  # [m] where the arrays turn, along z of the bus
HOURS = 1.0 / 3600.0


class SunTrackingMemory(NamedTuple):
    """The angle so far, with all its turns.

    Attributes:
        angle: [rad]
    """

    angle: Annotated[float, "rad"] = 0.0


class SunTrackingOutputs(NamedTuple):
    reference: HingeReferences


@task
class SunTracking(NamedTuple):
    """Turns arrays about z of the body so that their x axes point to the Sun as nearly as they can.

    angle = atan2(s_y, s_x), in the turn nearest to the angle before; s is the direction of the Sun, in body components.
    """

    def step(
        self, x: SunTrackingMemory, light: Light, attitude: Attitude
    ) -> tuple[SunTrackingMemory, SunTrackingOutputs]:
        s = matvec(dcm_from_mrp(attitude.sigma_BN), light.s_N)
        ahead = (arctan2(s[1], s[0]) - x.angle) / (2.0 * np.pi)
        angle = x.angle + 2.0 * np.pi * (ahead - np.floor(ahead + 0.5))
        both = np.ones(2)
        rate = -attitude.omega_BN_B[2]
        return SunTrackingMemory(angle=angle), SunTrackingOutputs(
            reference=HingeReferences(angle=angle * both, rate=rate * both, acceleration=0.0 * both)
        )


def build(degree: int = 20, drag: bool = True, radiation: bool = True) -> Scenario:
    """The vehicle, the sky around it, and flight software that points the bus down and the arrays to the Sun."""
    m = Mechanism.from_mjcf(vehicle("low_orbit.xml"))
    bus, everything = m.bodies["bus"], m.group_of_bodies("everything")
    arrays = m.group_of_hinges("arrays", *(f"{name}_hinge" for name in ARRAYS))
    wheels = m.group_of_hinges("wheels", *(f"{name}_hinge" for name in WHEELS))
    scn = Scenario("low-orbit-day", mechanism=m, epoch=EPOCH)

    sky, earth, sun = add_sky(scn, EPOCH, DAY + MARGIN, everything, bus, degree)
    air = scn.add(models.HarrisPriester(), name="air", motion=bus.motion, planet=earth.planet, celestial=sky.positions)
    magnet = scn.add(models.magnetic_field(EPOCH, DAY), name="magnet", motion=bus.motion, planet=earth.planet)
    residual = scn.add(
        models.ResidualDipole(np.array([0.3, -0.2, 0.1])),
        name="residual",
        motion=bus.motion,
        magnetism=magnet.magnetism,
    )
    scn.connect(residual.wrench, bus.wrench)
    for name in ("bus", *ARRAYS):
        body, surface = m.bodies[name], facets_of(m.bodies[name])
        count = len(surface.area)
        specular, diffuse = (0.2, 0.1) if name in ARRAYS else (0.3, 0.3)
        if drag:
            part = models.FacetDrag(*surface[:3], drag_coefficient=np.full(count, 2.2))
            scn.connect(scn.add(part, name=f"drag_{name}", motion=body.motion, air=air.air).wrench, body.wrench)
        if radiation:
            light = models.FacetRadiation(
                *surface[:3], specular=np.full(count, specular), diffuse=np.full(count, diffuse)
            )
            pushed = scn.add(light, name=f"light_{name}", motion=body.motion, light=sun.light)
            scn.connect(pushed.wrench, body.wrench)

    # flight software
    nav = scn.add(fsw.SimpleNavigation(), name="nav", every=1.0, truth=bus.motion)
    ref = scn.add(fsw.HillPointing(), name="ref", every=1.0, motion=nav.motion)
    err = scn.add(fsw.AttitudeTracking(), name="err", every=1.0, attitude=nav.attitude, reference=ref.reference)
    stored = scn.add(
        fsw.WheelMomentum(np.eye(3), inertia=np.full(3, WHEEL_INERTIA)), name="stored", every=1.0, wheels=wheels.states
    )
    largest = float(INERTIA_B.max())
    ctl = scn.add(
        fsw.MrpFeedback(K=4.0 * largest * FREQUENCY**2, P=2.0 * DAMPING * largest * FREQUENCY, inertia_B=INERTIA_B),
        name="ctl",
        every=1.0,
        error=err.error,
        stored=stored.momentum,
    )
    share = scn.add(fsw.WheelAllocation(np.eye(3)), name="share", every=1.0, torque=ctl.torque)
    limit = scn.add(fsw.TorqueSaturation(np.full(3, 0.1)), name="limit", every=1.0, command=share.torques)
    scn.connect(limit.torques, wheels.efforts)

    # arrays: where they start, and what turns them
    start_light = sun_at_start()
    motion = FrameMotion(START_R_N, START_V_N)
    dcm_HN, omega = hill_frame(motion)
    s = dcm_HN @ start_light
    angle = float(np.arctan2(s[1], s[0]))
    track = scn.add(
        SunTracking(),
        name="track",
        every=1.0,
        initial=SunTrackingMemory(angle),
        light=sun.light,
        attitude=nav.attitude,
    )
    drive = scn.add(
        models.HingePid(K_p=np.full(2, 0.05), K_d=np.full(2, 1.0), K_i=np.zeros(2), max_torque=np.full(2, 0.1)),
        name="drive",
        states=arrays.states,
        reference=track.reference,
    )
    scn.connect(drive.torques, arrays.efforts)
    r_CB_B = centre_of_mass(m)
    start = FrameMotion(
        START_R_N - dcm_HN.T @ r_CB_B, START_V_N - dcm_HN.T @ np.cross(omega, r_CB_B), mrp_from_dcm(dcm_HN), omega
    )
    turning = HingeState(angle=angle, rate=-float(omega[2]))
    scn.start(
        {
            bus: start,
            **{f"{name}_hinge": turning for name in ARRAYS},
        }
    )
    return scn


def centre_of_mass(m: Mechanism) -> np.ndarray:
    """[m] Of the whole vehicle, in the bus; the arrays' own centres lie on their hinges' axes."""
    places = {name: np.array([0.0, 0.0, z]) for name, z in HINGE_Z.items()}
    pieces = [(mass, places.get(name, np.zeros(3)) + centre) for name, (mass, centre, _) in m.tree.body_mass.items()]
    return np.asarray(sum(mass * place for mass, place in pieces) / sum(mass for mass, _ in pieces))


def sun_at_start() -> np.ndarray:
    """[-] Direction of the Sun at the epoch."""
    r = models.ephemeris(EPOCH, DAY, ["sun"]).positions(0.0).r_BN_N[0]
    return np.asarray(r / np.linalg.norm(r))


# ---- what is shown -------------------------------------------------------------------------------------------------


def ground_track(log: Log) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[deg], [deg], [km] Longitude, geodetic latitude and height of the bus."""
    r_P = np.einsum("tij,tj->ti", log["earth.planet"].dcm_PN, log["bus.motion"].r_BN_N)
    sine, cosine, height = geodetic(r_P)
    return np.rad2deg(np.arctan2(r_P[:, 1], r_P[:, 0])), np.rad2deg(np.arctan2(sine, cosine)), 1e-3 * height


def array_error(log: Log) -> np.ndarray:
    """[deg] Between the arrays' normals and the plane through their axis and the Sun."""
    reference, angle = log["track.reference"].angle[:, 0], log["array1_hinge.state"].angle
    return np.asarray(np.rad2deg(np.abs(reference - angle)))


def torques(log: Log, kind: str) -> np.ndarray:
    """[N m] Of drag or light on all bodies, about the origin of the bus, in its components."""
    total = np.zeros((len(log.t), 3))
    for name in ("bus", *ARRAYS):
        path = f"{kind}_{name}.wrench"
        if path not in log:
            continue
        wrench = log[path]
        force, torque = wrench.force_B, wrench.torque_B
        if name in ARRAYS:
            angle = log[f"{name}_hinge.state"].angle
            force, torque = turned(force, angle), turned(torque, angle)
            torque = torque + np.cross([0.0, 0.0, HINGE_Z[name]], force)
        total += torque
    return total


def turned(vectors: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Vectors in components of an array, in those of the bus."""
    x, y, z = vectors.T
    sine, cosine = np.sin(angle), np.cos(angle)
    return np.stack([cosine * x - sine * y, sine * x + cosine * y, z], axis=1)


def results(log: Log) -> list[Result]:
    _, _, height = ground_track(log)
    visible = log["sun.light"].visible
    momentum = np.linalg.norm(log["stored.momentum"].momentum_B, axis=1)
    drag, light = (np.linalg.norm(torques(log, kind), axis=1).max() for kind in ("drag", "light"))
    return [
        Result("lowest height", float(height.min()), "km"),
        Result("highest height", float(height.max()), "km"),
        Result("share of the time in the dark", float(np.mean(visible < 0.5)), "-"),
        Result("largest torque of drag", float(drag), "N m"),
        Result("largest torque of light", float(light), "N m"),
        Result("largest momentum in the wheels", float(momentum.max()), "N m s"),
        Result("largest error of the arrays", float(array_error(log).max()), "deg"),
    ]


def curve(log: Log) -> Curve:
    return Curve("height [km]", log.t, ground_track(log)[2])


def orbit_figure(log: Log) -> list[Panel]:
    hours = log.t * HOURS
    return [
        Panel("height above WGS84 [km]", {"": (hours, ground_track(log)[2])}, across="time [h]"),
        Panel("visible share of the Sun [-]", {"": (hours, log["sun.light"].visible)}, across="time [h]"),
        Panel("density [kg/m^3]", {"": (hours, log["air.air"].density)}, across="time [h]", is_logarithmic=True),
    ]


def track_figure(log: Log) -> list[Panel]:
    longitude, latitude, _ = ground_track(log)
    # a line from one edge of the map to the other is none
    breaks = np.flatnonzero(np.abs(np.diff(longitude)) > 180.0) + 1
    longitude, latitude = (np.insert(values, breaks, np.nan) for values in (longitude, latitude))
    return [Panel("latitude [deg]", {"": (longitude, latitude)}, across="longitude [deg]", has_equal_axes=True)]


def loads_figure(log: Log) -> list[Panel]:
    hours = log.t * HOURS
    axes = ("x", "y", "z")

    def three(values: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        return {axis: (hours, values[:, i]) for i, axis in enumerate(axes)}

    return [
        Panel("torque of drag [N m]", three(torques(log, "drag")), across="time [h]"),
        Panel("torque of light [N m]", three(torques(log, "light")), across="time [h]"),
        Panel("residual dipole [N m]", three(log["residual.wrench"].torque_B), across="time [h]"),
        Panel("wheel momentum [N m s]", three(log["stored.momentum"].momentum_B), across="time [h]"),
    ]


PORTS = [
    "bus.motion", "bus.momentum", "earth.planet", "sun.light", "air.air", "stored.momentum", "track.reference",
    "array1_hinge.state", "array2_hinge.state", "wheel1_hinge.state", "wheel2_hinge.state", "wheel3_hinge.state",
    "residual.wrench", "err.error", "drag_*", "light_*",
]  # fmt: skip

MISSION = Mission(
    name="low-orbit-day",
    title="A day in low orbit with all that surrounds a satellite",
    about=(
        "A bus with two solar arrays and three wheels flies 500 km up on a Sun-synchronous orbit, on the day of the "
        "spring equinox of 2024. EGM2008 to degree 20, Sun, Moon, drag, sunlight with eclipses and a magnetic dipole "
        "act on every body; the arrays turn once per orbit to follow the Sun and carry their loads into their hinges."
    ),
    build=build,
    until=DAY,
    integrator=Rk4(step=1.0),
    results=results,
    curve=curve,
    figures={"orbit": orbit_figure, "track": track_figure, "loads": loads_figure},
    record=Record(every=60.0, ports=PORTS),
    options={
        "degree": "of the gravity field, 2 to 120",
        "drag": "whether air resists",
        "radiation": "whether light pushes",
    },
    dynamics=(RecursiveTree(), Mujoco()),
)
