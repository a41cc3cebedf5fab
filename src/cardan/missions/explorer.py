"""An explorer of the asteroid belt with two electric thrusters on gimbals: what `gimbal-command` and `sep-point` share.

The source gives angles, steps and mounts (Kiner, Allard and Schaub, Table 1); masses, places and thrust are ours,
plausible for a spacecraft of 2.3 t with two thrusters of the 280 mN class, and written down here.
"""

from typing import Any, NamedTuple

import numpy as np

from cardan import drivers, fsw, models
from cardan.gimbals import CrankGimbal, GimbalTables, load_gimbal_tables, make_gimbal_tables, pointing_bound
from cardan.maths import dcm_from_mrp, gimbal_axis, quaternion_from_dcm
from cardan.mechanism import Ball, Box, Cylinder, Free, Hinge, Mechanism
from cardan.missions.mission import Result, parameter
from cardan.models import PropellantTank, PropellantTankState
from cardan.scenario import Scenario
from cardan.simulation import Log

DEG = np.pi / 180.0

# ---- gimbals and motors: Table 1 of the source ---------------------------------------------------------------------
GIMBAL = CrankGimbal(tip_max=18.5 * DEG, tilt_max=27.5 * DEG, motor_max=160.0 * DEG)
STEP: dict[str, Any] = {"step_angle": 0.008 * DEG, "step_time": 0.008, "max_steps": 20000}
CANT = 15.0 * DEG  # of each mount, outwards about b1

# ---- the explorer: ours --------------------------------------------------------------------------------------------
HUB_MASS = 1960.0  # [kg] without propellant, platforms and wheels; solar arrays included, fixed along +-b1
HUB_INERTIA_B = np.diag([2350.0, 5100.0, 5500.0])  # [kg m^2] about its own centre of mass
R_HUB_B = np.array([0.010, -0.006, 0.0])  # [m] its centre of mass; B is the centre of the bus
TANK_MASS = 290.0  # [kg] xenon at the start
R_TANK_B = np.array([0.0, 0.0, 0.85])  # [m]
TANK_RADIUS = 0.42  # [m] of the sphere that it fills
PLATFORM_MASS = 24.0  # [kg] thruster, platform and harness, each
PLATFORM_INERTIA_G = np.diag([0.75, 0.75, 0.60])  # [kg m^2]
R_MOUNT_B = {1: np.array([0.0, 0.55, -1.75]), 2: np.array([0.0, -0.55, -1.75])}  # [m]
WHEEL_MASS = 12.0  # [kg] each
WHEEL_INERTIA = 0.0796  # [kg m^2] stores 50 N m s at 6000 rpm
WHEEL_SLANT = 35.26 * DEG  # of the wheels' axes above the b1-b2 plane: equal momentum along all axes
R_PRESSURE_B = np.array([0.08, 0.15, 0.30])  # [m] where the pressure of sunlight acts
R_WHEELS_B = np.array([0.0, 0.0, 0.3])  # [m]


def dcm_mount(number: int) -> np.ndarray:
    """dcm_MB of a gimbal's mount: canted about b1, then turned by +-90 deg about its own third axis."""
    sign = 1.0 if number == 1 else -1.0
    c, s = np.cos(CANT), sign * np.sin(CANT)
    canted = np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])
    turned = np.array([[0.0, sign, 0.0], [-sign, 0.0, 0.0], [0.0, 0.0, 1.0]])
    dcm_MB: np.ndarray = turned @ canted
    return dcm_MB


def wheel_axes(count: int) -> np.ndarray:
    """[-] Spin axes in body components, a row each: along the body's axes, or on a pyramid about b3."""
    if count == 3:
        return np.eye(3)
    around = np.deg2rad([45.0, 135.0, 225.0, 315.0])
    flat, up = np.cos(WHEEL_SLANT), np.sin(WHEEL_SLANT)
    return np.stack([flat * np.cos(around), flat * np.sin(around), np.full(4, up)], axis=1)


def tank(flow_rate: float) -> PropellantTank:
    """The hub with its tank; each thruster draws this much [kg/s]."""
    return PropellantTank(TANK_MASS, TANK_RADIUS, flow_rate, R_TANK_B, HUB_MASS, R_HUB_B, HUB_INERTIA_B)


