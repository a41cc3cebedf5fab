"""What is an argument of a function rather than a constant: parameters of parts, numbers of the mechanism."""

from collections.abc import Mapping, Sequence

import numpy as np

from cardan.errors import UnknownName
from cardan.mechanism.changing import Numbered
from cardan.native.layout import KINDS
from cardan.scenario.placed import Placed, part_named
from cardan.scenario.scenario import Scenario
from cardan.simulation.numbers import check_numbers, has_number


def take_varied(
    scenario: Scenario, parts: Mapping[str, Placed], varies: Sequence[str]
) -> tuple[dict[str, np.ndarray], dict[str, Numbered]]:
    """The present values of what varies, by path, and which of the paths name numbers of the mechanism."""
    if isinstance(varies, str):
        varies = [varies]
    values: dict[str, np.ndarray] = {}
    numbers: dict[str, Numbered] = {}
    for path in varies:
        if has_number(scenario, path):
            assert scenario.mechanism is not None
            numbered = scenario.mechanism.number_at(path)
            assert numbered is not None
            check_numbers(scenario, [path])
            numbers[path] = numbered
            values[path] = np.asarray(numbered.number.own(scenario.mechanism.model, numbered.row), float)
            continue
        part, dot, name = str(path).rpartition(".")
        if not dot:
            raise UnknownName(f"`{path}` is not the path of a parameter.\n  Write `part.parameter`, e.g. `ctl.K`.")
        values[path] = _parameter(part_named(parts, part, path), name, path)
    return values, numbers


def _parameter(placed: Placed, name: str, path: str) -> np.ndarray:
    fields = {field.name: field.field for field in placed.contract.parameters.fields}
    if name not in fields:
        raise UnknownName(
            f"`{placed.name}` ({placed.contract.label}) has no parameter `{name}`.\n"
            f"  parameters: {', '.join(fields) or 'none'}"
        )
    return np.asarray(getattr(placed.part, name), KINDS[fields[name].kind])
