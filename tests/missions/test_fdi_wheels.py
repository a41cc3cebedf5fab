"""The benchmark of detectors for wheels: faults that must be found, a detector of one's own."""

from typing import NamedTuple

import pytest

import cardan as cd
from cardan.errors import CardanError
from cardan.messages import FaultReport, HingeStates, HingeTorques
from cardan.missions import fdi_wheels


class SleeperOutputs(NamedTuple):
    report: FaultReport


@cd.task
class WheelSleeper(NamedTuple):
    """A detector that never finds anything."""

    def step(self, wheels: HingeStates, torques: HingeTorques) -> SleeperOutputs:
        return SleeperOutputs(FaultReport())


def sleeper(wheels):
    return WheelSleeper()


def found(kind, channel=2, **options):
    scn = fdi_wheels.build(**options)
    scn.set("fault.kind", fdi_wheels.KINDS.index(kind))
    scn.set("fault.channel", channel)
    mission = fdi_wheels.MISSION
    sim = cd.Simulation(scn, dynamics=mission.service(), integrator=mission.integrator)
    log = sim.run(until=mission.until, record=mission.campaign.record, progress=False)
    return {result.name: result.value for result in mission.results(log)}


def test_nothing_is_found_where_nothing_is_wrong():
    results = found("none")
    assert results["false alarm"] == results["wrong wheel"] == 0.0 and results["detected"] is None
    assert results["went on"] == 1.0


@pytest.mark.parametrize("channel", [0, 3])
@pytest.mark.parametrize(("kind", "delay"), [("dead", 20.0), ("runaway", 1.0), ("friction rise", 5.0)])
def test_a_wheel_that_fails_is_named_and_left_out(kind, delay, channel):
    results = found(kind, channel)
    assert results["isolated"] == results["went on"] == 1.0 and results["detection delay"] < delay


def test_another_detector_says_that_something_is_wrong():
    results = found("runaway", detector="chi-square")
    assert results["detected"] == 1.0 and results["isolated"] == results["false alarm"] == 0.0


def test_a_detector_of_ones_own_is_one_option():
    results = found("runaway", detector=f"{__name__}:sleeper")
    assert results["detected"] == results["isolated"] == results["false alarm"] == 0.0


def test_a_detector_that_does_not_exist_is_refused():
    with pytest.raises(CardanError, match=r"There is no detector `cusun`. Did you mean `cusum`\?"):
        fdi_wheels.build(detector="cusun")
