"""Compiled code on disk: each generated module in a folder of its own, named by the key of its content.

Entries lie there as object files, functions for Python to call as Numba keeps them. A module is built in a private
folder and then renamed into place, so that another process sees all of it or nothing. Where no lasting folder can be
written, a temporary one serves for the life of the process.
"""

import atexit
import hashlib
import logging
import os
import shutil
import sys
import tempfile
import threading
import types
import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from cardan.native.compiling import jit_enabled
from cardan.native.machine_code import load

logger = logging.getLogger("cardan")


@cache
def cache_folder() -> Path:
    """Where compiled code is kept: `CARDAN_CACHE_DIR`, else the user's cache folder, else a temporary one."""
    for candidate in _candidates():
        try:
            candidate.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=candidate):
                return candidate
        except OSError as error:
            logger.info("cannot keep compiled code in %s: %s", candidate, error)
    folder = Path(tempfile.mkdtemp(prefix="cardan-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    logger.warning(
        "no folder for compiled code can be written; compiling again in every process (see CARDAN_CACHE_DIR)"
    )
    return folder


def _candidates() -> list[Path]:
    chosen = os.environ.get("CARDAN_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return [Path(home).expanduser() / "cardan"]


Namespace = Callable[[], dict[str, Any]]

_one_at_a_time = threading.RLock()  # a module must be whole before another thread finds it
_addresses: dict[str, int] = {}


def _pause() -> None:
    """Let no thread be in the middle of compiling: in a copy of this process it would never come to an end."""
    _one_at_a_time.acquire()
    global_compiler_lock.acquire()


def _go_on() -> None:
    global_compiler_lock.release()
    _one_at_a_time.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_pause, after_in_parent=_go_on, after_in_child=_go_on)


def is_kept(key: str) -> bool:
    """Whether what has this key was loaded already, or lies on disk."""
    return key in _addresses or _folder(key).exists()


def remove_unfinished(pid: int) -> None:
    """Delete what a process has left behind that ended while it was compiling."""
    for building in cache_folder().glob(f"building-{pid}-*"):
        shutil.rmtree(building, ignore_errors=True)


def load_module(name: str, key: str, source: str, make_namespace: Namespace) -> types.ModuleType:
    """The module with this source, from disk where an earlier process has compiled it.

    Args:
        name: A readable name for the file.
        key: The fingerprint of the content.
        source: The text of the module.
        make_namespace: Gives what the text refers to without importing it; called only if the module is not loaded yet.
    """
    with _one_at_a_time, jit_enabled():
        return sys.modules.get(_module_name(key)) or _from_disk(
            key,
            lambda folder: _execute(key, folder / f"{name}.py", make_namespace),
            lambda folder: _write_and_execute(key, folder / f"{name}.py", source, make_namespace),
        )


def load_entry(
    name: str,
    key: str,
    source: str,
    make_namespace: Namespace,
    code_of: Callable[[Any, str], bytes | None],
    address_of: Callable[[Any], int],
) -> int:
    """The address of the function `entry` of the module with this source.

    On disk it is an object file, or what Numba keeps where `code_of` gives none.

    Args:
        name: A readable name for the file.
        key: The fingerprint of the content.
        source: The text of the module, in which `entry` is a Python function.
        make_namespace: Gives what the text refers to without importing it; called only if the entry is not on disk.
        code_of: Makes, of the function and the name that its code is to have, an object file, or None.
        address_of: Has Numba compile the function, keep it beside its source, and say where its code begins.
    """
    symbol = f"entry_{key}"

    def read(folder: Path) -> int:
        file = folder / f"{name}.o"
        if not file.exists():
            return address_of(_execute(key, folder / f"{name}.py", make_namespace).entry)
        return load(_unsealed(file.read_bytes()), symbol)

    def build(folder: Path) -> int:
        entry = _write_and_execute(key, folder / f"{name}.py", source, make_namespace).entry
        code = code_of(entry, symbol)
        if code is None:
            return address_of(entry)
        shutil.rmtree(folder / "__pycache__", ignore_errors=True)
        (folder / f"{name}.o").write_bytes(_sealed(code))
        return load(code, symbol)

    with _one_at_a_time, jit_enabled():
        if key not in _addresses:
            _addresses[key] = _from_disk(key, read, build)
        return _addresses[key]


def _sealed(code: bytes) -> bytes:
    """Code with its digest before it, because LLVM may end the process on code that is damaged."""
    return hashlib.sha256(code).digest() + code


def _unsealed(content: bytes) -> bytes:
    code = content[hashlib.sha256().digest_size :]
    if _sealed(code) != content:
        raise ValueError("the file is damaged")
    return code


def _from_disk(key: str, read: Callable[[Path], Any], build: Callable[[Path], Any]) -> Any:
    """What `read` finds in the folder of this key, or else what `build` puts there."""
    final = _folder(key)
    if final.exists():
        try:
            return read(final)
        except Exception as error:
            # the folder was damaged from outside: build it anew
            logger.warning("compiled code in %s cannot be used (%s); building it again", final, error)
            shutil.rmtree(final, ignore_errors=True)

    building = cache_folder() / f"building-{os.getpid()}-{uuid.uuid4().hex}"
    building.mkdir(parents=True)
    try:
        built = build(building)
        with suppress(OSError):  # another process was first, or nothing can be kept: what was built serves this one
            building.rename(final)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return built


def _folder(key: str) -> Path:
    return cache_folder() / key[:32]


def _module_name(key: str) -> str:
    return f"cardan_native_{key}"


def _write_and_execute(key: str, path: Path, source: str, make_namespace: Namespace) -> types.ModuleType:
    path.write_text(source, encoding="utf-8")
    return _execute(key, path, make_namespace)


def _execute(key: str, path: Path, make_namespace: Namespace) -> types.ModuleType:
    module = types.ModuleType(_module_name(key))
    module.__dict__.update(make_namespace())
    module.__file__ = str(path)
    sys.modules[_module_name(key)] = module  # numba looks a cached function's module up by its name
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[_module_name(key)]
        raise
    return module
