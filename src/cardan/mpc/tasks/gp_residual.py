"""What a free flyer's prediction lacks, learnt in flight."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import Inertia, Positive, Symmetric, Within, task
from cardan.fsw.allocation.wrench_axes import OnePerColumn, SixRows
from cardan.maths import Mat, Mat3, Vec
from cardan.messages import FrameMotion, LearningStatus, LearntThrusters, ThrusterCommand
from cardan.mpc.flyer_observation import lacking_wrench
from cardan.mpc.flyer_prediction import NODE, Q
from cardan.mpc.gaussian_process import Prior, knowledge
from cardan.mpc.plans import node_of, wrench_of
from cardan.mpc.tasks.tracking_mpc import NO_GRADIENT


class GpResidualMemory(NamedTuple):
    """What is carried from one tick to the next: the window, and where the flyer was.

    Attributes:
        thrust: [N] What was demanded, a row for each point, the oldest first.
        q_BN: [-] Attitudes then.
        wrench: [N] and [N m] What the prediction lacked then, force and torque in body components.
        node: [-] Where the flyer was at the last tick.
        points: [-] How many rows of the window are points.
        suspects: [-] Surprising points in a row, so far.
        fresh: [-] Rows of the window that are younger than the first of these.
        changes: [-] How many changes were found.
        is_started: [-] Whether there was a tick before.
    """

    thrust: Annotated[Mat, "N"]
    q_BN: Annotated[Mat, "-"]
    wrench: Annotated[Mat, "N"]
    node: Annotated[Vec, "-"]
    points: Annotated[int, "-"] = 0
    suspects: Annotated[int, "-"] = 0
    fresh: Annotated[int, "-"] = 0
    changes: Annotated[int, "-"] = 0
    is_started: Annotated[bool, "-"] = False


class GpResidualOutputs(NamedTuple):
    learnt: LearntThrusters
    status: LearningStatus


@task
class GpResidual(NamedTuple):
    """Gaussian processes for the thrusters' errors, learnt from what the controller's prediction lacked.

    Every tick predicts the last period, and the missing wrench becomes a data point. The newest `window` points are
    kept. If several points in a row do not fit the others, something has changed, and the others are forgotten. The
    result goes to the input `learnt` of a predictive controller (docs/theory/gp_residual.md).

    Attributes:
        mass: [kg]
        inertia_B: [kg m^2] About the centre of mass, in body components.
        mixer: [-] Maps thrusts to force and torque about the centre of mass, a column for each thruster.
        max_thrust: [N] Of each thruster.
        force_noise: [N] Standard deviation of force noise that cannot be learnt, per component: navigation, models.
        torque_noise: [N m] The same for the torque.
        outside_force: [N] Standard deviation of a component of the force from outside, before any flight.
        outside_torque: [N m] The same for the torque.
        spread: [-] Standard deviation of a thruster's error, relative to its largest thrust.
        length: [-] Length scale of the curves, relative to the largest thrust.
        nodes: [-] Of each curve, which is linear in between.
        window: [-] Largest number of points.
        spacing: [-] A point whose thrusts differ less than this share of the largest thrust replaces the newest one.
        surprise: [-] A point further than this from the prediction of all others is a suspect, in sigma squared.
        patience: [-] This many suspects in a row are a change.
        gravity_gradient_N: [1/s^2] Used in the prediction, in inertial components.
    """

    mass: Annotated[float, "kg", Positive]
    inertia_B: Annotated[Mat3, "kg m^2", Inertia]
    mixer: Annotated[Mat, "-", SixRows]
    max_thrust: Annotated[Vec, "N", Positive, OnePerColumn]
    force_noise: Annotated[float, "N", Positive]
    torque_noise: Annotated[float, "N m", Positive]
    outside_force: Annotated[float, "N", Positive]
    outside_torque: Annotated[float, "N m", Positive]
    spread: Annotated[float, "-", Positive] = 0.5
    length: Annotated[float, "-", Positive] = 1.0
    nodes: Annotated[int, "-", Within(2, 64)] = 9
    window: Annotated[int, "-", Positive] = 300
    spacing: Annotated[float, "-", Within(0.0, 1.0)] = 0.02
    surprise: Annotated[float, "-", Positive] = 60.0
    patience: Annotated[int, "-", Positive] = 2
    gravity_gradient_N: Annotated[Mat3, "1/s^2", Symmetric] = NO_GRADIENT

    def initial(self) -> GpResidualMemory:
        thrusters = len(self.max_thrust)
        return GpResidualMemory(
            np.zeros((self.window, thrusters)), np.zeros((self.window, 4)), np.zeros((self.window, 6)), np.zeros(NODE)
        )

    def step(
        self, dt: float, x: GpResidualMemory, motion: FrameMotion, command: ThrusterCommand
    ) -> tuple[GpResidualMemory, GpResidualOutputs]:
        now = node_of(motion.r_BN_N, motion.sigma_BN, motion.v_BN_N, motion.omega_BN_B)
        prior = Prior(
            self.mixer, self.max_thrust, self.spread, self.length,
            self.outside_force, self.outside_torque, self.force_noise, self.torque_noise,
        )  # fmt: skip
        thrust, q_BN, wrench = x.thrust.copy(), x.q_BN.copy(), x.wrench.copy()
        points, fresh, lacking = x.points, x.fresh, np.zeros(6)
        if x.is_started:
            asked = wrench_of(self.mixer, command.thrust)
            demanded = np.concatenate((asked.force_B, asked.torque_B))
            lacking = lacking_wrench(
                self.mass, self.inertia_B, self.gravity_gradient_N, x.node.copy(), now, demanded, dt
            )
            is_near = points > 0 and within_spacing(thrust[points - 1], command.thrust, self.spacing * self.max_thrust)
            row = points - 1 if is_near else points
            if row == self.window:
                row -= 1
                move_up(thrust, 1)
                move_up(q_BN, 1)
                move_up(wrench, 1)
            thrust[row, :] = command.thrust
            q_BN[row, :] = x.node[Q : Q + 4]
            wrench[row, :] = lacking
            points, fresh = row + 1, fresh if is_near else fresh + 1

        known = knowledge(prior, self.nodes, thrust[:points].copy(), q_BN[:points].copy(), wrench[:points].copy())
        is_suspect = x.is_started and points > 1 and known.surprise > self.surprise
        suspects = x.suspects + 1 if is_suspect else 0
        fresh = min(max(fresh, 1), points) if is_suspect else 0
        is_changed = suspects >= self.patience and fresh < points
        if is_changed:
            gone = points - fresh
            move_up(thrust, gone)
            move_up(q_BN, gone)
            move_up(wrench, gone)
            points, suspects, fresh = points - gone, 0, 0
            known = knowledge(prior, self.nodes, thrust[:points].copy(), q_BN[:points].copy(), wrench[:points].copy())

        thrusters, mean = len(self.max_thrust), known.posterior.mean
        curves = mean[: thrusters * self.nodes].copy().reshape((thrusters, self.nodes))
        rest = mean[thrusters * self.nodes :]
        changes = x.changes + 1 if is_changed else x.changes
        memory = GpResidualMemory(thrust, q_BN, wrench, now, points, suspects, fresh, changes, True)
        return memory, GpResidualOutputs(
            learnt=LearntThrusters(curves, rest[:3].copy(), rest[3:].copy(), known.posterior.factor),
            status=LearningStatus(
                known.error, known.deviation, points, known.surprise, is_changed, changes,
                lacking[:3].copy(), lacking[3:].copy(),
            ),
        )  # fmt: skip


def within_spacing(a: Vec, b: Vec, spacing: Vec) -> bool:
    """Whether no entry differs by more than its spacing."""
    return bool(np.all(np.abs(a - b) <= spacing))


def move_up(rows: Mat, count: int) -> None:
    """Drop the first rows."""
    for i in range(rows.shape[0] - count):
        for j in range(rows.shape[1]):
            rows[i, j] = rows[i + count, j]


NOISE, OUTSIDE = 0.005, 0.05  # [-] of the largest force and torque of a thruster


def gp_residual(mass: float, inertia_B: Any, mixer: Any, max_thrust: Any, **options: Any) -> GpResidual:
    """A `GpResidual` for a flyer with good navigation: noise and disturbances are shares of its thrust.

    Args:
        mass: [kg]
        inertia_B: [kg m^2] About the centre of mass, in body components.
        mixer: [-] Maps thrusts to force and torque about the centre of mass, a column for each thruster.
        max_thrust: [N] Of each thruster.
        options: Any other parameters of `GpResidual`.
    """
    largest = np.asarray(mixer) * np.asarray(max_thrust)
    force, torque = (float(np.abs(part).max()) for part in (largest[:3], largest[3:]))
    scaled = {
        "force_noise": NOISE * force,
        "torque_noise": NOISE * torque,
        "outside_force": OUTSIDE * force,
        "outside_torque": OUTSIDE * torque,
    }
    return GpResidual(mass, inertia_B, mixer, max_thrust, **{**scaled, **options})
