"""Mechanisms without inertia behind some motion are refused by every service, and no others are."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from exactly import exactly_solved
from mechanisms import random_mechanism, random_state

import cardan as cd
from cardan import messages
from cardan.dynamics import Calculator
from cardan.errors import SettingError, SingularMechanism, UnsupportedByDynamics
from cardan.mechanism.inertia import inertia_at

SERVICES = [cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution()]
EVERY_SERVICE = pytest.mark.parametrize("dynamics", SERVICES, ids=lambda service: service.name)
# MuJoCo says on compiling that the matrix is nearly singular, which is what these tests are about
pytestmark = pytest.mark.filterwarnings("ignore:Inertia matrix is too close to singular")

AXIS = (0.0, 0.6, 0.8)
SLANTED = (0.6, 0.0, 0.8)


def vehicle(mass: float = 60.0) -> tuple[cd.Mechanism, Any]:
    made = cd.Mechanism("vehicle")
    inertia = mass / 60.0 * np.diag([8.0, 9.0, 7.0])
    return made, made.add_body("hub", joint=cd.Free(), mass=mass, inertia_B=inertia)


def two_hinges(second: Any = AXIS, mass: float = 5.0, far: float = 0.5) -> cd.Mechanism:
    """An arm on two hinges through one point; with the same axis they are one too many."""
    made, hub = vehicle()
    joints = {"inner": cd.Hinge(AXIS), "outer": cd.Hinge(second)}
    size = (mass / 5.0) ** (5.0 / 3.0)  # [-] a smaller body of the same density
    arm = {
        "mass": mass,
        "inertia_B": size * np.diag([1.0, 1.2, 0.9]),
        "r_CB_B": (size / mass * 5.0) ** 0.5 * np.eye(3)[0],
    }
    made.add_body("arm", parent=hub, joints=joints, r_BP_P=(far, 0.0, 0.0), **arm)
    return made


def pushed(mechanism: cd.Mechanism, torque: float = 0.2) -> cd.Scenario:
    scn = cd.Scenario(mechanism=mechanism)
    hub = mechanism.bodies[next(iter(mechanism.bodies))]
    scn.connect(messages.BodyWrench(np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3])), hub.wrench)
    for joint in mechanism.joints.values():
        if joint.kind == 3:
            scn.connect(messages.HingeTorque(torque), joint.effort)
    return scn


def run(mechanism: cd.Mechanism, dynamics: Any, integrator: Any = None, until: float = 0.2) -> cd.Simulation:
    sim = cd.Simulation(pushed(mechanism), dynamics=dynamics, integrator=integrator or cd.Rk4(step=0.01))
    sim.run(until=until)
    return sim


@EVERY_SERVICE
def test_two_hinges_with_one_axis_are_refused(dynamics):
    with pytest.raises(UnsupportedByDynamics, match="joint that no inertia resists: inner, outer"):
        run(two_hinges(), dynamics)


@EVERY_SERVICE
def test_so_are_they_on_a_speck_far_from_the_hub(dynamics):
    """A gram at 20 m: rounding of the inertia about the hub is larger than 1e-12 of what the hinges move."""
    with pytest.raises(UnsupportedByDynamics, match="joint that no inertia resists: inner, outer"):
        run(two_hinges(mass=1e-3, far=20.0), dynamics)


@EVERY_SERVICE
def test_a_body_too_heavy_for_its_hub_is_refused(dynamics):
    made, hub = vehicle()
    made.add_body(
        "rock", parent=hub, joint=cd.Hinge((0, 1, 0)), mass=1e15, inertia_B=1e15 * np.eye(3), r_CB_B=(1, 0, 0)
    )
    with pytest.raises(UnsupportedByDynamics, match="joint that no inertia resists: hub_joint, rock_joint"):
        cd.Simulation(pushed(made), dynamics=dynamics)


@pytest.mark.parametrize("dynamics", SERVICES[:2], ids=lambda service: service.name)
def test_a_ball_joint_with_a_point_mass_is_named(dynamics):
    made, hub = vehicle()
    made.add_body("bob", parent=hub, joint=cd.Ball(), mass=2.0, inertia_B=1e-13 * np.eye(3), r_CB_B=(1.0, 0.0, 0.0))
    with pytest.raises(UnsupportedByDynamics, match="joint that no inertia resists: bob_joint"):
        run(made, dynamics)


def gimbal() -> cd.Mechanism:
    """A dish on three hinges whose first and last axes coincide where it is drawn, and nowhere else."""
    made, hub = vehicle()
    light = {"mass": 1e-13, "inertia_B": 1e-14 * np.eye(3)}
    ring = made.add_body("ring", parent=hub, joint=cd.Hinge((0, 0, 1)), **light)
    yoke = made.add_body("yoke", parent=ring, joint=cd.Hinge((1, 0, 0)), **light)
    made.add_body("dish", parent=yoke, joint=cd.Hinge((0, 0, 1)), mass=2.0, inertia_B=np.eye(3))
    return made


@EVERY_SERVICE
@pytest.mark.parametrize("integrator", [cd.Rk4(step=0.1), cd.SemiImplicitEuler(step=0.1), cd.DormandPrince54()])
def test_a_start_that_is_singular_stops_the_run(dynamics, integrator):
    sim = cd.Simulation(pushed(gimbal()), dynamics=dynamics, integrator=integrator)
    with pytest.raises(
        SingularMechanism, match=r"The inertia behind `ring_joint`, `dish_joint` is singular at t = 0 s"
    ):
        sim.run(until=0.2)
    # and the audit does not call it explained
    with pytest.raises(SettingError, match="nothing to audit"):
        sim.audit()


class Release(NamedTuple):
    lock: messages.HingeLock


@cd.task
class Latch(NamedTuple):
    """Lets go after half a second."""

    def step(self, t: float) -> Release:
        return Release(messages.HingeLock(is_engaged=t < 0.5, angle=0.0))


@EVERY_SERVICE
def test_a_mechanism_may_become_singular_during_a_run(dynamics):
    """Two hinges with one axis are one hinge as long as one is locked."""
    made = two_hinges()
    scn = pushed(made, torque=0.0)
    latch = scn.add(Latch(), every=0.1)
    scn.connect(latch.lock, made.joints["inner"].lock)
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.1))
    sim.run(until=0.4)
    with pytest.raises(SingularMechanism, match=r"The inertia behind `inner`, `outer` is singular at t = 0\.[5-9]"):
        sim.run(until=0.9)


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize("jit", [True, False])
def test_the_calculator_refuses_too(jit):
    mechanism = two_hinges()
    q, v = np.array(mechanism.tree.reference), np.zeros(mechanism.tree.nv)
    with pytest.raises(SingularMechanism, match=r"The inertia behind `inner`, `outer` is singular at this state"):
        Calculator(mechanism, jit=jit).forward(q, v)


# ---- what is regular -----------------------------------------------------------------------------------------------


def small_wheel() -> cd.Mechanism:
    """1e-6 kg m^2 on 100 t, 30 m from its frame."""
    made, hub = vehicle(1e5)
    made.add_body(
        "wheel", parent=hub, joint=cd.Hinge((0, 0, 1)), mass=0.02, inertia_B=1e-6 * np.eye(3), r_BP_P=(30, 0, 0)
    )
    return made


def station() -> cd.Mechanism:
    """400 t with flaps of 0.1 kg in a row."""
    made, body = vehicle(4e5)
    for i in range(3):
        joint = cd.Hinge((0, 1, 0), (-0.1, 0, 0))
        body = made.add_body(
            f"flap{i}",
            parent=body,
            joint=joint,
            mass=0.1,
            inertia_B=1e-4 * np.eye(3),
            r_BP_P=(9.0 if i == 0 else 0.2, 0, 0),
        )
    return made


def small_root() -> cd.Mechanism:
    """The frame of a vehicle in its lightest part: 1 kg that carries 400 t."""
    made = cd.Mechanism("docked")
    cube = made.add_body("cube", joint=cd.Free(), mass=1.0, inertia_B=2e-3 * np.eye(3))
    made.add_body(
        "station", parent=cube, joint=cd.Hinge((0, 0, 1)), mass=4e5, inertia_B=1e7 * np.eye(3), r_CB_B=(5, 0, 0)
    )
    return made


def thin_ring() -> cd.Mechanism:
    """A gimbal whose ring has 1e-7 of the inertia of what it carries, at gimbal lock."""
    made, hub = vehicle()
    ring = made.add_body("ring", parent=hub, joint=cd.Hinge((0, 0, 1)), mass=0.1, inertia_B=1e-5 * np.eye(3))
    turned = {"q_BP": (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)}
    made.add_body("dish", parent=ring, joint=cd.Hinge((1, 0, 0)), mass=100.0, inertia_B=100.0 * np.eye(3), **turned)
    return made


@EVERY_SERVICE
@pytest.mark.parametrize("make", [small_wheel, station, small_root, thin_ring], ids=lambda make: make.__name__)
def test_vehicles_of_very_different_parts_are_not_refused(make, dynamics):
    run(make(), dynamics, until=0.05)


def test_a_chain_of_256_hinges_is_not_refused():
    made, body = vehicle()
    for i in range(256):
        body = made.add_body(f"link{i}", parent=body, joint=cd.Hinge(np.eye(3)[i % 2 + 1]), mass=1.0,
                             inertia_B=0.1 * np.eye(3), r_CB_B=(0.5, 0, 0), r_BP_P=(1.0, 0, 0))  # fmt: skip
    run(made, cd.RecursiveTree(), cd.Rk4(step=1e-4), until=1e-3)


@EVERY_SERVICE
def test_hinges_with_nearly_one_axis_are_not_refused_and_services_agree(dynamics):
    """1e-3 rad between the axes leaves 1e-6 of the inertia, and ten of sixteen digits."""
    slanted = two_hinges((0.0, np.cos(np.arctan2(0.8, 0.6) + 1e-3), np.sin(np.arctan2(0.8, 0.6) + 1e-3)))
    rates = [
        run(slanted, service, cd.ExplicitEuler(step=1e-6), until=1e-6)["outer.state"].rate
        for service in (dynamics, SERVICES[0])
    ]
    assert rates[0] == pytest.approx(rates[1], rel=1e-8)


def test_what_is_not_refused_has_three_digits():
    """Hubs with ever heavier bodies, against an exact solution; whole numbers, so that the matrix has no rounding."""
    rng, refused = np.random.default_rng(1), 0
    for heavy in [1e9, 1e11, 3e11, 1e12, 1e13] * 4:
        made, hub = vehicle()
        inertia = heavy * np.diag([1.0, 1.25, 1.5])
        place, centre = rng.integers(-3, 4, (2, 3)).astype(float)
        made.add_body("rock", parent=hub, joint=cd.Hinge((0, 1, 0)), mass=heavy, inertia_B=inertia, r_CB_B=centre,
                      r_BP_P=place)  # fmt: skip
        tree, effort = made.tree, rng.integers(-9, 10, 7).astype(float)
        q = np.array(tree.reference)
        matrix = inertia_at(tree, q, tree.mass, tree.com, tree.inertia).matrix
        try:
            found = Calculator(made).forward(q, np.zeros(7), effort)
        except SingularMechanism:
            refused += 1
            continue
        exact = exactly_solved(matrix, effort)
        assert np.abs(found - exact).max() < 1e-3 * np.abs(exact).max()
    assert 0 < refused < 20


def test_the_mass_matrix_in_python_is_that_of_the_recursion():
    """Relative to the largest element, rounding of some thirty links."""
    for seed in range(20):
        mechanism = random_mechanism(seed)
        tree, (q, _) = mechanism.tree, random_state(mechanism, seed)
        expected = Calculator(mechanism).mass_matrix(q)
        found = inertia_at(tree, q, tree.mass, tree.com, tree.inertia).matrix
        assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max(), seed
