"""Joint rates that take over the momentum of the base."""

import numpy as np
from floating import ROBOT, after, messages, state_of

from cardan.robotics import MomentumDumping


def test_the_base_stops_turning_and_the_momentum_stays():
    base, joints = messages()
    state = state_of(base, joints)
    moved = after(state, MomentumDumping(ROBOT.numbers).step(base, joints).command.rate)
    assert np.abs(state.u_0[:3]).max() > 0.05
    assert np.allclose(moved.u_0[:3], 0.0, atol=1e-13)
    assert np.allclose(moved.momentum, state.momentum, rtol=0.0, atol=1e-13)


def test_rates_are_limited_alike():
    base, joints = messages()
    free = MomentumDumping(ROBOT.numbers).step(base, joints).command.rate
    limited = MomentumDumping(ROBOT.numbers, largest_rate=0.01).step(base, joints).command.rate
    assert np.isclose(np.abs(limited).max(), 0.01)
    assert np.allclose(limited, free * 0.01 / np.abs(free).max(), rtol=1e-12)
