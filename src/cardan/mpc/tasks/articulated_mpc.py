"""Model predictive control of a base and its joints together."""

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardan.contracts import AtLeast, Constraint, NotNegative, OnePer, Positive, Unit, task
from cardan.errors import MechanismError
from cardan.fsw.allocation.thruster_allocation import NO_LIMITS
from cardan.fsw.allocation.wrench_axes import SixRows
from cardan.maths import ZERO3, Mat, Rows3, Vec, Vec3
from cardan.maths.arrays import Size
from cardan.mechanism import Thrusters
from cardan.mechanism.tree import HINGE, SLIDE
from cardan.messages import (
    ArticulatedPrediction,
    BodyWrench,
    FlyerReference,
    FrameMotion,
    HingeReferences,
    HingeStates,
    HingeTorques,
    SlideForces,
    SlideStates,
    SolverStatus,
    ThrusterCommand,
    ThrusterLimits,
    TipReference,
)
from cardan.mpc.interior_point import BROKEN_DOWN
from cardan.mpc.plans import beside, has_jumped, shifted, status_of, within, wrench_of
from cardan.mpc.tree_plans import (
    UNLIMITED,
    aims_of,
    efforts_by_kind,
    input_limits,
    node_of_tree,
    posture_of,
    ranges_of,
    tree_prediction_of,
)
from cardan.mpc.tree_tracking import track_tree
from cardan.native.linking import address, hold, linked
from cardan.robotics import Robot
from cardan.robotics.packing import FRAME_NUMBERS, IS_FREE, KIND, LINKS, NQ, NU, records_of
from cardan.robotics.tasks.evaluation import FrameNumbers, RobotNumbers

run_track_tree = linked("mpc.track_tree", track_tree)

# fields of known size come first: a native entry adds up the sizes of all before a field, which takes long to compile
Two = Annotated[NDArray[np.float64], Size((2,))]
TwoByTwo = Annotated[NDArray[np.float64], Size((2, 2))]
TwoByFour = Annotated[NDArray[np.float64], Size((2, 4))]
Frame = Annotated[NDArray[np.float64], Size((FRAME_NUMBERS,))]

NO_PLACES, NO_LENGTHS, NO_POINTS = np.zeros((0, 3)), np.zeros(0), np.zeros((0, FRAME_NUMBERS))
for _default in (NO_PLACES, NO_LENGTHS, NO_POINTS):
    _default.flags.writeable = False
USUAL: dict[str, Any] = {
    "horizon": 20,
    "prediction_step": 0.25,
    "base_weights": [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 10.0, 5.0]],
    "tip_weights": [[2.0, 0.5, 1.0, 0.2], [50.0, 10.0, 20.0, 2.0]],
    "joint_weights": [[0.02, 0.2], [0.1, 2.0]],
    "thrust_weight": 0.1,
    "effort_weight": 0.1,
    "max_speed": 10.0,
    "max_rate": 10.0,
    "penalties": [1.0e3, 1.0e3],
    "programs": 1,
    "first_programs": 8,
    "jump": 0.5,
    "iterations": 25,
    "tolerance": 1.0e-5,
}
"""What `articulated_mpc` takes for parameters that it is not given."""
NO_SLIDES = SlideStates(np.zeros(0), np.zeros(0))
NO_REFERENCES = HingeReferences(np.zeros(0), np.zeros(0), np.zeros(0))


def _first_wrong(ranges: Any) -> int:
    return int(np.argmax(ranges[:, 0] > ranges[:, 1]))


def _flies(robot: Any) -> bool:
    kinds = records_of(np.asarray(robot))[1:, KIND]
    return bool(robot[IS_FREE] != 0.0 and np.isin(kinds, (HINGE, SLIDE)).all())


Flying = Constraint(
    "that of a robot with a free base, hinges and slides",
    _flies,
    found=lambda robot: "a base on the world, or a ball joint",
    advice="Give the root body a free joint, and model a ball joint as three hinges.",
)
OnePerJoint = Constraint(
    "one per joint of `robot`",
    lambda value, robot: len(value) == robot[NU] - 6,
    of=("robot",),
    found=lambda value, robot: f"{len(value)} for {int(robot[NU]) - 6}",
)
OnePerColumn = Constraint(
    "one row per column of `mixer`",
    lambda value, mixer: len(value) == mixer.shape[1],
    of=("mixer",),
    found=lambda value, mixer: f"{len(value)} for {mixer.shape[1]}",
)
Ranges = Constraint(
    "rows of a least and a largest value",
    lambda value: value.shape[1] == 2 and bool((value[:, 0] <= value[:, 1]).all()),
    found=lambda value: f"rows of {value.shape[1]}" if value.shape[1] != 2 else f"the row {value[_first_wrong(value)]}",
)
PointNumbers = Constraint(
    "rows of numbers of frames on `robot`",
    lambda points, robot: (
        points.shape[1] == FRAME_NUMBERS and bool(((points[:, 0] >= 0) & (points[:, 0] < robot[LINKS])).all())
    ),
    of=("robot",),
    found=lambda points, robot: f"rows of {points.shape[1]} other numbers",
    advice="Give a row `robot.frame(...).numbers` for each point.",
)


