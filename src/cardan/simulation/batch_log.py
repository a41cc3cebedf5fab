"""`BatchLog`: what the members of a batch recorded, with a `run` dimension."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cardan.errors import ShapeError, UnknownName
from cardan.simulation.log import Log
from cardan.simulation.log_netcdf import read_netcdf

if TYPE_CHECKING:
    import xarray


class LogInFile(NamedTuple):
    """A log that is read when it is asked for, so that any number of them take no memory and no open files."""

    path: Path


class BatchLog(Sequence[Log]):
    """The logs of the members of a batch; `log[17]` is that of member 17, `log["ctl.torque"].torque_B` is (N, n, 3).

    Logs that lie in files, by `Batch.run(stream=...)`, stay there: `log[17]` opens one, and values of all members are
    read from one after the other.

    A member that failed has recorded less than the others: where values of all are asked for, nan takes the place of
    what it lacks.
    """

    def __init__(self, logs: Sequence[Log | LogInFile]) -> None:
        self._logs = tuple(logs)

    def __len__(self) -> int:
        return len(self._logs)

    def __repr__(self) -> str:
        return f"<logs of {len(self)} members>"

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int | np.integer):
            if not -len(self) <= key < len(self):
                raise UnknownName(f"There is no member {key}.\n  Members are numbered from 0 to {len(self) - 1}.")
            return _opened(self._logs[key])
        if isinstance(key, slice):
            return BatchLog(self._logs[key])
        return PortOfBatch(self, str(key))

    def __iter__(self) -> Iterator[Log]:
        return (_opened(log) for log in self._logs)

    @property
    def t(self) -> np.ndarray:
        """(n,) [s] Times of the samples, which all members share, as far as they have come; as in `Log.t`."""
        return self._shared([log.t for log in self])

    def times(self, path: str) -> np.ndarray:
        """(n,) [s] Times of the samples of a port."""
        return self._shared([log[path].t for log in self])

    def _shared(self, times: list[np.ndarray]) -> np.ndarray:
        longest = max(times, key=len)
        if any(not np.array_equal(t, longest[: len(t)]) for t in times):
            raise ShapeError(
                "The members of this batch have recorded at different times.\n"
                "  Record at fixed times, `Record(every=...)`, or look at one member, `log[0]`."
            )
        return longest

    def stacked(self, path: str, field: str) -> np.ndarray:
        """(N, n, ...) The samples of a field."""
        count = len(self.times(path))
        values = [np.asarray(getattr(log[path], field)) for log in self]
        if all(len(value) == count for value in values):
            return np.stack(values)
        found = np.full((len(values), count, *values[0].shape[1:]), np.nan)
        for row, value in zip(found, values, strict=True):
            row[: len(value)] = value
        return found

    def view(self, **options: Any) -> Any:
        """Show all members in a page, with a picker (extra `view`); options as for `cardan.viewer.BatchReplay`."""
        from cardan.viewer import view_batch

        return view_batch(self, **options)

    def to_xarray(self) -> "xarray.Dataset":
        """All samples as a Dataset with the dimensions `run` and `time` (and `time_2` ... as in `Log`).

        Where members have recorded at different times, the times of all are there, and nan where one has no sample.
        """
        import xarray

        datasets = [log.to_xarray() for log in self]
        return xarray.concat(datasets, dim="run", join="outer", combine_attrs="drop_conflicts")


def _opened(log: Log | LogInFile) -> Log:
    return read_netcdf(log.path) if isinstance(log, LogInFile) else log


class PortOfBatch:
    """One recorded port of all members; its fields are attributes, (N, n, ...)."""

    def __init__(self, log: BatchLog, path: str) -> None:
        self._log = log
        self._path = path
        log[0][path]  # says what is wrong with the path

    @property
    def t(self) -> np.ndarray:
        """(n,) [s] Times of the samples."""
        return self._log.times(self._path)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._log.stacked(self._path, name)
