import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, lsq_linear

import cardan as cd
from cardan.fsw import ThrusterAllocation
from cardan.fsw.allocation.bounded_least_squares import bounded_least_squares, scaled_mixer
from cardan.fsw.allocation.thruster_allocation import EFFORT
from cardan.fsw.allocation.wrench_axes import AXES, missing_axes
from cardan.messages import BodyWrench, ThrusterLimits
from cardan.missions.vehicles import add_flyer

BEE = add_flyer(cd.Mechanism("bee"), "astrobee", name="bee")
MIXER, MOST = BEE.mixer, BEE.thrusters.max_thrust


def problem(seed: int):
    """Least squares of any shape, with bounds of which some meet."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 8)), int(rng.integers(1, 25))
    lower = rng.uniform(-1.0, 0.5, n) * (rng.random(n) < 0.7)
    upper = lower + rng.uniform(0.0, 1.0, n) * (rng.random(n) < 0.8)
    b = rng.normal(size=m) * 10.0 ** rng.uniform(-2.0, 2.0)
    return rng.normal(size=(m, n)), b, lower, upper, 10.0 ** rng.uniform(-8.0, -2.0)


@settings(max_examples=200)
@given(st.integers(0, 10**9))
def test_the_optimality_conditions_hold_to_rounding(seed):
    a, b, lower, upper, e = problem(seed)
    s, _ = bounded_least_squares(a, b, lower, upper, e)
    assert np.all(s >= lower) and np.all(s <= upper)
    slope = a.T @ (a @ s - b) + e * s
    pull = np.where(s <= lower, -slope, np.where(s >= upper, slope, np.abs(slope)))
    # a gradient inwards at a bound is fine, and so is any where the bounds meet
    assert np.max(np.where(upper > lower, pull, 0.0)) <= 1e-11 * np.sum(np.abs(b))


@settings(max_examples=100)
@given(st.integers(0, 10**9))
def test_it_finds_what_scipy_finds(seed):
    a, b, lower, upper, e = problem(seed)
    s, iterations = bounded_least_squares(a, b, lower, upper, e)
    free = upper > lower
    assert iterations <= 3 * len(s) + 5
    if not free.any():
        return
    stacked, wanted = np.vstack([a, np.sqrt(e) * np.eye(len(s))]), np.r_[b, np.zeros(len(s))]
    left = wanted - stacked[:, ~free] @ lower[~free]
    found = lsq_linear(stacked[:, free], left, (lower[free], upper[free]), method="bvls", tol=1e-15, max_iter=1000)
    theirs, ours = np.sum((stacked[:, free] @ found.x - left) ** 2), np.sum((stacked @ s - wanted) ** 2)
    # costs: where thrusts hardly matter, thrusts of the same cost differ
    assert ours <= theirs * (1.0 + 1e-9) + 1e-12 * np.sum(b * b)


def allocation(wrench, part=None, **limits):
    part = part or ThrusterAllocation(MIXER, MOST)
    asked = BodyWrench(force_B=np.asarray(wrench[:3], float), torque_B=np.asarray(wrench[3:], float))
    return part.step(asked, **limits)


@given(st.integers(0, 10**9))
def test_a_wrench_within_reach_is_given_with_no_more_effort_than_the_thrusts_that_made_it(seed):
    rng = np.random.default_rng(seed)
    made = MOST * rng.uniform(0.0, 1.0, 12) * (rng.random(12) < 0.5)
    found = allocation(MIXER @ made)
    thrust = found.command.thrust
    assert np.all(thrust >= 0.0) and np.all(thrust <= MOST)
    # Eq. (1) is convex: its slope vanishes where a thrust is free, and leads out of the limits where it is not
    a, scale = scaled_mixer(MIXER, MOST, np.ones(6))
    slope = a.T @ (a @ (thrust / MOST) - scale * (MIXER @ made)) + EFFORT * thrust / MOST
    assert np.all(slope[thrust < MOST] > -1e-14) and np.all(slope[thrust > 0.0] < 1e-14)
    # which leaves of the wrench, of the strength of the bank, 3e-8 as a rule and 3e-7 at most in 5,000 draws
    assert np.r_[found.given.force_B, found.given.torque_B] == pytest.approx(MIXER @ made, abs=1e-6)
    assert np.sum((thrust / MOST) ** 2) <= np.sum((made / MOST) ** 2) + 1e-9


@given(st.integers(0, 10**9))
def test_a_wrench_beyond_reach_still_gives_thrusts_within_limits(seed):
    wrench = np.random.default_rng(seed).normal(size=6) * 100.0
    found = allocation(wrench)
    assert np.all(found.command.thrust >= 0.0) and np.all(found.command.thrust <= MOST)
    assert found.status.saturated > 0 and found.status.shortfall > 0.0


def test_a_thruster_that_is_taken_out_does_nothing_and_the_others_do_its_work():
    upper = MOST.copy()
    upper[1] = 0.0
    found = allocation([0.1, 0, 0, 0, 0, 0], limits=ThrusterLimits(np.zeros(12), upper))
    assert found.command.thrust[1] == 0.0
    assert found.given.force_B == pytest.approx([0.1, 0.0, 0.0], abs=1e-7)
    assert found.given.torque_B == pytest.approx(np.zeros(3), abs=1e-7)


def test_a_thruster_that_is_stuck_on_is_compensated():
    lower = np.zeros(12)
    lower[6] = MOST[6]  # FY+, 0.3 N
    found = allocation(np.zeros(6), limits=ThrusterLimits(lower, MOST))
    assert found.command.thrust[6] == MOST[6]
    assert np.r_[found.given.force_B, found.given.torque_B] == pytest.approx(np.zeros(6), abs=1e-7)


def test_limits_beyond_those_of_the_bank_do_not_count():
    found = allocation([50.0, 0, 0, 0, 0, 0], limits=ThrusterLimits(np.zeros(12), 10.0 * MOST))
    assert np.all(found.command.thrust <= MOST)


def test_an_axis_without_weight_is_not_paid_for():
    part = ThrusterAllocation(MIXER[:, :4], MOST[:4], weights=[1, 0, 0, 0, 1, 1])
    found = allocation([0.2, 5.0, 5.0, 5.0, 0.01, 0.0], part)
    assert found.given.force_B[0] == pytest.approx(0.2, abs=1e-7)
    assert found.given.torque_B[1:] == pytest.approx([0.01, 0.0], abs=1e-7)


def test_thrusters_that_cannot_give_a_wrench_are_refused_with_what_is_missing():
    dead = MIXER.copy()[:, :8]
    dead[:, 3] = 0.0
    with pytest.raises(cd.CardanError) as caught:
        ThrusterAllocation(dead, MOST[:8])
    assert str(caught.value) == (
        "`ThrusterAllocation.mixer` must be that of thrusters which push along every axis with a weight, either way.\n"
        "  got 8 thrusters that cannot give force +x, force +z, force -z, torque -y; thruster 3 gives nothing\n"
        "  Add thrusters, or give the axes that are not needed a weight of 0."
    )


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), count=st.integers(6, 16))
def test_what_thrusters_cannot_give_is_what_a_linear_programme_says(seed, count):
    rng = np.random.default_rng(seed)
    r, d = rng.normal(size=(count, 3)), rng.normal(size=(count, 3))
    mixer = np.vstack([d.T, np.cross(r, d).T])
    impossible = []
    for axis in AXES:
        for sign, text in ((1.0, "+"), (-1.0, "-")):
            wanted = sign * np.eye(6)[AXES.index(axis)]
            if not linprog(np.ones(count), A_eq=mixer, b_eq=wanted, bounds=(0.0, None)).success:
                impossible.append(axis.replace(" ", f" {text}"))
    assert missing_axes(mixer, np.ones(6)) == impossible


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(cd.CardanError, match=r"must be a matrix of six rows, force and torque\.\n  got size 3 x 12"):
        ThrusterAllocation(MIXER[:3], MOST)
    with pytest.raises(cd.CardanError, match=r"must be one per column of `mixer`\.\n  got 11 for 12"):
        ThrusterAllocation(MIXER, MOST[1:])
    text = "`limits` has another number of thrusters than `max_thrust`."
    with pytest.raises(ValueError, match=text):
        allocation(np.zeros(6), limits=ThrusterLimits(np.zeros(3), np.ones(3)))
