"""Numbers of a mechanism that differ from run to run: the bits of a mechanism that was built with them."""

from typing import Any

import numpy as np
import pytest

import cardan as cd
from cardan.maths import quaternion_from_mrp
from cardan.messages import (
    BodyWrench,
    FrameMotion,
    HingeLock,
    HingeState,
    InertialWrench,
    MassProperties,
    SlideState,
)

SERVICES = [cd.RecursiveTree(), cd.BackSubstitution(), cd.Mujoco()]
OUTPUTS = ["bus.com.motion", "panel.com.motion", "nozzle.motion", "panel_joint.reaction"]

OWN: dict[str, Any] = {
    "bus.mass": 50.0,
    "bus.r_CB_B": np.zeros(3),
    "bus.inertia_B": np.diag([5.0, 6.0, 7.0]),
    "wheel.mass": 2.0,
    "wheel.r_CB_B": np.zeros(3),
    "wheel.inertia_B": np.diag([0.06, 0.06, 0.1]),
    "panel.r_CB_B": np.array([0.3, 0.0, 0.0]),
    "panel_joint.damping": 0.0,
    "panel_joint.stiffness": 0.5,
    "panel_joint.rest": 0.0,
    "panel_joint.armature": 0.0,
    "mast_joint.damping": 0.1,
    "mast_joint.stiffness": 20.0,
    "mast_joint.rest": 0.05,
    "nozzle.r_SB_B": np.array([0.0, 0.0, -0.5]),
    "nozzle.q_SB": np.array([1.0, 0.0, 0.0, 0.0]),
}


def build(given: dict[str, Any] | None = None, spring: float = 0.3) -> cd.Scenario:
    """A bus with a wheel, a panel on a hinge, a mast on a slide, a box fixed to it and a nozzle that pushes."""
    n = OWN | (given or {})
    m = cd.Mechanism("craft")
    mass = lambda body: {name: n[f"{body}.{name}"] for name in ("mass", "r_CB_B", "inertia_B")}  # noqa: E731
    bus = m.add_body("bus", joint=cd.Free(), **mass("bus"))
    m.add_body(
        "box", parent=bus, mass=3.0, inertia_B=0.2 * np.eye(3), r_BP_P=(0.1, 0.2, 0.0), q_BP=(0.6, 0.8, 0.0, 0.0)
    )
    m.add_body("wheel", parent=bus, joint=cd.Hinge((0, 0, 1)), r_BP_P=(0.0, 0.0, 0.1), **mass("wheel"))
    coefficients = {name: n[f"panel_joint.{name}"] for name in ("damping", "stiffness", "rest", "armature")}
    m.add_body(
        "panel", parent=bus, joint=cd.Hinge((0, 1, 0), **coefficients), mass=2.0, inertia_B=0.1 * np.eye(3),
        r_BP_P=(0.5, 0.0, 0.1), r_CB_B=n["panel.r_CB_B"],
    )  # fmt: skip
    coefficients = {name: n[f"mast_joint.{name}"] for name in ("damping", "stiffness", "rest")}
    m.add_body("mast", parent=bus, joint=cd.Slide((0, 0, 1), **coefficients), mass=1.0, inertia_B=0.1 * np.eye(3))
    m.add_site("nozzle", bus, r_SB_B=n["nozzle.r_SB_B"], q_SB=n["nozzle.q_SB"])
    scn = cd.Scenario("craft", mechanism=m)
    scn.connect(BodyWrench(np.array([0.3, 0.1, 2.0]), np.zeros(3)), m.sites["nozzle"].wrench)
    scn.connect(InertialWrench(np.array([1.0, 0.0, 0.0]), np.zeros(3)), m.bodies["panel"].com.wrench_N)
    scn.start(
        {
            "bus": FrameMotion(omega_BN_B=np.array([0.1, -0.2, 0.05])),
            "wheel_joint": HingeState(rate=30.0),
            "panel_joint": HingeState(angle=0.4),
            "mast_joint": SlideState(rate=0.1),
        }
    )
    return scn


