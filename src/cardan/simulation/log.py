"""`Log`: what was recorded, with names, units and frames."""

import json
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import UnknownName, did_you_mean
from cardan.simulation.series import Series, as_series

if TYPE_CHECKING:
    import pandas
    import xarray

    from cardan.ephemeris import Epoch
    from cardan.simulation.comparison import Comparison, Times

# an attitude is named by two frames: of B relative to N, q_BN and sigma_BN
_QUATERNION, _MRP = re.compile("q_[A-Z][A-Za-z0-9]*"), re.compile("sigma_[A-Z][A-Za-z0-9]*")


class FieldLog:
    """One recorded field: `log["ctl.torque.torque_B"]`.

    Attributes:
        path: `<part>.<port>.<field>`.
        t: [s] Times of the samples.
        values: The samples, time along the first axis.
        unit: Their unit.
        frame: The frame that the name declares, or "".
    """

    def __init__(self, path: str, t: np.ndarray | Series, values: np.ndarray | Series, unit: str, frame: str) -> None:
        self.path = path
        self.unit = unit
        self.frame = frame
        self.times = as_series(t)
        self._values = as_series(values)

    @property
    def t(self) -> np.ndarray:
        return self.times.whole()

    @property
    def values(self) -> np.ndarray:
        return self._values.whole()

    def rows(self, start: int, stop: int) -> np.ndarray:
        """The samples from `start` to before `stop`; unlike `values`, it takes no memory for the others."""
        return self._values.rows(start, stop)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one sample."""
        return self._values.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._values.dtype

    @property
    def nbytes(self) -> int:
        """[bytes] Of all samples."""
        return self._values.nbytes

    @property
    def is_quaternion(self) -> bool:
        """Whether the field is a unit quaternion, by its name (`q_BN`), size and unit."""
        return bool(_QUATERNION.fullmatch(self.name)) and self.shape == (4,) and self.unit == "-"

    @property
    def is_mrp(self) -> bool:
        """Whether the field has modified Rodrigues parameters, by its name (`sigma_BN`), size and unit."""
        return bool(_MRP.fullmatch(self.name)) and self.shape == (3,) and self.unit == "-"

    @property
    def is_attitude(self) -> bool:
        return self.is_quaternion or self.is_mrp

    @property
    def name(self) -> str:
        """Without part and port."""
        return self.path.rpartition(".")[2]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<{self.path} [{self.unit}]: {len(self)} samples of shape {self.shape}>"


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
        self.unit = {name: field.unit for name, field in fields.items()}
        self.frame = {name: field.frame for name, field in fields.items()}

    @property
    def t(self) -> np.ndarray:
        return next(iter(self._fields.values())).t

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
        return f"<{self.path}: {len(next(iter(self._fields.values())))} samples of {fields}>"


class Log(Mapping[str, PortLog]):
    """What a run recorded. Immutable; a mapping from `<part>.<port>` to its samples.

    Ports that were recorded at times of their own (`Record(periods=...)`) have them: `log["nav.attitude"].t`.

    Attributes:
        t: [s] Times of the samples of all other ports, those recorded at `Record.every`; if there are none, of the
            first port.
        time: The same, as a field.
        axes: All times by name: `time` is the above, `time_2`, `time_3` ... are those of other ports.
        about: The scenario's description, all parameters, the seed, the integrator and the versions involved.
    """

    def __init__(self, t: np.ndarray | Series, fields: list[FieldLog], about: dict[str, Any]) -> None:
        self.time = FieldLog("time", t, t, "s", "")
        self.about = about
        self._fields = {field.path: field for field in fields}
        self._ports: dict[str, dict[str, FieldLog]] = {}
        for field in fields:
            port, _, name = field.path.rpartition(".")
            self._ports.setdefault(port, {})[name] = field
        self.axes = {"time": self.time}
        for field in fields:
            if not any(field.times.is_same(axis.times) for axis in self.axes.values()):
                name = f"time_{len(self.axes) + 1}"
                self.axes[name] = FieldLog(name, field.times, field.times, "s", "")

    def axis(self, field: FieldLog) -> str:
        """The name of the times of a field."""
        return next(name for name, axis in self.axes.items() if field.times.is_same(axis.times))

    @property
    def t(self) -> np.ndarray:
        return self.time.t

    @property
    def epoch(self) -> "Epoch":
        """When time zero is."""
        if "epoch" not in self.about:
            raise UnknownName(
                "The scenario has no epoch, so its log knows no UTC.\n  Give it one: `cd.Scenario(..., epoch=...)`."
            )
        from cardan.ephemeris import Epoch  # with all its tables, which a log without a date does not need

        return Epoch(self.about["epoch"])

    @property
    def utc(self) -> np.ndarray:
        """UTC of the samples of `t` as `datetime64[ns]`, which has no leap seconds: 23:59:60 is shown as 00:00:00."""
        return self.epoch.utc_at(self.t)

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

    def quaternion(self, path: str) -> np.ndarray:
        """[-] Unit quaternions, scalar first, of a recorded attitude; they do not jump from one sign to the other.

        Args:
            path: A frame or part (`bus`), a port (`bus.motion`) or a field (`err.error.sigma_BR`) whose quaternion or
                modified Rodrigues parameters were recorded.

        Returns:
            (n, 4) of B relative to N for `q_BN` or `sigma_BN`; the first has a scalar part that is not negative.
        """
        from cardan.simulation.attitudes import quaternions

        return quaternions(self._attitude(path))

    def _attitude(self, path: str) -> FieldLog:
        attitudes = {field.path: field for field in self._fields.values() if field.is_attitude}
        for wanted in (path, f"{path}.quaternion.q_BN", f"{path}.motion.sigma_BN"):
            if wanted in attitudes:
                return attitudes[wanted]
        within = [known for known in attitudes if known.startswith(f"{path}.")]
        if len(within) == 1:
            return attitudes[within[0]]
        what = "more than one attitude" if within else "no attitude"
        known = within or list(attitudes)
        parts = [name.rsplit(".", 2)[0] for name in attitudes]
        advice = "" if within else did_you_mean(path, [*parts, *known])
        raise UnknownName(
            f"There is {what} in the log for `{path}`.{advice}\n  Attitudes: {', '.join(known) or 'none'}"
        )

    def to_xarray(self) -> "xarray.Dataset":
        """The log as an xarray data set: one variable per field, its time [s] first.

        Fields of one size share their dimensions, and so do fields that were recorded at the same times: `time` for
        those of `t`, `time_2` and so on for others. If the scenario has an epoch, `utc` is a coordinate along `time`.
        """
        import xarray

        variables = {}
        for field in self._fields.values():
            attributes = {"units": field.unit, "frame": field.frame} | components(field)
            variables[field.path] = ((self.axis(field), *dimensions(field)), field.values, attributes)
        about = {
            name: value if isinstance(value, str | int) else json.dumps(value) for name, value in self.about.items()
        }
        coordinates: dict[str, Any] = {name: (name, axis.t, {"units": "s"}) for name, axis in self.axes.items()}
        if "epoch" in self.about:
            coordinates["utc"] = ("time", self.utc)
        return xarray.Dataset(variables, coords=coordinates, attrs=about)

    def to_pandas(self) -> "pandas.DataFrame":
        """The log as a pandas table: one column per number, such as `ctl.torque.torque_B[0]`, over `time` [s].

        Where ports were recorded at times of their own, there is a row for each time of any of them. What a column does
        not have then is missing: nan, and `pandas.NA` in columns of whole numbers and truths.

        `attrs["units"]` and `attrs["frames"]` have the unit and the frame of each column. The table takes
        as much memory as all samples once more.
        """
        from cardan.simulation.log_table import table_of, table_with_gaps

        return table_of(self, 0, len(self.time)) if len(self.axes) == 1 else table_with_gaps(self)

    def compare(self, other: "Log", *, times: "Times" = "same") -> "Comparison":
        """What differs between this log and another: fields, times, numbers, and what made them.

        Args:
            other: The other log.
            times: "same" if both should have the same times, "common" to compare where both have a sample,
                "interpolated" to compare at the times of this log, with the other one interpolated.
        """
        from cardan.simulation.comparison import compare_logs

        return compare_logs(self, other, times)

    def save(self, path: str | Path) -> Path:
        """Write the log, whole or not at all, in the format that the name of the file ends in.

        `.nc` is netCDF, which `cardan.load_log` and xarray read; `.csv` is for spreadsheets, `.mat` for MATLAB,
        `.parquet` for tables (extra `parquet`).
        """
        from cardan.simulation.log_file import save_log

        return save_log(self, Path(path))

    def plot(self, *patterns: str, **options: Any) -> Any:
        """Figures of the fields that match the patterns, titled from their names and labelled with units."""
        from cardan.plots import plot_log  # an upward import: a convenience, made when it is asked for

        return plot_log(self, *patterns, **options)

    def view(self, **options: Any) -> Any:
        """Show the run in a page: the vehicles in three dimensions, a timeline, plots (extra `view`).

        Args:
            options: As `cardan.viewer.Replay` takes them: `follow`, `speed`, `ghost`, `plots`, `host`, `port` ...

        Returns:
            A `cardan.viewer.Replay`. At the end of a script, `log.view().wait()` stays until Ctrl-C.
        """
        from cardan.viewer import view_log

        return view_log(self, **options)

    def save_html(self, path: str | Path, **options: Any) -> Path:
        """Write one file that plays the run in any browser, without a network (extra `view`).

        Args:
            path: Of the file, `.html`.
            options: As `cardan.viewer.save_html` takes them: `follow`, `speed`, `show` ...
        """
        from cardan.viewer import save_html

        return save_html(self, path, **options)

    def save_video(self, path: str | Path, **options: Any) -> Path:
        """Write a video, or a series of pictures, by MuJoCo's renderer; no browser is needed (extra `video`).

        Args:
            path: A file `.mp4` or `.gif`, or a folder for PNG files.
            options: As `cardan.viewer.save_video` takes them: `follow`, `speed`, `rate`, `size`, `camera`, `times`.
        """
        from cardan.viewer import save_video

        return save_video(self, path, **options)

    def __repr__(self) -> str:
        count = len(self.time)
        first, last = self.time.rows(0, 1), self.time.rows(count - 1, count)
        span = f"{first[0]:g} s to {last[0]:g} s" if count else "no time"
        return f"<log of {self.about.get('name', 'a run')}: {count} samples of {len(self)} ports, {span}>"


def dimensions(field: FieldLog) -> tuple[str, ...]:
    """The names of the axes of a field after time, by size alone: fields of one shape can be subtracted."""
    shape = field.shape
    if len(shape) == 2 and shape[0] == shape[1]:
        return ("row", "column") if shape == (3, 3) else (f"row_{shape[0]}", f"column_{shape[1]}")
    return tuple("axis" if size == 3 else f"element_{size}" for size in shape)


def components(field: FieldLog) -> dict[str, str]:
    """What the last axis of a field counts, where its name says so: `{"components": "x y z"}`."""
    if field.is_quaternion:
        return {"components": "w x y z"}
    return {"components": "x y z"} if field.frame and field.shape[-1:] == (3,) else {}
