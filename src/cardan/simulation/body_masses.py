"""Masses and inertias of bodies as values that differ from run to run: `bus.mass`, `bus.inertia_C_B`.

The centre of mass stays: frames and forces at it are part of the layout. Where it moves too, `body.mass_properties` is
an input, which may come from outside (`Scenario.input`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ImpossibleValue, SettingError, ShapeError, shown
from cardan.maths import dcm_from_quaternion
from cardan.mechanism import Mechanism
from cardan.mechanism.masses import mass_fault
from cardan.mechanism.plumbing.memory import MechanismMemory
from cardan.mechanism.ports import Role
from cardan.mechanism.tree import lump
from cardan.scenario.placed import MechanismInput

FIELDS = {"mass": (), "inertia_C_B": (3, 3)}


class LinkMasses(NamedTuple):
    """[kg], [m], [kg m^2] Mass, centre of mass and inertia about it of a link, in the link's own axes."""

    mass: Any
    com: Any
    inertia: Any


@dataclass(frozen=True)
class BodyMasses:
    """Mass properties of some bodies of a mechanism instead of those of its file.

    Attributes:
        mechanism: The mechanism, or None.
        inputs: What acts on it: a body whose mass properties are an input has none of its own.
        given: By path, such as `bus.mass`.
    """

    mechanism: Mechanism | None
    inputs: dict[str, MechanismInput]
    given: dict[str, np.ndarray] = field(default_factory=dict)

    def has(self, path: str) -> bool:
        """Whether a path names a mass property of a body."""
        body, _, name = str(path).rpartition(".")
        return self.mechanism is not None and name in FIELDS and body in self.mechanism.tree.body_mass

    def changed(self, values: Mapping[str, Any]) -> "BodyMasses":
        """The same with other values by path."""
        if not values:
            return self
        taken = {path: self.take(path, value) for path, value in values.items()}
        other = replace(self, given=self.given | taken)
        for body in {path.rpartition(".")[0] for path in taken}:
            own = other.of(body)
            fault = mass_fault(float(own.mass), np.asarray(own.inertia))
            if fault:
                raise ImpossibleValue(f"`{body}` would have mass properties that no body has.\n  {fault}")
        return other

    def take(self, path: str, value: Any) -> np.ndarray:
        """One value, checked for its shape and for being a number."""
        body, _, name = path.rpartition(".")
        if any(f.port.role is Role.MASS_PROPERTIES and body in f.port.elements for f in self.inputs.values()):
            raise SettingError(
                f"`{path}` cannot be set: the mass properties of `{body}` are an input, and come from what feeds it."
            )
        try:
            number = np.array(value, float)
        except (TypeError, ValueError):
            number = np.array(np.nan)
        if number.shape != FIELDS[name]:
            raise ShapeError(f"`{path}` has the wrong shape.\n  expected {FIELDS[name]}\n  got      {number.shape}")
        if not np.isfinite(number).all():
            raise ImpossibleValue(f"`{path}` = {shown(value)} is not finite.")
        return number

    def of(self, body: str) -> LinkMasses:
        """Of one body, in its own axes."""
        assert self.mechanism is not None
        mass, com, inertia = self.mechanism.tree.body_mass[body]
        return LinkMasses(self.given.get(f"{body}.mass", mass), com, self.given.get(f"{body}.inertia_C_B", inertia))

    def links(self) -> dict[int, LinkMasses]:
        """Of every link that one of these bodies belongs to."""
        if self.mechanism is None:
            return {}
        tree = self.mechanism.tree
        found = {}
        for link in {tree.bodies[path.rpartition(".")[0]].link for path in self.given}:
            pieces = []
            for body, frame in tree.bodies.items():
                if frame.link == link and body in tree.body_mass:
                    mass, com, inertia = self.of(body)
                    turn = dcm_from_quaternion(frame.quat).T
                    pieces.append((mass, frame.pos + turn @ com, turn @ inertia @ turn.T))
            found[link] = LinkMasses(*lump(pieces))
        return found

    def rows(self) -> dict[tuple[str, int], Any]:
        """What changes in the arrays of a mechanism, by name and row: of the links, and of the bodies themselves."""
        found: dict[tuple[str, int], Any] = {}
        for link, values in self.links().items():
            for prefix in ("", "fixed_"):
                found |= {(prefix + name, link): value for name, value in values._asdict().items()}
        bodies = list(self.mechanism.tree.body_mass) if self.mechanism is not None else []
        for body in {path.rpartition(".")[0] for path in self.given}:
            own, row = self.of(body), bodies.index(body)
            found |= {("body_mass", row): own.mass, ("body_inertia", row): own.inertia}
        return found

    def write(self, arena: np.ndarray, memory: MechanismMemory) -> None:
        """Put them into an arena."""
        for (name, row), value in self.rows().items():
            memory.array(arena, name)[row] = value
