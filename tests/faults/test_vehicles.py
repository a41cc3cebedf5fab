"""Faults of joints, wheels, structure and thrusters, by closed forms."""

from typing import NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import faults, models, task
from cardan.messages import Force, HingeLock, HingeState, SlideState, ThrusterCommand, ThrusterSwitch
from cardan.missions import branching_panels, hello

MASS, INERTIA, WHEEL = 10.0, 2.0, 0.5


def spinning(**options):
    """A body with a wheel whose axis goes through both centres of mass."""
    m = cd.Mechanism("spinner")
    bus = m.add_body("bus", joint=cd.Free(), mass=MASS, inertia_B=INERTIA * np.eye(3))
    hinge = cd.Hinge([0, 0, 1], **options)
    m.add_body("wheel", parent=bus, joint=hinge, mass=1.0, inertia_B=WHEEL * np.eye(3))
    scn = cd.Scenario("spinner", mechanism=m)
    scn.start({"wheel_joint": HingeState(0.2, 1.0)})
    return scn


def advanced(scn, until):
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05))
    sim.run(until=until, record=cd.Record(every=None), progress=False)
    return sim


def test_debris_gives_the_momentum_that_is_stated():
    scn = spinning()
    faults.impact(scn, "bus.com", [1.1, -2.2, 3.3], at=1.0, duration=0.1)
    assert advanced(scn, 0.95)["bus.motion"].v_BN_N.tolist() == [0.0, 0.0, 0.0]
    assert np.allclose(advanced(scn, 2.0)["bus.momentum"].v_CN_N, np.array([1.1, -2.2, 3.3]) / 11.0, rtol=1e-12)


REDUCED = WHEEL * INERTIA / (INERTIA + WHEEL)  # [kg m^2] of the wheel's turning relative to the bus


@pytest.mark.parametrize(
    ("load", "kinds", "rate"),
    [
        (faults.HingeFault(friction=0.01), (), 1.0 - 0.01 / REDUCED),  # far above the slip rate
        (faults.HingeFault(damping=0.1), (), np.exp(-0.1 / REDUCED)),
        (faults.HingeFault(), (faults.biased(0.2),), 1.0 + 0.2 / REDUCED),  # runs away
        (faults.HingeFault(stiffness=0.4, rest=0.2), (), np.cos(np.sqrt(0.4 / REDUCED))),
        (faults.HingeFault(stop=0.2, stop_stiffness=0.4), (), np.cos(np.sqrt(0.4 / REDUCED))),
    ],
)
def test_a_burden_on_a_hinge_acts_by_its_law(load, kinds, rate):
    scn = spinning()
    faults.burden(scn, "wheel_joint", load, *kinds, every=0.05, onset=0.0)
    found = advanced(scn, 1.0)["wheel_joint.state"].rate
    assert found == pytest.approx(rate, rel=1e-6)  # of Rk4 with 20 steps


def test_a_joint_seizes_where_it_is_and_momentum_stays():
    scn = spinning()
    faults.seize(scn, "wheel_joint", every=0.05, onset=0.5)
    sim = advanced(scn, 20.0)
    state = sim["wheel_joint.state"]
    assert state.angle == pytest.approx(0.7, abs=1e-3) and abs(state.rate) < 1e-3
    assert sim["bus.momentum"].momentum_C_N[2] == pytest.approx(WHEEL * 1.0, rel=1e-9)


def test_mass_changes_at_a_time():
    scn = spinning()
    faults.inject(scn, "bus.mass_properties.mass", faults.scaled(0.5), onset=0.5, every=0.05)
    faults.inject(scn, "bus.wrench_N.force_N", faults.biased([1.0, 0.0, 0.0]), onset=1.0, every=0.05)
    sim = advanced(scn, 2.0)
    assert sim["bus.momentum"].v_CN_N[0] == pytest.approx(1.0 / (0.5 * MASS + 1.0), rel=1e-9)


def test_a_bit_of_a_parameter_flips():
    scn = hello.build()
    assert faults.upset(scn, "ctl.K", bit=52, at=2.0) == 7.0  # the lowest bit of the exponent of 3.5
    log = cd.Simulation(scn, integrator=cd.Rk4(step=0.5)).run(until=4.0, record=cd.Record(ports=["ctl.parameters"]))
    assert log["ctl.parameters"].K[[3, 4]].tolist() == [3.5, 7.0]


