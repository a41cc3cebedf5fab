"""Numbers of a scenario's mechanism that differ from run to run: `bus.mass`, `elbow.damping`, `nozzle.r_SB_B`."""

from collections.abc import Iterable

from cardan.contracts.dynamics import Dynamics, unsupported_text
from cardan.errors import ImpossibleValue, SettingError, UnknownName, did_you_mean
from cardan.mechanism.changing import BODY, JOINT, POSE, SITE, is_on_joint, why_not
from cardan.mechanism.ports import Role
from cardan.mechanism.support import connected_inputs
from cardan.scenario.scenario import Scenario


def has_number(scenario: Scenario, path: str) -> bool:
    """Whether a path names a number of the mechanism; an error if it names another number of one of its elements."""
    mechanism = scenario.mechanism
    if mechanism is None or mechanism.number_at(path) is not None:
        return mechanism is not None
    element, _, name = str(path).rpartition(".")
    if element in scenario.parts:
        return False
    is_placed = element in mechanism.bodies and is_on_joint(mechanism.model, element)
    for kind, known, numbers in (
        ("body", mechanism.bodies, (*BODY, *(POSE if is_placed else ()))),
        ("joint", mechanism.joints, JOINT),
        ("site", mechanism.sites, SITE),
    ):
        if element.removesuffix(".site") in known:
            names = [number.name for number in numbers]
            raise UnknownName(
                f"The {kind} `{element}` has no number `{name}`.{did_you_mean(name, names)}\n"
                f"  numbers: {', '.join(names)}"
            )
    return False


def check_numbers(scenario: Scenario, paths: Iterable[str]) -> None:
    """Refuse mass properties that are an input: what feeds it would overwrite them."""
    for path in paths:
        element, _, name = path.rpartition(".")
        inputs = scenario.mechanism_inputs.values()
        if name in ("mass", "r_CB_B", "inertia_B") and any(
            fed.port.role is Role.MASS_PROPERTIES and element in fed.port.elements for fed in inputs
        ):
            raise SettingError(
                f"`{path}` cannot be set: the mass properties of `{element}` are an input, and come from what feeds it."
            )


def check_varies(scenario: Scenario, dynamics: Dynamics | None, paths: Iterable[str]) -> None:
    """Refuse numbers that a service cannot give to each run."""
    mechanism = scenario.mechanism
    for path in paths:
        if mechanism is None or dynamics is None:
            return
        if not dynamics.varies:
            raise SettingError(
                f"`{path}` cannot vary with {dynamics.name}: it is made for one mechanism with given numbers.\n"
                "  Use RecursiveTree(), BackSubstitution() or Mujoco(), or make a simulation for each value."
            )
        check_numbers(scenario, [path])
        numbered = mechanism.number_at(path)
        refusal = "" if numbered is None else why_not(mechanism.model, numbered)
        if refusal:
            raise ImpossibleValue(f"`{path}` cannot be changed: {refusal}.")
        if numbered is not None and numbered.kind == "joint" and numbered.number.name != "rest":
            inputs = connected_inputs(scenario.mechanism_inputs)
            before = dynamics.unsupported(mechanism, inputs)
            missing = [
                item for item in dynamics.unsupported(mechanism.changed({path: 1.0}), inputs) if item not in before
            ]
            if missing:
                raise SettingError(f"`{path}` cannot vary with {dynamics.name}:\n{unsupported_text(missing)}")
