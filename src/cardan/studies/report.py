"""A study as one HTML page that needs nothing else: for a review, an archive, a printer."""

import base64
import html
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import CardanError
from cardan.files import not_written, written_whole
from cardan.plots import close_figure
from cardan.studies import figures
from cardan.studies.folder import StudyError
from cardan.studies.results import StudyResults
from cardan.studies.statistics import Interval

_MOST_FAILURES = 200  # that the page lists; the table has all
_WORST = 3
_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 70rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; margin-bottom: 0.2rem; }
h2 { font-size: 1.2rem; margin-top: 2.4rem; border-bottom: 1px solid #ccc; padding-bottom: 0.2rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 0.3rem; }
table { border-collapse: collapse; margin: 0.6rem 0; font-size: 0.86rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.7rem 0.2rem 0; text-align: right; vertical-align: top; border-bottom: 1px solid #e4e4e4; }
th { font-weight: 600; color: #555; font-size: 0.85rem; }
th:first-child, td:first-child, .text { text-align: left; }
td { white-space: nowrap; } td.text, td:first-child { white-space: normal; min-width: 8.5rem; }
.wide { overflow-x: auto; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 0.4rem 1.2rem; }
.verdict { font-size: 1.15rem; padding: 0.7rem 1rem; border-left: 5px solid; background: #f6f6f6; }
.good { border-color: #2a78b8; } .bad { border-color: #d1495b; }
.failed { color: #b8324a; font-weight: 600; }
.faint { color: #666; font-size: 0.88em; }
code { font: 0.85em ui-monospace, monospace; background: #f2f2f2; padding: 0.05rem 0.3rem; word-break: break-word; }
img { max-width: 100%; height: auto; }
figure { margin: 0.6rem 0; break-inside: avoid; }
@media print {
  body { max-width: none; margin: 0; font-size: 11px; }
  h2, h3 { break-after: avoid; }
  tr { break-inside: avoid; }
}
"""


def write_report(results: StudyResults, path: Path) -> Path:
    """Write the page."""
    page = "\n".join(_page(results))
    try:
        with written_whole(path) as unfinished:
            unfinished.write_text(page, encoding="utf-8")
    except OSError as error:
        raise StudyError(not_written("The report", path, error)) from error
    return path


def _page(results: StudyResults) -> Iterator[str]:
    about = results.about
    yield f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_text(about.name)}: study</title>'
    yield f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
    yield f"<h1>{_text(about.name)}</h1>"
    missing = about.runs - len(results)
    unfinished = f" of {about.runs}: <b>{missing} are not done yet</b>" if missing > 0 else ""
    yield (
        f'<p class="faint">{len(results)} runs{unfinished} of <code>{_text(about.what)}</code>, '
        f"{about.until:g} s each, design {_text(about.design)}, seed {about.seed}.</p>"
    )
    yield from _verdict(results)
    yield from _limits(results)
    yield from _scalars(results)
    yield from _inputs(results)
    yield from _curves(results)
    yield from _sensitivity(results)
    yield from _failures(results)
    yield "</body></html>"


def _verdict(results: StudyResults) -> Iterator[str]:
    rate, passed = results.success(), int(np.count_nonzero(results.passed))
    kind = "good" if passed == len(results) else "bad"
    ended = int(np.count_nonzero(~results.block.is_ok))
    broken = f" {ended} did not come to their end." if ended else ""
    yield (
        f'<p class="verdict {kind}"><b>{passed} of {len(results)} runs pass: {100 * rate.value:.4g} %.</b> '
        f"With 95 % confidence, between {100 * rate.low:.4g} % and {100 * rate.high:.4g} % of all would (Wilson)."
        f"{broken}</p>"
    )
    if not results.limits:
        yield '<p class="faint">No scalar has a limit, so a run passes if it comes to its end.</p>'


def _limits(results: StudyResults) -> Iterator[str]:
    if not results.limits:
        return
    yield "<h2>Limits</h2>"
    rows = []
    for name, limits in results.limits.items():
        found = results.summary(name)
        assert found.passed is not None
        worst = results.worst(name, 1)
        extreme = results.scalar(name)[np.searchsorted(results.block.runs, worst[0])] if len(worst) else math.nan
        rows.append(
            [
                _text(name),
                _text(", ".join(map(str, limits)) + f" {results.about.units[name]}"),
                _share(found.passed),
                f"{_number(extreme) if math.isfinite(extreme) else 'no value'} (run {worst[0]})"
                if len(worst)
                else "none",
            ]
        )
    yield _table(["scalar", "limit", "runs that keep it, 95 % bounds", "worst"], rows)


def _scalars(results: StudyResults) -> Iterator[str]:
    yield "<h2>Scalars</h2>"
    rows = []
    for name, unit in results.about.units.items():
        found = results.summary(name)
        rows.append(
            [
                _text(name),
                _text(unit),
                str(found.runs),
                _bounded(found.mean),
                _number(found.deviation),
                _number(found.least),
                *(_bounded(found.percentiles[percent]) for percent in (5.0, 50.0, 95.0)),
                _number(found.most),
            ]
        )
    yield _table(["scalar", "unit", "runs", "mean", "deviation", "least", "5 %", "median", "95 %", "most"], rows)
    yield (
        "<p class='faint'>Small numbers are 95 % bounds: of means by Student's distribution, of percentiles by order "
        "statistics, whatever the distribution; ∞ where there are too few runs for a bound.</p>"
    )
    yield '<div class="figures">'
    for name in _worth_a_histogram(results):
        yield _figure(figures.plot_histogram(results, name), f"{name}: how it is spread")
    yield "</div>"


def _worth_a_histogram(results: StudyResults) -> list[str]:
    return [name for name in results.about.units if name in results.limits or _varies(results.scalar(name))]


def _varies(values: np.ndarray) -> bool:
    known = values[np.isfinite(values)]
    return len(known) > 1 and bool(np.ptp(known) > 0.0)


def _inputs(results: StudyResults) -> Iterator[str]:
    yield "<h2>What varies</h2>"
    rows = []
    for path, values in results.block.inputs.items():
        how = next((text for name, text in results.about.distributions.items() if _is_of(path, name, results)), "")
        if values.dtype.kind in "iufb" and not values.shape[1:]:
            ends = f"{_number(float(values.min()))} to {_number(float(values.max()))}"
        elif values.dtype.kind in "iufb":
            ends = f"{values.shape[1:]} numbers"
        else:
            ends = ", ".join(map(str, np.unique(values)))
        rows.append(
            [
                _text(path),
                f'<span class="text"><code>{_text(how)}</code></span>',
                _text(ends),
                _text(results.about.input_units.get(path, "")),
            ]
        )
    yield _table(["input", "how", "range", "unit"], rows, text=(1,)) if rows else "<p>Nothing but random numbers.</p>"


def _is_of(path: str, name: str, results: StudyResults) -> bool:
    return path == name or path in results.about.members.get(name, []) or path.rpartition(".")[0] == name


def _curves(results: StudyResults) -> Iterator[str]:
    if not results.about.traces:
        return
    yield "<h2>Over time</h2>"
    for name in results.about.traces:
        yield _figure(figures.plot_envelope(results, name), f"{name}: median, 90 % of the runs, all runs")


def _sensitivity(results: StudyResults) -> Iterator[str]:
    columns = results.columns()
    if not columns or len(results) < 8:
        return
    yield "<h2>What matters</h2>"
    for name in _worth_a_tornado(results):
        found = results.effects(name)
        explained = f"{100 * found.explained:.0f} %" if math.isfinite(found.explained) else "nothing that can be said"
        yield f"<h3>{_text(name)}</h3>"
        yield (
            f'<p class="faint">A linear regression on all inputs explains {explained} of its variance'
            f"{'; where that is little, effects are not linear' if math.isfinite(found.explained) else ''}.</p>"
        )
        yield _figure(figures.plot_tornado(results, name), f"rank correlation of {name} with inputs")
        if results.about.design == "Saltelli":
            try:
                indices = results.sobol_indices(name)
            except CardanError as error:
                yield f"<p>No Sobol indices: {_text(str(error))}</p>"
            else:
                yield _figure(figures.plot_sobol_indices(indices, name), f"Sobol indices of {name}")
    yield _figure(figures.plot_scatter(results), "scalars over inputs")
    chosen = figures.strongest_inputs(results)
    if len(chosen) == 2 and not results.passed.all():
        yield _figure(figures.plot_success_map(results, chosen[0], chosen[1]), "success over two inputs")


def _worth_a_tornado(results: StudyResults) -> list[str]:
    chosen = [name for name in results.limits if _varies(results.scalar(name))]
    return chosen or [name for name in results.about.units if _varies(results.scalar(name))][:4]


def _failures(results: StudyResults) -> Iterator[str]:
    failed = results.failures()
    if len(failed):
        yield f"<h2>Runs that do not pass ({len(failed)})</h2>"
        rows = []
        for run in failed[:_MOST_FAILURES]:
            at = int(np.searchsorted(results.block.runs, run))
            rows.append([str(run), _text(_why(results, at)), f"<code>{_text(_repeat(results, int(run)))}</code>"])
        yield _table(["run", "why", "repeat it with"], rows, text=(1, 2))
        if len(failed) > _MOST_FAILURES:
            yield f'<p class="faint">and {len(failed) - _MOST_FAILURES} more; the table has all.</p>'
    yield "<h2>Worst cases</h2>"
    rows = []
    for name in list(results.limits) or _worth_a_histogram(results)[:4]:
        for run in results.worst(name, _WORST):
            value = results.scalar(name)[np.searchsorted(results.block.runs, run)]
            shown = f"{_number(value)} {_text(results.about.units[name])}" if math.isfinite(value) else "no value"
            rows.append([_text(name), shown, str(run), f"<code>{_text(_repeat(results, int(run)))}</code>"])
    yield _table(["scalar", "value", "run", "repeat it with"], rows, text=(3,))


def _repeat(results: StudyResults, run: int) -> str:
    return results.about.repeat.replace("{run}", str(run))


def _why(results: StudyResults, at: int) -> str:
    """What a run did not keep, or why it failed."""
    if results.block.error[at]:
        return f"{results.block.status[at]}: {results.block.error[at]}"
    lines = []
    for name, limits in results.limits.items():
        value = results.scalar(name)[at]
        lines += [f"{name}: {_number(value)}, limit {limit}" for limit in limits if not limit.holds(value)]
    return "; ".join(lines)


# ---- pieces of a page ----------------------------------------------------------------------------------------------


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], text: tuple[int, ...] = ()) -> str:
    classes = ['class="text"' if i in text else "" for i in range(len(names))]
    head = "".join(f"<th {kind}>{_text(name)}</th>" for name, kind in zip(names, classes, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td {kind}>{cell}</td>" for cell, kind in zip(row, classes, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _figure(figure: Any, caption: str) -> str:
    """A figure as a picture within the page; vectors, and dots for clouds of points."""
    file = io.BytesIO()
    try:
        figure.savefig(file, format="svg", dpi=200, metadata={"Date": None})
    finally:
        close_figure(figure)
    content = base64.b64encode(file.getvalue()).decode()
    return f'<figure><img src="data:image/svg+xml;base64,{content}" alt="{_text(caption)}"></figure>'


def _share(interval: Interval) -> str:
    return (
        f"{100 * interval.value:.4g} % <span class='faint'>{100 * interval.low:.4g} to {100 * interval.high:.4g}</span>"
    )


def _bounded(interval: Interval) -> str:
    return f"{_number(interval.value)}<br><span class='faint'>{_number(interval.low)} … {_number(interval.high)}</span>"


def _number(value: float) -> str:
    if math.isnan(value):
        return "&mdash;"
    return f"{value:.4g}" if math.isfinite(value) else ("∞" if value > 0.0 else "-∞")


def _text(text: str) -> str:
    return html.escape(str(text))
