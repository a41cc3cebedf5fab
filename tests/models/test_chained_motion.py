import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan import models
from cardan.maths import dcm_from_quaternion
from motions import assert_consistent

TURN = models.smoothed_bang_coast_bang(start=0.0, reference=2.0, max_acceleration=0.4, bang=1.0, smooth=0.5)
SLIDE = models.smoothed_bang_coast_bang(start=0.1, reference=-1.5, max_acceleration=0.3, bang=0.7, smooth=0.6)


@given(st.integers(0, 10_000), st.floats(0.01, 8.0))
def test_the_rates_of_a_chain_are_its_derivatives(seed, t):
    """A turn about one line carries another turn, which carries a translation."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=4)
    chain = models.ChainedMotion(rng.normal(size=3), q / np.linalg.norm(q))
    first = models.rotation_about(rng.normal(size=3), TURN, rng.normal(size=3))
    second = models.rotation_about(rng.normal(size=3), SLIDE, rng.normal(size=3))
    third = models.translation_along(rng.normal(size=3), TURN)

    def motion(s):
        return chain.motion(chain.motion(first.motion(s), second.motion(s)), third.motion(s))

    # third derivatives, which jump where segments meet, times the step
    assert_consistent(motion, t, step=1e-5, allowed=5e-5)


def test_a_chain_places_the_rider_on_the_carrier():
    chain = models.ChainedMotion(r_LF_F=np.array([1.0, 0.0, 0.0]))
    carrier = models.rotation_about(
        [0.0, 0.0, 1.0], models.bang_bang(start=0.0, reference=np.pi / 2, max_acceleration=1.0)
    )
    rider = models.translation_along([1.0, 0.0, 0.0], models.bang_bang(start=0.0, reference=2.0, max_acceleration=1.0))
    motion = chain.motion(carrier.motion(100.0), rider.motion(100.0))
    assert motion.r_FM_M == pytest.approx([0.0, 3.0, 0.0], abs=1e-15)
    assert dcm_from_quaternion(motion.q_FM) == pytest.approx(np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]), abs=1e-15)


def test_a_chain_of_carried_bodies_moves_like_a_chain_of_joints():
    """The same arm twice: two hinges in the mechanism, and two bodies on carriages of the hub with chained motion."""
    body = {"mass": 3.0, "inertia_B": np.diag([0.4, 0.5, 0.6]), "r_CB_B": (0.5, 0.1, 0.0)}

    def arm(on_carriages: bool) -> cd.Simulation:
        mechanism = cd.Mechanism("arm")
        hub = mechanism.add_body("hub", joint=cd.Free(), mass=20.0, inertia_B=5.0 * np.eye(3))
        upper = {"r_BP_P": (0.5, 0.0, 0.0), **body}
        scn = cd.Scenario(mechanism=mechanism)
        if on_carriages:
            first = mechanism.add_body("upper", parent=hub, joint=cd.Carriage(), **upper)
            second = mechanism.add_body("lower", parent=hub, joint=cd.Carriage(), **upper)
        else:
            first = mechanism.add_body("upper", parent=hub, joint=cd.Hinge((0, 0, 1)), **upper)
            mechanism.add_body("lower", parent=first, joint=cd.Hinge((0, 1, 0)), r_BP_P=(1.0, 0.0, 0.0), **body)
        shoulder = scn.add(models.rotation_about([0, 0, 1], TURN), name="shoulder")
        elbow = scn.add(models.rotation_about([0, 1, 0], SLIDE), name="elbow")
        if on_carriages:
            both = scn.add(models.ChainedMotion(r_LF_F=np.array([1.0, 0.0, 0.0])), name="both")
            scn.connect(shoulder.motion, both.carrier)
            scn.connect(elbow.motion, both.rider)
            scn.connect(shoulder.motion, first.prescribed)
            scn.connect(both.motion, second.prescribed)
        else:
            scn.connect(shoulder.angle, mechanism.joints["upper_joint"].prescribed)
            scn.connect(elbow.angle, mechanism.joints["lower_joint"].prescribed)
        sim = cd.Simulation(scn, dynamics=cd.BackSubstitution(), integrator=cd.Rk4(step=0.02))
        sim.run(until=4.0)
        return sim

    joints, carriages = arm(False), arm(True)
    for path in ("hub.motion", "lower.com.motion"):
        for ours, theirs in zip(joints[path], carriages[path], strict=True):
            assert ours == pytest.approx(theirs, abs=1e-13)
