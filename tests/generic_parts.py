"""Parts that pass on any message, for tests."""

from typing import Annotated, Generic, NamedTuple

import cardan as cd
from cardan import AnyMessage


@cd.model
class PassOn(NamedTuple):
    """Sends what it receives, at once."""

    @cd.output
    def passed(self, message: AnyMessage) -> AnyMessage:
        return message


@cd.model
class Switch(NamedTuple):
    """Sends another message from a time on."""

    after: Annotated[float, "s"]

    @cd.output
    def passed(self, t: float, message: AnyMessage, other: AnyMessage) -> AnyMessage:
        if t < self.after:
            return message
        return other


class Passed(NamedTuple, Generic[AnyMessage]):
    passed: AnyMessage


@cd.task
class Sample(NamedTuple):
    """Sends what it receives, at its ticks."""

    def step(self, message: AnyMessage) -> Passed[AnyMessage]:
        return Passed(message)


@cd.task
class Freeze(NamedTuple):
    """Sends the last message from before a time again and again."""

    after: Annotated[float, "s"]

    def step(self, t: float, x: AnyMessage, message: AnyMessage) -> tuple[AnyMessage, Passed[AnyMessage]]:
        if t < self.after:
            return message, Passed(message)
        return x, Passed(x)
