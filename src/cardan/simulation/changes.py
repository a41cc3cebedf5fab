"""Whether parameters may change while memory stays as it is."""

from contextlib import suppress
from typing import Any

import numpy as np

from cardan.errors import CardanError, SettingError
from cardan.scenario.changes import Change, with_changes
from cardan.scenario.placed import Placed, with_parameter
from cardan.scenario.scenario import Scenario
from cardan.scenario.sizes import Sizes, find_sizes


def check_sizes_stay(scenario: Scenario, sizes: Sizes) -> None:
    """Refuse changes of parameters that sizes of states or messages depend on."""
    shapes = _shapes(sizes)
    for change in scenario.changes:
        if np.ndim(getattr(scenario.parts[change.part].part, change.parameter)) > 0:
            continue  # an array keeps its shape
        for parts in _tried(scenario, change):
            if _shapes_with(parts) not in (None, shapes):
                raise SettingError(
                    f"`{change.path}` cannot change during a run: sizes of states or messages depend on it, and memory "
                    "is laid out once.\n  Make a simulation for each value."
                )


def _tried(scenario: Scenario, change: Change) -> list[dict[str, Placed]]:
    """The parts with the value that a parameter is to have, or, where a message will say it, with its neighbours."""
    if change.source is None:
        return [with_changes(scenario.parts, scenario.changes, change.at)]
    present = getattr(scenario.parts[change.part].part, change.parameter)
    values = [not present] if isinstance(present, bool | np.bool_) else [present + 1, present - 1]
    found = []
    for value in values:
        with suppress(CardanError):  # it cannot have this value
            found.append(scenario.parts | {change.part: with_parameter(scenario.parts, change.path, value)})
    return found


def _shapes_with(parts: dict[str, Placed]) -> Any:
    """The shapes that follow from other parameters; None where these give none."""
    try:
        return _shapes(find_sizes(parts))
    except Exception:  # whatever a part makes of a value that nobody has given
        return None


def _shapes(sizes: Sizes) -> Any:
    return [
        {key: [np.shape(field) for field in value] for key, value in found.items()}
        for found in (sizes.states, sizes.outputs)
    ]
