"""Logs on disk: netCDF, one variable `<part>.<port>.<field>` with its unit and frame."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import LogFileError
from cardan.files import written_whole
from cardan.simulation.log import FieldLog, Log, dimensions

_FORMAT = 1


def save_log(log: Log, path: Path) -> Path:
    """Write `log` to `path`, whole or not at all."""
    import netCDF4  # takes a quarter of a second, which a run without files need not wait for

    try:
        with written_whole(path) as unfinished, netCDF4.Dataset(unfinished, "w", format="NETCDF4") as file:
            _write(log, file)
    except (OSError, RuntimeError) as error:
        raise LogFileError(f"The log cannot be written to {path}: {_reason(error)}.") from error
    return path


def load_log(path: str | Path) -> Log:
    """Read a log that `Log.save` has written."""
    import netCDF4

    path = Path(path)
    if not path.exists():
        raise LogFileError(f"There is no file {path}.")
    try:
        with netCDF4.Dataset(path, "r") as file:
            if "cardan_log" not in file.ncattrs():
                raise LogFileError(f"{path} is a netCDF file, but not a log of Cardan.\n  Read it with xarray instead.")
            if int(file.cardan_log) > _FORMAT:
                raise LogFileError(
                    f"{path} was written by a newer Cardan ({file.cardan_version}).\n  Update to read it."
                )
            return _read(file)
    except LogFileError:
        raise
    except (OSError, RuntimeError, IndexError, KeyError, ValueError, AttributeError) as error:
        raise LogFileError(f"{path} is not a log of Cardan, or only a part of one: {_reason(error)}.") from error


def _reason(error: Exception) -> Any:
    return getattr(error, "strerror", None) or error


def _name(path: str) -> str:
    """How netCDF calls what lies at `path`: a name there has no `/`, and a path has no `:`."""
    return path.replace("/", ":")


def _path(name: str) -> str:
    return name.replace(":", "/")


def _write(log: Log, file: Any) -> None:
    file.cardan_log = np.int64(_FORMAT)
    file.cardan_version = str(log.about.get("versions", {}).get("cardan", ""))
    file.about = json.dumps(log.about)
    file.createDimension("time", len(log.t))
    _variable(file, "time", log.t, ("time",), "s", "")
    for field in log.fields():
        names = [_name(dimension) for dimension in dimensions(field)]
        for name, size in zip(names, field.values.shape[1:], strict=True):
            if name not in file.dimensions:
                file.createDimension(name, size)
        _variable(file, _name(field.path), field.values, ("time", *names), field.unit, field.frame)


def _variable(file: Any, name: str, values: np.ndarray, dims: tuple[str, ...], unit: str, frame: str) -> None:
    is_truth = values.dtype == np.bool_
    variable = file.createVariable(name, "i1" if is_truth else values.dtype, dims, zlib=values.size > 0, complevel=1)
    variable.units = unit
    variable.frame = frame
    variable.kind = "bool" if is_truth else values.dtype.name
    if values.size:
        variable[:] = values


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
        fields.append(FieldLog(_path(name), t, values, variable.units, variable.frame))
    return Log(t, fields, json.loads(file.about))
