"""What `cardan study` does: runs a plan, shows the results, and tells success by its exit code."""

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import SettingError
from cardan.missions import Mission
from cardan.studies.figures import plot_groups
from cardan.studies.groups import group_table, grouped
from cardan.studies.plan import StudyPlan
from cardan.studies.results import StudyResults
from cardan.studies.statistics import Interval
from cardan.studies.study import OneRun


class Where(NamedTuple):
    """Where a study runs, and where its results go.

    Attributes:
        folder: For results.
        resume: Whether to go on with what is there.
        processes: How many; None for threads.
        threads: How many; None for all cores.
        scheduler: Address of a Dask scheduler; None for this machine.
        report: An HTML file; None for one in the folder.
        progress: Whether to show how far it is.
    """

    folder: Path
    resume: bool = False
    processes: int | None = None
    threads: int | None = None
    scheduler: str | None = None
    report: Path | None = None
    progress: bool = True


def run_plan(plan: StudyPlan, where: Where, repeat: str) -> StudyResults:
    """Do a study and write its report."""
    study = plan.study(repeat)
    if where.report is not None and where.report.suffix not in (".html", ".htm"):
        raise SettingError(
            f"`--report {where.report}`: the report is an HTML page.\n  Give a name that ends with `.html`."
        )
    results = study.run(
        where.folder,
        resume=where.resume,
        processes=where.processes,
        threads=where.threads,
        scheduler=where.scheduler,
        progress=where.progress,
    )
    results.report(where.report or where.folder / "report.html")
    return results


def sum_up(results: StudyResults, mission: Mission, folder: Path) -> str:
    """The results by the values of the input that a mission names, as text; a figure of them goes into the folder."""
    campaign = mission.campaign
    if campaign is None or campaign.by not in results.block.inputs:
        return ""
    text = group_table(results, campaign.by, campaign.labels)
    (folder / "groups.txt").write_text(text + "\n")
    if campaign.figure:
        groups = grouped(results, campaign.by, campaign.labels)
        *rates, delay = campaign.figure
        figure = plot_groups(groups, rates, delay, results.about.units[delay])
        figure.savefig(folder / "groups.png", dpi=150)
    return text


def is_enough(results: StudyResults, require: float) -> bool:
    """Whether enough runs pass."""
    return bool(np.count_nonzero(results.passed) >= math.ceil(require * len(results) - 1e-9))


def as_json(results: StudyResults, require: float) -> dict[str, Any]:
    """What came out, as plain data."""
    return {
        "study": results.about.name,
        "mission": results.about.what,
        "runs": len(results),
        "seed": results.about.seed,
        "design": results.about.design,
        "passed": int(np.count_nonzero(results.passed)),
        "failed_runs": results.failures().tolist(),
        "errors": {
            int(run): str(text) for run, text in zip(results.block.runs, results.block.error, strict=True) if text
        },
        "success": _interval(results.success()),
        "required": require,
        "is_enough": is_enough(results, require),
        "scalars": {name: _summary(results, name) for name in results.about.units},
        "folder": str(results.folder),
    }


def one_as_json(one: OneRun) -> dict[str, Any]:
    """One run, as plain data."""
    return {
        "run": one.run,
        "inputs": {path: np.asarray(value).tolist() for path, value in one.inputs.items()},
        "scalars": one.scalars,
        "passed": one.passed,
        "error": "" if one.error is None else f"{type(one.error).__name__}: {one.error}",
    }


def _summary(results: StudyResults, name: str) -> dict[str, Any]:
    found = results.summary(name)
    return {
        "unit": results.about.units[name],
        "limits": [str(limit) for limit in results.limits.get(name, ())],
        "runs": found.runs,
        "mean": _interval(found.mean),
        "deviation": found.deviation,
        "least": found.least,
        "most": found.most,
        "percentiles": {f"{percent:g}": _interval(value) for percent, value in found.percentiles.items()},
        "keep_limits": None if found.passed is None else _interval(found.passed),
        "worst_runs": results.worst(name).tolist(),
    }


def _interval(interval: Interval) -> dict[str, float]:
    return interval._asdict()
