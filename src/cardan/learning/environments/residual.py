"""What a flyer's thrusters lack and what pushes it from outside: what an adaptive policy guesses."""

from typing import Annotated, Any, NamedTuple

from cardan import message, model, output, task
from cardan.learning.environments.hardship import HEALTH, STEADY
from cardan.maths import ZERO3, Mat, Vec3, choose, dcm_from_mrp, total
from cardan.messages import FrameMotion, InertialWrench, ThrusterForces
from cardan.scenario import Scenario


@message
class WrenchResidual(NamedTuple):
    """Force and torque that act on a flyer beside those that were demanded, on average over a period.

    Attributes:
        force_B: [N] In body components.
        torque_B: [N m] About the centre of mass, in body components.
    """

    force_B: Annotated[Vec3, "N"] = ZERO3
    torque_B: Annotated[Vec3, "N m"] = ZERO3


class ResidualImpulse(NamedTuple):
    """Sums of the residual over time, in body components as they turn."""

    force_B: Annotated[Vec3, "N s"] = ZERO3
    torque_B: Annotated[Vec3, "N m s"] = ZERO3


@message
class ResidualSum(NamedTuple):
    """The same as a message."""

    force_B: Annotated[Vec3, "N s"] = ZERO3
    torque_B: Annotated[Vec3, "N m s"] = ZERO3


@model
class ResidualMeter(NamedTuple):
    """Adds up what acts on a flyer beside what was demanded.

        d(sum)/dt = sum of (given - demanded) row + push, in body components                                       (1)

    Attributes:
        rows: [-] Force and torque about the centre of mass of each thruster, per newton, in body components.
    """

    rows: Annotated[Mat, "-"]

    def derivatives(
        self,
        x: ResidualImpulse,
        demanded: ThrusterForces,
        given: ThrusterForces,
        push: InertialWrench,
        motion: FrameMotion,
    ) -> ResidualImpulse:
        if self.rows.shape[0] != len(given.thrust) or len(demanded.thrust) != len(given.thrust):
            raise ValueError("ResidualMeter: `rows`, `demanded` and `given` have different numbers of thrusters.")
        # Eq. (1)
        C_BN = dcm_from_mrp(motion.sigma_BN)
        six = total((given.thrust - demanded.thrust).reshape((-1, 1)) * self.rows)
        return ResidualImpulse(six[:3] + C_BN @ push.force_N, six[3:] + C_BN @ push.torque_N)

    @output
    def sums(self, x: ResidualImpulse) -> ResidualSum:
        return ResidualSum(1.0 * x.force_B, 1.0 * x.torque_B)


class ResidualMemory(NamedTuple):
    """The sums at the last tick."""

    force_B: Annotated[Vec3, "N s"] = ZERO3
    torque_B: Annotated[Vec3, "N m s"] = ZERO3
    is_started: Annotated[bool, "-"] = False


class ResidualOutputs(NamedTuple):
    residual: WrenchResidual


@task
class ResidualObserver(NamedTuple):
    """The mean residual of the last period: what the sums of `ResidualMeter` have grown by."""

    def step(self, dt: float, x: ResidualMemory, sums: ResidualSum) -> tuple[ResidualMemory, ResidualOutputs]:
        force_B = choose(x.is_started, (sums.force_B - x.force_B) / dt, 0.0 * sums.force_B)
        torque_B = choose(x.is_started, (sums.torque_B - x.torque_B) / dt, 0.0 * sums.torque_B)
        memory = ResidualMemory(1.0 * sums.force_B, 1.0 * sums.torque_B, True)
        return memory, ResidualOutputs(WrenchResidual(force_B, torque_B))


CONTEXT = "context"


def add_context(scn: Scenario, rows: Mat, motion: Any, period: float) -> None:
    """Let a scenario with hardships know what they do."""
    meter = scn.add(
        ResidualMeter(rows), name="meter",
        demanded=scn["bank"].forces, given=scn[HEALTH].given, push=scn[STEADY].push, motion=motion,
    )  # fmt: skip
    scn.add(ResidualObserver(), name=CONTEXT, every=period, sums=meter.sums)
