"""Compiled code on disk: each generated module in a folder of its own, named by the key of its content.

A module is built in a private folder and then renamed into place, so that another process sees all of it or nothing.
Where no lasting folder can be written, a temporary one serves for the life of the process.
"""

import atexit
import logging
import os
import shutil
import sys
import tempfile
import types
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

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


def load_module(name: str, key: str, source: str, make_namespace: Callable[[], dict[str, Any]]) -> types.ModuleType:
    """The module with this source, from disk where an earlier process has compiled it.

    Args:
        name: A readable name for the file.
        key: The fingerprint of the content.
        source: The text of the module.
        make_namespace: Gives what the text refers to without importing it; called only if the module is not loaded yet.
    """
    module_name = f"cardan_native_{key}"
    if module_name in sys.modules:
        return sys.modules[module_name]

    namespace = make_namespace()
    final = cache_folder() / key[:32]
    if final.exists():
        try:
            return _execute(module_name, final / f"{name}.py", namespace)
        except Exception as error:
            # the folder was damaged from outside: build it anew
            logger.warning("compiled code in %s cannot be used (%s); building it again", final, error)
            shutil.rmtree(final, ignore_errors=True)

    building = cache_folder() / f"building-{uuid.uuid4().hex}"
    building.mkdir(parents=True)
    try:
        (building / f"{name}.py").write_text(source, encoding="utf-8")
        module = _execute(module_name, building / f"{name}.py", namespace)
        building.rename(final)
    except OSError:
        # another process was first; its result is the same
        if not final.exists():
            raise
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return module


def _execute(module_name: str, path: Path, namespace: dict[str, Any]) -> types.ModuleType:
    module = types.ModuleType(module_name)
    module.__file__ = str(path)
    module.__dict__.update(namespace)
    sys.modules[module_name] = module  # numba looks a cached function's module up by its name
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module
