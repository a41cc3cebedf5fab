"""`mpc-capture`: a free flyer with an arm takes hold of a handrail, base and arm planned together."""

from typing import Any

import numpy as np

from cardan import Rk4, fsw, models, mpc
from cardan.dynamics import Mujoco, RecursiveTree
from cardan.maths import mrp_from_dcm, mrp_from_quaternion
from cardan.mechanism import Box, Capsule, Flyer, Hinge, Mechanism, Sphere
from cardan.messages import FrameMotion, HingeState, TipReference
from cardan.missions.free_flyer import NAME
from cardan.missions.free_flyer_setpoint import fixed_axes_quaternion
from cardan.missions.mission import Curve, Mission, Result, parameter
from cardan.missions.vehicles import add_flyer
from cardan.plots import Panel
from cardan.robotics import Robot
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

PERIOD = 0.25  # [s]
WALL = 2.0  # [m] where the hull of the station is: x <= WALL
RAIL = np.array([WALL - 0.1, 0.3, 0.2])  # [m] the middle of the rail, which runs along z
BALL, BALL_RADIUS = np.array([1.25, 0.1, 0.25]), 0.25  # [m] an antenna in the way
HULL = 0.28  # [m] a sphere around the base
LIMB = 0.04  # [m] and one around elbow and wrist

JOINTS = ("pan", "shoulder", "elbow")
AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0))
LENGTHS = (0.08, 0.20, 0.20)  # [m]
MASSES = (0.3, 0.35, 0.35)  # [kg]
RANGES = np.array([[-1.6, 1.6], [-1.8, 1.8], [-2.4, 2.4]])  # [rad]
FOLDED = (0.0, -1.5, 2.3)  # [rad] where the arm starts
READY = np.array([0.0, -0.5, 1.0])  # [rad] the posture it prefers
MAX_TORQUE, MAX_JOINT_RATE = 0.5, 0.5  # [N m], [rad/s]
MAX_SPEED, MAX_RATE = 0.25, 0.5  # [m/s], [rad/s]


def add_arm(m: Mechanism, base: str) -> None:
    """Three hinges on the front of a flyer, with a site `grip` at the end whose first axis points along the gripper."""
    parent, at = m.bodies[base], np.array([0.16, 0.0, 0.0])
    for name, axis, length, mass in zip(JOINTS, AXES, LENGTHS, MASSES, strict=True):
        rod = mass * np.diag([2.0e-4, length**2 / 12.0 + 1.0e-4, length**2 / 12.0 + 1.0e-4])
        hinge = Hinge(axis, armature=1.0e-3)
        centre = (0.5 * length, 0.0, 0.0)
        parent = m.add_body(
            f"{name}_link", parent=parent, joints={name: hinge}, mass=mass, inertia_B=rod, r_CB_B=centre, r_BP_P=at
        )
        lying = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
        m.add_shape(parent, Capsule(0.02, length), r_SB_B=centre, q_SB=lying, color=(0.9, 0.6, 0.2, 1.0))
        at = np.array([length, 0.0, 0.0])
    m.add_site("grip", parent, r_SB_B=at + np.array([0.05, 0.0, 0.0]))


def add_station(m: Mechanism) -> None:
    """A wall with a handrail, and an antenna before it: to be seen, and known to the controller."""
    station = m.add_body("station")
    m.add_shape(station, Box([0.05, 1.5, 1.5]), r_SB_B=(WALL + 0.025, 0.0, 0.0))
    m.add_shape(station, Capsule(0.015, 0.5), r_SB_B=RAIL + np.array([0.02, 0.0, 0.0]), color=(0.9, 0.8, 0.2, 1.0))
    m.add_shape(station, Sphere(BALL_RADIUS), r_SB_B=BALL, color=(0.7, 0.3, 0.3, 1.0))


def craft() -> tuple[Mechanism, Flyer, Robot]:
    """Astrobee with an arm, before the station."""
    m = Mechanism("mpc-capture")
    flyer = add_flyer(m, "astrobee", name=NAME)
    add_arm(m, flyer.body)
    add_station(m)
    return m, flyer, Robot(m)


