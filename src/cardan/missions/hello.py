"""`hello`: a tumbling spacecraft is brought to rest."""

import numpy as np

from cardan import Rk4, fsw, models
from cardan.maths import quaternion_from_mrp, rotation_angle
from cardan.missions.mission import Campaign, Curve, Mission, Result, settled
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
    return np.asarray(np.rad2deg(rotation_angle(log["err.error"].sigma_BR)))


def results(log: Log) -> list[Result]:
    error = attitude_error(log)
    rate = np.linalg.norm(log["err.error"].omega_BR_B, axis=1)
    return [
        Result("attitude error at the start", float(error[0]), "deg"),
        Result("attitude error at the end", float(error[-1]), "deg"),
        Result("rate at the end", float(rate[-1]), "rad/s"),
        settled(log.t, error, SETTLED),
        Result("largest torque about an axis", float(np.max(np.abs(log["ctl.torque"].torque_B))), "N m"),
    ]


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
    campaign=Campaign(
        disperse={
            "body.inertia_B": "normal(5%)",
            "body.state.q_BN": "attitude()",
            "body.state.omega_BN_B": "unit_vector(uniform(0, 0.04))",
        },
        limits={"attitude error at the end": "<= 0.1", "largest torque about an axis": "<= 4"},
    ),
)
