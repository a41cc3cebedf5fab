"""`reaction-wheels`: a tumbling spacecraft is brought to rest by three wheels that are bodies of their own."""

import math
import xml.etree.ElementTree as ElementTree

import numpy as np

from cardan import Rk4, fsw, models
from cardan.celestial import EARTH
from cardan.dynamics import BackSubstitution, Mujoco, RecursiveTree
from cardan.maths import rotation_angle
from cardan.mechanism import Mechanism
from cardan.messages import HingeState
from cardan.missions.mission import Campaign, Curve, Mission, Result, settled
from cardan.missions.vehicles import vehicle
from cardan.orbits import orbit
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Integrator, Log, Record

WHEELS = ("rw1Spin", "rw2Spin", "rw3Spin")
AXES_B = np.eye(3)
WHEEL_INERTIA = 50.0 / (6000.0 * np.pi / 30.0)  # [kg m^2] stores 50 N m s at 6000 rpm
WHEEL_MASS = 9.0  # [kg]
BUS_INERTIA_B = np.diag([900.0, 800.0, 600.0])  # [kg m^2] what the controller believes in
RPM = np.pi / 30.0  # [rad/s]
SETTLED = 1.0  # [deg]


def mechanism(wheel_misalignment: float = 0.0, wheel_imbalance: float = 0.0) -> Mechanism:
    """The bus and its wheels; the first wheel as a whole is turned about z, and has its centre of mass off its axis."""
    root = ElementTree.parse(vehicle("reaction_wheels.xml")).getroot()
    half = 0.5 * math.radians(wheel_misalignment)
    offset = 1.0e-5 * wheel_imbalance / WHEEL_MASS  # from g cm to kg m
    for body in root.iterfind(".//body[@name='rw1']"):
        body.set("quat", f"{math.cos(half)!r} 0 0 {math.sin(half)!r}")
    for inertial in root.iterfind(".//body[@name='rw1']/inertial"):
        inertial.set("pos", f"0 0 {offset!r}")
    return Mechanism.from_mjcf(ElementTree.tostring(root, encoding="unicode"))


def build(wheel_misalignment: float = 0.0, wheel_imbalance: float = 0.0) -> Scenario:
    """The vehicle in orbit, with navigation, guidance, control and allocation at 10 Hz."""
    m = mechanism(wheel_misalignment, wheel_imbalance)
    bus, every_body, wheels = m.bodies["bus"], m.group_of_bodies("every_body"), m.group_of_hinges("wheels", *WHEELS)

    scn = Scenario("reaction-wheels", mechanism=m)
    earth = scn.add(models.PointMassGravity(has_gradient=False), name="earth", positions=every_body.positions)
    scn.connect(earth.pull, every_body.gravity)

    nav = scn.add(fsw.SimpleNavigation(), name="nav", every=0.1, truth=bus.com.motion)
    ref = scn.add(fsw.InertialPointing(), name="ref", every=0.1)
    err = scn.add(fsw.AttitudeTracking(), name="err", every=0.1, attitude=nav.attitude, reference=ref.reference)
    stored = scn.add(
        fsw.WheelMomentum(AXES_B, inertia=np.full(3, WHEEL_INERTIA)), name="stored", every=0.1, wheels=wheels.states
    )
    ctl = scn.add(
        fsw.MrpFeedback(K=3.5, P=30.0, inertia_B=BUS_INERTIA_B, is_gyroscopic_full=False),
        name="ctl",
        every=0.1,
        error=err.error,
        stored=stored.momentum,
    )
    share = scn.add(fsw.WheelAllocation(AXES_B), name="share", every=0.1, torque=ctl.torque)
    limit = scn.add(fsw.TorqueSaturation(np.full(3, 0.2)), name="limit", every=0.1, command=share.torques)
    scn.connect(limit.torques, wheels.efforts)

    deg = np.pi / 180.0
    start = orbit(
        a=10.0e6, e=0.01, i=33.3 * deg, Omega=48.2 * deg, omega=347.8 * deg, f=85.3 * deg, mu=EARTH.mu,
        sigma_BN=[0.1, 0.2, -0.3], omega_BN_B=[0.001, -0.01, 0.03],
    )  # fmt: skip
    speeds = {name: HingeState(rate=rpm * RPM) for name, rpm in zip(WHEELS, (100.0, 200.0, 300.0), strict=True)}
    scn.start({bus: start, **speeds})
    return scn