def controller(flyer: Flyer, robot: Robot, **options: Any) -> mpc.ArticulatedMpc:
    """Thrusters and joints, planned over ten seconds."""
    settings: dict[str, Any] = {
        "prediction_step": 0.5,
        "posture": READY,
        "joint_range": RANGES,
        "max_joint_rate": np.full(3, MAX_JOINT_RATE),
        "max_speed": MAX_SPEED,
        "max_rate": MAX_RATE,
        "points": {flyer.body: HULL, "elbow_link": LIMB, "grip": 0.0},
        "keep_out_N": [BALL],
        "keep_out_radius": [BALL_RADIUS],
        "wall_normals_N": [[1.0, 0.0, 0.0]],
        "wall_offsets": [WALL],
        **options,
    }
    return mpc.articulated_mpc(robot, tip="grip", thrusters=flyer.thrusters, max_effort=MAX_TORQUE, **settings)


def build(
    start_position: tuple[float, float, float] = (0.0, -0.3, -0.2),
    start_angles: tuple[float, float, float] = (0.3, -0.4, 0.6),
    envelope_distance: float = 0.02,
    envelope_speed: float = 0.05,
) -> Scenario:
    """The flyer with its arm folded, a controller at 4 Hz, and a sequencer that closes the gripper."""
    m, flyer, robot = craft()
    scn = Scenario("mpc-capture", mechanism=m)
    body, grip, arm = m.bodies[flyer.body], m.sites["grip"], robot.hinges("arm")
    # the gripper points at the wall, its third axis along the rail
    rail = TipReference(r_TN_N=RAIL, sigma_TN=mrp_from_dcm(np.eye(3)))
    envelope = fsw.GripSequencer(flyer.thrusters.max_thrust, distance=envelope_distance, speed=envelope_speed)
    seq = scn.add(envelope, name="seq", every=PERIOD, tip=grip.motion, target=rail, joints=arm.states)
    ctl = scn.add(
        controller(flyer, robot), name="ctl", every=PERIOD, base=body.motion, joints=arm.states,
        tip_reference=rail, limits=seq.limits,
    )  # fmt: skip
    bank = scn.add(models.ThrusterBank(flyer.thrusters.max_thrust), name="bank", command=ctl.command)
    geometry = models.ThrusterWrench(flyer.thrusters.positions_B, flyer.thrusters.directions_B)
    push = scn.add(geometry, name="push", forces=bank.forces)
    hold = scn.add(models.Gripper(), name="hold", command=seq.grip, tip=grip.motion)
    scn.connect(push.wrench, body.wrench)
    scn.connect(hold.wrench, grip.wrench)
    scn.connect(ctl.torque, arm.efforts)
    scn.connect(seq.locks, arm.locks)
    sigma_BN = mrp_from_quaternion(fixed_axes_quaternion(*start_angles))
    start = FrameMotion(r_BN_N=np.array(start_position), sigma_BN=sigma_BN)
    folded = {joint: HingeState(angle=angle) for joint, angle in zip(JOINTS, FOLDED, strict=True)}
    scn.start({flyer.body: start, **folded})
    return scn


# ---- reading a run ---------------------------------------------------------------------------------------------------


def captured(log: Log) -> int | None:
    """The first sample at which the gripper is closed; None if it never is."""
    found = np.flatnonzero(log["seq.status"].is_captured)
    return int(found[0]) if len(found) else None


def hull_clearances(log: Log) -> tuple[np.ndarray, np.ndarray]:
    """[m] From the sphere around the base to the antenna, and to the wall."""
    r_N = log[f"{NAME}/astrobee.motion"].r_BN_N
    return np.linalg.norm(r_N - BALL, axis=1) - BALL_RADIUS - HULL, WALL - HULL - r_N[:, 0]


def results(log: Log) -> list[Result]:
    when, status, solver = captured(log), log["seq.status"], log["ctl.status"]
    flown = slice(0, len(log.t) if when is None else when + 1)
    antenna, wall = hull_clearances(log)
    torque, thrust = log["ctl.torque"].torque[flown], log["ctl.command"].thrust[flown]
    limit = parameter(log, "bank.max_thrust")
    missing = "not within its envelope" if when is None else ""

    def at_capture(name: str, values: np.ndarray, unit: str) -> Result:
        return Result(name, None if when is None else float(values[when]), unit, missing)

    held = np.linalg.norm(log["hold.wrench"].force_B, axis=1)
    tip = log["grip.motion"]
    return [
        at_capture("the gripper closes at", log.t, "s"),
        at_capture("distance then", 1e3 * status.distance, "mm"),
        at_capture("angle then", np.rad2deg(status.angle), "deg"),
        at_capture("speed then", 1e3 * status.speed, "mm/s"),
        Result("largest force of the gripper", float(held.max()), "N"),
        Result("speed of the gripper at the end", 1e3 * float(np.linalg.norm(tip.v_BN_N[-1])), "mm/s"),
        Result("least clearance of the hull from the antenna", 1e3 * float(antenna[flown].min()), "mm"),
        Result("least clearance of the hull from the wall", 1e3 * float(wall[flown].min()), "mm"),
        Result("largest joint torque", float(np.abs(torque).max()), "N m"),
        Result("largest thrust, of its limit", 100.0 * float((thrust / limit).max()), "%"),
        Result("control effort", float(log["push.state"].impulse[-1].sum()), "N s"),
        Result("most iterations at a tick after the first", float(solver.iterations[flown][1:].max(initial=0)), "-"),
        Result("ticks without a converged program", float(np.sum(~solver.is_converged[flown])), "-"),
    ]


