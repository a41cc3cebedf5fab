import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan.fsw import flyer_pd
from cardan.maths import dcm_from_mrp, mrp_from_quaternion
from cardan.mechanism import flyer_of
from cardan.messages import FlyerReference, FrameMotion
from cardan.missions.vehicles import add_flyer
from cardan.models import ThrusterBank, ThrusterWrench

BEE = add_flyer(cd.Mechanism("bee"), "astrobee", name="bee")


def pd(flyer=BEE, **options):
    return flyer_pd(flyer.mass, flyer.inertia_C_B, flyer.mixer, flyer.thrusters.max_thrust, **options)


def closed_loop(controller, flyer, mechanism, reference, start, *, period=0.1, until=60.0):
    """A flyer alone, its controller and its thrusters."""
    scn = cd.Scenario("loop", mechanism=mechanism)
    body, thrusters = mechanism.bodies[flyer.body], flyer.thrusters
    ctl = scn.add(controller, name="ctl", every=period, motion=body.com.motion, reference=reference)
    bank = scn.add(ThrusterBank(thrusters.max_thrust), name="bank", command=ctl.command)
    push = scn.add(ThrusterWrench(thrusters.positions_B, thrusters.directions_B), name="push", forces=bank.forces)
    scn.connect(push.wrench, body.wrench)
    scn.start({body: start})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05))
    return sim, sim.run(until=until)


def test_gains_follow_from_mass_properties():
    """SmallSatSim's default of the same rule: 1.17401 and 6.70865 for Astrobee."""
    part = pd()
    assert part.K_r == pytest.approx(1.17401, rel=1e-5)
    assert part.P_r == pytest.approx(6.70865, rel=1e-5)
    assert part.K_a_B == pytest.approx(0.64 * BEE.inertia_C_B)
    assert part.P_a_B == pytest.approx(1.6 * BEE.inertia_C_B)


@given(st.integers(0, 10**6))
def test_at_the_reference_nothing_is_asked_for(seed):
    rng = np.random.default_rng(seed)
    r, sigma = rng.normal(size=3), rng.normal(size=3) * 0.3
    found = pd().step(FrameMotion(r_BN_N=r, sigma_BN=sigma), FlyerReference(r_RN_N=r, sigma_RN=sigma))
    assert found.wrench.force_B == pytest.approx(np.zeros(3), abs=1e-14)
    assert found.wrench.torque_B == pytest.approx(np.zeros(3), abs=1e-14)
    assert found.command.thrust == pytest.approx(np.zeros(12), abs=1e-9)


def test_the_error_is_in_body_components_and_goes_the_short_way_round():
    sigma_BN = mrp_from_quaternion(np.array([np.cos(0.2), 0.0, 0.0, np.sin(0.2)]))
    motion = FrameMotion(r_BN_N=np.array([1.0, 0.0, 0.0]), sigma_BN=sigma_BN)
    error = pd().step(motion, FlyerReference()).error
    assert error.r_BR_B == pytest.approx(dcm_from_mrp(sigma_BN) @ [1.0, 0.0, 0.0], abs=1e-15)
    assert error.theta_BR_B == pytest.approx([0.0, 0.0, 2.0 * np.sin(0.2)], abs=1e-15)
    shadow = -sigma_BN / (sigma_BN @ sigma_BN)
    turned = pd().step(motion, FlyerReference(sigma_RN=np.zeros(3))).error
    assert np.array_equal(turned.theta_BR_B, error.theta_BR_B)
    other = pd().step(motion._replace(sigma_BN=shadow), FlyerReference()).error
    assert other.theta_BR_B == pytest.approx(error.theta_BR_B, abs=1e-14)


@pytest.mark.parametrize("kind", ["astrobee", "sprint", "cubesat"])
def test_every_flyer_comes_to_rest_at_its_set_point(kind):
    m = cd.Mechanism(kind)
    flyer = add_flyer(m, kind, name="f")
    start = FrameMotion(r_BN_N=[1.0, -0.5, 0.8], v_BN_N=[0.02, 0.0, 0.05], sigma_BN=[0.3, -0.2, 0.4])
    sim, _ = closed_loop(pd(flyer), flyer, m, FlyerReference(sigma_RN=[0.0, 0.1, 0.0]), start)
    error = sim["ctl.error"]
    # 60 s are 21 and 48 time constants of the two loops; the effort of the allocation leaves a millionth
    assert np.linalg.norm(error.r_BR_B) < 1e-5 and np.linalg.norm(error.theta_BR_B) < 1e-5
    assert np.linalg.norm(error.v_BR_B) < 1e-5 and np.linalg.norm(error.omega_BR_B) < 1e-5


