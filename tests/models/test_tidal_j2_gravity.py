"""A local frame that falls about an oblate planet, against two orbits about it."""

import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import CardanError
from cardan.messages import FrameMotion, FramePositions, PlanetOrientation
from cardan.relative_motion import inertial_from_hill

CHIEF = cd.orbit(a=6.878e6, e=0.001, i=1.7, Omega=0.4, f=0.3)
STATE = np.array([40.0, -60.0, 30.0, 0.02, -0.09, 0.01])  # in the Hill frame
UPRIGHT = PlanetOrientation(np.eye(3), np.zeros(3))
EXACT = cd.Dop853(rtol=1e-13, atol=1e-9)


def flown(part, until, *, initial=None, start=None, planet=False):
    """Where a deputy is after a time, and where the origin is."""
    m = cd.Mechanism("deputy")
    body = m.add_body("deputy", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    group = m.group_of_bodies("all")
    scn = cd.Scenario("local", mechanism=m)
    given = {"initial": initial} if initial is not None else {}
    gravity = scn.add(
        part, name="gravity", positions=group.positions, **given, **({"planet": UPRIGHT} if planet else {})
    )
    scn.connect(gravity.pull, group.gravity)
    scn.start({body: start})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=EXACT)
    sim.run(until=until, record=cd.Record(every=until, ports=["deputy.motion"]), progress=False)
    return sim


def test_it_is_the_difference_of_two_orbits_about_the_oblate_planet():
    """Over half a revolution: chief and deputy each about the planet, far from the origin, cost a few digits."""
    deputy, until = inertial_from_hill(CHIEF, STATE), 2900.0
    near = FrameMotion(deputy.r_BN_N - CHIEF.r_BN_N, deputy.v_BN_N - CHIEF.v_BN_N)
    local = flown(models.TidalJ2Gravity(), until, initial=models.FallingOrigin(CHIEF.r_BN_N, CHIEF.v_BN_N), start=near)
    apart = [flown(models.J2Gravity(), until, start=start, planet=True)["deputy.motion"] for start in (CHIEF, deputy)]
    expected = apart[1].r_BN_N - apart[0].r_BN_N
    assert local["deputy.motion"].r_BN_N == pytest.approx(expected, abs=1e-5)
    assert local["gravity.origin"].r_BN_N == pytest.approx(apart[0].r_BN_N, abs=1e-5)
    # without oblateness it would be somewhere else: 40 cm or more, 1e4 times the tolerance
    plain = flown(
        models.TidalJ2Gravity(J2=0.0), until, initial=models.FallingOrigin(CHIEF.r_BN_N, CHIEF.v_BN_N), start=near
    )
    assert np.linalg.norm(plain["deputy.motion"].r_BN_N - expected) > 0.1


def test_without_oblateness_it_is_tidal_gravity():
    part, r = models.TidalJ2Gravity(J2=0.0), FramePositions(np.array([[40.0, -30.0, 20.0], [3e3, 2e3, -1e3]]))
    chief = cd.orbit(a=7.0e6, e=0.1, i=0.5)
    field = part.pull(models.FallingOrigin(chief.r_BN_N, chief.v_BN_N), r)
    kepler = models.TidalGravity(a=7.0e6, e=0.1, i=0.5).pull(0.0, r)
    assert field.g_N == pytest.approx(kepler.g_N, rel=1e-12)
    assert field.gradient_N == pytest.approx(kepler.gradient_N, rel=1e-12)


def test_it_is_gravity_less_that_of_the_origin():
    """To the digits that the difference of two numbers of 8 m/s^2 has."""
    r = np.array([[40.0, -30.0, 20.0], [3e5, 2e5, -1e5]])
    field = models.TidalJ2Gravity().pull(models.FallingOrigin(CHIEF.r_BN_N, CHIEF.v_BN_N), FramePositions(r))
    whole = models.J2Gravity()
    there = whole.pull(FramePositions(r + CHIEF.r_BN_N), UPRIGHT)
    here = whole.pull(FramePositions(CHIEF.r_BN_N[None]), UPRIGHT)
    assert field.g_N == pytest.approx(there.g_N - here.g_N, abs=1e-14)
    assert field.gradient_N == pytest.approx(there.gradient_N, rel=1e-14)


def test_plain_and_native_agree():
    given = {"positions": FramePositions(np.array([[10.0, 20.0, -30.0]]))}
    assert cd.check_model(models.TidalJ2Gravity(), inputs=given).targets["native"] == "the same bits"


def test_a_pole_is_a_unit_vector():
    with pytest.raises(CardanError, match=r"`TidalJ2Gravity.pole_N` must be"):
        models.TidalJ2Gravity(pole_N=[0.0, 0.0, 2.0])
