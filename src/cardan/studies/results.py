"""`StudyResults`: the results of a study, as a table, a Dataset and summary numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cardan.errors import SettingError, UnknownName, did_you_mean
from cardan.studies.blocks import Block, joined
from cardan.studies.folder import StudyError, StudyFolder, element_names, header, lines
from cardan.studies.scoring import Limit
from cardan.studies.sensitivity import Regression, SobolIndex, effects, sobol_indices
from cardan.studies.statistics import CONFIDENCE, Interval, Summary, summarised, wilson

if TYPE_CHECKING:
    import pandas
    import xarray

    from cardan.studies.comparison import StudyComparison

PERCENTS = (1.0, 5.0, 50.0, 95.0, 99.0)
_MOST_AT_ONCE = 1 << 22  # numbers of curves that are in memory at the same time


class About(NamedTuple):
    """What those who read results want to know beside them.

    Attributes:
        name: Of the study.
        what: The mission, or the function that builds the scenario.
        runs: How many the study has.
        seed: Of the study.
        design: Its class.
        dispersed: What has a distribution: paths, and names of groups.
        members: The paths of each.
        distributions: Their text.
        input_units: The unit of each input.
        units: The unit of each scalar.
        limits: What scalars must keep: sign and value.
        traces: The unit of each curve.
        until: [s] How long a run is.
        repeat: The command that repeats a run.
    """

    name: str
    what: str
    runs: int
    seed: int
    design: str
    dispersed: list[str]
    members: dict[str, list[str]]
    distributions: dict[str, str]
    input_units: dict[str, str]
    units: dict[str, str]
    limits: dict[str, list[list[Any]]]
    traces: dict[str, str]
    until: float
    repeat: str


class Envelope(NamedTuple):
    """A curve over all runs that have it.

    Attributes:
        t: (n,) [s]
        mean: (n,)
        percentiles: By percent, (n,).
        least: (n,)
        most: (n,)
        unit: Its unit.
    """

    t: np.ndarray
    mean: np.ndarray
    percentiles: dict[float, np.ndarray]
    least: np.ndarray
    most: np.ndarray
    unit: str


@dataclass(frozen=True)
class StudyResults:
    """Results of the runs of a study, in order of run number.

    Attributes:
        about: What the study is.
        block: All runs as columns; curves are read when they are asked for.
    """

    about: About
    block: Block
    _kept: tuple[Block, ...] = ()
    _folder: StudyFolder | None = None

    @classmethod
    def in_memory(cls, about: About, blocks: Sequence[Block]) -> "StudyResults":
        if not blocks:
            raise StudyError("The study has no runs yet.")
        bare = [block._replace(traces={}) for block in blocks]
        return cls(about, joined(bare), tuple(sorted(blocks, key=lambda block: int(block.runs[0]))))

    @classmethod
    def in_folder(cls, folder: StudyFolder) -> "StudyResults":
        return cls(About(**folder.read_definition()["about"]), folder.whole(), (), folder)

    # ---- looking -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.block.runs)

    @property
    def folder(self) -> Path | None:
        """Where the study is; None for one in memory."""
        return None if self._folder is None else self._folder.path

    @property
    def limits(self) -> dict[str, tuple[Limit, ...]]:
        """What scalars must keep, by name."""
        return {name: tuple(Limit(*limit) for limit in given) for name, given in self.about.limits.items()}

    @property
    def passed(self) -> np.ndarray:
        """(n,) Which runs have ended well and keep all limits."""
        found = self.block.is_ok
        for name in self.limits:
            found = found & self.keeps(name)
        return found

    def keeps(self, name: str) -> np.ndarray:
        """(n,) Which runs keep the limits of one scalar."""
        found = np.ones(len(self), bool)
        for limit in self.limits.get(name, ()):
            found &= limit.holds(self[name])
        return found

    def __getitem__(self, name: str) -> np.ndarray:
        """(n, ...) A scalar or an input of all runs, by its name."""
        for columns in (self.block.scalars, self.block.inputs):
            if name in columns:
                return columns[name]
        known = [*self.block.scalars, *self.block.inputs]
        raise UnknownName(
            f"The study has neither a scalar nor an input `{name}`.{did_you_mean(name, known)}\n"
            f"  There are: {', '.join(known)}"
        )

    def scalar(self, name: str) -> np.ndarray:
        """(n,) A scalar of all runs; nan where a run has none."""
        if name not in self.block.scalars:
            known = self.block.scalars
            raise UnknownName(
                f"The study has no scalar `{name}`.{did_you_mean(name, known)}\n  scalars: {', '.join(known)}"
            )
        return self.block.scalars[name]

    def columns(self) -> dict[str, np.ndarray]:
        """(n,) Every number that runs were given, elements of arrays one by one; of a choice of words, which it was."""
        found = {}
        for path, values in self.block.inputs.items():
            numbers = values if values.dtype.kind in "iufb" else np.unique(values, return_inverse=True)[1]
            flat = np.asarray(numbers, float).reshape(len(values), -1)
            names = element_names(path, numbers.shape[1:])
            for i, name in enumerate(names):
                # of a symmetric matrix, each number once
                is_new = not any(np.array_equal(flat[:, i], flat[:, j]) for j in range(i))
                if is_new and np.ptp(flat[:, i]) > 0.0:
                    found[name] = flat[:, i]
        return found

    def table(self) -> "pandas.DataFrame":
        """One row for each run: what it was given, what came out, whether it passed."""
        import pandas

        rows = list(lines(self.block, self.passed))
        names = header(self.block, self.about.units, self.about.input_units)
        frame = pandas.DataFrame(rows, columns=names).set_index("run")
        for name, unit in self.about.units.items():
            frame[f"{name} [{unit}]"] = self[name]  # nan where a run has no value
        frame["passed"] = self.passed
        return frame

    def save(self, path: str | Path) -> Path:
        """Write the table as a CSV file, or all with its curves as a netCDF file (`.nc`)."""
        from cardan.files import not_written, written_whole

        target = Path(path)
        if target.suffix not in (".csv", ".nc"):
            raise SettingError(f"{target} has no ending that says how to write it.\n  Use `.csv` or `.nc`.")
        try:
            with written_whole(target) as unfinished:
                if target.suffix == ".nc":
                    self.to_xarray().to_netcdf(unfinished, engine="netcdf4")
                else:
                    self._write_csv(unfinished)
        except OSError as error:
            raise StudyError(not_written("The table", target, error)) from error
        return target

    def _write_csv(self, path: Path) -> None:
        import csv

        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header(self.block, self.about.units, self.about.input_units))
            writer.writerows(lines(self.block, self.passed))

    def to_xarray(self) -> "xarray.Dataset":
        """A Dataset with a `run` dimension: inputs, scalars and curves side by side."""
        import xarray

        variables: dict[str, Any] = {}
        for path, values in self.block.inputs.items():
            dimensions = ("run", *(f"dim_{size}" for size in values.shape[1:]))
            if len(set(dimensions)) < len(dimensions):  # a matrix: rows and columns
                dimensions = ("run", *(f"dim_{size}_{i}" for i, size in enumerate(values.shape[1:])))
            variables[path] = (dimensions, values, {"units": self.about.input_units.get(path, ""), "role": "input"})
        for name, values in self.block.scalars.items():
            limit = ", ".join(map(str, self.limits.get(name, ())))
            about = {"units": self.about.units[name], "role": "scalar"} | ({"limit": limit} if limit else {})
            variables[name] = (("run",), values, about)
        for name, unit in self.about.traces.items():
            curves = np.concatenate([block.traces[name] for block in self._blocks()])
            axis = f"time_{curves.shape[1]}"
            variables[name] = (("run", axis), curves, {"units": unit, "role": "curve"})
            variables.setdefault(axis, ((axis,), self._times(curves.shape[1]), {"units": "s"}))
        variables |= {
            "passed": (("run",), self.passed, {"role": "outcome"}),
            "status": (("run",), self.block.status.astype(object), {"role": "outcome"}),
            "error": (("run",), self.block.error.astype(object), {"role": "outcome"}),
            "seed": (("run",), self.block.seeds, {"role": "input"}),
        }
        facts = {"name": self.about.name, "what": self.about.what, "seed": self.about.seed, "design": self.about.design}
        return xarray.Dataset(variables, coords={"run": self.block.runs}, attrs=facts)

    # ---- numbers that decide -------------------------------------------------------------------------------------

    def success(self, confidence: float = CONFIDENCE) -> Interval:
        """[-] The share of runs that pass, with Wilson's bounds."""
        return wilson(int(np.count_nonzero(self.passed)), len(self), confidence)

    def summary(self, name: str, confidence: float = CONFIDENCE) -> Summary:
        """Mean, percentiles and extremes of a scalar; with bounds."""
        keeps = self.keeps(name) & self.block.is_ok if name in self.limits else None
        return summarised(self.scalar(name), PERCENTS, confidence, keeps)

    def worst(self, name: str, count: int = 5) -> np.ndarray:
        """The runs that come nearest to, or go furthest beyond, the limit of a scalar; without one, the largest.

        Where there is a limit, runs without a value come first: they do not keep it.
        """
        limits = self.limits.get(name, ())
        values = self.scalar(name)
        is_low = bool(limits) and all(limit.sign.startswith(">") for limit in limits)
        order = np.argsort(values if is_low else -values, kind="stable")  # nan comes last
        known = int(np.count_nonzero(~np.isnan(values)))
        chosen = np.concatenate([order[known:], order[:known]]) if limits else order[:known]
        return np.asarray(self.block.runs[chosen[:count]])

    def failures(self) -> np.ndarray:
        """The numbers of the runs that do not pass."""
        return np.asarray(self.block.runs[~self.passed])

    def effects(self, name: str, confidence: float = CONFIDENCE) -> Regression:
        """How a scalar follows the inputs: rank correlation and standardised regression."""
        return effects(self.columns(), self.scalar(name), confidence)

    def sobol_indices(self, name: str, confidence: float = CONFIDENCE) -> tuple[SobolIndex, ...]:
        """Shares of the variance of a scalar; for a study with the design `Saltelli`."""
        if self.about.design != "Saltelli":
            raise SettingError(
                f"Sobol indices need the design `saltelli`; this study is {self.about.design}.\n"
                "  Run it with `design=Saltelli(base=256)`; `effects` works with any design."
            )
        return sobol_indices(self.about.dispersed, self.scalar(name), confidence)

    def envelope(self, name: str | None = None, percents: Sequence[float] = (5.0, 50.0, 95.0)) -> Envelope:
        """Mean, percentiles and extremes over time of a curve, over the runs that came so far."""
        known = self.about.traces
        name = next(iter(known), None) if name is None else name
        if name not in known:
            raise UnknownName(
                f"The study keeps no curve `{name}`.{did_you_mean(str(name), known)}\n"
                f"  curves: {', '.join(known) or 'none'}"
            )
        samples = next(self._blocks()).traces[name].shape[1]
        width = max(1, _MOST_AT_ONCE // len(self))
        pieces = [self._slice(name, start, min(samples, start + width)) for start in range(0, samples, width)]
        rows = [np.concatenate([piece[i] for piece in pieces]) for i in range(3)]
        found = {percent: np.concatenate([_percentile(piece[3], percent) for piece in pieces]) for percent in percents}
        return Envelope(self._times(samples), rows[0], found, rows[1], rows[2], known[name])

    def _slice(self, name: str, start: int, stop: int) -> tuple[np.ndarray, ...]:
        """Mean, least, most and all values at some times."""
        curves = np.concatenate([block.traces[name][:, start:stop] for block in self._blocks()])
        known = np.isfinite(curves)
        count = known.sum(axis=0)
        filled = np.where(known, curves, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = filled.sum(axis=0) / count
        least = np.where(known, curves, np.inf).min(axis=0)
        most = np.where(known, curves, -np.inf).max(axis=0)
        is_any = count > 0
        return mean, np.where(is_any, least, np.nan), np.where(is_any, most, np.nan), curves

    def compare(self, other: "StudyResults", confidence: float = CONFIDENCE) -> "StudyComparison":
        """What differs from another study on the same draws, run by run."""
        from cardan.studies.comparison import compare

        return compare(self, other, confidence)

    def report(self, path: str | Path) -> Path:
        """Write one self-contained HTML page with all of it."""
        from cardan.studies.report import write_report

        return write_report(self, Path(path))

    def __str__(self) -> str:
        rate = self.success()
        count = int(np.count_nonzero(self.passed))
        words = [f"{self.about.name}: {count} of {len(self)} runs pass, {100 * rate.value:.4g} %"]
        words[0] += f" (95 % confidence: {100 * rate.low:.4g} to {100 * rate.high:.4g} %)"
        for name, unit in self.about.units.items():
            found = self.summary(name)
            limit = "".join(f", {limit}" for limit in self.limits.get(name, ()))
            words.append(
                f"  {name} [{unit}]: median {found.percentiles[50.0].value:.5g}, from {found.least:.5g} to "
                f"{found.most:.5g}{limit}"
            )
        return "\n".join(words)

    # ---- details -------------------------------------------------------------------------------------------------

    def _blocks(self) -> Iterator[Block]:
        """All runs with their curves, some at a time, in order."""
        return iter(self._kept) if self._folder is None else self._folder.blocks(with_traces=True)

    def _times(self, samples: int) -> np.ndarray:
        return np.linspace(0.0, self.about.until, samples)


def load_study(folder: str | Path) -> StudyResults:
    """The results of a study that was run into a folder, even if it has not finished."""
    return StudyResults.in_folder(StudyFolder(folder))


def _percentile(curves: np.ndarray, percent: float) -> np.ndarray:
    """(n,) Over runs, without those that have no value there."""
    found = np.full(curves.shape[1], np.nan)
    is_any = np.isfinite(curves).any(axis=0)
    if is_any.any():
        found[is_any] = np.nanpercentile(curves[:, is_any], percent, axis=0)
    return found
