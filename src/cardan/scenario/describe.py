"""A scenario in words: the table that `print(scn)` shows, and the description that a log carries."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.errors import WiringError
from cardan.scenario.clock import seconds
from cardan.scenario.order import evaluation_order
from cardan.scenario.placed import Placed
from cardan.scenario.ports import Connection
from cardan.scenario.scenario import Scenario


def description(
    scenario: Scenario, parts: Mapping[str, Placed] | None = None, seed: int | None = None
) -> dict[str, Any]:
    """Everything that defines a scenario, with other parameters or another seed maybe, as plain data for JSON."""
    when = {} if scenario.epoch is None else {"epoch": scenario.epoch.utc}
    return (
        {
            "name": scenario.name,
            "seed": scenario.seed if seed is None else seed,
            "parts": {placed.name: _part(placed) for placed in (scenario.parts if parts is None else parts).values()},
        }
        | when
        | _mechanism(scenario)
        | _changes(scenario)
    )


def table(scenario: Scenario) -> str:
    """Parts, rates, connections and evaluation order, as text; what keeps an unfinished scenario from running."""
    parts = scenario.parts
    rows = [("part", "class", "runs")] + [(p.name, p.contract.label, _rate(p)) for p in parts.values()]
    wires = [("input", "", "source")] + [
        (f"{p.name}.{name}", "<-", source_text(p.inputs.get(name), p.contract.inputs[name].default))
        for p in parts.values()
        for name in p.contract.inputs
    ]
    wires += [
        (path, "<-", " + ".join(source_text(connection) for connection in fed.connections))
        for path, fed in scenario.mechanism_inputs.items()
    ]
    for path in dict.fromkeys(change.path for change in scenario.changes):
        wires.append((path, "<-", ", ".join(str(change) for change in scenario.changes if change.path == path)))
    lines = [f"scenario {scenario.name}, seed {scenario.seed}"]
    if scenario.epoch is not None:
        lines.append(f"epoch {scenario.epoch.utc}")
    if scenario.mechanism is not None:
        lines.append(f"mechanism {scenario.mechanism.name}: {scenario.mechanism.census}")
        if scenario.mechanism.left_out:
            lines.append(f"left out: {scenario.mechanism.left_out.summary}")
    lines.append("")
    lines += _columns(rows)
    if len(wires) > 1:
        lines += ["", *_columns(wires)]
    return "\n".join([*lines, "", *_order(scenario)])


def _order(scenario: Scenario) -> list[str]:
    """What is evaluated at every stage and at every tick, or why nothing can be."""
    try:
        order = evaluation_order(scenario)
    except WiringError as error:
        return ["not ready to run:", *str(error).splitlines()]
    stage = [_node(node) for node in order.outputs if node in order.stage_outputs]
    stage += [f"{p.name}.derivatives" for p in scenario.parts.values() if "derivatives" in p.contract.methods]
    tick = [*(_node(node) for node in order.outputs), *order.tasks]
    return [f"every stage: {', '.join(stage) or 'nothing'}", f"every tick:  {', '.join(tick) or 'nothing'}"]


def source_text(connection: Connection | None, default: Any = None) -> str:
    """What feeds an input, in a few words."""
    if connection is None:
        return "nothing" if default is None else f"default {_message_text(default)}"
    if connection.source is None:
        return f"constant {_message_text(connection.constant)}"
    return connection.source.path + (f" (delay {connection.delay})" if connection.delay else "")


def _node(node: tuple[str, str]) -> str:
    """An output, or a service of the mechanism."""
    return f"{node[0] or 'mechanism'}.{node[1]}"


def _mechanism(scenario: Scenario) -> dict[str, Any]:
    """The mechanism of a scenario: its file, what acts on it, and how it starts."""
    if scenario.mechanism is None:
        return {}
    return {
        "mechanism": {
            "name": scenario.mechanism.name,
            "mjcf": scenario.mechanism.mjcf,
            "left_out": {kind: list(names) for kind, names in scenario.mechanism.left_out.items()},
            "inputs": {
                path: [source_text(connection) for connection in fed.connections]
                for path, fed in scenario.mechanism_inputs.items()
            },
            "acts_on": {path: list(fed.port.elements) for path, fed in scenario.mechanism_inputs.items()},
            "start": {name: _message_text(state) for name, state in scenario.initial_states.items()},
            "contact_pairs": list(scenario.mechanism.contact_pairs),
            "drawing": scenario.mechanism.drawing,
        }
    }


def _changes(scenario: Scenario) -> dict[str, Any]:
    """The parameters that change during a run."""
    found: list[dict[str, Any]] = []
    for change in scenario.changes:
        fields = scenario.parts[change.part].contract.parameters.fields
        unit = next(declared.unit for declared in fields if declared.name == change.parameter)
        how = (
            {"at_s": seconds(change.at), "value": np.asarray(change.value).tolist()}
            if change.source is None
            else {"by": change.source.path}
        )
        found.append({"parameter": change.path, "unit": unit} | how)
    return {"changes": found} if found else {}


def _message_text(message: Any) -> str:
    values = ", ".join(f"{name}={np.asarray(value).tolist()}" for name, value in message._asdict().items())
    return f"{type(message).__name__}({values})"


def _part(placed: Placed) -> dict[str, Any]:
    contract = placed.contract
    described: dict[str, Any] = {
        "kind": contract.kind,
        "class": f"{contract.type.__module__}.{contract.type.__qualname__}",
        "parameters": {
            declared.name: {"value": np.asarray(getattr(placed.part, declared.name)).tolist(), "unit": declared.unit}
            for declared in contract.parameters.fields
        }
        | {name: {"value": repr(getattr(placed.part, name)), "unit": ""} for name in contract.objects},
        "inputs": {name: source_text(placed.inputs.get(name), port.default) for name, port in contract.inputs.items()},
        "outputs": {name: message.__name__ for name, message in contract.outputs.items()},
    }
    if placed.is_task:
        described |= {"every_s": seconds(placed.period), "offset_s": seconds(placed.offset)}
    return described


def _rate(placed: Placed) -> str:
    if not placed.is_held:
        return "every stage"
    if not placed.is_task:
        return "given from outside"
    offset = f" from {seconds(placed.offset):g} s" if placed.offset else ""
    return f"every {seconds(placed.period):g} s{offset}"


def _columns(rows: list[tuple[str, str, str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return ["  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
