"""Initial states whose numbers may be traced."""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from cardan.contracts.jax_target import traceable
from cardan.errors import SettingError, ShapeError, UnknownName, did_you_mean, shown
from cardan.jax.evaluation import shaped
from cardan.jax.state import Continuous
from cardan.maths import quaternion_from_mrp
from cardan.mechanism.coordinates import Coordinates, link_to_start, started_with
from cardan.mechanism.tree import FREE, Q_SIZE, V_SIZE
from cardan.simulation.layout import Layout
from cardan.simulation.values import Values, check_shapes


class Start:
    """What a run begins at.

    Args:
        layout: Of the scenario.
        values: What the scenario itself begins with.
    """

    def __init__(self, layout: Layout, values: Values) -> None:
        self._layout, self._values = layout, values
        self._quaternion = traceable(quaternion_from_mrp)

    @property
    def is_position(self) -> Continuous:
        """Which leaves of the continuous state are position-like."""
        of_parts = {}
        for name in self._layout.state_places:
            declared = self._values.parts[name].contract.state
            assert declared is not None
            of_parts[name] = declared.type._make(field.is_position for field in declared.fields)
        return Continuous(None if self._layout.coordinates is None else Coordinates(True, False), of_parts)

    def named(self, start: Mapping[Any, Any]) -> dict[str, Any]:
        """Initial states by the names of parts and elements."""
        if not isinstance(start, Mapping):
            raise SettingError(f"reset({shown(start)}).\n  Use a dictionary, e.g. `{{plant: PlantState(...)}}`.")
        return {str(getattr(key, "name", key)): value for key, value in start.items()}

    def states(self, start: Mapping[str, Any]) -> tuple[Continuous, dict[str, Any]]:
        """The continuous state and the memories, with those in `start` in the place of the scenario's own."""
        layout, own = self._layout, self._values.sizes.states
        places = layout.state_places | layout.memories
        found = {name: jax.tree.map(jnp.asarray, own[name]) for name in places}
        coordinates = None
        if layout.coordinates is not None:
            assert self._values.coordinates is not None
            coordinates = Coordinates(*(jnp.asarray(each) for each in self._values.coordinates))
        for name, value in start.items():
            if name in places:
                found[name] = self._of_part(name, value)
            elif coordinates is not None:
                coordinates = self._placed(coordinates, name, value)
            else:
                raise UnknownName(
                    f"`{name}` has no state to reset.{did_you_mean(name, places)}\n"
                    f"  These have one: {', '.join(places) or 'none'}"
                )
        x = Continuous(coordinates, {name: found[name] for name in layout.state_places})
        return x, {name: found[name] for name in layout.memories}

    def _of_part(self, name: str, value: Any) -> Any:
        declared = self._values.parts[name].contract.state
        assert declared is not None
        block = declared.block.sized_like(self._values.sizes.states[name])
        if not isinstance(value, declared.type):
            raise ShapeError(f"`{name}.state` expects {declared.type.__name__}, got {type(value).__name__}.")
        check_shapes(block, declared.block.sized_like(value), f"{name}.state")
        return shaped(block, value)

    def _placed(self, coordinates: Coordinates, name: str, value: Any) -> Coordinates:
        """With a joint, or a body that flies freely, at another state."""
        mechanism, integrated = self._layout.scenario.mechanism, self._layout.integrated
        assert mechanism is not None and integrated is not None
        link = link_to_start(mechanism, integrated, name)
        declared = started_with(mechanism.tree, link, value, name)
        for field, given in zip(declared.block.fields, value, strict=True):
            if jnp.shape(given) != field.shape:
                raise ShapeError(
                    f"`{name}.{field.name}` has the wrong shape.\n  expected {field.shape}\n"
                    f"  got      {jnp.shape(given)}"
                )
        kind = int(mechanism.tree.kind[link])
        _, q_at, v_at = integrated.links[np.flatnonzero(integrated.links[:, 0] == link)[0]]
        given = [jnp.asarray(each, float) for each in value]
        if kind == FREE:
            r, v, sigma, omega = given
            q, v = jnp.concatenate((r, self._quaternion(sigma))), jnp.concatenate((v, omega))
        else:
            q, v = given
        return Coordinates(
            coordinates.q.at[q_at : q_at + Q_SIZE[kind]].set(q), coordinates.v.at[v_at : v_at + V_SIZE[kind]].set(v)
        )
