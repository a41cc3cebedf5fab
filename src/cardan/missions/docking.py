"""`docking`: a free flyer approaches a port of a station in stages, touches it, and stays."""

import numpy as np

from cardan import Rk4, fsw, mpc
from cardan.dynamics import Mujoco, RecursiveTree
from cardan.errors import SettingError
from cardan.maths import mrp_from_quaternion
from cardan.mechanism import Clearance, Flyer, Mechanism
from cardan.messages import FrameMotion
from cardan.missions.docking_results import add_measures, approach_figure, curve, docking_figure, results
from cardan.missions.free_flyer import (
    CONTROLLERS,
    NAME,
    Controller,
    break_thruster,
    controller_names,
    controller_of,
    fly,
    kind_of,
    one_of,
    thrust_figure,
)
from cardan.missions.free_flyer_setpoint import fixed_axes_quaternion
from cardan.missions.mission import Campaign, Mission
from cardan.missions.vehicles import Port, add_flyer, gateway, port
from cardan.scenario import Scenario
from cardan.simulation import Record

STEP = 0.01  # [s] of the integrator

# time constant [s] and damping ratio of MuJoCo's contact: the three settings of SmallSatSim's release
CONTACTS = {"default": (0.02, 1.0), "soft": (0.04, 1.0), "damped": (0.02, 1.5)}

# how the reference comes to the port: hold distance [m], speed [m/s], gate, and how far inside the face it ends [m]
APPROACHES = ("step", "glide")
_WIDE = 1.0e3  # a limit that never counts
_INSIDE = {"step": 0.0124, "glide": 0.005}

# the first trial of seed 17 of SmallSatSim's paper, relative to its hold point
OFFSET = (-2.588490, -0.359837, 0.920990)  # [m]
ANGLES = (-0.1835859, 0.2322230, 0.1782156)  # [rad]


# a predictive controller follows the reference without lag, PD and LQR meet the face at half of its speed
_TOUCH_SPEED, _TOUCH_DISTANCE = 0.006, 0.05  # [m/s], [m]


def _mpc(flyer: Flyer, period: float) -> mpc.TrackingMpc:
    """It plans 7 s ahead: 10 s dock no better, and runs take 30 % longer (docs/missions.md#docking)."""
    return mpc.TrackingMpc(flyer.mass, flyer.inertia_C_B, flyer.mixer, flyer.thrusters.max_thrust, horizon=28)


OWN_CONTROLLERS = CONTROLLERS | {"mpc": Controller(0.25, _mpc), "gp-mpc": Controller(0.25, _mpc, learns=True)}


def guidance(approach: str, r_DN_N: np.ndarray, axis_N: np.ndarray, has_lag: bool) -> fsw.DockingGuidance:
    """The stages of the paper, whose reference steps to the port, or of the release, in which it glides there."""
    if approach == "glide":
        return fsw.DockingGuidance(
            r_DN_N,
            axis_N,
            hold_distance=1.0,
            approach_speed=0.015,
            dock_distance=0.02,
            touch_speed=_TOUCH_SPEED,
            touch_distance=0.0 if has_lag else _TOUCH_DISTANCE,
        )
    return fsw.DockingGuidance(
        r_DN_N,
        axis_N,
        hold_distance=2.0,
        approach_speed=_WIDE,
        gate_attitude=_WIDE,
        gate_speed=_WIDE,
        gate_rate=_WIDE,
        corridor=_WIDE,
        corridor_attitude=_WIDE,
    )


def let_touch(m: Mechanism, flyer: Flyer, contact: str) -> None:
    """Contact between the flyer and the station, for MuJoCo and for the compliant contact of `RecursiveTree`.

    A flat face that meets a flat face touches at four corners. Each has a quarter of MuJoCo's stiffness and damping
    for the whole mass.

    Args:
        m: The station and the flyer.
        flyer: The flyer.
        contact: "default", "soft" or "damped".
    """
    time_constant, damping_ratio = CONTACTS[one_of("contact", contact, CONTACTS)]
    m.set_contact(time_constant=time_constant, damping_ratio=damping_ratio)
    stiffness = flyer.mass / (time_constant * damping_ratio) ** 2
    m.add_compliant_contact(
        flyer.body, "world", stiffness=0.25 * stiffness, damping=0.5 * flyer.mass / time_constant, friction=1.0
    )


