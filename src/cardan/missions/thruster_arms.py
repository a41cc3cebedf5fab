"""`thruster-arms`: a spacecraft is brought to rest by two thrusters at the ends of its arms."""

import numpy as np

from cardan import Rk4, fsw
from cardan.dynamics import Calculator, Mujoco, RecursiveTree
from cardan.maths import rotation_angle
from cardan.mechanism import Mechanism
from cardan.messages import FrameMotion
from cardan.missions.mission import Campaign, Curve, Mission, Result
from cardan.missions.vehicles import vehicle
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

JOINTS = tuple(
    f"arm_{arm}_{joint}" for arm in (1, 2) for joint in ("base_joint_x", "base_joint_y", "tip_joint_z", "tip_joint_y")
)
DCM_A1B, DCM_A2B = np.eye(3), np.diag([-1.0, -1.0, 1.0])
SHOULDER_B = np.array([0.79, 0.0, 0.0])  # [m] of arm 1; that of arm 2 is opposite
BOOM = 1.0  # [m]
INERTIA_B = np.diag([85.0, 150.0, 170.0])  # [kg m^2] what the attitude controller believes in
START = FrameMotion(r_BN_N=np.array([0.6, -0.7, 0.4]), sigma_BN=np.array([0.06, -0.05, 0.04]))


def joint_inertia(m: Mechanism) -> np.ndarray:
    """[kg m^2] What the joint controller must know of the vehicle: its mass matrix with the arms straight."""
    return Calculator(m).mass_matrix(m.tree.reference)


def build() -> Scenario:
    """Navigation and the outer loop at 10 Hz, allocation and joint control at 100 Hz."""
    m = Mechanism.from_mjcf(vehicle("thruster_arms.xml"))
    hub, joints = m.bodies["hub"], m.group_of_hinges("joints", *JOINTS)
    M = joint_inertia(m)

    scn = Scenario("thruster-arms", mechanism=m)
    nav = scn.add(fsw.SimpleNavigation(), name="nav", every=0.1, truth=hub.motion)
    err = scn.add(fsw.AttitudeTracking(), name="err", every=0.1, attitude=nav.attitude)
    attitude = scn.add(fsw.MrpFeedback(K=6.0, P=30.0, inertia_B=INERTIA_B), name="attitude", every=0.1, error=err.error)
    position = scn.add(
        fsw.PositionFeedback(K=1.26, P=42.0, max_force=1.5), name="position", every=0.1, motion=nav.motion
    )
    allocation = scn.add(
        fsw.ThrusterArmAllocation(
            r_S1B_B=SHOULDER_B, r_S2B_B=-SHOULDER_B, dcm_A1B=DCM_A1B, dcm_A2B=DCM_A2B, boom=BOOM, r_CB_B=np.zeros(3),
            max_thrust=2.5,
        ),
        name="allocation",
        every=0.01,
        attitude=nav.attitude,
        force=position.force,
        torque=attitude.torque,
    )  # fmt: skip
    arms = scn.add(
        fsw.ThrusterArmJoints(
            inertia=M[6:, 6:], coupling_B=M[6:, 3:6], boom=BOOM, bandwidth=5.0,
        ),
        name="arms",
        every=0.01,
        states=joints.states,
        reference=allocation.joints,
        thrust_1=allocation.thrust_1,
        thrust_2=allocation.thrust_2,
        roll=allocation.roll,
    )  # fmt: skip
    scn.connect(arms.torques, joints.efforts)
    scn.connect(arms.hub, hub.wrench)
    scn.connect(allocation.thrust_1, m.actuators["F_thruster_1"].command)
    scn.connect(allocation.thrust_2, m.actuators["F_thruster_2"].command)
    scn.start({hub: START})
    return scn


def attitude_error(log: Log) -> np.ndarray:
    """[deg] The angle between the hub and the inertial frame."""
    return np.asarray(np.rad2deg(rotation_angle(log["hub.motion"].sigma_BN)))


def thrusts(log: Log) -> np.ndarray:
    """[N] A column for each thruster."""
    return np.stack([log["allocation.thrust_1"].command, log["allocation.thrust_2"].command], axis=1)


