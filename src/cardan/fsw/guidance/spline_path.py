"""A smooth reference through waypoints at given times."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import Ascending, Constraint, OnePer, task
from cardan.errors import SettingError
from cardan.fsw.guidance.path_errors import progress_towards
from cardan.maths import Rows3, Vec, clip, dcm_from_mrp, dot, matvec_transposed, norm, short_mrp
from cardan.maths.splines import Spline, spline_at, spline_through
from cardan.messages import FlyerReference, FrameMotion, PathProgress

_TwoOrMore = Constraint("two times or more", lambda time: len(time) >= 2)


class SplinePathOutputs(NamedTuple):
    reference: FlyerReference
    progress: PathProgress


@task
class SplinePath(NamedTuple):
    """A reference through waypoints without stopping, from rest to rest; made by `spline_path`.

    Position and attitude (MRP) are polynomials of the fifth degree between waypoints, continuous up to the fourth
    derivative. Velocities and accelerations come with them, for controllers that feed them forward.

    Attributes:
        time: [s] When each waypoint is passed, from the start of the run.
        r_RN_N: [m] Positions there, in inertial components, a row each.
        v_RN_N: [m/s] Their rates.
        a_RN_N: [m/s^2] Their second rates.
        sigma_RN: [-] MRP there, a row each; not always of the short rotation.
        sigma_dot_RN: [1/s] Rates of the MRP.
        sigma_ddot_RN: [1/s^2] Second rates of the MRP.
    """

    time: Annotated[Vec, "s", Ascending, _TwoOrMore]
    r_RN_N: Annotated[Rows3, "m", OnePer("time")]
    v_RN_N: Annotated[Rows3, "m/s", OnePer("time")]
    a_RN_N: Annotated[Rows3, "m/s^2", OnePer("time")]
    sigma_RN: Annotated[Rows3, "-", OnePer("time")]
    sigma_dot_RN: Annotated[Rows3, "1/s", OnePer("time")]
    sigma_ddot_RN: Annotated[Rows3, "1/s^2", OnePer("time")]

    def step(self, t: float, motion: FrameMotion) -> SplinePathOutputs:
        spline = Spline(
            self.time,
            self.r_RN_N,
            self.v_RN_N,
            self.a_RN_N,
            self.sigma_RN,
            self.sigma_dot_RN,
            self.sigma_ddot_RN,
        )
        now = spline_at(t, spline)
        dcm_RN = dcm_from_mrp(now.sigma)
        reference = FlyerReference(
            r_RN_N=now.r,
            v_RN_N=now.v,
            a_RN_N=now.a,
            sigma_RN=short_mrp(now.sigma),
            omega_RN_N=matvec_transposed(dcm_RN, now.omega),
            omega_dot_RN_N=matvec_transposed(dcm_RN, now.omega_dot),
        )
        # what is across the direction of flight; all of it at rest
        offset_N = motion.r_BN_N - now.r
        along = dot(offset_N, now.v) / np.maximum(dot(now.v, now.v), 1.0e-18)
        whole = self.time[-1] - self.time[0]
        fraction = clip((t - self.time[0]) / whole, 0.0, 1.0)
        lateral = norm(offset_N - along * now.v)
        return SplinePathOutputs(reference, progress_towards(motion, reference, now.piece, fraction, lateral))


def spline_path(waypoints_N: Any, q_RN: Any, *, time: Any = None, speed: float = 0.2, start: float = 0.0) -> SplinePath:
    """A smooth reference through waypoints.

    Args:
        waypoints_N: [m] (n, 3)
        q_RN: [-] (n, 4) Unit quaternions of the attitudes there.
        time: [s] (n,) When each is passed; if left out, distances over `speed` say so.
        speed: [m/s] Mean speed along each line, where `time` is left out.
        start: [s] When it leaves the first waypoint, where `time` is left out.
    """
    places = np.asarray(waypoints_N, dtype=float)
    if time is None:
        if not speed > 0.0:
            raise SettingError(f"spline_path: `speed` must be positive; got {speed} m/s.")
        lengths = np.linalg.norm(np.diff(places, axis=0), axis=-1)
        if places.ndim == 2 and not np.all(lengths > 0.0):
            k = int(np.argmin(lengths))
            raise SettingError(
                f"spline_path: waypoints {k} and {k + 1} are the same, {places[k].tolist()}.\n"
                "  Leave one out, or give times."
            )
        time = start + np.r_[0.0, np.cumsum(lengths / speed)]
    return SplinePath(*spline_through("spline_path", time, places, q_RN))
