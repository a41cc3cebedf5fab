"""Every shipped part through its checker, and every one with a page and a test of its own."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import cardan as cd
from cardan import drivers, fsw, models
from cardan.contracts.part import contract_of
from cardan.contracts.rounding import loose_roundings
from cardan.gimbals import make_gimbal_tables
from cardan.mechanism import Clearance
from cardan.messages import (
    BodyTorque,
    DensityArc,
    FrameMotion,
    FrameMotions,
    FramePositions,
    GimbalAngles,
    HingeStates,
    Light,
    RedundantMeasurements,
    StepperState,
    ThrusterCommand,
    ThrusterLimits,
    TurnArc,
)
from cardan.missions.vehicles import add_flyer

ROOT = Path(__file__).parents[2]
INERTIA = np.array([[900.0, 5.0, -3.0], [5.0, 800.0, 2.0], [-3.0, 2.0, 600.0]])
AXES = np.array([[0.6, 0.0, 0.8], [-0.6, 0.0, 0.8], [0.0, 0.6, 0.8], [0.0, -0.6, 0.8]])

STEP = {"step_angle": 1.4e-4, "step_time": 0.008, "max_steps": 20000}
TABLES = make_gimbal_tables()
EPOCH = cd.Epoch("2024-03-20T03:06:24Z")
AREA, FACETS = [1.0, 2.0, 3.0], np.eye(3)

MOVE = models.smoothed_bang_coast_bang(start=0.1, reference=1.5, max_acceleration=0.2, bang=1.0, smooth=0.5)
BEE_ALONE = cd.Mechanism("bee")
BEE = add_flyer(BEE_ALONE, "astrobee", name="bee")
SOME_THRUST = {"limits": ThrusterLimits(np.zeros(12), BEE.thrusters.max_thrust * np.linspace(0.5, 1.0, 12))}

PARTS = [
    models.AngularImpulse(),
    models.ContactImpulse(),
    drivers.ContactMonitor(),
    models.Gripper(),
    fsw.GripSequencer(max_thrust=[0.3, 0.6], distance=3.0, angle=4.0, speed=3.0, rate=3.0),
    models.TidalJ2Gravity(),
    fsw.CaptureSequencer(r_GB_B=[0.2, 0.1, 1.0], sigma_GB=[0.1, 0.0, -0.2], capture_distance=2.0, capture_speed=2.0),
    models.PropellantTank(290.0, 0.4, 1e-5, r_TB_B=[0.1, 0.2, 0.8], dry_mass=2000.0, inertia_D_B=INERTIA),
    fsw.AxisPointing([0.5, 0.2, 0.8], second_B=[1.0, 0.0, 0.0], second_N=[0.0, 1.0, 0.1]),
    fsw.ThrustAim(thrust=0.28, unload_rate=1e-4),
    fsw.ThrusterSwap(swap=500.0, settle=100.0, second_home_B=[0.0, 0.0, 1.0]),
    drivers.GimbalDriver(*TABLES.to_gimbal, motor_step=1.4e-4, step_time=0.008),
    drivers.StepperDriver(**STEP),
    models.StepperMotor(),
    models.SwirlThruster(thrust=0.25, swirl_torque=4e-5),
    models.TwoAxisGimbal(),
    fsw.AxisToGimbalAngles(tip_limit=0.3, tilt_limit=0.5),
    fsw.GimbalToMotorAngles(*TABLES.to_motors),
    fsw.StepperController(**STEP),
    models.UniformGravity(),
    models.J2Gravity(),
    models.TidalGravity(a=7.0e6, e=0.1, i=0.5),
    models.ShiftedMotion(),
    models.Sunlight(radius=[6.378e6, 6.957e8, 1.737e6]),
    models.PlanetLight(),
    models.FacetDrag(AREA, FACETS, 0.5 * FACETS, [2.2, 2.0, 2.4]),
    models.FacetRadiation(AREA, FACETS, 0.5 * FACETS, [0.2, 0.3, 0.4], [0.1, 0.2, 0.3]),
    models.FacetShadows(
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]],
        sides=[3.0, 3.0],
        body=[0.0, 1.0],
        receiver=0,
    ),
    models.ExponentialAtmosphere(),
    models.HarrisPriester(),
    models.msis_arcs(EPOCH),
    models.ArcAtmosphere(),
    models.gridded_atmosphere(EPOCH, 10800.0, (400.0, 420.0)),
    models.magnetic_field(EPOCH, 86400.0, degree=3),
    models.tilted_dipole(EPOCH),
    models.ResidualDipole([0.1, 0.2, 0.3]),
    models.DensityNoise(),
    models.harmonic_gravity(3),
    models.ephemeris(EPOCH, 86400.0),
    models.earth_orientation(EPOCH, 86400.0),
    models.body_rotation("moon", EPOCH, 86400.0),
    models.rotation_about([0.0, 0.6, 0.8], MOVE, [1.0, 2.0, -0.5]),
    models.translation_along([0.0, 0.6, 0.8], MOVE),
    models.ChainedMotion(r_LF_F=np.array([0.1, 0.2, 0.3]), q_LF=np.array([0.8, 0.6, 0.0, 0.0])),
    models.through_waypoints(
        [1.0, 4.0, 9.0],
        [[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 1.0, 3.0]],
        [[1.0, 0.0, 0.0, 0.0], [0.8, 0.6, 0.0, 0.0], [0.6, 0.0, 0.8, 0.0]],
    ),
    fsw.MotionPlanner(start=0.1, max_acceleration=0.2, bang=1.0, smooth=0.5),
    models.MassSpringDamper(mass=2.0, stiffness=3.0, damping=0.1),
    models.RigidBody(inertia_B=INERTIA),
    models.TrackingIntegral(),
    models.PointMassGravity(),
    models.NBodyGravity(mu=[3.0, 2.0, 1.0]),
    models.NBodyGravity(mu=[3.0, 2.0, 1.0], central=-1),
    models.KeplerianEphemeris(
        a=[0.0, 1.0e11, 4.0e8],
        e=[0.0, 0.1, 0.05],
        i=[0.0, 0.1, 0.2],
        Omega=[0.0, 1.0, 2.0],
        omega=[0.0, 2.0, 3.0],
        M_0=[0.0, 1.0, 2.0],
        period=[0.0, 3.0e7, 2.0e6],
    ),
    models.HingeWaypoints(
        waypoints=[[0.0, 1.0, 0.5], [0.0, 0.0, 2.0], [1.0, 1.0, 1.0]],
        max_rate=0.1,
        max_acceleration=0.02,
        start=[0.0, 1.0, 2.0],
        dwell=3.0,
    ),
    models.HingePid(K_p=[1.0, 2.0, 3.0], K_d=[1.0, 2.0, 3.0], K_i=[0.1, 0.2, 0.3], max_torque=[1.0, 2.0, 3.0]),
    models.HingeTorqueLimits(max_torque=[1.0, 2.0, 3.0]),
    models.HingeFriction(friction=[1.0, 2.0, 3.0]),
    models.SlideFriction(friction=2.0),
    fsw.AttitudeTracking(),
    fsw.LinePid(K_p=1.0, K_d=2.0, K_i=3.0),
    fsw.MrpFeedback(K=3.5, P=30.0, inertia_B=INERTIA, Ki=1e-3, integral_limit=0.5),
    fsw.MrpFeedback(K=3.5, P=30.0, inertia_B=INERTIA, Ki=1e-3, is_gyroscopic_full=False),
    fsw.SimpleNavigation(
        position_noise=1.0,
        velocity_noise=0.1,
        attitude_noise=0.01,
        rate_noise=0.001,
        position_bias_N=[1.0, 2.0, 3.0],
        velocity_bias_N=[0.1, 0.2, 0.3],
        attitude_bias_B=[0.01, 0.02, 0.03],
        rate_bias_B=[0.001, 0.002, 0.003],
    ),
    fsw.InertialPointing(sigma_RN=[0.1, 0.2, -0.3]),
    fsw.InertialSpin(rate=0.01, axis_R=[0.6, 0.0, 0.8], sigma_R0N=[0.1, 0.2, -0.3]),
    fsw.HillPointing(sigma_RH=[0.1, 0.2, -0.3]),
    fsw.WheelMomentum(axes_B=AXES, inertia=[0.1, 0.2, 0.3, 0.4]),
    fsw.WheelAllocation(axes_B=AXES, balance=0.1),
    fsw.TorqueSaturation(max_torque=[0.5, 1.0, 2.0]),
    fsw.TorqueSaturation(max_torque=[0.5, 1.0, 2.0], keeps_direction=True),
    fsw.PositionFeedback(K=1.0, P=2.0, max_force=1.5, r_RN_N=[0.1, 0.2, 0.3]),
    fsw.ThrusterArmAllocation(
        r_S1B_B=[0.8, 0.0, 0.0],
        r_S2B_B=[-0.8, 0.0, 0.0],
        dcm_A1B=np.eye(3),
        dcm_A2B=np.diag([-1.0, -1.0, 1.0]),
        boom=1.0,
        r_CB_B=[0.1, 0.05, -0.02],
        max_thrust=2.5,
    ),
    fsw.ThrusterArmJoints(
        inertia=np.diag(np.arange(1.0, 9.0)) + 0.1, coupling_B=np.arange(24.0).reshape(8, 3), boom=1.0
    ),
    models.ThrusterBank(max_thrust=[0.3, 0.2, 0.1], min_thrust=0.02, time_constant=0.1),
    models.StuckThruster(number=1, thrust=0.2, after=500.0),
    models.ThrusterWrench(positions_B=AXES[:3], directions_B=AXES[1:]),
    drivers.ThrusterValves(max_thrust=[0.3, 0.2, 0.1], min_on=0.01),
    fsw.ThrusterAllocation(BEE.mixer, BEE.thrusters.max_thrust),
    fsw.pseudo_inverse_allocation(BEE.mixer, BEE.thrusters.max_thrust),
    fsw.PulseModulation(max_thrust=[0.3, 0.2, 0.1], min_on=0.01),
    fsw.flyer_pd(BEE.mass, BEE.inertia_C_B, BEE.mixer, BEE.thrusters.max_thrust),
    fsw.flyer_lqr(BEE.mass, BEE.inertia_C_B, BEE.mixer, BEE.thrusters.max_thrust, period=0.25),
    fsw.waypoint_mission(AXES, [1.0, 0.0, 0.0, 0.0], is_closed=True),
    fsw.spline_path(AXES[:3], [[1.0, 0.0, 0.0, 0.0], [0.8, 0.6, 0.0, 0.0], [0.6, 0.0, 0.8, 0.0]], speed=0.002),
    fsw.CirclePath([1.0, 2.0, 3.0], [0.0, 0.6, 0.8], radius=10.5, faces_centre=True),
    fsw.DockingGuidance([1.0, 2.0, 3.0], [0.0, 0.6, 0.8]),
    fsw.grid_planner(Clearance(BEE_ALONE, BEE.body), [1.0, 2.0, 3.0], spacing=5.0),
    fsw.ThrusterMonitor(BEE.mass, BEE.inertia_C_B, BEE.mixer, BEE.thrusters.max_thrust),
    fsw.ThrusterReconfiguration(max_thrust=[0.3, 0.2, 0.1]),
    fsw.SafeHold(patience=1.0),
    fsw.ChiSquareTest(window=4, limit=20.0),
    fsw.CusumTest(allowance=0.5, limit=10.0),
    fsw.ParityTest(fsw.parities_of([[1.0], [1.0], [1.0]]), noise=0.1, limit=10.0),
    fsw.MedianVote(tolerance=0.1),
    fsw.WheelResiduals(inertia=[0.1, 0.2, 0.3], noise=0.01, drag=1e-4),
    fsw.LatchSequencer(phase=[0, 1, 1], stowed=[0.0, 0.0, 0.0], deployed=[1.0, 2.0, 3.0], tolerance=1.0),
]


# messages for parts that refuse random ones, or that lose digits with them
INPUTS = {
    fsw.CaptureSequencer: {"turns": HingeStates(np.array([0.01, -0.02, 0.03]), np.array([0.01, 0.0, -0.01]))},
    fsw.GimbalToMotorAngles: {"angles": GimbalAngles(-0.1, 0.05, False)},
    drivers.GimbalDriver: {"first": StepperState(1.0, 1, 3000, 1, 0), "second": StepperState(2.0, -1, -4000, 1, 0)},
    **dict.fromkeys((fsw.ThrusterAllocation, fsw.PseudoInverseAllocation, fsw.FlyerPd, fsw.FlyerLqr), SOME_THRUST),
    fsw.ThrusterMonitor: {"command": ThrusterCommand(BEE.thrusters.max_thrust * np.linspace(0.1, 0.9, 12))},
    fsw.MedianVote: {"a": BodyTorque},
    fsw.ParityTest: {"measured": RedundantMeasurements(np.array([1.0, 1.2, 0.7]))},
    fsw.GridPlanner: {"obstacles": FramePositions(np.zeros((0, 3)))},
    models.TwoAxisGimbal: {"arc": TurnArc(start=500.0, angle=0.1, rate=1e-3, acceleration=1e-6)},
}
ORBIT = FrameMotion(np.array([6.78e6, 1e5, 2e5]), np.array([100.0, 7500.0, 30.0]), AXES[0] * 0.3, AXES[1] * 1e-3)
SKY = FramePositions(np.array([[0.0, 0.0, 0.0], [1.4e11, 3e10, 2e9], [3e8, 1e8, 1e7]]))
HERE = {"motion": ORBIT, "planet": models.planet_at_rest()}
INPUTS |= {
    models.Sunlight: {"motion": ORBIT, "celestial": SKY},
    models.PlanetLight: {"motion": ORBIT, "celestial": SKY},
    models.ExponentialAtmosphere: HERE,
    models.HarrisPriester: HERE | {"celestial": SKY},
    models.MsisArcs: HERE,
    models.GriddedAtmosphere: HERE,
    models.MagneticField: HERE,
    models.TiltedDipole: HERE,
    models.ArcAtmosphere: HERE | {"arc": DensityArc(0.0, 1000.0, -28.0, 1e-4, 1e-7, 900.0)},
    models.FacetShadows: {
        "motions": FrameMotions(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3))),
        "light": Light(np.array([0.6, 0.0, 0.8]), 1361.0),
    },
}
# a part that refuses bad commands with an exception, that searches, or whose loops depend on data cannot be traced
UNTRACED = {
    fsw.AxisPointing,
    fsw.AxisToGimbalAngles,
    fsw.ChiSquareTest,
    fsw.CusumTest,
    fsw.CaptureSequencer,
    fsw.DockingGuidance,
    fsw.FlyerLqr,
    fsw.FlyerPd,
    fsw.GimbalToMotorAngles,
    fsw.MedianVote,
    fsw.ParityTest,
    fsw.PseudoInverseAllocation,
    fsw.SafeHold,
    fsw.ThrusterAllocation,
    fsw.ThrusterMonitor,
    fsw.ThrusterReconfiguration,
    fsw.WaypointMission,
    fsw.WheelResiduals,
    models.FacetShadows,
    models.StuckThruster,
}


ONE_BY_ONE = {
    "AxisPointing", "AxisToGimbalAngles", "CaptureSequencer", "ChiSquareTest", "CirclePath", "ContactMonitor",
    "CusumTest", "DensityNoise", "DockingGuidance", "EarthOrientation", "Ephemeris", "FacetShadows", "FlyerLqr",
    "FlyerPd", "GimbalDriver", "GimbalToMotorAngles", "GridPlanner", "GriddedAtmosphere", "HarrisPriester",
    "HingeWaypoints", "KeplerianEphemeris", "LatchSequencer", "MedianVote", "MotionPlanner", "MsisArcs",
    "ParityTest", "PlanetLight", "PseudoInverseAllocation", "PulseModulation", "SafeHold", "SimpleNavigation",
    "SplinePath", "StepperController", "StepperDriver", "StuckThruster", "Sunlight", "ThrusterAllocation",
    "ThrusterMonitor", "ThrusterReconfiguration", "ThrusterSwap", "ThrusterValves", "TwoAxisGimbal",
    "WaypointMission", "WaypointMotion", "WheelResiduals",
}  # fmt: skip
"""Parts that decide by a value, draw or look up: members of a batch run them one after another."""


def shipped() -> list[type]:
    """Every model and task class that the packages export."""
    found = []
    for package in (models, drivers, fsw):
        for value in vars(package).values():
            if inspect.isclass(value) and hasattr(value, "__cardan_part__"):
                found.append(value)
    return found


def test_every_shipped_part_is_checked_here():
    assert {type(part) for part in PARTS} == set(shipped())


@pytest.mark.parametrize("cls", shipped(), ids=lambda cls: cls.__name__)
def test_a_shipped_part_uses_only_what_is_rounded_alike_on_every_machine(cls):
    """In its code, whatever this machine shows: NumPy's functions depend on the processor."""
    contract = contract_of(cls)
    if contract.jit:
        assert loose_roundings(*(method.function for method in contract.methods.values())) == []


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_a_shipped_part_is_the_same_in_plain_python_in_native_code_and_traced(part):
    check = cd.check_model if contract_of(part).kind == "model" else cd.check_task
    targets = check(part, inputs=INPUTS.get(type(part))).targets
    assert (targets["lanes"] != "eight at once") == (type(part).__name__ in ONE_BY_ONE)
    if not contract_of(part).jit:  # it calls a foreign program
        assert targets["native"] == "not used: the part is marked jit=False"
        return
    assert targets["native"] == "the same bits"
    refused = ("no: Attempted boolean", "no: JAX arrays", "no: Abstract tracer")
    assert targets["jax"].startswith(refused if type(part) in UNTRACED else "the same")


@pytest.mark.parametrize("cls", shipped(), ids=lambda cls: cls.__name__)
def test_a_shipped_part_has_a_theory_page_and_a_unit_test(cls):
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
    assert (ROOT / "docs" / "theory" / f"{name}.md").exists()
    assert list((ROOT / "tests").glob(f"*/test_{name}.py")), f"tests/*/test_{name}.py"
    for parameter in contract_of(cls).parameters.fields:
        assert f"{parameter.name}:" in inspect.getdoc(cls), f"{cls.__name__}.{parameter.name} is not described"
