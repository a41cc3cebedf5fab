"""The search against Dijkstra's."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import lil_matrix
from scipy.sparse.csgraph import dijkstra

from cardan.fsw.guidance.anytime_d_star import NO_WAY, AnytimeDStar, fresh_search

SIDE = 7


class Maze:
    """A square grid with eight neighbours and random blocked edges."""

    def __init__(self, seed, share=0.35):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.blocked = SIDE * SIDE, set()
        self.change(share)

    def neighbours(self, node):
        i, j = divmod(node, SIDE)
        for a in range(max(0, i - 1), min(SIDE, i + 2)):
            for b in range(max(0, j - 1), min(SIDE, j + 2)):
                if (a, b) != (i, j):
                    yield a * SIDE + b

    def change(self, share):
        """Block other edges; the nodes at their ends."""
        edges = {(min(i, j), max(i, j)) for i in range(self.nodes) for j in self.neighbours(i)}
        now = {edge for edge in sorted(edges) if self.rng.random() < share}
        changed, self.blocked = now ^ self.blocked, now
        return sorted({node for edge in changed for node in edge})

    def estimate(self, a, b):
        return float(np.hypot(*np.subtract(divmod(a, SIDE), divmod(b, SIDE))))

    def cost(self, a, b):
        return NO_WAY if (min(a, b), max(a, b)) in self.blocked else self.estimate(a, b)

    def shortest(self, start, goal):
        table = lil_matrix((self.nodes, self.nodes))
        for i in range(self.nodes):
            for j in self.neighbours(i):
                if self.cost(i, j) < NO_WAY:
                    table[i, j] = self.cost(i, j)
        return float(dijkstra(table.tocsr(), indices=start)[goal])

    def length(self, nodes):
        return sum(self.cost(a, b) for a, b in pairwise(nodes))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_paths_are_within_their_bound_while_edges_change_and_the_start_moves(seed):
    maze = Maze(seed)
    goal, start = maze.nodes - 1, 0
    search = AnytimeDStar(fresh_search(maze.nodes, goal), goal, maze.neighbours, maze.cost, maze.estimate)
    for inflation in (2.5, 2.0, 1.0, 2.5, 1.5, 1.0, 1.0):
        search.improve(start, inflation)
        path, best = search.path(start), maze.shortest(start, goal)
        if np.isinf(best):
            assert path == []
        else:
            assert path[0] == start and path[-1] == goal
            assert maze.length(path) <= inflation * best + 1e-9
        # the vehicle goes on, and some edges open or close
        start = path[1] if len(path) > 2 else start
        for node in maze.change(0.35) if inflation == 1.0 else ():
            search.update(node)


def test_repairing_costs_less_than_searching_anew():
    maze = Maze(3, share=0.2)
    goal = maze.nodes - 1
    search = AnytimeDStar(fresh_search(maze.nodes, goal), goal, maze.neighbours, maze.cost, maze.estimate)
    search.improve(0, 1.0)
    path = search.path(0)
    edge = (min(path[0:2]), max(path[0:2]))  # far from the goal, where the search began
    maze.blocked.add(edge)
    for node in edge:
        search.update(node)
    repaired = search.improve(0, 1.0)
    again = AnytimeDStar(fresh_search(maze.nodes, goal), goal, maze.neighbours, maze.cost, maze.estimate)
    assert repaired < 0.5 * again.improve(0, 1.0)
    assert maze.length(search.path(0)) == pytest.approx(maze.shortest(0, goal))


def test_a_goal_behind_walls_has_no_path():
    maze = Maze(0, share=1.0)
    search = AnytimeDStar(fresh_search(maze.nodes, 5), 5, maze.neighbours, maze.cost, maze.estimate)
    search.improve(40, 2.5)
    assert search.path(40) == []
