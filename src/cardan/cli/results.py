"""What a run of a mission has to show: a curve and numbers in the terminal, figures and files."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from cardan.cli.words import print_json
from cardan.errors import SettingError
from cardan.files import check_writable, not_written, written_whole
from cardan.simulation import Log

if TYPE_CHECKING:  # takes a while to import: functions do it that need it
    from cardan.missions import Mission, Result
    from cardan.simulation import Simulation


def make_folder(plot: Path) -> None:
    from cardan.plots import check_plotting

    check_plotting()
    try:
        plot.mkdir(parents=True, exist_ok=True)
        check_writable(plot / "figure.png")
    except OSError as error:
        raise SettingError(f"`--plot {plot}`: the folder cannot be made: {error.strerror}.") from None


def write_files(log: Log, mission: "Mission", save: Path | None, plot: Path | None) -> list[Path]:
    """The files that were asked for."""
    from cardan.plots import close_figure, draw_panels, plot_log

    written = []
    if save is not None:
        written.append(log.save(save))
    if plot is not None and len(log.t):
        for name, drawn in mission.figures.items():
            path = plot / f"{mission.name}-{name}.png"
            if callable(drawn):
                figure = draw_panels(drawn(log), mission.title)
            else:
                figure = plot_log(log, *drawn, title=mission.title)
            try:
                with written_whole(path) as unfinished:
                    figure.savefig(unfinished, format="png", dpi=200)
            except OSError as error:
                raise SettingError(not_written("The figure", path, error)) from error
            finally:
                close_figure(figure)
            written.append(path)
    return written


def show(
    mission: "Mission", simulation: "Simulation", log: Log, wall: float, written: list[Path], as_json: bool
) -> None:
    from cardan.missions import service_name
    from cardan.plots import chart

    results = mission.results(log)
    if as_json:
        print_json(
            {
                "mission": mission.name,
                "dynamics": simulation.dynamics and service_name(simulation.dynamics),
                "until_s": simulation.now,
                "recorded_until_s": float(log.t[-1]),
                "results": {result.name: _as_json(result) for result in results},
                "steps": simulation.steps,
                "wall_s": wall,
                "files": [str(path) for path in written],
            }
        )
        return
    console = Console(highlight=False)
    console.print(f"[bold]{mission.title}[/]\n")
    curve = mission.curve(log)
    console.print(f"  {curve.title}", markup=False)
    for line in chart(curve.t, curve.values, width=min(60, console.width - 14), encoding=console.encoding):
        console.print(f"  {line}", markup=False, soft_wrap=True)
    console.print()
    for line in _rows(results):
        console.print(f"  {line}", markup=False, soft_wrap=True)
    if log.t[-1] < simulation.now:
        console.print(f"\n  the last sample is at {log.t[-1]:g} s; results are of what was recorded until then")
    steps = simulation.steps
    console.print(f"\n  {simulation.now:g} s in {steps['accepted']} steps, {wall:.3g} s of wall time")
    for path in written:
        console.print(f"  wrote {path}", markup=False, soft_wrap=True)


def _rows(results: "list[Result]") -> Iterator[str]:
    """Names, values and units in columns; a note where there is no number."""
    name_width = max(len(result.name) for result in results)
    values = [("" if result.value is None else f"{result.value:.6g}") for result in results]
    value_width = max(map(len, values))
    for result, value in zip(results, values, strict=True):
        note = f" ({result.note})" if result.note else ""
        said = result.note if result.value is None else f"{value:{value_width}}  {result.unit}{note}"
        yield f"{result.name:{name_width}}  {said}".rstrip()


def _as_json(result: "Result") -> dict[str, Any]:
    return {"value": result.value, "unit": result.unit} | ({"note": result.note} if result.note else {})
