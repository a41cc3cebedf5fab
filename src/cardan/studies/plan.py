"""`StudyPlan`: a study as text, from a file or from the command line.

```toml
mission = "reaction-wheels"
runs = 1000
seed = 7
keep = "failed"

[disperse]
"bus.inertia_B" = "normal(5%)"
"bus.motion.omega_BN_B" = "unit_vector(uniform(0, 0.03))"

[limits]
"attitude error at the end" = "<= 1"
```
"""

import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from cardan.errors import SettingError, UnknownName, did_you_mean, shown
from cardan.missions import MISSIONS, find_mission
from cardan.simulation import Record, read_integrator
from cardan.studies.designs import DESIGNS, Factorial, Saltelli, Table
from cardan.studies.faults import Fault
from cardan.studies.measures import FieldMeasure
from cardan.studies.scoring import Scalar
from cardan.studies.study import Study

_RUNS = 100  # where nothing says how many


@dataclass(frozen=True)
class StudyPlan:
    """All that a file or a command line says of a study; what is None is left to the mission.

    Attributes:
        mission: Its name.
        disperse: How inputs vary, by path.
        runs: How many.
        seed: Of the study.
        design: Its name.
        levels: Of a full factorial design.
        base: Groups of a Saltelli design.
        table: A CSV file that says what runs are given.
        noise: "each" or "same".
        name: Of the study.
        set: Values for all runs, by path.
        until: [s] How long a run is.
        integrator: As text.
        dynamics: Its name.
        record: What is recorded: `every`, `ports`.
        scalars: Of recorded fields, by name: `field`, `take`, `within`, `unit`, `limit`.
        limits: What scalars must keep, by name.
        keep: Whose logs are kept.
        timeout: [s] Wall time for a run.
        require: [-] The share of runs that must pass.
    """

    mission: str
    disperse: Mapping[str, Any] = field(default_factory=dict)
    runs: int | None = None
    seed: int = 0
    design: str = "random"
    levels: Any = None
    base: int | None = None
    table: str | None = None
    noise: str = "each"
    name: str | None = None
    set: Mapping[str, Any] = field(default_factory=dict)
    until: float | None = None
    integrator: str | None = None
    dynamics: str | None = None
    record: Mapping[str, Any] | None = None
    scalars: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    keep: Any = "none"
    timeout: float | None = None
    require: float = 1.0

    def study(self, repeat: str = "study.run_one({run})") -> Study:
        """The study itself."""
        mission = find_mission(self.mission)
        campaign = mission.campaign
        record = self._record()
        if record is None and campaign is not None and self.disperse == campaign.disperse and not self.scalars:
            record = campaign.record
        if not 0.0 <= self.require <= 1.0:
            raise SettingError(f"require = {shown(self.require)}.\n  Use the share of runs that must pass, e.g. 0.99.")
        return Study(
            self.mission,
            {name: _dispersion(given, name) for name, given in self.disperse.items()},
            runs=self._runs(),
            seed=self.seed,
            design=self._design(),
            noise=self.noise,
            name=self.name,
            settings=self.set,
            until=self.until,
            integrator=None if self.integrator is None else read_integrator(self.integrator),
            dynamics=self.dynamics,
            record=record,
            scalars=[_scalar(name, given) for name, given in self.scalars.items()],
            limits=self.limits,
            keep=self.keep,
            timeout=self.timeout,
            repeat=repeat,
        )

    def _runs(self) -> int | None:
        if self.runs is not None or self.table is not None or self.design in ("factorial", "saltelli"):
            return self.runs
        return _RUNS

    def _design(self) -> Any:
        if self.table is not None:
            if self.design != "random":
                raise SettingError(f"A study has a table or the design `{self.design}`.\n  Leave one of them out.")
            return Table(self.table)
        if self.levels is not None and self.design != "factorial":
            raise SettingError("`levels` belongs to the design `factorial`.")
        if self.base is not None and self.design != "saltelli":
            raise SettingError("`base` belongs to the design `saltelli`.")
        if self.design == "factorial" and self.levels is not None:
            return Factorial(self.levels)
        if self.design == "saltelli" and self.base is not None:
            return Saltelli(self.base)
        return self.design

    def _record(self) -> Record | None:
        if self.record is None:
            return None
        unknown = [name for name in self.record if name not in Record._fields]
        if unknown:
            raise UnknownName(
                f"`record` has no `{unknown[0]}`.{did_you_mean(unknown[0], Record._fields)}\n"
                f"  It has: {', '.join(Record._fields)}"
            )
        return Record(**self.record)


