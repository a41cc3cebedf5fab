"""What runs are given: distributions, their text, and that each number follows from seed, path and run alone."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import kstest, norm, truncnorm

from cardan.errors import CardanError
from cardan.maths import RandomKey, dcm_from_mrp, dcm_from_quaternion, stream_of, uniform
from cardan.studies import (
    Attitude,
    Choice,
    Correlated,
    Inertia,
    LogNormal,
    Normal,
    SmallRotation,
    Uniform,
    UnitVector,
)
from cardan.studies.designs import random_points
from cardan.studies.distribution_text import read_distribution
from cardan.studies.distributions import Nominal
from cardan.studies.quantiles import normal_quantile
from cardan.studies.tensors import fitting

U = random_points(np.arange(4000), 1, "x", 9)
NUMBER = Nominal("ctl.K", 4.0, "N m")
TENSOR = Nominal("bus.inertia_B", np.array([[900.0, 20.0, -5.0], [20.0, 800.0, 30.0], [-5.0, 30.0, 600.0]]), "kg m^2")


def test_the_normal_quantile_is_that_of_scipy_to_rounding():
    p = np.concatenate([np.linspace(1e-9, 1.0 - 1e-9, 20_001), 10.0 ** -np.arange(1.0, 290.0)])
    assert np.allclose(normal_quantile(p), ndtri(p), rtol=2e-15, atol=1e-15)


def test_a_number_depends_on_seed_name_and_run_alone():
    whole = random_points(np.arange(50), 7, "ctl.K", 3)
    alone = [uniform(RandomKey(stream_of(7, "ctl.K"), run), 3) for run in range(50)]
    assert np.array_equal(whole, alone)
    assert np.array_equal(random_points(np.array([17]), 7, "ctl.K", 3)[0], whole[17])


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (Normal("10%"), norm(4.0, 0.4)),
        (Normal(2.0, mean=1.0), norm(1.0, 2.0)),
        (Normal(1.0, mean=0.0, within=2.0), truncnorm(-2.0, 2.0)),
        (Normal(1.0, mean=0.0, low=8.0), truncnorm(8.0, np.inf)),
    ],
)
def test_normal_numbers_are_distributed_as_they_should(how, expected):
    values = how.values(U[:, :1], NUMBER)
    assert kstest(values, expected.cdf).pvalue > 1e-3


def test_uniform_numbers_are_relative_or_absolute():
    assert Uniform("5%").bounds(np.array(4.0)) == (3.8, 4.2)
    assert Uniform("-10%", "20%").bounds(np.array(4.0)) == (3.6, 4.8)
    assert Uniform(1.0, 2.0).bounds(np.array(4.0)) == (1.0, 2.0)
    assert Uniform("5%").bounds(np.array(-4.0)) == (-4.2, -3.8)


def test_log_normal_numbers_keep_their_sign():
    values = LogNormal("50%").values(U[:, :1], NUMBER)
    assert values.min() > 0.0
    assert abs(np.std(np.log(values)) - 0.5) < 0.02


def test_choices_come_with_their_weights():
    values = Choice("none", "weak", weights=[3, 1]).values(U[:, :1], Nominal("fault", "none"))
    assert abs(values.count("weak") / len(values) - 0.25) < 0.03


def test_directions_are_even_over_the_sphere():
    values = UnitVector().values(U, Nominal("a.axis_B", np.array([0.0, 0.0, 1.0])))
    assert np.allclose(np.linalg.norm(values, axis=1), 1.0)
    for axis in range(3):
        assert kstest(values[:, axis], "uniform", args=(-1.0, 2.0)).pvalue > 1e-3


def test_attitudes_are_even_over_all_rotations():
    """The angle of a rotation that is evenly spread has the density (1 - cos) / pi."""
    q = Attitude().values(U, Nominal("a.q_BN", np.array([1.0, 0.0, 0.0, 0.0])))
    angle = 2.0 * np.arccos(np.abs(q[:, 0]))
    assert kstest(angle, lambda a: (a - np.sin(a)) / np.pi).pvalue > 1e-3
    sigma = Attitude().values(U, Nominal("a.sigma_BN", np.zeros(3)))
    assert np.allclose(dcm_from_mrp(sigma), dcm_from_quaternion(q))
    assert np.linalg.norm(sigma, axis=1).max() <= 1.0 + 1e-12


def test_small_rotations_turn_what_is_there():
    axis = np.array([0.0, 3.0, 4.0])
    turned = SmallRotation(0.01).values(U, Nominal("a.axis_B", axis))
    assert np.allclose(np.linalg.norm(turned, axis=1), 5.0)
    tilt = np.arccos(np.clip(turned @ axis / 25.0, -1.0, 1.0))
    assert 0.005 < tilt.mean() < 0.01
    nominal = np.array([0.1, 0.2, -0.3])
    sigma = SmallRotation(1e-6).values(U, Nominal("a.sigma_BN", nominal))
    assert np.abs(sigma - nominal).max() < 1e-5


@given(st.floats(0.01, 3.0), st.floats(0.0, 3.0), st.integers(0, 2**31))
def test_a_tensor_of_inertia_stays_physical_whatever_its_spread(spread, tilt, seed):
    values = Inertia(spread, tilt=tilt).values(random_points(np.arange(20), seed, "J", 9), TENSOR)
    assert np.array_equal(values, np.swapaxes(values, 1, 2))
    moments = np.linalg.eigvalsh(values)
    assert (moments[:, 0] + moments[:, 1] - moments[:, 2]).min() > -1e-9 * moments.max()


def test_relative_numbers_of_a_tensor_are_of_its_moments_of_mass():
    same = fitting(Normal("0%"), TENSOR).values(U, TENSOR)
    assert np.allclose(same, TENSOR.value, atol=1e-9)
    assert isinstance(fitting(Uniform("5%"), TENSOR), Inertia)
    assert fitting(Normal("5%"), NUMBER) == Normal("5%")


def test_groups_have_their_covariance():
    covariance = [[0.04, 0.03, 0.0], [0.03, 0.09, -0.02], [0.0, -0.02, 0.01]]
    how = Correlated(["a", "b", "c"], covariance)
    values = how.values(U[:, :3], Nominal("group", np.array([1.0, 2.0, 3.0])))
    assert np.allclose(np.cov(values.T), covariance, atol=0.005)
    assert np.allclose(values.mean(axis=0), [1.0, 2.0, 3.0], atol=0.02)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("normal(5%)", Normal("5%")),
        ("normal(0.1, mean=-2, within=3)", Normal(0.1, mean=-2, within=3)),
        ("uniform(-5%, 1e1 %)", Uniform("-5%", "10%")),
        ("uniform(-1, 2.5)", Uniform(-1, 2.5)),
        ("choice(1, 2, weights=[1, 3])", Choice(1, 2, weights=[1, 3])),
        ('choice("soft", "hard")', Choice("soft", "hard")),
        ("unit_vector(uniform(0, 0.03))", UnitVector(Uniform(0, 0.03))),
        ("attitude", Attitude()),
        ("small_rotation(2 deg)", SmallRotation(float(np.deg2rad(2)))),
        ("inertia(5%, tilt=1 deg)", Inertia("5%", tilt=float(np.deg2rad(1)))),
    ],
)
def test_text_says_what_python_says(text, expected):
    made = read_distribution(text, "path")
    nominal = Nominal("a.sigma_BN", np.array([0.1, 0.2, 0.3]))
    if isinstance(expected, Inertia):
        nominal = TENSOR
    if isinstance(expected, Choice):
        nominal = NUMBER
    u = U[:9, : expected.size(nominal)]
    assert np.array_equal(made.values(u, nominal), expected.values(u, nominal))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nrmal(5%)", "`p`: there is no distribution `nrmal`. Did you mean `normal`?"),
        ("normal(5%", "`p`: `normal(5%` is not understood."),
        ("normal(__import__('os'))", "there is no distribution `__import__`"),
        ("(lambda: 1)()", "is not understood"),
        ("5", "`p`: `5` is no distribution."),
        pytest.param("1" * 2300, "is no distribution", id="thousands of digits"),  # took minutes
        ("normal()", "`p`: `normal()` does not fit"),
        ("normal(1, mode=2)", "does not fit"),
        ("normal(-1)", "The standard deviation of a Normal is -1.\n  Use a number that is not negative."),
        ("uniform(2, 1)", "Uniform(2, 1) ends before it begins."),
        ("choice()", "A Choice has nothing to choose from."),
        ("normal(1, low=3, high=2)", "A Normal between 3 and 2 has no value."),
        ("normal(many)", "The standard deviation of a Normal is 'many'."),
        ("choice(1, 2, weights=[1])", "A Choice of 2 has the weights [1]."),
    ],
)
def test_text_that_means_nothing_is_refused(text, told):
    with pytest.raises(CardanError) as caught:
        read_distribution(text, "p")
    assert told in str(caught.value)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    with suppress(CardanError):
        read_distribution(text, "p")


@pytest.mark.parametrize(
    ("how", "nominal", "told"),
    [
        (Normal(1.0), Nominal("ctl.on", True), "`ctl.on` is True, which no Normal can vary."),
        (UnitVector(), NUMBER, "`ctl.K` has shape (), and a UnitVector has (3,)."),
        (Attitude(), Nominal("a.axis_B", np.zeros(3)), "`a.axis_B` is no attitude by its name"),
        (SmallRotation(0.1), NUMBER, "`ctl.K` has shape (), which is neither an attitude nor a direction."),
        (Inertia(0.1), NUMBER, "`ctl.K` has shape (), and a tensor of inertia has (3, 3)."),
        (Inertia(scale=Uniform(-1.0, 1.0)), TENSOR, "`bus.inertia_B` would have negative moments of mass"),
        (Normal(1e-3, mean=0.0, low=1.0, high=1.1), NUMBER, "is cut off so far from its mean"),
    ],
)
def test_distributions_that_do_not_fit_say_so(how, nominal, told):
    with pytest.raises(CardanError) as caught:
        how.values(U, nominal)
    assert told in str(caught.value)


def test_a_tensor_varies_by_a_share_of_itself():
    with pytest.raises(CardanError, match="A tensor of inertia varies by a share of itself"):
        fitting(Normal(3.0), TENSOR)


@pytest.mark.parametrize(
    ("covariance", "told"),
    [
        ([[1.0]], "Give a symmetric matrix of 2 rows and columns."),
        ([[1.0, 2.0], [2.0, 1.0]], "is none: `b` would vary by less than the others make it vary."),
        ("many", "The covariance of `a`, `b` is 'many'."),
    ],
)
def test_what_is_no_covariance_is_refused(covariance, told):
    with pytest.raises(CardanError) as caught:
        Correlated(["a", "b"], covariance)
    assert told in str(caught.value)
