"""What a service makes for one run, and what all runs of a mechanism share."""

import mujoco
import numpy as np
import pytest

import cardan as cd
from cardan.contracts.dynamics import Binding, Inputs
from cardan.dynamics.recursive_tree.calculator import Calculator

HEAVY = (7.0, np.array([0.1, -0.2, 0.3]), np.array([[3.0, 0.2, -0.1], [0.2, 4.0, 0.3], [-0.1, 0.3, 5.0]]))


def arm(mass=2.0, r_CB_B=(0.0, 0.0, 0.0), inertia_B=0.1 * np.eye(3)) -> cd.Mechanism:
    m = cd.Mechanism("arm")
    bus = m.add_body("bus", joint=cd.Free(), mass=40.0, inertia_B=np.diag([9.0, 8.0, 7.0]))
    hinge = cd.Hinge([0.0, 0.0, 1.0])
    m.add_body("tip", parent=bus, joint=hinge, mass=mass, r_CB_B=r_CB_B, inertia_B=inertia_B, r_BP_P=[0.5, 0.0, 0.2])
    return m


def test_runs_share_a_model_that_none_of_them_changes():
    m = arm()
    first, second = (cd.Mujoco().bind(m, Inputs()) for _ in range(2))
    assert first.keep.model is second.keep.model
    assert first.keep.data is not second.keep.data


def test_runs_whose_masses_change_have_a_model_each_and_it_is_compiled_once(monkeypatch):
    m, compiled = arm(), []
    compile_model = cd.Mechanism.compile_with_general_inertia

    def counted(self, bodies):
        compiled.append(bodies)
        return compile_model(self, bodies)

    monkeypatch.setattr(cd.Mechanism, "compile_with_general_inertia", counted)
    first, second = (cd.Mujoco().bind(m, Inputs(mass_properties=frozenset({"tip"}))) for _ in range(2))
    assert first.keep.model is not second.keep.model
    assert compiled == [["tip"]]


def test_a_held_joint_beside_constraints_needs_a_model_of_its_own():
    text = """<mujoco><worldbody><body name="bus"><freejoint/><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/>
      <body name="tip"><joint name="elbow" axis="0 0 1" range="-1 1" limited="true"/>
      <inertial pos="1 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody></mujoco>"""
    m = cd.Mechanism.from_mjcf(text)
    held = Inputs(locked=frozenset({"elbow"}))
    assert cd.Mujoco().bind(m, held).keep.model is not cd.Mujoco().bind(m, held).keep.model
    assert cd.Mujoco().bind(m, Inputs()).keep.model is cd.Mujoco().bind(m, Inputs()).keep.model


def test_data_of_a_batch_has_room_for_every_member():
    """MuJoCo leaves out what the inertia that it compiles makes zero, so members have models of different sizes."""
    m = cd.Mechanism("alone")
    m.add_body("bus", joint=cd.Free(), mass=40.0, inertia_B=9.0 * np.eye(3))
    varied = cd.Mujoco().bind(m, Inputs(is_varied=True)).keep.data
    off_centre = m.changed({"bus.r_CB_B": HEAVY[1], "bus.inertia_B": HEAVY[2]})
    sizes = []
    for mechanism in (m, off_centre):
        constants = cd.Mujoco().constants(mechanism, Inputs())
        assert constants.keep.nC <= len(varied.qLD)
        sizes.append(constants.keep.nC)
    assert sizes[0] < sizes[1] == len(varied.qLD)


def mass_matrix(binding: Binding, q: np.ndarray) -> np.ndarray:
    model, data = binding.keep.model, binding.keep.data
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, matrix)
    return matrix


@pytest.mark.parametrize("moments", ['diaginertia="1 2 2.5"', 'diaginertia="1 2 2.5" euler="10 20 30"'])
def test_a_body_of_a_file_with_principal_moments_may_have_other_mass_properties(moments):
    text = f"""<mujoco><worldbody><body name="bus"><freejoint/><inertial pos="0 0.1 0" mass="9" {moments}/></body>
      </worldbody></mujoco>"""
    m = cd.Mechanism.from_mjcf(text)
    binding = cd.Mujoco().bind(m, Inputs(mass_properties=frozenset({"bus"})))
    wanted = Calculator(m).mass_matrix(m.tree.reference)
    # 1e-12: the axes of the inertia, found by rotations, are exact to rounding
    assert np.allclose(mass_matrix(binding, m.tree.reference), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("service", [cd.RecursiveTree(), cd.BackSubstitution()], ids=lambda s: s.name)
def test_private_words_hold_geometry_alone(service):
    inputs = Inputs(mass_properties=frozenset({"bus", "tip"}))
    light, heavy = (service.bind(m, inputs).words.view(np.int64) for m in (arm(), arm(*HEAVY)))
    assert np.array_equal(light, heavy)
