"""`sep-point`: a week of thrust with two gimballed electric thrusters, one after the other."""

import numpy as np

from cardan import DormandPrince54, fsw, models
from cardan.dynamics import BackSubstitution, Mujoco, RecursiveTree
from cardan.errors import SettingError
from cardan.maths import dcm_from_mrp, rotation_angle
from cardan.messages import InertialWrench
from cardan.missions.explorer import (
    DEG,
    WHEEL_INERTIA,
    add_gimbal,
    angle_between,
    bound_result,
    dcm_mount,
    explorer,
    gimbal_error,
    gimbal_tables,
    places_at,
    tank,
    vehicle_inertia,
    wheel_axes,
)
from cardan.missions.mission import Campaign, Curve, Mission, Result, last_of, parameter
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

HOUR, DAY = 3600.0, 86400.0  # [s]
RPM = np.pi / 30.0  # [rad/s]
THRUST = 0.28  # [N]
SWIRL = 5.0e-5  # [N m] of the first thruster; the second has the opposite polarity
FLOW_RATE = THRUST / (9.80665 * 1770.0)  # [kg/s] at a specific impulse of 1770 s
TARGET_N = np.array([0.45, -0.30, 0.84])  # where the thrust is to push
SUN_N = np.array([1.0, 0.0, 0.0])
ARRAYS_B = np.array([1.0, 0.0, 0.0])  # axis of the solar arrays, kept at right angles to the Sun
CONTROL_EVERY = 4.0  # [s] attitude control
COMMAND_EVERY = HOUR  # [s] gimbal commands
NATURAL_FREQUENCY, DAMPING = 0.005, 0.9  # [rad/s], [-] of the attitude loop


