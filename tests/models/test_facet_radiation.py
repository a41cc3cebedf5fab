import numpy as np
import pytest

from cardan import models
from cardan.celestial import LIGHT_SPEED
from cardan.errors import ImpossibleValue
from cardan.maths import dcm_from_mrp
from cardan.messages import FrameMotion, Light, LitShares

P = 1361.0 / LIGHT_SPEED


def facet(specular, diffuse, normal=(0.0, 0.0, 1.0)):
    return models.FacetRadiation([3.0], [normal], [[0.0, 1.0, 0.0]], [specular], [diffuse])


def lit_from(s):
    s = np.array(s, float)
    return Light(s_N=s / np.linalg.norm(s), flux=1361.0, visible=1.0)


def test_an_absorber_a_mirror_and_chalk():
    s = np.array([0.6, 0.0, 0.8])
    still = FrameMotion()
    n = np.array([0.0, 0.0, 1.0])
    assert facet(0.0, 0.0).wrench(still, lit_from(s)).force_B == pytest.approx(-P * 3.0 * 0.8 * s, rel=1e-12)
    mirror = facet(1.0, 0.0).wrench(still, lit_from(s)).force_B
    assert mirror == pytest.approx(-2.0 * P * 3.0 * 0.8**2 * n, rel=1e-12)
    chalk = facet(0.0, 1.0).wrench(still, lit_from(s)).force_B
    assert chalk == pytest.approx(-P * 3.0 * 0.8 * (s + 2.0 / 3.0 * n), rel=1e-12)
    torque = facet(1.0, 0.0).wrench(still, lit_from(s)).torque_B
    assert torque == pytest.approx(np.cross([0.0, 1.0, 0.0], mirror), rel=1e-12)
    assert np.array_equal(facet(0.5, 0.2).wrench(still, lit_from(-s)).force_B, np.zeros(3))  # from behind


def test_it_follows_the_attitude_of_its_body():
    sigma = np.array([0.2, -0.1, 0.3])
    s_B = np.array([0.6, 0.0, 0.8])
    s_N = dcm_from_mrp(sigma).T @ s_B
    turned = facet(0.3, 0.3).wrench(FrameMotion(sigma_BN=sigma), lit_from(s_N))
    assert turned.force_B == pytest.approx(facet(0.3, 0.3).wrench(FrameMotion(), lit_from(s_B)).force_B, rel=1e-12)


def test_what_others_shade_is_not_pushed():
    box = models.FacetRadiation(
        [1.0, 1.0], [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]], [[0.0, 0.0, 0.5], [0.0, 0.5, 0.0]], [0.0, 0.0], [0.0, 0.0]
    )
    light = lit_from([0.0, 1.0, 1.0])
    free = box.wrench(FrameMotion(), light)
    shaded = box.wrench(FrameMotion(), light, LitShares(np.array([0.25, 1.0])))
    assert np.linalg.norm(shaded.force_B) == pytest.approx(0.625 * np.linalg.norm(free.force_B), rel=1e-12)
    dark = box.wrench(FrameMotion(), light, LitShares(np.zeros(1)))  # one share for all facets
    assert np.array_equal(dark.force_B, np.zeros(3))


def test_shares_that_are_neither_one_nor_one_each_are_no_shares():
    box = models.FacetRadiation(np.ones(3), np.eye(3), 0.5 * np.eye(3), np.zeros(3), np.zeros(3))
    with pytest.raises(IndexError):
        box.wrench(FrameMotion(), lit_from([1.0, 1.0, 1.0]), LitShares(np.ones(2)))


def test_it_does_not_matter_which_of_two_bodies_at_rest_carries_a_facet():
    rng = np.random.default_rng(77)
    normal = rng.normal(size=(23, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    r, area, share = normal * rng.uniform(0.5, 2.0, (23, 1)), rng.uniform(0.1, 2.0, 23), rng.uniform(0.0, 0.5, 23)
    motion, light = FrameMotion(sigma_BN=np.array([0.2, -0.1, 0.3])), lit_from([0.3, -0.5, 0.8])
    whole = models.FacetRadiation(area, normal, r, share, share).wrench(motion, light)
    force, torque = np.zeros(3), np.zeros(3)
    for some in np.split(rng.permutation(23), [5, 11]):
        origin = rng.normal(size=3)  # of the body that carries them
        part = models.FacetRadiation(area[some], normal[some], r[some] - origin, share[some], share[some])
        wrench = part.wrench(motion, light)
        force, torque = force + wrench.force_B, torque + wrench.torque_B + np.cross(origin, wrench.force_B)
    assert force == pytest.approx(whole.force_B, rel=1e-12)
    assert torque == pytest.approx(whole.torque_B, rel=1e-12)


def test_more_light_than_there_is_cannot_leave():
    with pytest.raises(ImpossibleValue, match="must be with `specular` no more than 1"):
        facet(0.7, 0.4)
    with pytest.raises(ImpossibleValue, match="must be positive"):
        models.FacetRadiation([0.0], [[0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0]], [0.0], [0.0])


def test_a_body_without_facets_is_refused():
    none, rows = np.zeros(0), np.zeros((0, 3))
    with pytest.raises(ImpossibleValue, match=r"`FacetRadiation.area` must be one or more.\n  got none"):
        models.FacetRadiation(none, rows, rows, none, none)
