"""The path of a gimbal's platform while its motors step."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import EvenlySpaced, NotNegative, OneOf, OnePer, OtherThan, Positive, Unit, task
from cardan.drivers.stepper_driver import step_arc, until_next_edge
from cardan.maths import (
    NO_ROTATION,
    Mat,
    Scalar,
    Vec,
    Vec3,
    Vec4,
    bilinear,
    choose,
    gimbal_quaternion,
    grid_cell,
    pulse_count,
    quaternion_from_turn,
    quaternion_product,
    turn_from_quaternion,
)
from cardan.messages import StepperState, TurnArc, WakeUp

_X = np.array([1.0, 0.0, 0.0])


class GimbalDriverMemory(NamedTuple):
    """The segment of the path that the platform is on.

    Attributes:
        q_SM: [-] Attitude at the start of the segment, relative to the mount.
        axis_G: [-] Axis of the segment.
        step_angle: [rad] Turn about it with every step.
        steps: [-] Steps of the segment.
        done: [-] Those that are complete.
        sequence1: [-] Commands that have taken effect at the first motor.
        sequence2: [-] Commands that have taken effect at the second motor.
        is_started: [-] Whether there was a first tick.
    """

    q_SM: Annotated[Vec4, "-", Unit] = NO_ROTATION
    axis_G: Annotated[Vec3, "-", Unit] = _X
    step_angle: Annotated[float, "rad"] = 0.0
    steps: Annotated[int, "-", NotNegative] = 0
    done: Annotated[int, "-", NotNegative] = 0
    sequence1: Annotated[int, "-"] = 0
    sequence2: Annotated[int, "-"] = 0
    is_started: Annotated[bool, "-"] = False


class GimbalDriverOutputs(NamedTuple):
    arc: TurnArc
    wake_up: WakeUp


@task
class GimbalDriver(NamedTuple):
    """A platform that turns about one axis while both motors step, then about another while one continues.

    A segment ends where the motor with fewer steps left is done, or the only one that moves. The attitude at its end
    follows from the motor-to-gimbal tables; the platform turns there by the shortest way, in as many steps as the
    motors take:

        q_EM = q(tip(theta_1, theta_2), tilt(theta_1, theta_2)),   q_ES = q_EM q_SM^-1                            (1)
        axis_G, angle = principal axis and angle of q_ES,   step_angle = angle / steps                            (2)

    Every step is accelerated and braked like those of the motors. A new command begins a segment at the attitude that
    the platform then has. The task asks for a tick at every half step while the platform moves.

    Attributes:
        motor1: [rad] Angles of the first motor, along the columns of the tables, ascending and evenly spaced.
        motor2: [rad] Angles of the second motor, along their rows.
        tip: [rad] Table of the tip.
        tilt: [rad] Table of the tilt.
        motor_step: [rad] Angle of one step of a motor.
        step_time: [s] Of one step.
        tip_axis: [-] The mount's axis of the first turn: 1, 2 or 3.
        tilt_axis: [-] The platform's axis of the second turn.
    """

    motor1: Annotated[Vec, "rad", EvenlySpaced]
    motor2: Annotated[Vec, "rad", EvenlySpaced]
    tip: Annotated[Mat, "rad", OnePer("motor2", "motor1")]
    tilt: Annotated[Mat, "rad", OnePer("motor2", "motor1")]
    motor_step: Annotated[float, "rad", Positive]
    step_time: Annotated[float, "s", Positive]
    tip_axis: Annotated[int, "-", OneOf(1, 2, 3)] = 1
    tilt_axis: Annotated[int, "-", OneOf(1, 2, 3), OtherThan("tip_axis")] = 2

    def step(
        self, t: float, x: GimbalDriverMemory, first: StepperState, second: StepperState
    ) -> tuple[GimbalDriverMemory, GimbalDriverOutputs]:
        half, is_on_half = pulse_count(t, 0.5 * self.step_time)
        is_pulse = is_on_half & (half % 2 == 0)

        # the attitude at this pulse; at the first tick it is where the motors are
        done = x.done + choose(is_pulse & (x.done < x.steps), 1, 0)
        q_reached = quaternion_product(quaternion_from_turn(x.axis_G, done * x.step_angle), x.q_SM)
        q_first = attitude(self, first.angle, second.angle)
        q_now = np.where(x.is_started, q_reached, q_first)

        # a segment ends when its steps are done, or where a new command takes effect
        is_new = (first.sequence != x.sequence1) | (second.sequence != x.sequence2)
        is_over = (is_pulse & (is_new | (done >= x.steps))) | np.logical_not(x.is_started)
        left1, left2 = first.direction + first.remaining, second.direction + second.remaining
        count1, count2 = np.abs(left1), np.abs(left2)
        both = np.minimum(count1, count2)
        steps = choose(both > 0, both, np.maximum(count1, count2))

        # Eqs. (1) and (2)
        end1 = first.angle + np.sign(left1) * np.minimum(steps, count1) * self.motor_step
        end2 = second.angle + np.sign(left2) * np.minimum(steps, count2) * self.motor_step
        q_end = attitude(self, end1, end2)
        back = np.array([q_now[0], -q_now[1], -q_now[2], -q_now[3]])
        axis_G, angle = turn_from_quaternion(quaternion_product(q_end, back))

        begins = is_over & is_pulse & (steps > 0)
        memory = GimbalDriverMemory(
            q_SM=np.where(is_over, q_now, x.q_SM),
            axis_G=np.where(begins, axis_G, x.axis_G),
            step_angle=choose(begins, angle / np.maximum(steps, 1), choose(is_over, 0.0, x.step_angle)),
            steps=choose(begins, steps, choose(is_over, 0, x.steps)),
            done=choose(is_over, 0, done),
            sequence1=choose(is_pulse, first.sequence, x.sequence1),
            sequence2=choose(is_pulse, second.sequence, x.sequence2),
            is_started=True,
        )
        is_moving = memory.done < memory.steps
        turn = step_arc(half, self.step_time, choose(is_moving, 1, 0), memory.done, memory.step_angle)
        arc = TurnArc(memory.q_SM, memory.axis_G, turn.start, turn.angle, turn.rate, turn.acceleration)
        is_waiting = (left1 != 0) | (left2 != 0)
        wake_up = WakeUp(after=until_next_edge(t, half, self.step_time, is_moving, is_waiting))
        return memory, GimbalDriverOutputs(arc, wake_up)


def attitude(self: Any, motor1: Scalar, motor2: Scalar) -> Vec4:
    """[-] q_GM at these motor angles [rad], from the tables."""
    column, x = grid_cell(self.motor1, motor1)
    row, y = grid_cell(self.motor2, motor2)
    tip = bilinear(self.tip, row, y, column, x)
    tilt = bilinear(self.tilt, row, y, column, x)
    return gimbal_quaternion(tip, tilt, self.tip_axis, self.tilt_axis)
