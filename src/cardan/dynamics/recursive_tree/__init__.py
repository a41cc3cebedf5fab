"""`RecursiveTree`: articulated-body dynamics in a number of operations that grows with the number of joints."""

from cardan.dynamics.recursive_tree.service import RecursiveTree as RecursiveTree
