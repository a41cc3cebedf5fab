"""A reference that flies a circle."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, NotZero, Positive, task
from cardan.fsw.guidance.path_errors import progress_towards
from cardan.maths import ZERO3, Mat3, Vec3, arctan2, choose, cos, cross, dot, mrp_from_dcm, norm, sin
from cardan.messages import FlyerReference, FrameMotion, PathProgress

_TURN = 2.0 * np.pi
_NO_RADIUS = 1.0e-12


class CirclePathMemory(NamedTuple):
    """Where on the circle it began, and when."""

    start_angle: Annotated[float, "rad"] = 0.0
    start_time: Annotated[float, "s"] = 0.0
    is_started: Annotated[bool, "-"] = False


class CirclePathOutputs(NamedTuple):
    reference: FlyerReference
    progress: PathProgress


@task
class CirclePath(NamedTuple):
    """A circle about an axis, from the point nearest to the vehicle, from rest to a constant speed.

        s = a t^2 / 2 until a t = speed, then on at that speed;   angle = start + s / radius                      (1)
        r = centre + radius (cos(angle) e_1 + sin(angle) e_2),   e_1 x e_2 = normal                               (2)

    The reference keeps one attitude, or its first axis points to the centre and its third along the normal. A radius
    of zero is a set-point.

    Attributes:
        centre_N: [m] In inertial components.
        normal_N: [-] Axis about which it turns, of any length, in inertial components.
        radius: [m]
        speed: [m/s] Along the circle.
        acceleration: [m/s^2] With which the reference comes to its speed.
        sigma_RN: [-] MRP of the attitude that it keeps.
        faces_centre: [-] Whether it looks at the centre instead.
    """

    centre_N: Annotated[Vec3, "m"]
    normal_N: Annotated[Vec3, "-", NotZero]
    radius: Annotated[float, "m", NotNegative]
    speed: Annotated[float, "m/s", NotNegative] = 0.2
    acceleration: Annotated[float, "m/s^2", Positive] = 0.01
    sigma_RN: Annotated[Vec3, "-"] = ZERO3
    faces_centre: Annotated[bool, "-"] = False

    def step(self, t: float, x: CirclePathMemory, motion: FrameMotion) -> tuple[CirclePathMemory, CirclePathOutputs]:
        n_N = self.normal_N / norm(self.normal_N)
        axes = plane_axes(n_N)
        e_1, e_2 = axes[0], axes[1]
        offset_N = motion.r_BN_N - self.centre_N
        nearest = arctan2(dot(offset_N, e_2), dot(offset_N, e_1))
        start_angle = choose(x.is_started, x.start_angle, nearest)
        start_time = choose(x.is_started, x.start_time, t)

        # Eq. (1)
        has_circle = self.radius > _NO_RADIUS
        radius = choose(has_circle, self.radius, 1.0)
        gone, ramp = t - start_time, self.speed / self.acceleration
        is_even = gone >= ramp
        s = choose(is_even, self.speed * (gone - 0.5 * ramp), 0.5 * self.acceleration * gone * gone)
        v = choose(is_even, self.speed, self.acceleration * gone)
        a = choose(is_even, 0.0, self.acceleration)
        turned = choose(has_circle, s / radius, 0.0)
        rate, rate_dot = choose(has_circle, v / radius, 0.0), choose(has_circle, a / radius, 0.0)
        angle = start_angle + turned

        # Eq. (2)
        outwards = cos(angle) * e_1 + sin(angle) * e_2
        along = cross(n_N, outwards)
        spins = choose(self.faces_centre, 1.0, 0.0)
        facing = mrp_from_dcm(np.array((
            (-outwards[0], -outwards[1], -outwards[2]),
            (-along[0], -along[1], -along[2]),
            (n_N[0], n_N[1], n_N[2]),
        )))  # fmt: skip
        reference = FlyerReference(
            r_RN_N=self.centre_N + self.radius * outwards,
            v_RN_N=self.radius * rate * along,
            a_RN_N=self.radius * (rate_dot * along - rate * rate * outwards),
            sigma_RN=choose(self.faces_centre, facing, self.sigma_RN),
            omega_RN_N=spins * rate * n_N,
            omega_dot_RN_N=spins * rate_dot * n_N,
        )
        # to the nearest point of the whole circle
        height = dot(offset_N, n_N)
        flat = norm(offset_N - height * n_N)
        lateral = np.sqrt(height * height + (flat - self.radius) * (flat - self.radius))
        laps = np.floor(turned / _TURN)
        progress = progress_towards(motion, reference, np.int64(laps), turned / _TURN - laps, lateral)
        return CirclePathMemory(start_angle, start_time, True), CirclePathOutputs(reference, progress)


def plane_axes(n_N: Vec3) -> Mat3:
    """Rows e_1, e_2, n: right-handed, with e_1 as near as can be to the inertial axis that `n_N` is farthest from."""
    x, y, z = np.abs(n_N[0]), np.abs(n_N[1]), np.abs(n_N[2])
    is_x = (x <= y) & (x <= z)
    is_y = (y < x) & (y <= z)
    seed = np.array([choose(is_x, 1.0, 0.0), choose(is_y, 1.0, 0.0), choose(is_x | is_y, 0.0, 1.0)])
    across = seed - dot(seed, n_N) * n_N
    e_1 = across / norm(across)
    e_2 = cross(n_N, e_1)
    return np.array(((e_1[0], e_1[1], e_1[2]), (e_2[0], e_2[1], e_2[2]), (n_N[0], n_N[1], n_N[2])))
