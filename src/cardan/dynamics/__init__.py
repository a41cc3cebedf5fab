"""The services that find motion and accelerations of mechanisms."""

from cardan.dynamics.recursive_tree import RecursiveTree as RecursiveTree
