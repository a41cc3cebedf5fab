"""`BackSubstitution`: which effectors a mechanism is made of, and what it cannot be made of."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from cardan.contracts.dynamics import Binding, Constants, Dynamics, Inputs, Kernels, Unsupported
from cardan.dynamics.back_substitution import (
    hinged_body,
    kernel,
    prescribed_body,
    reaction_wheel,
    slosh_mass,
    spinning_bodies,
    words,
)
from cardan.dynamics.refusals import beyond_rigid_bodies, check_lock_time_constant, singular_joints
from cardan.maths import dcm_from_quaternion, quaternion_product
from cardan.mechanism import Mechanism
from cardan.mechanism.tree import BALL, FREE, Tree
from cardan.native.layout import WORD

# the first that fits a branch takes it
_EFFECTORS: tuple[Any, ...] = (prescribed_body, reaction_wheel, hinged_body, slosh_mass, spinning_bodies)


class Branch(NamedTuple):
    """What hangs on one joint of a hub.

    Attributes:
        hub: The link of the hub.
        links: Its links, parents first.
    """

    hub: int
    links: tuple[int, ...]


@final
@dataclass(frozen=True)
class BackSubstitution(Dynamics):
    """Six equations for the hub of each vehicle; all that hangs on it is substituted into them.

    Knows bodies that move as prescribed, reaction wheels, bodies on hinges and slides, and such bodies in series.
    Locked and prescribed joints are exact.

    Attributes:
        lock_time_constant: [s] How fast an engaged lock pulls its joint to where it holds, critically damped.
        ignore_limits: Whether joint limits of the file are left unenforced instead of being refused.
        jit: Whether it runs as native code; else in the interpreter, to be stepped through.
    """

    varies: ClassVar[bool] = True

    lock_time_constant: float = 0.1
    ignore_limits: bool = False
    jit: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        check_lock_time_constant(self, self.lock_time_constant)

    def unsupported(self, mechanism: Mechanism, inputs: Inputs) -> list[Unsupported]:
        tree = mechanism.tree
        found = [
            Unsupported(tree.joints[root], "vehicle whose root does not fly freely")
            for root in tree.roots
            if tree.kind[root] != FREE
        ]
        prescribed = inputs.prescribed
        for branch in _branches(tree):
            if prescribed_body.fits(tree, branch.links, prescribed):
                continue
            for link in spinning_bodies.offending(tree, branch.links, prescribed):
                is_ball = tree.kind[link] == BALL
                reason = "ball joint" if is_ball else "joint beside others that move freely on the same branch"
                found.append(Unsupported(tree.joints[link], reason, "Prescribe it, or use RecursiveTree()."))
        ignoring = None if self.ignore_limits else "BackSubstitution(ignore_limits=True)"
        return found + beyond_rigid_bodies(mechanism, ignoring) + singular_joints(mechanism, inputs)

    def kernels(self) -> Kernels:
        return Kernels(kernel.kinematics, kernel.dynamics, kernel.check)

    def bind(self, mechanism: Mechanism, inputs: Inputs) -> Binding:
        tree, prescribed = mechanism.tree, inputs.prescribed
        rows = _effectors(tree, inputs)
        longest = max((last - first + 1 for kind, first, last, _ in rows if kind == spinning_bodies.KIND), default=0)
        table = words.TABLE + words.ROW * len(rows)
        memory = np.zeros((table + words.LINK * tree.links) // WORD + longest**2)
        ints = memory.view(np.int64)
        ints[words.COUNT // WORD] = len(rows)
        ints[words.TABLE // WORD : table // WORD] = np.array(rows, np.int64).ravel()
        placed = self.pose_constants(mechanism, inputs)
        memory[placed.at] = placed.words
        for link in prescribed_body.carriages(tree, prescribed):
            ints[(table + words.LINK * link + words.CARRIAGE_) // WORD] = 1
        return Binding(memory)

    def constants(self, mechanism: Mechanism, inputs: Inputs) -> Constants:
        """Which effectors it is made of: a wheel whose mass properties are others may have lost its balance."""
        rows = np.array(_effectors(mechanism.tree, inputs), np.int64).ravel()
        return Constants(words.TABLE // WORD + np.arange(len(rows)), rows.view(np.float64))

    def pose_constants(self, mechanism: Mechanism, inputs: Inputs) -> Constants:
        tree = mechanism.tree
        table = words.TABLE + words.ROW * len(_effectors(tree, inputs))
        placed = np.array([_placed(tree, link) for link in range(tree.links)])
        first = (table + words.ANCHOR_PARENT + words.LINK * np.arange(tree.links)) // WORD
        return Constants((first[:, None] + np.arange(placed.shape[1])).ravel(), placed.ravel())


def _placed(tree: Tree, link: int) -> list[float]:
    """Point and axis of a joint in the parent's components, and the axis times the turn of its offset."""
    turn = dcm_from_quaternion(tree.offset_quat[link]).T
    about = quaternion_product(np.array([0.0, *tree.axis[link]]), tree.offset_quat[link])
    return [*(tree.offset_pos[link] + turn @ tree.anchor[link]), *(turn @ tree.axis[link]), *about]


def _effectors(tree: Tree, inputs: Inputs) -> list[list[int]]:
    """For each effector its kind, its first and its last link, and its hub."""
    changing = {tree.bodies[body].link for body in inputs.mass_properties}
    rows: list[list[int]] = []
    for hub, links in _branches(tree):
        kind = next(
            effector.KIND
            for effector in _EFFECTORS
            if effector.fits(tree, links, inputs.prescribed)
            # a wheel whose mass properties change may lose its balance
            and not (effector is reaction_wheel and changing & set(links))
        )
        if rows and kind == rows[-1][0] == prescribed_body.KIND and hub == rows[-1][3]:
            rows[-1][2] = links[-1]
        else:
            rows.append([kind, links[0], links[-1], hub])
    return rows


def _branches(tree: Tree) -> list[Branch]:
    """Everything that hangs on hubs, joint by joint; the links of a branch follow one another."""
    roots = set(tree.roots.tolist())
    branches: list[list[int]] = []
    for link in range(1, tree.links):
        if link in roots:
            continue
        if int(tree.parent[link]) in roots:
            branches.append([])
        branches[-1].append(link)
    return [Branch(int(tree.parent[links[0]]), tuple(links)) for links in branches]
