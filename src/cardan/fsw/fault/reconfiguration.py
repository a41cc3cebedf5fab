"""What to do about a fault: continue without the unit, or hold still."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, Positive, task
from cardan.fsw.fault.reporting import STUCK_ON, WRONG
from cardan.maths import ZERO3, Vec, Vec3, choose
from cardan.messages import FaultReport, FlyerReference, FrameMotion, ThrusterLimits


class ThrusterReconfigurationOutputs(NamedTuple):
    limits: ThrusterLimits


@task
class ThrusterReconfiguration(NamedTuple):
    """Thruster limits that let an allocation continue after a thruster has failed.

        lower = 0, upper = max_thrust; both 0 for one that is stuck off, both max_thrust for one that is stuck on  (1)

    The allocation then reckons with what a thruster gives that is stuck on, and balances it with the others. One that
    is wrong otherwise stays in use: what it still gives is more than nothing.

    Attributes:
        max_thrust: [N] Of each thruster.
    """

    max_thrust: Annotated[Vec, "N", Positive]

    def step(self, report: FaultReport) -> ThrusterReconfigurationOutputs:
        lower, upper = np.zeros(len(self.max_thrust)), 1.0 * self.max_thrust
        # Eq. (1)
        if report.is_alarm and report.mode != WRONG and 0 <= report.suspect < len(self.max_thrust):
            if report.mode == STUCK_ON:
                lower[report.suspect] = self.max_thrust[report.suspect]
            else:
                upper[report.suspect] = 0.0
        return ThrusterReconfigurationOutputs(ThrusterLimits(lower, upper))


class SafeHoldMemory(NamedTuple):
    """Where the vehicle is held, and whether it is."""

    r_RN_N: Annotated[Vec3, "m"] = ZERO3
    sigma_RN: Annotated[Vec3, "-"] = ZERO3
    is_held: Annotated[bool, "-"] = False


class SafeHoldOutputs(NamedTuple):
    reference: FlyerReference


@task
class SafeHold(NamedTuple):
    """Safe mode of a free flyer: passes on its reference until there is an alarm that names no unit for some time, and
    then has the vehicle stop where it is.

    Attributes:
        patience: [s] After an alarm, for the unit to be named.
    """

    patience: Annotated[float, "s", NotNegative] = 5.0

    def step(
        self, t: float, x: SafeHoldMemory, planned: FlyerReference, motion: FrameMotion, report: FaultReport
    ) -> tuple[SafeHoldMemory, SafeHoldOutputs]:
        is_held = x.is_held or (report.is_alarm and report.suspect < 0 and t - report.since >= self.patience)
        r_N = choose(x.is_held, x.r_RN_N, motion.r_BN_N)
        sigma = choose(x.is_held, x.sigma_RN, motion.sigma_BN)
        reference = FlyerReference(
            r_RN_N=choose(is_held, r_N, planned.r_RN_N),
            v_RN_N=choose(is_held, ZERO3, planned.v_RN_N),
            a_RN_N=choose(is_held, ZERO3, planned.a_RN_N),
            sigma_RN=choose(is_held, sigma, planned.sigma_RN),
            omega_RN_N=choose(is_held, ZERO3, planned.omega_RN_N),
            omega_dot_RN_N=choose(is_held, ZERO3, planned.omega_dot_RN_N),
        )
        return SafeHoldMemory(r_N, sigma, is_held), SafeHoldOutputs(reference)
