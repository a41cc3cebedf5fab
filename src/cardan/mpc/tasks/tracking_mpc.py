"""Model predictive control of a free flyer's position and attitude."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import AtLeast, Inertia, NotNegative, OfShape, OnePer, Positive, Symmetric, Unit, task
from cardan.fsw.allocation.thruster_allocation import NO_LIMITS
from cardan.fsw.allocation.wrench_axes import OnePerColumn, SixRows
from cardan.fsw.control.flyer_error import flyer_error
from cardan.maths import ZERO3, Mat, Mat3, Rows3, Vec, Vec3, mrp_from_quaternion
from cardan.messages import (
    BodyWrench,
    FlyerError,
    FlyerPrediction,
    FlyerReference,
    FrameMotion,
    LearntThrusters,
    SolverStatus,
    ThrusterCommand,
    ThrusterLimits,
)
from cardan.mpc.flyer_prediction import NODE, Q, R
from cardan.mpc.flyer_tracking import track
from cardan.mpc.interior_point import BROKEN_DOWN
from cardan.mpc.plans import (
    beside,
    has_jumped,
    learnt_weights,
    node_of,
    prediction_of,
    shifted,
    status_of,
    thrust_limits,
    within,
    wrench_of,
)
from cardan.native.linking import address, hold, linked

run_track = linked("mpc.track", track)

STAGE_WEIGHTS = np.array([1.0, 1.0, 2.0, 0.5])
LAST_WEIGHTS = np.array([20.0, 10.0, 50.0, 3.0])
NO_OFFSET = np.zeros(2)
NOTHING_LEARNT = LearntThrusters(np.zeros((0, 0)), ZERO3, ZERO3, np.zeros((0, 0)))
NO_PLACES, NO_LENGTHS, NO_GRADIENT = np.zeros((0, 3)), np.zeros(0), np.zeros((3, 3))
for _default in (STAGE_WEIGHTS, LAST_WEIGHTS, NO_OFFSET, NO_PLACES, NO_LENGTHS, NO_GRADIENT):
    _default.flags.writeable = False


class TrackingMpcMemory(NamedTuple):
    """What the controller carries from one tick to the next.

    Attributes:
        plan: [N] Thrusts, a row for each stage.
        r_RN_N: [m] Where the reference is expected at the next tick, in inertial components.
        sigma_RN: [-] And at which attitude.
        is_started: [-] Whether there is a plan.
        r_AN_N: [m] Where the artificial reference is, if one is used.
        sigma_AN: [-] And its attitude.
    """

    plan: Annotated[Mat, "N"]
    r_RN_N: Annotated[Vec3, "m"] = ZERO3
    sigma_RN: Annotated[Vec3, "-"] = ZERO3
    is_started: Annotated[bool, "-"] = False
    r_AN_N: Annotated[Vec3, "m"] = ZERO3
    sigma_AN: Annotated[Vec3, "-"] = ZERO3


class TrackingMpcOutputs(NamedTuple):
    command: ThrusterCommand
    wrench: BodyWrench
    error: FlyerError
    prediction: FlyerPrediction
    status: SolverStatus


@task
class TrackingMpc(NamedTuple):
    """Predictive tracking on SE(3) with any number of thrusters, within their limits.

    Every tick minimises the sum of Eq. (1) over `horizon` steps of its prediction, within the limits of the thrusters
    and softly within all others (docs/theory/tracking_mpc.md), and commands the first thrusts of that plan. One
    quadratic program a tick is enough if the reference moves as predicted. The first tick, and one at which the
    reference jumps, take several.

    Attributes:
        mass: [kg]
        inertia_B: [kg m^2] About the centre of mass, in body components.
        mixer: [-] Maps thrusts to force and torque about the centre of mass, a column for each thruster.
        max_thrust: [N] Of each thruster.
        horizon: [-] Steps of the prediction.
        prediction_step: [s] Of each.
        weights: [-] Of errors in position [1/m^2], attitude [1/rad^2], velocity [s^2/m^2] and rate [s^2/rad^2].
        last_weights: [-] The same at the end of the horizon.
        thrust_weight: [1/N^2] Of each thrust.
        offset_weights: [-] Of the distance [1/m^2] and the angle [1/rad^2] between an artificial reference and the
            reference, at every stage: Eq. (15). With these the plan leads to a pose at rest of its own choice, which it
            reaches. With zeros there is none.
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
        first_programs: [-] Most at the first tick, when the reference jumps, and while the plan exceeds a soft limit.
        jump: [m] A reference that moves further than this from where it was going has jumped; [rad] if it turns.
        iterations: [-] Most interior-point iterations in each.
        tolerance: [-] Residual to which each program is solved, Eq. (13) of docs/theory/interior_point.md.
        tightening: [-] Of soft limits, in standard deviations of what is learnt; 0 for none.
        feedback: [rad/s] Bandwidth assumed for holding the flyer on its plan when tightening.
    """

    mass: Annotated[float, "kg", Positive]
    inertia_B: Annotated[Mat3, "kg m^2", Inertia]
    mixer: Annotated[Mat, "-", SixRows]
    max_thrust: Annotated[Vec, "N", Positive, OnePerColumn]
    horizon: Annotated[int, "-", Positive] = 40
    prediction_step: Annotated[float, "s", Positive] = 0.25
    weights: Annotated[Vec, "-", NotNegative, OfShape(4)] = STAGE_WEIGHTS
    last_weights: Annotated[Vec, "-", NotNegative, OfShape(4)] = LAST_WEIGHTS
    thrust_weight: Annotated[float, "1/N^2", Positive] = 0.1
    offset_weights: Annotated[Vec, "-", NotNegative, OfShape(2)] = NO_OFFSET
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
    jump: Annotated[float, "m", Positive] = 0.5
    iterations: Annotated[int, "-", Positive] = 25
    tolerance: Annotated[float, "-", Positive] = 1.0e-4
    tightening: Annotated[float, "-", NotNegative] = 2.0
    feedback: Annotated[float, "rad/s", NotNegative] = 0.5

    def initial(self) -> TrackingMpcMemory:
        return TrackingMpcMemory(plan=np.zeros((self.horizon, self.mixer.shape[1])))

    def step(
        self,
        dt: float,
        x: TrackingMpcMemory,
        motion: FrameMotion,
        reference: FlyerReference,
        limits: ThrusterLimits = NO_LIMITS,
        learnt: LearntThrusters = NOTHING_LEARNT,
    ) -> tuple[TrackingMpcMemory, TrackingMpcOutputs]:
        lower, upper = thrust_limits(self.max_thrust, limits)
        start = shifted(x.plan, dt / self.prediction_step) if x.is_started else x.plan.copy()
        is_new = not x.is_started or has_jumped(x.r_RN_N, x.sigma_RN, reference.r_RN_N, reference.sigma_RN, self.jump)

        plan, nodes, outcome = start.copy(), np.zeros((self.horizon + 1, NODE)), np.zeros(8)
        settings = np.array(
            [
                self.mass, self.prediction_step,
                self.weights[0], self.weights[1], self.weights[2], self.weights[3],
                self.last_weights[0], self.last_weights[1], self.last_weights[2], self.last_weights[3],
                self.max_speed, self.max_rate, self.linear_penalty, self.quadratic_penalty, self.tolerance,
                self.offset_weights[0], self.offset_weights[1],
            ]
        )  # fmt: skip
        thrust_weights = np.full(self.mixer.shape[1], self.thrust_weight)
        spheres, walls = beside(self.keep_out_N, self.keep_out_radius), beside(self.wall_normals_N, self.wall_offsets)
        now = node_of(motion.r_BN_N, motion.sigma_BN, motion.v_BN_N, motion.omega_BN_B)
        goal = node_of(reference.r_RN_N, reference.sigma_RN, reference.v_RN_N, reference.omega_RN_N)
        aimed_N = x.r_AN_N + ZERO3 if x.is_started else motion.r_BN_N
        target = node_of(aimed_N, x.sigma_AN + ZERO3 if x.is_started else motion.sigma_BN, ZERO3, ZERO3)
        weights = learnt_weights(learnt, len(self.max_thrust))
        use = np.array([self.tightening, self.feedback])
        known = np.array(
            [
                learnt.thrust_error.shape[1], address(self.max_thrust),
                address(weights), address(learnt.factor), address(use),
            ]
        )  # fmt: skip
        context = np.array(
            [
                self.horizon, self.mixer.shape[1], len(self.keep_out_radius), len(self.wall_offsets),
                self.programs, self.first_programs, self.iterations,
                address(settings), address(self.inertia_B), address(self.gravity_gradient_N),
                address(self.mixer), address(thrust_weights), address(lower), address(upper),
                address(spheres), address(walls), address(now), address(goal),
                address(plan), address(nodes), address(outcome), address(target), address(known),
                1 if is_new else 0,
            ]
        )  # fmt: skip
        run_track(address(context))
        hold((context, settings, thrust_weights, spheres, walls, now, goal, lower, upper, target))
        hold((learnt, weights, use, known))

        is_fallback = outcome[0] == BROKEN_DOWN
        if is_fallback:
            plan = within(start, lower, upper)
        thrust = plan[0].copy()
        expected_N = reference.r_RN_N + dt * reference.v_RN_N
        memory = TrackingMpcMemory(
            plan,
            expected_N,
            reference.sigma_RN.copy(),
            True,
            target[R : R + 3].copy(),
            mrp_from_quaternion(target[Q : Q + 4].copy()),
        )
        return memory, TrackingMpcOutputs(
            command=ThrusterCommand(thrust),
            wrench=wrench_of(self.mixer, thrust),
            error=flyer_error(motion, reference),
            prediction=prediction_of(nodes, plan, self.prediction_step),
            status=status_of(outcome),
        )
