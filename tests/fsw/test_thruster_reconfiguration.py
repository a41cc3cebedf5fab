from cardan.fsw import ThrusterReconfiguration
from cardan.messages import FaultReport

PART = ThrusterReconfiguration([0.3, 0.2, 0.1])


def limits(*report):
    found = PART.step(FaultReport(*report)).limits
    return found.lower.tolist(), found.upper.tolist()


def test_all_are_used_until_one_is_named():
    assert limits() == limits(True, -1) == ([0.0, 0.0, 0.0], [0.3, 0.2, 0.1])


def test_one_that_is_stuck_off_gives_nothing_and_one_that_is_stuck_on_all():
    assert limits(True, 1, 1) == ([0.0, 0.0, 0.0], [0.3, 0.0, 0.1])
    assert limits(True, 1, 2) == ([0.0, 0.2, 0.0], [0.3, 0.2, 0.1])


def test_one_that_is_wrong_otherwise_stays_in_use():
    assert limits(True, 1, 3) == limits()
