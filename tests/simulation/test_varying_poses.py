"""Poses of bodies on joints that differ from run to run: the bits of a mechanism that was built with them."""

from typing import Any

import numpy as np
import pytest

import cardan as cd
from cardan.errors import UnknownName
from cardan.messages import BodyWrench, HingeState

SERVICES = [cd.RecursiveTree(), cd.BackSubstitution(), cd.Mujoco()]
TURNED = np.array([0.6, 0.0, 0.8, 0.0])
PORTS = ["tip.motion", "wheel.motion", "bus.motion"]


def build(r_BP_P: Any = (0.5, 0.0, 0.1), q_BP: Any = (1.0, 0.0, 0.0, 0.0)) -> cd.Scenario:
    """A bus with a wheel that spins, on it a bracket that is fixed, with a tip; a push makes all of it move."""
    m = cd.Mechanism("craft")
    bus = m.add_body("bus", joint=cd.Free(), mass=50.0, inertia_B=np.diag([5.0, 6.0, 7.0]))
    wheel = m.add_body(
        "wheel", parent=bus, joint=cd.Hinge((0, 0, 1), r_JB_B=(0.1, 0.0, 0.0)), mass=2.0, r_CB_B=(0.02, 0.0, 0.0),
        inertia_B=np.diag([0.06, 0.06, 0.1]), r_BP_P=r_BP_P, q_BP=q_BP,
    )  # fmt: skip
    bracket = m.add_body("bracket", parent=wheel, mass=0.5, inertia_B=0.01 * np.eye(3), r_BP_P=(0.0, 0.1, 0.0))
    m.add_site("tip", bracket, r_SB_B=(0.0, 0.0, 0.2))
    scn = cd.Scenario("craft", mechanism=m)
    scn.connect(BodyWrench(force_B=np.array([0.1, 0.2, 0.3]), torque_B=np.array([0.0, 0.1, 0.0])), bus.wrench)
    scn.start({"wheel_joint": HingeState(angle=0.3, rate=20.0)})
    return scn


def run(sim: cd.Simulation) -> cd.Log:
    return sim.run(until=0.5, record=cd.Record(every=0.1, ports=PORTS))


def same(first: cd.Log, second: cd.Log) -> bool:
    return all(np.array_equal(first[f.path].values, f.values) for f in second.fields())


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: type(service).__name__)
def test_a_body_that_is_placed_otherwise_moves_as_one_that_was_built_so(service):
    how: dict[str, Any] = {"dynamics": service, "integrator": cd.Rk4(step=0.01)}
    pose = {"wheel.r_BP_P": [0.2, -0.3, 0.4], "wheel.q_BP": TURNED}
    built = run(cd.Simulation(build(*pose.values()), **how))
    assert same(run(cd.Simulation(build(), **how).variant(pose)), built)

    batch = cd.Batch(build(), 3, varies=list(pose), seeds=[0, 0, 0], **how)
    own = {path: batch.scenario.mechanism.number(path) for path in pose}
    batch.set({path: np.array([own[path], value, own[path]]) for path, value in pose.items()})
    batch.reset()
    logs = batch.run(until=0.5, record=cd.Record(every=0.1, ports=PORTS))
    nominal = run(cd.Simulation(build(), **how))
    assert same(logs[1], built) and same(logs[0], nominal) and same(logs[2], nominal)
    assert not same(built, nominal)
    assert logs[1].about["numbers"]["wheel.q_BP"] == TURNED.tolist()
    assert same(run(batch.simulation(1).variant({})), built)


def test_a_pose_within_a_frame_of_the_file_is_relative_to_the_body():
    mjcf = """<mujoco><worldbody><body name="bus"><freejoint/><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/>
      <frame pos="1 0 0" euler="0 0 90"><body name="arm" pos="0 1 0"><joint name="elbow" axis="0 0 1"/>
      <inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body></frame></body></worldbody></mujoco>"""
    m = cd.Mechanism.from_mjcf(mjcf)
    assert np.allclose(m.number("arm.r_BP_P"), [0.0, 0.0, 0.0])
    moved = m.changed({"arm.r_BP_P": [0.5, 0.0, 0.0]})
    assert np.allclose(moved.number("arm.r_BP_P"), [0.5, 0.0, 0.0])
    assert np.allclose(moved.number("arm.q_BP"), m.number("arm.q_BP"))


def test_only_bodies_on_joints_are_placed_otherwise():
    sim = cd.Simulation(build(), dynamics=cd.RecursiveTree())
    for body in ("bus", "bracket"):
        with pytest.raises(UnknownName, match=f"The body `{body}` has no number `q_BP`"):
            sim.variant({f"{body}.q_BP": TURNED})
    with pytest.raises(UnknownName, match=r"Did you mean `wheel\.q_BP`"):
        sim.scenario.mechanism.number("wheel.q_PB")
    assert sim.scenario.mechanism.numbers["wheel.r_BP_P"] == "m"
