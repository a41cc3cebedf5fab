"""`cardan list`, `cardan info` and `cardan run`: the missions."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from cardan.cli.results import make_folder, show, write_files
from cardan.cli.settings import prepared
from cardan.cli.words import INTERRUPTED, Json, Name, a_path, print_json
from cardan.errors import PeriodError, SettingError
from cardan.simulation import Log, check_log_path, is_netcdf_name, load_log

if TYPE_CHECKING:  # takes a while to import: functions do it that need it
    from cardan.missions import Mission
    from cardan.simulation import Simulation

LARGEST_IN_MEMORY = 1_000_000_000  # [bytes] of a recording that is saved when the run has ended
_LARGEST_SHOWN = 36  # numbers of an array that `info` writes out


def list_missions(as_json: Json = False) -> None:
    """The missions that can be run."""
    from cardan.missions import MISSIONS

    if as_json:
        print_json([{"name": mission.name, "title": mission.title} for mission in MISSIONS.values()])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("mission", no_wrap=True)
    table.add_column("what it shows")
    for mission in MISSIONS.values():
        table.add_row(mission.name, mission.title)
    Console().print(table)


def info(
    name: Name,
    as_json: Json = False,
    draw: Annotated[
        Path | None, typer.Option(parser=a_path, metavar="FILE.svg", help="Also draw the block diagram.")
    ] = None,
) -> None:
    """What a mission is made of: parts, connections, and parameters that `run --set` can change."""
    from cardan.missions import find_mission, service_name
    from cardan.scenario import description

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
        print_json(head | about)
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


def run(
    name: Name,
    dynamics: Annotated[
        str | None, typer.Option(metavar="NAME", help="The dynamics service for the mechanism.")
    ] = None,
    integrator: Annotated[
        str | None, typer.Option(metavar="NAME[:ARG=VALUE,...]", help="E.g. rk4:step=0.05 or dop853:rtol=1e-10.")
    ] = None,
    until: Annotated[float | None, typer.Option(metavar="S", help="How long to run, in seconds.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a parameter or an option; may be repeated."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(parser=a_path, metavar="FILE", help="Save the log: FILE.nc, .csv, .mat or .parquet."),
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Write FILE.nc during the run; always done above 1 GB.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(parser=a_path, metavar="DIR", help="Write figures into this folder.")
    ] = None,
    view: Annotated[bool, typer.Option("--view", help="Show the run in a browser when it ends.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(parser=a_path, metavar="FILE.html", help="Write a page that plays the run offline."),
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Run in a page: pause, step, change parameters.")] = False,
    pace: Annotated[
        float | None, typer.Option(metavar="X", help="Simulated seconds per second of `--live`; 1 by default.")
    ] = None,
    repeated: Annotated[
        Path | None,
        typer.Option(
            "--repeat", parser=a_path, metavar="FILE.nc", help="Replay the changes made by hand in a live run."
        ),
    ] = None,
    no_jit: Annotated[bool, typer.Option("--no-jit", help="Run every part as plain Python.")] = False,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of all random numbers.")] = None,
    as_json: Json = False,
) -> None:
    """Run a mission and show its result."""
    from cardan.faults import strike_after
    from cardan.missions import find_mission
    from cardan.simulation import Simulation, check_stream, read_integrator
    from cardan.viewer import check_html_path, check_pace, check_viewing, repeat

    mission = find_mission(name)
    end = mission.until if until is None else _end(until)
    # what cannot be written is said before the run, not after it
    if save is not None:
        (check_stream if stream else check_log_path)(save)
    elif stream:
        raise SettingError("`--stream` says how a log is saved, and nothing says where.\n  Add `--save FILE.nc`.")
    if plot is not None:
        make_folder(plot)
    if html is not None:
        check_html_path(html)
    if view or live or html is not None:
        check_viewing()
    check_pace(pace)
    if live and (stream or repeated is not None):
        raise SettingError("`--live` goes neither with `--stream` nor with `--repeat`.\n  Leave out one of them.")
    past = None if repeated is None else load_log(repeated)
    service = mission.service(dynamics)
    scenario, usual = prepared(mission, settings or [])
    if (view or live or html is not None) and scenario.mechanism is None:
        raise SettingError(f"`{mission.name}` has no mechanism, so there is nothing to view.\n  Use `--plot DIR`.")
    for fault, onset in strike_after(scenario, end).items():
        print(f"the fault `{fault}` strikes at {onset:g} s, and the run ends at {end:g} s", file=sys.stderr)
    if seed is not None:
        scenario.seed = seed
    chosen = read_integrator(integrator) if integrator else usual
    simulation = Simulation(scenario, dynamics=service, integrator=chosen, jit=not no_jit)
    simulation.compile(mission.record)
    started = time.perf_counter()
    if save is not None and is_netcdf_name(save):
        stream = stream or simulation.recording_size(end, mission.record) > LARGEST_IN_MEMORY
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
            write_files(simulation.log, mission, None if stream else save, plot)
        if not isinstance(error, KeyboardInterrupt):
            raise
        print("interrupted; what was recorded until then is kept", file=sys.stderr)
        sys.exit(INTERRUPTED)
    wall = time.perf_counter() - started
    written = [save] if stream and save is not None else []
    written += write_files(log, mission, None if stream else save, plot)
    if html is not None:
        written.append(log.save_html(html))
    show(mission, simulation, log, wall, written, as_json)
    if view:
        log.view().wait()


def _run_live(simulation: "Simulation", mission: "Mission", end: float, pace: float) -> Log:
    """Run in a page, which stays until Ctrl-C."""
    with simulation.view(pace=pace, record=mission.record) as page:
        log: Log = page.run(until=end)
        if simulation.now >= end:
            print("the run has ended; Ctrl-C closes the page", file=sys.stderr)
            page.wait()
    return log


def _end(until: float) -> float:
    """[s] When a run ends that begins at zero."""
    from cardan.scenario import nanoseconds

    if nanoseconds(until, "`--until`") < 0:
        raise PeriodError(f"`--until` is {until!r} s.\n  A run begins at 0 s; use a time that is not before.")
    return until
