"""Figures of recorded fields, titled from their names and labelled with units and frames."""

from typing import Any

import numpy as np

from cardan.errors import MissingExtra, UnknownName, did_you_mean
from cardan.simulation.log import FieldLog, Log

_LARGEST_LEGEND = 6


def plot_log(log: Log, *patterns: str, title: str | None = None) -> Any:
    """A figure with one diagram for each field that matches one of the patterns, all over the same time.

    Args:
        log: What was recorded.
        *patterns: Paths such as `ctl.torque` or `err.error.*`; all that was recorded if there are none.
        title: Of the figure; the scenario's name if left out.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    plt = _pyplot()
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
    samples = np.asarray(field.values, dtype=float).reshape(len(field), -1)
    for i, label in enumerate(_labels(field, samples.shape[1])):
        axes.plot(field.t, samples[:, i], label=label, linewidth=1.2)
    port, _, name = field.path.rpartition(".")
    axes.set_title(port, fontsize="medium", loc="left")
    axes.set_ylabel(f"{name} [{field.unit}]")
    axes.grid(True, alpha=0.3)
    axes.margins(x=0.0)
    if 1 < samples.shape[1] <= _LARGEST_LEGEND:
        axes.legend(loc="best", fontsize="small", ncols=samples.shape[1])


def _labels(field: FieldLog, count: int) -> list[str]:
    """Components of vectors in space are numbered from 1, as in books; so are wheels and joints."""
    shape = field.values.shape[1:]
    if len(shape) == 2:
        return [f"{i + 1}{j + 1}" for i in range(shape[0]) for j in range(shape[1])]
    return [str(i + 1) for i in range(count)]


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtra("Plotting needs matplotlib.\n  Install it with `pip install cardan[plots]`.") from error
    return plt
