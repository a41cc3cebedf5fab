"""How the members of a batch begin: initial states of parts and of a mechanism, for many rows at once."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.contracts.fields import Declaration
from cardan.errors import NotFinite, SettingError, ShapeError, UnknownName, did_you_mean, shown
from cardan.maths import quaternion_from_mrp
from cardan.mechanism.coordinates import check_limits, link_to_start, started_with
from cardan.mechanism.tree import FREE
from cardan.native.layout import Field
from cardan.simulation.layout import Layout
from cardan.simulation.places import Place


class Starts:
    """Turns initial states into words of rows.

    Args:
        layout: Where everything lies.
        members: How many rows there are.
    """

    def __init__(self, layout: Layout, members: int) -> None:
        self._layout = layout
        self._members = members

    def take(self, states: Mapping[Any, Any], mask: np.ndarray) -> list[tuple[int, np.ndarray]]:
        """Where in a row `states` go, and what is written there, (N, words); only members in `mask` are checked."""
        if not isinstance(states, Mapping):
            raise SettingError(f"reset({shown(states)}).\n  Use a dictionary, e.g. `{{plant: PlantState(...)}}`.")
        found = []
        for part, value in states.items():
            name = str(getattr(part, "name", part))
            place = (self._layout.state_places | self._layout.memories).get(name)
            if place is not None:
                found += self._of_part(name, place, value, mask)
            elif self._layout.scenario.mechanism is not None:
                found += self._of_element(name, value, mask)
            else:
                known = [*self._layout.state_places, *self._layout.memories]
                raise UnknownName(
                    f"`{name}` has no state to reset.{did_you_mean(name, known)}\n"
                    f"  These have one: {', '.join(known) or 'none'}"
                )
        return found

    def _of_part(self, name: str, place: Place, value: Any, mask: np.ndarray) -> list[tuple[int, np.ndarray]]:
        declared = self._layout.scenario.parts[name].contract.state
        assert declared is not None
        taken = self._checked(declared, place.block.fields, value, f"{name}.state", mask)
        return [
            (place.at + where.start, values.view(float).reshape(self._members, -1))
            for values, where in zip(taken, place.block.slices, strict=True)
        ]

    def _of_element(self, name: str, value: Any, mask: np.ndarray) -> list[tuple[int, np.ndarray]]:
        layout = self._layout
        mechanism, integrated, place = layout.scenario.mechanism, layout.integrated, layout.coordinates
        assert mechanism is not None and integrated is not None and place is not None
        link = link_to_start(mechanism, integrated, name)
        declared = started_with(mechanism.tree, link, value, name)
        fields = self._checked(declared, declared.block.fields, value, f"{name} (start)", mask)
        if mechanism.tree.kind[link] == FREE:
            q, v = np.hstack([fields[0], quaternion_from_mrp(fields[2])]), np.hstack([fields[1], fields[3]])
        else:
            q, v = (field.reshape(self._members, -1) for field in fields)
        for member in np.flatnonzero(mask) if mechanism.model.jnt_limited[link - 1] else ():
            check_limits(mechanism, f"{name} of member {member}", link, float(q[member, 0]))
        row = next(row for row in integrated.links if row[0] == link)
        return [(place.at + int(row[1]), q), (place.at + len(integrated.q) + int(row[2]), v)]

    def _checked(
        self, declared: Declaration, fields: tuple[Field, ...], value: Any, path: str, mask: np.ndarray
    ) -> list[np.ndarray]:
        """(N, ...) The fields of a value, each checked as a simulation would for one member."""
        if not isinstance(value, declared.type):
            raise ShapeError(f"`{path}` expects a {declared.type.__name__} of arrays, got {type(value).__name__}.")
        taken = []
        for field in fields:
            array, shape = np.asarray(getattr(value, field.name)), tuple(size or 0 for size in field.shape)
            if array.dtype.kind not in "biuf" or array.shape not in (shape, (self._members, *shape)):
                raise ShapeError(
                    f"`{path}.{field.name}` has the wrong shape.\n"
                    f"  expected {shape}, or {(self._members, *shape)} for each member its own\n"
                    f"  got      {array.shape}"
                )
            kind = np.float64 if field.kind == "float" else np.int64
            spread = np.ascontiguousarray(np.broadcast_to(array, (self._members, *shape)), dtype=kind)
            bad = mask & ~np.isfinite(spread.reshape(self._members, -1)).all(axis=1)
            if bad.any():
                first = int(np.argmax(bad))
                raise NotFinite(f"`{path}.{field.name}` of member {first} is not finite: {spread[first]}.")
            taken.append(spread)
        if any(field.constraints for field in declared.fields):
            for member in np.flatnonzero(mask):
                declared.take(declared.type._make(each[member] for each in taken), f"{path} of member {member}")
        return taken
