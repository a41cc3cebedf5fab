"""BackSubstitution against RecursiveTree on every kind of effector, alone and together."""

import numpy as np
import pytest
from mechanisms import random_state
from test_carriages import physical_inertia, random_motion, turn
from test_services import evaluate

import cardan as cd
from cardan import messages
from cardan.dynamics.back_substitution import (
    hinged_body,
    prescribed_body,
    reaction_wheel,
    slosh_mass,
    spinning_bodies,
    words,
)
from cardan.errors import SettingError, UnsupportedByDynamics
from cardan.mechanism.support import connected_inputs
from cardan.mechanism.tree import HINGE, SLIDE

KINDS = ("wheel", "unbalanced", "panel", "slosh", "arm", "carriage", "tree", "tool")


def unit(rng: np.random.Generator) -> np.ndarray:
    a = rng.normal(size=3)
    return a / np.linalg.norm(a)


def general(rng: np.random.Generator) -> dict[str, object]:
    """A body with nothing in a special place."""
    return {
        "mass": float(rng.uniform(0.5, 4.0)),
        "inertia_B": physical_inertia(rng),
        "r_CB_B": 0.4 * rng.normal(size=3),
        "r_BP_P": rng.normal(size=3),
        "q_BP": turn(rng),
    }


def hinge(rng: np.random.Generator) -> cd.Hinge:
    damping, stiffness, rest, armature = rng.uniform(0.0, 1.0, 4)
    return cd.Hinge(unit(rng), 0.3 * rng.normal(size=3), damping, stiffness, rest, armature)


def slide(rng: np.random.Generator) -> cd.Slide:
    damping, stiffness, rest, armature = rng.uniform(0.0, 1.0, 4)
    return cd.Slide(unit(rng), damping, stiffness, rest, armature)


def add_effector(made: cd.Mechanism, hub: object, kind: str, name: str, rng: np.random.Generator) -> None:
    if kind == "wheel":
        axis = unit(rng)
        inertia = 0.4 * np.eye(3) + 0.3 * np.outer(axis, axis)
        made.add_body(
            name, parent=hub, joint=cd.Hinge(axis, armature=0.1), mass=2.0, inertia_B=inertia, r_CB_B=0.2 * axis,
            r_BP_P=rng.normal(size=3), q_BP=turn(rng),
        )  # fmt: skip
    elif kind in ("unbalanced", "panel"):
        made.add_body(name, parent=hub, joint=hinge(rng), **general(rng))
    elif kind == "slosh":
        made.add_body(name, parent=hub, joint=slide(rng), **general(rng))
    elif kind == "arm":
        # one body with two joints, then a slide, then a fixed part on a hinge
        first = made.add_body(
            name, parent=hub, joints={f"{name}_a": hinge(rng), f"{name}_b": hinge(rng)}, **general(rng)
        )
        second = made.add_body(f"{name}_2", parent=first, joint=slide(rng), **general(rng))
        third = made.add_body(f"{name}_3", parent=second, joint=hinge(rng), **general(rng))
        made.add_body(f"{name}_4", parent=third, **general(rng))
    elif kind == "carriage":
        made.add_body(name, parent=hub, joint=cd.Carriage(), **general(rng))
    elif kind == "tree":
        # branches, all of it prescribed
        root = made.add_body(name, parent=hub, joint=cd.Carriage(), **general(rng))
        made.add_body(f"{name}_left", parent=root, joint=hinge(rng), **general(rng))
        made.add_body(f"{name}_right", parent=root, joint=slide(rng), **general(rng))
    else:
        # prescribed tools on an arm that moves freely
        arm = made.add_body(name, parent=hub, joint=hinge(rng), **general(rng))
        made.add_body(f"{name}_grip", parent=arm, joint=cd.Carriage(), **general(rng))
        beyond = made.add_body(f"{name}_beyond", parent=arm, joint=hinge(rng), **general(rng))
        made.add_body(f"{name}_eye", parent=beyond, joint=hinge(rng), **general(rng))