def angles(log: Log) -> np.ndarray:
    """[deg] A column for each joint."""
    return np.asarray(np.rad2deg([log[f"{name}.state"].angle for name in JOINTS]).T)


def results(log: Log) -> list[Result]:
    distance, error = np.linalg.norm(log["hub.motion"].r_BN_N, axis=1), attitude_error(log)
    return [
        Result("distance at the start", float(distance[0]), "m"),
        Result("distance at the end", float(distance[-1]), "m"),
        Result("attitude error at the start", float(error[0]), "deg"),
        Result("attitude error at the end", float(error[-1]), "deg"),
        Result("largest joint angle", float(np.max(np.abs(angles(log)))), "deg"),
        Result("largest thrust", float(np.max(thrusts(log))), "N"),
        Result("largest hub torque about an axis", float(np.max(np.abs(log["arms.hub"].torque_B))), "N m"),
    ]


def curve(log: Log) -> Curve:
    return Curve("distance [m]", log.t, np.linalg.norm(log["hub.motion"].r_BN_N, axis=1))


def columns(
    log: Log, values: np.ndarray, names: tuple[str, ...], until: float = np.inf
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    shown = log.t <= until
    return {name: (log.t[shown], values[shown, i]) for i, name in enumerate(names)}


def errors_figure(log: Log) -> list[Panel]:
    motion = log["hub.motion"]
    return [
        Panel("position error [m]", columns(log, motion.r_BN_N, ("x", "y", "z"))),
        Panel(r"attitude error $\sigma_{BN}$ [-]", columns(log, motion.sigma_BN, ("1", "2", "3"))),
    ]


def actuation_figure(log: Log, until: float = np.inf) -> list[Panel]:
    """What thrusters, joints and hub do."""
    torque_B = log["arms.hub"].torque_B
    short = ("shoulder x", "shoulder y", "tip z", "tip y")
    return [
        Panel("thrust [N]", columns(log, thrusts(log), ("arm 1", "arm 2"), until), is_stepped=True),
        Panel("arm 1 joints [deg]", columns(log, angles(log)[:, :4], short, until), dashed=("shoulder y",)),
        Panel("arm 2 joints [deg]", columns(log, angles(log)[:, 4:], short, until), dashed=("shoulder y",)),
        Panel("hub torque [N m]", columns(log, torque_B, ("1", "2", "3"), until), is_stepped=True),
    ]


def beginning_figure(log: Log) -> list[Panel]:
    """The same while the joints are busy."""
    return actuation_figure(log, until=30.0)


MISSION = Mission(
    name="thruster-arms",
    title="Two thrusters on arms bring a spacecraft to rest",
    about=(
        "A hub has two arms of four joints with a thruster at each end. It starts 1 m and 20 degrees from where it "
        "should be. An outer loop at 10 Hz asks for a force and a torque; they are mapped to two thrusts, eight joint "
        "angles and the torque about the line between the thrusters, which the hub gives; joint control runs at "
        "100 Hz, and the hub is kept from feeling it. Garcia-Bonilla, Schwend and Schaub, Figure 11."
    ),
    build=build,
    until=500.0,
    integrator=Rk4(step=0.01),
    results=results,
    curve=curve,
    figures={"errors": errors_figure, "actuation": actuation_figure, "beginning": beginning_figure},
    record=Record(every=0.1),
    dynamics=(RecursiveTree(), Mujoco()),
    campaign=Campaign(
        disperse={
            "hub.mass": "normal(5%)",
            "hub.inertia_B": "normal(5%)",
            "hub.motion.r_BN_N": "unit_vector(uniform(0.2, 1.5))",
            "hub.motion.sigma_BN": "small_rotation(uniform(0 deg, 20 deg))",
            "hub.motion.v_BN_N": "normal(0.01, mean=0)",
            "arms.bandwidth": "normal(5%)",
        },
        limits={
            "distance at the end": "<= 0.01",
            "attitude error at the end": "<= 0.1",
            "largest joint angle": "<= 60",
            "largest thrust": "<= 2.5",
        },
        runs=200,
        record=Record(every=1.0, ports=("hub.motion", "allocation.thrust_?", "arms.hub", "arm_*_joint_?.state")),
    ),
)