def explorer(wheels: int) -> Mechanism:
    """The hub with a full tank, two platforms on ball joints at their mounts, and so many wheels."""
    m = Mechanism("explorer")
    full = tank(0.0).properties(PropellantTankState(TANK_MASS))
    hub = m.add_body("hub", joint=Free(), mass=full.mass, inertia_B=full.inertia_C_B, r_CB_B=full.r_CB_B)
    m.add_shape(hub, Box([0.75, 0.85, 1.6]), color=(0.78, 0.66, 0.36, 1.0))
    for side in (1.0, -1.0):
        m.add_shape(hub, Box([4.0, 1.1, 0.02]), r_SB_B=(side * 5.3, 0.0, 0.3), color=(0.16, 0.27, 0.55, 1.0))
    for number in (1, 2):
        place: dict[str, Any] = {"r_BP_P": R_MOUNT_B[number], "q_BP": quaternion_from_dcm(dcm_mount(number))}
        m.add_site(f"mount{number}", hub, r_SB_B=R_MOUNT_B[number], q_SB=place["q_BP"])
        platform = m.add_body(
            f"platform{number}",
            parent=hub,
            joints={f"gimbal{number}_ball": Ball()},
            mass=PLATFORM_MASS,
            inertia_B=PLATFORM_INERTIA_G,
            **place,
        )
        m.add_site(f"thruster{number}", platform)
        m.add_shape(platform, Box([0.32, 0.32, 0.03]), color=(0.5, 0.52, 0.56, 1.0))
        m.add_shape(platform, Cylinder(0.2, 0.16), r_SB_B=(0.0, 0.0, -0.18), color=(0.25, 0.25, 0.28, 1.0))
    m.add_site("pressure", hub, r_SB_B=R_PRESSURE_B)
    for i, axis_B in enumerate(wheel_axes(wheels) if wheels else [], 1):
        rotor = m.add_body(
            f"rotor{i}",
            parent=hub,
            joints={f"wheel{i}": Hinge(axis_B)},
            mass=WHEEL_MASS,
            inertia_B=rotor_inertia(axis_B),
            r_BP_P=R_WHEELS_B,
        )
        m.add_shape(rotor, Cylinder(0.15, 0.05), q_SB=_turn_from_z(axis_B), color=(0.3, 0.5, 0.8, 1.0))
    return m


def _turn_from_z(axis: np.ndarray) -> np.ndarray:
    """[-] A unit quaternion that turns z to an axis above the x-y plane."""
    q = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    return np.asarray(q / np.linalg.norm(q))


def vehicle_inertia(wheels: int) -> np.ndarray:
    """[kg m^2] Of the whole explorer about its centre of mass, tank full and gimbals at home, in body components."""
    full = tank(0.0).properties(PropellantTankState(TANK_MASS))
    parts = [(full.mass, full.r_CB_B, full.inertia_C_B)]
    for number in (1, 2):
        dcm_MB = dcm_mount(number)
        parts.append((PLATFORM_MASS, R_MOUNT_B[number], dcm_MB.T @ PLATFORM_INERTIA_G @ dcm_MB))
    parts += [(WHEEL_MASS, R_WHEELS_B, rotor_inertia(axis_B)) for axis_B in wheel_axes(wheels)]
    mass = sum(part[0] for part in parts)
    centre_B = sum(part[0] * part[1] for part in parts) / mass
    total = np.zeros((3, 3))
    for part_mass, r_B, inertia_B in parts:
        total += inertia_B + models.point_inertia(part_mass, r_B - centre_B)
    return total


def rotor_inertia(axis_B: np.ndarray) -> np.ndarray:
    """[kg m^2] Of a wheel that spins about `axis_B`, in body components."""
    across = 0.6 * WHEEL_INERTIA
    return across * np.eye(3) + (WHEEL_INERTIA - across) * np.outer(axis_B, axis_B)


def gimbal_tables(folder: str) -> GimbalTables:
    """The tables in a folder, or those of the default geometry if none is named."""
    return load_gimbal_tables(folder) if folder else make_gimbal_tables(GIMBAL)


class Gimbal(NamedTuple):
    """The parts of one gimbal that others read.

    Attributes:
        pointing: The task that turns a thrust axis into gimbal angles.
        path: The task that drives the platform.
        motion: The model of the platform's motion.
    """

    pointing: Any
    path: Any
    motion: Any