class ArticulatedMpcMemory(NamedTuple):
    """What the controller carries from one tick to the next.

    Attributes:
        plan: [-] Thrusts [N] and efforts of joints, a row for each stage.
        r_RN_N: [m] Where the base's reference is expected at the next tick, in inertial components.
        sigma_RN: [-] And at which attitude.
        r_TN_N: [m] The same for the tip.
        sigma_TN: [-] The same for the tip.
        is_started: [-] Whether there is a plan.
    """

    plan: Annotated[Mat, "-"]
    r_RN_N: Annotated[Vec3, "m"] = ZERO3
    sigma_RN: Annotated[Vec3, "-"] = ZERO3
    r_TN_N: Annotated[Vec3, "m"] = ZERO3
    sigma_TN: Annotated[Vec3, "-"] = ZERO3
    is_started: Annotated[bool, "-"] = False


class ArticulatedMpcOutputs(NamedTuple):
    command: ThrusterCommand
    wrench: BodyWrench
    torque: HingeTorques
    force: SlideForces
    prediction: ArticulatedPrediction
    status: SolverStatus


@task
class ArticulatedMpc(NamedTuple):
    """Predictive control of base and joints together; weights choose between tip, base and posture.

    Every tick minimises the sum of Eq. (1) over `horizon` steps of its prediction, within the bounds of thrusters and
    joint efforts and softly within all other limits (docs/theory/articulated_mpc.md), and commands the first step of
    that plan. `articulated_mpc` makes one from a `Robot`, with sensible defaults.

    Attributes:
        horizon: [-] Steps of the prediction.
        prediction_step: [s] Of each.
        base_weights: [-] Of errors of the base in position [1/m^2], attitude [1/rad^2], velocity [s^2/m^2] and rate
            [s^2/rad^2]; a row for the stages, and one for the end of the horizon.
        tip_weights: [-] The same for the tip.
        joint_weights: [-] Of coordinates from the posture, and of rates; rows as above.
        thrust_weight: [1/N^2] Of each thrust.
        effort_weight: [-] Of each effort along a joint.
        max_speed: [m/s] Of the base, soft.
        max_rate: [rad/s] Of the base, soft.
        penalties: [-] Of what exceeds a soft limit, per its unit, and per its unit squared.
        programs: [-] Most quadratic programs per tick.
        first_programs: [-] Most at the first tick, when a reference jumps, and while the plan exceeds a soft limit.
        jump: [m] A reference that moves further than this from where it was going has jumped; [rad] if it turns.
        iterations: [-] Most interior-point iterations in each.
        tolerance: [-] Residual to which each program is solved, Eq. (13) of docs/theory/interior_point.md.
        robot: [-] `Robot(...).numbers`: a free base, hinges and slides.
        tip: [-] `robot.frame(...).numbers` of the frame that follows `tip_reference`.
        mixer: [-] Maps thrusts to force and torque about the base's origin, a column for each; the identity for a
            wrench itself.
        thrust_range: [N] Least and largest of each column, a row each.
        max_effort: [-] Along each joint, either way: [N m] of a hinge, [N] of a slide.
        posture: [-] Preferred joint coordinates, [rad] or [m].
        joint_range: [-] Lowest and highest coordinate of each joint, a row each, soft; -1e9 and 1e9 for none.
        max_joint_rate: [1/s] Of each joint, soft; 1e9 for none.
        points: [-] `robot.frame(...).numbers` of points that keep clear of spheres and walls, a row each.
        point_radius: [m] Around each.
        keep_out_N: [m] Centres of spheres that points stay out of, softly, in inertial components.
        keep_out_radius: [m] Their radii.
        wall_normals_N: [-] Unit normals n of half-spaces, n r <= wall_offsets, that points stay in, softly.
        wall_offsets: [m]
    """

    horizon: Annotated[int, "-", Positive]
    prediction_step: Annotated[float, "s", Positive]
    base_weights: Annotated[TwoByFour, "-", NotNegative]
    tip_weights: Annotated[TwoByFour, "-", NotNegative]
    joint_weights: Annotated[TwoByTwo, "-", NotNegative]
    thrust_weight: Annotated[float, "1/N^2", Positive]
    effort_weight: Annotated[float, "-", Positive]
    max_speed: Annotated[float, "m/s", Positive]
    max_rate: Annotated[float, "rad/s", Positive]
    penalties: Annotated[Two, "-", Positive]
    programs: Annotated[int, "-", Positive]
    first_programs: Annotated[int, "-", AtLeast("programs")]
    jump: Annotated[float, "m", Positive]
    iterations: Annotated[int, "-", Positive]
    tolerance: Annotated[float, "-", Positive]
    robot: Annotated[Vec, "-", RobotNumbers, Flying]
    tip: Annotated[Frame, "-", FrameNumbers]
    mixer: Annotated[Mat, "-", SixRows]
    thrust_range: Annotated[Mat, "N", OnePerColumn, Ranges]
    max_effort: Annotated[Vec, "-", Positive, OnePerJoint]
    posture: Annotated[Vec, "-", OnePerJoint]
    joint_range: Annotated[Mat, "-", OnePerJoint, Ranges]
    max_joint_rate: Annotated[Vec, "1/s", Positive, OnePerJoint]
    points: Annotated[Mat, "-", PointNumbers] = NO_POINTS
    point_radius: Annotated[Vec, "m", NotNegative, OnePer("points")] = NO_LENGTHS
    keep_out_N: Annotated[Rows3, "m"] = NO_PLACES
    keep_out_radius: Annotated[Vec, "m", Positive, OnePer("keep_out_N")] = NO_LENGTHS
    wall_normals_N: Annotated[Rows3, "-", Unit] = NO_PLACES
    wall_offsets: Annotated[Vec, "m", OnePer("wall_normals_N")] = NO_LENGTHS

    def initial(self) -> ArticulatedMpcMemory:
        return ArticulatedMpcMemory(plan=np.zeros((self.horizon, self.mixer.shape[1] + len(self.max_effort))))

    def step(
        self,
        dt: float,
        x: ArticulatedMpcMemory,
        base: FrameMotion,
        joints: HingeStates,
        slides: SlideStates = NO_SLIDES,
        reference: FlyerReference = FlyerReference(),
        tip_reference: TipReference = TipReference(),
        joint_reference: HingeReferences = NO_REFERENCES,
        limits: ThrusterLimits = NO_LIMITS,
    ) -> tuple[ArticulatedMpcMemory, ArticulatedMpcOutputs]:
        count, thrusters = len(self.max_effort), self.mixer.shape[1]
        lower, upper = input_limits(self.thrust_range, self.max_effort, limits)
        begun = shifted(x.plan, dt / self.prediction_step) if x.is_started else x.plan.copy()
        start = within(begun, lower, upper)  # a plan from before may be of other limits
        is_new = not x.is_started
        is_new |= has_jumped(x.r_RN_N, x.sigma_RN, reference.r_RN_N, reference.sigma_RN, self.jump)
        is_new |= has_jumped(x.r_TN_N, x.sigma_TN, tip_reference.r_TN_N, tip_reference.sigma_TN, self.jump)

        now = node_of_tree(self.robot, base, joints, slides)
        plan, nodes = start.copy(), np.zeros((self.horizon + 1, len(now)))
        tips, outcome = np.zeros((self.horizon + 1, 3)), np.zeros(8)
        settings = np.array(
            [
                self.prediction_step, self.max_speed, self.max_rate, self.penalties[0], self.penalties[1],
                self.tolerance,
            ]
        )  # fmt: skip
        input_weights = np.full(thrusters + count, self.effort_weight)
        input_weights[:thrusters] = self.thrust_weight
        frames, references, frame_weights = aims_of(
            self.tip, reference, tip_reference, self.base_weights, self.tip_weights
        )
        joint_weights = self.joint_weights.copy()
        posture = posture_of(self.robot, self.posture, joint_reference)
        ranges = ranges_of(self.joint_range, self.max_joint_rate)
        spheres, walls = beside(self.keep_out_N, self.keep_out_radius), beside(self.wall_normals_N, self.wall_offsets)
        context = np.array(
            [
                self.horizon, thrusters, 2, len(self.point_radius), len(self.keep_out_radius), len(self.wall_offsets),
                self.programs, self.iterations, len(self.robot),
                address(settings), address(self.robot), address(self.mixer), address(input_weights),
                address(lower), address(upper), address(frames), address(references), address(frame_weights),
                address(joint_weights), address(posture), address(ranges), address(self.points),
                address(self.point_radius), address(spheres), address(walls), address(now), address(plan),
                address(nodes), address(tips), address(outcome), self.first_programs, 1 if is_new else 0,
            ]
        )  # fmt: skip
        run_track_tree(address(context))
        hold((context, settings, input_weights, frames, references, frame_weights, joint_weights, posture))
        hold((ranges, spheres, walls, now, lower, upper))

        is_fallback = outcome[0] == BROKEN_DOWN
        if is_fallback:
            plan = start
        thrust = plan[0, :thrusters].copy()
        torque, force = efforts_by_kind(self.robot, plan[0, thrusters:].copy())
        memory = ArticulatedMpcMemory(
            plan,
            reference.r_RN_N + dt * reference.v_RN_N,
            reference.sigma_RN.copy(),
            tip_reference.r_TN_N + dt * tip_reference.v_TN_N,
            tip_reference.sigma_TN.copy(),
            True,
        )
        return memory, ArticulatedMpcOutputs(
            command=ThrusterCommand(thrust),
            wrench=wrench_of(self.mixer, thrust),
            torque=HingeTorques(torque),
            force=SlideForces(force),
            prediction=tree_prediction_of(nodes, plan, tips, int(self.robot[NQ]), thrusters, self.prediction_step),
            status=status_of(outcome),
        )


