"""Logs as netCDF: one variable `<part>.<port>.<field>` with its unit and frame. The format that is read back.

The digest that every file of Cardan ends with lies behind what netCDF looks at, so that other programs read the file
as any other. `load_log` checks it before it lets the library parse anything: HDF5 has no digest of its own over its
tables, reads other numbers where they are damaged, and may not return.
"""

import json
import threading
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import LogFileError
from cardan.files import check_sealed, read_sealed, refusal_to_grow, seal
from cardan.simulation.log import FieldLog, Log, components, dimensions
from cardan.simulation.log_names import escaped, is_shortened, netcdf_name, path_in_netcdf, unescaped
from cardan.simulation.series import FileSeries, Kept, Series

_FORMAT = 3
_BEGINS = b"\x89HDF\r\n\x1a\n"
_CHUNK = 1 << 20  # [bytes] compressed, and written, at a time
_LARGEST_IN_MEMORY = 1 << 30  # [bytes] of a file that is read whole
_LIBRARY = threading.RLock()  # HDF5 does one thing at a time


def write_netcdf(log: Log, path: Path) -> None:
    """Write `log` to a new file at `path`."""
    try:
        with _LIBRARY, netcdf().Dataset(path, "w", format="NETCDF4") as file:
            _describe(log, file)
            for name, axis in log.axes.items():
                file.createDimension(name, len(axis))
            for name, field in _variables(log):
                variable = _variable(file, log, name, field, _rows(field))
                _fill(variable, field)
    except (OSError, RuntimeError) as error:
        # where the disk is full, the library speaks of permissions or of an HDF error
        raise refusal_to_grow(path) or error from error
    seal(path)


def read_netcdf(path: Path) -> Log:
    """The log in a file that `write_netcdf` or `NetcdfStream` has written; a large one stays in the file."""
    advice = " If it is netCDF, xarray reads it as it is."
    if path.is_file() and path.stat().st_size > _LARGEST_IN_MEMORY:
        check_sealed(path, "log", LogFileError, advice)
        _check_kind(path, is_netcdf(path))
        return open_netcdf(path)
    content = read_sealed(path, "log", LogFileError, advice)
    _check_kind(path, content[: len(_BEGINS)] == _BEGINS)
    with _LIBRARY, netcdf().Dataset("log", "r", memory=content) as file:
        return _read(path, file, _in_memory)


def open_netcdf(path: Path) -> Log:
    """The log in a file that is known to be as it was written; the samples stay there until they are wanted."""
    with _LIBRARY:
        # open as long as the log is, so that another file in its place does no harm
        return _read(path, netcdf().Dataset(path, "r"), partial(_in_file, Kept()))


class NetcdfStream:
    """A log that is written while it comes into being.

    Args:
        path: Of a new file.
        log: A log without samples: what its fields are.
        rows: For each name of its axes how many samples are written at a time.
    """

    def __init__(self, path: Path, log: Log, rows: dict[str, int]) -> None:
        self._path = path
        self._lengths = dict.fromkeys(log.axes, 0)
        with _LIBRARY:
            self._file = netcdf().Dataset(path, "w", format="NETCDF4")
            _describe(log, self._file)
            for name in log.axes:
                self._file.createDimension(name, None)
            self._variables = {
                field.path: _variable(self._file, log, name, field, rows[log.axis(field)])
                for name, field in _variables(log)
            }

    def append(self, axis: str, t: np.ndarray, fields: Iterable[FieldLog]) -> None:
        """Write samples that follow on the others, all of one axis."""
        start = self._lengths[axis]
        where = slice(start, start + len(t))
        with _LIBRARY:
            self._variables[axis][where] = t
            for field in fields:
                if 0 not in field.shape:
                    self._variables[field.path][where] = field.values
            self._file.sync()  # nothing is left that might find no room later
        self._lengths[axis] = where.stop

    def close(self) -> None:
        """End the file, and seal it."""
        with _LIBRARY:
            self._file.close()
        seal(self._path)


def is_netcdf(path: Path) -> bool:
    """Whether a file begins as those of `write_netcdf` do."""
    with path.open("rb") as file:
        return file.read(len(_BEGINS)) == _BEGINS