def drawn(members: int, seed: int = 1) -> dict[str, Any]:
    """Values for all members; the first of each is what the mechanism has anyway, or zero."""
    rng = np.random.default_rng(seed)
    values: dict[str, Any] = {}
    for path, own in OWN.items():
        name = path.rpartition(".")[2]
        shape = (members, *np.shape(own))
        if name == "inertia_B":
            turn = rng.normal(size=(members, 3, 3))
            axes = np.linalg.qr(turn)[0]
            moments = np.diag(own) * rng.uniform(0.95, 1.05, (members, 3))
            tensors = np.einsum("nij,nj,nkj->nik", axes, moments, axes)
            values[path] = 0.5 * (tensors + np.swapaxes(tensors, 1, 2))
        elif name == "q_SB":
            values[path] = np.array([quaternion_from_mrp(sigma) for sigma in 0.3 * rng.normal(size=(members, 3))])
        else:
            values[path] = np.asarray(own) + np.abs(rng.normal(scale=0.1, size=shape))
        values[path][0] = own
    return values


def of(values: dict[str, Any], member: int) -> dict[str, Any]:
    return {path: value[member] for path, value in values.items()}


def alone(given: dict[str, Any], dynamics: Any) -> cd.Simulation:
    sim = cd.Simulation(build(given), dynamics=dynamics, integrator=cd.Rk4(step=0.01))
    sim.run(until=0.1, progress=False)
    return sim


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_members_have_the_bits_of_mechanisms_that_were_built_so(dynamics, threads):
    members = 100
    batch = cd.Batch(
        build(), members, dynamics=dynamics, integrator=cd.Rk4(step=0.01), outputs=OUTPUTS, varies=list(OWN),
        threads=threads,
    )  # fmt: skip
    values = drawn(members)
    batch.set(values)
    assert not batch.advance(0.1).any()
    for member in (0, 1, 50, 99):
        built = alone(of(values, member), dynamics)
        assert batch.snapshot(member) == built.snapshot()
        for path in OUTPUTS:
            for ours, theirs in zip(batch[path], built[path], strict=True):
                assert np.array_equal(ours[member], theirs)


@pytest.mark.parametrize("path", OWN)
@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_a_variant_has_the_bits_of_a_mechanism_that_was_built_so(dynamics, path):
    given = {path: drawn(2)[path][1]}
    sim = cd.Simulation(build(), dynamics=dynamics, integrator=cd.Rk4(step=0.01))
    untouched = sim.snapshot()
    variant, built = sim.variant(given), alone(given, dynamics)
    variant.run(until=0.1, progress=False)
    assert variant.snapshot() == built.snapshot()
    assert np.array_equal(variant["nozzle.motion"].r_BN_N, built["nozzle.motion"].r_BN_N)
    # and it differs from the mechanism as it was, which has stayed so
    assert sim.snapshot() == untouched
    sim.run(until=0.1, progress=False)
    moved = sim.snapshot() != variant.snapshot()
    assert moved or not np.array_equal(sim["nozzle.motion"].r_BN_N, variant["nozzle.motion"].r_BN_N)


def tied(given: dict[str, Any] | None = None) -> cd.Scenario:
    """A cart on a rail with a limit, an arm with dry friction that is held, and a tank whose mass is an input."""
    n = {"cart.mass": 2.0, "cart_joint.friction": 0.0, "arm_joint.armature": 0.0} | (given or {})
    m = cd.Mechanism.from_mjcf(
        f"""
        <mujoco><worldbody>
          <body name="cart">
            <joint name="cart_joint" type="slide" axis="1 0 0" limited="true" range="-1 0.02"
              frictionloss="{float(n["cart_joint.friction"])!r}"/>
            <inertial pos="0 0 0" mass="{float(n["cart.mass"])!r}" diaginertia="0.1 0.1 0.1"/>
            <body name="arm">
              <joint name="arm_joint" axis="0 1 0" armature="{float(n["arm_joint.armature"])!r}"/>
              <inertial pos="0.2 0 0" mass="1" diaginertia="0.1 0.2 0.3"/>
              <body name="tank"><joint name="tank_joint" axis="0 0 1"/>
                <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>
            </body>
          </body>
        </worldbody></mujoco>
        """
    )
    scn = cd.Scenario("tied", mechanism=m)
    scn.connect(MassProperties(3.0, np.array([0.1, 0.0, 0.2]), 0.1 * np.eye(3)), m.bodies["tank"].mass_properties)
    scn.connect(HingeLock(True), m.joints["arm_joint"].lock)
    scn.start(
        {"cart_joint": SlideState(rate=0.5), "tank_joint": HingeState(rate=1.0), "arm_joint": HingeState(rate=0.2)}
    )
    return scn