def test_curves_of_thrusters_are_those_of_the_paper():
    u = np.array([0.0, 0.1, 0.2, 0.29])
    for kind, wanted in (
        (faults.limited_thrust(0.3), np.minimum(u, 0.06)),
        (faults.faulty_valve(0.3), np.interp(u, [0.201, 0.219], [0.045, 0.24])),
        (faults.unstable_thrust(0.3), u - 0.03 * np.sin(10.0 * u)),
    ):
        assert np.allclose(np.interp(u, *kind.curve), wanted, atol=2e-4)  # 100 points
    one, again, other = (faults.sampled(faults.faulty_valve(0.3), 0.3, 0.4, seed).curve[1] for seed in (1, 1, 2))
    assert np.array_equal(one, again) and not np.array_equal(one, other)
    assert one.min() >= 0.0 and one.max() <= 0.3
    mean = faults.sampled(faults.limited_thrust(0.3), 0.1, 0.01, 3, mean=True).curve[1]
    assert np.abs(mean - np.minimum(np.linspace(0.0, 0.3, 100), 0.06)).max() < 0.02
    assert list(faults.sampled_faults(0.3, 5)) == [
        "stuck off",
        "stuck on",
        "saturated",
        "faulty valve",
        "unstable thrust",
    ]


def test_a_bank_of_thrusters_fails_channel_by_channel():
    scn = cd.Scenario()
    bank = scn.add(models.ThrusterBank([0.3] * 4), name="bank", command=ThrusterCommand(np.full(4, 0.2)))
    scn.add(models.ThrusterWrench(np.eye(4, 3), np.eye(3)[[0, 1, 2, 0]]), name="push", forces=bank.forces)
    faults.inject(scn, "bank.forces.thrust[1]", faults.stuck_at(0.3), name="on", onset=1.0, every=0.1)
    faults.inject(scn, "bank.forces.thrust[3]", faults.stuck_off(), name="off", onset=2.0, every=0.1)
    sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=False)
    sim.run(until=4.0, record=cd.Record(every=None))
    assert np.allclose(sim["push.state"].impulse, [0.8, 0.2 + 0.9, 0.8, 0.4])


# ---- slides --------------------------------------------------------------------------------------------------------

SLOSH, SPRING = 2.0, 8.0  # [kg], [N/m]
MOVED = SLOSH * MASS / (SLOSH + MASS)  # [kg] of the slide's motion relative to the bus


def sliding(**options):
    """A body with a mass on a slide through both centres of mass: a drive, or a slosh mode."""
    m = cd.Mechanism("slider")
    bus = m.add_body("bus", joint=cd.Free(), mass=MASS, inertia_B=INERTIA * np.eye(3))
    m.add_body("slosh", parent=bus, joint=cd.Slide([1, 0, 0], **options), mass=SLOSH, inertia_B=np.eye(3) * 1e-3)
    scn = cd.Scenario("slider", mechanism=m)
    scn.start({"slosh_joint": SlideState(0.2, 1.0)})
    return scn


@pytest.mark.parametrize(
    ("load", "kinds", "rate"),
    [
        (faults.SlideFault(friction=0.1), (), 1.0 - 0.1 / MOVED),
        (faults.SlideFault(damping=0.4), (), np.exp(-0.4 / MOVED)),
        (faults.SlideFault(), (faults.biased(0.5),), 1.0 + 0.5 / MOVED),  # runs away
        (faults.SlideFault(stiffness=1.5, rest=0.2), (), np.cos(np.sqrt(1.5 / MOVED))),
        (faults.SlideFault(stop=0.2, stop_stiffness=1.5), (), np.cos(np.sqrt(1.5 / MOVED))),  # a stop that has moved
    ],
)
def test_a_burden_on_a_slide_acts_by_its_law(load, kinds, rate):
    scn = sliding()
    faults.burden(scn, "slosh_joint", load, *kinds, every=0.05, onset=0.0)
    assert advanced(scn, 1.0)["slosh_joint.state"].rate == pytest.approx(rate, rel=1e-6)  # of Rk4 with 20 steps


