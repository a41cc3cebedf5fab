import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardan.fsw import WheelAllocation
from cardan.messages import BodyTorque, FaultReport, HingeStates

TORQUE = BodyTorque(np.array([0.1, -0.2, 0.3]))
PYRAMID = np.array([[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [1.0, -1.0, 1.0]]) / np.sqrt(3.0)


def layout(seed: int, count: int) -> np.ndarray:
    """Random axes that span space well enough for ten digits."""
    rng = np.random.default_rng(seed)
    while True:
        axes = rng.normal(size=(count, 3))
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        if np.linalg.cond(axes) < 30.0:
            return axes


def states(rate: np.ndarray) -> HingeStates:
    return HingeStates(angle=0.0 * rate, rate=rate)


@given(seed=st.integers(0, 10**6), count=st.sampled_from([3, 4, 6]))
def test_the_wheels_give_the_body_exactly_the_torque_that_was_asked_for(seed, count):
    axes = layout(seed, count)
    torque = WheelAllocation(axes).step(TORQUE).torques.torque
    # what a motor gives its wheel, the body gives up; the Gram matrix has a condition of up to 900
    assert -axes.T @ torque == pytest.approx(TORQUE.torque_B, abs=1e-12)


@given(seed=st.integers(0, 10**6), count=st.sampled_from([3, 4, 6]))
def test_no_other_torques_that_do_it_are_smaller(seed, count):
    axes = layout(seed, count)
    torque = WheelAllocation(axes).step(TORQUE).torques.torque
    assert torque == pytest.approx(-np.linalg.pinv(axes.T) @ TORQUE.torque_B, abs=1e-11)


def test_orthogonal_wheels_have_a_component_each():
    assert WheelAllocation(np.eye(3)).step(TORQUE).torques.torque == pytest.approx([-0.1, 0.2, -0.3], rel=1e-15)


@given(seed=st.integers(0, 10**6), count=st.sampled_from([4, 6]), balance=st.floats(0.0, 10.0))
def test_balancing_gives_the_body_no_torque(seed, count, balance):
    axes = layout(seed, count)
    rate = np.random.default_rng(seed).normal(size=count)
    without, with_it = WheelAllocation(axes), WheelAllocation(axes, balance=balance)
    added = with_it.step(TORQUE, states(rate)).torques.torque - without.step(TORQUE).torques.torque
    assert axes.T @ added == pytest.approx(np.zeros(3), abs=1e-11)
    # it always takes energy out of the wheels
    assert added @ rate <= 1e-12


def test_three_wheels_have_nothing_to_balance():
    part = WheelAllocation(layout(1, 3), balance=5.0)  # a Gram matrix with a condition of up to 900
    moved = part.step(TORQUE, states(np.array([1.0, -2.0, 3.0]))).torques.torque
    assert moved == pytest.approx(part.step(TORQUE).torques.torque, abs=1e-11)


def test_balancing_ends_at_the_speeds_of_least_energy_for_the_same_momentum():
    inertia = np.array([0.1, 0.2, 0.3, 0.15])
    rate = np.array([50.0, -20.0, 10.0, 80.0])
    momentum_B = PYRAMID.T @ (inertia * rate)
    part = WheelAllocation(PYRAMID, balance=0.1)
    for _ in range(2000):
        rate = rate + 0.1 * part.step(BodyTorque(np.zeros(3)), states(rate)).torques.torque / inertia
    assert PYRAMID.T @ (inertia * rate) == pytest.approx(momentum_B, rel=1e-12)
    # the least sum of inertia rate^2 under that momentum, by Lagrange's multipliers: rate = G^T lambda
    least = PYRAMID @ np.linalg.solve(PYRAMID.T @ (inertia[:, None] * PYRAMID), momentum_B)
    assert rate == pytest.approx(least, rel=1e-10)


@pytest.mark.parametrize("wheel", range(4))
def test_a_wheel_that_is_reported_is_left_out(wheel):
    rates = states(np.array([50.0, -20.0, 10.0, 80.0]))
    torque = WheelAllocation(PYRAMID, balance=0.1).step(TORQUE, rates, FaultReport(True, wheel)).torques.torque
    others = np.delete(np.arange(4), wheel)
    assert torque[wheel] == 0.0
    assert torque[others] == pytest.approx(WheelAllocation(PYRAMID[others]).step(TORQUE).torques.torque, abs=1e-12)


@pytest.mark.parametrize("report", [FaultReport(), FaultReport(True, -1), FaultReport(True, 4), FaultReport(False, 2)])
def test_all_wheels_are_used_where_none_is_named(report):
    part = WheelAllocation(PYRAMID)
    assert np.array_equal(part.step(TORQUE, report=report).torques.torque, part.step(TORQUE).torques.torque)


def test_no_wheel_is_left_out_that_the_others_cannot_do_without():
    part = WheelAllocation(np.eye(3))
    left = part.step(TORQUE, report=FaultReport(True, 1)).torques.torque
    assert np.array_equal(left, part.step(TORQUE).torques.torque)


def test_speeds_that_are_not_connected_are_not_balanced():
    part = WheelAllocation(PYRAMID, balance=0.1)
    assert np.array_equal(part.step(TORQUE).torques.torque, WheelAllocation(PYRAMID).step(TORQUE).torques.torque)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_speeds_of_another_number_of_wheels_are_refused(count):
    with pytest.raises(ValueError) as caught:
        WheelAllocation(PYRAMID, balance=0.1).step(TORQUE, states(np.ones(count)))
    assert str(caught.value) == "WheelAllocation: `wheels` has another number of wheels than `axes_B`."
