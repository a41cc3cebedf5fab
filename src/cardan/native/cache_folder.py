"""Where compiled code is kept, and whether that place can be trusted (docs/concepts/native-core.md#the-cache-on-disk).

Code that lies there runs in this process. So nobody else may be able to write there: the folder belongs to this user or
to root, neither its group nor others may write to it, and nobody may put another in its place.
"""

import atexit
import logging
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cardan.errors import UntrustedCache

logger = logging.getLogger("cardan")

BUILDING = "building"  # how folders begin in which something is being built
_ABANDONED = 3600.0  # [s] how old the folder of a process is that is gone


class CacheFolders(NamedTuple):
    """Where code is looked for and where it is put.

    Attributes:
        kept: The lasting folder, or None; it may be one that can only be read.
        new: Where new code goes: the lasting folder, or one for the life of this process.
    """

    kept: Path | None
    new: Path

    @property
    def all(self) -> list[Path]:
        return [self.new] if self.kept in (None, self.new) else [self.kept, self.new]


@cache
def cache_folders() -> CacheFolders:
    """`CARDAN_CACHE_DIR`, else the user's cache folder; what cannot be written there goes to a temporary folder."""
    chosen = _chosen()
    try:
        chosen.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        logger.info("cannot keep compiled code in %s: %s", chosen, error)
    kept = chosen if chosen.is_dir() else None
    if kept is not None:
        check_trusted(kept)
        try:
            with tempfile.TemporaryFile(dir=kept):
                remove_abandoned(kept)
                return CacheFolders(kept, kept)
        except OSError as error:
            logger.info("compiled code in %s can only be read: %s", kept, error)
    new = Path(tempfile.mkdtemp(prefix="cardan-"))
    atexit.register(shutil.rmtree, new, ignore_errors=True)
    if kept is None:
        logger.warning(
            "no folder for compiled code can be written; compiling again in every process (see CARDAN_CACHE_DIR)"
        )
    return CacheFolders(kept, new)


def _chosen() -> Path:
    chosen = os.environ.get("CARDAN_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser().absolute()
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser().absolute() / "cardan"


def check_trusted(folder: Path) -> None:
    """Raise unless nobody but this user and root can put code into `folder`; only POSIX can tell."""
    if os.name != "posix":
        return
    resolved = folder.resolve()
    found = resolved.stat()
    if found.st_uid not in (os.geteuid(), 0):
        _refuse(folder, f"belongs to another user (number {found.st_uid})", "Use a folder of your own")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        _refuse(folder, f"can be written by others (mode {stat.S_IMODE(found.st_mode):o})", f"Run `chmod 700 {folder}`")
    for above in resolved.parents:
        found = above.stat()
        # in a folder with the sticky bit, such as /tmp, nobody can rename what belongs to somebody else
        is_open = found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX
        if is_open or found.st_uid not in (os.geteuid(), 0):
            _refuse(folder, f"can be replaced by others, who may write to {above}", "Use a folder of your own")


def _refuse(folder: Path, what: str, instead: str) -> None:
    raise UntrustedCache(
        f"The folder for compiled code, {folder}, {what}.\n"
        "  What lies there runs with your rights.\n"
        f"  {instead}, or set CARDAN_CACHE_DIR to a folder that only you can write to."
    )


def remove_abandoned(folder: Path) -> None:
    """Delete what processes have left behind that were killed while they compiled."""
    for building in folder.glob(f"{BUILDING}-*"):
        with suppress(OSError, ValueError, IndexError):
            pid = int(building.name.split("-")[1])
            if time.time() - building.stat().st_mtime > _ABANDONED and not _is_running(pid):
                shutil.rmtree(building, ignore_errors=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it belongs to somebody else
        return True
    return True
