"""Figures of a study: histograms, envelopes, scatter matrix, tornado, success map."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardan.errors import UnknownName
from cardan.plots import pyplot
from cardan.studies.groups import Group
from cardan.studies.results import StudyResults
from cardan.studies.scoring import Limit
from cardan.studies.sensitivity import SobolIndex

PASS, FAIL, LINE = "#2a78b8", "#d1495b", "#444444"
_MOST_INPUTS, _MOST_SCALARS = 6, 4  # of a scatter matrix that can be read
_MOST_BARS = 12
_MOST_POINTS = 4000  # of one scatter diagram


def plot_groups(groups: Sequence[Group], rates: Sequence[str], delay: str, unit: str) -> Any:
    """Shares of runs, and how long something took, for each value of an input.

    Args:
        groups: As `grouped` gives them.
        rates: Scalars that are 0 or 1, each a bar.
        delay: Another scalar: its median, and a line to its 95th percentile.
        unit: Of that.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    size = (9.0, 0.9 + 0.42 * len(groups))
    figure, (left, right) = pyplot().subplots(1, 2, figsize=size, sharey=True, layout="constrained")
    places, height = np.arange(len(groups)), 0.8 / len(rates)
    for i, name in enumerate(rates):
        shares = [100.0 * group.means[name] for group in groups]
        left.barh(places + (i - 0.5 * (len(rates) - 1)) * height, shares, height, label=name)
    medians, high = (np.array([getattr(group, which)[delay] for group in groups]) for which in ("medians", "high"))
    right.hlines(places, medians, high, color=LINE)
    right.plot(medians, places, "o", color=PASS, label="median")
    right.plot(high, places, "|", color=LINE, label="95 %")
    left.set_yticks(places, [f"{group.label} ({group.runs})" for group in groups])
    left.invert_yaxis()
    left.set_xlabel("share of runs [%]")
    right.set_xlabel(f"{delay} [{unit}]")
    for axes in (left, right):
        axes.grid(True, axis="x", alpha=0.3)
        axes.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(rates), frameon=False)
    return figure


def plot_histogram(results: StudyResults, name: str) -> Any:
    """Distribution of a scalar over the runs, with its limits; failing runs have another colour.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    figure, axes = pyplot().subplots(figsize=(6.4, 2.9), layout="constrained")
    values = results.scalar(name)
    known, passed = np.isfinite(values), results.passed
    limits = results.limits.get(name, ())
    if known.any():
        edges = _edges(values[known], limits)
        axes.hist(
            [values[known & passed], values[known & ~passed]],
            edges,
            stacked=True,
            color=[PASS, FAIL],
            label=[f"pass ({np.count_nonzero(known & passed)})", f"do not ({np.count_nonzero(known & ~passed)})"],
        )
    for limit in limits:
        axes.axvline(limit.value, color=LINE, linestyle="--", linewidth=1.2, label=f"limit {limit}")
    missing = int(np.count_nonzero(~known))
    if missing:
        axes.plot([], [], " ", label=f"without a value: {missing}")
    axes.set_xlabel(_labelled(name, results))
    axes.set_ylabel("runs")
    axes.grid(True, axis="y", alpha=0.3)
    _legend(figure, axes)
    return figure


def plot_envelope(results: StudyResults, name: str | None = None) -> Any:
    """A curve over time: median, the range of 90 % of the runs, and of all.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    found = results.envelope(name)
    title = name or next(iter(results.about.traces))
    figure, axes = pyplot().subplots(figsize=(6.4, 3.0), layout="constrained")
    axes.fill_between(found.t, found.least, found.most, color=PASS, alpha=0.15, linewidth=0, label="all runs")
    axes.fill_between(
        found.t, found.percentiles[5.0], found.percentiles[95.0], color=PASS, alpha=0.35, linewidth=0, label="5 to 95 %"
    )
    axes.plot(found.t, found.percentiles[50.0], color=PASS, linewidth=1.4, label="median")
    axes.plot(found.t, found.mean, color=LINE, linewidth=1.0, linestyle=":", label="mean")
    axes.set_xlabel("time [s]")
    axes.set_ylabel(f"{title} [{found.unit}]" if found.unit else title)
    axes.margins(x=0.0)
    axes.grid(True, alpha=0.3)
    _legend(figure, axes)
    return figure