def articulated_mpc(
    robot: Robot,
    *,
    tip: str,
    thrusters: Thrusters | None = None,
    max_force: float | None = None,
    max_torque: float | None = None,
    max_effort: Any,
    points: dict[str, float] | None = None,
    **options: Any,
) -> ArticulatedMpc:
    """A controller that predicts with a robot: masses, joints and their ranges come from the mechanism.

    The base is driven by thrusters, or by a wrench with bounds.

    Args:
        robot: The robot: a free base, hinges and slides.
        tip: The frame that follows `tip_reference`: a body or a site.
        thrusters: On the base, as `flyer_of` reads them.
        max_force: [N] Along each axis of the base, either way, where it has no thrusters.
        max_torque: [N m] About each axis of the base, the same.
        max_effort: [N m] of hinges, [N] of slides: one number for all joints, or one for each in their order.
        points: [m] Radii around frames that keep clear of spheres and walls, by the name of the frame.
        options: Any other parameter of `ArticulatedMpc`. Ranges and posture of joints are those of the mechanism, as it
            is drawn, unless they are given; rates are unlimited.
    """
    robot.need_free_base("base that could be driven")
    if (thrusters is None) == (max_force is None or max_torque is None):
        raise MechanismError(
            "The base is driven by thrusters or by a wrench.\n  Give `thrusters`, or both `max_force` and `max_torque`."
        )
    if thrusters is not None:
        mixer, thrust_range = thrusters.mixer(), np.outer(thrusters.max_thrust, [0.0, 1.0])
    else:
        largest = np.repeat([float(max_force or 0.0), float(max_torque or 0.0)], 3)
        mixer, thrust_range = np.eye(6), np.outer(largest, [-1.0, 1.0])
    clear = dict(points or {})
    # what a joint without a range allows
    joints = [robot.mechanism.model.joint(name) for name in robot.joints]
    unlimited = [-UNLIMITED, UNLIMITED]
    joint_range = np.array([joint.range if joint.limited[0] else unlimited for joint in joints]).reshape(-1, 2)
    settings: dict[str, Any] = {
        **USUAL,
        "posture": robot.drawn[7:],
        "joint_range": joint_range,
        "max_joint_rate": np.full(robot.n_m, UNLIMITED),
        "points": np.array([robot.frame(name).numbers for name in clear]).reshape(-1, FRAME_NUMBERS),
        "point_radius": np.array(list(clear.values()), dtype=float),
        **options,
    }
    effort = np.broadcast_to(np.asarray(max_effort, dtype=float), robot.n_m).copy()
    return ArticulatedMpc(
        robot=robot.numbers, tip=robot.frame(tip).numbers, mixer=mixer, thrust_range=thrust_range,
        max_effort=effort, **settings,
    )  # fmt: skip