def netcdf() -> Any:
    """The package that reads and writes netCDF."""
    import netCDF4  # takes a quarter of a second, which a run without files need not wait for

    return netCDF4


# ---- writing -------------------------------------------------------------------------------------------------------


def _describe(log: Log, file: Any) -> None:
    file.cardan_log = np.int64(_FORMAT)
    file.cardan_version = str(log.about.get("versions", {}).get("cardan", ""))
    file.about = json.dumps(log.about)


def _variables(log: Log) -> list[tuple[str, FieldLog]]:
    """All times and fields, by the names that they have in a file."""
    return [*log.axes.items(), *((netcdf_name(field.path), field) for field in log.fields())]


def _rows(field: FieldLog) -> int:
    """How many samples are compressed at a time."""
    return min(len(field), max(1, _CHUNK // max(1, _sample_size(field))))


def _sample_size(field: FieldLog) -> int:
    """[bytes]"""
    return field.dtype.itemsize * int(np.prod(field.shape, dtype=np.int64))


def _variable(file: Any, log: Log, name: str, field: FieldLog, rows: int) -> Any:
    """A new variable, compressed `rows` samples at a time."""
    is_truth = field.dtype == np.bool_
    for dimension, size in zip(dimensions(field), field.shape, strict=True):
        if dimension not in file.dimensions:
            file.createDimension(dimension, size)
    size = rows * _sample_size(field)
    sizes = {"chunksizes": (rows, *field.shape), "zlib": True} if size else {}
    variable = file.createVariable(
        name,
        "i1" if is_truth else field.dtype,
        (log.axis(field), *dimensions(field)),
        complevel=1,
        chunk_cache=max(1, min(size, _CHUNK)),  # those of all variables hold what is written at a time
        **sizes,
    )
    attributes = {"units": field.unit, "frame": field.frame} | components(field)
    attributes |= {"cardan_path": escaped(field.path)} if is_shortened(name) else {}
    attributes |= {"kind": "bool" if is_truth else field.dtype.name}
    for attribute, text in attributes.items():
        setattr(variable, attribute, text)
    return variable


def _fill(variable: Any, field: FieldLog) -> None:
    """Write all samples; each part that is compressed for itself is written once."""
    if field.nbytes:
        rows = _rows(field)
        for start in range(0, len(field), rows):
            values = field.rows(start, start + rows)
            variable[start : start + len(values)] = values


# ---- reading -------------------------------------------------------------------------------------------------------


def _check_kind(path: Path, is_log: bool) -> None:
    if not is_log:
        raise LogFileError(f"{path} is of Cardan, but not a log.\n  Read a snapshot with `cardan.load_snapshot(path)`.")


def _read(path: Path, file: Any, series: Any) -> Log:
    if int(file.cardan_log) > _FORMAT:
        raise LogFileError(f"{path} was written by a newer Cardan ({file.cardan_version}).\n  Update to read it.")
    file.set_auto_mask(False)
    names = dict.fromkeys(("time", *(name for name in file.variables if name in file.dimensions)))
    axes = {name: series(file[name]) for name in names}
    fields = []
    for name, variable in file.variables.items():
        if name not in axes:
            path_ = unescaped(variable.cardan_path) if is_shortened(name) else path_in_netcdf(name)
            t = axes[variable.dimensions[0]]
            fields.append(FieldLog(path_, t, series(variable), variable.units, variable.frame))
    return Log(axes["time"], fields, json.loads(file.about))


def _in_memory(variable: Any) -> Series:
    values = _samples(variable, 0, len(variable))
    values.flags.writeable = False
    return Series([values])


def _in_file(kept: Kept, variable: Any) -> Series:
    variable.set_var_chunk_cache(size=_CHUNK)
    dtype = np.dtype(np.bool_ if variable.kind == "bool" else variable.dtype)
    return FileSeries(kept, partial(_samples, variable), len(variable), variable.shape[1:], dtype)


def _samples(variable: Any, start: int, stop: int) -> np.ndarray:
    with _LIBRARY:
        values = np.asarray(variable[start:stop])
    return values.astype(np.bool_) if variable.kind == "bool" else values
