"""Frames that are fixed to links: bodies, their centres of mass, sites. All lie in one array, and rows point there."""

import numpy as np

from cardan.maths import dcm_from_quaternion
from cardan.mechanism.tree import Frame, Tree, compose

FRAME_WORDS = 12
TURN_AT = 24
"""Bytes from the position of a frame to its turn."""

_NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


def turn_of(frame: Frame) -> np.ndarray:
    """Takes components of a frame to those of its link."""
    return dcm_from_quaternion(frame.quat).T


def frame_count(tree: Tree) -> int:
    return len(tree.bodies) + len(tree.body_mass) + len(tree.site_frames)


def frame_numbers(tree: Tree) -> dict[str, int]:
    """The place of every frame that has a name: `bus`, `bus.com`, `nozzle.site`."""
    names = [*tree.bodies, *(f"{body}.com" for body in tree.body_mass)]
    numbers = {name: number for number, name in enumerate(names)}
    of_frame = {id(frame): len(names) + i for i, frame in enumerate(tree.site_frames)}
    return numbers | {f"{site}.site": of_frame[id(frame)] for site, frame in tree.sites.items()}


def centre_frame(tree: Tree, body: str) -> Frame:
    """The centre of mass of a body, with the body's axes."""
    return compose(tree.bodies[body], tree.body_mass[body][1], _NO_TURN)


def frame_array(tree: Tree) -> np.ndarray:
    """(frames, 12) Position [m] and turn of each."""
    frames = [*tree.bodies.values(), *(centre_frame(tree, body) for body in tree.body_mass), *tree.site_frames]
    return np.array([[*frame.pos, *turn_of(frame).ravel()] for frame in frames])
