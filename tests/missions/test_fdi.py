"""The benchmark of detectors: faults that must be found, a detector of one's own, what is summed up."""

from typing import NamedTuple

import pytest

import cardan as cd
from cardan.errors import CardanError
from cardan.messages import FaultReport, FrameMotion, ThrusterCommand
from cardan.missions import fdi


class SleeperOutputs(NamedTuple):
    report: FaultReport


@cd.task
class Sleeper(NamedTuple):
    """A detector that never finds anything."""

    def step(self, motion: FrameMotion, command: ThrusterCommand) -> SleeperOutputs:
        return SleeperOutputs(FaultReport())


def sleeper(flyer):
    return Sleeper()


def found(kind, channel=6, **options):
    scn = fdi.build(**options)
    scn.set("fault.kind", kind)
    scn.set("fault.channel", channel)
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=fdi.MISSION.integrator)
    log = sim.run(until=40.0, record=fdi.MISSION.campaign.record, progress=False)
    return {result.name: result.value for result in fdi.results(log)}


def test_nothing_is_found_where_nothing_is_wrong():
    results = found(fdi.KINDS.index("none"))
    assert results["false alarm"] == results["wrong thruster"] == 0.0 and results["detected"] is None
    assert results["went on"] == 1.0


@pytest.mark.parametrize("channel", [0, 7])
def test_stuck_thrusters_are_named(channel):
    on = found(fdi.KINDS.index("stuck on"), channel)
    assert on["isolated"] == 1.0 and on["detection delay"] < 2.0
    off = found(fdi.KINDS.index("stuck off"), channel)
    assert off["isolated"] == 1.0 and off["detection delay"] < 20.0


def test_a_detector_of_ones_own_is_one_option():
    results = found(fdi.KINDS.index("stuck on"), detector=f"{__name__}:sleeper")
    assert results["detected"] == results["isolated"] == results["false alarm"] == 0.0


@pytest.mark.parametrize(
    ("detector", "told"),
    [
        ("bnk", "There is no detector `bnk`. Did you mean `bank`?"),
        ("no_such_module:make", "The detector `no_such_module:make` cannot be imported"),
    ],
)
def test_a_detector_that_does_not_exist_is_refused(detector, told):
    with pytest.raises(CardanError, match=told):
        fdi.build(detector=detector)
