"""Files of policies and of trainings: arrays with a description, whole or not at all, with a digest."""

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import CardanError

_ABOUT = "about"


def write_arrays(path: str | Path, kind: str, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Path:
    """Write arrays and what they are to an `*.npz` file, which is replaced as a whole or stays as it was."""
    target = Path(path)
    if target.suffix != ".npz":
        target = target.with_name(target.name + ".npz")
    plain = {name: np.asarray(array) for name, array in arrays.items()}
    told = {"kind": kind, "about": dict(about), "digest": _digest(plain)}
    held = io.BytesIO()
    np.savez(held, **{_ABOUT: np.frombuffer(json.dumps(told).encode(), np.uint8)}, **plain)  # type: ignore[arg-type]
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    partial.write_bytes(held.getvalue())
    partial.replace(target)
    return target


def read_arrays(
    path: str | Path, kind: str, wrong: type[CardanError], what: str
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What a file is about, and its arrays.

    Args:
        path: The file.
        kind: What it must say that it is.
        wrong: What is raised if it is something else, or damaged.
        what: The same in a word.
    """
    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        told = json.loads(arrays.pop(_ABOUT).tobytes())
        found, about, digest = told["kind"], told["about"], told["digest"]
    except FileNotFoundError:
        raise wrong(f"There is no file {path}.") from None
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile, EOFError) as error:
        raise wrong(f"{path} holds no {what}, or is damaged: {error}\n  Use another copy of it.") from None
    if found != kind:
        raise wrong(
            f"{path} is a file of `{found}`, expected `{kind}`.\n  It belongs to something else, or to another version."
        )
    if digest != _digest(arrays):
        raise wrong(f"{path} is damaged: its numbers are not those that were written.\n  Use another copy of it.")
    return about, arrays


def _digest(arrays: Mapping[str, np.ndarray]) -> str:
    made = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        made.update(f"{name} {array.dtype.str} {array.shape}".encode())
        made.update(array.tobytes())
    return made.hexdigest()
