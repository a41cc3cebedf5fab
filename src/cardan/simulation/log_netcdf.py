"""Logs as netCDF: one variable `<part>.<port>.<field>` with its unit and frame. The format that is read back.

The digest that every file of Cardan ends with lies behind what netCDF looks at, so that other programs read the file
as any other. `load_log` checks it before it lets the library parse anything: HDF5 has no digest of its own over its
tables, reads other numbers where they are damaged, and may not return.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import LogFileError
from cardan.files import read_sealed, refusal_to_grow, seal
from cardan.simulation.log import FieldLog, Log, components, dimensions
from cardan.simulation.log_names import escaped, is_shortened, netcdf_name, path_in_netcdf, unescaped

_FORMAT = 2
_BEGINS = b"\x89HDF\r\n\x1a\n"
_CHUNK = 1 << 20  # [bytes] compressed, and written, at a time


def write_netcdf(log: Log, path: Path) -> None:
    """Write `log` to a new file at `path`."""
    try:
        with netcdf().Dataset(path, "w", format="NETCDF4") as file:
            _write(log, file)
    except (OSError, RuntimeError) as error:
        # where the disk is full, the library speaks of permissions or of an HDF error
        raise refusal_to_grow(path) or error from error
    seal(path)


def read_netcdf(path: Path) -> Log:
    """The log in a file that `write_netcdf` has written."""
    content = read_sealed(path, "log", LogFileError, " If it is netCDF, xarray reads it as it is.")
    if content[: len(_BEGINS)] != _BEGINS:
        raise LogFileError(f"{path} is of Cardan, but not a log.\n  Read a snapshot with `cardan.load_snapshot(path)`.")
    with netcdf().Dataset("log", "r", memory=content) as file:
        if int(file.cardan_log) > _FORMAT:
            raise LogFileError(f"{path} was written by a newer Cardan ({file.cardan_version}).\n  Update to read it.")
        return _read(file)


def is_netcdf(path: Path) -> bool:
    """Whether a file begins as those of `write_netcdf` do."""
    with path.open("rb") as file:
        return file.read(len(_BEGINS)) == _BEGINS


def netcdf() -> Any:
    """The package that reads and writes netCDF."""
    import netCDF4  # takes a quarter of a second, which a run without files need not wait for

    return netCDF4


def _write(log: Log, file: Any) -> None:
    file.cardan_log = np.int64(_FORMAT)
    file.cardan_version = str(log.about.get("versions", {}).get("cardan", ""))
    file.about = json.dumps(log.about)
    file.createDimension("time", len(log.time))
    _variable(file, "time", log.time, {})
    for field in log.fields():
        for name, size in zip(dimensions(field), field.shape, strict=True):
            if name not in file.dimensions:
                file.createDimension(name, size)
        name = netcdf_name(field.path)
        _variable(file, name, field, {"cardan_path": escaped(field.path)} if is_shortened(name) else {})


def _variable(file: Any, name: str, field: FieldLog, attributes: dict[str, str]) -> None:
    is_truth = field.dtype == np.bool_
    rows = max(1, _CHUNK // max(1, field.nbytes // max(1, len(field))))
    sizes = {"chunksizes": (min(rows, len(field)), *field.shape), "zlib": True} if field.nbytes else {}
    variable = file.createVariable(
        name, "i1" if is_truth else field.dtype, ("time", *dimensions(field)), complevel=1, chunk_cache=_CHUNK, **sizes
    )
    kind = {"kind": "bool" if is_truth else field.dtype.name}
    for attribute, text in (
        {"units": field.unit, "frame": field.frame} | components(field) | attributes | kind
    ).items():
        setattr(variable, attribute, text)
    if field.nbytes:
        # each part that is compressed for itself is written once
        for start in range(0, len(field), rows):
            values = field.rows(start, start + rows)
            variable[start : start + len(values)] = values


def _read(file: Any) -> Log:
    file.set_auto_mask(False)
    t = np.array(file["time"][:])
    fields = []
    for name, variable in file.variables.items():
        if name == "time":
            continue
        values = np.array(variable[:])
        if variable.kind == "bool":
            values = values.astype(np.bool_)
        values.flags.writeable = False
        path = unescaped(variable.cardan_path) if is_shortened(name) else path_in_netcdf(name)
        fields.append(FieldLog(path, t, values, variable.units, variable.frame))
    return Log(t, fields, json.loads(file.about))