def plot_scatter(
    results: StudyResults, inputs: Sequence[str] | None = None, scalars: Sequence[str] | None = None
) -> Any:
    """Scalars over inputs, a point for each run, coloured by success.

    Args:
        results: The study.
        inputs: Columns, such as `ctl.K` or `bus.motion.sigma_BN[0]`; by default those that matter most.
        scalars: By default those with limits first.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    columns = results.columns()
    up = list(scalars or _scalars_shown(results))[:_MOST_SCALARS]
    across = list(inputs or _inputs_shown(results, up))[:_MOST_INPUTS]
    for name in across:
        if name not in columns:
            raise UnknownName(f"No input `{name}` varies.\n  inputs: {', '.join(columns)}")
    rows, width = max(1, len(up)), max(1, len(across))
    figure, grid = pyplot().subplots(
        rows, width, squeeze=False, figsize=(1.2 + 1.75 * width, 0.9 + 1.7 * rows), layout="constrained",
        sharex="col", sharey="row",
    )  # fmt: skip
    passed = results.passed
    shown = _shown(len(results))
    size = float(np.clip(600.0 / max(1, len(shown)), 1.0, 12.0))
    for i, name in enumerate(up):
        for j, path in enumerate(across):
            axes, values = grid[i, j], results.scalar(name)
            for mask, colour in ((passed, PASS), (~passed, FAIL)):  # those that do not pass on top
                chosen = shown[mask[shown]]
                axes.scatter(
                    columns[path][chosen],
                    values[chosen],
                    s=size,
                    color=colour,
                    alpha=0.6,
                    linewidths=0,
                    rasterized=True,
                )
            for limit in results.limits.get(name, ()):
                axes.axhline(limit.value, color=LINE, linestyle="--", linewidth=0.8)
            axes.tick_params(labelsize="x-small")
            axes.locator_params(nbins=4)
            if i == rows - 1:
                axes.set_xlabel(_broken(path), fontsize="x-small")
        grid[i, 0].set_ylabel(_broken(_labelled(name, results), 22), fontsize="x-small")
    figure.align_ylabels()
    _success_legend(figure)
    return figure


def plot_tornado(results: StudyResults, name: str) -> Any:
    """Rank correlation of a scalar with each input, the strongest on top, with 95 % bounds.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    found = [each for each in results.effects(name).effects if np.isfinite(each.rank_correlation.value)][:_MOST_BARS]
    figure, axes = pyplot().subplots(figsize=(6.4, 0.9 + 0.27 * max(2, len(found))), layout="constrained")
    places = np.arange(len(found))[::-1]
    values = np.array([each.rank_correlation.value for each in found])
    low = np.array([each.rank_correlation.low for each in found])
    high = np.array([each.rank_correlation.high for each in found])
    if len(found):
        axes.barh(places, values, color=[PASS if value >= 0.0 else FAIL for value in values], height=0.65)
        axes.errorbar(
            values, places, xerr=np.maximum(0.0, [values - low, high - values]), fmt="none", ecolor=LINE, elinewidth=1.0
        )
    axes.set_yticks(places, [each.input for each in found], fontsize="small")
    axes.axvline(0.0, color=LINE, linewidth=0.8)
    axes.set_xlim(-1.0, 1.0)
    axes.set_xlabel(f"rank correlation with {name} [-]", fontsize="small")
    axes.grid(True, axis="x", alpha=0.3)
    return figure