def ready_plan(name: str) -> StudyPlan:
    """The study that a mission brings, or one in which nothing varies yet."""
    mission = find_mission(name)
    if mission.campaign is None:
        return StudyPlan(name)
    campaign = mission.campaign
    return StudyPlan(
        name,
        campaign.disperse,
        runs=campaign.runs,
        limits=campaign.limits,
        set=campaign.settings,
        until=campaign.until,
    )


def read_plan(path: str | Path) -> StudyPlan:
    """A study from a TOML file."""
    file = Path(path)
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UnknownName(f"There is no study file {file}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"The study file {file} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingError(
            f'The study file {file} is no TOML: {error}.\n  Paths with dots stand in quotes: `"ctl.K" = "normal(5%)"`.'
        ) from None
    known = [each.name for each in fields(StudyPlan)]
    unknown = [name for name in content if name not in known]
    if unknown:
        raise UnknownName(
            f"The study file {file} has `{unknown[0]}`, which means nothing.{did_you_mean(unknown[0], known)}\n"
            f"  It may have: {', '.join(known)}"
        )
    if "mission" not in content:
        raise SettingError(f"The study file {file} names no mission.\n  missions: {', '.join(MISSIONS)}")
    for name, kind, what in _KINDS:
        if (name in content and not isinstance(content[name], kind)) or isinstance(content.get(name), bool):
            raise SettingError(f"{file}: `{name}` is {what}, got {shown(content[name])}.")
    for name in ("disperse", "limits", "set"):
        content[name] = _flat(content.get(name, {}), name)
    plan = StudyPlan(**content)
    if plan.table is not None:
        plan = replace(plan, table=str(file.parent / plan.table))
    return plan if plan.name else replace(plan, name=file.stem)


_NUMBER = (int, float)
_KINDS: tuple[tuple[str, Any, str], ...] = (
    ("mission", str, "the name of a mission"),
    ("runs", int, "a whole number"),
    ("seed", int, "a whole number"),
    ("base", int, "a whole number"),
    ("until", _NUMBER, "a number of seconds"),
    ("timeout", _NUMBER, "a number of seconds"),
    ("require", _NUMBER, "a share, e.g. 0.99"),
    ("design", str, f"one of {', '.join(DESIGNS)}"),
    ("table", str, "the path of a CSV file"),
    ("name", str, "a text"),
    ("integrator", str, "a text such as `rk4:step=0.1`"),
    ("dynamics", str, "the name of a dynamics service"),
    ("noise", str, "`each` or `same`"),
    ("disperse", dict, "a table of distributions by path"),
    ("set", dict, "a table of values by path"),
    ("limits", dict, "a table of limits by name"),
    ("record", dict, "a table with `every` and `ports`"),
    ("scalars", dict, "a table of scalars by name"),
)


def _flat(given: Mapping[str, Any], name: str, path: str = "") -> dict[str, Any]:
    """Tables by path: `bus.mass = "..."` without quotes is a table within a table in TOML."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        place = f"{path}.{key}" if path else key
        if isinstance(value, dict) and not (name == "disperse" and {"kinds", "at"} & set(value)):
            found |= _flat(value, name, place)
        else:
            found[place] = value
    return found


def _dispersion(given: Any, name: str) -> Any:
    """A distribution as text, or a fault."""
    if not isinstance(given, Mapping):
        return given
    unknown = [key for key in given if key not in ("kinds", "at", "weights")]
    if unknown or "kinds" not in given or "at" not in given:
        raise SettingError(
            f"The fault `{name}` is {shown(dict(given))}.\n  Give its `kinds` and `at`, and maybe `weights`."
        )
    return Fault(given["kinds"], given["at"], given.get("weights", {}))


def _scalar(name: str, given: Any) -> Scalar:
    known = ("field", "take", "within", "unit", "limit")
    if not isinstance(given, Mapping) or "field" not in given or any(key not in known for key in given):
        raise SettingError(
            f"The scalar `{name}` is {shown(given)}.\n"
            '  Give e.g. `field = "err.error.omega_BR_B"`, `take = "largest"`, `unit = "rad/s"`, `limit = "<= 0.1"`.'
        )
    measure = FieldMeasure(given["field"], given.get("take", "last"), given.get("within"))
    unit = given.get("unit", "s" if measure.take == "settled" else "-")
    return Scalar(name, measure, unit, given.get("limit"))


def command_line(words: list[str]) -> str:
    """A command as a shell takes it."""
    return shlex.join(["cardan", "study", *words]).replace("'{run}'", "{run}")