def test_a_slide_seizes_where_it_is_and_momentum_stays():
    scn = sliding()
    faults.seize(scn, "slosh_joint", every=0.05, onset=0.5)
    untouched = advanced(sliding(), 0.45)["slosh_joint.state"]
    assert advanced(scn, 0.45)["slosh_joint.state"] == untouched  # to the bit
    sim = advanced(scn, 20.0)
    state, motion = sim["slosh_joint.state"], sim["bus.momentum"]
    assert state.displacement == pytest.approx(0.7, abs=1e-3) and abs(state.rate) < 1e-3
    assert motion.v_CN_N[0] == pytest.approx(SLOSH * 1.0 / (SLOSH + MASS), rel=1e-12)


class PushOutputs(NamedTuple):
    force: Force


@task
class Pushing(NamedTuple):
    """Flight software that holds a slide where it should be, by what its encoder says."""

    def step(self, joint: SlideState) -> PushOutputs:
        return PushOutputs(Force(-2.0 * (joint.displacement - 0.2) - 4.0 * joint.rate))


@pytest.mark.parametrize(
    ("target", "kind", "ends_at"),
    [
        ("slosh_joint.state.displacement", faults.biased(0.3), -0.1),  # a broken encoder: held where it seems right
        ("slosh_joint.state.displacement", faults.scaled(2.0), 0.1),
        ("drive.force.force", faults.biased(0.5), 0.2 + 0.25),  # a drive that pushes on its own
        ("drive.force.force", faults.scaled(0.5), 0.2),  # a weak one arrives all the same
    ],
)
def test_a_drive_of_a_slide_ends_where_its_broken_sensor_or_motor_lets_it(target, kind, ends_at):
    scn = sliding()
    slide = scn.mechanism.joints["slosh_joint"]
    drive = scn.add(Pushing(), name="drive", every=0.05, joint=slide.state)
    scn.connect(drive.force, slide.effort)
    faults.inject(scn, target, kind, name="broken", onset=0.0, every=0.05)
    assert advanced(scn, 60.0)["slosh_joint.state"].displacement == pytest.approx(ends_at, abs=1e-6)


def test_a_dead_motor_leaves_a_slide_free():
    scn = sliding()
    slide = scn.mechanism.joints["slosh_joint"]
    scn.connect(scn.add(Pushing(), name="drive", every=0.05, joint=slide.state).force, slide.effort)
    faults.inject(scn, "drive.force.force", faults.stuck_off(), name="dead", onset=0.0)
    assert advanced(scn, 2.0)["slosh_joint.state"] == pytest.approx((2.2, 1.0), rel=1e-12)


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()])
def test_slosh_changes_its_stiffness_and_its_mass_at_a_time(dynamics):
    """With other stiffness and mass it swings on with another frequency from where it was."""
    scn, start = sliding(stiffness=SPRING), 1.0
    faults.burden(scn, "slosh_joint", faults.SlideFault(stiffness=-0.5 * SPRING), every=0.01, onset=start)
    faults.inject(scn, "slosh.mass_properties.mass", faults.scaled(0.25), onset=start, every=0.01)
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.01))
    sim.run(until=1.6, record=cd.Record(every=None), progress=False)

    place, rate = 0.2, 1.0
    after = 0.25 * SLOSH * MASS / (0.25 * SLOSH + MASS)
    for stiffness, moved, duration in ((SPRING, MOVED, start), (0.5 * SPRING, after, 0.6)):
        w = np.sqrt(stiffness / moved)
        c, s = np.cos(w * duration), np.sin(w * duration)
        place, rate = c * place + s / w * rate, c * rate - w * s * place
    assert sim["slosh_joint.state"] == pytest.approx((place, rate), rel=1e-6)  # of Rk4


