"""The sides of a pair of bodies or shapes whose contact is looked at."""

from typing import Any, NamedTuple

from cardan.errors import UnknownName, did_you_mean


class Side(NamedTuple):
    """A body, or one of its shapes.

    Attributes:
        body: The name of the body; empty for any.
        shape: The name of the shape; empty for any of the body.
    """

    body: str = ""
    shape: str = ""

    def scoped(self, prefix: str) -> "Side":
        """The same in a mechanism that it is attached to."""
        return Side(prefix + self.body if self.body else "", prefix + self.shape if self.shape else "")


def side_of(spec: Any, mechanism: str, name: str) -> Side:
    """The body of this name, or else the shape; `<name>.geom` is the shape. An empty name is anything."""
    if not name:
        return Side()
    if spec.body(name) is not None:
        return Side(name)
    shape = spec.geom(name.removesuffix(".geom"))
    if shape is None:
        names = [each.name for each in (*spec.bodies, *spec.geoms) if each.name]
        raise UnknownName(f"`{mechanism}` has no body and no shape `{name}`.{did_you_mean(name, names)}")
    return Side(str(shape.parent.name), str(shape.name))
