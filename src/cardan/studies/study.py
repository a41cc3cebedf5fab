"""`Study`: many runs of one scenario, each with its own values, and their results."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cardan.contracts import Dynamics
from cardan.errors import SettingError, UnknownName, did_you_mean, shown
from cardan.missions import Mission
from cardan.scenario import Scenario
from cardan.simulation import Integrator, Log, Record, Simulation
from cardan.studies.blocks import Block
from cardan.studies.definition import Definition
from cardan.studies.designs import DESIGNS, Design, Random
from cardan.studies.folder import StudyFolder, TableWriter, check_folder
from cardan.studies.inputs import Inputs
from cardan.studies.performing import Performer
from cardan.studies.progress import StudyProgress
from cardan.studies.results import About, StudyResults
from cardan.studies.scoring import Scalar, Trace, told
from cardan.studies.subject import Subject

_THE_SCENARIOS_OWN = Record()


@dataclass(frozen=True)
class OneRun:
    """One run of a study, repeated alone.

    Attributes:
        run: Its number.
        inputs: What it was given, by path.
        simulation: As it stands at the end: `simulation.audit()` balances momentum and energy.
        log: What was recorded; None if nothing was.
        scalars: By name; nan if it failed.
        passed: Whether it ended well and keeps all limits.
        error: Why it failed, or None.
    """

    run: int
    inputs: dict[str, Any]
    simulation: Simulation | None
    log: Log | None
    scalars: dict[str, float]
    passed: bool
    error: Exception | None

    def __str__(self) -> str:
        given = [f"  {path} = {_plain(value)}" for path, value in self.inputs.items()]
        found = [f"  {name}: {value:.6g}" for name, value in self.scalars.items()]
        ending = "passed" if self.passed else "did not pass" if self.error is None else told(self.error)
        return "\n".join([f"run {self.run}: {ending}", *given, *found])


class Study:
    """Many runs of a mission, or of a scenario that a function builds.

    The inputs of run 417 depend only on the study's seed and 417.

    Args:
        what: The name of a mission, or a function that builds a scenario; its arguments can vary too.
        disperse: How inputs vary, by path: a distribution, or its text `"normal(5%)"`. A `Fault` or a group of
            `Correlated` numbers has a name of its own.
        runs: How many; omit it if the design says.
        seed: Of the study.
        design: "random", "latin-hypercube", "sobol", "factorial", "saltelli", or a design.
        noise: "each" for different random numbers in every run, "same" for the scenario's.
        name: What the study is called.
        settings: Values that differ from those of the scenario in all runs, by path.
        until: [s] How long a run is.
        integrator: What it runs with.
        dynamics: The dynamics service.
        record: What scalars and curves read; by default what the mission records.
        scalars: Numbers by which runs are judged, besides the mission's results.
        limits: What scalars must keep, by name: `{"largest motor torque": "<= 0.19"}`.
        traces: Curves over time; by default that of the mission.
        keep: Whose logs are kept: "none", "failed", "all", or numbers of runs.
        timeout: [s] Wall time after which a run fails.
        repeat: The command that repeats a run, with `{run}` for its number; for the report.
    """

    def __init__(
        self,
        what: str | Mission | Callable[..., Scenario],
        disperse: Mapping[str, Any] | None = None,
        *,
        runs: int | None = None,
        seed: int = 0,
        design: str | Design = "random",
        noise: str = "each",
        name: str | None = None,
        settings: Mapping[str, Any] | None = None,
        until: float | None = None,
        integrator: Integrator | None = None,
        dynamics: Dynamics | str | None = None,
        record: Record | None = None,
        scalars: Sequence[Scalar] = (),
        limits: Mapping[str, Any] | None = None,
        traces: Sequence[Trace] | None = None,
        keep: Any = "none",
        timeout: float | None = None,
        repeat: str = "study.run_one({run})",
    ) -> None:
        subject = Subject(what, dict(settings or {}), until, integrator, dynamics, record)
        inputs = Inputs(subject, dict(disperse or {}), _design(design), runs, seed, noise)
        self.definition = Definition(
            name or subject.name,
            inputs,
            tuple(scalars),
            dict(limits or {}),
            None if traces is None else tuple(traces),
            keep,
            timeout,
        )
        self._repeat = repeat
        # whatever is wrong is said now
        _ = inputs.count, inputs.paths, self.definition.all_limits, self.definition.curves
        for path in inputs.paths:
            inputs.unit(path)

    def __repr__(self) -> str:
        return f"<study {self.name}: {self.count} runs>"

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def count(self) -> int:
        """How many runs there are."""
        return self.definition.inputs.count

    def inputs(self, run: int) -> dict[str, Any]:
        """What a run is given, by path."""
        values = self.definition.inputs.values([self._run(run)])
        return {path: each[0] for path, each in values.items()}

    def run(
        self,
        folder: str | Path | None = None,
        *,
        resume: bool = False,
        processes: int | None = None,
        scheduler: Any = None,
        threads: int | None = None,
        progress: bool = True,
    ) -> StudyResults:
        """Do all runs, and return what came out.

        A run that fails is a row with its error; the others go on.

        Args:
            folder: Where results go as they arrive; without one they stay in memory.
            resume: Whether to go on with what the folder has.
            processes: On how many processes; by default on threads of this one.
            scheduler: On a Dask cluster: the address of its scheduler, or a `dask.distributed.Client`.
            threads: How many threads; by default one for each core that this process may use.
            progress: Whether to show how far it is.
        """
        for name, number in (("processes", processes), ("threads", threads)):
            if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
                raise SettingError(f"{name} = {shown(number)}.\n  Use a whole number, at least 1.")
        if processes is not None and scheduler is not None:
            raise SettingError("A study runs on processes or on a cluster, not on both.\n  Leave one of them out.")
        client = None
        if scheduler is not None:
            from cardan.studies.cluster import connect

            client = connect(scheduler)
        definition, about = self.definition, self.about()
        Performer(definition).check()
        place = None
        done: np.ndarray = np.empty(0, np.int64)
        if folder is not None:
            check_folder(folder)
            place = StudyFolder(folder)
            place.begin(definition.described(), about._asdict(), resume=resume)
            done = place.done()
        elif resume:
            raise SettingError("Nothing says where the study is that is to go on.\n  Give its folder.")
        missing = np.setdiff1d(np.arange(self.count), done)
        writer = self._writer(place, about)
        kept: list[Block] = []
        shown_runs = int(np.count_nonzero(done < self.count))
        with StudyProgress(self.name, self.count, shown_runs, progress) as bar:
            for block in self._blocks(missing, threads or _cores(), processes, client):
                if place is None:
                    kept.append(block)
                else:
                    place.add(block)
                    assert writer is not None
                    writer.add(block)
                bar.add(len(block.runs), int(np.count_nonzero(~definition.passed(block.scalars, block.is_ok))))
        if place is None:
            return StudyResults.in_memory(about, kept)
        return StudyResults.in_folder(place)

    def run_one(self, run: int, *, record: Record | None = None, until: float | None = None) -> OneRun:
        """Repeat one run alone, with full recording, to look at it closely.

        Args:
            run: Its number.
            record: What to record; by default all that a simulation records by itself, at every tick.
            until: [s] Where to stop, to look at a part of it.
        """
        performer = Performer(self.definition)
        inputs = self.inputs(run)
        subject = self.definition.inputs.subject
        sim, error = None, None
        try:
            sim = performer.simulation(run)
            sim.run(
                until=subject.end if until is None else until,
                record=record or self._full_record(),
                progress=False,
                timeout=self.definition.timeout,
            )
        except Exception as raised:
            error = raised
        log = sim.log if sim is not None and sim.has_log else None
        row = performer.row(run, log, error)
        scalars = {name: np.array([value]) for name, value in row.scalars.items()}
        passed = bool(self.definition.passed(scalars, np.array([row.status == "ok"]))[0])
        if error is None and row.error:
            error = RuntimeError(row.error)
        return OneRun(run, inputs, sim, log, row.scalars, passed, error)

    def about(self) -> About:
        """What those who read results want to know beside them."""
        definition, inputs = self.definition, self.definition.inputs
        return About(
            name=self.name,
            what=inputs.subject.name,
            runs=self.count,
            seed=inputs.seed,
            design=type(inputs.design).__name__,
            dispersed=[each.name for each in inputs.dispersed] or list(inputs.paths),
            members={each.name: list(getattr(each.how, "paths", [each.name])) for each in inputs.dispersed},
            distributions={name: str(given) for name, given in inputs.disperse.items()},
            input_units={path: inputs.unit(path) for path in inputs.paths},
            units=dict(definition.units),
            limits={name: [list(limit) for limit in limits] for name, limits in definition.all_limits.items()},
            traces={trace.name: trace.unit for trace in definition.curves},
            until=inputs.subject.end,
            repeat=self._repeat,
        )

    # ---- details -------------------------------------------------------------------------------------------------

    def _blocks(self, runs: np.ndarray, threads: int, processes: int | None, client: Any) -> Iterator[Block]:
        if not len(runs):
            return
        if client is not None:
            from cardan.studies.cluster import on_cluster

            yield from on_cluster(self.definition, runs, client)
        elif processes is not None:
            from cardan.studies.processes import on_processes

            yield from on_processes(self.definition, runs, processes)
        else:
            from cardan.studies.threads import on_threads

            yield from on_threads(self.definition, runs, min(threads, len(runs)))

    def _writer(self, place: StudyFolder | None, about: About) -> TableWriter | None:
        """Of the table, with all that is there already."""
        if place is None:
            return None
        definition = self.definition
        writer = TableWriter(
            place.path / "table.csv",
            about.units,
            about.input_units,
            lambda block: definition.passed(block.scalars, block.is_ok),
        )
        for block in place.blocks():
            writer.add(block)
        return writer

    def _full_record(self) -> Record:
        """All that a simulation records by itself, and what scalars look at."""
        wanted = self.definition.inputs.subject.recorded
        if wanted.ports is None and wanted.every is None and not wanted.periods:
            return wanted
        return wanted if wanted.ports is not None else _THE_SCENARIOS_OWN

    def _run(self, run: int) -> int:
        if not isinstance(run, int | np.integer) or isinstance(run, bool) or not 0 <= run < self.count:
            raise UnknownName(f"There is no run {shown(run)}.\n  Runs are numbered from 0 to {self.count - 1}.")
        return int(run)


def _design(design: str | Design) -> Design:
    if isinstance(design, Design):
        return design
    if design not in DESIGNS or design == "table":
        names = [name for name in DESIGNS if name != "table"]
        raise UnknownName(
            f"There is no design {shown(design)}.{did_you_mean(str(design), names)}\n  designs: {', '.join(names)}"
        )
    return Random() if design == "random" else DESIGNS[design]()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _plain(value: Any) -> str:
    plain = np.asarray(value).tolist()
    return f"{plain:.9g}" if isinstance(plain, float) else str(plain)
