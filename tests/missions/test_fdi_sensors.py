"""The benchmark of detectors for sensors: faults that must be found, a detector of one's own."""

from typing import NamedTuple

import pytest

import cardan as cd
from cardan.errors import CardanError
from cardan.messages import Attitude, FaultReport
from cardan.missions import fdi_sensors


class SleeperOutputs(NamedTuple):
    voted: Attitude
    report: FaultReport


@cd.task
class SensorSleeper(NamedTuple):
    """A detector that never finds anything, and believes the second sensor."""

    def step(self, a: Attitude, b: Attitude, c: Attitude) -> SleeperOutputs:
        return SleeperOutputs(b, FaultReport())


def sleeper():
    return SensorSleeper()


def found(kind, **options):
    scn = fdi_sensors.build(**options)
    scn.set("fault.kind", fdi_sensors.KINDS.index(kind))
    mission = fdi_sensors.MISSION
    sim = cd.Simulation(scn, dynamics=mission.service(), integrator=mission.integrator)
    log = sim.run(until=mission.until, record=mission.campaign.record, progress=False)
    return {result.name: result.value for result in mission.results(log)}


def test_nothing_is_found_where_nothing_is_wrong():
    results = found("none")
    assert results["false alarm"] == results["wrong sensor"] == 0.0 and results["detected"] is None


@pytest.mark.parametrize("sensor", [0, 2])
@pytest.mark.parametrize(("kind", "delay"), [("dead", 0.5), ("stuck", 20.0), ("bias step", 0.5), ("noise rise", 1.0)])
def test_a_sensor_that_fails_is_named_and_outvoted(kind, delay, sensor):
    results = found(kind, sensor=sensor)
    assert results["isolated"] == results["went on"] == 1.0 and results["detection delay"] < delay


def test_control_that_reads_the_sensor_that_fails_does_not_go_on():
    assert found("bias step", sensor=1, recover=False)["went on"] == 0.0


def test_a_detector_of_ones_own_is_one_option():
    results = found("dead", detector=f"{__name__}:sleeper")
    assert results["detected"] == results["isolated"] == results["false alarm"] == 0.0 and results["went on"] == 1.0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"sensor": 3}, "The option `sensor` is from 0 to 2; got 3."),
        ({"detector": "vot"}, "There is no detector `vot`. Did you mean `vote`?"),
        ({"detector": "math:pi"}, "The detector `math:pi` is 3.14"),
        ({"detector": ":"}, "The detector `:` cannot be imported"),
    ],
)
def test_what_does_not_exist_is_refused(options, told):
    with pytest.raises(CardanError) as caught:
        fdi_sensors.build(**options)
    assert told in str(caught.value)
