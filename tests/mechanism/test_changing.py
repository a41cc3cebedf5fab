"""`Mechanism.changed`: a mechanism as if it had been built with other numbers."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from mechanisms import random_mechanism

import cardan as cd
from cardan.dynamics import Calculator
from cardan.mechanism.tree import BALL, FREE, Tree, read_tree


def same(a: Any, b: Any) -> bool:
    """Whether two values of a tree have the same bits."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(np.array_equal(a, b))


def differing(a: Tree, b: Tree) -> list[str]:
    return [field.name for field in fields(Tree) if not same(getattr(a, field.name), getattr(b, field.name))]


def drawn(mechanism: cd.Mechanism, rng: np.random.Generator) -> dict[str, Any]:
    """Other numbers for about half of all."""
    values: dict[str, Any] = {}
    for body in mechanism.bodies:
        a = rng.normal(size=(3, 3))
        spread = a @ a.T + 0.1 * np.eye(3)
        tensor = np.trace(spread) * np.eye(3) - spread
        values |= {f"{body}.mass": rng.uniform(1.0, 9.0), f"{body}.r_CB_B": rng.normal(size=3)}
        values[f"{body}.inertia_B"] = 0.5 * (tensor + tensor.T)
    for name, joint in mechanism.joints.items():
        if joint.kind != FREE:
            values |= {f"{name}.{number}": rng.uniform() for number in ("damping", "armature", "stiffness")}
        if joint.kind not in (FREE, BALL):
            values[f"{name}.rest"] = rng.normal()
    for site in mechanism.sites:
        q = rng.normal(size=4)
        values |= {f"{site}.r_SB_B": rng.normal(size=3), f"{site}.q_SB": q / np.linalg.norm(q)}
    return {path: value for path, value in values.items() if rng.random() < 0.5}


@pytest.mark.parametrize("seed", range(25))
def test_the_tree_is_that_of_the_compiled_model_to_the_bit(seed):
    mechanism = random_mechanism(seed, most=10)
    values = drawn(mechanism, np.random.default_rng(seed))
    before = read_tree(mechanism.model)
    changed = mechanism.changed(values)
    assert differing(changed.tree, read_tree(changed.model)) == []
    assert differing(mechanism.tree, before) == []  # which has stayed as it was
    again = mechanism.changed(values)
    assert differing(again.tree, changed.tree) == []


def test_nothing_else_changes():
    mechanism = random_mechanism(3, most=10)
    assert differing(mechanism.tree, mechanism.changed({}).tree) == []
    heavier = differing(mechanism.tree, mechanism.changed({"b0.mass": 7.0}).tree)
    assert {"mass", "body_mass"} <= set(heavier) <= {"mass", "body_mass", "com", "inertia"}
    assert differing(mechanism.tree, mechanism.changed({"s0.r_SB_B": [1.0, 2.0, 3.0]}).tree) == ["sites", "site_frames"]


def test_a_body_whose_inertia_comes_from_its_shapes():
    """What is not given stays as its shapes make it."""
    m = cd.Mechanism.from_mjcf(
        '<mujoco><worldbody><body name="ball"><freejoint/><geom size="0.1" pos="0.1 0 0" density="500"/></body>'
        "</worldbody></mujoco>"
    )
    mass, com, inertia = m.tree.body_mass["ball"]
    heavier = m.changed({"ball.mass": 2.0 * mass}).tree.body_mass["ball"]
    assert heavier[0] == 2.0 * mass
    assert np.array_equal(heavier[1], com)
    assert heavier[2] == pytest.approx(inertia, rel=1e-14)


def test_a_file_in_degrees_with_sites_in_frames():
    """Numbers are in SI units and relative to the body, however the file writes them."""
    m = cd.Mechanism.from_mjcf(
        """
        <mujoco><compiler angle="degree"/><worldbody><frame pos="5 0 0" euler="0 0 90"><body name="arm">
          <joint name="elbow" axis="0 0 1" stiffness="2" springref="10"/>
          <inertial pos="0 0 0" mass="1" diaginertia="1 1 1" euler="10 20 30"/>
          <frame pos="0 1 0" euler="0 0 45"><site name="tip" pos="1 0 0" euler="0 30 0"/></frame>
          <site name="rod" fromto="0 0 0 0 0 2" type="cylinder" size="0.1"/>
        </body></frame></worldbody></mujoco>
        """
    )
    link = m.tree.joints.index("elbow")
    assert m.tree.rest[m.tree.q_at[link]] == pytest.approx(np.deg2rad(10.0), rel=1e-15)
    changed = m.changed({"elbow.rest": 0.3, "tip.r_SB_B": [0.1, 0.2, 0.3], "rod.q_SB": [0.6, 0.8, 0.0, 0.0]}).tree
    assert changed.rest[m.tree.q_at[link]] == pytest.approx(0.3, rel=1e-15)
    assert np.array_equal(changed.sites["tip"].pos, [0.1, 0.2, 0.3])
    assert changed.sites["tip"].quat == pytest.approx(m.tree.sites["tip"].quat, rel=1e-14, abs=1e-15)
    assert changed.sites["rod"].pos == pytest.approx(m.tree.sites["rod"].pos, abs=1e-15)
    assert changed.sites["rod"].quat == pytest.approx([0.6, 0.8, 0.0, 0.0])


def test_a_joint_whose_spring_the_compiler_finds():
    """The other of the two coefficients stays what it was."""
    m = cd.Mechanism.from_mjcf(
        '<mujoco><worldbody><body name="arm"><joint name="elbow" axis="0 0 1" springdamper="0.5 0.7"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>'
    )
    stiffness, damping = m.tree.stiffness[0], m.tree.damping[0]
    assert stiffness > 0.0 and damping > 0.0
    changed = m.changed({"elbow.damping": 3.0}).tree
    assert changed.damping[0] == 3.0 and changed.stiffness[0] == stiffness


def test_elements_of_what_was_attached():
    arm = cd.Mechanism("arm")
    root = arm.add_body("root", mass=1.0, inertia_B=np.eye(3))
    arm.add_body("hand", parent=root, joint=cd.Hinge((0, 0, 1)), mass=1.0, inertia_B=np.eye(3))
    arm.add_site("tool", root)
    whole = cd.Mechanism("whole")
    bus = whole.add_body("bus", joint=cd.Free(), mass=9.0, inertia_B=np.eye(3))
    whole.attach(arm, name="left", to=bus, r_BP_P=(1.0, 0.0, 0.0))
    changed = whole.changed(
        {"left/hand.mass": 4.0, "left/hand_joint.damping": 0.5, "left/tool.r_SB_B": [0.0, 1.0, 0.0]}
    )
    assert changed.tree.body_mass["left/hand"][0] == 4.0
    assert changed.tree.sites["left/tool"].pos.tolist() == [1.0, 1.0, 0.0]
    assert Calculator(changed).mass_matrix(changed.tree.reference)[0, 0] == pytest.approx(14.0)
