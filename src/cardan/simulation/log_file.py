"""Logs on disk, in the format that the name of the file asks for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from cardan.errors import LogFileError, SettingError
from cardan.files import check_writable, written_whole
from cardan.simulation.log import Log
from cardan.simulation.log_csv import write_csv, write_csv_metadata
from cardan.simulation.log_matlab import scipy_io, write_matlab
from cardan.simulation.log_netcdf import read_netcdf, write_netcdf
from cardan.simulation.log_parquet import pyarrow, write_parquet


class Format(NamedTuple):
    """How logs are written.

    Attributes:
        title: What the format is called.
        write: Writes a log to a new file.
        reader: What reads such a file; "" where `load_log` does.
        needs: Imports the optional package that it needs, or raises MissingExtra.
        explain: Writes what the format itself has no place for to a second file, `<name>-metadata.json`.
    """

    title: str
    write: Callable[[Log, Path], None]
    reader: str = ""
    needs: Callable[[], Any] | None = None
    explain: Callable[[Log, Path, str], None] | None = None


_NETCDF = Format("netCDF", write_netcdf)
FORMATS = {
    ".nc": _NETCDF,
    ".nc4": _NETCDF,
    ".csv": Format("comma-separated values", write_csv, "pandas.read_csv", explain=write_csv_metadata),
    ".mat": Format("MATLAB", write_matlab, "MATLAB or scipy.io.loadmat", scipy_io),
    ".parquet": Format("Parquet", write_parquet, "pandas.read_parquet", pyarrow),
}


def check_log_path(path: str | Path) -> None:
    """Raise what `Log.save` would raise for this path, before there is a log."""
    path = Path(path)
    chosen = _format(path)
    if chosen.needs is not None:
        chosen.needs()
    try:
        check_writable(path)
    except OSError as error:
        raise _not_written(path, error) from error


def save_log(log: Log, path: str | Path) -> Path:
    """Write `log` to `path`, whole or not at all, in the format of its suffix."""
    path = Path(path)
    chosen = _format(path)
    try:
        if chosen.explain is not None:
            # first, so that a table is never without what explains it
            with written_whole(path.with_name(f"{path.name}-metadata.json")) as unfinished:
                chosen.explain(log, unfinished, path.name)
        with written_whole(path) as unfinished:
            chosen.write(log, unfinished)
    except (OSError, RuntimeError) as error:
        if isinstance(error, LogFileError):
            raise
        raise _not_written(path, error) from error
    return path


def load_log(path: str | Path) -> Log:
    """Read a log that `Log.save` has written as netCDF."""
    path = Path(path)
    if not path.exists():
        raise LogFileError(f"There is no file {path}.")
    try:
        return read_netcdf(path)
    except LogFileError:
        raise
    except (OSError, RuntimeError, IndexError, KeyError, ValueError, AttributeError) as error:
        other = FORMATS.get(path.suffix.lower(), _NETCDF)
        if other is not _NETCDF:
            raise LogFileError(
                f"{path} is not a netCDF file, and logs are loaded from no other.\n"
                f"  Read it with {other.reader}, or save the log as .nc as well."
            ) from error
        raise LogFileError(f"{path} is not a log of Cardan, or only a part of one: {_reason(error)}.") from error


def _format(path: Path) -> Format:
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        ends = f"ends in `{suffix}`" if suffix else "has no suffix"
        known = ", ".join(f"{known} ({chosen.title})" for known, chosen in FORMATS.items())
        raise SettingError(
            f"A log cannot be written to {path}: the name {ends}, which says no format.\n  These do: {known}."
        )
    return FORMATS[suffix]


def _not_written(path: Path, error: Exception) -> LogFileError:
    return LogFileError(f"The log cannot be written to {path}: {_reason(error)}.")


def _reason(error: Exception) -> Any:
    return getattr(error, "strerror", None) or error
