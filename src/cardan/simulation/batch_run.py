"""A thread's own arena in a batch: rows of members come and go, and what all share stays in the cache."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from cardan.native.compilation import Compilation
from cardan.native.entry import kernel_compilation
from cardan.native.python_entry import CALLBACK
from cardan.simulation import batch_core, core, core_entry
from cardan.simulation.native import core_compilation, slots
from cardan.simulation.record import NO_SAMPLES
from cardan.simulation.schedule import Tables
from cardan.simulation.setup import Setup
from cardan.simulation.varying import Varying

_FAR = 2**62


@cache
def batch_compilation() -> Compilation:
    """What makes the loop over members native code."""
    return kernel_compilation("batch", batch_core.advance_members)


class MemberRun:
    """An arena in which members of a batch are advanced, one after another.

    Args:
        setup: What is simulated.
        varying: What belongs to a member beside its state.
        tables: What is kept up to date after a step.
        rows: (members, words) What tells members apart.
        untils: (members,) [ns] How far each goes.
        codes: (members,) How each ended.
    """

    def __init__(
        self,
        setup: Setup,
        varying: Varying,
        tables: Tables,
        rows: np.ndarray,
        untils: np.ndarray,
        codes: np.ndarray,
    ) -> None:
        self._run = setup.new_run(is_varied=varying.has_numbers)
        self._run.record(tables)
        wanted = tables.plan.tick[tables.plan.tick[:, 2] & core.FOR_RECORDER != 0]
        call = self._run.call(tables)
        call.pace[:] = _FAR, _FAR, setup.layout.has_inputs  # to the end, where the tick waits for what is given
        call.take(NO_SAMPLES.recorder)
        arena = self._run.arena
        self._entry = CALLBACK(batch_compilation().compile())
        self._spans = np.array(varying.spans, np.int64)
        self._wanted, self._record, self._call = np.ascontiguousarray(wanted), tables.plan.record, call
        self._slots = np.zeros((batch_core.CODES + 1, core_entry.SLOT), np.int64)
        self._slots[: batch_core.ROWS] = slots(
            (arena, arena.view(np.int64), core_compilation().compile(), call.address, call.until_address)
        )
        self._slots[batch_core.SPANS] = slots((self._spans,))
        self._slots[[batch_core.TICK, batch_core.OUTPUTS]] = slots((self._wanted, self._record))
        self._slots[[batch_core.ROWS, batch_core.UNTILS, batch_core.CODES]] = slots((rows, untils, codes))
        self._at = self._slots.ctypes.data
        self._keep = rows, untils, codes
        self._prepared: tuple[np.ndarray, Sequence[tuple[int, int]], np.ndarray] | None = None

    def prepare(
        self, steps: int, span: int, given: np.ndarray, given_at: Sequence[tuple[int, int]], out: np.ndarray
    ) -> None:
        """Take what a call is given; see the slots of `batch_core`."""
        self._slots[batch_core.STEPS, 0] = steps
        self._slots[batch_core.SPAN, 0] = span
        known = self._prepared
        if known is None or known[0] is not given or known[1] is not given_at or known[2] is not out:
            self._given_at = np.array(given_at, np.int64).reshape(-1, 2)
            self._slots[[batch_core.GIVEN, batch_core.GIVEN_AT, batch_core.OUT]] = slots((given, self._given_at, out))
            self._prepared = given, given_at, out

    def advance(self, members: np.ndarray) -> None:
        """Advance these members."""
        row = self._slots[batch_core.MEMBERS]
        row[0], row[1] = members.__array_interface__["data"][0], len(members)
        self._entry(0.0, self._at)
