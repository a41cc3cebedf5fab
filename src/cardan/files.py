"""Files that are written whole or not at all."""

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """A path to write to, which becomes `path` when the block ends; after an error `path` is as it was before.

    What is written lies in the same folder under a name that no other process or thread uses, is brought to the disk,
    and then takes the place of `path` in one step. Someone who reads meanwhile has the old file or the new one.

    Raises:
        OSError: It cannot be written there.
    """
    target = _target(path)
    unfinished = _beside(target)
    try:
        unfinished.touch(exist_ok=False)
        yield unfinished
        _bring_to_disk(unfinished)
        if target.exists():
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
        _bring_folder_to_disk(target.parent)
    finally:
        with suppress(OSError):
            unfinished.unlink()


def check_writable(path: str | Path) -> None:
    """Raise the OSError that a file cannot be written to `path` for, before the work that is to go there is done."""
    unfinished = _beside(_target(path))
    unfinished.touch(exist_ok=False)
    unfinished.unlink()


def _target(path: str | Path) -> Path:
    """Where `path` leads: a link stays, and what it points to is written."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return target


def _beside(target: Path) -> Path:
    # of one length whatever the target is called, so that a name that fits the file system stays one that fits
    return target.with_name(f".cardan-{os.getpid()}-{secrets.token_hex(4)}.part")


def _bring_to_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _bring_folder_to_disk(folder: Path) -> None:
    """The new name as well; where a folder cannot be opened, as on Windows, the system does it in its own time."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
