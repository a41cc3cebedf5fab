"""Figures of recorded fields, titled from their names and labelled with units and frames."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import MissingExtra, UnknownName, did_you_mean
from cardan.simulation import FieldLog, Log

_LARGEST_LEGEND = 6
_MOST_DRAWN = 100_000  # samples of a curve: several for each dot of a large print
_LONGEST_COLUMN = 4


class Panel(NamedTuple):
    """One diagram of a figure.

    Attributes:
        label: What is drawn upwards, with its unit.
        curves: Abscissa and ordinate of each curve, by what the legend calls it; no legend for a single curve.
        across: What is drawn to the right, with its unit.
        is_stepped: Whether values are held until the next one, as commands of tasks are.
        has_equal_axes: Whether a unit is as long upwards as to the right.
        is_logarithmic: Whether the ordinate is.
        dashed: The curves that are drawn dashed.
        marks: Where vertical lines stand, such as times at which a phase begins.
    """

    label: str
    curves: Mapping[str, tuple[Any, Any]]
    across: str = "time [s]"
    is_stepped: bool = False
    has_equal_axes: bool = False
    is_logarithmic: bool = False
    dashed: Sequence[str] = ()
    marks: Sequence[float] = ()


def draw_panels(panels: Sequence[Panel], title: str) -> Any:
    """A figure with its diagrams below each other, in two columns if there are many; neighbours share their abscissa.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    plt = pyplot()
    columns = 2 if len(panels) > _LONGEST_COLUMN else 1
    rows = -(-len(panels) // columns)
    heights = [3.2 if any(p.has_equal_axes for p in panels[i * columns :][:columns]) else 1.9 for i in range(rows)]
    figure, grid = plt.subplots(
        rows,
        columns,
        squeeze=False,
        figsize=(7.0 if columns == 1 else 10.0, 0.9 + sum(heights)),
        layout="constrained",
        height_ratios=heights,
    )
    for i, axes in enumerate(grid.flat):
        if i >= len(panels):
            axes.axis("off")
            continue
        _draw_panel(panels[i], axes)
        below = i + columns
        if below < len(panels) and panels[below].across == panels[i].across:
            axes.sharex(grid.flat[below])
            axes.tick_params(labelbottom=False)
        else:
            axes.set_xlabel(panels[i].across)
    figure.align_ylabels()
    figure.suptitle(title)
    return figure


def _draw_panel(panel: Panel, axes: Any) -> None:
    style = "steps-post" if panel.is_stepped else "default"
    for label, (across, up) in panel.curves.items():
        line = "--" if label in panel.dashed else "-"
        axes.plot(across, up, line, label=label, linewidth=1.2, drawstyle=style)
    for mark in panel.marks:
        axes.axvline(mark, color="0.5", linestyle=":", linewidth=1.0)
    axes.set_ylabel(panel.label)
    axes.grid(True, alpha=0.3)
    if panel.has_equal_axes:
        axes.set_aspect("equal", adjustable="datalim")
    else:
        axes.margins(x=0.0)
    if panel.is_logarithmic:
        axes.set_yscale("log")
    if len(panel.curves) > 1:
        axes.legend(loc="best", fontsize="small", ncols=min(len(panel.curves), 3))


def plot_log(log: Log, *patterns: str, title: str | None = None) -> Any:
    """A figure with one diagram for each field that matches one of the patterns, all over the same time.

    Args:
        log: What was recorded.
        *patterns: Paths such as `ctl.torque` or `err.error.*`; all that was recorded if there are none.
        title: Of the figure; the scenario's name if left out.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    plt = pyplot()
    fields = [field for pattern in patterns or ("*",) for field in _matching(log, pattern)]
    figure, grid = plt.subplots(
        len(fields), 1, sharex=True, squeeze=False, figsize=(7.0, 0.9 + 1.9 * len(fields)), layout="constrained"
    )
    for field, axes in zip(fields, grid[:, 0], strict=True):
        _draw(field, axes)
    grid[-1, 0].set_xlabel("time [s]")
    figure.suptitle(title or str(log.about.get("name", "")))
    return figure


def _matching(log: Log, pattern: str) -> list[FieldLog]:
    found = log.fields(pattern)
    if not found:
        known = [*log, *(field.path for field in log.fields())]
        raise UnknownName(
            f"Nothing recorded matches `{pattern}`.{did_you_mean(pattern, known)}\n"
            f"  Recorded: {', '.join(log) or 'nothing'}"
        )
    return found


def _draw(field: FieldLog, axes: Any) -> None:
    t, samples = _drawn(field)
    for i, label in enumerate(_labels(field, samples.shape[1])):
        axes.plot(t, samples[:, i], label=label, linewidth=1.2)
    port, _, name = field.path.rpartition(".")
    axes.set_title(port, fontsize="medium", loc="left")
    axes.set_ylabel(f"{name} [{field.unit}]")
    axes.grid(True, alpha=0.3)
    axes.margins(x=0.0)
    if 1 < samples.shape[1] <= _LARGEST_LEGEND:
        axes.legend(loc="best", fontsize="small", ncols=samples.shape[1])


def _drawn(field: FieldLog) -> tuple[np.ndarray, np.ndarray]:
    """Times and numbers of a curve; of more samples than a figure shows, the least and the largest of each few."""
    columns = int(np.prod(field.shape))
    if len(field) <= _MOST_DRAWN:
        return field.t, np.asarray(field.values, dtype=float).reshape(len(field), columns)
    few = -(-2 * len(field) // _MOST_DRAWN)
    t, samples = [], []
    for start in range(0, len(field), 1000 * few):  # as much at a time as any memory holds
        times = field.times.rows(start, start + 1000 * few)
        values = np.asarray(field.rows(start, start + len(times)), dtype=float).reshape(-1, columns)
        firsts = np.arange(0, len(times), few)
        lasts = np.minimum(firsts + few, len(times)) - 1
        t.append(np.stack([times[firsts], times[lasts]], axis=1).ravel())
        ends = np.minimum.reduceat(values, firsts), np.maximum.reduceat(values, firsts)
        samples.append(np.stack(ends, axis=1).reshape(-1, columns))
    return np.concatenate(t), np.concatenate(samples)


def _labels(field: FieldLog, count: int) -> list[str]:
    """Components of vectors in space are numbered from 1, as in books; so are wheels and joints."""
    shape = field.shape
    if len(shape) == 2:
        return [f"{i + 1}{j + 1}" for i in range(shape[0]) for j in range(shape[1])]
    return [str(i + 1) for i in range(count)]


def check_plotting() -> None:
    """Raise MissingExtra if there is nothing to plot with, before there is anything to plot."""
    pyplot()


def close_figure(figure: Any) -> None:
    """Give back the memory of a figure that has been written."""
    pyplot().close(figure)


def pyplot() -> Any:
    """The module `matplotlib.pyplot`, or MissingExtra if there is none."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtra("Plotting needs matplotlib.\n  Install it with `pip install cardan[plots]`.") from error
    return plt
