import numpy as np

from cardan.fsw import MedianVote
from cardan.fsw.fault.redundancy import VoteMemory
from cardan.messages import Attitude


def attitude(value):
    return Attitude(np.full(3, value), np.zeros(3))


def test_the_vote_is_the_median_and_the_odd_one_out_is_named():
    vote, x = MedianVote(tolerance=0.1, patience=3), VoteMemory()
    for tick in range(3):
        x, out = vote.step(float(tick), x, attitude(1.0), attitude(9.0), attitude(1.05))
        assert np.array_equal(out.voted.sigma_BN, np.full(3, 1.05))
        assert out.report.is_alarm == (tick == 2)
    assert out.report.suspect == 1


def test_who_agrees_again_is_forgiven():
    vote, x = MedianVote(tolerance=0.1, patience=2), VoteMemory()
    for tick in range(6):
        x, out = vote.step(float(tick), x, attitude(9.0 if tick % 2 else 1.0), attitude(1.0), attitude(1.0))
    assert not out.report.is_alarm
