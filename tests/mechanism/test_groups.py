"""Groups of bodies and hinges: many elements through one port."""

from typing import NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import messages
from cardan.contracts.dynamics import Dynamics
from cardan.errors import ImpossibleValue, MechanismError, ShapeError, WiringError

SERVICES = [cd.RecursiveTree(), cd.Mujoco()]
NAMES = ("inner", "outer", "flap")


def panels() -> cd.Mechanism:
    """A hub with two panels in a row and a flap on the other side."""
    m = cd.Mechanism("panels")
    hub = m.add_body("hub", joint=cd.Free(), mass=50.0, inertia_B=10.0 * np.eye(3))
    parent, at = hub, (0.5, 0.0, 0.0)
    for name, mass in (("inner", 5.0), ("outer", 4.0)):
        parent = m.add_body(
            name, parent=parent, joints={name: cd.Hinge((0, 0, 1))}, mass=mass, inertia_B=np.eye(3),
            r_CB_B=(0.5, 0, 0), r_BP_P=at,
        )  # fmt: skip
        at = (1.0, 0.0, 0.0)
    m.add_body(
        "flap_body", parent=hub, joints={"flap": cd.Hinge((0, 1, 0))}, mass=3.0, inertia_B=0.5 * np.eye(3),
        r_BP_P=(-0.5, 0, 0),
    )  # fmt: skip
    return m


class LatchOutputs(NamedTuple):
    inner: messages.HingeLock
    outer: messages.HingeLock
    flap: messages.HingeLock
    all: messages.HingeLocks


@cd.task
class Latch(NamedTuple):
    """Engages the first after 2 s, the second always, the third until 4 s; one by one, and all together."""

    def step(self, t: float) -> LatchOutputs:
        engaged = np.array([t >= 2.0, True, t < 4.0])
        angle = np.array([0.4, -0.2, 0.1])
        return LatchOutputs(
            messages.HingeLock(engaged[0], angle[0]),
            messages.HingeLock(engaged[1], angle[1]),
            messages.HingeLock(engaged[2], angle[2]),
            messages.HingeLocks(is_engaged=1.0 * engaged, angle=angle),
        )


def run(dynamics: Dynamics, together: bool) -> cd.Log:
    m = panels()
    scn = cd.Scenario("latches", mechanism=m)
    latch = scn.add(Latch(), name="latch", every=0.5)
    if together:
        scn.connect(latch.all, m.group_of_hinges("hinges", *NAMES).locks)
    else:
        for name in NAMES:
            scn.connect(getattr(latch, name), m.joints[name].lock)
    scn.start({name: messages.HingeState(angle=0.1, rate=0.2) for name in NAMES})
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.01))
    return sim.run(until=6.0, record=cd.Record(every=0.5, ports=["*.state", "*.holding", "hub.momentum"]))


@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_locks_of_a_group_hold_as_single_locks_do(dynamics):
    one_by_one, together = run(dynamics, together=False), run(dynamics, together=True)
    for name in NAMES:
        for path in (f"{name}.state.angle", f"{name}.state.rate", f"{name}.holding.torque"):
            assert np.array_equal(together[path], one_by_one[path]), path
    # each is held when its own lock says so, and free otherwise
    assert together["inner.holding"].torque[together.t < 2.0].tolist() == [0.0] * 4
    assert together["inner.state"].angle[-1] == pytest.approx(0.4, abs=1e-6)
    assert together["outer.state"].angle[-1] == pytest.approx(-0.2, abs=1e-6)
    assert np.abs(together["flap.state"].rate[together.t > 4.5]).min() > 1e-6
    # locks pull with a time constant of 0.1 s, which RK4 follows to 5e-7
    momentum = together["hub.momentum"].momentum_C_N
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-5)


