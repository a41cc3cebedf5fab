import numpy as np
import pytest

from cardan.maths import dcm_from_mrp
from cardan.messages import FramePositions
from cardan.models import J2Gravity, harmonic_gravity, planet_at_rest
from gravity_gradients import PLACES, assert_gradient

TURNED = planet_at_rest(dcm_from_mrp(np.array([0.1, -0.2, 0.3])))


def test_it_is_the_closed_form_along_the_axes_of_the_planet():
    part, planet = J2Gravity(), planet_at_rest()
    r = PLACES[0]
    length = np.linalg.norm(r)
    k, u = 1.5 * part.J2 * (part.radius / length) ** 2, 5.0 * (r[2] / length) ** 2
    expected = -part.mu * r / length**3 * np.array([1.0 + k * (1.0 - u), 1.0 + k * (1.0 - u), 1.0 + k * (3.0 - u)])
    assert part.pull(FramePositions(r[None]), planet).g_N[0] == pytest.approx(expected, rel=1e-15)


def test_it_is_the_first_term_of_the_series():
    field = harmonic_gravity(2)
    part = J2Gravity(mu=field.mu, radius=field.radius)
    assert pytest.approx(field.J2, rel=1e-12) == part.J2
    found = part.pull(FramePositions(PLACES), TURNED).g_N
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.full(3, 7.0), rel=0.3)


def test_the_gradient_is_that_of_the_pull():
    assert_gradient(lambda r: J2Gravity().pull(FramePositions(r), TURNED))
    assert np.all(J2Gravity(has_gradient=False).pull(FramePositions(PLACES), TURNED).gradient_N == 0.0)


def test_the_pull_has_no_sources_outside_the_planet():
    gradient = J2Gravity().pull(FramePositions(PLACES), TURNED).gradient_N
    assert gradient[:, 0] + gradient[:, 3] + gradient[:, 5] == pytest.approx(np.zeros(3), abs=1e-20)
