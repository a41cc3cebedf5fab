"""A deployment in phases: locks that release, and latches that catch."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, OnePer, Whole, task
from cardan.maths import Vec, choose
from cardan.maths.arrays import Scalar
from cardan.messages import DeploymentPhase, HingeLocks, HingeStarts, HingeStates

NOT_YET = 1.0e12  # [s] the start of a hinge that has not been released; beyond any run
_ROUNDING = 0.5e-9  # [s] ticks are whole nanoseconds, so a sum of times that misses one by less has reached it


class LatchSequencerMemory(NamedTuple):
    """Where the sequence is."""

    phase: Annotated[int, "-"] = -1
    began: Annotated[float, "s"] = 0.0
    start: Annotated[Vec, "s"] = np.zeros(0)


class LatchSequencerOutputs(NamedTuple):
    locks: HingeLocks
    starts: HingeStarts
    progress: DeploymentPhase


@task
class LatchSequencer(NamedTuple):
    """Deploys hinges in phases: each is held stowed until its phase, free during it, and held deployed afterwards.

    A phase ends when at least `shortest` has passed since it began and all its hinges are within `tolerance` of where
    they are deployed and slower than `rate_tolerance`. Then they latch, the hinges of the next phase are released, and
    `starts` says so to whatever moves them.

    Attributes:
        phase: [-] The phase of each hinge, counted from 0.
        stowed: [rad] Where each hinge is held before its phase.
        deployed: [rad] Where it latches.
        begin: [s] When the first phase begins.
        shortest: [s] Shortest duration of a phase.
        tolerance: [rad] How near a hinge must be to latch.
        rate_tolerance: [rad/s] How slow it must be.
    """

    phase: Annotated[Vec, "-", Whole, NotNegative]
    stowed: Annotated[Vec, "rad", OnePer("phase")]
    deployed: Annotated[Vec, "rad", OnePer("phase")]
    begin: Annotated[float, "s"] = 0.0
    shortest: Annotated[float, "s", NotNegative] = 0.0
    tolerance: Annotated[float, "rad", NotNegative] = 1.0e-2
    rate_tolerance: Annotated[float, "rad/s", NotNegative] = 1.0e-4

    def initial(self) -> LatchSequencerMemory:
        return LatchSequencerMemory(phase=-1, began=0.0, start=np.full(len(self.phase), NOT_YET))

    def step(
        self, t: float, x: LatchSequencerMemory, states: HingeStates
    ) -> tuple[LatchSequencerMemory, LatchSequencerOutputs]:
        if len(states.angle) != len(self.phase):
            raise ValueError("LatchSequencer: `states` has another number of hinges than `phase`.")
        # is the present phase over?
        is_near = (np.abs(states.angle - self.deployed) <= self.tolerance) & (
            np.abs(states.rate) <= self.rate_tolerance
        )
        is_done = np.all(is_near | (self.phase != x.phase)) & (t >= x.began + self.shortest - _ROUNDING)
        is_under_way = (x.phase >= 0) & (x.phase <= np.max(self.phase))
        goes_on = (is_under_way & is_done) | ((x.phase < 0) & (t >= self.begin))
        phase: Scalar = x.phase + 1 * goes_on
        began = t * goes_on + x.began * (1 - goes_on)
        start = choose(goes_on & (self.phase == phase), t, x.start)
        # before its phase a hinge is held stowed, after it deployed
        locks = HingeLocks(
            is_engaged=choose(self.phase == phase, 0.0, 1.0),
            angle=choose(self.phase < phase, self.deployed, self.stowed),
        )
        memory = LatchSequencerMemory(phase=phase, began=began, start=start)
        return memory, LatchSequencerOutputs(
            locks=locks, starts=HingeStarts(start=start), progress=DeploymentPhase(phase=phase, began=began)
        )
