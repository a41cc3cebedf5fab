"""Recordings that go to a file while a run goes on, and are read from there."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cardan.errors import LogFileError, SettingError
from cardan.files import in_bytes, no_room, not_written, written_whole
from cardan.simulation.log import Log
from cardan.simulation.log_file import check_log_path, is_netcdf_name
from cardan.simulation.log_netcdf import NetcdfStream, open_netcdf
from cardan.simulation.record import Group, Samples, recorded_fields

_CHUNK = 1 << 23  # [bytes] of samples that wait in memory until they are written, for each group
_SPARE = 1 << 22  # [bytes] of the disk for what the file says beside its samples


class StreamedSamples(Samples):
    """Samples of which a few lie in memory and all others in a file.

    The file has another name while it is written, as every file of Cardan. It is completed and sealed however the run
    ends. Before samples are written, there is room for these, for all that still wait in memory, and for the end of
    the file: where a disk becomes full, the run ends and the file is complete.

    Args:
        groups: What is sampled together.
        begin: [ns] The first instant that may be sampled.
        end: [ns] The last one.
        path: Where the log goes.
        about: What made it.
    """

    def __init__(self, groups: Sequence[Group], begin: int, end: int, path: Path, about: dict[str, Any]) -> None:
        super().__init__(groups, begin, end)
        self._groups, self._path = groups, path
        self._count = 0
        none = super().log(groups, about)
        self._axes = [*none.axes]
        rows = {axis: len(buffer) for axis, buffer in zip(self._axes, self._buffers, strict=True)}
        with ExitStack() as files:
            try:
                self._unfinished = files.enter_context(written_whole(path))
                self._file = NetcdfStream(self._unfinished, none, rows)
            except (OSError, RuntimeError) as error:
                raise LogFileError(not_written("The log", path, error)) from error
            self._files = files.pop_all()

    def grow(self) -> None:
        """Write what lies in full buffers, and use them again."""
        for g in self._full():
            self._check_room(g)
            self._write(g)

    def log(self, groups: Sequence[Group], about: dict[str, Any]) -> Log:
        """Write the rest, seal the file, and return the log in it."""
        self.finish()
        return open_netcdf(self._path)

    def finish(self) -> None:
        """Write the rest, and seal the file."""
        try:
            with self._files:  # gives the file its name, or removes it after an error
                for g in range(len(self._groups)):
                    self._write(g)
                self._file.close()
        except (OSError, RuntimeError) as error:
            raise LogFileError(not_written("The log", self._path, error)) from error

    def _first_size(self, period: int, words: int, begin: int, end: int) -> int:
        return min(_CHUNK, 8 * words * ((end - begin) // period + 2)) if period > 0 else _CHUNK

    def _write(self, g: int) -> None:
        rows = self._rest(g)
        if len(rows):
            t, fields = recorded_fields(self._groups[g].places, [rows])
            self._file.append(self._axes[g], t.whole(), fields)
            self._count += len(rows)
            self._point(g)

    def _check_room(self, g: int) -> None:
        needed = self._buffers[g].nbytes + sum(buffer.nbytes for buffer in self._buffers) + _SPARE
        refusal = no_room(self._unfinished, needed)
        if refusal is not None:
            # all that waits in memory goes to the file yet
            count = self._count + sum(len(self._rest(g)) for g in range(len(self._groups)))
            raise LogFileError(
                f"There is no room for more than {count} samples in {self._path}: {refusal.strerror}.\n"
                f"  They are kept there. To go on, {in_bytes(needed)} must be free. "
                "Make room and let the run go on with another file, or record less."
            ) from refusal


def check_stream(path: Path) -> None:
    """Raise what there is to say against streaming to `path`, before a run."""
    if not is_netcdf_name(path):
        raise SettingError(
            f"A run cannot stream to {path}: only netCDF is written while a run goes on.\n"
            "  Use a name that ends in .nc; `load_log(path).save(...)` writes other formats then."
        )
    check_log_path(path)
