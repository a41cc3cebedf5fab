"""A hand on the controls: parameters and inputs from outside, as sliders and fields of a page."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.errors import CardanError
from cardan.simulation import Simulation
from cardan.viewer.by_hand import read_value

_LARGEST = 36  # numbers of an array that a field can show
_STEPS = 1000  # of a slider over its range


class Controls:
    """Folders with everything in a scenario that can be changed: one per part with parameters, one per input.

    A number declared with a lower and an upper limit is a slider, and acts as it moves; other fields act when applied.
    A field is read as numbers and checked by the constraints that the part declares. If it is wrong it changes nothing,
    and the page says why.

    Args:
        gui: Of the page.
        simulation: Whose scenario it is.
        set_parameters: Called with parameters by path, when a page has applied them.
        give: Called with the name of an input and the fields of its message.
        slide: Called with the path of a parameter and its value, while a slider is moved.
    """

    def __init__(
        self,
        gui: Any,
        simulation: Simulation,
        set_parameters: Callable[[dict[str, Any]], None],
        give: Callable[[str, dict[str, Any]], None],
        slide: Callable[[str, Any, Any], None],
    ) -> None:
        self._gui, self._set, self._give, self._slide = gui, set_parameters, give, slide
        self.fields: dict[str, Any] = {}  # by path
        self.buttons: dict[str, Any] = {}  # by part or input
        self._values: dict[str, Any] = {}
        for placed in simulation.scenario.parts.values():
            if placed.is_outside:
                self._add_input(placed, simulation)
            elif placed.contract.parameters.fields:
                self._add_part(placed)

    def _add_part(self, placed: Any) -> None:
        shown = {
            field: np.asarray(getattr(placed.part, field.name))
            for field in placed.contract.parameters.fields
            if np.size(getattr(placed.part, field.name)) <= _LARGEST
        }
        if not shown:
            return
        with self._gui.add_folder(f"{placed.name} ({placed.contract.label})", expand_by_default=False):
            are_typed = [
                self._add_field(f"{placed.name}.{field.name}", field, value, self._slide)
                for field, value in shown.items()
            ]
            if any(are_typed):
                self._add_button(placed.name, self._apply_part)

    def _add_input(self, placed: Any, simulation: Simulation) -> None:
        port = simulation.scenario[placed.name].given
        # before anything is given to it, an input may have no message to show
        held = simulation[port] if placed.initial is not None else port.declaration.default(port.path)
        with self._gui.add_folder(f"input {placed.name} ({port.message.__name__})"):
            for field in port.declaration.fields:
                value = np.asarray(getattr(held, field.name))
                self._add_field(
                    f"{placed.name}.{field.name}",
                    field,
                    value,
                    lambda _, __, client: self._try(self._apply_input, placed.name, client),
                )
            self._add_button(placed.name, self._apply_input)

    def _add_field(self, path: str, field: Any, value: np.ndarray, moved: Callable[[str, Any, Any], None]) -> bool:
        """A slider, a box to tick or a field to type into; returns whether it has to be applied."""
        label = f"{field.name} [{field.unit}]"
        must = "; ".join(f"must be {constraint.text}" for constraint in field.constraints) or None
        self._values[path] = value.tolist()
        if value.ndim == 0 and field.field.kind == "bool":
            self.fields[path] = self._gui.add_checkbox(label, bool(value), hint=must)
            return True
        low, high = field.limits
        if value.ndim > 0 or not (np.isfinite(low) and np.isfinite(high) and low <= value <= high):
            self.fields[path] = self._gui.add_text(label, _text(value.tolist()), hint=must)
            return True
        is_whole = field.field.kind == "int"
        ends = (int(low), int(high), 1, int(value)) if is_whole else (low, high, (high - low) / _STEPS, float(value))
        slider = self.fields[path] = self._gui.add_slider(label, *ends, hint=must)
        slider.on_update(lambda event: moved(path, slider.value, event.client) if event.client is not None else None)
        return False

    def _add_button(self, name: str, apply: Callable[[str], None]) -> None:
        button = self._gui.add_button("apply")
        self.buttons[name] = button
        button.on_click(lambda event: self._try(apply, name, event.client))

    def _try(self, apply: Callable[[str], None], name: str, client: Any) -> None:
        try:
            apply(name)
        except CardanError as error:
            refuse(client, str(error))

    def _apply_part(self, name: str) -> None:
        changed = {path: value for path, value in self._read(name).items() if not _same(value, self._values[path])}
        if changed:
            self._set(changed)

    def _apply_input(self, name: str) -> None:
        self._give(name, {path.rpartition(".")[2]: value for path, value in self._read(name).items()})

    def _read(self, name: str) -> dict[str, Any]:
        """What stands in the fields of a part or input."""
        found: dict[str, Any] = {}
        for path, field in self.fields.items():
            if path.rpartition(".")[0] == name:
                found[path] = read_value(field.value, path) if isinstance(field.value, str) else field.value
        return found

    def applied(self, path: str, value: Any) -> None:
        """Take note of a value that a parameter now has."""
        if path in self.fields:
            self._values[path] = np.asarray(value).tolist()
            self.restore(path)

    def restore(self, path: str) -> None:
        """Let a field say what the parameter is, after another value was refused."""
        if path in self.fields:
            field, value = self.fields[path], self._values[path]
            shown = _text(value) if isinstance(field.value, str) else type(field.value)(value)
            if field.value != shown:
                field.value = shown


def refuse(client: Any, text: str) -> None:
    """Say in the page why something was not done."""
    if client is not None:
        client.add_notification("Not changed", text, color="red", auto_close_seconds=12.0)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _same(value: Any, other: Any) -> bool:
    return np.shape(value) == np.shape(other) and bool(np.array_equal(np.asarray(value), np.asarray(other)))
