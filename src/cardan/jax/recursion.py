"""The articulated-body recursion, level by level: one pass out, one in, one out again (docs/theory/recursive_tree.md).

The equations are those of the native kernel: spatial vectors in inertial axes about the vehicle's origin, the angular
part first. Links at the same distance from the root do not depend on each other, so each level is one set of arrays,
and what XLA has to compile grows with the depth of a tree, not with the number of its links. Rows of arrays are links
ordered by level; row 0 is the world. Every joint is a sequence of single freedoms along axes of the link, so that one
elimination serves them all: three turns of a ball, and of a free joint then three displacements.
"""

from functools import cached_property
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from cardan.jax.vectors import (
    Array,
    cross,
    cross_matrix,
    dot,
    product,
    transposed,
    turn_from_quaternion,
    turned,
)
from cardan.mechanism.tree import BALL, FREE, HINGE, SLIDE, Tree


class Level(NamedTuple):
    """The links at one distance from the root.

    Attributes:
        rows: Which rows they are.
        parent: (n,) The row of each one's parent, counted from the first of the level before.
        children: (n, most) The rows of each one's children, counted from the first of the next level; one beyond its
            last stands for none.
        velocity: (n, k) Which velocity each freedom has; one beyond the last of them stands for none.
        is_free: (n,) Whether the joint is free.
    """

    rows: slice
    parent: np.ndarray
    children: np.ndarray
    velocity: np.ndarray
    is_free: np.ndarray


class Motion(NamedTuple):
    """Where links are and how they move, about their vehicles' origins, in inertial components; a row each.

    Attributes:
        turn: (links, 3, 3) Takes components of the link to inertial ones.
        r: (links, 3) Position.
        omega: (links, 3) Angular velocity.
        swept: (links, 3) Velocity of the link's point at the origin.
        bias: (links, 6) Acceleration that follows from velocities alone, Eq. (2).
        anchor: (links, 3) The point on the joint.
        columns: For each level (n, k, 6) the columns of its joints' freedoms, Eqs. (3) to (6).
    """

    turn: Array
    r: Array
    omega: Array
    swept: Array
    bias: Array
    anchor: Array
    columns: tuple[Array, ...]

    @property
    def velocity(self) -> Array:
        """(links, 3) Of the link's own frame."""
        return self.swept + cross(self.omega, self.r)


class Numbers(NamedTuple):
    """What of a mechanism is numbers, which may differ from run to run and be differentiated by; a row for each link.

    Attributes:
        mass: (links,) [kg]
        com: (links, 3) [m] In the link's components.
        inertia: (links, 3, 3) [kg m^2] About the centre of mass.
        offset: (links, 3) [m] Of the link's frame before the joint moves, in its parent's.
        offset_turn: (links, 3, 3) Takes components of the link, before the joint moves, to its parent's.
        armature: (nv,)
        damping: (nv,)
        stiffness: (nv,)
        rest: (nq,) Coordinates at which springs are at rest.
    """

    mass: Array
    com: Array
    inertia: Array
    offset: Array
    offset_turn: Array
    armature: Array
    damping: Array
    stiffness: Array
    rest: Array


class Found(NamedTuple):
    """What the accelerations are.

    Attributes:
        v_dot: (nv,) Of each freedom.
        holding: (nv,) What those need whose acceleration is known; zero for the others.
        links: (links, 6) Spatial acceleration of each link beyond what velocities alone give.
    """

    v_dot: Array
    holding: Array
    links: Array


