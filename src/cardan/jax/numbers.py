"""The numbers of a mechanism as arrays, some of which are arguments: `bus.mass`, `elbow.damping`, `nozzle.r_SB_B`."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from cardan.jax.masses import BodyMass, lumped
from cardan.jax.recursion import Numbers, Recursion
from cardan.jax.vectors import Array, product, transposed, turn_from_quaternion, turned
from cardan.mechanism import Mechanism
from cardan.mechanism.changing import Numbered
from cardan.mechanism.plumbing.fixed_frames import fixed_frame, turn_of
from cardan.mechanism.plumbing.mass_properties import fixed_masses
from cardan.mechanism.tree import FREE, V_SIZE, Frame


class Pose(NamedTuple):
    """A frame that is fixed to a link: the link's row, position, and the turn to the link's components."""

    row: int
    r: Array
    turn: Array


class MechanismNumbers:
    """What follows from the numbers of a mechanism, given some of them.

    Args:
        mechanism: The mechanism.
        recursion: Over its tree.
        replaced: The bodies whose mass properties are an input.
        varied: Which numbers are given, by path.
    """

    def __init__(
        self, mechanism: Mechanism, recursion: Recursion, replaced: frozenset[str], varied: Mapping[str, Numbered]
    ) -> None:
        self._mechanism, self._tree, self._recursion = mechanism, mechanism.tree, recursion
        self._varied = varied
        tree, order = mechanism.tree, recursion.order
        fixed, is_free = fixed_masses(tree, replaced), tree.kind[order] == FREE
        self._constant = Numbers(
            fixed["fixed_mass"][order],
            fixed["fixed_com"][order],
            fixed["fixed_inertia"][order],
            # where a free joint is, its coordinates say
            np.where(is_free[:, None], 0.0, tree.offset_pos[order]),
            np.where(is_free[:, None, None], np.eye(3), [_turn(quat) for quat in tree.offset_quat[order]]),
            tree.armature,
            tree.damping,
            tree.stiffness,
            tree.rest,
        )
        self._lumped = {
            link: [body for body, frame in tree.bodies.items() if frame.link == link and body in tree.body_mass]
            for link in {tree.bodies[n.element].link for n in varied.values() if n.number.name in _MASSES}
        }
        self._replaced = replaced

    @property
    def has_springs(self) -> bool:
        return bool(self._tree.stiffness.any()) or self._varies("stiffness")

    @property
    def has_dampers(self) -> bool:
        return bool(self._tree.damping.any()) or self._varies("damping")

    def _varies(self, name: str) -> bool:
        return any(numbered.number.name == name for numbered in self._varied.values())

    def numbers(self, given: Mapping[str, Any]) -> Numbers:
        """All of them, with the values of `given` by path."""
        found: dict[str, Any] = {}
        row = self._recursion.row
        for path, numbered in self._varied.items():
            name, value = numbered.number.name, given[path]
            if numbered.kind == "joint":
                link = numbered.row + 1
                v, q = int(self._tree.v_at[link]), int(self._tree.q_at[link])
                where = slice(q, q + 1) if name == "rest" else slice(v, v + V_SIZE[int(self._tree.kind[link])])
                found[name] = self._array(found, name).at[where].set(value)
            elif name in ("r_BP_P", "q_BP"):
                link = 1 + int(self._mechanism.model.body_jntadr[numbered.row])
                pose = self._placed(self._parent_frame(numbered), numbered.element, given, "r_BP_P", "q_BP")
                found["offset"] = self._array(found, "offset").at[row[link]].set(pose.r)
                found["offset_turn"] = self._array(found, "offset_turn").at[row[link]].set(pose.turn)
        for link, bodies in self._lumped.items():
            pieces = [self._in_link(body, given) for body in bodies if body not in self._replaced]
            for name, value in zip(("mass", "com", "inertia"), lumped(pieces), strict=True):
                found[name] = self._array(found, name).at[row[link]].set(value)
        return self._constant._replace(**found)

    def _array(self, found: dict[str, Any], name: str) -> Array:
        return found.get(name, jnp.asarray(getattr(self._constant, name)))

    def body(self, name: str, given: Mapping[str, Any]) -> BodyMass:
        """Mass properties of a body."""
        mass, centre, inertia = self._tree.body_mass[name]
        return BodyMass(
            given.get(f"{name}.mass", mass),
            given.get(f"{name}.r_CB_B", centre),
            given.get(f"{name}.inertia_B", inertia),
        )

    def frame(self, name: str, given: Mapping[str, Any], masses: Mapping[str, BodyMass]) -> Pose:
        """The frame of a body (`bus`), of its centre of mass (`bus.com`), or of a site (`nozzle`, `nozzle.site`).

        Args:
            name: Of the frame.
            given: Numbers that are arguments, by path.
            masses: Mass properties that messages give, by body.
        """
        tree, site, body = self._tree, name.removesuffix(".site"), name.removesuffix(".com")
        if name in tree.bodies:
            return self._pose(tree.bodies[name])
        if site in tree.sites:
            paths = [f"{element}.{number}" for element in (site, f"{site}.site") for number in ("r_SB_B", "q_SB")]
            if not any(path in given for path in paths):
                return self._pose(tree.sites[site])
            model = self._mechanism.model
            above = tree.bodies[model.body(int(model.site(site).bodyid[0])).name]
            known = {path.replace(".site.", "."): value for path, value in given.items()}
            return self._placed(above, site, known, "r_SB_B", "q_SB")
        moved = masses[body].r_CB_B if body in masses else given.get(f"{body}.r_CB_B")
        if moved is None:
            return self._pose(fixed_frame(tree, name))
        pose = self._pose(tree.bodies[body])
        return pose._replace(r=pose.r + turned(pose.turn, moved))

    def site(self, number: int, given: Mapping[str, Any]) -> Pose:
        """The frame of a site by its number in the compiled model; it may have no name."""
        name = self._mechanism.model.site(number).name
        return self.frame(f"{name}.site", given, {}) if name else self._pose(self._tree.site_frames[number])

    def _pose(self, frame: Frame) -> Pose:
        return Pose(int(self._recursion.row[frame.link]), frame.pos, turn_of(frame))

    def _placed(self, above: Frame, element: str, given: Mapping[str, Any], position: str, attitude: str) -> Pose:
        """A frame at a given position and attitude in another."""
        model = self._mechanism.model
        kind = "site" if position == "r_SB_B" else "body"
        own = getattr(model, kind)(element)
        r, q = given.get(f"{element}.{position}", own.pos), given.get(f"{element}.{attitude}", own.quat)
        outer = turn_of(above)
        return Pose(
            int(self._recursion.row[above.link]),
            above.pos + turned(outer, jnp.asarray(r)),
            product(outer, turn_from_quaternion(jnp.asarray(q))),
        )

    def _parent_frame(self, numbered: Numbered) -> Frame:
        model = self._mechanism.model
        return self._tree.bodies[model.body(int(model.body_parentid[numbered.row])).name]

    def _in_link(self, body: str, given: Mapping[str, Any]) -> BodyMass:
        """Mass properties in the components of the body's link."""
        frame, own = self._tree.bodies[body], self.body(body, given)
        turn = turn_of(frame)
        inertia = product(product(turn, jnp.asarray(own.inertia_C_B)), transposed(turn))
        return BodyMass(own.mass, frame.pos + turned(turn, jnp.asarray(own.r_CB_B)), inertia)


_MASSES = ("mass", "r_CB_B", "inertia_B")


def _turn(quat: np.ndarray) -> np.ndarray:
    """Takes components of a frame to those of its reference."""
    return turn_of(Frame(0, np.zeros(3), quat))