def spacecraft(kinds: tuple[str, ...], seed: int, vehicles: int = 1) -> cd.Scenario:
    """Hubs with effectors, loads everywhere, locks on some joints."""
    rng = np.random.default_rng(seed)
    made = cd.Mechanism("spacecraft")
    for n in range(vehicles):
        place = general(rng)
        hub = made.add_body(f"hub{n}", joint=cd.Free(), **{**place, "mass": 20.0})
        for i, kind in enumerate(kinds):
            add_effector(made, hub, kind, f"{kind}{n}{i}", rng)
    scn = cd.Scenario(mechanism=made)
    group = made.group_of_bodies("all")
    scn.connect(messages.InertialForces(rng.normal(size=(len(group.names), 3))), group.forces_N)
    for body in made.bodies.values():
        scn.connect(messages.BodyWrench(*rng.normal(size=(2, 3))), body.wrench)
        if made.carriage(body.name):
            scn.connect(random_motion(rng), body.prescribed)
    for joint in made.joints.values():
        in_carriage = "/" in joint.name
        is_prescribed = any(word in joint.name for word in ("left", "right", "eye"))
        if joint.kind == HINGE:
            scn.connect(messages.HingeTorque(float(rng.normal())), joint.effort)
            if is_prescribed:
                scn.connect(messages.PrescribedAngle(*rng.normal(size=3)), joint.prescribed)
            elif rng.random() < 0.3:
                scn.connect(messages.HingeLock(True, 0.3), joint.lock)
        elif joint.kind == SLIDE and not in_carriage:
            if is_prescribed:
                scn.connect(messages.PrescribedDisplacement(*rng.normal(size=3)), joint.prescribed)
            elif rng.random() < 0.3:
                scn.connect(messages.SlideLock(True, 0.3), joint.lock)
    return scn


def published(scn: cd.Scenario, dynamics: object, seed: int, far: bool) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    found = evaluate(scn, dynamics, *random_state(scn.mechanism, seed, far))
    return found.accelerations, {path: np.hstack([np.ravel(x) for x in port]) for path, port in found.ports.items()}


def assert_agreement(make: object, seed: int, far: bool = False) -> None:
    """Accelerations to 1e-11 of the largest; messages to 1e-10 of their numbers, efforts of the loads."""
    first, ours = published(make(), cd.BackSubstitution(), seed, far)
    second, theirs = published(make(), cd.RecursiveTree(), seed, far)
    scale = np.abs(second).max()
    assert np.abs(first - second).max() < 1e-11 * scale
    for path, numbers in ours.items():
        is_effort = path.endswith((".reaction", ".holding"))
        allowed = 1e-10 * (50.0 * scale if is_effort else np.abs(numbers).max() + 1e-3)
        assert np.abs(numbers - theirs[path]).max() <= allowed, path


@pytest.mark.parametrize("kind", KINDS)
def test_one_effector_on_a_hub_agrees_with_the_recursion(kind):
    for seed in range(4):
        assert_agreement(lambda seed=seed: spacecraft((kind,), seed), seed)


@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
def test_all_effectors_together_agree_with_the_recursion(far):
    for seed in range(4):
        assert_agreement(lambda seed=seed: spacecraft(KINDS, seed), seed, far)


def test_several_vehicles_have_a_hub_each():
    assert_agreement(lambda: spacecraft(("wheel", "arm", "carriage"), 3, vehicles=2), 3)