def build(
    wheels: int = 4,
    swap: float = 84.0,
    swaps: int = 1,
    settle: float = 1.0,
    unload_time: float = 0.0,
    pressure: float = 0.0,
    tables: str = "",
) -> Scenario:
    """The explorer with gimbals, tank and wheels; gimbals are commanded hourly, attitude is controlled at 0.25 Hz."""
    if wheels not in (3, 4):
        raise SettingError(f"The option `wheels` is 3 or 4; got {wheels}.")
    if not unload_time >= 0.0:
        raise SettingError(f"The option `unload.time` is not negative; got {unload_time}.")
    m = explorer(wheels)
    hub, spin = m.bodies["hub"], m.group_of_hinges("wheels", *(f"wheel{i + 1}" for i in range(wheels)))
    scn = Scenario("sep-point", mechanism=m)

    # what flight software knows: attitude, wheels, centre of mass
    nav = scn.add(fsw.SimpleNavigation(), name="nav", every=CONTROL_EVERY, truth=hub.motion)
    stored = scn.add(
        fsw.WheelMomentum(wheel_axes(wheels), inertia=np.full(wheels, WHEEL_INERTIA)),
        name="stored",
        every=CONTROL_EVERY,
        wheels=spin.states,
    )

    # which thruster, and where it is to push
    rate = 1.0 / (unload_time * HOUR) if unload_time > 0.0 else 0.0
    aims = [
        scn.add(
            fsw.ThrustAim(thrust=THRUST, unload_rate=rate, max_offset=2.0 * DEG),
            name=f"aim{number}",
            every=COMMAND_EVERY,
            body=nav.motion,
            mount=m.sites[f"mount{number}"].motion,
            vehicle=hub.momentum,
            stored=stored.momentum,
        )
        for number in (1, 2)
    ]
    turn = scn.add(
        fsw.ThrusterSwap(swap=swap * HOUR, settle=settle * HOUR, second_home_B=dcm_mount(2)[2], swaps=swaps),
        name="swap",
        every=COMMAND_EVERY,
        first=aims[0].axis,
        second=aims[1].axis,
    )
    made = gimbal_tables(tables)
    for number, command in ((1, turn.first_axis), (2, turn.second_axis)):
        add_gimbal(scn, number, command, made, COMMAND_EVERY, places_at(0.0, 0.0))

    # thrust, propellant, and what the thrust gives to the vehicle
    for number, switch, swirl in ((1, turn.first_switch, SWIRL), (2, turn.second_switch, -SWIRL)):
        nozzle = m.sites[f"thruster{number}"]
        thruster = scn.add(models.SwirlThruster(THRUST, swirl), name=f"sep{number}", switch=switch)
        scn.connect(thruster.wrench, nozzle.wrench)
        scn.add(
            models.AngularImpulse(),
            name=f"impulse{number}",
            wrench=thruster.wrench,
            frame=nozzle.motion,
            vehicle=hub.momentum,
        )
    xenon = scn.add(tank(FLOW_RATE), name="xenon", first=turn.first_switch, second=turn.second_switch)
    scn.connect(xenon.properties, hub.mass_properties)
    sunlight = InertialWrench(force_N=-pressure * SUN_N)
    lit = m.sites["pressure"]
    scn.connect(sunlight, lit.wrench_N)
    scn.add(models.AngularImpulse(), name="impulse3", wrench_N=sunlight, frame=lit.motion, vehicle=hub.momentum)

    # attitude
    inertia_B = vehicle_inertia(wheels)
    largest = float(np.max(inertia_B))
    ref = scn.add(
        fsw.AxisPointing(TARGET_N, second_B=ARRAYS_B, second_N=np.cross(TARGET_N, SUN_N)),
        name="ref",
        every=COMMAND_EVERY,
        command=turn.axis,
    )
    err = scn.add(
        fsw.AttitudeTracking(), name="err", every=CONTROL_EVERY, attitude=nav.attitude, reference=ref.reference
    )
    ctl = scn.add(
        fsw.MrpFeedback(
            K=4.0 * largest * NATURAL_FREQUENCY**2,
            P=2.0 * DAMPING * largest * NATURAL_FREQUENCY,
            inertia_B=inertia_B,
        ),
        name="ctl",
        every=CONTROL_EVERY,
        error=err.error,
        stored=stored.momentum,
    )
    share = scn.add(fsw.WheelAllocation(wheel_axes(wheels)), name="share", every=CONTROL_EVERY, torque=ctl.torque)
    limit = scn.add(
        fsw.TorqueSaturation(np.full(wheels, 0.2), keeps_direction=True),
        name="limit",
        every=CONTROL_EVERY,
        command=share.torques,
    )
    scn.connect(limit.torques, spin.efforts)
    return scn


# ---- what comes out ------------------------------------------------------------------------------------------------


def wheel_count(log: Log) -> int:
    return sum(path.startswith("wheel") for path in log)


def wheel_speeds(log: Log) -> np.ndarray:
    """[rpm] A column for each wheel."""
    return np.stack([log[f"wheel{i + 1}.state"].rate for i in range(wheel_count(log))], axis=1) / RPM


def wheel_momentum(log: Log) -> np.ndarray:
    """[N m s] Of the wheels relative to the hub, in inertial components."""
    stored_B = WHEEL_INERTIA * RPM * wheel_speeds(log) @ wheel_axes(wheel_count(log))
    dcm_BN = dcm_from_mrp(log["hub.motion"].sigma_BN)
    momentum_N: np.ndarray = np.einsum("tij,ti->tj", dcm_BN, stored_B)
    return momentum_N


def given_momentum(log: Log) -> np.ndarray:
    """[N m s] The integral of all torques about the centre of mass, in inertial components."""
    given: np.ndarray = sum(log[f"impulse{i}.given"].impulse_C_N for i in (1, 2, 3))
    return given


def balance(log: Log, momentum_N: np.ndarray) -> np.ndarray:
    """[-] What is missing between a momentum and what was given, relative to the largest that was; nan if none was."""
    given_N = given_momentum(log)
    largest = np.max(np.linalg.norm(given_N, axis=1))
    missing: np.ndarray = np.linalg.norm(momentum_N - given_N, axis=1) / (largest if largest > 0.0 else np.nan)
    return missing


