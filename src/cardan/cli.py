"""The command line: `cardan list`, `cardan info`, `cardan run`."""

import json
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from cardan.errors import (
    CardanError,
    IntegratorError,
    NotFinite,
    PeriodError,
    SettingError,
    ShapeError,
    UnknownName,
    did_you_mean,
)
from cardan.missions import MISSIONS, Mission, find_mission
from cardan.missions.mission import service_name
from cardan.plots import chart, draw_panels, plot_log
from cardan.scenario import Scenario
from cardan.scenario.describe import description
from cardan.simulation import Log, Simulation
from cardan.simulation.integrators import INTEGRATORS, Integrator

_LARGEST_SHOWN = 36  # numbers of an array that `info` writes out
FAILED, USAGE, INTERRUPTED = 1, 2, 130  # exit codes; 0 is success

app = typer.Typer(
    name="cardan",
    help="Simulate articulated spacecraft.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Json = Annotated[bool, typer.Option("--json", help="Write JSON, for scripts.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A mission; `cardan list` shows them.")]


@app.command("list")
def list_missions(as_json: Json = False) -> None:
    """The missions that can be run."""
    if as_json:
        _print_json([{"name": mission.name, "title": mission.title} for mission in MISSIONS.values()])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("mission", no_wrap=True)
    table.add_column("what it shows")
    for mission in MISSIONS.values():
        table.add_row(mission.name, mission.title)
    Console().print(table)


@app.command()
def info(
    name: Name,
    as_json: Json = False,
    draw: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Also draw the block diagram.")] = None,
) -> None:
    """What a mission is made of: parts, connections, and parameters that `run --set` can change."""
    mission = find_mission(name)
    scenario = mission.build()
    if draw is not None:
        scenario.draw(draw)
    about = description(scenario)
    if as_json:
        head = {
            "title": mission.title,
            "about": mission.about,
            "until_s": mission.until,
            "dynamics": [service_name(service) for service in mission.dynamics],
            "options": {
                name: {"about": mission.options[name], "value": value} for name, value in mission.defaults().items()
            },
        }
        _print_json(head | about)
        return
    console = Console(highlight=False)
    console.print(f"[bold]{mission.name}[/]: {mission.title}\n\n{mission.about}\n")
    console.print(f"runs for {mission.until:g} s with {mission.integrator_for()}", markup=False)
    if mission.dynamics:
        services = ", ".join(service_name(service) for service in mission.dynamics)
        console.print(f"dynamics: {services} (the first unless `--dynamics` says otherwise)", markup=False)
    console.print()
    console.print(str(scenario), markup=False, soft_wrap=True)
    if mission.options:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("option", "value", "meaning"):
            table.add_column(column)
        for option, value in mission.defaults().items():
            table.add_row(option, str(value), mission.options[option])
        console.print()
        console.print(table)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("parameter", "value", "unit"):
        table.add_column(column)
    for part, described in about["parts"].items():
        for parameter, shown in described["parameters"].items():
            table.add_row(f"{part}.{parameter}", _value(shown["value"]), shown["unit"])
    console.print()
    console.print(table)


def _value(value: Any) -> str:
    """A parameter's value, or the size of a table that would fill the screen."""
    shape = np.shape(value)
    if np.prod(shape) <= _LARGEST_SHOWN:
        return str(value)
    return f"{' x '.join(map(str, shape))} numbers from {np.min(value):.6g} to {np.max(value):.6g}"


@app.command()
def run(
    name: Name,
    dynamics: Annotated[
        str | None, typer.Option(metavar="NAME", help="The dynamics service for the mechanism.")
    ] = None,
    integrator: Annotated[
        str | None, typer.Option(metavar="NAME[:ARG=VALUE,...]", help="E.g. rk4:step=0.05 or dop853:rtol=1e-10.")
    ] = None,
    until: Annotated[float | None, typer.Option(metavar="S", help="How long to run [s].")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a parameter or an option; may be repeated."),
    ] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE.nc", help="Save the log as netCDF.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="DIR", help="Write figures into this folder.")] = None,
    no_jit: Annotated[bool, typer.Option("--no-jit", help="Run every part as plain Python.")] = False,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of all random numbers.")] = None,
    as_json: Json = False,
) -> None:
    """Run a mission and show its result."""
    mission = find_mission(name)
    service = mission.service(dynamics)
    scenario, usual = _prepare(mission, settings or [])
    if seed is not None:
        scenario.seed = seed
    chosen = _integrator(integrator) if integrator else usual
    simulation = Simulation(scenario, dynamics=service, integrator=chosen, jit=not no_jit)
    simulation.compile(mission.record)
    started = time.perf_counter()
    try:
        log = simulation.run(until=mission.until if until is None else until, record=mission.record)
    except BaseException as error:
        # what was recorded before a failure is kept as well
        if simulation.has_log:
            _write(simulation.log, mission, save, plot)
        if not isinstance(error, KeyboardInterrupt):
            raise
        print("interrupted; what was recorded until then is kept", file=sys.stderr)
        sys.exit(INTERRUPTED)
    wall = time.perf_counter() - started
    written = _write(log, mission, save, plot)
    _show(mission, simulation, log, wall, written, as_json)