def test_effectors_are_recognized():
    scn = spacecraft(KINDS, 0)
    inputs = connected_inputs(scn.mechanism_inputs)
    table = cd.BackSubstitution().bind(scn.mechanism, inputs).words.view(np.int64)
    count = table[0]
    found = [table[1 + words.ROW // 8 * i] for i in range(count)]
    # the carriage and the tree, side by side, are both prescribed: one effector
    wanted = [
        reaction_wheel, hinged_body, hinged_body, slosh_mass, spinning_bodies, prescribed_body, spinning_bodies,
    ]  # fmt: skip
    assert found == [effector.KIND for effector in wanted]


def test_a_wheel_whose_mass_properties_change_is_not_taken_for_balanced():
    def make() -> cd.Scenario:
        scn = spacecraft(("wheel",), 5)
        rng = np.random.default_rng(1)
        wheel = scn.mechanism.bodies["wheel00"]
        scn.connect(
            messages.MassProperties(3.0, 0.2 * rng.normal(size=3), physical_inertia(rng)), wheel.mass_properties
        )
        return scn

    assert_agreement(make, 5)


def test_what_it_cannot_represent_is_refused_joint_by_joint():
    made = cd.Mechanism("odd")
    hub = made.add_body("hub", joint=cd.Free(), mass=10.0, inertia_B=np.eye(3))
    body = {"mass": 1.0, "inertia_B": np.eye(3)}
    made.add_body("turret", parent=hub, joint=cd.Ball(), **body)
    arm = made.add_body("arm", parent=hub, joint=cd.Hinge(), **body)
    wrist = made.add_body("wrist", parent=arm, joint=cd.Hinge(), **body)
    made.add_body("finger", parent=wrist, joint=cd.Hinge(), **body)
    made.add_body("thumb", parent=arm, joint=cd.Slide(), **body)
    made.add_body("base", joint=cd.Hinge(), **body)
    with pytest.raises(UnsupportedByDynamics) as error:
        cd.Simulation(cd.Scenario(mechanism=made), dynamics=cd.BackSubstitution())
    assert str(error.value) == (
        "BackSubstitution cannot run the mechanism `odd`:\n"
        "  vehicle whose root does not fly freely: base_joint\n"
        "  ball joint: turret_joint\n    Prescribe it, or use RecursiveTree().\n"
        "  joint beside others that move freely on the same branch: thumb_joint\n"
        "    Prescribe it, or use RecursiveTree()."
    )


def test_joint_limits_are_refused_unless_they_are_to_be_ignored():
    text = """<mujoco model="box"><worldbody><body name="hub"><freejoint name="fly"/>
      <inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/>
      <body name="arm"><joint name="elbow" limited="true" range="-1 1"/>
      <inertial pos="1 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody></mujoco>"""
    scn = cd.Scenario(mechanism=cd.Mechanism.from_mjcf(text))
    with pytest.raises(UnsupportedByDynamics) as error:
        cd.Simulation(scn, dynamics=cd.BackSubstitution())
    assert str(error.value) == (
        "BackSubstitution cannot run the mechanism `box`:\n"
        "  joint limit: elbow\n    Leave them out, with `limits=False` when the mechanism is read, use\n"
        "    BackSubstitution(ignore_limits=True), or Mujoco()."
    )
    cd.Simulation(scn, dynamics=cd.BackSubstitution(ignore_limits=True)).run(until=0.1)


def test_the_time_constant_of_locks_is_checked():
    with pytest.raises(SettingError, match="lock_time_constant must be positive and finite"):
        cd.BackSubstitution(lock_time_constant=0.0)


def test_a_long_run_with_all_effectors_conserves_momentum_and_explains_its_energy():
    """Springs, dampers and prescribed motion are internal; the audit counts the work that goes through joints."""
    rng = np.random.default_rng(8)
    made = cd.Mechanism("spacecraft")
    hub = made.add_body("hub", joint=cd.Free(), **{**general(rng), "mass": 30.0})
    for kind in ("wheel", "unbalanced", "slosh", "arm"):
        add_effector(made, hub, kind, kind, rng)
    scn = cd.Scenario(mechanism=made)
    scn.start(
        {"hub": messages.FrameMotion(omega_BN_B=[0.1, -0.2, 0.15]), "wheel_joint": messages.HingeState(0.0, 20.0)}
    )
    sim = cd.Simulation(scn, dynamics=cd.BackSubstitution(), integrator=cd.Dop853(rtol=1e-12, atol=1e-12))
    log = sim.run(until=60.0, record=cd.Record(every=1.0, ports=["hub.momentum"]))
    momentum = log["hub.momentum"].momentum_C_N
    assert np.abs(momentum - momentum[0]).max() < 1e-9 * np.abs(momentum[0]).max()
    assert sim.audit().is_explained
