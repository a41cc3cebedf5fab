"""`Log`: what was recorded, with names, units and frames."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import UnknownName, did_you_mean

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class FieldLog:
    """One recorded field: `log["ctl.torque.torque_B"]`.

    Attributes:
        path: `<part>.<port>.<field>`.
        t: [s] Times of the samples.
        values: The samples, time along the first axis.
        unit: Their unit.
        frame: The frame that the name declares, or "".
    """

    path: str
    t: np.ndarray
    values: np.ndarray
    unit: str
    frame: str

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<{self.path} [{self.unit}]: {len(self)} samples of shape {self.values.shape[1:]}>"


class PortLog:
    """One recorded port: `log["ctl.torque"].torque_B`.

    Attributes:
        path: `<part>.<port>`.
        t: [s] Times of the samples.
        unit: The unit of each field, by name.
        frame: The frame of each field, by name.
    """

    def __init__(self, path: str, fields: dict[str, FieldLog]) -> None:
        self.path = path
        self._fields = fields
        self.t = next(iter(fields.values())).t
        self.unit = {name: field.unit for name, field in fields.items()}
        self.frame = {name: field.frame for name, field in fields.items()}

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self._fields:
            known = self.__dict__.get("_fields", {})
            raise AttributeError(
                f"`{self.__dict__.get('path')}` has no field `{name}`.{did_you_mean(name, known)}\n"
                f"  fields: {', '.join(known)}"
            )
        return self._fields[name].values

    def __dir__(self) -> list[str]:
        return ["path", "t", "unit", "frame", *self._fields]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name} [{unit}]" for name, unit in self.unit.items())
        return f"<{self.path}: {len(self.t)} samples of {fields}>"


class Log(Mapping[str, PortLog]):
    """What a run recorded. Immutable; a mapping from `<part>.<port>` to its samples.

    Attributes:
        t: [s] Times of the samples.
        about: The scenario's description, all parameters, the seed, the integrator and the versions involved.
    """

    def __init__(self, t: np.ndarray, fields: list[FieldLog], about: dict[str, Any]) -> None:
        self.t = t
        self.about = about
        self._fields = {field.path: field for field in fields}
        self._ports: dict[str, dict[str, FieldLog]] = {}
        for field in fields:
            port, _, name = field.path.rpartition(".")
            self._ports.setdefault(port, {})[name] = field

    def __getitem__(self, path: str) -> Any:
        """The samples of a port (`ctl.torque`) or of one field (`ctl.torque.torque_B`)."""
        if path in self._ports:
            return PortLog(path, self._ports[path])
        if path in self._fields:
            return self._fields[path]
        known = [*self._ports, *self._fields]
        raise UnknownName(
            f"Nothing called `{path}` was recorded.{did_you_mean(path, known)}\n"
            f"  Recorded: {', '.join(self._ports) or 'nothing'}"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._ports)

    def __len__(self) -> int:
        return len(self._ports)

    def fields(self, pattern: str = "*") -> list[FieldLog]:
        """The recorded fields whose path, or whose port's path, matches `pattern` (`*` for any)."""
        return [
            field
            for path, field in self._fields.items()
            if fnmatchcase(path, pattern) or fnmatchcase(path.rpartition(".")[0], pattern)
        ]

    def to_xarray(self) -> "xarray.Dataset":
        """The log as an xarray data set: one variable per field, `time` [s] first."""
        import xarray

        variables = {
            field.path: (("time", *dimensions(field)), field.values, {"units": field.unit, "frame": field.frame})
            for field in self._fields.values()
        }
        about = {
            name: value if isinstance(value, str | int) else json.dumps(value) for name, value in self.about.items()
        }
        return xarray.Dataset(variables, coords={"time": ("time", self.t, {"units": "s"})}, attrs=about)

    def save(self, path: str | Path) -> Path:
        """Write the log as a netCDF file, which `cardan.load_log` and xarray read."""
        from cardan.simulation.log_file import save_log

        return save_log(self, Path(path))

    def plot(self, *patterns: str, **options: Any) -> Any:
        """Figures of the fields that match the patterns, titled from their names and labelled with units."""
        from cardan.plots import plot_log  # the one upward import: a convenience, made when it is asked for

        return plot_log(self, *patterns, **options)

    def __repr__(self) -> str:
        span = f"{self.t[0]:g} s to {self.t[-1]:g} s" if len(self.t) else "no time"
        return f"<log of {self.about.get('name', 'a run')}: {len(self.t)} samples of {len(self)} ports, {span}>"


def dimensions(field: FieldLog) -> tuple[str, ...]:
    """The names of the axes of a field after time."""
    shape = field.values.shape[1:]
    if shape == (3,):
        return ("axis",)
    if shape == (3, 3):
        return ("row", "column")
    return tuple(f"{field.path}.{i}" for i in range(len(shape)))