def curve(log: Log) -> Curve:
    return Curve("gripper from the rail [m]", log.t, log["seq.status"].distance)


def capture_figure(log: Log) -> list[Panel]:
    status = log["seq.status"]
    angles = np.stack([np.rad2deg(log[f"{joint}.state"].angle) for joint in JOINTS], axis=1)
    antenna, wall = hull_clearances(log)
    names = dict(enumerate(JOINTS))
    return [
        Panel("gripper from the rail [m]", {"": (log.t, status.distance)}),
        Panel("between their attitudes [deg]", {"": (log.t, np.rad2deg(status.angle))}),
        Panel("joints [deg]", {names[i]: (log.t, angles[:, i]) for i in range(3)}),
        Panel("clearance of the hull [m]", {"antenna": (log.t, antenna), "wall": (log.t, wall)}),
    ]


def way_figure(log: Log) -> list[Panel]:
    """Where base and gripper go, from above and from the side, and what is in the way."""
    base, tip = log[f"{NAME}/astrobee.motion"].r_BN_N, log["grip.motion"].r_BN_N
    around = np.linspace(0.0, 2.0 * np.pi, 91)
    panels = []
    for axis, label in ((1, "y [m]"), (2, "z [m]")):
        ring = BALL[0] + BALL_RADIUS * np.cos(around), BALL[axis] + BALL_RADIUS * np.sin(around)
        curves = {"base": base, "gripper": tip}
        drawn = {name: (values[:, 0], values[:, axis]) for name, values in curves.items()}
        wall = np.array([WALL, WALL]), np.array([-0.6, 0.8])
        panels.append(Panel(label, {**drawn, "antenna": ring, "wall": wall}, across="x [m]", has_equal_axes=True))
    return panels


def drive_figure(log: Log) -> list[Panel]:
    torque, thrust = log["ctl.torque"].torque, log["ctl.command"].thrust
    return [
        Panel("joint torque [N m]", {n: (log.t, torque[:, i]) for i, n in enumerate(JOINTS)}, is_stepped=True),
        Panel("thrust [N]", {str(i): (log.t, thrust[:, i]) for i in range(12)}, is_stepped=True),
        Panel("iterations [-]", {"": (log.t, 1.0 * log["ctl.status"].iterations)}, is_stepped=True),
        Panel("force of the gripper [N]", {"": (log.t, np.linalg.norm(log["hold.wrench"].force_B, axis=1))}),
    ]


MISSION = Mission(
    name="mpc-capture",
    title="A free flyer with an arm takes hold of a handrail",
    about=(
        "Astrobee with an arm of three joints starts two metres from a handrail, its arm folded and its attitude off, "
        "with an antenna in the way. One predictive controller plans twelve thrusters and three joint torques "
        "together, keeps hull and arm clear of antenna and wall, and brings the gripper to the rail. In its capture "
        "envelope the gripper closes, the joints lock and the thrusters are shut off."
    ),
    build=build,
    until=25.0,
    integrator=Rk4(step=0.01),
    results=results,
    curve=curve,
    figures={"capture": capture_figure, "way": way_figure, "drive": drive_figure},
    record=Record(
        every=PERIOD,
        ports=(
            f"{NAME}/astrobee.motion", "grip.motion", "*.state", "seq.*", "ctl.command", "ctl.torque", "ctl.status",
            "ctl.prediction", "hold.wrench",
        ),
    ),
    options={
        "start.position": "[m] of the base, in inertial components",
        "start.angles": "[rad] turns about the fixed axes x, y, z at the start",
        "envelope.distance": "[m] at which the gripper may close",
        "envelope.speed": "[m/s] at which it may close",
    },
    dynamics=(RecursiveTree(), Mujoco()),
)  # fmt: skip
