import numpy as np
import pytest

import cardan as cd
from cardan.messages import HingeState, HingeStates, HingeTorque
from cardan.models import HingeFriction

PART = HingeFriction(friction=[2.0, 3.0], transition=0.01)


def test_a_turning_hinge_feels_its_friction_against_its_motion():
    torque = PART.torques(HingeStates(angle=np.zeros(2), rate=np.array([5.0, -5.0]))).torque
    # 1 - 1/sqrt(1 + (0.01/5)^2) = 2e-6
    assert torque == pytest.approx([-2.0, 3.0], rel=3e-6)


def test_at_the_transition_it_feels_the_root_of_a_half():
    torque = PART.torques(HingeStates(angle=np.zeros(2), rate=np.array([0.01, 0.0]))).torque
    assert torque == pytest.approx([-2.0 * np.sqrt(0.5), 0.0], rel=1e-15)


def braked(until: float, load: float = 0.0, rate: float = 0.0) -> cd.Simulation:
    """A flap of 2 kg m^2 with a friction of 0.5 N m, read with the friction and flown with the part."""
    text = """<mujoco><worldbody><body name="flap"><joint name="hinge" frictionloss="0.5"/>
    <inertial pos="0 0 0" mass="1" diaginertia="2 2 2"/></body></worldbody></mujoco>"""
    mechanism = cd.Mechanism.from_mjcf(text, friction=False)
    hinges = mechanism.group_of_hinges("hinges")
    scn = cd.Scenario("flap", mechanism=mechanism)
    friction = scn.add(HingeFriction(friction=hinges.friction), name="friction", states=hinges.states)
    scn.connect(friction.torques, hinges.efforts)
    scn.connect(HingeTorque(load), mechanism.joints["hinge"].effort)
    scn.start({"hinge": HingeState(rate=rate)})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.005))
    sim.run(until=until, progress=False)
    return sim


def test_a_hinge_that_coasts_loses_its_rate_in_proportion_to_time():
    assert braked(until=2.0, rate=1.0)["hinge.state"].rate == pytest.approx(1.0 - 0.25 * 2.0, abs=1e-5)
    # at 4 s it has stopped; what is left decays with 2 kg m^2 0.001 rad/s / 0.5 N m = 4 ms
    assert abs(braked(until=5.0, rate=1.0)["hinge.state"].rate) < 1e-9


def test_a_load_below_the_friction_only_makes_it_creep():
    """At 0.3 of 0.5 N m, Eq. (1) holds the load at 0.75 of the transition."""
    assert braked(until=2.0, load=0.3)["hinge.state"].rate == pytest.approx(0.75e-3, rel=1e-6)
    # a larger load sets it in motion; below the transition it had less friction, worth about one transition of rate
    assert braked(until=2.0, load=0.7)["hinge.state"].rate == pytest.approx(0.1 * 2.0, abs=2e-3)


@pytest.mark.parametrize("jit", [True, False])
def test_another_number_of_hinges_is_refused_also_natively(jit):
    scn = cd.Scenario("test")
    scn.add(PART, name="friction", states=HingeStates(np.zeros(3), np.zeros(3)))
    with pytest.raises(ValueError) as caught:
        cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=jit).run(until=0.1)
    assert str(caught.value) == "HingeFriction: `states` has another number of hinges than `friction`."
