"""Docking in stages."""

from typing import Annotated, NamedTuple

from cardan.contracts import NotNegative, OneOf, Positive, Unit, task
from cardan.fsw.guidance.path_errors import attitude_error
from cardan.maths import ZERO3, Vec3, dot, norm
from cardan.messages import DockingCommand, DockingStatus, FlyerReference, FrameMotion

TO_HOLD_POINT, APPROACH, DOCKED, RETREAT, GIVEN_UP = 0, 1, 2, 3, 4


class DockingGuidanceMemory(NamedTuple):
    """Where the docking is."""

    stage: Annotated[int, "-", OneOf(0, 1, 2, 3, 4)] = TO_HOLD_POINT
    distance: Annotated[float, "m", NotNegative] = 0.0
    held: Annotated[float, "s", NotNegative] = 0.0
    aborts: Annotated[int, "-", NotNegative] = 0


class DockingGuidanceOutputs(NamedTuple):
    reference: FlyerReference
    status: DockingStatus


@task
class DockingGuidance(NamedTuple):
    """Fly to a hold point on the approach axis, wait for the gate, follow a reference that moves to the port, dock.

    | stage | reference | left when |
    |---|---|---|
    | 0 to the hold point | at `hold_distance` on the axis | position, attitude, speed and rate within the gate |
    | 1 approach | moves to the port at `approach_speed` | docked; or outside the corridor, or aborted: 3 |
    | 2 docked | at the port | aborted: 3 |
    | 3 retreat | moves out at `retreat_speed` | at the hold point: 0, or 4 after `max_aborts` retreats |
    | 4 given up | at `hold_distance` on the axis | never |

    Attributes:
        r_DN_N: [m] Centre of mass of the vehicle when it is docked, in inertial components.
        axis_N: [-] Unit vector outwards along which it approaches, in inertial components.
        sigma_DN: [-] MRP of its attitude when it is docked.
        hold_distance: [m] Of the hold point from the docked position.
        approach_speed: [m/s] One that covers `hold_distance` in a period steps to the port.
        retreat_speed: [m/s]
        gate_distance: [m] Largest distance from the hold point at which the approach begins.
        gate_attitude: [rad] Largest attitude error there.
        gate_speed: [m/s] Largest speed there.
        gate_rate: [rad/s] Largest rate there.
        gate_time: [s] How long all of that must have held.
        corridor: [m] Largest distance from the axis during the approach.
        corridor_attitude: [rad] Largest attitude error during the approach.
        dock_distance: [m] From the docked position within which the vehicle is docked, once the reference is there.
        dock_attitude: [rad] Attitude error within which it is docked.
        dock_speed: [m/s] Speed below which it is docked.
        max_aborts: [-] How many retreats are made before it gives up.
        touch_speed: [m/s] Of the reference over the last of the way, in place of `approach_speed`.
        touch_distance: [m] How long the last of the way is; 0 for none.
    """

    r_DN_N: Annotated[Vec3, "m"]
    axis_N: Annotated[Vec3, "-", Unit]
    sigma_DN: Annotated[Vec3, "-"] = ZERO3
    hold_distance: Annotated[float, "m", Positive] = 2.0
    approach_speed: Annotated[float, "m/s", Positive] = 0.05
    retreat_speed: Annotated[float, "m/s", Positive] = 0.1
    gate_distance: Annotated[float, "m", Positive] = 0.35
    gate_attitude: Annotated[float, "rad", Positive] = 0.25
    gate_speed: Annotated[float, "m/s", Positive] = 0.05
    gate_rate: Annotated[float, "rad/s", Positive] = 0.05
    gate_time: Annotated[float, "s", NotNegative] = 0.0
    corridor: Annotated[float, "m", Positive] = 0.3
    corridor_attitude: Annotated[float, "rad", Positive] = 0.35
    dock_distance: Annotated[float, "m", Positive] = 0.05
    dock_attitude: Annotated[float, "rad", Positive] = 0.1
    dock_speed: Annotated[float, "m/s", Positive] = 0.02
    max_aborts: Annotated[int, "-", NotNegative] = 3
    touch_speed: Annotated[float, "m/s", Positive] = 0.05
    touch_distance: Annotated[float, "m", NotNegative] = 0.0

    def initial(self) -> DockingGuidanceMemory:
        return DockingGuidanceMemory(distance=self.hold_distance)

    def step(
        self,
        dt: float,
        x: DockingGuidanceMemory,
        motion: FrameMotion,
        command: DockingCommand = DockingCommand(),
    ) -> tuple[DockingGuidanceMemory, DockingGuidanceOutputs]:
        # where the vehicle is, relative to the port
        offset_N = motion.r_BN_N - self.r_DN_N
        along = dot(offset_N, self.axis_N)
        lateral = norm(offset_N - along * self.axis_N)
        docked = FlyerReference(
            self.r_DN_N + ZERO3, ZERO3 + 0.0, ZERO3 + 0.0, self.sigma_DN + ZERO3, ZERO3 + 0.0, ZERO3 + 0.0
        )
        turned = attitude_error(motion, docked)
        speed, rate = norm(motion.v_BN_N), norm(motion.omega_BN_B)
        from_hold = norm(offset_N - self.hold_distance * self.axis_N)

        stage, distance, held, aborts, moves = x.stage, x.distance, 0.0, x.aborts, 0.0
        if stage == TO_HOLD_POINT:
            distance = self.hold_distance
            is_ready = (from_hold <= self.gate_distance) & (turned <= self.gate_attitude)
            is_ready = is_ready & (speed <= self.gate_speed) & (rate <= self.gate_rate)
            if is_ready and not command.is_aborted:
                held = x.held + dt
                if x.held >= self.gate_time:
                    stage, held = APPROACH, 0.0
        elif stage in (APPROACH, DOCKED):
            is_outside = (lateral > self.corridor) | (turned > self.corridor_attitude)
            if command.is_aborted or (stage == APPROACH and is_outside):
                stage, aborts = RETREAT, aborts + 1
                distance = max(along, 0.0)
            elif stage == APPROACH:
                is_in = (norm(offset_N) <= self.dock_distance) & (turned <= self.dock_attitude)
                if distance == 0.0 and is_in and speed <= self.dock_speed:
                    stage = DOCKED
                # a reference that steps to the port within a period has no speed
                steps = dt * self.approach_speed >= self.hold_distance
                pace = self.touch_speed if distance <= self.touch_distance else self.approach_speed
                moves = 0.0 if steps else -min(pace, distance / dt)
                distance = max(distance - dt * pace, 0.0)
        elif stage == RETREAT:
            moves = min(self.retreat_speed, max(self.hold_distance - distance, 0.0) / dt)
            distance = min(distance + dt * self.retreat_speed, self.hold_distance)
            if from_hold <= self.gate_distance and distance >= self.hold_distance:
                stage = GIVEN_UP if aborts > self.max_aborts or command.is_aborted else TO_HOLD_POINT
        else:
            distance = self.hold_distance

        reference = FlyerReference(
            r_RN_N=self.r_DN_N + distance * self.axis_N,
            v_RN_N=moves * self.axis_N,
            a_RN_N=ZERO3 + 0.0,
            sigma_RN=docked.sigma_RN,
            omega_RN_N=ZERO3 + 0.0,
            omega_dot_RN_N=ZERO3 + 0.0,
        )
        status = DockingStatus(stage, along, lateral, turned, speed, rate, aborts)
        return DockingGuidanceMemory(stage, distance, held, aborts), DockingGuidanceOutputs(reference, status)
