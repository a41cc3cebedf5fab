"""`ThrusterArms`: a spacecraft learns to come to rest with two thrusters at the ends of its arms."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan import Rk4, message, model, output, task
from cardan.contracts import Positive
from cardan.dynamics import Calculator
from cardan.fsw import SimpleNavigation
from cardan.learning.environment import Environment
from cardan.learning.environments.failing import MotorHealth
from cardan.learning.environments.hardship import Exposure, Hardship, expose, hardships
from cardan.learning.environments.judged import JUDGE, judged
from cardan.learning.signals import JudgeMemory, Judgement, Outcome, Reward
from cardan.maths import Vec, choose, clip, dot, exp, norm, rotation_angle
from cardan.mechanism import Mechanism
from cardan.messages import ActuatorCommand, FrameMotion, HingeStates, HingeTorques
from cardan.missions import vehicle
from cardan.scenario import Scenario

COMMAND, OBSERVER, HUB = "command", "nav", "hub"
JOINTS = tuple(
    f"arm_{arm}_{joint}" for arm in (1, 2) for joint in ("base_joint_x", "base_joint_y", "tip_joint_z", "tip_joint_y")
)
MAX_THRUST = 2.5  # [N]
MAX_ANGLE = 0.9  # [rad]


@message
class ArmCommand(NamedTuple):
    """Where the joints of the arms should be, and the thrusts at their ends.

    Attributes:
        angle: [rad] Of each joint.
        thrust: [N] Of each arm.
    """

    angle: Annotated[Vec, "rad"]
    thrust: Annotated[Vec, "N"]


@model
class ArmServos(NamedTuple):
    """Servos that turn the joints to where they should be, and thrusters that give at once what is demanded.

        torque = J (b^2 (angle wanted - angle) - 2 b rate),   within max_torque                                    (1)

    Each joint is as fast as the others, whatever hangs on it: gains that suit a boom are far too stiff for a nozzle.

    Attributes:
        J: [kg m^2] What each joint feels of the vehicle.
        bandwidth: [rad/s] b.
        max_torque: [N m]
        max_thrust: [N]
    """

    J: Annotated[Vec, "kg m^2"]
    bandwidth: Annotated[float, "rad/s", Positive] = 5.0
    max_torque: Annotated[float, "N m", Positive] = 10.0
    max_thrust: Annotated[float, "N", Positive] = MAX_THRUST

    @output
    def torques(self, command: ArmCommand, states: HingeStates) -> HingeTorques:
        # Eq. (1)
        b = self.bandwidth
        wanted = self.J * (b * b * (command.angle - states.angle) - 2.0 * b * states.rate)
        return HingeTorques(torque=clip(wanted, -self.max_torque, self.max_torque))

    @output
    def thrust_1(self, command: ArmCommand) -> ActuatorCommand:
        return ActuatorCommand(command=clip(command.thrust[0], 0.0, self.max_thrust))

    @output
    def thrust_2(self, command: ArmCommand) -> ActuatorCommand:
        return ActuatorCommand(command=clip(command.thrust[1], 0.0, self.max_thrust))


@task
class RestReward(NamedTuple):
    """What a step towards rest at the origin is worth.

        reward = potential - potential before - 0.01 + 20 at the goal                                              (1)
        potential = 20 exp(-r^2) + 10 cos^2(theta/2) + 5 exp(-v^2/0.1^2) + 5 exp(-omega^2/0.05^2)                  (2)

    Attributes:
        within_r: [m]
        within_theta: [rad]
        within_v: [m/s]
        within_omega: [rad/s]
        hold: [-] Steps.
        lost: [m] Distance at which an episode is over.
    """

    within_r: Annotated[float, "m", Positive] = 0.2
    within_theta: Annotated[float, "rad", Positive] = 0.2
    within_v: Annotated[float, "m/s", Positive] = 0.05
    within_omega: Annotated[float, "rad/s", Positive] = 0.05
    hold: Annotated[int, "-", Positive] = 5
    lost: Annotated[float, "m", Positive] = 5.0

    def step(self, x: JudgeMemory, motion: FrameMotion) -> tuple[JudgeMemory, Judgement]:
        r, v, omega = norm(motion.r_BN_N), norm(motion.v_BN_N), norm(motion.omega_BN_B)
        sigma = dot(motion.sigma_BN, motion.sigma_BN)
        half = (1.0 - sigma) / (1.0 + sigma)
        # Eq. (2)
        potential = (
            20.0 * exp(-r * r) + 10.0 * half * half + 5.0 * exp(-100.0 * v * v) + 5.0 * exp(-400.0 * omega * omega)
        )
        is_near = (r <= self.within_r) & (rotation_angle(motion.sigma_BN) <= self.within_theta)
        is_slow = (v <= self.within_v) & (omega <= self.within_omega)
        held = choose(is_near & is_slow, x.held + 1, 0)
        is_success = x.is_started & (held >= self.hold)
        # Eq. (1)
        gain = choose(x.is_started, potential - x.potential, 0.0) - 0.01 + choose(is_success, 20.0, 0.0)
        outcome = Outcome(is_over=is_success | (r > self.lost), is_success=is_success)
        return JudgeMemory(potential, held, True), Judgement(Reward(gain), outcome)


def felt_inertia(m: Mechanism) -> np.ndarray:
    """[kg m^2] Torque on each joint, with the arms straight and all else free, over the acceleration that it gives."""
    inverse = np.linalg.inv(Calculator(m).mass_matrix(m.tree.reference))
    felt: np.ndarray = 1.0 / np.diag(inverse)[-len(JOINTS) :]
    return felt


def build(period: float = 0.2, is_hard: bool = False, **reward: Any) -> Scenario:
    """The vehicle of the mission `thruster-arms`, with servos at its joints."""
    m = Mechanism.from_mjcf(vehicle("thruster_arms.xml"))
    hub, joints = m.bodies[HUB], m.group_of_hinges("joints", *JOINTS)
    scn = Scenario("thruster-arms-learning", mechanism=m)
    command = scn.input(COMMAND, ArmCommand(np.zeros(len(JOINTS)), np.zeros(2)))
    servos = scn.add(ArmServos(felt_inertia(m)), name="servos", command=command, states=joints.states)
    scn.connect(servos.torques, joints.efforts)
    scn.connect(servos.thrust_1, m.actuators["F_thruster_1"].command)
    scn.connect(servos.thrust_2, m.actuators["F_thruster_2"].command)
    scn.add(SimpleNavigation(), name=OBSERVER, every=period, truth=hub.motion)
    scn.add(RestReward(**reward), name=JUDGE, every=period, motion=hub.motion)
    if is_hard:
        expose(scn, m, HUB, servos.torques, MotorHealth(np.ones(len(JOINTS))))
    return scn


def thruster_arms(
    *, hardship: str | Hardship = "none", period: float = 0.2, limit: float = 120.0, **reward: Any
) -> Environment:
    """A spacecraft comes to rest at the origin, by two arms of four joints with a thruster at each end.

    Observed are the motion of the hub and the joints; acted on the angles of the joints and two thrusts.

    Args:
        hardship: What differs from episode to episode, as in `free_flyer_setpoint`; of the joints' motors each gives
            less or more, and one may die.
        period: [s] How long commands are held.
        limit: [s] Length of an episode.
        reward: Parameters of `RestReward`.
    """
    hard = hardships(hardship)

    def built() -> Scenario:
        return build(period, not hard.is_none, **reward)

    sigmas = {"position_noise": 0.01, "attitude_noise": 0.001, "velocity_noise": 0.001, "rate_noise": 0.001}
    sensors = {f"{OBSERVER}.{name}": sigma for name, sigma in sigmas.items()}
    return judged(
        "ThrusterArms",
        built,
        hardship=hard,
        exposure=Exposure(HUB, len(JOINTS), sensors=sensors),
        observe=[f"{OBSERVER}.motion", "joints.states"],
        act=[COMMAND],
        period=period,
        limit=limit,
        disperse={
            f"{HUB}.motion.r_BN_N": "unit_vector(uniform(0, 1))",
            f"{HUB}.motion.sigma_BN": "small_rotation(uniform(0 deg, 30 deg))",
            f"{HUB}.motion.v_BN_N": "uniform(0.02)",
            f"{HUB}.motion.omega_BN_B": "uniform(0.02)",
        },
        limits={f"{COMMAND}.angle": (-MAX_ANGLE, MAX_ANGLE), f"{COMMAND}.thrust": (0.0, MAX_THRUST)},
        integrator=Rk4(step=0.02),
    )
