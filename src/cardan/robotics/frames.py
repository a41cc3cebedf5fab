"""Frames on a robot: bodies, their centres of mass, sites."""

from dataclasses import dataclass

import numpy as np

from cardan.errors import UnknownName, did_you_mean
from cardan.maths import Vec, dcm_from_quaternion
from cardan.mechanism.ports import FrameElement
from cardan.mechanism.tree import Frame, Tree


@dataclass(frozen=True)
class RobotFrame:
    """A frame on a link of a robot.

    Attributes:
        name: A body, a body's centre of mass (`name.com`) or a site.
        numbers: Its link, its position and its attitude on the link, as kernels and tasks take them.
    """

    name: str
    numbers: Vec


def find_frame(tree: Tree, number: dict[int, int], wanted: str | FrameElement) -> RobotFrame:
    """The frame of this name; `number` has a robot's number for each of its links of the tree."""
    name = wanted if isinstance(wanted, str) else wanted.part
    body, site = name.removesuffix(".com"), name.removesuffix(".site")
    # a site that has the name of a body is called `<name>.site`
    if site in tree.sites and (site != name or name not in tree.bodies):
        frame, shift = tree.sites[site], np.zeros(3)
    elif body in tree.bodies:
        # a body that weighs nothing has its centre of mass at its origin
        is_com = body != name and tree.body_mass.get(body, (0.0,))[0] > 0.0
        frame, shift = tree.bodies[body], tree.body_mass[body][1] if is_com else np.zeros(3)
    else:
        known = [*tree.bodies, *tree.sites]
        raise UnknownName(
            f"There is no body or site `{name}`.{did_you_mean(name, known)}\n"
            f"  frames: {', '.join(known)}; `.com` behind a body means its centre of mass"
        )
    if frame.link not in number:
        raise UnknownName(f"`{name}` belongs to another vehicle.\n  Make a robot of that one: Robot(..., base=...).")
    return RobotFrame(name, _numbers(number[frame.link], frame, shift))


def _numbers(link: int, frame: Frame, shift: np.ndarray) -> Vec:
    turn = dcm_from_quaternion(frame.quat).T
    numbers: Vec = np.concatenate([[float(link)], frame.pos + turn @ shift, turn.ravel()])
    numbers.flags.writeable = False
    return numbers
