"""Interception: a part between an output and its readers, of which neither knows."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.contracts.part import contract_of
from cardan.errors import MessageTypeError, WiringError, with_article
from cardan.mechanism.ports import MechanismPort
from cardan.scenario.ports import Connection, Delayed, PartHandle, Port, check_owner

if TYPE_CHECKING:
    from cardan.scenario.scenario import Scenario

Source = Port | MechanismPort


class Reader(NamedTuple):
    """An input, and where the connection that feeds it stands: in the inputs of a part, or among what is summed."""

    path: str
    held_in: Any
    key: Any

    @property
    def connection(self) -> Connection:
        found: Connection = self.held_in[self.key]
        return found

    @property
    def source(self) -> Source:
        """The output that it reads."""
        source = self.connection.source
        assert source is not None
        return source


class Interception(NamedTuple):
    """What is to be done.

    Attributes:
        input: The input of the part that reads the port.
        output: The output of the part that is read instead.
        source: What the part reads: the port, or the part that was put behind it last.
        readers: Who reads the part instead.
    """

    input: str
    output: str
    source: Source | Delayed
    readers: list[Reader]

    def rewire(self, scenario: "Scenario", part: PartHandle) -> None:
        """Let the readers read the part, which has been added."""
        inputs = scenario.parts[part.name].inputs
        inputs[self.input] = replace(inputs[self.input], intercepts=True)
        for reader in self.readers:
            passed = (*reader.connection.intercepted, reader.source)
            reader.held_in[reader.key] = replace(
                reader.connection, source=getattr(part, self.output), intercepted=passed
            )


def interception(
    scenario: "Scenario",
    port: Any,
    part: Any,
    readers: Any,
    input_name: str | None,
    output_name: str | None,
    others: Mapping[str, Any],
) -> Interception:
    """How `part` comes between `port` and its readers; nothing is changed yet."""
    source = port.port if isinstance(port, Delayed) else port
    if not isinstance(source, Port | MechanismPort) or not source.is_output:
        told = f"`{source.path}`, which is an input" if isinstance(source, Port | MechanismPort) else repr(source)
        raise WiringError(f"Cannot intercept {told}.\n  Intercept an output, e.g. `ctl.torque` or `bus.motion`.")
    check_owner(scenario, source, f"than `{scenario.name}`")
    message = source.message
    contract = contract_of(part).of(message)
    takes = [name for name, each in contract.inputs.items() if each.message is message and name not in others]
    sends = [name for name, sent in contract.outputs.items() if sent is message]
    chosen = [
        _one_of(contract.label, given, ports, all_of, message.__name__, what)
        for given, ports, all_of, what in (
            (input_name, takes, contract.inputs, "input"),
            (output_name, sends, contract.outputs, "output"),
        )
    ]
    found = _chosen_readers(scenario, source, readers)
    present = _present_source(source, found)
    behind = Delayed(present, port.ticks, port.initial) if isinstance(port, Delayed) else present
    return Interception(chosen[0], chosen[1], behind, found)


def _one_of(part: str, given: str | None, ports: list[str], every: Iterable[str], message: str, what: str) -> str:
    """The port of the part that carries the message."""
    verb = "take" if what == "input" else "send"
    if given is not None:
        if given in ports:
            return given
        raise MessageTypeError(
            f"{part} cannot intercept {with_article(message)} by its {what} `{given}`.\n"
            f"  {f'These {verb} one' if ports else f'No {what} of it {verb}s one'}"
            f"{': ' + ', '.join(ports) if ports else '; it has: ' + (', '.join(every) or 'none')}"
        )
    if not ports:
        raise MessageTypeError(
            f"{part} cannot intercept {with_article(message)}: it has no {what} that {verb}s one.\n"
            f"  {what}s: {', '.join(every) or 'none'}\n"
            "  Use a part that takes this message and sends it, or one that passes on any message."
        )
    if len(ports) > 1:
        raise MessageTypeError(
            f"{part} has several {what}s that {verb} {with_article(message)}: {', '.join(ports)}.\n"
            f'  Say which: `{what}="{ports[0]}"`.'
        )
    return ports[0]


def _chosen_readers(scenario: "Scenario", port: Source, readers: Any) -> list[Reader]:
    present = readers_of(scenario, port)
    if not present:
        raise WiringError(
            f"Nobody reads `{port.path}` yet, so there is nothing to intercept.\n"
            "  Intercept it when its readers are connected."
        )
    if readers is None:
        return present
    chosen = [readers] if isinstance(readers, Port | MechanismPort) else list(readers)
    for reader in chosen:
        if not isinstance(reader, Port | MechanismPort):
            raise WiringError(f"{reader!r} is no port.\n  Give inputs as `readers`, e.g. `readers=motor.command`.")
        check_owner(scenario, reader, f"than `{scenario.name}`")
    paths = [reader.path for reader in chosen]
    known = list(dict.fromkeys(reader.path for reader in present))
    unknown = [path for path in paths if path not in known]
    if unknown or not paths:
        told = f"`{unknown[0]}` does not read `{port.path}`." if unknown else "`readers` names no input."
        raise WiringError(f"{told}\n  These read `{port.path}`: {', '.join(known)}")
    return [reader for reader in present if reader.path in paths]


def _present_source(port: Source, readers: list[Reader]) -> Source:
    """What readers of a port read by now, where parts were put between before."""
    by_path = {reader.source.path: reader for reader in readers}
    if len(by_path) > 1:
        one, other = list(by_path.values())[:2]
        raise WiringError(
            f"Readers of `{port.path}` read different outputs by now: `{one.path}` reads `{one.source.path}`, "
            f"`{other.path}` reads `{other.source.path}`.\n"
            "  Intercept them one after the other, with `readers=...`."
        )
    return next(iter(by_path.values())).source


def readers_of(scenario: "Scenario", port: Source) -> list[Reader]:
    """Every input that reads `port`, directly or behind parts that were put between."""
    found = [
        Reader(f"{placed.name}.{name}", placed.inputs, name)
        for placed in scenario.parts.values()
        for name in placed.inputs
    ]
    found += [
        Reader(path, fed.connections, i)
        for path, fed in scenario.mechanism_inputs.items()
        for i in range(len(fed.connections))
    ]
    return [reader for reader in found if _reads(reader.connection, port)]


def _reads(connection: Connection, port: Source) -> bool:
    if connection.source is None or connection.intercepts:
        return False
    return port.path in [passed.path for passed in (*connection.intercepted, connection.source)]
