import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.messages import FrameMotion, FramePositions
from cardan.relative_motion import elements_from_motion, hill_frame, inertial_from_hill
from environment_reference import REFERENCE

MU = REFERENCE["relative_motion"]["mu_m3_s2"]
CASES = REFERENCE["relative_motion"]["cases"]


def chief_of(case):
    given = case["chief"]
    names = {"a": "a_m", "e": "e", "i": "i_rad", "Omega": "Omega_rad", "omega": "omega_rad"}
    elements = {name: given[key] for name, key in names.items()}
    return elements, cd.orbit(f=given["f_rad"], mu=MU, **elements)


@pytest.mark.parametrize("is_linear", [False, True], ids=["exact", "linear"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_deputy_flies_as_two_keplerian_orbits_say(case, is_linear):
    elements, chief = chief_of(case)
    m = cd.Mechanism("deputy")
    body = m.add_body("deputy", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    group = m.group_of_bodies("all")
    scn = cd.Scenario("local", mechanism=m)
    part = models.TidalGravity(M_0=elements_from_motion(chief, MU).M, mu=MU, is_linear=is_linear, **elements)
    gravity = scn.add(part, name="gravity", positions=group.positions)
    scn.connect(gravity.pull, group.gravity)
    deputy, until = inertial_from_hill(chief, case["x_H_start"]), case["t_s"]
    scn.start({body: FrameMotion(deputy.r_BN_N - chief.r_BN_N, deputy.v_BN_N - chief.v_BN_N)})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Dop853(rtol=1e-13, atol=1e-10))
    log = sim.run(until=until, record=cd.Record(every=until, ports=["deputy.motion", "gravity.origin"]))
    origin, motion = log["gravity.origin"], log["deputy.motion"]
    assert origin.r_BN_N[-1] == pytest.approx(case["chief_end"]["r_N_m"], abs=1e-6)
    assert origin.v_BN_N[-1] == pytest.approx(case["chief_end"]["v_N_m_s"], abs=1e-9)
    dcm_HN, omega = hill_frame(FrameMotion(origin.r_BN_N[-1], origin.v_BN_N[-1]))
    r = dcm_HN @ motion.r_BN_N[-1]
    expected = np.array(case["linear_x_H" if is_linear else "exact_x_H"])
    assert r == pytest.approx(expected[:3], abs=1e-8)  # asked 1e-6 m
    assert dcm_HN @ motion.v_BN_N[-1] - np.cross(omega, r) == pytest.approx(expected[3:], abs=1e-10)


def test_it_is_gravity_less_that_of_the_origin():
    part, r = models.TidalGravity(a=7.0e6, e=0.1, i=0.5, M_0=0.3), np.array([[40.0, -30.0, 20.0], [3e5, 2e5, -1e5]])
    field, r_C = part.pull(10.0, FramePositions(r)), part.origin(10.0).r_BN_N
    there = models.PointMassGravity().pull(FramePositions(r + r_C))
    here = models.PointMassGravity().pull(FramePositions(r_C[None]))
    assert field.g_N == pytest.approx(there.g_N - here.g_N, abs=1e-14)
    assert field.gradient_N == pytest.approx(there.gradient_N, rel=1e-14)
