"""Compiled code on disk: each generated module in a folder of its own, named by the key of its content.

Entries lie there as object files, functions for Python to call as machine code of Numba's. A module is built in a
private folder, sealed with the digests of all its files, and then renamed into place, so that another process sees all
of it or nothing. Nothing is read from a folder whose seal is broken, no Python is executed from it, no pickle is read.
"""

import hashlib
import logging
import os
import shutil
import sys
import threading
import types
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from cardan.native import numba_code
from cardan.native.cache_folder import BUILDING, cache_folders
from cardan.native.compiling import jit_enabled
from cardan.native.machine_code import load

logger = logging.getLogger("cardan")


Namespace = Callable[[], dict[str, Any]]

_one_at_a_time = threading.RLock()  # a module must be whole before another thread finds it
_addresses: dict[str, int] = {}
_functions: dict[str, Any] = {}
_NUMBAS = "numba"  # how files end that have what Numba has compiled to the end


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
    return key in _addresses or _kept(key) is not None


def remove_unfinished(pid: int) -> None:
    """Delete what a process has left behind that ended while it was compiling."""
    for building in cache_folders().new.glob(f"{BUILDING}-{pid}-*"):
        shutil.rmtree(building, ignore_errors=True)


def load_function(
    name: str,
    key: str,
    source: str,
    make_namespace: Namespace,
    compiled: Callable[[Any], tuple[Any, bytes | None]],
    from_code: Callable[[Any, bytes], Any],
) -> Any:
    """The function `call` of the module with this source, compiled for Python to call.

    Args:
        name: A readable name for the file.
        key: The fingerprint of the content.
        source: The text of the module, in which `call` is a Python function.
        make_namespace: Gives what the text refers to without importing it; called only if it has to be compiled.
        compiled: Compiles the Python function; gives what can be called, and the code to keep, or None.
        from_code: Makes what can be called of the Python function and the code that was kept.
    """

    def build(folder: Path) -> Any:
        function, code = compiled(_write_and_execute(key, folder / f"{name}.py", source, make_namespace).call)
        if code is not None:
            (folder / f"{name}.{_NUMBAS}").write_bytes(code)
        return function

    def read(folder: Path) -> Any:
        file = folder / f"{name}.{_NUMBAS}"
        if not file.exists():
            return compiled(_execute(key, folder / f"{name}.py", source, make_namespace).call)[0]
        return from_code(_execute(key, folder / f"{name}.py", source, dict).call, file.read_bytes())

    with _one_at_a_time, jit_enabled():
        if key not in _functions:
            _functions[key] = _from_disk(key, read, build)
        return _functions[key]


def load_entry(
    name: str,
    key: str,
    source: str,
    make_namespace: Namespace,
    code_of: Callable[[Any, str], bytes | None],
    by_numba: Callable[[Any], Any],
) -> int:
    """The address of the function `entry` of the module with this source.

    On disk it is an object file; where `code_of` gives none, what Numba has made of it.

    Args:
        name: A readable name for the file.
        key: The fingerprint of the content.
        source: The text of the module, in which `entry` is a Python function.
        make_namespace: Gives what the text refers to without importing it; called only if the entry is not on disk.
        code_of: Makes, of the function and the name that its code is to have, an object file, or None.
        by_numba: Has Numba compile the function to the end: its callback.
    """
    symbol = f"entry_{key}"

    def read(folder: Path) -> int:
        ours, numbas = folder / f"{name}.o", folder / f"{name}.{_NUMBAS}"
        if ours.exists():
            return load(ours.read_bytes(), symbol)
        if numbas.exists():
            return numba_code.loaded(numbas.read_bytes()).address
        return int(by_numba(_execute(key, folder / f"{name}.py", source, make_namespace).entry).address)

    def build(folder: Path) -> int:
        entry = _write_and_execute(key, folder / f"{name}.py", source, make_namespace).entry
        code = code_of(entry, symbol)
        if code is not None:
            (folder / f"{name}.o").write_bytes(code)
            return load(code, symbol)
        compiled = by_numba(entry)
        code = numba_code.kept(compiled._library, compiled.native_name)
        if code is not None:
            (folder / f"{name}.{_NUMBAS}").write_bytes(code)
        return int(compiled.address)

    with _one_at_a_time, jit_enabled():
        if key not in _addresses:
            _addresses[key] = _from_disk(key, read, build)
        return _addresses[key]


def _from_disk(key: str, read: Callable[[Path], Any], build: Callable[[Path], Any]) -> Any:
    """What `read` finds in the folder of this key, or else what `build` puts there."""
    kept = _kept(key)
    if kept is not None:
        try:
            check_seal(kept)
            return read(kept)
        except Exception as error:
            # the folder was damaged from outside: build it anew
            logger.warning("compiled code in %s cannot be used (%s); building it again", kept, error)
            shutil.rmtree(kept, ignore_errors=True)

    new = cache_folders().new
    building = new / f"{BUILDING}-{os.getpid()}-{uuid.uuid4().hex}"
    building.mkdir(parents=True)
    try:
        built = build(building)
        seal(building)
        with suppress(OSError):  # another process was first, or nothing can be kept: what was built serves this one
            building.rename(new / key[:32])
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return built


def _kept(key: str) -> Path | None:
    """The folder of this key, if there is one."""
    for folder in cache_folders().all:
        if (folder / key[:32]).exists():
            return folder / key[:32]
    return None


SEAL = "seal"  # the file with the digests of all others


def seal(folder: Path) -> None:
    """Write down what every file of a folder contains."""
    (folder / SEAL).write_text(_digests(folder), encoding="utf-8")


def check_seal(folder: Path) -> None:
    """Raise unless every file is as it was sealed: damaged code may end the process, or give other numbers."""
    if (folder / SEAL).read_text(encoding="utf-8") != _digests(folder):
        raise ValueError("a file is damaged, missing or new")


def _digests(folder: Path) -> str:
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file != folder / SEAL)
    return "".join(f"{hashlib.sha256(f.read_bytes()).hexdigest()} {f.relative_to(folder).as_posix()}\n" for f in files)


def _module_name(key: str) -> str:
    return f"cardan_native_{key}"


def _write_and_execute(key: str, path: Path, source: str, make_namespace: Namespace) -> types.ModuleType:
    path.write_text(source, encoding="utf-8")
    return _execute(key, path, source, make_namespace)


def _execute(key: str, path: Path, source: str, make_namespace: Namespace) -> types.ModuleType:
    """The module that `source` makes; `path` has its text too, for readers."""
    module = types.ModuleType(_module_name(key))
    module.__dict__.update(make_namespace())
    module.__file__ = str(path)
    sys.modules[_module_name(key)] = module  # Numba looks a function's module up by its name
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[_module_name(key)]
        raise
    return module
