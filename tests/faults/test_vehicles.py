"""Faults of joints, wheels, structure and thrusters, by closed forms."""

import numpy as np
import pytest

import cardan as cd
from cardan import faults, models
from cardan.messages import HingeState, ThrusterCommand
from cardan.missions import hello

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