def test_mujoco_gives_members_constraints_that_others_lack():
    """Friction is a constraint; a joint held beside constraints is made heavy; one mass is an input."""
    values = {
        "cart.mass": np.array([2.0, 3.0, 4.0]),
        "cart_joint.friction": np.array([0.0, 0.5, 5.0]),
        "arm_joint.armature": np.array([0.0, 0.1, 0.2]),
    }
    service = cd.Mujoco()
    batch = cd.Batch(tied(), 3, dynamics=service, integrator=cd.Rk4(step=0.01), varies=list(values), threads=2)
    batch.set(values)
    assert not batch.advance(0.2).any()
    for member in range(3):
        built = cd.Simulation(tied(of(values, member)), dynamics=service, integrator=cd.Rk4(step=0.01))
        built.run(until=0.2, progress=False)
        assert batch.snapshot(member) == built.snapshot()
    assert batch.snapshot(0) != batch.snapshot(1)


def test_members_that_are_not_given_a_number_keep_the_mechanisms_own():
    batch = cd.Batch(
        build(), 3, dynamics=cd.Mujoco(), integrator=cd.Rk4(step=0.01), varies=["bus.mass", "bus.inertia_B"]
    )
    batch.set({"bus.mass": 70.0}, where=np.array([False, True, True]))
    batch.set({"bus.mass": np.array([0.0, 0.0, 80.0])}, where=np.array([False, False, True]))
    assert batch["bus.mass"].tolist() == [50.0, 70.0, 80.0]
    assert np.allclose(batch["bus.inertia_B"], OWN["bus.inertia_B"], atol=1e-15)
    batch.advance(0.1)
    for member, mass in enumerate((50.0, 70.0, 80.0)):
        assert batch.snapshot(member) == alone({"bus.mass": mass}, cd.Mujoco()).snapshot()


@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_whole_runs_and_members_alone_have_the_numbers_of_the_member(dynamics):
    values = {path: value for path, value in drawn(3).items() if path in ("bus.r_CB_B", "nozzle.q_SB", "wheel.mass")}
    batch = cd.Batch(build(), 3, dynamics=dynamics, integrator=cd.Rk4(step=0.01), varies=list(values), threads=2)
    batch.set(values)
    logs = batch.run(until=0.1, record=cd.Record(every=0.05, ports=OUTPUTS))
    for member in range(3):
        built = cd.Simulation(build(of(values, member)), dynamics=dynamics, integrator=cd.Rk4(step=0.01))
        log = built.run(until=0.1, record=cd.Record(every=0.05, ports=OUTPUTS), progress=False)
        assert log.compare(logs[member]).agree()
        copy = batch.simulation(member)
        assert np.array_equal(copy["bus.com.motion"].r_BN_N, built["bus.com.motion"].r_BN_N)
        copy.run(until=0.2, progress=False)
        built.run(until=0.2, progress=False)
        assert copy.snapshot() == built.snapshot()


def test_an_audit_of_a_variant_balances():
    sim = cd.Simulation(build(), dynamics=cd.Mujoco(), integrator=cd.Rk4(step=0.01))
    variant = sim.variant({"bus.mass": 80.0, "bus.r_CB_B": [0.1, 0.0, 0.0], "mast_joint.stiffness": 30.0})
    variant.run(until=0.5, progress=False)
    assert variant.audit(samples=5).is_explained


def test_a_member_that_fails_can_be_asked_why_after_it_was_given_other_numbers():
    """What the words of its row pointed at then is still there."""
    batch = cd.Batch(build(), 2, dynamics=cd.Mujoco(), integrator=cd.Rk4(step=0.01), varies=["mast_joint.stiffness"])
    batch.set({"mast_joint.stiffness": np.array([20.0, 1.0e9])})
    assert batch.advance(2.0).tolist() == [False, True]
    for value in range(50):
        batch.set({"mast_joint.stiffness": float(value)})
    assert "stiffness of `mast_joint`" in str(batch.error(1))


def test_plain_python_services_take_numbers_too():
    values = {path: value for path, value in drawn(2).items() if path in ("bus.mass", "panel_joint.damping")}
    service = cd.RecursiveTree(jit=False)
    batch = cd.Batch(build(), 2, dynamics=service, integrator=cd.Rk4(step=0.01), varies=list(values), jit=False)
    batch.set(values)
    batch.advance(0.02)
    single = cd.Simulation(build(of(values, 1)), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.01))
    single.run(until=0.02, progress=False)
    assert batch.snapshot(1) == single.snapshot()
