"""The folder of a study: its definition, a shard for every few runs, logs that are kept, the table.

A shard is written whole or not at all, ends with a digest, and never changes, so finished runs survive a crash.
`table.csv` grows with the runs, in their order, and is rebuilt from the shards when a study resumes.

| file | has |
|---|---|
| `definition.json` | all that results follow from |
| `shards/<first>-<last>.npz` | some runs: what they were given, what came out |
| `logs/run-<number>.nc` | the log of a run |
| `table.csv` | a row for each run |
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import CardanError, SettingError
from cardan.files import not_written, read_sealed, seal, written_whole
from cardan.studies.blocks import Block, joined, packed, unpacked
from cardan.studies.definition import differences, fingerprint

_SHARD = re.compile(r"(\d+)-(\d+)\.npz")
_MOST_DIFFERENCES = 8


class StudyError(CardanError, OSError):
    """A folder of a study that cannot be used as it is."""


class StudyFolder:
    """Where the results of a study go.

    Args:
        path: The folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    # ---- beginning -----------------------------------------------------------------------------------------------

    def begin(self, described: dict[str, Any], about: Mapping[str, Any], *, resume: bool) -> None:
        """Make the folder, or go on in it if it has the same study.

        Args:
            described: All that results follow from.
            about: What else those who read the folder want to know: units, limits.
            resume: Whether it may have results already.
        """
        known = self.read_definition() if self._definition.exists() else None
        if known is not None and not resume:
            raise StudyError(
                f"{self.path} has a study already, with {self.count_done()} runs.\n"
                "  Go on with it by `--resume` (`resume=True`), or give another folder."
            )
        if known is not None:
            found = list(differences(known["definition"], described))
            if found:
                more = f"\n    and {len(found) - _MOST_DIFFERENCES} more" if len(found) > _MOST_DIFFERENCES else ""
                lines = "\n    ".join(found[:_MOST_DIFFERENCES])
                raise StudyError(
                    f"{self.path} has another study, so this one cannot go on in it. What differs:\n    {lines}{more}\n"
                    "  Give another folder, or define the study as it was."
                )
        content = {"definition": described, "fingerprint": fingerprint(described), "about": about}
        try:
            (self.path / "shards").mkdir(parents=True, exist_ok=True)
            with written_whole(self._definition) as unfinished:
                unfinished.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise StudyError(not_written("The study", self._definition, error)) from error

    @property
    def _definition(self) -> Path:
        return self.path / "definition.json"

    def read_definition(self) -> dict[str, Any]:
        try:
            content: dict[str, Any] = json.loads(self._definition.read_text(encoding="utf-8"))
            if fingerprint(content["definition"]) != content["fingerprint"]:
                raise ValueError("its contents are not those that its fingerprint was made of")
        except FileNotFoundError:
            raise StudyError(f"{self.path} has no study: there is no definition.json in it.") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StudyError(
                f"{self._definition} is damaged: {error}.\n"
                "  Run the study into another folder, and move the files in `shards` there; then go on by `--resume`."
            ) from None
        return content

    # ---- shards --------------------------------------------------------------------------------------------------

    def add(self, block: Block) -> None:
        """Write some runs."""
        first, last = int(block.runs[0]), int(block.runs[-1])
        path = self.path / "shards" / f"{first:07}-{last:07}.npz"
        try:
            for run, log in block.logs.items():
                (self.path / "logs").mkdir(exist_ok=True)
                with written_whole(self.log_path(run)) as unfinished:
                    unfinished.write_bytes(log)
            with written_whole(path) as unfinished:
                unfinished.write_bytes(packed(block, {}))
                seal(unfinished)
        except OSError as error:
            raise StudyError(
                f"{not_written('A shard', path, error)}\n  All runs before it are kept: go on by `--resume`."
            ) from error

    def log_path(self, run: int) -> Path:
        return self.path / "logs" / f"run-{run:07}.nc"

    def shards(self) -> list[Path]:
        """The files, in the order of their first runs."""
        folder = self.path / "shards"
        return sorted(path for path in folder.glob("*.npz") if _SHARD.fullmatch(path.name)) if folder.exists() else []

    def read(self, path: Path, *, with_traces: bool = True) -> Block:
        """The runs in a shard."""
        advice = "\n  Delete it, and repeat its runs by `--resume`."
        try:
            content = read_sealed(path, "shard", StudyError, advice)
            return unpacked(content, with_traces=with_traces)[0]
        except (StudyError, ValueError, KeyError, EOFError) as error:
            matched = _SHARD.fullmatch(path.name)
            assert matched is not None
            told = str(error).partition("\n")[0]
            raise StudyError(
                f"{told}\n"
                f"  Delete it and go on by `--resume`: runs {int(matched[1])} to {int(matched[2])} are repeated."
            ) from None

    def blocks(self, *, with_traces: bool = False) -> Iterator[Block]:
        """All shards, one after another."""
        for path in self.shards():
            yield self.read(path, with_traces=with_traces)

    def done(self) -> np.ndarray:
        """The numbers of the runs that are there."""
        found = [block.runs for block in self.blocks()]
        return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)

    def count_done(self) -> int:
        ranges = [_SHARD.fullmatch(path.name) for path in self.shards()]
        return sum(int(found[2]) - int(found[1]) + 1 for found in ranges if found is not None)

    def whole(self) -> Block:
        """All runs, without curves."""
        blocks = list(self.blocks())
        if not blocks:
            raise StudyError(f"{self.path} has no runs yet.\n  Run the study first.")
        return joined(blocks)


