"""`Snapshot`: all that changes during a run, as one value."""

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cardan.errors import SnapshotError
from cardan.files import SEAL_SIZE, not_written, read_sealed, seal, written_whole
from cardan.scenario.clock import seconds
from cardan.simulation import core

_FORMAT = 1
_BEGINS = b"PK\x03\x04"  # as a zip file does


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The complete state of a run at one time. Copies of it go on to the same bits, in any process.

    Attributes:
        scenario: The name of the scenario it belongs to.
        fingerprint: Of the scenario's layout.
        words: The memory.
    """

    scenario: str
    fingerprint: str
    words: np.ndarray

    @property
    def t(self) -> float:
        """[s] The time it was taken at."""
        return seconds(int(self.words.view(np.int64)[core.NOW]))

    def save(self, path: str | Path) -> Path:
        """Write the snapshot to a file (NumPy's .npz, no pickle), whole or not at all."""
        path = Path(path)
        about = json.dumps({"format": _FORMAT, "scenario": self.scenario, "fingerprint": self.fingerprint})
        try:
            with written_whole(path) as unfinished:
                with unfinished.open("wb") as file:
                    np.savez(file, words=self.words, about=np.array(about))
                # the digest is the comment that a zip file may end with
                with zipfile.ZipFile(unfinished, "a") as archive:
                    archive.comment = bytes(SEAL_SIZE)
                seal(unfinished, is_reserved=True)
        except OSError as error:
            raise SnapshotError(not_written("The snapshot", path, error, self.words.nbytes)) from error
        return path

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Snapshot)
            and self.fingerprint == other.fingerprint
            and np.array_equal(self.words.view(np.int64), other.words.view(np.int64))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<snapshot of {self.scenario} at t = {self.t:g} s>"


def forget(words: np.ndarray) -> None:
    """Let a run that goes on from `words` rely on nothing that was evaluated before it, with other parameters maybe.

    What is evaluated again gives the same bits where everything is the same. A snapshot has nothing to be forgotten.
    """
    ints = words.view(np.int64)
    if ints[core.FSAL_VALID] == core.KNOWN:
        ints[core.FSAL_VALID] = core.FORGOTTEN
    words[core.STAGE_TIME] = -1.0
    ints[core.IS_SETTLED] = 0
    ints[core.IS_HELD] = 0
    ints[core.FAIL_STATUS : core.FAIL_TIME + 1] = 0


def load_snapshot(path: str | Path) -> Snapshot:
    """Read a snapshot that `Snapshot.save` has written.

    A file that is not as it was written is refused before anything is read from it.
    """
    path = Path(path)
    content = read_sealed(path, "snapshot", SnapshotError)
    if content[: len(_BEGINS)] != _BEGINS:
        raise SnapshotError(f"{path} is of Cardan, but not a snapshot.\n  Read a log with `cardan.load_log(path)`.")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            words = np.array(file["words"], dtype=np.float64)
        if about["format"] > _FORMAT:
            raise SnapshotError(f"{path} was written by a newer Cardan.\n  Update to read it.")
        words.flags.writeable = False
        return Snapshot(about["scenario"], about["fingerprint"], words)
    except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, SnapshotError):
            raise
        raise SnapshotError(f"{path} is not a snapshot of Cardan: {error}.") from error