def main() -> None:
    """Run the command line; errors of Cardan are shown as text, without a traceback."""
    try:
        app()
    except (UnknownName, SettingError, PeriodError, IntegratorError) as error:
        _fail(error, USAGE)
    except CardanError as error:
        _fail(error, FAILED)


def _fail(error: CardanError, code: int) -> None:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(code)


def _prepare(mission: Mission, settings: list[str]) -> tuple[Scenario, Integrator]:
    """The mission's scenario with every `name=value` applied, and its integrator."""
    values = {text: _setting(text, mission) for text in settings}
    options = {name: value for name, value in values.values() if name in mission.options}
    scenario = mission.scenario(options)
    for text, (name, value) in values.items():
        if name in options:
            continue
        if mission.options and name.partition(".")[0] not in scenario.parts:
            advice = did_you_mean(name, mission.options)
            raise UnknownName(
                f"`{mission.name}` has neither an option nor a part for `{name}`.{advice}\n"
                f"  options: {', '.join(mission.options)}\n  parts: {', '.join(scenario.parts)}"
            )
        try:
            scenario.set(name, value)
        except (ShapeError, NotFinite) as error:
            raise SettingError(f"`--set {text}`: {error}") from None
    return scenario, mission.integrator_for(options)


def _setting(setting: str, mission: Mission) -> tuple[str, Any]:
    """Name and value of one `name=value`; the value of an option that is a text needs no quotes."""
    path, equals, text = setting.partition("=")
    if not equals:
        raise SettingError(f"`--set {setting}` has no value.\n  Write `--set part.parameter=value`.")
    if isinstance(mission.defaults().get(path.strip()), str):
        return path.strip(), text.strip()
    try:
        return path.strip(), json.loads(text)
    except json.JSONDecodeError:
        raise SettingError(
            f"`--set {setting}`: `{text}` is not a number, a list or true/false.\n"
            "  Write e.g. `ctl.K=5.0` or `ctl.inertia_B=[[900,0,0],[0,800,0],[0,0,600]]`."
        ) from None


def _integrator(text: str) -> Integrator:
    """An integrator from `name` or `name:argument=value,...`."""
    name, _, arguments = text.partition(":")
    classes = {cls.__name__.lower(): cls for cls in INTEGRATORS}
    cls = classes.get(name.replace("-", "").replace("_", "").lower())
    if cls is None:
        names = [integrator.__name__ for integrator in INTEGRATORS]
        raise UnknownName(
            f"There is no integrator `{name}`.{did_you_mean(name, names)}\n  integrators: {', '.join(names)}"
        )
    known = [field.name for field in fields(cls) if field.name != "tolerances"]
    given: dict[str, Any] = {}
    for argument in filter(None, arguments.split(",")):
        key, _, value = argument.partition("=")
        if key not in known:
            raise UnknownName(
                f"{cls.__name__} has no argument `{key}`.{did_you_mean(key, known)}\n  arguments: {', '.join(known)}"
            )
        try:
            given[key] = float(value)
        except ValueError:
            raise SettingError(f"`--integrator {text}`: `{value}` is not a number.") from None
    if "step" in known and "step" not in given:
        raise SettingError(f"{cls.__name__} needs a step.\n  Write e.g. `--integrator {name}:step=0.1`.")
    return cls(**given)


def _write(log: Log, mission: Mission, save: Path | None, plot: Path | None) -> list[Path]:
    """The files that were asked for."""
    written = []
    if save is not None:
        written.append(log.save(save))
    if plot is not None and len(log.t):
        try:
            plot.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingError(f"`--plot {plot}`: the folder cannot be made: {error.strerror}.") from None
        for name, drawn in mission.figures.items():
            path = plot / f"{mission.name}-{name}.png"
            if callable(drawn):
                figure = draw_panels(drawn(log), mission.title)
            else:
                figure = plot_log(log, *drawn, title=mission.title)
            figure.savefig(path, dpi=200)
            written.append(path)
    return written


def _show(mission: Mission, simulation: Simulation, log: Log, wall: float, written: list[Path], as_json: bool) -> None:
    results = mission.results(log)
    if as_json:
        _print_json(
            {
                "mission": mission.name,
                "dynamics": simulation.dynamics and service_name(simulation.dynamics),
                "until_s": simulation.now,
                "results": {result.name: {"value": result.value, "unit": result.unit} for result in results},
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
    for line in chart(curve.t, curve.values, width=min(60, console.width - 14)):
        console.print(f"  {line}", markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, show_header=False)
    for result in results:
        table.add_row(f"  {result.name}", f"{result.value:.6g}", result.unit)
    console.print()
    console.print(table)
    steps = simulation.steps
    console.print(f"\n  {simulation.now:g} s in {steps['accepted']} steps, {wall:.3g} s of wall time")
    for path in written:
        console.print(f"  wrote {path}", markup=False, soft_wrap=True)


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))


if __name__ == "__main__":
    main()