def integrator(wheel_misalignment: float = 0.0, wheel_imbalance: float = 0.0) -> Integrator:
    """A wheel that is out of balance shakes once per turn, up to 24 times a second, and wants steps to resolve it."""
    return Rk4(step=0.1 if wheel_imbalance == 0.0 else 0.0025)


def attitude_error(log: Log) -> np.ndarray:
    """[deg] The angle between the body and its reference."""
    return np.asarray(np.rad2deg(rotation_angle(log["err.error"].sigma_BR)))


def results(log: Log) -> list[Result]:
    error, rate = attitude_error(log), np.linalg.norm(log["err.error"].omega_BR_B, axis=1)
    return [
        Result("attitude error at the start", float(error[0]), "deg"),
        Result("attitude error at the end", float(error[-1]), "deg"),
        Result("rate at the end", float(rate[-1]), "rad/s"),
        settled(log.t, error, SETTLED),
        Result("largest motor torque", float(np.max(np.abs(log["limit.torques"].torque))), "N m"),
        *(Result(f"speed of wheel {i + 1} at the end", float(s), "rpm") for i, s in enumerate(wheel_speeds(log)[-1])),
    ]


def wheel_speeds(log: Log) -> np.ndarray:
    """[rpm] A column for each wheel."""
    return np.stack([log[f"{name}.state"].rate for name in WHEELS], axis=1) / RPM


def curve(log: Log) -> Curve:
    return Curve("attitude error [deg]", log.t, attitude_error(log))


def three(t: np.ndarray, values: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Curves of the columns, numbered from 1."""
    return {str(i + 1): (t, values[:, i]) for i in range(values.shape[1])}


def errors_figure(log: Log) -> list[Panel]:
    error = log["err.error"]
    return [
        Panel(r"attitude error $\sigma_{BR}$ [-]", three(log.t, error.sigma_BR)),
        Panel(r"rate error $\omega_{BR}$ [rad/s]", three(log.t, error.omega_BR_B)),
    ]


def wheels_figure(log: Log) -> list[Panel]:
    return [
        Panel("motor torque [N m]", three(log.t, log["limit.torques"].torque), is_stepped=True),
        Panel("wheel speed [rpm]", three(log.t, wheel_speeds(log))),
    ]


MISSION = Mission(
    name="reaction-wheels",
    title="Three reaction wheels bring a tumbling spacecraft to rest",
    about=(
        "A bus with three reaction wheels, each a body with a hinge, flies on an orbit of 10,000 km under the pull of "
        "the Earth on all four bodies. It starts 82 degrees off and tumbling at 1.8 deg/s. Navigation, guidance, MRP "
        "feedback and wheel allocation run at 10 Hz. Garcia-Bonilla, Schwend and Schaub, Figure 8."
    ),
    build=build,
    until=600.0,
    integrator=integrator,
    results=results,
    curve=curve,
    figures={"errors": errors_figure, "wheels": wheels_figure},
    options={
        "wheel.misalignment": "[deg] how far the axis of wheel 1 is turned about z; the controller does not know",
        "wheel.imbalance": "[g cm] static imbalance of wheel 1",
    },
    dynamics=(RecursiveTree(), Mujoco(), BackSubstitution()),
    campaign=Campaign(
        disperse={
            "wheel.misalignment": "normal(0.5)",
            "wheel.imbalance": "uniform(0, 5)",
            "bus.inertia_B": "normal(5%)",
            "bus.motion.sigma_BN": "attitude()",
            "bus.motion.omega_BN_B": "unit_vector(uniform(0, 0.03))",
        },
        limits={"within 1 deg after": "<= 540", "attitude error at the end": "<= 1"},
        runs=200,
        record=Record(every=1.0, ports=("err.error", "limit.torques", "rw?Spin.state")),
    ),
)
