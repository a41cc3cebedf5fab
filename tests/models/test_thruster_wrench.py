import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan.messages import FrameMotion, ThrusterForces
from cardan.missions.vehicles import add_flyer
from cardan.models import ThrusterWrench


@given(seed=st.integers(0, 10**6), count=st.integers(1, 24))
def test_the_wrench_is_that_of_the_mixer(seed, count):
    rng = np.random.default_rng(seed)
    r, d, thrust = rng.normal(size=(count, 3)), rng.normal(size=(count, 3)), rng.uniform(0.0, 1.0, count)
    d /= np.linalg.norm(d, axis=1)[:, None]
    wrench = ThrusterWrench(r, d).wrench(ThrusterForces(thrust))
    assert wrench.force_B == pytest.approx(thrust @ d, abs=1e-13)
    assert wrench.torque_B == pytest.approx(thrust @ np.cross(r, d), abs=1e-13)


def test_momentum_grows_by_what_the_thrusters_gave():
    """Constant thrust on a body that does not turn: impulse over mass, in closed form."""
    m = cd.Mechanism("free")
    bee = add_flyer(m, "astrobee", name="bee")
    body, thrusters = m.bodies[bee.body], bee.thrusters
    thrust = np.zeros(12)
    thrust[[1, 3]] = 0.2, 0.2  # LX- and RX- push along x; their torques cancel
    scn = cd.Scenario("push", mechanism=m)
    bank = scn.add(ThrusterWrench(thrusters.positions_B, thrusters.directions_B), name="bank")
    scn.connect(ThrusterForces(thrust), bank.forces)
    scn.connect(bank.wrench, body.wrench)
    scn.start({body: FrameMotion(v_BN_N=[0.1, 0.0, 0.0])})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.1))
    sim.run(until=10.0)
    motion = sim[f"{bee.body}.motion"]
    assert motion.v_BN_N == pytest.approx([0.1 + 4.0 / bee.mass, 0.0, 0.0], abs=1e-12)
    assert motion.omega_BN_B == pytest.approx(np.zeros(3), abs=1e-14)
    assert sim["bank.impulses"].impulse.sum() == pytest.approx(4.0, rel=1e-12)


def test_forces_of_another_number_of_thrusters_are_refused():
    text = "ThrusterWrench: `forces` has another number of thrusters than `positions_B`."
    with pytest.raises(ValueError, match=text):
        ThrusterWrench(np.eye(3), np.eye(3)).wrench(ThrusterForces(np.zeros(2)))
