"""Signals to a learner: how well the last step went, and whether the episode is over."""

from typing import Annotated, NamedTuple

from cardan import message


@message
class Reward(NamedTuple):
    """What a step is worth.

    Attributes:
        value: [-]
    """

    value: Annotated[float, "-"] = 0.0


@message
class Outcome(NamedTuple):
    """Whether an episode is over.

    Attributes:
        is_over: [-] Nothing that comes after can be worth anything: the goal is reached, or lost for good.
        is_success: [-] The goal is reached.
    """

    is_over: Annotated[bool, "-"] = False
    is_success: Annotated[bool, "-"] = False


class Judgement(NamedTuple):
    """The outputs of a task that judges steps."""

    reward: Reward
    outcome: Outcome


class JudgeMemory(NamedTuple):
    """What the reward of the next step is measured from: how good it was to be there, and for how long at the goal."""

    potential: Annotated[float, "-"] = 0.0
    held: Annotated[int, "-"] = 0
    is_started: Annotated[bool, "-"] = False
