"""The command line: `cardan list`, `info`, `run`, `view`, `study` and `compare`."""

import io
import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from cardan.errors import (
    CardanError,
    ImpossibleValue,
    IntegratorError,
    LogFileError,
    NotFinite,
    PeriodError,
    SettingError,
    ShapeError,
    UnknownName,
    did_you_mean,
)
from cardan.files import check_writable, not_written, written_whole
from cardan.missions import MISSIONS, Mission, Result, find_mission, service_name
from cardan.plots import chart, check_plotting, close_figure, draw_panels, plot_log
from cardan.scenario import Scenario, description, nanoseconds
from cardan.simulation import (
    Comparison,
    Integrator,
    Log,
    Simulation,
    Times,
    check_log_path,
    check_stream,
    is_netcdf_name,
    load_log,
    read_integrator,
)
from cardan.viewer import check_html_path, check_pace, check_viewing, repeat

_LARGEST_IN_MEMORY = 1_000_000_000  # [bytes] of a recording that is saved when the run has ended
_LARGEST_SHOWN = 36  # numbers of an array that `info` writes out
_LONGEST_SHOWN = 60  # letters of a word that an error repeats
_DEEPEST = 8  # brackets within brackets: arrays have two
_LARGEST_INTEGER = 18  # digits that fit a word for sure
FAILED, USAGE, INTERRUPTED = 1, 2, 130  # exit codes; 0 is success

app = typer.Typer(
    name="cardan",
    help="Simulate articulated spacecraft.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _path(text: str) -> Path:
    """A path from the command line; an empty one, as of a shell's variable that is not set, would be this folder."""
    if not text:
        raise typer.BadParameter("the path is empty.")
    return Path(text)


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
    draw: Annotated[
        Path | None, typer.Option(parser=_path, metavar="FILE.svg", help="Also draw the block diagram.")
    ] = None,
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
    save: Annotated[
        Path | None, typer.Option(parser=_path, metavar="FILE", help="Save the log: FILE.nc, .csv, .mat or .parquet.")
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Write FILE.nc while the run goes on; above 1 GB that is done anyway.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(parser=_path, metavar="DIR", help="Write figures into this folder.")
    ] = None,
    view: Annotated[bool, typer.Option("--view", help="Show the run in a browser when it has ended.")] = False,
    html: Annotated[
        Path | None, typer.Option(parser=_path, metavar="FILE.html", help="Write a page that plays the run offline.")
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Run in a page: pause, step, change parameters.")] = False,
    pace: Annotated[
        float | None, typer.Option(metavar="X", help="Simulated seconds per second of `--live`; 1 by default.")
    ] = None,
    repeated: Annotated[
        Path | None, typer.Option("--repeat", parser=_path, metavar="FILE.nc", help="Do again what was done by hand.")
    ] = None,
    no_jit: Annotated[bool, typer.Option("--no-jit", help="Run every part as plain Python.")] = False,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of all random numbers.")] = None,
    as_json: Json = False,
) -> None:
    """Run a mission and show its result."""
    mission = find_mission(name)
    end = mission.until if until is None else _end(until)
    # what cannot be written is said before the run, not after it
    if save is not None:
        (check_stream if stream else check_log_path)(save)
    elif stream:
        raise SettingError("`--stream` says how a log is saved, and nothing says where.\n  Add `--save FILE.nc`.")
    if plot is not None:
        _make_folder(plot)
    if html is not None:
        check_html_path(html)
    if view or live or html is not None:
        check_viewing()
    check_pace(pace)
    if live and (stream or repeated is not None):
        raise SettingError("`--live` goes neither with `--stream` nor with `--repeat`.\n  Leave out one of them.")
    past = None if repeated is None else load_log(repeated)
    service = mission.service(dynamics)
    scenario, usual = _prepare(mission, settings or [])
    if (view or live or html is not None) and scenario.mechanism is None:
        raise SettingError(f"`{mission.name}` has no mechanism, so there is nothing to view.\n  Use `--plot DIR`.")
    if seed is not None:
        scenario.seed = seed
    chosen = read_integrator(integrator) if integrator else usual
    simulation = Simulation(scenario, dynamics=service, integrator=chosen, jit=not no_jit)
    simulation.compile(mission.record)
    started = time.perf_counter()
    if save is not None and is_netcdf_name(save):
        stream = stream or simulation.recording_size(end, mission.record) > _LARGEST_IN_MEMORY
    try:
        if live:
            log = _run_live(simulation, mission, end, 1.0 if pace is None else pace)
        elif past is not None:
            log = repeat(simulation, past, mission.record)
        else:
            log = simulation.run(until=end, record=mission.record, stream=save if stream else None)
    except BaseException as error:
        # what was recorded before a failure is kept as well
        if simulation.has_log:
            _write(simulation.log, mission, None if stream else save, plot)
        if not isinstance(error, KeyboardInterrupt):
            raise
        print("interrupted; what was recorded until then is kept", file=sys.stderr)
        sys.exit(INTERRUPTED)
    wall = time.perf_counter() - started
    written = [save] if stream and save is not None else []
    written += _write(log, mission, None if stream else save, plot)
    if html is not None:
        written.append(log.save_html(html))
    _show(mission, simulation, log, wall, written, as_json)
    if view:
        log.view().wait()


def _run_live(simulation: Simulation, mission: Mission, end: float, pace: float) -> Log:
    """Run in a page, which stays until Ctrl-C."""
    with simulation.view(pace=pace, record=mission.record) as page:
        log: Log = page.run(until=end)
        if simulation.now >= end:
            print("the run has ended; Ctrl-C closes the page", file=sys.stderr)
            page.wait()
    return log


@app.command("view")
def view_file(
    file: Annotated[Path, typer.Argument(parser=_path, metavar="FILE.nc", help="A saved log.")],
    ghost: Annotated[
        Path | None, typer.Option(parser=_path, metavar="OTHER.nc", help="A second log, drawn half transparent.")
    ] = None,
    follow: Annotated[str | None, typer.Option(metavar="BODY", help="The body at the centre of the scene.")] = None,
    speed: Annotated[float | None, typer.Option(metavar="X", help="Simulated seconds per second, 0.1 to 1000.")] = None,
    plots: Annotated[
        list[str] | None, typer.Option("--plot", metavar="PATH", help="A field to plot beside it.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(parser=_path, metavar="FILE.html", help="Write a page that plays offline instead.")
    ] = None,
    port: Annotated[int | None, typer.Option(metavar="N", help="Where to listen; a free port by default.")] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Other than 127.0.0.1: open to others.")] = "127.0.0.1",
) -> None:
    """Show a saved log in a browser."""
    other = None if ghost is None else load_log(ghost)
    log = load_log(file)
    if html is not None:
        print(f"wrote {log.save_html(html, follow=follow, speed=speed, ghost=other)}")
        return
    log.view(follow=follow, speed=speed, ghost=other, plots=plots or (), port=port, host=host).wait()


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(parser=_path, metavar="FIRST.nc", help="A saved log.")],
    second: Annotated[Path, typer.Argument(parser=_path, metavar="SECOND.nc", help="Another one.")],
    tolerance: Annotated[
        float, typer.Option(metavar="X", help="Difference that does not matter, relative to the largest of its field.")
    ] = 0.0,
    absolute: Annotated[
        float, typer.Option(metavar="X", help="Difference that does not matter, in the unit of its field.")
    ] = 0.0,
    times: Annotated[
        str, typer.Option(metavar="same|common|interpolated", help="Whether both must have the same times.")
    ] = "same",
    as_json: Json = False,
) -> None:
    """What differs between two saved logs; ends with 0 if they agree, with 1 if they do not."""
    try:
        found = load_log(first).compare(load_log(second), times=cast(Times, times))
    except LogFileError as error:
        _fail(error, USAGE)  # 1 is an answer here
    is_agreed = found.agree(tolerance, absolute=absolute)
    if as_json:
        _print_json(_compared(found, is_agreed))
    else:
        print(found)
        print("the logs agree" if is_agreed else "the logs differ")
    sys.exit(0 if is_agreed else FAILED)


