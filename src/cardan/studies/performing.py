"""How runs are performed: in batches if only numbers vary, otherwise each with its own scenario.

Every way of running a study, on threads, on processes or on a cluster, comes here; so all give the same table.
"""

import itertools
import threading
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cardan.errors import CardanError, SettingError, shown
from cardan.simulation import Batch, Log, Simulation
from cardan.studies.blocks import Block, block_of
from cardan.studies.definition import Definition
from cardan.studies.inputs import Given, start_of
from cardan.studies.scoring import OK, Row

MOST = 256  # members of a batch
_FILES = threading.Lock()  # the library behind netCDF takes one thread at a time


class Performer:
    """Does runs of a study.

    Args:
        definition: The study.
    """

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self._judge = definition.judge()
        self._batch: Batch | None = None

    def perform(self, runs: np.ndarray) -> Block:
        """Some runs, at most `MOST`."""
        inputs = self.definition.inputs
        given = inputs.given(runs)
        rows = self._in_batch(runs, given) if inputs.is_native else self._one_by_one(runs, given)
        return block_of(rows, given.values, given.seeds)

    def simulation(self, run: int) -> Simulation:
        """The simulation of one run, at its start."""
        return self._simulation(self.definition.inputs.given([run]), 0)

    def row(self, run: int, log: Log | None, error: Exception | None) -> Row:
        return self._judge.row(run, log, error)

    def check(self) -> None:
        """Refuse draws that no vehicle can have before anything runs: the extremes of each number, and a few runs."""
        inputs = self.definition.inputs
        count = inputs.count
        candidates = {*range(min(count, 3))}
        for values in inputs.values(np.arange(count)).values():
            numbers = np.asarray(values)
            if numbers.dtype.kind in "iuf" and numbers.size:
                flat = numbers.reshape(count, -1)
                candidates |= {int(flat.min(axis=1).argmin()), int(flat.max(axis=1).argmax())}
        given = inputs.given(sorted(candidates))
        for i, run in enumerate(sorted(candidates)):
            try:
                self._simulation(given, i)
            except CardanError as error:
                raise SettingError(
                    f"Run {run} would be given what cannot be:\n  {error}\n"
                    f"  It has {_listed(inputs.values([run]))}.\n"
                    "  Use a distribution that stays within bounds: `lognormal(...)`, `normal(..., low=..., high=...)`."
                ) from error

    # ---- batches -------------------------------------------------------------------------------------------------

    def _in_batch(self, runs: np.ndarray, given: Given) -> list[Row]:
        batch = self._prepared(len(runs))
        refused: dict[int, Exception] = {}
        everyone = np.arange(len(batch)) < len(runs)
        try:
            self._load(batch, given, everyone)
        except CardanError:
            # one of them: each by itself
            for i in range(len(runs)):
                try:
                    self._load(batch, given, np.arange(len(batch)) == i)
                except CardanError as error:
                    refused[i] = error
        standing = everyone & ~np.isin(np.arange(len(batch)), list(refused))

        def judged(member: int, log: Log, error: Exception | None) -> Row:
            return self._judged(int(runs[member]), log, error)

        subject = self.definition.inputs.subject
        done = iter(
            batch.map(judged, subject.end, record=subject.recorded, where=standing, timeout=self.definition.timeout)
            if standing.any()
            else []
        )
        return [
            self._judge.row(int(runs[i]), None, refused[i]) if i in refused else next(done) for i in range(len(runs))
        ]

    def _prepared(self, count: int) -> Batch:
        if self._batch is None or len(self._batch) < count:
            inputs = self.definition.inputs
            self._batch = Batch(
                inputs.nominal.scenario,
                max(count, min(MOST, inputs.count)),
                dynamics=inputs.subject.service,
                integrator=inputs.nominal.integrator,
                varies=inputs.native_numbers,
                threads=1,
            )
        return self._batch

    def _load(self, batch: Batch, given: Given, mask: np.ndarray) -> None:
        size = len(batch)
        if given.numbers:
            batch.set({path: _padded(values, size) for path, values in given.numbers.items()}, where=mask)
        starts = {}
        for element, fields in given.starts.items():
            own = start_of(self.definition.inputs.nominal, element)
            starts[element] = own._replace(**{name: _padded(values, size) for name, values in fields.items()})
        seeds = [*given.seeds, *itertools.repeat(0, size - len(given.seeds))]
        batch.reset(starts, where=mask, seeds=seeds)

    # ---- scenarios of their own ----------------------------------------------------------------------------------

    def _one_by_one(self, runs: np.ndarray, given: Given) -> list[Row]:
        subject, timeout = self.definition.inputs.subject, self.definition.timeout

        rows = []
        for i, run in enumerate(runs):
            sim, error = None, None
            try:
                sim = self._simulation(given, i)
                sim.run(until=subject.end, record=subject.recorded, progress=False, timeout=timeout)
            except Exception as raised:
                error = raised
            log = sim.log if sim is not None and sim.has_log else None
            rows.append(self._judged(int(run), log, error))
        return rows

    def _simulation(self, given: Given, i: int) -> Simulation:
        inputs = self.definition.inputs
        if given.built or given.changes[i]:
            built = {path: _item(values, i) for path, values in given.built.items()}
            sim = inputs.subject.simulation(built, given.changes[i])
        else:
            sim = inputs.nominal
        sim = sim.variant({path: _item(values, i) for path, values in given.numbers.items()}, seed=given.seeds[i])
        starts = {}
        for element, fields in given.starts.items():
            own = start_of(sim, element)
            starts[element] = own._replace(**{name: _item(values, i) for name, values in fields.items()})
        if starts:
            sim.reset(starts)
        return sim

    # ---- results -------------------------------------------------------------------------------------------------

    def _judged(self, run: int, log: Log | None, error: Exception | None) -> Row:
        row = self._judge.row(run, log, error)
        if log is None or not self._is_kept(row):
            return row
        with _FILES, TemporaryDirectory() as folder:
            return row._replace(log=log.save(Path(folder) / "log.nc").read_bytes())

    def _is_kept(self, row: Row) -> bool:
        keep = self.definition.keep
        if keep in ("none", "all"):
            return bool(keep == "all")
        if keep == "failed":
            scalars = {name: np.array([value]) for name, value in row.scalars.items()}
            return not self.definition.passed(scalars, np.array([row.status == OK]))[0]
        return row.run in keep


def _padded(values: np.ndarray, size: int) -> np.ndarray:
    """(size, ...) Values for all members of a batch, of which the last do not count."""
    numbers = np.asarray(values)
    return np.concatenate([numbers, np.broadcast_to(numbers[:1], (size - len(numbers), *numbers.shape[1:]))])


def _item(values: Any, i: int) -> Any:
    value = values[i]
    return value.item() if isinstance(value, np.generic) else value


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{path} = {shown(np.asarray(each[0]).tolist())}" for path, each in values.items())
