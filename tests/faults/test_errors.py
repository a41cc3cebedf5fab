"""What is refused before a run, and what is said."""

import numpy as np
import pytest

import cardan as cd
from cardan import faults
from cardan.errors import CardanError
from cardan.missions import hello

OFF = faults.stuck_off()


@pytest.mark.parametrize(
    ("target", "kinds", "options", "told"),
    [
        ("ctl.tork.torque_B", (OFF,), {}, "`ctl` (MrpFeedback) has no port `tork`. Did you mean `torque`?"),
        ("wheel.torque", (OFF,), {}, "Scenario `hello` has no port `wheel.torque`."),
        ("ctl.torque.force_B", (OFF,), {}, "`ctl.torque.force_B`: BodyTorque has no field `force_B`."),
        ("ctl.torque.torque_B[3]", (OFF,), {}, "`ctl.torque.torque_B` has 3 numbers, counted from 0."),
        ("ctl.torque[0]", (OFF,), {}, "say which field is meant, e.g. `ctl.torque.torque_B[0]`."),
        ("body.drive", (OFF,), {}, "`body.drive` is an input.\n  Let the fault act on the output that feeds it."),
        (3, (OFF,), {}, "A fault on 3.\n  Give a path such as `bank.forces.thrust[3]`, or a port."),
        ("ctl.torque", (), {}, "Say what goes wrong, e.g. `faults.stuck_off()`."),
        ("ctl.torque", (OFF,), {"onset": 5.0, "end": 5.0}, "strikes at 5 s and ends at 5 s.\n  Let it end later."),
        ("ctl.torque", (OFF,), {"onset": -1.0}, "`Fault.onset` must be zero or positive."),
        ("ctl.torque", (OFF,), {"probability": 1.5}, "`Fault.probability` must be within 0 and 1."),
        ("ctl.torque", (OFF,), {"duty": -0.5}, "`Fault.duty` must be within 0 and 1."),
        ("ctl.torque", (OFF,), {"readers": "err.attitude"}, "`err.attitude` does not read `ctl.torque`"),
        ("ctl.torque", (faults.delayed(0.7),), {}, "a delay of 0.7 s is no whole number of ticks of 0.5 s."),
        ("ctl.torque", (faults.delayed(1.0), OFF), {}, "What comes late takes another route: inject it by itself."),
        ("ctl.torque", (faults.jittered(0.5),), {}, "are late by up to 0.5 s, and come every 0.5 s."),
        (
            "ctl.torque",
            (faults.mixed([[1.0]]),),
            {},
            "The fault `mixed` does not fit `ctl.torque`, which is 3 numbers.",
        ),
    ],
)
def test_a_fault_that_cannot_be_is_refused(target, kinds, options, told):
    with pytest.raises(CardanError) as caught:
        faults.inject(hello.build(), target, *kinds, name="bad", **options)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: faults.drifting(np.ones(3)), "has the drift array([1., 1., 1.]).\n  Use one number for all"),
        (lambda: faults.biased("a bit"), "has the bias 'a bit'.\n  Use numbers."),
        (lambda: faults.noisy(-1.0), "The deviation of a fault is -1.0.\n  Use zero or a positive number."),
        (lambda: faults.oscillating(1.0, -1.0), "The frequency of a fault is -1.0."),
        (lambda: faults.saturated("x"), "The limit of a fault is 'x'.\n  Use a number."),
        (lambda: faults.with_backlash(-1.0), "The gap of a fault is -1.0."),
        (lambda: faults.delayed(0.0), "The delay of a fault is 0.0.\n  Use a positive number."),
        (lambda: faults.jittered(-1.0), "The delay of a fault is -1.0."),
        (lambda: faults.lossy("often"), "The chance of a loss is 'often'.\n  Use a number from 0 to 1."),
        (lambda: faults.swapped(0, 5, 3), "The numbers 0 and 5 of 3 swapped.\n  They count from 0."),
        (lambda: faults.misaligned(np.ones((3, 3))), "Use a rotation matrix, 3 by 3; `mixed` takes any matrix."),
        (lambda: faults.curved("ab", "cd"), "The demanded numbers of a curve ascend"),
        (lambda: faults.faulty_valve("x"), "A thruster of at most 'x' N.\n  Use a positive thrust."),
    ],
)
def test_numbers_that_cannot_be_are_refused(make, told):
    with pytest.raises(CardanError) as caught:
        faults.inject(hello.build(), "ctl.torque", make(), name="bad")
    assert told in str(caught.value)


def test_a_time_that_is_none_is_refused():
    with pytest.raises(CardanError, match=r"The `onset` of the fault `bad` is 'soon'.\n  Use seconds."):
        faults.inject(hello.build(), "ctl.torque", OFF, name="bad", onset="soon")


def test_a_channel_beyond_the_message_is_refused_before_the_run():
    scn = hello.build()
    faults.offer(scn, "ctl.torque.torque_B[0]", OFF, name="drive")
    scn.set("drive.channel", 2)
    with pytest.raises(CardanError, match=r"`drive.channel` must be one of the numbers of the message"):
        scn.set("drive.channel", 3)


def test_faults_that_a_run_never_sees_are_named():
    scn = hello.build()
    faults.inject(scn, "ctl.torque.torque_B[0]", OFF, name="late", onset=50.0)
    faults.offer(scn, "ctl.torque.torque_B[1]", OFF, name="offered")
    assert faults.strike_after(scn, 40.0) == {"late": 50.0} and faults.strike_after(scn, 60.0) == {}


