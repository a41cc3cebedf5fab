"""`Dynamics`: what a dynamics service must offer.

A service answers two questions at a given state, and never advances time: where is everything (forward kinematics),
and which accelerations follow (forward dynamics). It is native code over the memory that `cardan.mechanism.plumbing`
lays out; the ports of a mechanism are handled there too, so that a service is only its algorithm.
"""

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np


class Inputs(NamedTuple):
    """What is connected to a mechanism, by the names of its elements.

    Attributes:
        prescribed: Joints that move as given.
        locked: Joints with a lock, whether it will be engaged or not.
        mass_properties: Bodies whose mass properties may change.
        commanded: Actuators with a command.
        is_varied: Whether runs with other numbers of the mechanism (`Constants`) will use the memory of the binding.
    """

    prescribed: frozenset[str] = frozenset()
    locked: frozenset[str] = frozenset()
    mass_properties: frozenset[str] = frozenset()
    commanded: frozenset[str] = frozenset()
    is_varied: bool = False


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
    """A service made ready for one run of one mechanism.

    Attributes:
        words: Its own memory in the arena of the run, as it is at the beginning.
        takes_commands: Whether it computes the mechanism's actuators itself; else motors become forces at their ports.
        contacts: `CompliantContact`s that the plumbing computes for it, as forces on links.
        keep: Whatever the words point at, for this run alone; whoever uses the arena keeps the binding. None if all of
            the service's memory is in its words: then one binding serves any number of runs.
    """

    words: np.ndarray
    takes_commands: bool = False
    contacts: tuple[Any, ...] = ()
    keep: Any = None


class Constants(NamedTuple):
    """Words of a binding that follow from numbers of the mechanism: masses, coefficients of joints, poses of sites.

    Attributes:
        at: (n,) Which words; the same for all mechanisms that differ in such numbers alone.
        words: (n,) What they are.
        keep: Whatever they point at; whoever uses the words keeps it.
    """

    at: np.ndarray
    words: np.ndarray
    keep: Any = None


class Dynamics(ABC):
    """A dynamics service: an immutable value that says how accelerations are found."""

    lock_time_constant: float
    """[s] How fast an engaged lock pulls its joint to where it holds."""

    jit: bool = True
    """Whether its functions run as native code; else in the interpreter, to be stepped through, with the same bits."""

    varies: ClassVar[bool] = False
    """Whether each run may have mass properties, coefficients of joints and poses of sites of its own: all that follows
    from them is read from the mechanism's arrays at every evaluation, or is among `constants`."""

    takes_variants: ClassVar[bool] = False
    """Whether `constants` are none, and `pose_constants` takes `cardan.mechanism.variants.Variants` too."""

    carries_rotors: ClassVar[bool] = False
    """Whether it takes the rotors of a mechanism (`cardan.mechanism.rotors`) for parts of what carries them."""

    has_lanes: ClassVar[bool] = False
    """Whether its functions serve eight runs at once too: they take `cardan.native.lanes.LANE_ADDRESS` as a context."""

    @property
    def name(self) -> str:
        return type(self).__name__

    @abstractmethod
    def unsupported(self, mechanism: Any, inputs: Inputs) -> list[Unsupported]:
        """Everything in `mechanism` that this service cannot do.

        Args:
            mechanism: A `cardan.Mechanism`.
            inputs: What is connected to it.
        """

    @abstractmethod
    def kernels(self) -> Kernels:
        """Its functions."""

    @abstractmethod
    def bind(self, mechanism: Any, inputs: Inputs) -> Binding:
        """Make the service ready for one run of a mechanism; `inputs` as in `unsupported`.

        Called once for each arena that is to run beside others: what all runs share is found once.
        """

    def constants(self, mechanism: Any, inputs: Inputs) -> Constants:
        """The service's own words that follow from numbers of a mechanism; by default none."""
        return Constants(np.empty(0, np.int64), np.empty(0))

    def pose_constants(self, mechanism: Any, inputs: Inputs) -> Constants:
        """Those that follow from poses of bodies on their joints; by default none beside `constants`."""
        return Constants(np.empty(0, np.int64), np.empty(0))
