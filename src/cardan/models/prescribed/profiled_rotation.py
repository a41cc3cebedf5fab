"""Rotation about an axis as a given function of time."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, OnePer, Unit, model, output
from cardan.errors import SettingError
from cardan.maths import ZERO3, Vec, Vec3, sin_cos
from cardan.maths.profiles import ProfilePoint, segment_times
from cardan.messages import MotionPlan, PrescribedAngle, PrescribedMotion
from cardan.models.prescribed.profiles import Profile, followed


@model
class ProfiledRotation(NamedTuple):
    """Turns a hinge, or a body F on its carriage, by an angle that follows a profile; made by `rotation_about`.

    With theta from the profile, s the axis, P a point on it, and F where its mount M is at theta = 0,

        q_FM   = (cos(theta / 2), s sin(theta / 2)),  omega_FM = s theta',  omega'_FM = s theta''                 (1)
        r_FM   = r_PM - R(theta) r_PM                                                                             (2)
        v_FM   = theta' s x (r_FM - r_PM)                                                                         (3)
        a_FM   = theta'' s x (r_FM - r_PM) + theta'^2 s x (s x (r_FM - r_PM))                                     (4)

    A plan that is connected replaces the profile.

    Attributes:
        axis_M: [-] The axis s, of unit length.
        start_time: [s] When the profile begins.
        start: [rad] The angle before.
        reference: [rad] The angle after.
        duration: [s] Of each segment.
        begin: [rad/s^2] Acceleration at the beginning of each segment.
        end: [rad/s^2] Acceleration at its end.
        r_PM_M: [m] The point P.
    """

    axis_M: Annotated[Vec3, "-", Unit]
    start_time: Annotated[float, "s"]
    start: Annotated[float, "rad"]
    reference: Annotated[float, "rad"]
    duration: Annotated[Vec, "s", NotNegative]
    begin: Annotated[Vec, "rad/s^2", OnePer("duration")]
    end: Annotated[Vec, "rad/s^2", OnePer("duration")]
    r_PM_M: Annotated[Vec3, "m"] = ZERO3

    @output
    def angle(self, t: float, plan: MotionPlan | None = None) -> PrescribedAngle:
        point = followed(t, self.start_time, self.start, self.reference, self.duration, self.begin, self.end, plan)
        return PrescribedAngle(angle=point.value, rate=point.rate, acceleration=point.acceleration)

    def breaks(self) -> Vec:
        """[s] Where segments meet."""
        return segment_times(self.start_time, self.duration)

    @output
    def motion(self, t: float, plan: MotionPlan | None = None) -> PrescribedMotion:
        point = followed(t, self.start_time, self.start, self.reference, self.duration, self.begin, self.end, plan)
        return rotated(self.axis_M, self.r_PM_M, point)


def rotated(axis_M: Vec3, r_PM_M: Vec3, point: ProfilePoint) -> PrescribedMotion:
    """Motion of a frame that turns about an axis through P. Eqs. (1) to (4)."""
    theta, rate, acceleration = point.value, point.rate, point.acceleration
    half_sine, half_cosine = sin_cos(0.5 * theta)
    sine, fall = 2.0 * half_sine * half_cosine, 2.0 * half_sine * half_sine  # fall = 1 - cos(theta)
    # written out, because an array in between costs more than what is computed with it
    a, b, c = axis_M[0], axis_M[1], axis_M[2]
    x, y, z = r_PM_M[0], r_PM_M[1], r_PM_M[2]
    # s x r_PM, and s x (s x r_PM)
    u, v, w = b * z - c * y, c * x - a * z, a * y - b * x
    i, j, k = b * w - c * v, c * u - a * w, a * v - b * u
    # r_FM = - sin(theta) s x r_PM - (1 - cos(theta)) s x (s x r_PM), Eq. (2); s x (r_FM - r_PM) turns with it
    cosine = 1.0 - fall
    p, q, r = -(cosine * u + sine * i), -(cosine * v + sine * j), -(cosine * w + sine * k)
    inward = rate * rate
    d, e, f = b * r - c * q, c * p - a * r, a * q - b * p
    return PrescribedMotion(
        r_FM_M=np.array([-(sine * u + fall * i), -(sine * v + fall * j), -(sine * w + fall * k)]),
        v_FM_M=np.array([rate * p, rate * q, rate * r]),
        a_FM_M=np.array([acceleration * p + inward * d, acceleration * q + inward * e, acceleration * r + inward * f]),
        q_FM=np.array([half_cosine, a * half_sine, b * half_sine, c * half_sine]),
        omega_FM_F=np.array([rate * a, rate * b, rate * c]),
        omega_dot_FM_F=np.array([acceleration * a, acceleration * b, acceleration * c]),
    )


def rotation_about(axis_M: Any, profile: Profile, r_PM_M: Any = ZERO3) -> ProfiledRotation:
    """A rotation that follows `profile` [rad] about `axis_M` through the point `r_PM_M` [m]."""
    return ProfiledRotation(unit_axis("rotation_about", axis_M), *profile, r_PM_M)


def unit_axis(name: str, axis_M: Any) -> Vec3:
    """`axis_M` of unit length; it must not be zero."""
    axis = np.asarray(axis_M, float)
    length = float(np.sqrt(np.sum(axis * axis)))
    if axis.shape != (3,) or not 0.0 < length < np.inf:
        raise SettingError(f"{name}: the axis is {axis_M!r}.\n  Give three numbers that are not all zero.")
    return axis / length
