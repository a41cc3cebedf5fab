"""The data files that Cardan ships, checked against the digests of what was put into them."""

import hashlib
import json
import zipfile
import zlib
from functools import cache
from pathlib import Path

import numpy as np

from cardan.errors import DamagedData

FOLDER = Path(__file__).parent / "data"


def content_digest(arrays: dict[str, np.ndarray]) -> str:
    """SHA-256 of names, shapes, kinds and numbers; unlike that of a file it is the same for every zip library."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


@cache
def load_data(name: str, folder: Path = FOLDER) -> dict[str, np.ndarray]:
    """The arrays of a data file.

    Raises:
        DamagedData: It is missing, cannot be read, or has other contents than were put into it.
    """
    path = folder / name
    try:
        expected = json.loads((folder / "MANIFEST.json").read_text())[name]["content"]
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise DamagedData(
            f"The data file `{path}` cannot be read ({type(error).__name__}).\n  Install Cardan again."
        ) from error
    if content_digest(arrays) != expected:
        raise DamagedData(f"The data file `{path}` has other contents than it was made with.\n  Install Cardan again.")
    for array in arrays.values():
        array.flags.writeable = False
    return arrays