def test_a_joint_is_locked_by_itself_or_by_its_group():
    m = panels()
    scn = cd.Scenario("test", mechanism=m)
    group = m.group_of_hinges("hinges", "inner", "outer")
    scn.connect(messages.HingeLock(True, 0.0), m.joints["outer"].lock)
    with pytest.raises(WiringError) as caught:
        scn.connect(messages.HingeLocks(np.ones(2), np.zeros(2)), group.locks)
    assert str(caught.value) == (
        "`hinges.locks` and `outer.lock` both say how `outer` moves.\n  Connect one of the two."
    )


def test_a_joint_of_a_locked_group_is_not_prescribed_nor_locked_by_another_group():
    m = panels()
    scn = cd.Scenario("test", mechanism=m)
    locks = messages.HingeLocks(np.ones(2), np.zeros(2))
    scn.connect(locks, m.group_of_hinges("hinges", "inner", "outer").locks)
    with pytest.raises(WiringError) as caught:
        scn.connect(messages.PrescribedAngle(), m.joints["inner"].prescribed)
    assert str(caught.value) == (
        "`inner.prescribed` and `hinges.locks` both say how `inner` moves.\n  Connect one of the two."
    )
    with pytest.raises(WiringError) as caught:
        scn.connect(locks, m.group_of_hinges("others", "outer", "flap").locks)
    assert str(caught.value) == (
        "`others.locks` and `hinges.locks` both say how `outer` moves.\n  Connect one of the two."
    )
    # what no group holds is free to be locked
    scn.connect(messages.HingeLock(True, 0.0), m.joints["flap"].lock)


def test_locks_of_a_group_have_one_source():
    m = panels()
    scn = cd.Scenario("test", mechanism=m)
    group = m.group_of_hinges("hinges", "inner", "outer")
    scn.connect(messages.HingeLocks(np.ones(2), np.zeros(2)), group.locks)
    with pytest.raises(WiringError) as caught:
        scn.connect(messages.HingeLocks(np.ones(2), np.zeros(2)), group.locks)
    assert str(caught.value) == "`hinges.locks` is fed already.\n  Only forces, torques and efforts sum."


@pytest.mark.parametrize(("flags", "angles"), [(3, 2), (2, 3)])
def test_locks_of_two_lengths_are_refused(flags, angles):
    m = panels()
    locks = messages.HingeLocks(np.ones(flags), np.zeros(angles))
    with pytest.raises(ImpossibleValue) as caught:
        cd.Scenario("test", mechanism=m).connect(locks, m.group_of_hinges("hinges", *NAMES).locks)
    assert str(caught.value) == (
        f"`hinges.locks (constant).angle` must be one per entry of `is_engaged`.\n  got {angles} for {flags}"
    )


@pytest.mark.parametrize("count", [1, 2, 4])
def test_locks_of_another_number_of_hinges_are_refused(count):
    m = panels()
    scn = cd.Scenario("test", mechanism=m)
    locks = messages.HingeLocks(np.ones(count), np.zeros(count))
    scn.connect(locks, m.group_of_hinges("hinges", *NAMES).locks)
    with pytest.raises(ShapeError) as caught:
        cd.Simulation(scn, dynamics=cd.RecursiveTree())
    assert str(caught.value) == (
        f"A constant message does not fit `hinges.locks`.\n  expected 3 elements\n  got      {count}"
    )


def test_a_group_of_bodies_knows_its_masses_in_its_own_order():
    m = panels()
    assert m.group_of_bodies("all").mass.tolist() == [50.0, 5.0, 4.0, 3.0]
    assert m.group_of_bodies("some", "flap_body", "hub").mass.tolist() == [3.0, 50.0]


def test_asking_for_masses_compiles_the_mechanism():
    m = panels()
    assert m.group_of_bodies("all").mass.sum() == 62.0
    with pytest.raises(MechanismError):
        m.add_body("late", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))


def test_a_group_of_hinges_without_names_has_them_all():
    m = panels()
    assert m.group_of_hinges("all").names == m.group_of_hinges("named", *NAMES).names
