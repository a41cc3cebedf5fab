"""Recorded runs of the members of a batch: on all threads, eight at a time where that is possible."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import LogFileError, OutOfMemory
from cardan.native.compilation import compile_all
from cardan.native.lanes import COUNT
from cardan.scenario.clock import seconds
from cardan.simulation import core
from cardan.simulation.batch_files import member_file
from cardan.simulation.batch_log import LogInFile
from cardan.simulation.batch_member import MemberFailure, about_member
from cardan.simulation.group_run import RecordedGroup
from cardan.simulation.interrupts import held, let_through, pausing
from cardan.simulation.lane_run import can_group, group_compilations
from cardan.simulation.pacing import Pacing
from cardan.simulation.run import Run
from cardan.simulation.schedule import Tables
from cardan.simulation.setup import Setup
from cardan.simulation.streaming import StreamedSamples
from cardan.simulation.varying import Varying
from cardan.simulation.workers import Workers

Take = Callable[[int, Any, Exception | None], None]


@dataclass(frozen=True, eq=False)
class RecordedRuns:
    """The members of a batch, to be run with a recorder each.

    Attributes:
        setup: What is simulated.
        varying: What belongs to a member beside its state.
        rows: (N, words) The members; each is written back where it ends.
        codes: (N,) How each stands; a member that has failed does not run.
        failures: Takes what is needed to let a member fail once more.
        seeds: One for each.
        workers: The threads.
    """

    setup: Setup
    varying: Varying
    rows: np.ndarray
    codes: np.ndarray
    failures: dict[int, MemberFailure]
    seeds: list[int]
    workers: Workers

    def run(
        self,
        take: Take,
        members: np.ndarray,
        end: int,
        tables: Tables,
        *,
        folder: Path | None = None,
        timeout: float | None = None,
    ) -> list[Exception]:
        """Run members on all threads, and hand over each log; returns what has ended all of it, if anything has.

        Args:
            take: Is given the member's number, its log, and why it has failed or None; in the thread that has run it.
            members: Which of them.
            end: [ns] Where they stop.
            tables: What is recorded.
            folder: Where samples go while a member runs, if not into memory.
            timeout: [s] Wall time after which a member fails.
        """
        numbers = itertools.count()
        trouble: list[Exception] = []

        # eight at a time where that is possible, and nothing is asked for that only single runs have
        together = folder is None and timeout is None and len(members) >= COUNT and can_group(self.setup, tables)
        blocks = np.split(members, range(COUNT, len(members), COUNT)) if together else [[m] for m in members]
        if together:
            with let_through():
                compile_all(group_compilations(self.setup, tables), lambda *_: None)

        def job(worker: int) -> None:
            run = self.varying.new_run()
            run.record(tables)
            group = RecordedGroup(self.setup, self.varying, tables, self.rows) if together else None
            for at in numbers:
                if at >= len(blocks) or trouble or self.workers.is_leaving:
                    break
                block = [int(member) for member in blocks[at]]
                if group is not None and self._run_group(take, group, block, end, tables):
                    continue
                for member in block:
                    try:
                        self._run_member(take, run, member, end, tables, folder, timeout)
                    except (OutOfMemory, LogFileError) as error:
                        trouble.append(error)
                        break

        with held():
            self.workers.run(job, min(self.workers.count, len(blocks)))
        return trouble

    def _run_group(
        self,
        take: Take,
        group: RecordedGroup,
        members: list[int],
        end: int,
        tables: Tables,
    ) -> bool:
        """Run members together, if none of them fails; returns whether that is done."""
        if len(members) < COUNT or self.codes[members].any():
            return False
        with pausing(np.zeros(2, np.int64)):
            samples = group.advance(members, end, self.workers.leave_if_asked)
        for member, recorded in zip(members, samples or (), strict=samples is not None):
            take(member, recorded.log(tables.groups, self._about(member)), None)
        return samples is not None

    def _run_member(
        self,
        take: Take,
        run: Run,
        member: int,
        end: int,
        tables: Tables,
        folder: Path | None,
        timeout: float | None,
    ) -> None:
        """Run one member alone, from its row; if it fails, its row stays."""
        row = self.rows[member]
        self.varying.stand(run, row)
        file = None if folder is None else member_file(folder, member)
        about = self._about(member)
        samples = self.setup.samples(run, tables, end, file, about)
        failed: Exception | None = None
        try:
            if self.codes[member] == core.DONE:
                title, begin = self.setup.scenario.name, seconds(run.now)
                with Pacing(title, begin, seconds(end), None, progress=False, timeout=timeout) as pacing:
                    run.advance(tables, samples, end, pacing, at_pause=self.workers.leave_if_asked)
                self.rows[member, : self.setup.layout.state_words] = run.snapshot_words()
        except (OutOfMemory, LogFileError):
            raise  # of the samples: the member itself has not failed
        except Exception as error:
            failed = error
            self.codes[member] = core.ENTRY_FAILED
            self.failures[member] = MemberFailure(row.copy(), end, 0, np.empty((1, 0)), (), self.varying.kept(member))
        finally:
            if file is not None and isinstance(samples, StreamedSamples):
                samples.finish()
                take(member, LogInFile(file), failed)
            else:
                take(member, samples.log(tables.groups, about), failed)

    def _about(self, member: int) -> dict[str, Any]:
        varies = self.varying.values(self.rows, member)
        return about_member(self.setup.about, member, self.seeds[member], varies)