class Recursion:
    """The passes over one tree.

    Args:
        tree: The tree.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        depth = np.zeros(tree.links, np.int64)
        for link in range(1, tree.links):
            depth[link] = depth[tree.parent[link]] + 1
        self.order = np.argsort(depth, kind="stable")
        self.row = np.argsort(self.order)
        starts = np.searchsorted(depth[self.order], np.arange(depth.max() + 2))
        self.levels = [self._level(slice(*starts[d : d + 2]), starts, d) for d in range(1, int(depth.max()) + 1)]
        self._kind = tree.kind[self.order]
        self._anchor = tree.anchor[self.order]

    def _level(self, rows: slice, starts: np.ndarray, depth: int) -> Level:
        tree, links = self.tree, self.order[rows]
        below: Any = self.order[starts[depth + 1] : starts[depth + 2]] if depth + 2 < len(starts) else []
        families = [[i for i, child in enumerate(below) if tree.parent[child] == link] for link in links]
        most = max((len(family) for family in families), default=0)
        freedoms = [self._velocities(link) for link in links]
        k = max(len(own) for own in freedoms)
        return Level(
            rows,
            self.row[tree.parent[links]] - starts[depth - 1],
            np.array([[*family, *[len(below)] * (most - len(family))] for family in families], np.int64),
            np.array([[*own, *[tree.nv] * (k - len(own))] for own in freedoms]),
            tree.kind[links] == FREE,
        )

    def _velocities(self, link: int) -> list[int]:
        """The velocities of a joint's freedoms, of which the last one is eliminated first."""
        places = {FREE: [3, 4, 5, 0, 1, 2], BALL: [0, 1, 2]}.get(int(self.tree.kind[link]), [0])
        return [int(self.tree.v_at[link]) + place for place in places]

    @cached_property
    def _directions(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each level (n, k, 3) the axes of turns and of displacements, in components of the link; else zeros."""
        found = []
        for level in self.levels:
            links = self.order[level.rows]
            turns, slides = np.zeros((2, *level.velocity.shape, 3))
            for i, link in enumerate(links):
                kind = int(self.tree.kind[link])
                if kind in (HINGE, SLIDE):
                    (turns if kind == HINGE else slides)[i, 0] = self.tree.axis[link]
                else:
                    turns[i, :3] = np.eye(3)
                if kind == FREE:
                    slides[i, 3:] = np.eye(3)
            found.append((turns, slides))
        return found

    # ---- pass out: kinematics ------------------------------------------------------------------------------------

    def motion(self, numbers: Numbers, q: Array, v: Array) -> Motion:
        """Frames, velocities and columns of S. Eqs. (1) to (6).

        Args:
            numbers: Of the mechanism.
            q: (nq,) Coordinates; quaternions are of unit length.
            v: (nv,) Velocities.
        """
        own_turn, own_r = self._joints(numbers, q)
        # displacements of a free joint move the origin, not the link relative to it
        rates = jnp.append(v, 0.0)
        zero, still = jnp.zeros((1, 3)), jnp.zeros((1, 6))
        turns, rs, speeds, biases, anchors = [jnp.eye(3)[None]], [zero], [still], [still], [zero]
        columns = []
        for level, (of_turns, of_slides) in zip(self.levels, self._directions, strict=True):
            before = _of(turns[-1], level.parent)
            turn = product(before, own_turn[level.rows])
            anchor = _of(rs[-1], level.parent) + turned(before, own_r[level.rows])
            r = anchor - turned(turn, self._anchor[level.rows])
            angular = turned(turn[:, None], of_turns)
            linear = cross(anchor[:, None], angular)
            if of_slides.any():
                linear = linear + turned(turn[:, None], of_slides)
            S = jnp.concatenate((angular, linear), axis=-1)
            moves = np.where(self._moves_origin(level), self.tree.nv, level.velocity)
            gained = jnp.sum(S * rates[moves][..., None], axis=1)
            parent = _of(speeds[-1], level.parent)
            turns.append(turn)
            rs.append(r)
            anchors.append(anchor)
            speeds.append(parent + gained)
            biases.append(_of(biases[-1], level.parent) + _motion_cross(parent, gained))
            columns.append(S)
        speed = jnp.concatenate(speeds)
        return Motion(
            jnp.concatenate(turns),
            jnp.concatenate(rs),
            speed[:, :3],
            speed[:, 3:],
            jnp.concatenate(biases),
            jnp.concatenate(anchors),
            tuple(columns),
        )

    def _moves_origin(self, level: Level) -> np.ndarray:
        """(n, k) Which freedoms are displacements of a free joint."""
        return level.is_free[:, None] & (np.arange(level.velocity.shape[1]) > 2)

    def _joints(self, numbers: Numbers, q: Array) -> tuple[Array, Array]:
        """The turn of every joint, from the link's components to its parent's, and where its anchor is there."""
        kind, tree = self._kind, self.tree
        first = tree.q_at[self.order]
        turns = jnp.broadcast_to(jnp.eye(3), (tree.links, 3, 3))
        hinges, slides = np.flatnonzero(kind == HINGE), np.flatnonzero(kind == SLIDE)
        if len(hinges):
            # Rodrigues' formula
            angle = (q[first[hinges]] - tree.reference[first[hinges]])[:, None, None]
            axis = tree.axis[self.order[hinges]]
            outer, skew = axis[:, :, None] * axis[:, None, :], np.asarray([_skew(a) for a in axis])
            cosine = jnp.cos(angle)
            turns = turns.at[hinges].set(np.eye(3) * cosine + skew * jnp.sin(angle) + outer * (1.0 - cosine))
        quaternions = np.flatnonzero((kind == BALL) | (kind == FREE))
        if len(quaternions):
            at = first[quaternions] + 3 * (kind[quaternions] == FREE)
            turns = turns.at[quaternions].set(turn_from_quaternion(q[at[:, None] + np.arange(4)]))
        turns = product(numbers.offset_turn, turns)
        anchors = numbers.offset + turned(numbers.offset_turn, self._anchor)
        if len(slides):
            axis = turned(numbers.offset_turn[slides], tree.axis[self.order[slides]])
            moved = q[first[slides]] - tree.reference[first[slides]]
            anchors = anchors.at[slides].add(axis * moved[:, None])
        return turns, anchors

    # ---- pass in, pass out: dynamics -----------------------------------------------------------------------------

    def weigh(self, numbers: Numbers, motion: Motion) -> tuple[Array, Array]:
        """(links, 6, 6) Inertia of each link about the origin, and (links, 6) what velocities ask for. (7), (8')."""
        T, w = motion.turn, motion.omega
        x = motion.r + turned(T, numbers.com)
        own = product(product(T, numbers.inertia), transposed(T))
        c, d = motion.bias[:, :3], motion.bias[:, 3:]
        force = (d + cross(c, x) + cross(w, motion.swept + cross(w, x))) * numbers.mass[:, None]
        torque = turned(own, c) + cross(w, turned(own, w)) + cross(x, force)

        lever = x * numbers.mass[:, None]
        J = own + dot(lever, x)[:, None, None] * np.eye(3) - lever[:, :, None] * x[:, None, :]
        H, M = cross_matrix(lever), numbers.mass[:, None, None] * np.eye(3)
        inertia = jnp.concatenate(
            (jnp.concatenate((J, H), axis=-1), jnp.concatenate((transposed(H), M), axis=-1)), axis=-2
        )
        return inertia, jnp.concatenate((torque, force), axis=-1)

    def accelerations(
        self, numbers: Numbers, motion: Motion, wrench: Array, effort: Array, known: tuple[Array, Array] | None
    ) -> Found:
        """Forward dynamics. Eqs. (7) to (14).

        Args:
            numbers: Of the mechanism.
            motion: Of the links.
            wrench: (links, 6) Torque about the origin and force on each link.
            effort: (nv,) Along the freedoms.
            known: (nv,) Which accelerations are known, and (nv,) what these are; None if none is.
        """
        inertia, bias = self.weigh(numbers, motion)
        bias = bias - wrench
        efforts, armatures = jnp.append(effort, 0.0), jnp.append(numbers.armature, 1.0)
        is_known: Any = None if known is None else jnp.append(known[0], False)
        given: Any = None if known is None else jnp.append(known[1], 0.0)

        # from the tips to the root
        eliminated: list[list[tuple[Array, Array, Array]]] = []
        felt: tuple[Array, Array] | None = None
        for level, S in zip(reversed(self.levels), reversed(motion.columns), strict=True):
            IA, p = inertia[level.rows], bias[level.rows]
            if felt is not None:
                IA, p = IA + _summed(felt[0], level.children), p + _summed(felt[1], level.children)
            freedoms = []
            for j in reversed(range(S.shape[1])):
                s, at = S[:, j], level.velocity[:, j]
                # Eqs. (9) and (10); a freedom that is none has a column of zeros and an armature of 1
                U = turned(IA, s)
                D, push = armatures[at] + dot(s, U), efforts[at] - dot(s, p)
                part = 1.0 / D
                gained = push * part
                if is_known is not None:
                    # Eq. (10'): the acceleration is given, the inertia stays whole and carries it
                    holds = is_known[at]
                    part, gained = jnp.where(holds, 0.0, part), jnp.where(holds, given[at], gained)
                IA = IA - U[:, :, None] * (U * part[:, None])[:, None, :]
                p = p + U * gained[:, None]
                freedoms.append((U, D, push))
            eliminated.append(freedoms)
            felt = IA, p

        # from the root to the tips: Eqs. (13) and (14)
        found, held, places, A = [], [], [], [jnp.zeros((1, 6))]
        for level, S, freedoms in zip(self.levels, motion.columns, reversed(eliminated), strict=True):
            a = _of(A[-1], level.parent)
            for j, (U, D, push) in enumerate(reversed(freedoms)):
                rest, at = push - dot(U, a), level.velocity[:, j]
                gained = rest / D
                if is_known is not None:
                    # Eq. (13')
                    holds = is_known[at]
                    gained = jnp.where(holds, given[at], gained)
                    held.append(jnp.where(holds, D * gained - rest, 0.0))
                a = a + S[:, j] * gained[:, None]
                found.append(gained)
                places.append(at)
            if level.is_free.any():
                # the displacements of a free joint are in inertial components
                for j in range(-3, 0):
                    found[j] = jnp.where(level.is_free, a[:, j], found[j])
            A.append(a)
        place = np.argsort(np.concatenate(places), kind="stable")[: self.tree.nv] if places else np.zeros(0, np.int64)
        v_dot = jnp.concatenate(found)[place] if found else jnp.zeros(0)
        holding = jnp.concatenate(held)[place] if held else jnp.zeros(self.tree.nv)
        return Found(v_dot, holding, jnp.concatenate(A))

    def reactions(self, numbers: Numbers, motion: Motion, wrench: Array, found: Found) -> Array:
        """(links, 6) Torque about the origin and force through every joint: what each link and all beyond it need."""
        inertia, bias = self.weigh(numbers, motion)
        need = turned(inertia, found.links) + (bias - wrench)
        levels: list[Array] = []
        for level in reversed(self.levels):
            through = need[level.rows]
            levels.append(through + _summed(levels[-1], level.children) if levels else through)
        return jnp.concatenate([jnp.zeros((1, 6)), *reversed(levels)])


def _of(rows: Array, which: np.ndarray) -> Array:
    """The given rows; nothing is done where these are all of them, in order."""
    return rows if np.array_equal(which, np.arange(len(rows))) else rows[which]


def _summed(rows: Array, families: np.ndarray) -> Array:
    """For each family the sum of its rows; one beyond the last row is nothing."""
    if families.shape[1] == 1 and np.array_equal(families[:, 0], np.arange(len(rows))):
        return rows
    padded = jnp.concatenate((rows, jnp.zeros_like(rows[:1])))
    return jnp.sum(padded[families], axis=1)


def _motion_cross(a: Array, b: Array) -> Array:
    """The cross product of spatial motions."""
    w, x = a[..., :3], b[..., :3]
    return jnp.concatenate((cross(w, x), cross(w, b[..., 3:]) + cross(a[..., 3:], x)), axis=-1)


def _skew(a: Any) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
