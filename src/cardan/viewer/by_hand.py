"""Changes made by hand during a run: checked, applied, recorded, and repeatable without a page.

A change is applied between two runs of a simulation, after the tick at that time: a task sees it at its next tick, a
model from then on. An adaptive integrator lands on the ends of runs, so these are recorded as well, and a repeated run
has the same ends.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.errors import SettingError, UnknownName, did_you_mean, shown
from cardan.simulation import Log, Record, Simulation
from cardan.viewer.pieces import Pieces

NANO = 1_000_000_000
_OUTPUT = "given"  # the port of an input from outside
_DEEPEST = 8  # lists within lists
_LONGEST = 20_000  # letters of a value


class Hand:
    """A simulation that is run in pieces, and changed between them.

    Args:
        simulation: Where it stands is where this begins. It is not moved before `close`, which takes it to the end; the
            parameters that were changed stay with `now`, the simulation that has them.
        record: What is recorded.
    """

    def __init__(self, simulation: Simulation, record: Record | None = None) -> None:
        self._first = simulation
        self._record = record or Record()
        self._begin(simulation)

    def _begin(self, simulation: Simulation) -> None:
        self.now = simulation
        self.changes: list[dict[str, Any]] = []
        self._ends: list[list[int]] = []  # [ns] how many pieces of which length, in order
        self._pieces = Pieces()
        self._start = self._reached = _nanoseconds(simulation.now)

    @property
    def t(self) -> float:
        """[s] The time that has been reached."""
        return self._reached / NANO

    def run(self, length: int) -> None:
        """Go on for so many nanoseconds."""
        end = self._reached + length
        if self._ends and self._ends[-1][1] == length:
            self._ends[-1][0] += 1
        else:
            self._ends.append([1, length])
        try:
            log = self.now.run(until=end / NANO, record=self._record, progress=False)
        except BaseException:
            if self.now.has_log:
                self._pieces.add(self.now.log)
            self._reached = _nanoseconds(self.now.now)
            raise
        self._pieces.add(log)
        self._reached = end

    def set(self, parameters: Mapping[str, Any]) -> None:
        """Change parameters; all or, where one cannot be, none."""
        for path in parameters:
            part, _, name = path.rpartition(".")
            if any(change.part == part and change.parameter == name for change in self.now.scenario.changes):
                raise SettingError(
                    f"`{path}` changes in the scenario itself, `scn.change(...)`.\n  Leave it to the scenario."
                )
        changed = self.now.variant(parameters)
        changed.restore(self.now.snapshot())
        self.now = changed
        for path, value in parameters.items():
            self._note("parameter", path, np.asarray(value).tolist())

    def give(self, name: str, fields: Mapping[str, Any]) -> None:
        """Give a message to an input from outside, by its fields."""
        placed = self.now.scenario.parts.get(name)
        if placed is None or not placed.is_outside:
            known = [part.name for part in self.now.scenario.parts.values() if part.is_outside]
            raise UnknownName(
                f"`{name}` is not an input from outside.{did_you_mean(name, known)}\n"
                f"  inputs: {', '.join(known) or 'none'}"
            )
        message = placed.contract.outputs[_OUTPUT]
        taken = {
            field: np.array(value, dtype=float) if isinstance(value, list) else value for field, value in fields.items()
        }
        try:
            made = message(**taken)
        except TypeError as error:
            raise SettingError(f"`{name}` carries a {message.__name__}: {error}.") from None
        self.now.give({name: made})
        self._note("input", name, {field: np.asarray(value).tolist() for field, value in made._asdict().items()})

    def reset(self) -> None:
        """Back to time zero, with the parameters as they are; nothing that was recorded is kept."""
        self.now.reset()
        self._begin(self.now)

    def log(self) -> Log:
        """What was recorded so far, with all that was changed by hand."""
        lengths = [[count, length / NANO] for count, length in self._ends]
        told = {"from_s": self._start / NANO, "pieces_s": lengths, "changes": self.changes}
        return self._pieces.log({"by_hand": told})

    def close(self) -> None:
        """Let the simulation that this began with stand where this has come to."""
        if self._first is not self.now:
            self._first.restore(self.now.snapshot())

    def _note(self, kind: str, name: str, value: Any) -> None:
        self.changes.append({"at_s": self.t, kind: name, "value": value})


def repeat(simulation: Simulation, log: Log, record: Record | None = None) -> Log:
    """Repeat the manual changes of a log without a page; the numbers are the same to the last bit.

    Args:
        simulation: Of the same scenario, service and integrator, at the time at which the log begins.
        log: Of a live run.
        record: What to record; as by default if left out.
    """
    told = log.about.get("by_hand")
    if not isinstance(told, Mapping):
        raise SettingError("Nothing in this log was done by hand, so there is nothing to repeat.")
    hand = Hand(simulation, record)
    if hand.t != told["from_s"]:
        raise SettingError(f"The log begins at {told['from_s']:g} s.\n  `reset()` or `restore()` the simulation first.")
    changes = list(told["changes"])
    for count, length in told["pieces_s"]:
        for _ in range(count):
            _apply(hand, changes)
            hand.run(_nanoseconds(length))
    _apply(hand, changes)
    hand.close()
    return hand.log()


def _apply(hand: Hand, changes: list[dict[str, Any]]) -> None:
    """What was changed at the time that has been reached."""
    while changes and changes[0]["at_s"] <= hand.t:
        change = changes.pop(0)
        if "parameter" in change:
            hand.set({change["parameter"]: _value(change["value"])})
        else:
            hand.give(change["input"], change["value"])


def _value(value: Any) -> Any:
    return np.array(value) if isinstance(value, list) else value


def read_value(text: str, path: str) -> Any:
    """A number, a boolean or lists of numbers from typed text; nothing else, and no code.

    Raises:
        SettingError: It is anything else.
    """
    try:
        if len(text) > _LONGEST:
            raise ValueError
        value = json.loads(text.strip().replace("True", "true").replace("False", "false"))
        array = np.asarray(value)
        if array.dtype.kind not in "bif" or array.ndim > _DEEPEST:
            raise ValueError
    except (ValueError, RecursionError):
        raise SettingError(f"`{path}` = {shown(text)} is not a number, true or false, or a list of numbers.") from None
    return _value(value)


def _nanoseconds(t: float) -> int:
    return round(t * NANO)
