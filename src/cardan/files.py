"""Files that are written whole or not at all, and that say whether they are as they were written."""

import errno
import hashlib
import io
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

# after all else in a file, where neither netCDF nor zip looks
_SEAL = b"\ncardan sha256 "
SEAL_SIZE = len(_SEAL) + 2 * hashlib.sha256().digest_size + 1  # [bytes]

_NO_ROOM = (errno.ENOSPC, errno.EFBIG, *([errno.EDQUOT] if hasattr(errno, "EDQUOT") else []))
_PROBE = 1 << 24  # [bytes]


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
    except BaseException:
        # a library that failed may hold the file open, and with it all that it takes of the disk
        with suppress(OSError):
            os.truncate(unfinished, 0)
        with suppress(OSError):
            unfinished.unlink()
        raise


def check_writable(path: str | Path) -> None:
    """Raise the OSError that a file cannot be written to `path` for, before the work that is to go there is done."""
    unfinished = _beside(_target(path))
    unfinished.touch(exist_ok=False)
    unfinished.unlink()


# ---- what the system says ------------------------------------------------------------------------------------------


def refusal_to_grow(path: Path) -> OSError | None:
    """What the system says if a file is to be larger, where the library that writes it does not tell; None if nothing.

    The file is of no use afterwards.
    """
    try:
        with path.open("ab") as file:
            for _ in range(_PROBE // io.DEFAULT_BUFFER_SIZE):
                file.write(bytes(io.DEFAULT_BUFFER_SIZE))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error
    return None


def no_room(path: Path, size: int) -> OSError | None:
    """What the system would say if a file grew by `size` [bytes]; None where there is room, as far as it tells."""
    if shutil.disk_usage(path.parent).free < size:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    if sys.platform != "win32":
        import resource

        largest = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        if largest != resource.RLIM_INFINITY and path.stat().st_size + size > largest:
            return OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return None


def not_written(what: str, path: Path, error: Exception, size: int | None = None) -> str:
    """The text of an error: why `what` could not be written to `path`, and what would help.

    Args:
        what: E.g. "The log".
        path: Where it was to go.
        error: What was raised.
        size: [bytes] How much there is of it, if that is known.
    """
    code = getattr(error, "errno", None)
    if code not in _NO_ROOM:
        return f"{what} cannot be written to {path}: {getattr(error, 'strerror', None) or error}."
    folder = Path(os.path.realpath(path)).parent
    has = "" if size is None else f"It has {in_bytes(size)} of numbers; "
    free = in_bytes(shutil.disk_usage(folder).free)
    return (
        f"{what} cannot be written to {path}: {os.strerror(code)}.\n"
        f"  {has}{free} are free in {folder}. Make room, or save it elsewhere."
    )


def in_bytes(size: int) -> str:
    """`1.25 GB`."""
    number, unit = float(size), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if number < 1000.0:
            break
        number, unit = number / 1000.0, larger
    return f"{number:.4g} {unit}"


# ---- seals ---------------------------------------------------------------------------------------------------------


def seal(path: Path, *, is_reserved: bool = False) -> None:
    """End a file with the digest of all that is before; with `is_reserved` in place of its last SEAL_SIZE bytes."""
    with path.open("rb+") as file:
        if is_reserved:
            file.seek(-SEAL_SIZE, os.SEEK_END)
            file.truncate()
            file.seek(0)
        digest = hashlib.file_digest(file, "sha256")
        file.write(_seal(digest.hexdigest()))


def read_sealed(path: Path, kind: str, refusal: type[Exception], advice: str = "") -> memoryview:
    """The contents of a file that ends with a seal, once they have proved to be those that were sealed.

    Takes a time that grows with the size of the file alone. Whoever parses the contents then reads what was written.

    Args:
        path: The file.
        kind: What it should be, e.g. "log", for the errors.
        refusal: Their class.
        advice: What to do with a file that has no seal.
    """
    content: memoryview = _opened(path, kind, refusal, advice, lambda file: memoryview(file.read()))
    before = content[: max(0, len(content) - SEAL_SIZE)]
    _check_seal(path, content[len(before) :], hashlib.sha256(before).hexdigest(), refusal)
    return content


def check_sealed(path: Path, kind: str, refusal: type[Exception], advice: str = "") -> None:
    """Raise what `read_sealed` would raise, without holding the file in memory. It must not change from then on."""

    def digest(file: BinaryIO) -> tuple[bytes, str]:
        found, left = hashlib.sha256(), path.stat().st_size - SEAL_SIZE
        while left > 0 and (part := file.read(min(left, _PROBE))):
            found.update(part)
            left -= len(part)
        return file.read(), found.hexdigest()

    found, made = _opened(path, kind, refusal, advice, digest)
    _check_seal(path, found, made, refusal)


def _opened(path: Path, kind: str, refusal: type[Exception], advice: str, read: Callable[[BinaryIO], Any]) -> Any:
    """What `read` makes of a file that ends with a seal, right or not."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise refusal(f"{path} is not a file.\n  Give the path of a {kind}.")
        with path.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - SEAL_SIZE))
            if file.read(len(_SEAL)) != _SEAL:
                raise refusal(
                    f"{path} is not a {kind} of Cardan, or only a part of one: it does not end with a digest.\n"
                    f"  Another program has written or changed it, or it was cut short.{advice}"
                )
            file.seek(0)
            return read(file)
    except FileNotFoundError:
        raise refusal(f"There is no file {path}.") from None
    except (OSError, ValueError) as error:
        if isinstance(error, refusal):
            raise
        raise refusal(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _check_seal(path: Path, found: bytes | memoryview, digest: str, refusal: type[Exception]) -> None:
    if found != _seal(digest):
        raise refusal(
            f"{path} is damaged: its contents are not those that the digest at its end was made of.\n"
            "  Copy it again from where it came from, or repeat the run."
        )


def _seal(digest: str) -> bytes:
    return _SEAL + digest.encode() + b"\n"


# ---- details -------------------------------------------------------------------------------------------------------


def _target(path: str | Path) -> Path:
    """Where `path` leads: a link stays, and what it points to is written."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "a path has no character 0", str(path))
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
