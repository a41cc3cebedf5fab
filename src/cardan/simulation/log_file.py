"""Logs on disk, in the format that the name of the file asks for."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from cardan.errors import LogFileError, SettingError
from cardan.files import check_writable, not_written, written_whole
from cardan.simulation.log import Log
from cardan.simulation.log_csv import write_csv, write_csv_metadata
from cardan.simulation.log_matlab import write_matlab
from cardan.simulation.log_netcdf import is_netcdf, netcdf, read_netcdf, write_netcdf
from cardan.simulation.log_parquet import pyarrow, write_parquet


class Format(NamedTuple):
    """How logs are written.

    Attributes:
        title: What the format is called.
        write: Writes a log to a new file.
        reader: What reads such a file; "" where `load_log` does.
        needs: Imports the package that it needs, or raises MissingExtra.
        explain: Writes what the format itself has no place for to a second file, `<name>-metadata.json`.
    """

    title: str
    write: Callable[[Log, Path], None]
    reader: str = ""
    needs: Callable[[], Any] | None = None
    explain: Callable[[Log, Path, str], None] | None = None


_NETCDF = Format("netCDF", write_netcdf, needs=netcdf)
FORMATS = {
    ".nc": _NETCDF,
    ".nc4": _NETCDF,
    ".csv": Format("comma-separated values", write_csv, "pandas.read_csv", explain=write_csv_metadata),
    ".mat": Format("MATLAB", write_matlab, "MATLAB or scipy.io.loadmat"),
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
        if chosen.explain is not None:
            check_writable(_explanation(path))
    except OSError as error:
        raise LogFileError(not_written("The log", path, error)) from error


def is_netcdf_name(path: Path) -> bool:
    """Whether the name of a file says netCDF."""
    return FORMATS.get(path.suffix.lower()) is _NETCDF


def save_log(log: Log, path: str | Path) -> Path:
    """Write `log` to `path`, whole or not at all, in the format of its suffix."""
    path = Path(path)
    chosen = _format(path)
    try:
        with ExitStack() as files:
            table = files.enter_context(written_whole(path))
            if chosen.explain is not None:
                # takes its place before the table does, which is so never without what explains it
                chosen.explain(log, files.enter_context(written_whole(_explanation(path))), path.name)
            chosen.write(log, table)
    except (OSError, RuntimeError) as error:
        size = sum(field.nbytes for field in (log.time, *log.fields()))
        raise LogFileError(not_written("The log", path, error, size)) from error
    return path


def load_log(path: str | Path) -> Log:
    """Read a log that `Log.save` has written as netCDF.

    A file that is not as it was written is refused before anything is read from it.
    """
    path = Path(path)
    try:
        return read_netcdf(path)
    except LogFileError as error:
        other = FORMATS.get(path.suffix.lower(), _NETCDF)
        if other is not _NETCDF and path.is_file() and not is_netcdf(path):
            raise LogFileError(
                f"{path} is not a netCDF file, and logs are loaded from no other.\n"
                f"  Read it with {other.reader}, or save the log as .nc as well."
            ) from error
        raise
    except (OSError, RuntimeError, IndexError, KeyError, ValueError, AttributeError) as error:
        raise LogFileError(f"{path} is not a log of Cardan: {getattr(error, 'strerror', None) or error}.") from error


def _explanation(path: Path) -> Path:
    return path.with_name(f"{path.name}-metadata.json")


def _format(path: Path) -> Format:
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        ends = f"ends in `{suffix}`" if suffix else "has no suffix"
        known = ", ".join(f"{known} ({chosen.title})" for known, chosen in FORMATS.items())
        raise SettingError(
            f"A log cannot be written to {path}: the name {ends}, which says no format.\n  These do: {known}."
        )
    return FORMATS[suffix]
