"""Sequences an arm that captures a free vehicle and brings it in."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Positive, Unit, task
from cardan.maths import (
    NO_ROTATION,
    ZERO3,
    Vec3,
    Vec4,
    choose,
    clip,
    cross,
    dcm_from_mrp,
    dcm_from_quaternion,
    matvec,
    matvec_transposed,
    mrp_from_quaternion,
    norm,
    normalized_quaternion,
    quaternion_from_mrp,
    quaternion_product,
    quaternion_rate,
)
from cardan.messages import (
    CaptureStatus,
    FrameMotion,
    HingeLocks,
    HingeStates,
    SlideLock,
    SlideState,
    TipReference,
)


class CaptureSequencerMemory(NamedTuple):
    """Where the capture is.

    Attributes:
        is_started: [-] Whether `offset_N` is known.
        is_captured: [-] Whether the locks are engaged.
        since: [s] When that was.
        offset_N: [m] Of the tip from the fixture at the start, in inertial components.
        slides_T: [m] Where the slides were at capture, in components of the tip.
        turns_T: [rad] Where the hinges were.
        r_TB_B: [m] Reference of the tip relative to the base, after capture.
        v_TB_B: [m/s] Its velocity, seen from the base.
        q_TB: [-] Its attitude.
        omega_TB_T: [rad/s] Its rate.
    """

    is_started: Annotated[bool, "-"] = False
    is_captured: Annotated[bool, "-"] = False
    since: Annotated[float, "s"] = -1.0
    offset_N: Annotated[Vec3, "m"] = ZERO3
    slides_T: Annotated[Vec3, "m"] = ZERO3
    turns_T: Annotated[Vec3, "rad"] = ZERO3
    r_TB_B: Annotated[Vec3, "m"] = ZERO3
    v_TB_B: Annotated[Vec3, "m/s"] = ZERO3
    q_TB: Annotated[Vec4, "-", Unit] = NO_ROTATION
    omega_TB_T: Annotated[Vec3, "rad/s"] = ZERO3


class CaptureSequencerOutputs(NamedTuple):
    reference: TipReference
    lock_x: SlideLock
    lock_y: SlideLock
    lock_z: SlideLock
    locks: HingeLocks
    status: CaptureStatus


@task
class CaptureSequencer(NamedTuple):
    """Follow a fixture on a free vehicle with the tip of an arm, lock it when it is in the envelope, bring it in.

    Before capture the reference of the tip is the fixture's motion and an offset that vanishes after `duration`. The
    vehicle hangs on the tip by three slides and three hinges that nothing drives, which leaves it free. When they are
    within the envelope their locks engage and pull them to zero within `pull_time`: two vehicles are one. From then on
    the reference starts where the tip is, with the velocity that it has, and comes to `r_GB_B`, `sigma_GB` relative
    to the base, critically damped:

        r'' = w^2 (r_G - r) - 2 w r',   omega' = w^2 theta - 2 w omega                                            (1)

    Attributes:
        r_GB_B: [m] Where the tip brings what it has captured, relative to the base, in base components.
        sigma_GB: [-] MRP of the tip relative to the base there.
        begin: [s] When the approach begins.
        duration: [s] Of the approach.
        capture_distance: [m] Of tip and fixture, within which it captures.
        capture_angle: [rad] Size of the angles between them.
        capture_speed: [m/s] Relative speed.
        capture_rate: [rad/s] Relative rate.
        pull_time: [s] Within which the locks pull the fixture to the tip.
        bandwidth: [rad/s] w in Eq. (1).
    """

    r_GB_B: Annotated[Vec3, "m"]
    sigma_GB: Annotated[Vec3, "-"]
    begin: Annotated[float, "s"] = 1.0
    duration: Annotated[float, "s", Positive] = 20.0
    capture_distance: Annotated[float, "m", Positive] = 0.03
    capture_angle: Annotated[float, "rad", Positive] = 0.1
    capture_speed: Annotated[float, "m/s", Positive] = 0.02
    capture_rate: Annotated[float, "rad/s", Positive] = 0.05
    pull_time: Annotated[float, "s", Positive] = 2.0
    bandwidth: Annotated[float, "rad/s", Positive] = 0.2

    def step(
        self,
        t: float,
        dt: float,
        x: CaptureSequencerMemory,
        base: FrameMotion,
        tip: FrameMotion,
        fixture: FrameMotion,
        slide_x: SlideState,
        slide_y: SlideState,
        slide_z: SlideState,
        turns: HingeStates,
    ) -> tuple[CaptureSequencerMemory, CaptureSequencerOutputs]:
        if len(turns.angle) != 3:
            raise ValueError("CaptureSequencer: `turns` must be the three hinges between tip and fixture.")
        slides = np.array([slide_x.displacement, slide_y.displacement, slide_z.displacement])
        drift = np.array([slide_x.rate, slide_y.rate, slide_z.rate])
        distance, angle, speed, rate = norm(slides), norm(turns.angle), norm(drift), norm(turns.rate)
        is_in = (distance <= self.capture_distance) & (angle <= self.capture_angle)
        is_in = is_in & (speed <= self.capture_speed) & (rate <= self.capture_rate)
        is_captured = x.is_captured or bool(is_in)
        dcm_BN = dcm_from_mrp(base.sigma_BN)
        offset_N = x.offset_N if x.is_started else tip.r_BN_N - fixture.r_BN_N

        since, held, turned = x.since, x.slides_T, x.turns_T
        r_TB_B, v_TB_B, q_TB, omega_TB_T = x.r_TB_B, x.v_TB_B, x.q_TB, x.omega_TB_T
        if is_captured and not x.is_captured:
            since, held, turned = t, slides, 1.0 * turns.angle
            # from where the tip is, with the velocity that it has
            r_TB_B = matvec(dcm_BN, tip.r_BN_N - base.r_BN_N)
            v_TB_B = matvec(dcm_BN, tip.v_BN_N - base.v_BN_N) - cross(base.omega_BN_B, r_TB_B)
            q_BN = quaternion_from_mrp(base.sigma_BN)
            q_NB = np.array([q_BN[0], -q_BN[1], -q_BN[2], -q_BN[3]])
            q_TB = quaternion_product(quaternion_from_mrp(tip.sigma_BN), q_NB)
            omega_TB_T = tip.omega_BN_B - matvec(dcm_from_quaternion(q_TB), base.omega_BN_B)

        if is_captured:
            # Eq. (1)
            w = self.bandwidth
            v_TB_B = v_TB_B + dt * (w * w * (self.r_GB_B - r_TB_B) - 2.0 * w * v_TB_B)
            r_TB_B = r_TB_B + dt * v_TB_B
            q_BT = np.array([q_TB[0], -q_TB[1], -q_TB[2], -q_TB[3]])
            q_GT = quaternion_product(quaternion_from_mrp(self.sigma_GB), q_BT)
            theta = choose(q_GT[0] < 0.0, -2.0, 2.0) * q_GT[1:]
            omega_TB_T = omega_TB_T + dt * (w * w * theta - 2.0 * w * omega_TB_T)
            q_TB = normalized_quaternion(q_TB + dt * quaternion_rate(q_TB, omega_TB_T))
            r_TN_N = base.r_BN_N + matvec_transposed(dcm_BN, r_TB_B)
            v_TN_N = base.v_BN_N + matvec_transposed(dcm_BN, v_TB_B + cross(base.omega_BN_B, r_TB_B))
            omega_B = base.omega_BN_B + matvec_transposed(dcm_from_quaternion(q_TB), omega_TB_T)
            q_TN = quaternion_product(q_TB, quaternion_from_mrp(base.sigma_BN))
            reference = TipReference(r_TN_N, v_TN_N, mrp_from_quaternion(q_TN), matvec_transposed(dcm_BN, omega_B))
        else:
            s = clip((t - self.begin) / self.duration, 0.0, 1.0)
            share, slope = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * s * s * (1.0 - 2.0 * s + s * s)
            omega_N = matvec_transposed(dcm_from_mrp(fixture.sigma_BN), fixture.omega_BN_B)
            reference = TipReference(
                fixture.r_BN_N + (1.0 - share) * offset_N,
                fixture.v_BN_N - (slope / self.duration) * offset_N,
                fixture.sigma_BN + ZERO3,
                omega_N,
            )
        s = clip((t - since) / self.pull_time, 0.0, 1.0)
        left = 1.0 - s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)
        flag = 1.0 if is_captured else 0.0
        memory = CaptureSequencerMemory(
            True, is_captured, since, offset_N + ZERO3, held + ZERO3, turned + ZERO3, r_TB_B + ZERO3, v_TB_B + ZERO3,
            q_TB + 0.0, omega_TB_T + ZERO3,
        )  # fmt: skip
        return memory, CaptureSequencerOutputs(
            reference,
            SlideLock(is_captured, left * held[0]),
            SlideLock(is_captured, left * held[1]),
            SlideLock(is_captured, left * held[2]),
            HingeLocks(np.full(3, flag), left * turned),
            CaptureStatus(is_captured, distance, angle, speed, rate, since),
        )