def plot_sobol_indices(indices: Sequence[SobolIndex], title: str = "") -> Any:
    """First and total indices of each input, with their bounds.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    figure, axes = pyplot().subplots(figsize=(6.4, 1.0 + 0.4 * max(2, len(indices))), layout="constrained")
    places = np.arange(len(indices))[::-1]
    for shift, kind, colour in ((0.2, "first", PASS), (-0.2, "total", FAIL)):
        found = [getattr(index, kind) for index in indices]
        values = np.array([each.value for each in found])
        bounds = np.maximum(
            0.0, [[each.value - each.low for each in found], [each.high - each.value for each in found]]
        )
        axes.barh(places + shift, values, height=0.38, color=colour, label=f"{kind} index")
        axes.errorbar(values, places + shift, xerr=bounds, fmt="none", ecolor=LINE, elinewidth=1.0)
    axes.set_yticks(places, [index.input for index in indices], fontsize="small")
    axes.set_xlabel(f"share of the variance of {title} [-]" if title else "share of the variance [-]", fontsize="small")
    axes.axvline(0.0, color=LINE, linewidth=0.8)
    axes.grid(True, axis="x", alpha=0.3)
    _legend(figure, axes)
    return figure


def plot_success_map(results: StudyResults, across: str, up: str, cells: int = 8) -> Any:
    """Where runs pass over two inputs: the share in each cell, and the runs themselves.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    columns = results.columns()
    for name in (across, up):
        if name not in columns:
            raise UnknownName(f"No input `{name}` varies.\n  inputs: {', '.join(columns)}")
    x, y, passed = columns[across], columns[up], results.passed
    count, edges_x, edges_y = np.histogram2d(x, y, bins=cells)
    good = np.histogram2d(x[passed], y[passed], bins=(edges_x, edges_y))[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(count > 0, 100.0 * good / count, np.nan)
    figure, axes = pyplot().subplots(figsize=(6.0, 4.2), layout="constrained")
    mesh = axes.pcolormesh(edges_x, edges_y, share.T, cmap="RdYlBu", vmin=0.0, vmax=100.0, alpha=0.75, rasterized=True)
    shown = _shown(len(results))
    for mask, colour in ((passed, PASS), (~passed, FAIL)):
        chosen = shown[mask[shown]]
        axes.scatter(x[chosen], y[chosen], s=7, color=colour, edgecolors="white", linewidths=0.3, rasterized=True)
    figure.colorbar(mesh, ax=axes, label="share that passes [%]")
    axes.set_xlabel(_with_unit(across, results))
    axes.set_ylabel(_with_unit(up, results))
    _success_legend(figure)
    return figure


# ---- details -------------------------------------------------------------------------------------------------------


def _scalars_shown(results: StudyResults) -> list[str]:
    """Those with limits first; none that is the same in all runs."""
    names = [*results.limits, *(name for name in results.about.units if name not in results.limits)]
    return [name for name in names if np.nanmax(_spread(results.scalar(name))) > 0.0]


def _spread(values: np.ndarray) -> np.ndarray:
    known = values[np.isfinite(values)]
    return np.array([np.ptp(known) if len(known) else 0.0])


def _inputs_shown(results: StudyResults, scalars: Sequence[str]) -> list[str]:
    """The inputs that matter most to any of the scalars."""
    strength: dict[str, float] = dict.fromkeys(results.columns(), 0.0)
    for name in scalars:
        for effect in results.effects(name).effects:
            value = abs(effect.rank_correlation.value)
            if np.isfinite(value):
                strength[effect.input] = max(strength[effect.input], value)
    return sorted(strength, key=lambda path: -strength[path])


def strongest_inputs(results: StudyResults, count: int = 2) -> list[str]:
    """Those that success depends on most, as far as it varies; else those of the first scalar."""
    passed = results.passed.astype(float)
    columns = results.columns()
    if np.ptp(passed) == 0.0:
        return _inputs_shown(results, _scalars_shown(results)[:1])[:count]
    from cardan.studies.sensitivity import effects

    return [each.input for each in effects(columns, passed).effects][:count]


def _edges(values: np.ndarray, limits: Sequence[Limit]) -> np.ndarray:
    """Bins of equal width, of which none has a limit inside."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        half = 0.5 * abs(low) or 0.5
        return np.linspace(low - half, high + half, 22)
    count = int(np.clip(np.sqrt(len(values)) * 1.5, 10, 60))
    edges = np.linspace(low, high, count + 1)
    inside = [limit.value for limit in limits if low < limit.value < high]
    return np.unique([*edges, *inside])


def _shown(count: int) -> np.ndarray:
    """The runs that are drawn: all, or evenly spaced ones."""
    return np.unique(np.linspace(0, count - 1, min(count, _MOST_POINTS)).astype(int))


def _labelled(name: str, results: StudyResults) -> str:
    return f"{name} [{results.about.units[name]}]"


def _with_unit(column: str, results: StudyResults) -> str:
    units: Mapping[str, str] = results.about.input_units
    unit = units.get(column, units.get(column.partition("[")[0], ""))
    return f"{column} [{unit}]" if unit else column


def _broken(text: str, width: int = 20) -> str:
    """A long name in several lines."""
    lines, rest = [], text
    while len(rest) > width:
        places = [rest.rfind(mark, 1, width) for mark in (" ", ".")]
        at = max(places)
        if at <= 0:
            break
        at = at + 1 if rest[at] == "." else at
        lines.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return "\n".join([*lines, rest])


def _legend(figure: Any, axes: Any) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside upper center", ncols=4, fontsize="small", frameon=False)


def _success_legend(figure: Any) -> None:
    from matplotlib.lines import Line2D

    dots = [Line2D([], [], marker="o", linestyle="", markersize=4, color=colour) for colour in (PASS, FAIL)]
    figure.legend(dots, ["pass", "do not"], loc="outside upper center", ncols=2, fontsize="small", frameon=False)