def build(
    controller: str = "mpc",
    vehicle: str = "astrobee",
    target: str = "dock_crew_airlock_a",
    approach: str = "step",
    contact: str = "default",
    start_offset: tuple[float, float, float] = OFFSET,
    start_angles: tuple[float, float, float] = ANGLES,
    fault: str = "none",
    fault_thruster: int = 6,
    fault_time: float = 5.0,
) -> Scenario:
    """The station, a flyer, guidance in stages, a controller, thrusters, and what measures the contact."""
    chosen = controller_of(controller, OWN_CONTROLLERS)
    kind, way = kind_of(vehicle), one_of("approach", approach, APPROACHES)
    m, site = gateway(), port(target)
    flyer = add_flyer(m, kind, name=NAME, r_BN_N=site.r_PN_N + 5.0 * site.axis_N)
    let_touch(m, flyer, contact)
    pair = m.add_contact_pair("touch", flyer.body)

    room = Clearance(m, flyer.body, any_attitude=False)
    r_DN_N = docked_position(room, site, _INSIDE[way])
    plan = guidance(way, r_DN_N, site.axis_N, has_lag=chosen.has_lag)
    start_N = r_DN_N + plan.hold_distance * site.axis_N + np.array(start_offset)
    q_BN = fixed_axes_quaternion(*start_angles)
    gap, module = room.distance(start_N, q_BN)
    if gap < 0.0:
        raise SettingError(
            f"With `start.offset` the vehicle starts {-gap:.3g} m inside `{module}`.\n  Start it outside."
        )

    scn = Scenario("docking", mechanism=m)
    dock = scn.add(plan, name="dock", every=chosen.period, motion=m.bodies[flyer.body].com.motion)
    fly(scn, m, flyer, chosen, dock.reference)
    break_thruster(scn, flyer, fault, fault_thruster, fault_time)
    add_measures(scn, pair, STEP)
    scn.start({flyer.body: FrameMotion(r_BN_N=start_N, sigma_BN=mrp_from_quaternion(q_BN))})
    return scn


def docked_position(room: Clearance, site: Port, inside: float) -> np.ndarray:
    """[m] Where the vehicle's origin is when it touches the face of a port and is pressed into it by `inside`."""
    outside = 5.0
    gap, _ = room.distance(site.r_PN_N + outside * site.axis_N, np.array([1.0, 0.0, 0.0, 0.0]))
    return site.r_PN_N - (gap - outside + inside) * site.axis_N


MISSION = Mission(
    name="docking",
    title="A free flyer docks at a station, through the touch and beyond",
    about=(
        "Astrobee starts near the crew airlock of a station like the Gateway, flies to a hold point 2 m off it, and "
        "then to the port. It touches the face, is pressed against it, and the run goes on. Contact is soft: a time "
        "constant and a damping ratio, in three settings. The docking of SmallSatSim, with the start of its paper; "
        "`approach=glide` is the slow approach of its release."
    ),
    build=build,
    until=30.0,
    integrator=Rk4(step=STEP),
    results=results,
    curve=curve,
    figures={"docking": docking_figure, "approach": approach_figure, "thrust": thrust_figure},
    record=Record(every=0.05, ports=(f"{NAME}/*.motion", "touch.contact", "dock.*", "ctl.*", "push.state", "felt.*",
                                     "given.*")),
    options={
        "controller": controller_names(),
        "vehicle": "astrobee, sprint or cubesat",
        "target": "the port of the station, by name",
        "approach": "step: the reference steps to the port; glide: it moves there at 0.015 m/s from 1 m",
        "contact": "default, soft or damped",
        "start.offset": "[m] from the hold point, in inertial components",
        "start.angles": "[rad] turns about the fixed axes x, y, z at the start",
        "fault": "none, stuck-off or stuck-on",
        "fault.thruster": "which thruster, from 0",
        "fault.time": "[s] when it fails",
    },
    dynamics=(Mujoco(), RecursiveTree()),
    campaign=Campaign(
        disperse={
            "flyer/astrobee.motion.r_BN_N[0]": "uniform(-3.46, -2.76)",
            "flyer/astrobee.motion.r_BN_N[1]": "uniform(-8.48, -7.78)",
            "flyer/astrobee.motion.r_BN_N[2]": "uniform(-0.22, 0.18)",
            "flyer/astrobee.motion.sigma_BN": "small_rotation(uniform(0 deg, 35 deg))",
            "flyer/astrobee.motion.v_BN_N": "uniform(-0.05, 0.05)",
            "flyer/astrobee.motion.omega_BN_B": "uniform(-0.05, 0.05)",
        },
        limits={"docked": ">= 1"},
        runs=200,
        record=Record(every=0.25, ports=(f"{NAME}/*.motion", "touch.contact", "push.state", "felt.*", "given.*")),
        settings={"approach": "glide", "start.offset": [0.0, 0.0, 0.0], "start.angles": [0.0, 0.0, 0.0]},
        until=95.0,
    ),
)  # fmt: skip
