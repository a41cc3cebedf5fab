"""Eight members of a batch that run side by side and record."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.errors import CardanError
from cardan.native.lanes import COUNT
from cardan.native.python_entry import CALLBACK
from cardan.simulation import batch_core, core, core_entry
from cardan.simulation.failures import check_end
from cardan.simulation.interrupts import deliver
from cardan.simulation.lane_run import MemberGroups, group_compilation
from cardan.simulation.native import slots
from cardan.simulation.record import NO_SAMPLES, Samples
from cardan.simulation.schedule import Tables
from cardan.simulation.setup import Setup
from cardan.simulation.snapshot import forget
from cardan.simulation.varying import Varying

_FAR = 2**62
_FIRST = 64  # steps before the first look at whether somebody asks to stop
_SLICE = 0.1  # [s] about as long between two looks


class RecordedGroup:
    """The memory of a thread in which eight members run to the end, with the same bits as one by one.

    Args:
        setup: What is simulated.
        varying: What belongs to a member beside its state.
        tables: What is called, and recorded.
        rows: (members, words) All that tells members apart; those of members that come through are advanced.
    """

    def __init__(self, setup: Setup, varying: Varying, tables: Tables, rows: np.ndarray) -> None:
        self._setup, self._tables, self._rows = setup, tables, rows
        run = varying.new_run()
        run.record(tables)
        call = run.call(tables)
        call.pace[:] = _FAR, _FAR, 0
        call.take(NO_SAMPLES.recorder)
        self._recorders = np.zeros((COUNT * len(tables.groups), core.GROUP), np.int64)
        self._members, self._untils = np.zeros(COUNT, np.int64), np.zeros(len(rows), np.int64)
        given = {
            batch_core.ROWS: rows,
            batch_core.SPANS: np.array(varying.spans, np.int64),
            batch_core.MEMBERS: self._members,
            batch_core.UNTILS: self._untils,
            batch_core.STEPS: 1,
            batch_core.SPAN: 0,
            batch_core.GIVEN: np.empty((len(rows), 0)),
            batch_core.GIVEN_AT: np.empty((0, 2), np.int64),
            batch_core.OUTPUTS: np.empty((0, 2), np.int64),
            batch_core.OUT: np.empty((len(rows), 0)),
            batch_core.CODES: np.zeros(len(rows), np.int64),
        }
        self._slots = np.zeros((batch_core.SLOTS, core_entry.SLOT), np.int64)
        self._slots[list(given)] = slots(tuple(given.values()))
        self._groups = MemberGroups(
            setup, varying, tables, run.arena, self._slots.ctypes.data, call.address, self._recorders
        )
        _, self._context, _ = self._groups.slots
        self._entry = CALLBACK(group_compilation().compile())
        self._keep = run, call, given

    def advance(self, members: Sequence[int], end: int, at_pause: Callable[[], Any]) -> list[Samples] | None:
        """Run eight members to `end` [ns]; returns what they recorded, or None with all of them as they were.

        Whatever goes wrong in any of them is for those who run them one by one to find.
        """
        before, samples = self._rows[members].copy(), None
        try:
            samples = self._advance(members, end, at_pause)
        except CardanError:
            pass
        finally:
            if samples is None:
                self._rows[members] = before
        return samples

    def _advance(self, members: Sequence[int], end: int, at_pause: Callable[[], Any]) -> list[Samples] | None:
        ints, step, count = self._rows.view(np.int64), self._setup.integrator.method().step, len(self._tables.groups)
        now, began = int(ints[members[0], core.NOW]), ints[members, core.STEPS].copy()
        # a tick that is done has been recorded by the run that did it
        samples = [Samples(self._tables.groups, int(ints[m, core.NOW] + ints[m, core.TICK_DONE]), end) for m in members]
        self._members[:] = members
        steps = _FIRST
        while True:
            asked = time.perf_counter()
            # at a point of the grid of steps, so that pieces take the steps that the whole would
            until = min(end, (now // step + steps) * step)
            self._untils[members] = until
            for lane, each in enumerate(samples):
                each.make_room(until - now, step)
                self._recorders[lane * count : (lane + 1) * count] = each.recorder.groups
            if self._entry(0.0, self._context) != core.DONE:
                return None
            for lane, each in enumerate(samples):
                each.recorder.groups[:] = self._recorders[lane * count : (lane + 1) * count]
            now = until
            if now >= end:
                break
            deliver()
            at_pause()
            steps = max(_FIRST, int(steps * min(4.0, _SLICE / (time.perf_counter() - asked))))
        for arena, member, first in zip(self._groups.arenas, members, began, strict=True):
            if ints[member, core.STEPS] > first:
                check_end(arena, self._setup.schedule, self._setup.integrator)
            forget(self._rows[member])
        return samples
