"""Ports and the connections between them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cardan.contracts.fields import Declaration
from cardan.contracts.message import message_declaration
from cardan.contracts.part import PartContract
from cardan.errors import UnknownPort, WiringError, did_you_mean
from cardan.mechanism.ports import Body, Element, MechanismPort

if TYPE_CHECKING:
    from cardan.scenario.scenario import Scenario


@dataclass(frozen=True, eq=False)
class Port:
    """A named end of a connection, on one part of one scenario.

    Attributes:
        part: The name of the part.
        name: The name of the port.
        message: The class of message it carries.
        is_output: Whether it sends.
        scenario: The scenario it belongs to.
    """

    part: str
    name: str
    message: Any
    is_output: bool
    scenario: "Scenario"

    @property
    def path(self) -> str:
        return f"{self.part}.{self.name}"

    @property
    def declaration(self) -> Declaration:
        return message_declaration(self.message)

    def delayed(self, ticks: int, initial: Any = None) -> "Delayed":
        """The output as it was some ticks ago; `initial` is what it was before the run began."""
        return Delayed(self, ticks, initial)

    def __repr__(self) -> str:
        return f"<{'output' if self.is_output else 'input'} {self.path}: {self.message.__name__}>"


@dataclass(frozen=True)
class Delayed:
    """An output port, seen a number of ticks late."""

    port: "Port | MechanismPort"
    ticks: int
    initial: Any


@dataclass(frozen=True)
class Connection:
    """What feeds an input.

    Attributes:
        source: The output port, or None where the message is constant.
        constant: The constant message, or None.
        delay: [ticks] of the writer if it is a task, else of the reader.
        initial: The message a delayed reader sees before the first one arrives, or None for the message's default.
        intercepted: The outputs that fed the input before parts were put between, the first one first; a delay counts
            ticks as it did then.
        intercepts: Whether it feeds a part that was put between.
    """

    source: Port | MechanismPort | None = None
    constant: Any = None
    delay: int = 0
    initial: Any = None
    intercepted: tuple[Port | MechanismPort, ...] = ()
    intercepts: bool = False

    @property
    def writer(self) -> Port | MechanismPort | None:
        """The output behind all parts that were put between."""
        return self.intercepted[0] if self.intercepted else self.source


class PartHandle:
    """A part in a scenario. Its ports are attributes: `ctl.torque`."""

    def __init__(self, scenario: "Scenario", name: str, contract: PartContract) -> None:
        self._scenario = scenario
        self._name = name
        self._contract = contract

    @property
    def name(self) -> str:
        return self._name

    def __getattr__(self, port: str) -> Port:
        if port.startswith("_"):
            raise AttributeError(port)
        contract = self._contract
        if port in contract.outputs:
            return Port(self._name, port, contract.outputs[port], True, self._scenario)
        if port in contract.inputs:
            return Port(self._name, port, contract.inputs[port].message, False, self._scenario)
        raise UnknownPort(no_such_port(self._name, contract, port))

    def __dir__(self) -> list[str]:
        return ["name", *self._contract.outputs, *self._contract.inputs]

    def __repr__(self) -> str:
        return f"<{self._contract.kind} {self._name} ({self._contract.label})>"


def no_such_port(name: str, contract: PartContract, port: str) -> str:
    """The text for a port that does not exist."""
    ports = [*contract.outputs, *contract.inputs]
    return (
        f"`{name}` ({contract.label}) has no port `{port}`.{did_you_mean(port, ports)}\n"
        f"  outputs: {', '.join(contract.outputs) or 'none'}\n"
        f"  inputs:  {', '.join(contract.inputs) or 'none'}"
    )


def as_connection(
    scenario: "Scenario", source: Any, target: Port | MechanismPort, delay: int = 0, initial: Any = None
) -> Connection:
    """`source` (a port, a delayed port or a constant message) as what feeds `target`, or an error."""
    if isinstance(source, Delayed):
        if delay or initial is not None:
            raise WiringError(
                f"`{target.path}` is given a delay twice.\n  Use either `delayed(...)` or the arguments of `connect`."
            )
        source, delay, initial = source.port, source.ticks, source.initial
    if isinstance(source, Port | MechanismPort):
        if not source.is_output:
            raise WiringError(
                f"`{target.path}` cannot be fed from `{source.path}`, which is an input itself.\n"
                "  Connect it to the output that feeds that input."
            )
        check_owner(scenario, source, f"than `{target.path}`")
        if not isinstance(delay, int) or delay < 0:
            raise WiringError(
                f"The delay from `{source.path}` to `{target.path}` is {delay!r}.\n  Use a whole number of ticks."
            )
        if initial is not None and not delay:
            raise WiringError(
                f"The connection from `{source.path}` to `{target.path}` has an `initial` message, but no delay.\n"
                "  Remove it, or give the connection a delay."
            )
        return Connection(source=source, delay=delay, initial=initial)
    if isinstance(source, Element):
        raise WiringError(
            f"`{target.path}` was given `{source.name}` itself instead of one of its ports.\n"
            f"  Use e.g. `{source.name}.{'motion' if isinstance(source, Body) else 'state'}`."
        )
    if isinstance(source, PartHandle):
        options = [f"{source.name}.{name}" for name in dir(source) if name != "name"]
        raise WiringError(
            f"`{target.path}` was given the part `{source.name}` instead of one of its ports.\n"
            f"  Use one of: {', '.join(options) or 'it has none'}"
        )
    if delay or initial is not None:
        raise WiringError(f"`{target.path}` is constant, so a delay has no meaning.\n  Remove the delay.")
    return Connection(constant=source)


def check_owner(scenario: "Scenario", port: Port | MechanismPort, than: str) -> None:
    """Raise unless `port` belongs to `scenario`, or to its mechanism."""
    if isinstance(port, Port) and port.scenario is not scenario:
        raise WiringError(f"`{port.path}` belongs to another scenario {than}.")
    if isinstance(port, MechanismPort) and port.mechanism is not scenario.mechanism:
        raise WiringError(
            f"`{port.path}` belongs to the mechanism `{port.mechanism.name}`, which is not the one of scenario "
            f"`{scenario.name}`.\n  Make the scenario with `Scenario(..., mechanism=...)`."
        )
    if isinstance(port, MechanismPort) and port.part in scenario.parts:
        raise WiringError(f"`{port.part}` is the name of a part and of a group of `{port.mechanism.name}`.")