def test_two_faults_that_contradict_each_other_are_refused():
    scn = hello.build()
    faults.inject(scn, "ctl.torque.torque_B", OFF, name="off", onset=1.0, end=5.0)
    with pytest.raises(CardanError, match=r"`off` and `on` both decide what `ctl.torque.torque_B\[1\]` is"):
        faults.inject(scn, "ctl.torque.torque_B[1]", faults.stuck_at(1.0), name="on", onset=2.0)
    faults.inject(scn, "ctl.torque.torque_B[1]", faults.stuck_at(1.0), name="on", onset=5.0)  # afterwards it may


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: faults.lossy(1.5), "The chance of a loss is 1.5.\n  Use a number from 0 to 1."),
        (lambda: faults.outliers(1.0, -0.1), "The chance of a outlier is -0.1."),
        (lambda: faults.saturated(1.0, low=2.0), "Saturated between 2 and 1."),
        (lambda: faults.decaying(1.0, 0.0), "A time constant of 0.0 s."),
        (lambda: faults.curved([0.0, 2.0, 3.0], [0.0, 1.0, 2.0]), "ascend, evenly spaced, and there are at least two"),
        (lambda: faults.reordered(9), "Messages drawn from the last 9.\n  Use 2, 3 or 4."),
        (lambda: faults.faulty_valve(-0.3), "A thruster of at most -0.3 N."),
        (lambda: faults.sampled(OFF, 0.1, 0.1, 1), "Give a kind with a curve, such as `faulty_valve(0.3)`"),
    ],
)
def test_a_kind_that_cannot_be_is_refused(make, told):
    with pytest.raises(CardanError) as caught:
        make()
    assert told in str(caught.value)


def test_an_upset_names_a_bit_and_an_element():
    scn = hello.build()
    for options, told in (
        ({"path": "ctl.K", "bit": 64}, "bit 64 flips.\n  Use a whole number from 0 to 63."),
        ({"path": "ctl.Kx", "bit": 1}, "has no parameter `Kx`"),
        ({"path": "ctl.inertia_B", "bit": 1}, "`ctl.inertia_B` has 9 numbers.\n  Say which: `element=0` to 8."),
    ):
        with pytest.raises(CardanError) as caught:
            faults.upset(scn, at=1.0, **options)
        assert told in str(caught.value)


def test_a_port_without_tasks_around_needs_a_period():
    scn = cd.Scenario()
    mass = scn.add(cd.models.MassSpringDamper(), name="mass")
    scn.add(cd.models.MassSpringDamper(), name="other", drive=scn.input("force", cd.messages.Force(0.0)))
    scn.connect(scn["force"].given, mass.drive)
    with pytest.raises(CardanError, match=r"No task says how often the fault on `force\.given` is to look at the time"):
        faults.inject(scn, "force.given", OFF)


def test_an_element_that_is_fed_already_says_by_what():
    m = cd.Mechanism("one")
    m.add_body("bus", joint=cd.Free(), mass=1.0, inertia_B=[[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    scn = cd.Scenario(mechanism=m)
    scn.connect(cd.messages.MassProperties(), m.bodies["bus"].mass_properties)
    with pytest.raises(CardanError, match=r"`bus\.mass_properties` is fed by a constant message"):
        faults.inject(scn, "bus.mass_properties.mass", faults.scaled(0.5), every=0.1)
    with pytest.raises(CardanError, match=r"An impact that takes 0\.0 s"):
        faults.impact(scn, "bus", [1.0, 0.0, 0.0], at=1.0, duration=0.0)
    with pytest.raises(CardanError, match=r"no port `gone\.lock`"):
        faults.seize(scn, "gone", every=0.1)


def test_a_load_of_the_wrong_joint_and_a_tank_heavier_than_its_body_are_refused():
    m = cd.Mechanism("one")
    bus = m.add_body("bus", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    m.add_body("slosh", parent=bus, joint=cd.Slide([1, 0, 0]), mass=1.0, inertia_B=np.eye(3))
    scn = cd.Scenario(mechanism=m)
    with pytest.raises(CardanError, match=r"`slosh_joint`: a HingeFault does not fit.\n  Use `faults.SlideFault"):
        faults.burden(scn, "slosh_joint", faults.HingeFault(friction=1.0), every=0.1)
    with pytest.raises(CardanError, match=r"`bus` has 1 kg, and 2 kg of it can escape.\n  Let something of it stay"):
        faults.leak(scn, "bus", "bus", faults.TankLeak(2.0, 1.0, 1.0), every=0.1)
    with pytest.raises(CardanError, match=r"no port `hole\.wrench`"):
        faults.leak(scn, "bus", "hole", faults.TankLeak(0.5, 1.0, 1.0), every=0.1)


def test_what_a_service_does_not_have_is_refused_before_the_run():
    m = cd.Mechanism("hinged")
    bus = m.add_body("bus", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    m.add_body("arm", parent=bus, joint=cd.Ball(), mass=1.0, inertia_B=np.eye(3))
    with pytest.raises(CardanError, match=r"no port `arm_joint\.lock`"):  # on no service
        faults.seize(cd.Scenario(mechanism=m), "arm_joint", every=0.1)
    scn = cd.Scenario(mechanism=m)
    faults.inject(scn, "arm_joint.effort.torque_B[0]", faults.biased(0.1), every=0.1)
    with pytest.raises(CardanError, match=r"BackSubstitution"):
        cd.Simulation(scn, dynamics=cd.BackSubstitution(), integrator=cd.Rk4(step=0.1), jit=False)
