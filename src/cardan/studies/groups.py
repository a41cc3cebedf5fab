"""Results of a study by the values of one of its inputs: which kind of fault is found how often, and how soon."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cardan.errors import UnknownName
from cardan.studies.results import StudyResults


class Group(NamedTuple):
    """The runs that were given one value.

    Attributes:
        label: What the value is called.
        runs: How many there are.
        means: Of each scalar, over the runs that have one, by name: a rate where it is 0 or 1.
        medians: Of each scalar.
        high: 95th percentile of each scalar.
    """

    label: str
    runs: int
    means: dict[str, float]
    medians: dict[str, float]
    high: dict[str, float]


def grouped(results: StudyResults, by: str, labels: Sequence[str] = ()) -> list[Group]:
    """The results for each value of an input, in order.

    Args:
        results: Of a study.
        by: The path of the input, such as `fault.kind`.
        labels: What its values 0, 1, ... are called; the values themselves if left out.
    """
    if by not in results.block.inputs:
        raise UnknownName(f"`{by}` does not vary in this study.\n  These do: {', '.join(results.block.inputs)}")
    values = np.asarray(results[by])
    found = []
    for value in np.unique(values):
        chosen = values == value
        scalars = {name: results.scalar(name)[chosen] for name in results.about.units}
        known = {name: own[np.isfinite(own)] for name, own in scalars.items()}
        label = labels[int(value)] if labels else str(value)
        found.append(
            Group(
                label,
                int(np.count_nonzero(chosen)),
                {name: float(np.mean(own)) if len(own) else np.nan for name, own in known.items()},
                {name: float(np.median(own)) if len(own) else np.nan for name, own in known.items()},
                {name: float(np.quantile(own, 0.95)) if len(own) else np.nan for name, own in known.items()},
            )
        )
    return found


def group_table(results: StudyResults, by: str, labels: Sequence[str] = ()) -> str:
    """The same as text: shares in percent for scalars that are 0 or 1, else median and 95th percentile."""
    groups = grouped(results, by, labels)
    names = list(results.about.units)
    rates = {name: _is_rate(results.scalar(name)) for name in names}
    rows = [[by, "runs", *(f"{n} [%]" if rates[n] else f"{n} [{results.about.units[n]}]" for n in names)]]
    for group in groups:
        cells = [_share(group.means[n]) if rates[n] else _spread(group.medians[n], group.high[n]) for n in names]
        rows.append([group.label, str(group.runs), *cells])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _is_rate(values: np.ndarray) -> bool:
    return bool(np.all(np.isin(values[np.isfinite(values)], (0.0, 1.0))))


def _share(value: float) -> str:
    return "-" if np.isnan(value) else f"{100.0 * value:.1f}"


def _spread(median: float, high: float) -> str:
    return "-" if np.isnan(median) else f"{median:.3g}, {high:.3g}"
