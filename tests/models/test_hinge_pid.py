import numpy as np
import pytest

import cardan as cd
from cardan.messages import HingeReferences, HingeStates
from cardan.models import HingePid, HingePidState

PART = HingePid(K_p=[10.0, 20.0], K_d=[3.0, 5.0], K_i=[7.0, 1.0], max_torque=[100.0, 100.0])
STATES = HingeStates(angle=np.array([0.2, -0.1]), rate=np.array([0.3, 0.1]))
REFERENCE = HingeReferences(angle=np.array([0.5, 0.3]), rate=np.array([0.1, 0.2]), acceleration=np.zeros(2))


def test_each_gain_acts_on_its_own_error():
    torque = PART.torques(HingePidState(np.array([0.5, 2.0])), STATES, REFERENCE).torque
    expected = [10.0 * 0.3 + 3.0 * -0.2 + 7.0 * 0.5, 20.0 * 0.4 + 5.0 * 0.1 + 1.0 * 2.0]
    assert torque == pytest.approx(expected, rel=1e-15)


def test_the_integral_grows_by_the_error():
    assert PART.initial().integral.tolist() == [0.0, 0.0]
    assert PART.derivatives(PART.initial(), STATES, REFERENCE).integral == pytest.approx([0.3, 0.4], rel=1e-15)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_motor_at_its_limit_delivers_it_and_its_integral_stops(sign):
    part = PART._replace(max_torque=np.array([1.0, 100.0]))
    reference = HingeReferences(STATES.angle + sign * 0.3, STATES.rate, np.zeros(2))
    x = HingePidState(np.zeros(2))
    assert part.torques(x, STATES, reference).torque == pytest.approx([sign * 1.0, sign * 6.0], rel=1e-14)
    assert part.derivatives(x, STATES, reference).integral == pytest.approx([0.0, sign * 0.3], rel=1e-14)


def test_an_integral_that_is_too_large_may_shrink_at_the_limit():
    """The error has turned round, so integrating it leads away from the limit."""
    part = PART._replace(max_torque=np.array([1.0, 1.0]))
    reference = HingeReferences(STATES.angle - 0.1, STATES.rate, np.zeros(2))
    x = HingePidState(np.array([50.0, 50.0]))
    assert part.torques(x, STATES, reference).torque.tolist() == [1.0, 1.0]
    assert part.derivatives(x, STATES, reference).integral == pytest.approx([-0.1, -0.1], rel=1e-14)


def hinge_with(part: HingePid, until: float) -> cd.Log:
    """A flap of 2 kg m^2 with a spring, told to go to 1 rad and stay there."""
    m = cd.Mechanism("flap")
    m.add_body("flap", joint=cd.Hinge([0.0, 0.0, 1.0], stiffness=3.0), mass=1.0, inertia_B=2.0 * np.eye(3))
    hinges = m.group_of_hinges("hinges", "flap_joint")
    scn = cd.Scenario("flap", mechanism=m)
    told = HingeReferences(angle=np.ones(1), rate=np.zeros(1), acceleration=np.zeros(1))
    pid = scn.add(part, name="pid", states=hinges.states, reference=told)
    scn.connect(pid.torques, hinges.efforts)
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.01))
    return sim.run(until=until, record=cd.Record(every=0.1, ports=["flap_joint.state", "pid.torques", "pid.state"]))


def test_the_integral_removes_the_error_that_a_spring_leaves():
    log = hinge_with(HingePid(K_p=[8.0], K_d=[8.0], K_i=[6.0], max_torque=[50.0]), until=40.0)
    assert log["flap_joint.state"].angle[-1] == pytest.approx(1.0, abs=1e-6)
    # the integral alone holds the spring
    assert 6.0 * log["pid.state"].integral[-1, 0] == pytest.approx(3.0, abs=1e-5)
    without = hinge_with(HingePid(K_p=[8.0], K_d=[8.0], K_i=[0.0], max_torque=[50.0]), until=40.0)
    assert without["flap_joint.state"].angle[-1] == pytest.approx(8.0 / 11.0, abs=1e-6)


def test_a_motor_that_is_too_weak_does_not_wind_up():
    """It can hold the spring at 0.5 rad only: the integral stops where the law asks for no more than the limit."""
    log = hinge_with(HingePid(K_p=[8.0], K_d=[8.0], K_i=[6.0], max_torque=[1.5]), until=60.0)
    assert np.abs(log["pid.torques"].torque).max() <= 1.5
    # at rest at 0.5 rad, K_p e = 4 N m is beyond the limit without any integral
    assert np.abs(log["pid.state"].integral).max() < 0.5


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("count", [1, 3])
def test_another_number_of_hinges_is_refused_also_natively(jit, count):
    scn = cd.Scenario("test")
    told = HingeReferences(np.zeros(count), np.zeros(count), np.zeros(count))
    scn.add(PART, name="pid", states=HingeStates(np.zeros(count), np.zeros(count)), reference=told)
    with pytest.raises(ValueError) as caught:
        cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=jit).run(until=0.1)
    assert str(caught.value) == ("HingePid: its parameters, `states` and `reference` have different numbers of hinges.")
