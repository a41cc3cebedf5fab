"""Recordings of a batch that go to files while it runs: a folder, with a log in it for each member."""

from pathlib import Path

from cardan.errors import LogFileError, SettingError, shown
from cardan.files import not_written
from cardan.simulation.batch_log import BatchLog, LogInFile
from cardan.simulation.log_file import check_log_path

_DIGITS = 6


def member_file(folder: Path, member: int) -> Path:
    """The file with the log of a member."""
    return folder / f"{member:0{_DIGITS}}.nc"


def new_folder(stream: str | Path) -> Path:
    """A folder for the logs of members, made if it is not there."""
    if not isinstance(stream, str | Path):
        raise SettingError(f'stream={shown(stream)}.\n  Use the name of a folder, e.g. `stream="runs"`.')
    folder = Path(stream)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise LogFileError(not_written("The logs of a batch", folder, error)) from error
    if not is_empty:
        raise LogFileError(
            f"The logs of a batch cannot go to {folder}: there are files in it.\n"
            "  Give a folder that is empty, or that is not there yet."
        )
    check_log_path(member_file(folder, 0))
    return folder


def load_logs(folder: str | Path) -> BatchLog:
    """The logs that `Batch.run(stream=folder)` has written; each is read when it is asked for."""
    folder = Path(folder)
    files = sorted(folder.glob("*.nc"), key=lambda file: (len(file.stem), file.stem))
    if not files:
        raise LogFileError(f"There are no logs of a batch in {folder}.\n  `load_log(path)` reads a single log.")
    expected = [member_file(folder, member) for member in range(len(files))]
    missing = next((member for member, file in enumerate(expected) if file not in files), None)
    if missing is not None:
        raise LogFileError(
            f"The logs of a batch in {folder} are not complete: there is none of member {missing}.\n"
            "  Read those that are there one by one, `load_log(path)`."
        )
    return BatchLog([LogInFile(file) for file in expected])
