"""`Run`: an arena on its way through time. It is the only thing that changes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.mechanism import Mechanism
from cardan.native.layout import aligned_copy
from cardan.scenario.clock import seconds
from cardan.simulation import core
from cardan.simulation.failures import check_end, raise_failure
from cardan.simulation.integrators import Integrator
from cardan.simulation.interrupts import deliver, pausing
from cardan.simulation.native import CoreCall
from cardan.simulation.pacing import Pacing
from cardan.simulation.record import Samples
from cardan.simulation.schedule import Schedule, Tables
from cardan.simulation.snapshot import forget

_QUICK = 4096  # steps that a call without any ceremony may take
_FAR = 2**62  # [ns] later than any run


class Run:
    """An arena, the memory that its dynamics service keeps for it, and how it goes on.

    Args:
        schedule: What is called when.
        arena: The arena as it begins; it is copied.
        breaks: When parts are not smooth, as `Values.breaks` has it.
        integrator: How states are advanced.
        mechanism: The mechanism with the numbers that it has in this run, if they are not the scenario's.
        is_varied: Whether the run will be given words of mechanisms with other numbers.
    """

    def __init__(
        self,
        schedule: Schedule,
        arena: np.ndarray,
        breaks: np.ndarray,
        integrator: Integrator,
        mechanism: Mechanism | None = None,
        is_varied: bool = False,
    ) -> None:
        self.schedule = schedule
        self.integrator = integrator
        self._method = integrator.method()
        self.breaks = breaks
        self.arena = aligned_copy(arena)
        self.ints = self.arena.view(np.int64)
        memory = schedule.layout.mechanism
        # whatever the service's words in the arena point at lives as long as this
        self._binding = None if memory is None else memory.bind(self.arena, mechanism, is_varied=is_varied)
        self._calls: dict[int, CoreCall] = {}

    @property
    def now(self) -> int:
        """[ns] The time that has been reached."""
        return int(self.ints[core.NOW])

    @property
    def words(self) -> np.ndarray:
        """All that changes and outlives a step, where it lies."""
        return self.arena[: self.schedule.layout.state_words]

    def load(self, words: np.ndarray) -> None:
        """Stand where others have come to; nothing is relied on that they have evaluated."""
        self.words[:] = words
        forget(self.words)

    def snapshot_words(self) -> np.ndarray:
        """A copy of all that changes and outlives a step, with nothing to be relied on that was evaluated."""
        words = self.words.copy()
        forget(words)
        return words

    def put(self, at: Sequence[tuple[int, int]], words: np.ndarray) -> None:
        """Write words from outside into stretches of the arena (first word, length)."""
        start = 0
        for first, length in at:
            self.arena[first : first + length] = words[start : start + length]
            start += length
        if start:
            self.ints[core.FSAL_VALID] = 0

    def record(self, tables: Tables) -> None:
        """Let the mechanism publish what `tables` records beyond what parts read."""
        layout = self.schedule.layout
        if layout.mechanism is not None:
            layout.mechanism.record(self.arena, [path for path in tables.places if path in layout.mechanism_ports])

    def call(self, tables: Tables) -> CoreCall:
        """The core, ready to be called for this arena."""
        known = self._calls.get(id(tables))
        if known is None:
            plan = tables.plan._replace(breaks=self.breaks)
            known = self._calls[id(tables)] = CoreCall(self.arena, plan, self._method)
        return known

    def advance(
        self,
        tables: Tables,
        samples: Samples,
        until: int,
        pacing: Pacing,
        *,
        waits: bool = False,
        at_pause: Callable[[], Any] = lambda: None,
    ) -> None:
        """Call the core until `until` [ns] is reached, pausing for whatever `pacing` looks after.

        Args:
            tables: What is called and recorded.
            samples: Where samples go.
            until: [ns] Where to stop.
            pacing: How often to pause.
            waits: Whether the tick of `until` stops where tasks wait for what comes from outside.
            at_pause: Called whenever the arena stands at the end of a whole step.
        """
        call = self.call(tables)
        with pausing(call.pace):
            code, began = core.PAUSED, int(self.ints[core.STEPS])
            while code != core.DONE:
                call.pace[:2] = pacing.slice(seconds(self.now))
                deliver()
                steps = int(self.ints[core.STEPS])
                code = call(samples.recorder, until, waits and self.schedule.layout.has_inputs)
                if code in (core.DONE, core.PAUSED):
                    at_pause()
                pacing.spent(int(self.ints[core.STEPS]) - steps, seconds(self.now))
                if code == core.BUFFER_FULL:
                    samples.grow()
                elif code not in (core.DONE, core.PAUSED):
                    self.fail(code, tables)
            if int(self.ints[core.STEPS]) > began:
                check_end(self.arena, self.schedule, self.integrator)

    def quick(self, tables: Tables, samples: Samples, until: int) -> bool:
        """Go to `until` [ns], or a bounded number of steps towards it; returns whether it is reached.

        The tick of `until` stops where tasks wait for what comes from outside. Only for native code: no signal is held.
        """
        call = self.call(tables)
        call.pace[:2] = _FAR, _QUICK
        code = call(samples.recorder, until, self.schedule.layout.has_inputs)
        if code not in (core.DONE, core.PAUSED):
            self.fail(code, tables)
        return bool(code == core.DONE)

    def fail(self, code: int, tables: Tables) -> None:
        """Raise what the core's return code says, and stand at the last accepted step."""
        try:
            raise_failure(code, self.arena, self.schedule, tables.rows, self.integrator)
        finally:
            # a step that failed leaves its trial state behind
            layout = self.schedule.layout
            if int(self.ints[core.FAIL_TABLE]) in (core.STAGE_TABLE, core.PROJECT_TABLE):
                self.arena[layout.x :][: layout.size] = self.arena[layout.work :][: layout.size]
            self.ints[core.FAIL_STATUS : core.FAIL_TIME + 1] = 0
