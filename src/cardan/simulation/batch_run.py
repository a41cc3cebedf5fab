"""A thread's own arena in a batch: rows of members come and go, and what all share stays in the cache."""

from collections.abc import Mapping
from functools import cache

import numpy as np

from cardan.native.compilation import Compilation
from cardan.native.entry import kernel_compilation
from cardan.native.lanes import COUNT
from cardan.simulation import batch_core, core_entry
from cardan.simulation.lane_run import MemberGroups, can_group
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
        members: How many there are.
        shared: Words of parameters that are not those of the scenario, by their place.
    """

    def __init__(
        self, setup: Setup, varying: Varying, tables: Tables, members: int, shared: Mapping[int, np.ndarray]
    ) -> None:
        self._run = varying.new_run()
        self._run.record(tables)
        self._call = self._run.call(tables)
        # to the end, where the tick waits for what is given
        self._call.pace[:] = _FAR, _FAR, setup.layout.has_inputs
        self._call.take(NO_SAMPLES.recorder)
        arena = self._run.arena
        self._slots = np.zeros((batch_core.SLOTS, core_entry.SLOT), np.int64)
        self._groups = None
        if members >= COUNT and can_group(setup, tables):
            self._groups = MemberGroups(setup, varying, tables, arena, self.address, self._call.address)
        groups = (0, 0, 0) if self._groups is None else self._groups.slots
        core = core_compilation().compile(), self._call.address, self._call.until_address
        self._slots[: batch_core.ROWS] = slots((arena, arena.view(np.int64), *core, *groups))
        self.write(shared)

    def write(self, shared: Mapping[int, np.ndarray]) -> None:
        """Write words that all members share, by their place."""
        for at, words in shared.items():
            self._run.arena[at : at + len(words)] = words
            if self._groups is not None:
                self._groups.write(at, words)

    @property
    def address(self) -> int:
        """Where the slots lie that `batch_core` is given; those from ROWS on are filled in by who calls it."""
        return int(self._slots.ctypes.data)
