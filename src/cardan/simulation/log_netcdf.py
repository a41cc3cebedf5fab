"""Logs as netCDF: one variable `<part>.<port>.<field>` with its unit and frame. The format that is read back."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import LogFileError
from cardan.simulation.log import FieldLog, Log, components, dimensions

_FORMAT = 1


def write_netcdf(log: Log, path: Path) -> None:
    """Write `log` to a new file at `path`."""
    import netCDF4  # takes a quarter of a second, which a run without files need not wait for

    with netCDF4.Dataset(path, "w", format="NETCDF4") as file:
        _write(log, file)


def read_netcdf(path: Path) -> Log:
    """The log in a file that `write_netcdf` has written."""
    import netCDF4

    with netCDF4.Dataset(path, "r") as file:
        if "cardan_log" not in file.ncattrs():
            raise LogFileError(f"{path} is a netCDF file, but not a log of Cardan.\n  Read it with xarray instead.")
        if int(file.cardan_log) > _FORMAT:
            raise LogFileError(f"{path} was written by a newer Cardan ({file.cardan_version}).\n  Update to read it.")
        return _read(file)


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
    _variable(file, "time", log.t, ("time",), {"units": "s", "frame": ""})
    for field in log.fields():
        names = dimensions(field)
        for name, size in zip(names, field.values.shape[1:], strict=True):
            if name not in file.dimensions:
                file.createDimension(name, size)
        attributes = {"units": field.unit, "frame": field.frame} | components(field)
        _variable(file, _name(field.path), field.values, ("time", *names), attributes)


def _variable(file: Any, name: str, values: np.ndarray, dims: tuple[str, ...], attributes: dict[str, str]) -> None:
    is_truth = values.dtype == np.bool_
    variable = file.createVariable(name, "i1" if is_truth else values.dtype, dims, zlib=values.size > 0, complevel=1)
    for attribute, text in attributes.items():
        setattr(variable, attribute, text)
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
