"""`Dynamics`: what a dynamics service must offer.

A service answers two questions at a given state, and never advances time: where is everything (forward kinematics),
and which accelerations follow (forward dynamics). It is native code over the memory that `cardan.mechanism.memory`
lays out; the ports of a mechanism are handled by `cardan.mechanism.plumbing`, so that a service is only its algorithm.
"""

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np


class Unsupported(NamedTuple):
    """An element of a mechanism that a service does not know.

    Attributes:
        element: Its name.
        reason: What about it.
        remedy: What to do about it, as a sentence.
    """

    element: str
    reason: str
    remedy: str = ""


_MOST_NAMES = 8


def unsupported_text(missing: Iterable[Unsupported]) -> str:
    """Elements by reason, a few of each and the number of the rest, with what to do."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for item in missing:
        by_reason.setdefault((item.reason, item.remedy), []).append(item.element)
    lines = []
    for (reason, remedy), names in by_reason.items():
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        lines.append(f"  {reason}: {', '.join(names[:_MOST_NAMES])}{more}")
        lines += [f"    {line}" for line in textwrap.wrap(remedy, 100)]
    return "\n".join(lines)


class Kernels(NamedTuple):
    """The functions of a service, which are compiled to native code, each `f(t, context) -> status`.

    Attributes:
        kinematics: From coordinates to frames of links; publishes motion.
        dynamics: From gathered forces to accelerations; publishes reactions.
        check: Whether the accelerations found last can be trusted; asked at the start, now and then, and at the end.
    """

    kinematics: Callable[..., int]
    dynamics: Callable[..., int]
    check: Callable[..., int] | None = None


class Binding(NamedTuple):
    """A service made ready for one mechanism.

    Attributes:
        words: Its own memory in each arena, as it is at the beginning.
        takes_commands: Whether it computes the mechanism's actuators itself; else motors become forces at their ports.
        keep: Whatever the memory points at; it lives as long as the simulation.
    """

    words: np.ndarray
    takes_commands: bool = False
    keep: Any = None


class Dynamics(ABC):
    """A dynamics service: an immutable value that says how accelerations are found."""

    lock_time_constant: float
    """[s] How fast an engaged lock pulls its joint to where it holds."""

    jit: bool = True
    """Whether its functions run as native code; else in the interpreter, to be stepped through, with the same bits."""

    reads_masses: ClassVar[bool] = False
    """Whether mass properties of links are read from memory at every evaluation, so that each run may have its own."""

    @property
    def name(self) -> str:
        return type(self).__name__

    @abstractmethod
    def unsupported(self, mechanism: Any, inputs: frozenset[str]) -> list[Unsupported]:
        """Everything in `mechanism` that this service cannot do.

        Args:
            mechanism: A `cardan.Mechanism`.
            inputs: The names of the kinds of input that are connected, such as "lock" or "mass_properties".
        """

    @abstractmethod
    def kernels(self) -> Kernels:
        """Its functions."""

    @abstractmethod
    def bind(self, mechanism: Any, inputs: frozenset[str]) -> Binding:
        """Make the service ready for one mechanism; `inputs` as in `unsupported`."""
