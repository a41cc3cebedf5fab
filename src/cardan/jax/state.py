"""What a run in JAX stands at: a pytree of arrays, and nothing else."""

from typing import Any, NamedTuple


class DelayedMessages(NamedTuple):
    """Messages on their way.

    Attributes:
        seen: What the reader sees.
        coming: The messages after it, the next one first; each field has a leading axis.
        is_sent: Whether the source has sent anything yet.
    """

    seen: Any
    coming: Any
    is_sent: Any


class Continuous(NamedTuple):
    """What the integrator advances.

    Attributes:
        mechanism: Coordinates `q` and velocities `v` of the mechanism, without prescribed ones; None without one.
        parts: The states of models, by name.
    """

    mechanism: Any
    parts: dict[str, Any]


class JaxState(NamedTuple):
    """Everything that a run needs to go on.

    Attributes:
        steps: Steps of the integrator since time zero.
        x: The continuous state.
        memories: Of tasks, by name.
        held: What tasks have sent last and what was given from outside, by path: `ctl.torque`.
        lines: Delay lines, in the order of the layout.
        parameters: Those that change during a run, by path: `ctl.K`.
        seen: Outputs of models as the present tick found them, for tasks that wait for what comes from outside.
        keys: The random streams of tasks that draw numbers, by name.
    """

    steps: Any
    x: Continuous
    memories: dict[str, Any]
    held: dict[str, Any]
    lines: tuple[DelayedMessages, ...]
    parameters: dict[str, Any]
    seen: dict[str, Any]
    keys: dict[str, Any]
