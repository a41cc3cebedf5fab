"""Model predictive control of a free flyer along a path, at a speed that it chooses."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import AtLeast, Inertia, NotNegative, OfShape, OnePer, Positive, Symmetric, Unit, task
from cardan.fsw.allocation.thruster_allocation import NO_LIMITS
from cardan.fsw.allocation.wrench_axes import OnePerColumn, SixRows
from cardan.fsw.control.flyer_error import flyer_error
from cardan.fsw.guidance.path_errors import distance_to_polyline, progress_towards
from cardan.fsw.guidance.waypoint_mission import CornersApart, TwoCorners, path_of
from cardan.maths import ZERO3, Mat, Mat3, Rows3, Vec, Vec3, dcm_from_mrp, matvec, mrp_from_quaternion
from cardan.mechanism import Flyer
from cardan.messages import (
    BodyWrench,
    FlyerError,
    FlyerPrediction,
    FlyerReference,
    FrameMotion,
    LearntThrusters,
    PathProgress,
    SolverStatus,
    ThrusterCommand,
    ThrusterLimits,
)
from cardan.mpc.flyer_contouring import arc_lengths, contour, line_at, place_at
from cardan.mpc.flyer_prediction import NODE
from cardan.mpc.interior_point import BROKEN_DOWN
from cardan.mpc.plans import (
    beside,
    learnt_weights,
    node_of,
    prediction_of,
    shifted,
    status_of,
    thrust_limits,
    within,
    wrench_of,
)
from cardan.mpc.tasks.tracking_mpc import NO_GRADIENT, NO_LENGTHS, NO_PLACES, NOTHING_LEARNT
from cardan.native.linking import address, hold, linked

run_contour = linked("mpc.contour", contour)

WEIGHTS = np.array([1.0, 2.0, 0.03, 0.05])
WEIGHTS.flags.writeable = False


class ContouringMpcMemory(NamedTuple):
    """What the controller carries from one tick to the next.

    Attributes:
        plan: [-] Thrusts [N] and, behind them, the speed along the path [m/s], a row for each stage.
        arc: [m] Where along the path the plan begins.
        is_started: [-] Whether there is a plan.
    """

    plan: Annotated[Mat, "-"]
    arc: Annotated[float, "m"] = 0.0
    is_started: Annotated[bool, "-"] = False


class ContouringMpcOutputs(NamedTuple):
    command: ThrusterCommand
    wrench: BodyWrench
    error: FlyerError
    prediction: FlyerPrediction
    status: SolverStatus
    reference: FlyerReference
    progress: PathProgress


@task
class ContouringMpc(NamedTuple):
    """Predictive control along a path on SE(3); it chooses how fast to go along it.

    Every tick minimises the sum of Eq. (1) over `horizon` steps of its prediction: errors along the path (lag), across
    it (contour) and in attitude, thrusts, and the shortfall of the speed along the path from `speed`; within the limits
    of the thrusters and softly within all others (docs/theory/contouring_mpc.md). It starts at the nearest point of the
    path. `contouring_mpc` makes it from a flyer and waypoints.

    Attributes:
        mass: [kg]
        inertia_B: [kg m^2] About the centre of mass, in body components.
        mixer: [-] Maps thrusts to force and torque about the centre of mass, a column for each thruster.
        max_thrust: [N] Of each thruster.
        corners_N: [m] Corners of the path, in inertial components, a row each; the first again for a closed one.
        q_RN: [-] Attitude at each, a unit quaternion; it turns evenly along each line.
        is_closed: [-] Whether the path begins again at its end.
        horizon: [-] Steps of the prediction.
        prediction_step: [s] Of each.
        weights: [-] Of errors along the path [1/m^2], across it [1/m^2], in attitude [1/rad^2] and of rate [s^2/rad^2].
        thrust_weight: [1/N^2] Of each thrust.
        progress_weight: [s^2/m^2] On missing speed along the path.
        speed: [m/s] Wanted and largest speed along the path.
        tube: [m] Radius about the path within which it stays, softly.
        max_speed: [m/s] Soft limit.
        max_rate: [rad/s] Soft limit.
        keep_out_N: [m] Centres of spheres that the centre of mass stays out of, softly, in inertial components.
        keep_out_radius: [m] Their radii.
        wall_normals_N: [-] Unit normals n of half-spaces, n r <= wall_offsets, that it stays in, softly.
        wall_offsets: [m]
        gravity_gradient_N: [1/s^2] Of the gravity felt in the frame of the positions, in its components.
        linear_penalty: [-] On exceeding a soft limit, per its unit.
        quadratic_penalty: [-] The same, per its unit squared.
        programs: [-] Most quadratic programs per tick.
        first_programs: [-] Most at the first tick, when what is learnt calls for another plan, and while the plan
            exceeds a soft limit.
        iterations: [-] Most interior-point iterations in each.
        tolerance: [-] Residual to which each program is solved, Eq. (13) of docs/theory/interior_point.md.
        tightening: [-] Of soft limits, in standard deviations of what is learnt; 0 for none.
        feedback: [rad/s] Bandwidth assumed for holding the flyer on its plan when tightening.
    """

    mass: Annotated[float, "kg", Positive]
    inertia_B: Annotated[Mat3, "kg m^2", Inertia]
    mixer: Annotated[Mat, "-", SixRows]
    max_thrust: Annotated[Vec, "N", Positive, OnePerColumn]
    corners_N: Annotated[Rows3, "m", TwoCorners, CornersApart]
    q_RN: Annotated[Mat, "-", Unit, OnePer("corners_N")]
    is_closed: Annotated[bool, "-"] = False
    horizon: Annotated[int, "-", Positive] = 80
    prediction_step: Annotated[float, "s", Positive] = 0.25
    weights: Annotated[Vec, "-", NotNegative, OfShape(4)] = WEIGHTS
    thrust_weight: Annotated[float, "1/N^2", Positive] = 0.04
    progress_weight: Annotated[float, "s^2/m^2", Positive] = 1.0
    speed: Annotated[float, "m/s", Positive] = 0.2
    tube: Annotated[float, "m", Positive] = 1.0
    max_speed: Annotated[float, "m/s", Positive] = 10.0
    max_rate: Annotated[float, "rad/s", Positive] = 10.0
    keep_out_N: Annotated[Rows3, "m"] = NO_PLACES
    keep_out_radius: Annotated[Vec, "m", Positive, OnePer("keep_out_N")] = NO_LENGTHS
    wall_normals_N: Annotated[Rows3, "-", Unit] = NO_PLACES
    wall_offsets: Annotated[Vec, "m", OnePer("wall_normals_N")] = NO_LENGTHS
    gravity_gradient_N: Annotated[Mat3, "1/s^2", Symmetric] = NO_GRADIENT
    linear_penalty: Annotated[float, "-", Positive] = 5.0e3
    quadratic_penalty: Annotated[float, "-", Positive] = 5.0e2
    programs: Annotated[int, "-", Positive] = 1
    first_programs: Annotated[int, "-", AtLeast("programs")] = 8
    iterations: Annotated[int, "-", Positive] = 25
    tolerance: Annotated[float, "-", Positive] = 1.0e-5
    tightening: Annotated[float, "-", NotNegative] = 2.0
    feedback: Annotated[float, "rad/s", NotNegative] = 0.5

    def initial(self) -> ContouringMpcMemory:
        return ContouringMpcMemory(plan=np.zeros((self.horizon, self.mixer.shape[1] + 1)))

    def step(
        self,
        dt: float,
        x: ContouringMpcMemory,
        motion: FrameMotion,
        limits: ThrusterLimits = NO_LIMITS,
        learnt: LearntThrusters = NOTHING_LEARNT,
    ) -> tuple[ContouringMpcMemory, ContouringMpcOutputs]:
        lower, upper = thrust_limits(self.max_thrust, limits)
        start = shifted(x.plan, dt / self.prediction_step) if x.is_started else x.plan.copy()
        arc = x.arc if x.is_started else nearest_arc(motion.r_BN_N, self.corners_N)

        thrusters = self.mixer.shape[1]
        plan, nodes, outcome = start.copy(), np.zeros((self.horizon + 1, NODE + 1)), np.zeros(8)
        settings = np.array(
            [
                self.mass, self.prediction_step,
                self.weights[0], self.weights[1], self.weights[2], self.weights[3],
                self.thrust_weight, self.progress_weight, self.speed, self.tube,
                self.max_speed, self.max_rate, self.linear_penalty, self.quadratic_penalty, self.tolerance,
            ]
        )  # fmt: skip
        spheres, walls = beside(self.keep_out_N, self.keep_out_radius), beside(self.wall_normals_N, self.wall_offsets)
        now = np.zeros(NODE + 1)
        now[:NODE] = node_of(motion.r_BN_N, motion.sigma_BN, motion.v_BN_N, motion.omega_BN_B)
        now[NODE] = arc
        weights = learnt_weights(learnt, thrusters)
        use = np.array([self.tightening, self.feedback])
        known = np.array(
            [
                learnt.thrust_error.shape[1], address(self.max_thrust),
                address(weights), address(learnt.factor), address(use),
            ]
        )  # fmt: skip
        context = np.array(
            [
                self.horizon, thrusters, len(self.keep_out_radius), len(self.wall_offsets),
                len(self.corners_N), 1 if self.is_closed else 0,
                self.programs, self.iterations,
                address(settings), address(self.inertia_B), address(self.gravity_gradient_N),
                address(self.mixer), address(lower), address(upper),
                address(spheres), address(walls), address(self.corners_N), address(self.q_RN), address(now),
                address(plan), address(nodes), address(outcome), address(known), self.first_programs,
                0 if x.is_started else 1,
            ]
        )  # fmt: skip
        run_contour(address(context))
        hold((context, settings, spheres, walls, now, lower, upper))
        hold((learnt, weights, use, known))

        is_fallback = outcome[0] == BROKEN_DOWN
        if is_fallback:
            plan = start.copy()
            plan[:, :thrusters] = within(start[:, :thrusters].copy(), lower, upper)
        thrust, speed = plan[0, :thrusters].copy(), plan[0, thrusters]
        reference = reference_at(self.corners_N, self.q_RN, self.is_closed, arc, speed)
        arcs = arc_lengths(self.corners_N)
        whole = arcs[len(arcs) - 1]
        lateral = distance_to_polyline(motion.r_BN_N, self.corners_N)
        progress = progress_towards(motion, reference, line_at(arcs, arc), arc / whole, lateral)
        ahead = arc + dt * speed
        if ahead >= whole:
            ahead = ahead - whole if self.is_closed else whole
        return ContouringMpcMemory(plan, ahead, True), ContouringMpcOutputs(
            command=ThrusterCommand(thrust),
            wrench=wrench_of(self.mixer, thrust),
            error=flyer_error(motion, reference),
            prediction=prediction_of(nodes, plan[:, :thrusters].copy(), self.prediction_step),
            status=status_of(outcome),
            reference=reference,
            progress=progress,
        )


def nearest_arc(r_N: Vec3, corners_N: Rows3) -> float:
    """[m] Where along straight lines from corner to corner a point is nearest."""
    best, least, passed = 0.0, -1.0, 0.0
    for k in range(len(corners_N) - 1):
        square, along, there = 0.0, 0.0, 0.0
        for i in range(3):
            side = corners_N[k + 1, i] - corners_N[k, i]
            square += side * side
            along += side * (r_N[i] - corners_N[k, i])
        share = min(max(along / square, 0.0), 1.0)
        for i in range(3):
            off = corners_N[k, i] + share * (corners_N[k + 1, i] - corners_N[k, i]) - r_N[i]
            there += off * off
        length = np.sqrt(square)
        if least < 0.0 or there < least:
            best, least = passed + share * length, there
        passed += length
    return best


def reference_at(corners_N: Rows3, q_RN: Mat, is_closed: bool, arc: float, speed: float) -> FlyerReference:
    """The motion along a path, at a speed."""
    at = place_at(corners_N, q_RN, arc_lengths(corners_N), is_closed, arc)
    speed *= at.pace
    t, q, turn = np.array(at.t), np.array(at.q), np.array(at.turn)
    sigma = mrp_from_quaternion(q)
    return FlyerReference(
        r_RN_N=np.array(at.r),
        v_RN_N=speed * t,
        a_RN_N=ZERO3 + 0.0,
        sigma_RN=sigma,
        omega_RN_N=speed * matvec(dcm_from_mrp(sigma).T.copy(), turn),
        omega_dot_RN_N=ZERO3 + 0.0,
    )


def contouring_mpc(
    flyer: Flyer, waypoints_N: Any, q_RN: Any, *, is_closed: bool = False, **options: Any
) -> ContouringMpc:
    """A controller of a flyer along straight lines between waypoints.

    Args:
        flyer: Mass properties and thrusters.
        waypoints_N: [m] (n, 3) Any path: a smooth one as many points.
        q_RN: [-] (n, 4) Unit quaternions of the attitudes there; or (4,), one for all.
        is_closed: Whether a line leads from the last waypoint to the first, and the path begins again there.
        options: Of `ContouringMpc`.
    """
    corners_N, turns = path_of("contouring_mpc", waypoints_N, q_RN, is_closed)
    return ContouringMpc(
        flyer.mass, flyer.inertia_C_B, flyer.mixer, flyer.thrusters.max_thrust, corners_N, turns, is_closed, **options
    )
