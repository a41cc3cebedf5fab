"""Many mechanisms that differ in numbers at once: each as `Mechanism.changed` makes it, to the bit."""

from typing import Any

import numpy as np
import pytest

import cardan as cd
from cardan.errors import MassesChanged
from cardan.maths import quaternion_from_mrp
from cardan.mechanism.variants import variants_of

COUNT = 5
RNG = np.random.default_rng(3)


def mechanism(**bus: Any) -> cd.Mechanism:
    """A bus with a box fixed to it, a panel on a hinge and a nozzle."""
    m = cd.Mechanism("craft")
    own = {"mass": 50.0, "inertia_B": np.diag([5.0, 6.0, 7.0])} | bus
    body = m.add_body("bus", joint=cd.Free(), **own)
    m.add_body("box", parent=body, mass=3.0, inertia_B=0.2 * np.eye(3), r_BP_P=(0.1, 0.2, 0), q_BP=(0.6, 0.8, 0, 0))
    m.add_body(
        "panel", parent=body, joint=cd.Hinge((0, 1, 0), stiffness=0.5), mass=2.0, inertia_B=0.1 * np.eye(3),
        r_BP_P=(0.5, 0.0, 0.1),
    )  # fmt: skip
    m.add_site("nozzle", m.bodies["box"], r_SB_B=(0.0, 0.0, -0.5))
    return m


def attitudes() -> np.ndarray:
    return np.array([quaternion_from_mrp(sigma) for sigma in 0.3 * RNG.normal(size=(COUNT, 3))])


def inertias() -> np.ndarray:
    off = 0.1 * RNG.normal(size=(COUNT, 3, 3))
    tensors: np.ndarray = np.diag([5.0, 6.0, 7.0]) + off + off.swapaxes(1, 2)
    return tensors


VALUES = {
    "bus.mass": RNG.uniform(40.0, 60.0, COUNT),
    "bus.r_CB_B": 0.1 * RNG.normal(size=(COUNT, 3)),
    "bus.inertia_B": inertias(),
    "panel.r_BP_P": RNG.normal(size=(COUNT, 3)),
    "panel.q_BP": attitudes(),
    "panel_joint.damping": RNG.uniform(0.0, 1.0, COUNT),
    "panel_joint.stiffness": RNG.uniform(0.0, 1.0, COUNT),
    "panel_joint.armature": RNG.uniform(0.0, 1.0, COUNT),
    "nozzle.r_SB_B": RNG.normal(size=(COUNT, 3)),
    "nozzle.q_SB": attitudes(),
}
STACKED = ("mass", "com", "inertia", "offset_pos", "offset_quat", "damping", "stiffness", "armature")


@pytest.mark.parametrize("paths", [*([path] for path in VALUES), list(VALUES)], ids="+".join)
def test_each_is_the_changed_mechanism(paths: list[str]) -> None:
    m = mechanism()
    found = variants_of(m, {path: VALUES[path] for path in paths})
    assert found is not None
    for i in range(COUNT):
        alone = m.changed({path: VALUES[path][i] for path in paths}).tree
        for name in STACKED:
            wanted, stack = getattr(alone, name), getattr(found.tree, name)
            own = stack[i] if stack.ndim > wanted.ndim else stack
            assert own.tobytes() == wanted.tobytes(), name
        for part, stack in zip(alone.body_mass["bus"], found.tree.body_mass["bus"], strict=True):
            assert np.array_equal(part, stack[i] if np.ndim(stack) > np.ndim(part) else stack)
        for part, stack in zip(alone.sites["nozzle"][1:], found.tree.sites["nozzle"][1:], strict=True):
            assert np.array_equal(part, stack[i] if stack.ndim > part.ndim else stack)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("bus.mass", -1.0),
        ("bus.mass", np.nan),
        ("bus.inertia_B", np.diag([1.0, 1.0, 5.0])),
        ("bus.inertia_B", np.diag([1.0, 1.0, 2.0])),  # flat: an inertia, of which rounding decides what it is
        ("bus.inertia_B", np.triu(np.ones((3, 3)))),
        ("panel.q_BP", np.array([2.0, 0.0, 0.0, 0.0])),
        ("bus.volume", 1.0),
    ],
)
def test_what_is_wrong_or_unusual_is_left_to_changed(path: str, value: Any) -> None:
    values = np.array([value, value], float)
    if path in VALUES:
        values[0] = VALUES[path][0]
    assert variants_of(mechanism(), {path: values}) is None


def test_options_of_a_file_that_change_masses_are_left_to_changed() -> None:
    text = """
    <mujoco><compiler {}/><worldbody><body name="bus"><freejoint/>{}</body></worldbody></mujoco>
    """
    inertial = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>'
    given = {"bus.mass": np.array([3.0, 4.0])}
    assert variants_of(cd.Mechanism.from_mjcf(text.format("", inertial)), given) is not None
    with pytest.warns(MassesChanged):
        bounded = cd.Mechanism.from_mjcf(text.format('boundmass="2.5"', inertial))
        assert variants_of(bounded, given) is None
    shape = '<geom type="box" size="1 1 1" mass="2" contype="0" conaffinity="0"/>'
    assert variants_of(cd.Mechanism.from_mjcf(text.format("", shape)), given) is None
