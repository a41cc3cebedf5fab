"""What the rows of ports are made from: where elements of a mechanism are, and where in the arena messages lie."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cardan.mechanism.plumbing.fixed_frames import FRAME_WORDS, frame_count, frame_numbers
from cardan.mechanism.tree import V_SIZE, Tree

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
        contacts: Compliant contacts; none if the service has contact of its own.
        frames_at: The word at which the array `frame` begins.
    """

    mechanism: "Mechanism"
    centres: dict[str, int] = field(default_factory=dict)
    masses: dict[str, tuple[int, int]] = field(default_factory=dict)
    balances: Sequence[int] = ()
    motors: Sequence[int] = ()
    takes_commands: bool = False
    contacts: Sequence[Any] = ()
    frames_at: int = 0

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

    def frame(self, name: str) -> tuple[int, int, int]:
        """Of a body, a body's centre of mass, or a site: its link, the word of its frame, and of a centre that moves.

        Such a centre is in components of the frame; its word is zero where none moves.
        """
        tree = self.tree
        if name not in tree.bodies:
            site, body = name.removesuffix(".site"), name.removesuffix(".com")
            if site in tree.sites:
                return tree.sites[site].link, self._word(self._numbers[f"{site}.site"]), 0
            if body in self.centres:
                return tree.bodies[body].link, self._word(self._numbers[body]), self.centres[body]
        return tree.bodies[name.removesuffix(".com")].link, self._word(self._numbers[name]), 0

    def site(self, number: int) -> tuple[int, int]:
        """The link of a site, by its number in the compiled model, and the word of its frame."""
        tree = self.tree
        return tree.site_frames[number].link, self._word(frame_count(tree) - len(tree.site_frames) + number)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return frame_numbers(self.tree)

    def _word(self, number: int) -> int:
        return self.frames_at + FRAME_WORDS * number


def words_of(place: Any) -> dict[str, int]:
    """The word at which each field of a message begins."""
    return {f.name: place.at + w.start for f, w in zip(place.block.fields, place.block.slices, strict=True)}
