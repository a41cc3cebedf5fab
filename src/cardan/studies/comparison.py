"""Two studies on the same draws, run by run: what a change of the design does."""

from typing import NamedTuple

import numpy as np

from cardan.errors import SettingError
from cardan.studies.results import StudyResults
from cardan.studies.statistics import CONFIDENCE, Interval, mean_interval


class ScalarComparison(NamedTuple):
    """How a scalar differs, run by run.

    Attributes:
        name: The scalar.
        unit: Its unit.
        difference: Mean of second less first, with bounds from the pairs.
        smaller: How many runs have less in the second.
        larger: How many have more.
    """

    name: str
    unit: str
    difference: Interval
    smaller: int
    larger: int


class StudyComparison(NamedTuple):
    """What differs between two studies on the same draws.

    Attributes:
        runs: How many both have.
        first: [-] Share that passes in the first.
        second: [-] Share that passes in the second.
        lost: Runs that pass in the first alone.
        won: Runs that pass in the second alone.
        chance: [-] How likely a difference as large would be if both were equally good (McNemar, exact).
        scalars: Those that both have.
    """

    runs: int
    first: float
    second: float
    lost: np.ndarray
    won: np.ndarray
    chance: float
    scalars: tuple[ScalarComparison, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.runs} runs on the same draws: {100 * self.first:.4g} % pass in the first, "
            f"{100 * self.second:.4g} % in the second",
            f"  {len(self.lost)} pass in the first alone, {len(self.won)} in the second alone; "
            f"by chance with probability {self.chance:.3g}",
        ]
        for each in self.scalars:
            lines.append(
                f"  {each.name} [{each.unit}]: {each.difference} more in the second; "
                f"less in {each.smaller}, more in {each.larger}"
            )
        return "\n".join(lines)


def compare(first: StudyResults, second: StudyResults, confidence: float = CONFIDENCE) -> StudyComparison:
    """How `second` differs from `first`, on runs of the same number with the same inputs."""
    from scipy.stats import binomtest

    runs, ours, theirs = np.intersect1d(first.block.runs, second.block.runs, return_indices=True)
    if not len(runs):
        raise SettingError("The two studies have no runs in common, so they cannot be compared run by run.")
    shared = [path for path in first.block.inputs if path in second.block.inputs]
    for path in shared:
        is_same = _same(first.block.inputs[path][ours], second.block.inputs[path][theirs])
        if not is_same.all():
            run = int(runs[np.argmin(is_same)])
            raise SettingError(
                f"Run {run} was given another `{path}` in the second study, so runs do not match.\n"
                "  Compare studies with the same seed, design and distributions."
            )
    if not shared and first.block.inputs:
        raise SettingError("The two studies vary nothing in common, so their runs do not match.")
    passed_1, passed_2 = first.passed[ours], second.passed[theirs]
    lost, won = runs[passed_1 & ~passed_2], runs[~passed_1 & passed_2]
    changed = len(lost) + len(won)
    chance = float(binomtest(len(won), changed, 0.5).pvalue) if changed else 1.0
    found = []
    for name, unit in first.about.units.items():
        if name not in second.block.scalars:
            continue
        difference = second.block.scalars[name][theirs] - first.block.scalars[name][ours]
        difference = difference[np.isfinite(difference)]
        smaller, larger = int(np.count_nonzero(difference < 0.0)), int(np.count_nonzero(difference > 0.0))
        found.append(ScalarComparison(name, unit, mean_interval(difference, confidence), smaller, larger))
    return StudyComparison(len(runs), float(passed_1.mean()), float(passed_2.mean()), lost, won, chance, tuple(found))


def _same(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    if first.shape != second.shape:
        return np.zeros(len(first), bool)
    return np.asarray((first == second).reshape(len(first), -1).all(axis=1))