LOPSIDED = """
<mujoco model="lopsided">
  <worldbody>
    <body name="tug" pos="5 5 5">
      <freejoint/>
      <inertial pos="0.08 -0.05 0.03" mass="40" fullinertia="3 4 5 0.2 -0.1 0.3"/>
      {sites}
    </body>
  </worldbody>
  <actuator>{motors}</actuator>
</mujoco>
"""


def test_a_vehicle_with_its_centre_of_mass_off_its_origin_comes_to_rest_there():
    """Sixteen thrusters at the corners of a cube, in random directions, of different strength."""
    rng, sites, motors = np.random.default_rng(1), "", ""
    for i in range(16):
        place = " ".join(map(str, 0.5 - np.array([i & 1, i >> 1 & 1, i >> 2 & 1])))
        way = " ".join(map(str, rng.normal(size=3)))
        sites += f'<site name="s{i}" pos="{place}" zaxis="{way}"/>'
        motors += (
            f'<motor name="t{i}" site="s{i}" gear="0 0 1 0 0 0" ctrllimited="true" ctrlrange="0 {1.0 + 0.1 * i}"/>'
        )
    m = cd.Mechanism.from_mjcf(LOPSIDED.format(sites=sites, motors=motors))
    flyer = flyer_of(m, "tug")
    assert flyer.r_CB_B == pytest.approx([0.08, -0.05, 0.03], abs=1e-12)
    start = FrameMotion(r_BN_N=[5.5, 4.5, 5.0], sigma_BN=[0.1, -0.2, 0.3], omega_BN_B=[0.02, 0.0, -0.02])
    sim, _ = closed_loop(pd(flyer), flyer, m, FlyerReference(r_RN_N=[5.0, 5.0, 5.0]), start)
    assert sim["tug.com.motion"].r_BN_N == pytest.approx([5.0, 5.0, 5.0], abs=1e-5)
    assert np.linalg.norm(sim["ctl.error"].theta_BR_B) < 1e-5


def test_within_its_limits_it_is_the_oscillator_that_its_bandwidth_says():
    m = cd.Mechanism("small")
    flyer = add_flyer(m, "astrobee", name="f")
    _, log = closed_loop(
        pd(flyer), flyer, m, FlyerReference(), FrameMotion(r_BN_N=[0.1, 0.0, 0.0]), period=0.05, until=20.0
    )
    w, t = 0.35, log.t
    # critically damped from rest; the hold of a period delays by half of it
    expected = 0.1 * (1.0 + w * t) * np.exp(-w * t)
    assert log[f"{flyer.body}.motion"].r_BN_N[:, 0] == pytest.approx(expected, abs=5e-4)


def test_a_moving_reference_is_followed_without_lag():
    """Steady rotation about an axis through the origin: what the motion needs is fed forward."""
    part, w = pd(), 0.1
    r = np.array([2.0, 0.0, 0.0])
    v, a, omega = np.array([0.0, 2.0 * w, 0.0]), np.array([-2.0 * w * w, 0.0, 0.0]), np.array([0.0, 0.0, w])
    motion = FrameMotion(r_BN_N=r, v_BN_N=v, omega_BN_B=omega)
    reference = FlyerReference(r, v, a, omega_RN_N=omega)
    found = part.step(motion, reference)
    assert found.wrench.force_B == pytest.approx([-BEE.mass * 2.0 * w * w, 0.0, 0.0], abs=1e-14)
    assert found.wrench.torque_B == pytest.approx(np.zeros(3), abs=1e-15)


def test_bandwidths_that_are_not_positive_are_refused():
    for name in ("position_bandwidth", "attitude_bandwidth", "damping"):
        with pytest.raises(cd.CardanError, match=f"`flyer_pd.{name}` must be positive"):
            pd(**{name: 0.0})
