"""Frames that are fixed to links: bodies, their centres of mass, sites. All lie in one array, and rows point there."""

from functools import lru_cache

import numpy as np

from cardan.maths import dcm_from_quaternion
from cardan.mechanism.tree import Frame, Tree, compose

FRAME_WORDS = 12
TURN_AT = 24
"""Bytes from the position of a frame to its turn."""

_NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


def turn_of(frame: Frame) -> np.ndarray:
    """Takes components of a frame to those of its link."""
    return dcm_from_quaternion(frame.quat).swapaxes(-1, -2)


def frame_count(tree: Tree) -> int:
    return len(tree.bodies) + len(tree.body_mass) + len(tree.site_frames)


def frame_numbers(tree: Tree) -> dict[str, int]:
    """The place of every frame that has a name: `bus`, `bus.com`, `nozzle.site`."""
    names = [*tree.bodies, *(f"{body}.com" for body in tree.body_mass)]
    numbers = {name: number for number, name in enumerate(names)}
    of_frame = {id(frame): len(names) + i for i, frame in enumerate(tree.site_frames)}
    return numbers | {f"{site}.site": of_frame[id(frame)] for site, frame in tree.sites.items()}


def fixed_frame(tree: Tree, name: str) -> Frame:
    """A frame by such a name; that of a centre of mass has the body's axes."""
    if name in tree.bodies:
        return tree.bodies[name]
    if name.endswith(".site"):
        return tree.sites[name.removesuffix(".site")]
    body = name.removesuffix(".com")
    return compose(tree.bodies[body], tree.body_mass[body][1], _NO_TURN)


def frame_words(frame: Frame) -> np.ndarray:
    """(12,) Position [m] and turn; of a stack of frames, (..., 12)."""
    turn = turn_of(frame)
    stack = np.broadcast_shapes(frame.pos.shape[:-1], turn.shape[:-2])
    turns = np.broadcast_to(turn.reshape(*turn.shape[:-2], 9), (*stack, 9))
    return np.concatenate([np.broadcast_to(frame.pos, (*stack, 3)), turns], axis=-1)


@lru_cache
def frame_array(tree: Tree) -> np.ndarray:
    """(frames, 12) The words of all; nobody writes to it."""
    centres = [fixed_frame(tree, f"{body}.com") for body in tree.body_mass]
    words = np.array([frame_words(frame) for frame in (*tree.bodies.values(), *centres, *tree.site_frames)])
    words.setflags(write=False)
    return words
