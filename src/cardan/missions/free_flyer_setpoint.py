"""`free-flyer-setpoint`: a free flyer comes to rest at a set-point."""

import numpy as np

from cardan import Rk4
from cardan.dynamics import Mujoco, RecursiveTree
from cardan.maths import mrp_from_quaternion, quaternion_product
from cardan.mechanism import Mechanism
from cardan.messages import FlyerReference, FrameMotion
from cardan.missions.free_flyer import (
    NAME,
    break_thruster,
    controller_names,
    controller_of,
    error_sizes,
    fly,
    kind_of,
    thrust_figure,
    thrust_results,
)
from cardan.missions.mission import Curve, Mission, Result
from cardan.missions.vehicles import add_flyer
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

GOAL = np.array([0.0, 0.0, 10.17])  # [m]
NEAR, ALIGNED = 0.05, 2.0  # [m], [deg] what counts as having arrived


def fixed_axes_quaternion(x: float, y: float, z: float) -> np.ndarray:
    """[-] Unit quaternion of turns [rad] about the fixed axes x, then y, then z."""
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for i, angle in enumerate((x, y, z)):
        turn = np.zeros(4)
        turn[0], turn[1 + i] = np.cos(0.5 * angle), np.sin(0.5 * angle)
        q = quaternion_product(q, turn)
    return q


def build(
    controller: str = "pd",
    vehicle: str = "astrobee",
    start_offset: tuple[float, float, float] = (1.0, 0.0, 0.0),
    start_angles: tuple[float, float, float] = (0.2, -0.2, 0.2),
    fault: str = "none",
    fault_thruster: int = 6,
    fault_time: float = 5.0,
) -> Scenario:
    """A flyer alone in space, its controller and its thrusters."""
    chosen, kind = controller_of(controller), kind_of(vehicle)
    m = Mechanism("free-flyer-setpoint")
    flyer = add_flyer(m, kind, name=NAME)
    scn = Scenario("free-flyer-setpoint", mechanism=m)
    fly(scn, m, flyer, chosen, FlyerReference(r_RN_N=GOAL))
    break_thruster(scn, flyer, fault, fault_thruster, fault_time)
    sigma_BN = mrp_from_quaternion(fixed_axes_quaternion(*start_angles))
    scn.start({flyer.body: FrameMotion(r_BN_N=GOAL + np.array(start_offset), sigma_BN=sigma_BN)})
    return scn


def arrived(log: Log) -> float | None:
    """[s] After when it is near its set-point for good; None if it never is."""
    sizes = error_sizes(log)
    away = np.flatnonzero((sizes["r"] > NEAR) | (sizes["theta"] > ALIGNED))
    if not len(away):
        return 0.0
    return float(log.t[away[-1] + 1]) if away[-1] + 1 < len(log.t) else None


def results(log: Log) -> list[Result]:
    sizes, when = error_sizes(log), arrived(log)
    name = f"within {100 * NEAR:g} cm and {ALIGNED:g} deg after"
    return [
        Result("position error at the end", 1e3 * float(sizes["r"][-1]), "mm"),
        Result("attitude error at the end", float(sizes["theta"][-1]), "deg"),
        Result("largest speed", float(sizes["v"].max()), "m/s"),
        Result("largest rate", float(sizes["omega"].max()), "deg/s"),
        Result(name, when, "s", "" if when is not None else f"not by {log.t[-1]:g} s"),
        *thrust_results(log),
    ]


def curve(log: Log) -> Curve:
    return Curve("position error [m]", log.t, error_sizes(log)["r"])


def errors_figure(log: Log) -> list[Panel]:
    error, names = log["ctl.error"], ("x", "y", "z")
    fields = {
        "position error [m]": error.r_BR_B,
        "attitude error [deg]": np.rad2deg(error.theta_BR_B),
        "velocity error [m/s]": error.v_BR_B,
        "rate error [deg/s]": np.rad2deg(error.omega_BR_B),
    }
    return [
        Panel(label, {name: (log.t, values[:, i]) for i, name in enumerate(names)}) for label, values in fields.items()
    ]


MISSION = Mission(
    name="free-flyer-setpoint",
    title="A free flyer comes to rest at a set-point",
    about=(
        "Astrobee, AERCam Sprint or a CubeSat starts at rest, a metre and 20 degrees from its set-point, and flies "
        "there with twelve thrusters that only push. PD or LQR control asks for a force and a torque, and an exact "
        "active set finds the thrusts. The set-point task of SmallSatSim."
    ),
    build=build,
    until=60.0,
    integrator=Rk4(step=0.01),
    results=results,
    curve=curve,
    figures={"errors": errors_figure, "thrust": thrust_figure},
    record=Record(every=0.1, ports=(f"{NAME}/*.motion", "ctl.*", "push.state")),
    options={
        "controller": controller_names(),
        "vehicle": "astrobee, sprint or cubesat",
        "start.offset": "[m] from the set-point, in inertial components",
        "start.angles": "[rad] turns about the fixed axes x, y, z at the start",
        "fault": "none, stuck-off or stuck-on",
        "fault.thruster": "which thruster, from 0",
        "fault.time": "[s] when it fails",
    },
    dynamics=(RecursiveTree(), Mujoco()),
)