@app.command()
def study(
    what: Annotated[str, typer.Argument(metavar="NAME|FILE.toml", help="A mission, or a study file.")],
    disperse: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=HOW", help='E.g. ctl.K="normal(5%)"; may be repeated. Replaces those that are ready.'
        ),
    ] = None,
    limits: Annotated[
        list[str] | None, typer.Option("--limit", metavar="NAME=LIMIT", help='E.g. "largest motor torque=<= 0.2".')
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A value for all runs; may be repeated.")
    ] = None,
    runs: Annotated[int | None, typer.Option(metavar="N", help="How many runs.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the study.")] = None,
    design: Annotated[
        str | None, typer.Option(metavar="NAME", help="random, latin-hypercube, sobol, factorial or saltelli.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option(parser=_path, metavar="FILE.csv", help="What runs are given, a row each.")
    ] = None,
    until: Annotated[float | None, typer.Option(metavar="S", help="How long a run is [s].")] = None,
    dynamics: Annotated[str | None, typer.Option(metavar="NAME", help="The dynamics service.")] = None,
    integrator: Annotated[str | None, typer.Option(metavar="NAME[:ARG=VALUE,...]", help="The integrator.")] = None,
    timeout: Annotated[float | None, typer.Option(metavar="S", help="Wall time after which a run fails [s].")] = None,
    keep: Annotated[str | None, typer.Option(metavar="none|failed|all", help="Whose logs are kept.")] = None,
    require: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Of runs that must pass; 1 by default.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option(parser=_path, metavar="DIR", help="Folder for results; NAME-study by default.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what the folder has.")] = False,
    processes: Annotated[int | None, typer.Option(metavar="N", help="Run on N processes instead of threads.")] = None,
    threads: Annotated[int | None, typer.Option(metavar="N", help="Run on N threads; all cores by default.")] = None,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Run on a Dask cluster.")] = None,
    report: Annotated[
        Path | None, typer.Option(parser=_path, metavar="FILE.html", help="The report; in the folder by default.")
    ] = None,
    only: Annotated[int | None, typer.Option(metavar="RUN", help="Repeat one run alone, with full recording.")] = None,
    save: Annotated[Path | None, typer.Option(parser=_path, metavar="FILE", help="With --only: save the log.")] = None,
    plot: Annotated[
        Path | None, typer.Option(parser=_path, metavar="DIR", help="With --only: write figures into this folder.")
    ] = None,
    audit: Annotated[bool, typer.Option("--audit", help="With --only: balance momentum and energy.")] = False,
    as_json: Json = False,
) -> None:
    """Run a mission many times with varied inputs; ends with 0 if enough runs pass, with 1 if not."""
    from cardan import studies  # takes a while to import

    plan = studies.read_plan(what) if what.endswith(".toml") else studies.ready_plan(what)
    mission = find_mission(plan.mission)
    varied = dict(_pair(text, "--disperse") for text in disperse or [])
    given: dict[str, Any] = {
        "disperse": varied if disperse or table else None,
        "limits": None if limits is None else dict(plan.limits) | dict(_pair(text, "--limit") for text in limits),
        "set": None if settings is None else dict(plan.set) | dict(_setting(text, mission) for text in settings),
        "table": None if table is None else str(table),
        "runs": runs, "seed": seed, "design": design, "until": until, "dynamics": dynamics,
        "integrator": integrator, "timeout": timeout, "keep": keep, "require": require,
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    if table is not None and runs is None and not what.endswith(".toml"):
        given["runs"] = None
    plan = replace(plan, **given)
    words = sys.argv[2:] if sys.argv[1:2] == ["study"] else [what]
    repeat = studies.command_line([*_without(words, "--only", "--into", "--report", "--processes"), "--only", "{run}"])
    if only is not None:
        _show_one(plan.study(repeat).run_one(only), mission, save, plot, audit, as_json)
        return
    for option, value in (("--save", save), ("--plot", plot), ("--audit", audit or None)):
        if value is not None:
            raise SettingError(f"`{option}` is for one run.\n  Add `--only RUN`.")
    folder = into or Path(f"{plan.name or mission.name}-study")
    where = studies.Where(folder, resume, processes, threads, scheduler, report, progress=not as_json)
    try:
        results = studies.run_plan(plan, where, repeat)
    except KeyboardInterrupt:
        print(f"interrupted; what is done is in {folder}: go on with `--resume`", file=sys.stderr)
        sys.exit(INTERRUPTED)
    if as_json:
        _print_json(studies.as_json(results, plan.require))
    else:
        print(results)
        summed = studies.sum_up(results, mission, folder)
        if summed:
            print(f"\n{summed}\n")
        print(f"  wrote {folder}/table.csv, {report or folder / 'report.html'}")
    sys.exit(0 if studies.is_enough(results, plan.require) else FAILED)


def _show_one(one: Any, mission: Mission, save: Path | None, plot: Path | None, audit: bool, as_json: bool) -> None:
    """One run of a study."""
    from cardan import studies

    written = []
    if one.log is not None:
        if plot is not None:
            _make_folder(plot)
        written = _write(one.log, mission, save, plot)
    if as_json:
        _print_json(studies.one_as_json(one) | {"files": [str(path) for path in written]})
    else:
        print(one)
        for path in written:
            print(f"  wrote {path}")
    if audit and one.error is None:
        print(one.simulation.audit())
    sys.exit(0 if one.passed else FAILED)


def _pair(text: str, option: str) -> tuple[str, str]:
    """Name and value of `name=value`."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise SettingError(f"`{option} {_short(text)}` has no value.\n  Write `{option} NAME=VALUE`.")
    return name.strip(), value.strip()


def _without(words: list[str], *options: str) -> list[str]:
    """A command line without some options and their values."""
    found, skip = [], False
    for word in words:
        name, equals, _ = word.partition("=")
        if skip or name in options or word in ("--json", "--resume"):
            skip = not skip and name in options and not equals
            continue
        found.append(word)
    return found


def _compared(found: Comparison, is_agreed: bool) -> dict[str, Any]:
    return {
        "agree": is_agreed,
        "times": {
            "compared": len(found.t),
            "only_in_first": found.times_only_in_first,
            "only_in_second": found.times_only_in_second,
        },
        "only_in_first": list(found.only_in_first),
        "only_in_second": list(found.only_in_second),
        "unlike": [changed._asdict() for changed in found.unlike],
        "fields": {path: field._asdict() for path, field in found.fields.items()},
        "about": [changed._asdict() for changed in found.about],
    }


def main() -> None:
    """Run the command line; errors of Cardan and of the system are shown as text, without a traceback."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # where letters cannot be shown, their numbers are
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except (UnknownName, SettingError, PeriodError, IntegratorError) as error:
        _fail(error, USAGE)
    except CardanError as error:
        _fail(error, FAILED)
    except OSError as error:
        sys.stdout = io.StringIO()  # what it still holds cannot be written: do not try again at the end
        if isinstance(error, BrokenPipeError):
            sys.exit(FAILED)  # whoever reads has seen enough
        _fail(error, FAILED)


def _fail(error: Exception, code: int) -> NoReturn:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(code)


def _end(until: float) -> float:
    """[s] When a run ends that begins at zero."""
    if nanoseconds(until, "`--until`") < 0:
        raise PeriodError(f"`--until` is {until!r} s.\n  A run begins at 0 s; use a time that is not before.")
    return until


def _make_folder(plot: Path) -> None:
    check_plotting()
    try:
        plot.mkdir(parents=True, exist_ok=True)
        check_writable(plot / "figure.png")
    except OSError as error:
        raise SettingError(f"`--plot {plot}`: the folder cannot be made: {error.strerror}.") from None


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
        except (ShapeError, NotFinite, ImpossibleValue) as error:
            raise SettingError(f"`--set {_short(text)}`: {error}") from None
    return scenario, mission.integrator_for(options)


def _setting(setting: str, mission: Mission) -> tuple[str, Any]:
    """Name and value of one `name=value`; the value of an option that is a text needs no quotes."""
    path, equals, text = setting.partition("=")
    if not equals:
        raise SettingError(f"`--set {_short(setting)}` has no value.\n  Write `--set part.parameter=value`.")
    if isinstance(mission.defaults().get(path.strip()), str):
        return path.strip(), text.strip()
    try:
        value = json.loads(text, parse_int=_integer)
        is_read = _depth(value) <= _DEEPEST
    except (json.JSONDecodeError, RecursionError):
        is_read = False
    if not is_read:
        raise SettingError(
            f"`--set {_short(setting)}`: `{_short(text)}` is not a number, a list or true/false.\n"
            "  Write e.g. `ctl.K=5.0` or `ctl.inertia_B=[[900,0,0],[0,800,0],[0,0,600]]`."
        )
    return path.strip(), value


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LARGEST_INTEGER else float(digits)


def _depth(value: Any) -> int:
    """How many lists or tables lie within each other, up to one more than is of interest."""
    depth, inner = 0, [value]
    while depth <= _DEEPEST:
        inner = [
            element
            for outer in inner
            if isinstance(outer, list | dict)
            for element in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not inner:
            break
        depth += 1
    return depth


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def _write(log: Log, mission: Mission, save: Path | None, plot: Path | None) -> list[Path]:
    """The files that were asked for."""
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


def _show(mission: Mission, simulation: Simulation, log: Log, wall: float, written: list[Path], as_json: bool) -> None:
    results = mission.results(log)
    if as_json:
        _print_json(
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


def _rows(results: list[Result]) -> Iterator[str]:
    """Names, values and units in columns; a note where there is no number."""
    name_width = max(len(result.name) for result in results)
    values = [("" if result.value is None else f"{result.value:.6g}") for result in results]
    value_width = max(map(len, values))
    for result, value in zip(results, values, strict=True):
        note = f" ({result.note})" if result.note else ""
        said = result.note if result.value is None else f"{value:{value_width}}  {result.unit}{note}"
        yield f"{result.name:{name_width}}  {said}".rstrip()


def _as_json(result: Result) -> dict[str, Any]:
    return {"value": result.value, "unit": result.unit} | ({"note": result.note} if result.note else {})


def _print_json(value: Any) -> None:
    print(json.dumps(_finite(value), indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    """`value` with null for numbers that JSON does not have; `<name>_note` then says what `<name>` was."""
    if isinstance(value, dict):
        result = {}
        for name, inner in value.items():
            result[name] = _finite(inner)
            lost = list(_not_finite(inner))
            if lost:
                more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
                result[f"{name}_note"] = ", ".join(lost[:3]) + more
        return result
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _not_finite(value: Any, place: str = "") -> Iterator[str]:
    """`nan`, or `nan at [2][0]` within lists."""
    if isinstance(value, list | tuple):
        for i, inner in enumerate(value):
            yield from _not_finite(inner, f"{place}[{i}]")
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{value} at {place}" if place else str(value)


if __name__ == "__main__":
    main()