def target(log: Log) -> np.ndarray:
    """[-] Where the thrust is to push, in inertial components, of unit length."""
    target_N = parameter(log, "ref.target_N")
    return np.asarray(target_N / np.linalg.norm(target_N))


def along_and_across(log: Log) -> tuple[np.ndarray, np.ndarray]:
    """[N m s] Momentum of the wheels along the thrust, and across it."""
    target_N = target(log)
    wheels_N = wheel_momentum(log)
    along = wheels_N @ target_N
    return along, np.linalg.norm(wheels_N - np.outer(along, target_N), axis=1)


def thrust_error(log: Log) -> np.ndarray:
    """[rad] Between the thrust that is on and its inertial target; nan where none is."""
    target_N = target(log)
    errors = np.full(len(log.t), np.nan)
    for number, port in ((1, "first_switch"), (2, "second_switch")):
        for i in np.flatnonzero(log[f"swap.{port}"].is_on):
            axis_N = dcm_from_mrp(log[f"thruster{number}.motion"].sigma_BN[i])[2]
            errors[i] = angle_between(axis_N, target_N)
    return errors


def motor_steps(log: Log) -> float:
    """[-] Of all four motors, which turn one way between two commands; samples are closer than those."""
    steps = 0.0
    for drive in (f"gimbal{number}_drive{i}" for number in (1, 2) for i in (1, 2)):
        turned = np.abs(np.diff(log[f"{drive}.motor"].angle)).sum()
        steps += float(turned / parameter(log, f"{drive}.step_angle"))
    return float(round(steps))


def largest_of(name: str, values: np.ndarray, unit: str, otherwise: str) -> Result:
    """The largest of values that are nan where they mean nothing, or `otherwise` if all are."""
    known = values[np.isfinite(values)]
    return Result(name, float(known.max()), unit) if len(known) else Result(name, None, unit, otherwise)


def results(log: Log) -> list[Result]:
    speeds, wheels_N = wheel_speeds(log), wheel_momentum(log)
    along, across = along_and_across(log)
    total_N = log["hub.momentum"].momentum_C_N
    end = f"{log.t[-1]:g} s"
    of_largest, no_torque = "of the largest", f"no torque from outside by {end}"
    return [
        last_of("gimbal 1: error at the end", gimbal_error(log, 1) / DEG, "deg"),
        last_of("gimbal 2: error at the end", gimbal_error(log, 2) / DEG, "deg"),
        bound_result(log),
        largest_of("thrust off its target, largest", thrust_error(log) / DEG, "deg", f"no thrust by {end}"),
        Result("attitude error at the start", float(rotation_angle(log["err.error"].sigma_BR[0])) / DEG, "deg"),
        Result("attitude error at the end", float(rotation_angle(log["err.error"].sigma_BR[-1])) / DEG, "deg"),
        Result("largest wheel speed", float(np.max(np.abs(speeds))), "rpm"),
        Result("largest wheel speed at the end", float(np.max(np.abs(speeds[-1]))), "rpm"),
        Result("largest wheel momentum", float(np.max(np.linalg.norm(wheels_N, axis=1))), "N m s"),
        Result("wheel momentum along the thrust at the end", float(along[-1]), "N m s"),
        Result("wheel momentum across the thrust at the end", float(across[-1]), "N m s"),
        largest_of("momentum less what torques gave, largest", balance(log, total_N), of_largest, no_torque),
        largest_of("wheels less what torques gave, at the end", balance(log, wheels_N)[-1:], of_largest, no_torque),
        Result("motor steps, all four motors", motor_steps(log), "-"),
        Result("propellant used", float(log["xenon.state"].mass[0] - log["xenon.state"].mass[-1]), "kg"),
    ]


def curve(log: Log) -> Curve:
    return Curve("speed of wheel 1 [rpm]", log.t, wheel_speeds(log)[:, 0])


