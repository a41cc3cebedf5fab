"""The program `cardan`: its commands, and how it ends."""

import io
import sys

import typer

from cardan.cli.logs import compare, view_file
from cardan.cli.missions import info, list_missions, run
from cardan.cli.study import study
from cardan.cli.words import FAILED, USAGE, fail
from cardan.errors import CardanError, IntegratorError, PeriodError, SettingError, UnknownName

app = typer.Typer(
    name="cardan",
    help="Simulate articulated spacecraft.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("list")(list_missions)
app.command()(info)
app.command()(run)
app.command("view")(view_file)
app.command()(study)
app.command()(compare)


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
        fail(error, USAGE)
    except CardanError as error:
        fail(error, FAILED)
    except OSError as error:
        sys.stdout = io.StringIO()  # what it still holds cannot be written: do not try again at the end
        if isinstance(error, BrokenPipeError):
            sys.exit(FAILED)  # whoever reads has seen enough
        fail(error, FAILED)
