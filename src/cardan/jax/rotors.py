"""Rotors in JAX: the links that carry them count their masses as their own (docs/theory/recursive_tree.md)."""

from collections.abc import Mapping

import jax.numpy as jnp
import numpy as np

from cardan.jax.masses import BodyMass, lumped
from cardan.jax.recursion import Numbers, Recursion
from cardan.maths import dcm_from_quaternion
from cardan.mechanism.changing import Numbered
from cardan.mechanism.rotors import may_be_rotors, rotor_numbers


class Rotors:
    """The rotors of a mechanism, as long as none of their own numbers is an argument.

    Args:
        recursion: Over its tree.
        replaced: The bodies whose mass properties are an input.
        varied: Numbers of the mechanism that are arguments, by path.
    """

    def __init__(self, recursion: Recursion, replaced: frozenset[str], varied: Mapping[str, Numbered]) -> None:
        tree, row = recursion.tree, recursion.row
        changing = [tree.bodies[number.element].link for number in varied.values() if number.kind == "body"]
        candidates = may_be_rotors(tree, replaced) & ~np.isin(np.arange(tree.links), changing)
        numbers = rotor_numbers(tree, candidates)
        links = np.flatnonzero(numbers["is_rotor"])
        self._rows, self._carriers = row[links], row[tree.parent[links]]
        axes = tree.axis[links]
        self._spin = numbers["spin_inertia"][links, None, None] * axes[:, :, None] * axes[:, None, :]
        turn = dcm_from_quaternion(tree.offset_quat[links]).swapaxes(-1, -2)
        across = turn @ (tree.inertia[links] - self._spin) @ turn.swapaxes(-1, -2)
        self._carried = [BodyMass(tree.mass[n], numbers["seat"][n], across[i]) for i, n in enumerate(links)]
        self.weight_on = np.arange(tree.links)
        """(links,) The row on which the weight of each row acts: that of a rotor on its carrier."""
        self.weight_on[self._rows] = self._carriers

    def carried(self, numbers: Numbers) -> Numbers:
        """With the masses of rotors in the links that carry them, and of rotors the inertia of their spin alone."""
        if not len(self._rows):
            return numbers
        mass, com, inertia = (jnp.asarray(each) for each in (numbers.mass, numbers.com, numbers.inertia))
        for carrier in np.unique(self._carriers):
            own = BodyMass(mass[carrier], com[carrier], inertia[carrier])
            whole = lumped([own, *(self._carried[i] for i in np.flatnonzero(self._carriers == carrier))])
            mass, com = mass.at[carrier].set(whole.mass), com.at[carrier].set(whole.r_CB_B)
            inertia = inertia.at[carrier].set(whole.inertia_C_B)
        mass, inertia = mass.at[self._rows].set(0.0), inertia.at[self._rows].set(self._spin)
        return numbers._replace(mass=mass, com=com, inertia=inertia)
