"""Joint rates that leave the base alone."""

import numpy as np
from floating import ROBOT, messages, state_of

from cardan.messages import HingeRates
from cardan.robotics import ReactionNullSpace


def test_projected_rates_do_not_turn_the_base_and_stay_as_they_are_when_projected_again():
    base, joints = messages()
    state, wanted = state_of(base, joints), HingeRates(np.array([0.3, -0.1, 0.2, 0.4, -0.2, 0.1, 0.5]))
    law = ReactionNullSpace(ROBOT.numbers)
    rate = law.step(base, joints, wanted).command.rate
    assert np.abs(rate).max() > 0.05
    assert np.allclose(state.reaction_matrix[:3] @ rate, 0.0, atol=1e-15)
    assert np.allclose(law.step(base, joints, HingeRates(rate)).command.rate, rate, rtol=0.0, atol=1e-14)


def test_with_all_six_rows_the_base_does_not_move_either():
    base, joints = messages()
    law = ReactionNullSpace(ROBOT.numbers, rows=np.ones(6))
    rate = law.step(base, joints, HingeRates(np.ones(7))).command.rate
    assert np.allclose(state_of(base, joints).reaction_matrix @ rate, 0.0, atol=1e-14)
