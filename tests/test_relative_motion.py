"""Hill frame, Clohessy-Wiltshire, Yamanaka-Ankersen, relative elements."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan import models
from cardan.celestial import EARTH
from cardan.errors import SettingError
from cardan.messages import FrameMotion
from cardan.relative_motion import (
    OrbitalElements,
    RelativeElements,
    clohessy_wiltshire,
    deputy_elements,
    elements_from_motion,
    hill_from_inertial,
    inertial_from_hill,
    relative_after_j2,
    relative_elements,
    true_anomaly,
    with_secular_j2,
    yamanaka_ankersen,
)
from environment_reference import REFERENCE

MU = REFERENCE["relative_motion"]["mu_m3_s2"]
CASES = REFERENCE["relative_motion"]["cases"]


def motion_of(elements, mu=MU):
    a, e, i, Omega, omega, M = elements
    return cd.orbit(a=a, e=e, i=i, Omega=Omega, omega=omega, f=true_anomaly(M, e), mu=mu)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_linear_propagation_agrees_with_fifty_digits(case):
    c = case["chief"]
    chief = cd.orbit(
        a=c["a_m"], e=c["e"], i=c["i_rad"], Omega=c["Omega_rad"], omega=c["omega_rad"], f=c["f_rad"], mu=MU
    )
    start, expected = np.array(case["x_H_start"]), np.array(case["linear_x_H"])
    found = yamanaka_ankersen(elements_from_motion(chief, MU), case["t_s"], MU) @ start
    assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()
    if "clohessy_wiltshire_x_H" in case:
        found = clohessy_wiltshire(case["mean_motion_rad_s"], case["t_s"]) @ start
        assert np.abs(found - case["clohessy_wiltshire_x_H"]).max() < 1e-12 * np.abs(expected).max()


def test_on_a_circle_both_are_the_same():
    chief = OrbitalElements(7.0e6, 0.0, 0.9, 0.1, 0.0, 0.4)
    found = yamanaka_ankersen(chief, 1234.0)
    expected = clohessy_wiltshire(np.sqrt(EARTH.mu / 7.0e6**3), 1234.0)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_hill_and_inertial_are_inverse():
    chief = cd.orbit(a=7.1e6, e=0.02, i=1.0, Omega=0.3, omega=0.2, f=2.0)
    state = np.array([100.0, -200.0, 30.0, 0.1, -0.2, 0.03])
    # 1e-9 m of 7e6 m are lost
    assert hill_from_inertial(chief, inertial_from_hill(chief, state)) == pytest.approx(state, abs=1e-8)
    assert hill_from_inertial(chief, chief) == pytest.approx(np.zeros(6), abs=1e-12)


angle = st.floats(-3.0, 3.0)


@given(st.floats(6.6e6, 5e7), st.floats(1e-3, 0.9), st.floats(0.01, 3.1), angle, angle, angle)
def test_elements_and_motion_are_inverse(a, e, i, Omega, omega, M):
    found = elements_from_motion(motion_of((a, e, i, Omega, omega, M), 3.986004415e14))
    assert found[:3] == pytest.approx((a, e, i), rel=1e-8)
    for x, y in zip(found[3:], (Omega, omega, M), strict=True):
        assert np.cos(x - y) == pytest.approx(1.0, abs=1e-10)


def test_relative_elements_and_those_of_the_deputy_are_inverse():
    chief = OrbitalElements(7.0e6, 0.01, 1.7, 0.5, 1.0, 0.3)
    relative = RelativeElements(1e-5, 2e-4, 3e-5, -4e-5, 1e-5, 2e-5)
    assert relative_elements(chief, deputy_elements(chief, relative)) == pytest.approx(relative, abs=1e-15)
    assert relative_elements(chief, chief) == (0.0,) * 6


def test_an_offset_along_track_is_a_difference_of_longitude():
    chief = OrbitalElements(7.0e6, 1e-4, 1.0, 0.5, 1.0, 0.3)
    deputy = deputy_elements(chief, RelativeElements(0.0, 1e-4, 0.0, 0.0, 0.0, 0.0))
    state = hill_from_inertial(motion_of(chief), motion_of(deputy))
    assert state[:3] == pytest.approx([0.0, 700.0, 0.0], abs=0.3)


def test_oblateness_drifts_a_formation_as_an_integration_says():
    """A deputy with another inclination, ten revolutions with J2Gravity; osculating elements swing."""
    part = models.J2Gravity()
    options = {"J2": part.J2, "radius": part.radius, "mu": part.mu}
    chief = OrbitalElements(7.0e6, 0.01, 1.0, 0.5, 1.0, 0.3)
    relative = RelativeElements(0.0, 0.0, 0.0, 0.0, 1e-3, 0.0)
    period = 2.0 * np.pi * np.sqrt(7.0e6**3 / part.mu)
    until = round(10.0 * period)
    ends = {}
    m = cd.Mechanism("pair")
    for name, elements in (("chief", chief), ("deputy", deputy_elements(chief, relative))):
        m.add_body(name, joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
        ends[name] = motion_of(elements, part.mu)
    group = m.group_of_bodies("all")
    scn = cd.Scenario("pair", mechanism=m)
    field = scn.add(part, name="field", positions=group.positions, planet=models.planet_at_rest())
    scn.connect(field.pull, group.gravity)
    scn.start(ends)
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Dop853(rtol=1e-11, atol=1e-6))
    log = sim.run(until=until, record=cd.Record(every=float(until), ports=["chief.motion", "deputy.motion"]))
    found = (log[f"{name}.motion"] for name in ("chief", "deputy"))
    last = (elements_from_motion(FrameMotion(motion.r_BN_N[-1], motion.v_BN_N[-1])) for motion in found)
    measured = relative_elements(*last)
    expected = relative_after_j2(chief, relative, float(until), **options)
    assert expected.iy == pytest.approx(measured.iy, rel=0.02)
    assert abs(expected.iy) > 2e-5
    later = with_secular_j2(chief, 86400.0, **options)
    assert later.Omega - chief.Omega == pytest.approx(-0.0678, rel=0.02)  # 3.9 deg a day at this orbit


def test_what_does_not_exist_is_refused():
    with pytest.raises(SettingError, match="A mean motion of 0"):
        clohessy_wiltshire(0.0, 1.0)
    with pytest.raises(SettingError, match="There is no ellipse"):
        yamanaka_ankersen(OrbitalElements(7e6, 1.2, 0.0, 0.0, 0.0, 0.0), 1.0)
    with pytest.raises(SettingError, match="The motion is not on an ellipse"):
        elements_from_motion(cd.orbit(a=-7e6, e=1.5))
    with pytest.raises(SettingError, match="In the plane of the equator there is no node"):
        deputy_elements(OrbitalElements(7e6, 0.0, 0.0, 0.0, 0.0, 0.0), RelativeElements(0, 0, 0, 0, 0, 1e-3))