def add_gimbal(
    scn: Scenario, number: int, command: Any, tables: GimbalTables, every: float, places: tuple[int, int] = (0, 0)
) -> Gimbal:
    """Flight software, drives and platform of one gimbal.

    Args:
        scn: The scenario, whose mechanism is an explorer.
        number: 1 or 2.
        command: What sends the thrust axis.
        tables: Of the gimbal.
        every: [s] Period of flight software and drives.
        places: [-] Steps from the lower hard stop at which the motors start; both at zero is stowed.
    """
    name = f"gimbal{number}"
    pointing = scn.add(
        fsw.AxisToGimbalAngles(dcm_mount(number), tip_limit=GIMBAL.tip_max, tilt_limit=GIMBAL.tilt_max),
        name=f"{name}_pointing",
        every=every,
        command=command,
    )
    motors = scn.add(
        fsw.GimbalToMotorAngles(*tables.to_motors), name=f"{name}_motors", every=every, angles=pointing.angles
    )
    drives = []
    for i, (target, place) in enumerate(zip((motors.motor1, motors.motor2), places, strict=True), 1):
        control = scn.add(
            fsw.StepperController(**STEP),
            name=f"{name}_steps{i}",
            every=every,
            target=target,
            initial=fsw.StepperControllerMemory(begin=place),
        )
        drive = scn.add(
            drivers.StepperDriver(**STEP),
            name=f"{name}_drive{i}",
            every=every,
            command=control.command,
            initial=drivers.StepperDriverMemory(place=place),
        )
        scn.add(models.StepperMotor(), name=f"{name}_motor{i}", arc=drive.arc)
        drives.append(drive)
    path = scn.add(
        drivers.GimbalDriver(*tables.to_gimbal, motor_step=STEP["step_angle"], step_time=STEP["step_time"]),
        name=f"{name}_path",
        every=every,
        first=drives[0].motor,
        second=drives[1].motor,
    )
    motion = scn.add(models.TwoAxisGimbal(), name=name, arc=path.arc)
    assert scn.mechanism is not None
    scn.connect(motion.turn, scn.mechanism.joints[f"{name}_ball"].prescribed)
    return Gimbal(pointing, path, motion)


def places_at(tip: float, tilt: float) -> tuple[int, int]:
    """[-] The steps of both motors nearest to this tip and tilt [rad]."""
    first, second = GIMBAL.motor_angles(tip, tilt)
    return round(float(first) / STEP["step_angle"]), round(float(second) / STEP["step_angle"])


# ---- reading a run -------------------------------------------------------------------------------------------------


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    """[rad] Between two directions, to all digits for small angles and large ones."""
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b)))


def gimbal_error(log: Log, number: int) -> np.ndarray:
    """[rad] Between the commanded thrust axis and the platform's, in the mount; from the second sample on.

    At the first sample the platform has not been told yet where it is.
    """
    angles, motion = log[f"gimbal{number}_pointing.angles"], log[f"gimbal{number}.motion"]
    samples = zip(angles.tip[1:], angles.tilt[1:], motion.sigma_GM[1:], strict=True)
    return np.array(
        [angle_between(dcm_from_mrp(sigma_GM)[2], gimbal_axis(tip, tilt, 3, 1, 2)) for tip, tilt, sigma_GM in samples]
    )


def bound_result(log: Log) -> Result:
    """What steps and tables explain of a gimbal's pointing error, for the tables and motors of the missions."""
    name, unit = "bound by steps and tables", "deg"
    if not all(_is_usual(log, number) for number in (1, 2) if f"gimbal{number}_motors" in log.about["parts"]):
        return Result(name, None, unit, "not known for other tables or motors")
    bound = pointing_bound(GIMBAL, step_angle=STEP["step_angle"])
    if any(log[path].is_limited[-1] for path in log if path.endswith("_pointing.angles")):
        return Result(name, bound.at_edge / DEG, unit, "at the edge of what the gimbal reaches")
    return Result(name, bound.inside / DEG, unit)


def _is_usual(log: Log, number: int) -> bool:
    to_motors, to_gimbal = make_gimbal_tables(GIMBAL)
    usual = {f"motors.{name}": value for name, value in to_motors._asdict().items()}
    usual |= {f"path.{name}": value for name, value in to_gimbal._asdict().items()}
    usual |= {f"{part}{i}.step_angle": STEP["step_angle"] for part in ("steps", "drive") for i in (1, 2)}
    return all(np.array_equal(parameter(log, f"gimbal{number}_{path}"), value) for path, value in usual.items())