def week_figure(log: Log) -> list[Panel]:
    """Figure 14: pointing error of both gimbals and wheel speeds over the week."""
    days, speeds = log.t / DAY, wheel_speeds(log)
    errors = {f"gimbal {n}": (days[1:], np.maximum(gimbal_error(log, n) / DEG, 1.0e-6)) for n in (1, 2)}
    return [
        Panel("pointing error [deg]", errors, across="time [days]", is_logarithmic=True),
        Panel(
            "wheel speed [rpm]",
            {f"{i + 1}": (days, speeds[:, i]) for i in range(speeds.shape[1])},
            across="time [days]",
        ),
    ]


def momentum_figure(log: Log) -> list[Panel]:
    """What the wheels took, what is missing from the balance, and where the thrust pushed."""
    days, (along, across) = log.t / DAY, along_and_across(log)
    taken = {"along the thrust": (days, along), "across": (days, across)}
    missing = np.maximum(balance(log, log["hub.momentum"].momentum_C_N)[1:], 1.0e-16)
    return [
        Panel("wheel momentum [N m s]", taken, across="time [days]"),
        Panel(
            "momentum that torques\ndo not explain [-]",
            {"missing": (days[1:], missing)},
            across="time [days]",
            is_logarithmic=True,
        ),
        Panel("thrust off target [deg]", {"thrust": (days, thrust_error(log) / DEG)}, across="time [days]"),
    ]


MISSION = Mission(
    name="sep-point",
    title="A week of thrust with two gimballed electric thrusters",
    about=(
        "An explorer turns to its thrust direction and pushes for a week, with one electric thruster for 3.5 days and "
        "then with the other. Every hour each gimbal in use is commanded to push through the centre of mass, which "
        "moves as the tank empties; its motors take single steps of 8 ms, and the integrator lands on every edge. "
        "Reaction wheels absorb the torque of the swirling exhaust, which has the opposite sign after the swap. With "
        "`unload.time` the thrust is aimed beside the centre of mass, to unload the wheels. Kiner, Allard and Schaub, "
        "Figure 14."
    ),
    build=build,
    until=7.0 * DAY,
    integrator=DormandPrince54(rtol=1.0e-9, atol=1.0e-11),
    results=results,
    curve=curve,
    figures={"week": week_figure, "momentum": momentum_figure},
    record=Record(
        every=600.0,
        ports=(
            "gimbal?_pointing.angles",
            "gimbal?_drive?.motor",
            "gimbal?.motion",
            "gimbal?_ball.state",
            "sep?.wrench",
            "thruster?.motion",
            "swap.*",
            "err.error",
            "impulse?.given",
            "wheel?.state",
            "hub.motion",
            "hub.momentum",
            "xenon.state",
        ),
    ),
    options={
        "wheels": "3 wheels along the body's axes, or 4 on a pyramid",
        "swap": "[h] after which the other thruster takes over",
        "swaps": "how often",
        "settle": "[h] without thrust at the start and after every swap, to turn",
        "unload.time": "[h] in which the thrust takes off most of the wheels' momentum across it; 0 not to",
        "pressure": "[N] force of sunlight, which turns the explorer",
        "tables": "folder with other tables of the gimbals",
    },
    dynamics=(RecursiveTree(), Mujoco(), BackSubstitution()),
    campaign=Campaign(
        disperse={
            "sep1.thrust": "normal(2%)",
            "sep2.thrust": "normal(2%)",
            "sep1.swirl_torque": "uniform(20%)",
            "sep2.swirl_torque": "uniform(20%)",
            "sep1.axis_B": "small_rotation(0.1 deg)",
            "sep2.axis_B": "small_rotation(0.1 deg)",
            "xenon.dry_mass": "normal(1%)",
            "xenon.r_DB_B": "normal(0.005)",
            "hub.motion.sigma_BN": "small_rotation(5 deg)",
        },
        limits={
            "attitude error at the end": "<= 0.1",
            "thrust off its target, largest": "<= 1",
            "largest wheel speed": "<= 4000",
        },
        runs=50,
    ),
)
