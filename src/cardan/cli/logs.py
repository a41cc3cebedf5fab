"""`cardan view` and `cardan compare`: saved logs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from cardan.cli.words import FAILED, USAGE, Json, a_path, fail, print_json
from cardan.errors import LogFileError
from cardan.simulation import load_log

if TYPE_CHECKING:
    from cardan.simulation import Comparison, Times


def view_file(
    file: Annotated[Path, typer.Argument(parser=a_path, metavar="FILE.nc", help="A saved log.")],
    ghost: Annotated[
        Path | None, typer.Option(parser=a_path, metavar="OTHER.nc", help="A second log, drawn half transparent.")
    ] = None,
    follow: Annotated[str | None, typer.Option(metavar="BODY", help="The body at the centre of the scene.")] = None,
    speed: Annotated[float | None, typer.Option(metavar="X", help="Simulated seconds per second, 0.1 to 1000.")] = None,
    plots: Annotated[
        list[str] | None, typer.Option("--plot", metavar="PATH", help="A field to plot beside it.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(parser=a_path, metavar="FILE.html", help="Write a page that plays offline instead."),
    ] = None,
    port: Annotated[int | None, typer.Option(metavar="N", help="Where to listen; a free port by default.")] = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Any other than 127.0.0.1 lets others connect.")
    ] = "127.0.0.1",
) -> None:
    """Show a saved log in a browser."""
    other = None if ghost is None else load_log(ghost)
    log = load_log(file)
    if html is not None:
        print(f"wrote {log.save_html(html, follow=follow, speed=speed, ghost=other)}")
        return
    log.view(follow=follow, speed=speed, ghost=other, plots=plots or (), port=port, host=host).wait()


def compare(
    first: Annotated[Path, typer.Argument(parser=a_path, metavar="FIRST.nc", help="A saved log.")],
    second: Annotated[Path, typer.Argument(parser=a_path, metavar="SECOND.nc", help="Another one.")],
    tolerance: Annotated[
        float, typer.Option(metavar="X", help="Tolerated difference, relative to the largest value of the field.")
    ] = 0.0,
    absolute: Annotated[float, typer.Option(metavar="X", help="Tolerated difference, in the unit of the field.")] = 0.0,
    times: Annotated[
        str, typer.Option(metavar="same|common|interpolated", help="Whether both must have the same times.")
    ] = "same",
    as_json: Json = False,
) -> None:
    """Compare two saved logs; exits with 0 if they agree, with 1 if they do not."""
    try:
        found = load_log(first).compare(load_log(second), times=cast("Times", times))
    except LogFileError as error:
        fail(error, USAGE)  # 1 is an answer here
    is_agreed = found.agree(tolerance, absolute=absolute)
    if as_json:
        print_json(_compared(found, is_agreed))
    else:
        print(found)
        print("the logs agree" if is_agreed else "the logs differ")
    sys.exit(0 if is_agreed else FAILED)


def _compared(found: "Comparison", is_agreed: bool) -> dict[str, Any]:
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
