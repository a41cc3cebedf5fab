"""What the rows of ports are made from: where elements of a mechanism are, and where in the arena messages lie."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.maths import dcm_from_quaternion
from cardan.mechanism.tree import V_SIZE, Frame, Tree, compose

if TYPE_CHECKING:
    from cardan.mechanism.mechanism import Mechanism


@dataclass(frozen=True)
class Lookup:
    """A mechanism, as those who make rows look at it.

    Attributes:
        mechanism: The mechanism.
        centres: Bodies whose centre of mass a message gives, with the word at which it lies.
        masses: The same bodies, with the words at which mass and inertia lie.
        balances: For each vehicle the word at which the rates of its balance begin; none outside an audit.
        motors: The actuators that become efforts and wrenches, by number; none if the service computes them.
        takes_commands: Whether the service computes actuators.
    """

    mechanism: "Mechanism"
    centres: dict[str, int] = field(default_factory=dict)
    masses: dict[str, tuple[int, int]] = field(default_factory=dict)
    balances: Sequence[int] = ()
    motors: Sequence[int] = ()
    takes_commands: bool = False

    @property
    def tree(self) -> Tree:
        return self.mechanism.tree

    def link(self, joint: str) -> int:
        """The link that a joint moves."""
        return self.tree.joints.index(joint)

    def coordinate(self, joint: str) -> int:
        """Its first coordinate."""
        return int(self.tree.q_at[self.link(joint)])

    def velocities(self, joint: str) -> range:
        """Its velocities."""
        link = self.link(joint)
        first = int(self.tree.v_at[link])
        return range(first, first + V_SIZE[int(self.tree.kind[link])])

    def frame(self, name: str) -> tuple[Frame, int]:
        """The frame of a body, a body's centre of mass, or a site; and the word of a centre that moves within it."""
        tree = self.tree
        if name in tree.bodies:
            return tree.bodies[name], 0
        site = name.removesuffix(".site")
        if site in tree.sites:
            return tree.sites[site], 0
        body = name.removesuffix(".com")
        if body in self.centres:
            return tree.bodies[body], self.centres[body]
        return compose(tree.bodies[body], tree.body_mass[body][1], np.array([1.0, 0.0, 0.0, 0.0])), 0


def turn_of(frame: Frame) -> np.ndarray:
    """Takes components of a frame to those of its link."""
    return dcm_from_quaternion(frame.quat).T


def words_of(place: Any) -> dict[str, int]:
    """The word at which each field of a message begins."""
    return {f.name: place.at + w.start for f, w in zip(place.block.fields, place.block.slices, strict=True)}
