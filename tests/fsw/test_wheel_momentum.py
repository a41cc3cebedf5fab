import numpy as np
import pytest

import cardan as cd
from cardan.fsw import WheelMomentum
from cardan.messages import HingeStates


def test_each_wheel_stores_momentum_along_its_axis():
    axes_B = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8], [0.0, -1.0, 0.0]]
    wheels = HingeStates(angle=np.zeros(4), rate=np.array([10.0, 20.0, 30.0, 40.0]))
    stored = WheelMomentum(axes_B, inertia=[0.1, 0.2, 0.3, 0.4]).step(wheels).momentum
    assert stored.momentum_B == pytest.approx([1.0 + 0.6 * 9.0, 4.0 - 16.0, 0.8 * 9.0], rel=1e-15)


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()], ids=["recursive-tree", "mujoco"])
def test_with_the_inertia_of_the_whole_vehicle_it_is_all_the_momentum(dynamics):
    """The sum in Eq. (2) of the controller, against the momentum that the service finds."""
    m = cd.Mechanism("bus")
    bus = m.add_body("bus", joint=cd.Free(), mass=50.0, inertia_B=np.diag([9.0, 8.0, 6.0]))
    inertia_W = np.diag([0.05, 0.05, 0.1])  # the axis is z
    for name in ("a", "b"):
        m.add_body(name, parent=bus, joint=cd.Hinge([0.0, 0.0, 1.0]), mass=2.0, inertia_B=inertia_W)
    wheels = m.group_of_hinges("wheels", "a_joint", "b_joint")
    scn = cd.Scenario("test", mechanism=m)
    part = WheelMomentum(axes_B=[[0.0, 0.0, 1.0]] * 2, inertia=[0.1, 0.1])
    stored = scn.add(part, name="stored", every=0.1, wheels=wheels.states)
    omega_BN_B = np.array([0.1, -0.2, 0.3])
    speeds = {"a_joint": cd.messages.HingeState(rate=100.0), "b_joint": cd.messages.HingeState(rate=-30.0)}
    scn.start({bus: cd.messages.FrameMotion(omega_BN_B=omega_BN_B), **speeds})
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.1))
    sim.run(until=0.0)
    whole_B = (np.diag([9.0, 8.0, 6.0]) + 2.0 * inertia_W) @ omega_BN_B + np.array([0.0, 0.0, 7.0])
    assert sim[stored.momentum].momentum_B == pytest.approx([0.0, 0.0, 7.0], abs=1e-14)
    assert sim["bus.momentum"].momentum_C_N == pytest.approx(whole_B, rel=1e-13)


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_another_number_of_wheels_is_refused_also_natively(jit, count):
    scn = cd.Scenario("test")
    states = HingeStates(np.zeros(count), np.zeros(count))
    scn.add(WheelMomentum(np.eye(3), inertia=[1.0, 1.0, 1.0]), name="stored", every=0.1, wheels=states)
    with pytest.raises(ValueError) as caught:
        cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=jit).run(until=0.1)
    assert str(caught.value) == "WheelMomentum: `wheels` has another number of wheels than `inertia`."
    assert caught.value.__notes__[0].startswith("in `stored.step` at t = 0 s")
