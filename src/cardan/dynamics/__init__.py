"""The services that find motion and accelerations of mechanisms."""

from cardan.dynamics.back_substitution import BackSubstitution as BackSubstitution
from cardan.dynamics.mujoco import Mujoco as Mujoco
from cardan.dynamics.recursive_tree import RecursiveTree as RecursiveTree
from cardan.dynamics.recursive_tree.calculator import Calculator as Calculator
