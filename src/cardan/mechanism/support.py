"""What is connected to a mechanism, and whether a dynamics service can do it."""

from collections.abc import Mapping
from typing import Any

from cardan.contracts.dynamics import Dynamics, Inputs, unsupported_text
from cardan.errors import UnsupportedByDynamics
from cardan.mechanism.coordinates import Fed
from cardan.mechanism.mechanism import Mechanism
from cardan.mechanism.plumbing.kinds import TABLES


def connected_inputs(inputs: Mapping[str, Fed]) -> Inputs:
    """What a service is told of the inputs that are connected."""
    told: dict[str, set[str]] = {table.told: set() for table in TABLES if table.told}
    for table in TABLES:
        for fed in inputs.values():
            if table.told and fed.port.role in table.roles:
                told[table.told] |= set(fed.port.elements)
    found: dict[str, Any] = {name: frozenset(elements) for name, elements in told.items()}
    return Inputs(**found)


def check_supported(dynamics: Dynamics, mechanism: Mechanism, inputs: Mapping[str, Fed]) -> None:
    """Raise with the complete list of what the service cannot do."""
    missing = dynamics.unsupported(mechanism, connected_inputs(inputs))
    if missing:
        raise UnsupportedByDynamics(
            f"{dynamics.name} cannot run the mechanism `{mechanism.name}`:\n{unsupported_text(missing)}"
        )
