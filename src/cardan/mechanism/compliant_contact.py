"""`CompliantContact`: two shapes that push each other back where they touch."""

from itertools import product
from typing import TYPE_CHECKING, Annotated, NamedTuple

import mujoco

from cardan.contracts.dynamics import Unsupported
from cardan.errors import SettingError
from cardan.mechanism.contact_sides import side_of

if TYPE_CHECKING:
    from cardan.mechanism.mechanism import Mechanism

_PLANE, _SPHERE = int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_SPHERE)
_KNOWN = (_PLANE, _SPHERE, int(mujoco.mjtGeom.mjGEOM_CYLINDER), int(mujoco.mjtGeom.mjGEOM_BOX))

Touching = tuple[int, int]
"""The number of the shape that gives points, and of the one that is a solid for them."""


class CompliantContact(NamedTuple):
    """Contact between two shapes, or between all shapes of two bodies: spring, damper, friction.

    Shapes are spheres, boxes, planes and cylinders (with their ends as eight points of the rim each).

        pressure = max(0, stiffness depth (1 + dissipation depth') + damping depth')
        drag     = friction pressure v_t / sqrt(v_t^2 + slip_speed^2)

    Attributes:
        first: The name of a body, or of a shape; a shape is `<name>.geom` where a body has its name too.
        second: The same of the other side.
        stiffness: [N/m] At each place where they touch.
        damping: [N s/m] Of Kelvin and Voigt: it begins with a jump.
        dissipation: [s/m] Of Hunt and Crossley: it begins with zero.
        friction: [-] Coefficient of dry friction.
        slip_speed: [m/s] Speed at which friction has seven tenths of its size.
    """

    first: str
    second: str
    stiffness: Annotated[float, "N/m"]
    damping: Annotated[float, "N s/m"] = 0.0
    dissipation: Annotated[float, "s/m"] = 0.0
    friction: Annotated[float, "-"] = 0.0
    slip_speed: Annotated[float, "m/s"] = 1.0e-3

    def scoped(self, prefix: str) -> "CompliantContact":
        """The same in a mechanism that it is attached to."""
        return self._replace(first=prefix + self.first, second=prefix + self.second)


def check_compliant(contact: CompliantContact) -> None:
    """Refuse numbers with which it could not push."""
    pair = f"The contact of `{contact.first}` with `{contact.second}`"
    for name in ("stiffness", "slip_speed"):
        if not 0.0 < getattr(contact, name) < float("inf"):
            raise SettingError(f"{pair}: {name} must be positive and finite.")
    for name in ("damping", "dissipation", "friction"):
        if not 0.0 <= getattr(contact, name) < float("inf"):
            raise SettingError(f"{pair}: {name} must not be negative or infinite.")


def shapes_of(mechanism: "Mechanism", name: str) -> list[int]:
    """The numbers of the shapes that a name stands for."""
    side, model = side_of(mechanism._spec, mechanism.name, name), mechanism.model
    if side.shape:
        return [int(model.geom(side.shape).id)]
    body = model.body(side.body).id
    return [i for i in range(model.ngeom) if model.geom_bodyid[i] == body]


def touching_shapes(mechanism: "Mechanism", contact: CompliantContact) -> list[Touching]:
    """Which shape gives points and which is the solid: spheres are points, planes solids, others are both."""
    kinds, found = mechanism.model.geom_type, []
    for one, two in product(shapes_of(mechanism, contact.first), shapes_of(mechanism, contact.second)):
        if (kinds[one] != _PLANE and kinds[two] != _SPHERE) or kinds[one] == kinds[two] == _SPHERE:
            found.append((one, two))
        if kinds[two] != _PLANE and kinds[one] != _SPHERE:
            found.append((two, one))
    return found


def unknown_shapes(mechanism: "Mechanism", contact: CompliantContact) -> list[Unsupported]:
    """What of a contact is not known."""
    model = mechanism.model
    remedy = "Give it spheres, boxes, planes and cylinders that move relative to each other, or use Mujoco()."
    sides = {name: shapes_of(mechanism, name) for name in (contact.first, contact.second)}
    found = [Unsupported(name, "body without shapes", remedy) for name, shapes in sides.items() if not shapes]
    for name, shapes in sides.items():
        if any(int(model.geom_type[shape]) not in _KNOWN for shape in shapes):
            found.append(Unsupported(name, "shape without compliant contact", remedy))
    first, second = sides.values()
    fixed = [
        shape for shape in product(first, second)
        if model.body_weldid[model.geom_bodyid[shape[0]]] == model.body_weldid[model.geom_bodyid[shape[1]]]
    ]  # fmt: skip
    if fixed:
        names = f"{contact.first} with {contact.second}"
        found.append(Unsupported(names, "contact of shapes that are fixed to each other", remedy))
    elif not found and not touching_shapes(mechanism, contact):
        found.append(Unsupported(f"{contact.first} with {contact.second}", "contact of two planes", remedy))
    return found


def bodies_of(mechanism: "Mechanism", contact: CompliantContact) -> set[tuple[int, int]]:
    """The pairs of bodies, by number, whose contact it is."""
    owner = mechanism.model.geom_bodyid
    shapes = product(shapes_of(mechanism, contact.first), shapes_of(mechanism, contact.second))
    return {(min(a, b), max(a, b)) for a, b in ((int(owner[one]), int(owner[two])) for one, two in shapes)}
