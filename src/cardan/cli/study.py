"""`cardan study`: many runs of a mission."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardan.cli.results import make_folder, write_files
from cardan.cli.settings import pair, setting
from cardan.cli.words import FAILED, INTERRUPTED, Json, a_path, print_json
from cardan.errors import SettingError

if TYPE_CHECKING:  # takes a while to import
    from cardan.missions import Mission


def study(
    what: Annotated[str, typer.Argument(metavar="NAME|FILE.toml", help="A mission, or a study file.")],
    disperse: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=HOW",
            help='E.g. ctl.K="normal(5%)"; may be repeated. Replaces those of the mission.',
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
        Path | None, typer.Option(parser=a_path, metavar="FILE.csv", help="What runs are given, a row each.")
    ] = None,
    until: Annotated[float | None, typer.Option(metavar="S", help="How long a run is, in seconds.")] = None,
    dynamics: Annotated[str | None, typer.Option(metavar="NAME", help="The dynamics service.")] = None,
    integrator: Annotated[str | None, typer.Option(metavar="NAME[:ARG=VALUE,...]", help="The integrator.")] = None,
    timeout: Annotated[
        float | None, typer.Option(metavar="S", help="Wall time in seconds after which a run fails.")
    ] = None,
    keep: Annotated[str | None, typer.Option(metavar="none|failed|all", help="Whose logs are kept.")] = None,
    require: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Share of runs that must pass; 1 by default.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option(parser=a_path, metavar="DIR", help="Folder for results; NAME-study by default.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume the study in the folder.")] = False,
    processes: Annotated[int | None, typer.Option(metavar="N", help="Run on N processes instead of threads.")] = None,
    threads: Annotated[int | None, typer.Option(metavar="N", help="Run on N threads; all cores by default.")] = None,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Run on a Dask cluster.")] = None,
    report: Annotated[
        Path | None, typer.Option(parser=a_path, metavar="FILE.html", help="The report; in the folder by default.")
    ] = None,
    only: Annotated[int | None, typer.Option(metavar="RUN", help="Repeat one run alone, with full recording.")] = None,
    save: Annotated[Path | None, typer.Option(parser=a_path, metavar="FILE", help="With --only: save the log.")] = None,
    plot: Annotated[
        Path | None, typer.Option(parser=a_path, metavar="DIR", help="With --only: write figures into this folder.")
    ] = None,
    audit: Annotated[bool, typer.Option("--audit", help="With --only: balance momentum and energy.")] = False,
    view: Annotated[bool, typer.Option("--view", help="With --only: show the run in a browser.")] = False,
    as_json: Json = False,
) -> None:
    """Run a mission many times with varied inputs; exits with 0 if enough runs pass, with 1 if not."""
    from cardan import studies
    from cardan.missions import find_mission

    plan = studies.read_plan(what) if what.endswith(".toml") else studies.ready_plan(what)
    mission = find_mission(plan.mission)
    varied = dict(pair(text, "--disperse") for text in disperse or [])
    given: dict[str, Any] = {
        "disperse": varied if disperse or table else None,
        "limits": None if limits is None else dict(plan.limits) | dict(pair(text, "--limit") for text in limits),
        "set": None if settings is None else dict(plan.set) | dict(setting(text, mission) for text in settings),
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
        if view:
            from cardan.viewer import check_viewing

            check_viewing()
        one = plan.study(repeat).run_one(only)
        _show_one(one, mission, save, plot, audit, as_json)
        if view and one.log is not None:
            one.log.view().wait()
        sys.exit(0 if one.passed else FAILED)
    for option, value in (("--save", save), ("--plot", plot), ("--audit", audit or None), ("--view", view or None)):
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
        print_json(studies.as_json(results, plan.require))
    else:
        print(results)
        summed = studies.sum_up(results, mission, folder)
        if summed:
            print(f"\n{summed}\n")
        print(f"  wrote {folder}/table.csv, {report or folder / 'report.html'}")
    sys.exit(0 if studies.is_enough(results, plan.require) else FAILED)


def _show_one(one: Any, mission: "Mission", save: Path | None, plot: Path | None, audit: bool, as_json: bool) -> None:
    """One run of a study."""
    from cardan import studies

    written = []
    if one.log is not None:
        if plot is not None:
            make_folder(plot)
        written = write_files(one.log, mission, save, plot)
    found = one.simulation.audit() if audit and one.error is None else None
    if as_json:
        balance = {} if found is None else {"audit": [row._asdict() for row in found.rows]}
        print_json(studies.one_as_json(one) | {"files": [str(path) for path in written]} | balance)
        return
    print(one)
    for path in written:
        print(f"  wrote {path}")
    if found is not None:
        print(found)


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