# ---- tanks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()])
def test_a_leak_pushes_turns_and_takes_its_mass(dynamics):
    """The rocket equation for the motion of the body, a torque by the arm of the hole, and what is left."""
    m = cd.Mechanism("leaky")
    bus = m.add_body("bus", joint=cd.Free(), mass=MASS, inertia_B=INERTIA * np.eye(3))
    m.add_site("hole", body=bus, r_SB_B=(0.0, 1e-4, 0.0))
    scn = cd.Scenario("leaky", mechanism=m)
    tank = faults.TankLeak(full_mass=4.0, time_constant=2.0, exhaust_speed=50.0, radius=0.3)
    faults.leak(scn, "bus", "hole", tank, every=0.01, onset=1.0)
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.01))
    sim.run(until=1.0, record=cd.Record(every=None), progress=False)
    assert sim["bus.motion"].v_BN_N.tolist() == [0.0, 0.0, 0.0]
    sim.run(until=3.0, record=cd.Record(every=None), progress=False)

    left = 4.0 * np.exp(-1.0)
    lost, mass = 4.0 - left, MASS - 4.0 + left
    assert sim["bus_leak/tank.properties"].mass == pytest.approx(mass, rel=1e-9)
    assert sim["bus_leak/tank.properties"].inertia_C_B[2, 2] == pytest.approx(INERTIA - 0.4 * lost * 0.09, rel=1e-9)
    motion = sim["bus.motion"]
    assert motion.v_BN_N[0] == pytest.approx(-50.0 * np.log(MASS / mass), rel=1e-5)  # it turns by 1e-3 rad meanwhile
    # torque = arm flow speed, and inertia falls with what is lost: the same logarithm; what leaves takes its spin along
    spin = 1e-4 * 50.0 / (0.4 * 0.09) * np.log(INERTIA / (INERTIA - 0.4 * lost * 0.09))
    assert motion.omega_BN_B[2] == pytest.approx(spin, rel=1e-6)


def test_a_leak_takes_from_the_tank_that_is_there():
    m = cd.Mechanism("tanked")
    bus = m.add_body("bus", joint=cd.Free(), mass=MASS, inertia_B=INERTIA * np.eye(3))
    scn = cd.Scenario("tanked", mechanism=m)
    tank = scn.add(models.PropellantTank(4.0, 0.3, 0.5, dry_mass=6.0, inertia_D_B=np.eye(3)), name="tank",
                   first=ThrusterSwitch(True))  # fmt: skip
    scn.connect(tank.properties, bus.mass_properties)
    leak = faults.TankLeak(full_mass=1.0, time_constant=1.0, exhaust_speed=0.0, radius=0.3)
    faults.leak(scn, "bus", "bus", leak, every=0.05, onset=1.0)
    sim = advanced(scn, 2.0)
    assert sim["bus_leak/tank.properties"].mass == pytest.approx(10.0 - 2.0 * 0.5 - (1.0 - np.exp(-1.0)), rel=1e-6)
    assert sim["tank.properties"].mass == pytest.approx(9.0)  # the tank itself knows nothing of it


# ---- locks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("is_told_to_hold", "kind", "rate"),
    [
        (True, faults.stuck_off(), 1.0),  # does not engage: the wheel turns on
        (False, faults.stuck_at(1.0), 0.0),  # does not release
    ],
)
def test_a_lock_does_not_do_what_it_is_told(is_told_to_hold, kind, rate):
    scn = spinning()
    told = scn.input("told", HingeLock(is_told_to_hold, 0.2))
    scn.connect(told, scn.mechanism.joints["wheel_joint"].lock)
    faults.inject(scn, "told.given.is_engaged", kind, name="broken", onset=0.0, every=0.05)
    assert advanced(scn, 20.0)["wheel_joint.state"].rate == pytest.approx(rate, abs=1e-3)


def test_a_panel_that_does_not_deploy_stays_while_its_twin_goes():
    scn = branching_panels.build()
    faults.inject(scn, "seq.locks.is_engaged[0]", faults.stuck_at(1.0), name="jammed", onset=0.0)
    sim = cd.Simulation(scn, dynamics=cd.Mujoco(), integrator=branching_panels.MISSION.integrator)
    jammed, twin = (f"{name}.state" for name in branching_panels.HINGES[:2])
    before = sim[jammed].angle, sim[twin].angle
    sim.run(until=120.0, record=cd.Record(every=None), progress=False)
    assert abs(sim[jammed].angle - before[0]) < 1e-9 and abs(sim[twin].angle - before[1]) > 1e-4  # it has just begun
