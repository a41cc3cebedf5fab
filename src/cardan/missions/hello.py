"""`hello`: a tumbling spacecraft is brought to rest."""

import numpy as np

from cardan import Rk4, fsw, models
from cardan.maths import quaternion_from_mrp, rotation_angle
from cardan.missions.mission import Curve, Mission, Result
from cardan.scenario import Scenario
from cardan.simulation import Log

INERTIA_B = np.diag([900.0, 800.0, 600.0])  # [kg m^2]
SETTLED = 0.1  # [deg]


def build() -> Scenario:
    """A rigid body, its tracking error and its controller, which run at 2 Hz."""
    scn = Scenario("hello")
    start = models.RigidBodyState(
        q_BN=quaternion_from_mrp(np.array([0.1, 0.2, -0.3])), omega_BN_B=np.array([0.001, -0.01, 0.03])
    )
    body = scn.add(models.RigidBody(inertia_B=INERTIA_B), name="body", initial=start)
    err = scn.add(fsw.AttitudeTracking(), name="err", every=0.5, attitude=body.attitude)
    ctl = scn.add(fsw.MrpFeedback(K=3.5, P=30.0, inertia_B=INERTIA_B), name="ctl", every=0.5, error=err.error)
    scn.connect(ctl.torque, body.drive)
    return scn


def attitude_error(log: Log) -> np.ndarray:
    """[deg] The angle between the body and its reference."""
    return np.rad2deg(rotation_angle(log["err.error"].sigma_BR))


def results(log: Log) -> list[Result]:
    error = attitude_error(log)
    rate = np.linalg.norm(log["err.error"].omega_BR_B, axis=1)
    return [
        Result("attitude error at the start", float(error[0]), "deg"),
        Result("attitude error at the end", float(error[-1]), "deg"),
        Result("rate at the end", float(rate[-1]), "rad/s"),
        settled(log.t, error),
        Result("largest torque about an axis", float(np.max(np.abs(log["ctl.torque"].torque_B))), "N m"),
    ]


def settled(t: np.ndarray, error: np.ndarray) -> Result:
    """Since when the error [deg] is small at every sample, if it is at the last one."""
    name, end = f"within {SETTLED} deg after", t[-1]
    if error[-1] > SETTLED:
        return Result(name, None, "s", f"not within {SETTLED} deg by {end:g} s: {error[-1]:.3g} deg")
    outside = np.flatnonzero(error > SETTLED)
    since = t[outside[-1] + 1] if len(outside) else t[0]
    return Result(name, float(since), "s", f"until the end, at {end:g} s")


def curve(log: Log) -> Curve:
    return Curve("attitude error [deg]", log.t, attitude_error(log))


MISSION = Mission(
    name="hello",
    title="A tumbling spacecraft is brought to rest by MRP feedback",
    about=(
        "A rigid spacecraft starts 82 degrees off and tumbling at 1.8 deg/s. Flight software at 2 Hz computes the "
        "tracking error and the control torque by feedback of modified Rodrigues parameters; the torque acts on the "
        "body, whose attitude is integrated as a unit quaternion."
    ),
    build=build,
    until=600.0,
    integrator=Rk4(step=0.1),
    results=results,
    curve=curve,
    figures={"attitude": ("err.error.sigma_BR", "err.error.omega_BR_B"), "torque": ("ctl.torque.torque_B",)},
)