class TableWriter:
    """Writes `table.csv` in the order of runs, as far as these are there without a gap.

    Args:
        path: The file.
        units: The unit of each scalar.
        input_units: The unit of each input.
        passed: Which runs of a block pass.
    """

    def __init__(self, path: Path, units: Mapping[str, str], input_units: Mapping[str, str], passed: Any) -> None:
        self._path = path
        self._units, self._input_units, self._passed = units, input_units, passed
        self._next = 0
        self._waiting: dict[int, Block] = {}
        self._has_header = False

    def add(self, block: Block) -> None:
        """Take some runs, and write all that follow without a gap."""
        self._waiting[int(block.runs[0])] = block._replace(traces={}, logs={})
        try:
            with self._path.open("a" if self._has_header else "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                if not self._has_header:
                    writer.writerow(header(block, self._units, self._input_units))
                    self._has_header = True
                while self._next in self._waiting:
                    ready = self._waiting.pop(self._next)
                    writer.writerows(lines(ready, self._passed(ready)))
                    self._next = int(ready.runs[-1]) + 1
        except OSError as error:
            raise StudyError(
                f"{not_written('The table', self._path, error)}\n  All finished runs are kept: go on by `--resume`."
            ) from error


def header(block: Block, units: Mapping[str, str], input_units: Mapping[str, str]) -> list[str]:
    """The names of all columns, with their units."""
    names = [
        f"{name} [{input_units[path]}]" if input_units.get(path) else name
        for path, values in block.inputs.items()
        for name in element_names(path, values.shape[1:])
    ]
    return ["run", *names, "seed", *(f"{name} [{units[name]}]" for name in block.scalars), "passed", "status", "error"]


def lines(block: Block, passed: np.ndarray) -> Iterator[Sequence[Any]]:
    """A row for each run; numbers are written such that they read back to the same bits."""
    columns: list[Any] = [block.runs.tolist()]
    for values in block.inputs.values():
        flat = values.reshape(len(values), -1)
        columns += [flat[:, i].tolist() for i in range(flat.shape[1])]
    columns.append(block.seeds.tolist())
    columns += [["" if np.isnan(v) else v for v in values.tolist()] for values in block.scalars.values()]
    columns += [passed.astype(int).tolist(), block.status.tolist(), block.error.tolist()]
    return zip(*columns, strict=True)


def element_names(path: str, shape: tuple[int, ...]) -> list[str]:
    """`path`, or one name for each element of an array: `path[0]`, `path[0,1]`."""
    if not shape:
        return [path]
    return [f"{path}[{','.join(map(str, index))}]" for index in np.ndindex(*shape)]


def check_folder(path: Any) -> None:
    if not isinstance(path, str | Path) or not str(path):
        raise SettingError(f"folder = {path!r}.\n  Give the path of a folder.")
