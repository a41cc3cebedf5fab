"""Translation along an axis as a given function of time."""

from typing import Annotated, Any, NamedTuple

from cardan.contracts import NotNegative, OnePer, Unit, model, output
from cardan.maths import NO_ROTATION, ZERO3, Vec, Vec3
from cardan.maths.profiles import segment_times
from cardan.messages import MotionPlan, PrescribedDisplacement, PrescribedMotion
from cardan.models.prescribed.profiled_rotation import unit_axis
from cardan.models.prescribed.profiles import Profile, followed


@model
class ProfiledTranslation(NamedTuple):
    """Moves a slide, or a body F on its carriage, by a displacement that follows a profile; see `translation_along`.

    With rho from the profile and s the axis,

        r_FM = s rho,   v_FM = s rho',   a_FM = s rho''                                                           (1)

    A plan that is connected replaces the profile.

    Attributes:
        axis_M: [-] The axis s, of unit length.
        start_time: [s] When the profile begins.
        start: [m] The displacement before.
        reference: [m] The displacement after.
        duration: [s] Of each segment.
        begin: [m/s^2] Acceleration at the beginning of each segment.
        end: [m/s^2] Acceleration at its end.
    """

    axis_M: Annotated[Vec3, "-", Unit]
    start_time: Annotated[float, "s"]
    start: Annotated[float, "m"]
    reference: Annotated[float, "m"]
    duration: Annotated[Vec, "s", NotNegative]
    begin: Annotated[Vec, "m/s^2", OnePer("duration")]
    end: Annotated[Vec, "m/s^2", OnePer("duration")]

    @output
    def displacement(self, t: float, plan: MotionPlan | None = None) -> PrescribedDisplacement:
        point = followed(t, self.start_time, self.start, self.reference, self.duration, self.begin, self.end, plan)
        return PrescribedDisplacement(displacement=point.value, rate=point.rate, acceleration=point.acceleration)

    def breaks(self) -> Vec:
        """[s] Where segments meet."""
        return segment_times(self.start_time, self.duration)

    @output
    def motion(self, t: float, plan: MotionPlan | None = None) -> PrescribedMotion:
        point = followed(t, self.start_time, self.start, self.reference, self.duration, self.begin, self.end, plan)
        # Eq. (1)
        return PrescribedMotion(
            r_FM_M=point.value * self.axis_M,
            v_FM_M=point.rate * self.axis_M,
            a_FM_M=point.acceleration * self.axis_M,
            q_FM=1.0 * NO_ROTATION,
            omega_FM_F=1.0 * ZERO3,
            omega_dot_FM_F=1.0 * ZERO3,
        )


def translation_along(axis_M: Any, profile: Profile) -> ProfiledTranslation:
    """A translation that follows `profile` [m] along `axis_M`."""
    return ProfiledTranslation(unit_axis("translation_along", axis_M), *profile)
