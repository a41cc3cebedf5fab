"""Anytime Dynamic A* (AD*): a path at once, better ones with time, and repairs where the costs of edges change.

The search goes from the goal to the start, so that its values stay when the start moves. All that it knows is in three
arrays. M. Likhachev, D. Ferguson, G. Gordon, A. Stentz and S. Thrun, "Anytime Dynamic A*: an anytime,
replanning algorithm", ICAPS 2005; docs/theory/grid_planner.md has its rules.
"""

import heapq
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from cardan.maths import Vec

UNTOUCHED, OPEN, CLOSED, INCONSISTENT = 0.0, 1.0, 2.0, 3.0
NO_WAY = 1.0e9
"""[m] Of an edge that is blocked, and of a node from which no way is known."""

_ROUNDING = 1.0e-9

Cost = Callable[[int, int], float]
Neighbours = Callable[[int], Iterable[int]]
Estimate = Callable[[int, int], float]


class SearchState(NamedTuple):
    """What the search knows, an entry for each node.

    Attributes:
        g: [m] Length of the way to the goal that the node has told others.
        rhs: [m] The same from what its neighbours have told; both agree where it is consistent.
        mark: [-] Untouched 0, open 1, closed 2, inconsistent 3.
    """

    g: Vec
    rhs: Vec
    mark: Vec


def fresh_search(nodes: int, goal: int) -> SearchState:
    """A search that has not begun."""
    state = SearchState(np.full(nodes, NO_WAY), np.full(nodes, NO_WAY), np.zeros(nodes))
    state.rhs[goal] = 0.0
    state.mark[goal] = OPEN
    return state


class AnytimeDStar:
    """The search over a graph whose edges have the same cost both ways.

    Args:
        state: What it knows; changed in place.
        goal: The node that all ways lead to.
        neighbours: Those of a node.
        cost: [m] Of an edge; `NO_WAY` where it is blocked.
        estimate: [m] Of the way between two nodes, never more than it is.
    """

    def __init__(self, state: SearchState, goal: int, neighbours: Neighbours, cost: Cost, estimate: Estimate) -> None:
        self.state, self.goal = state, goal
        self._neighbours, self._cost, self._estimate = neighbours, cost, estimate
        self._heap: list[tuple[tuple[float, float], int]] = []
        self._start, self._inflation = goal, 1.0

    def improve(self, start: int, inflation: float) -> int:
        """Find a way from `start` that is at most `inflation` times as long as the shortest; how many were expanded."""
        g, rhs, mark = self.state
        self._start, self._inflation = start, inflation
        mark[mark == INCONSISTENT] = OPEN
        mark[mark == CLOSED] = UNTOUCHED
        self._heap = [(self._key(int(i)), int(i)) for i in np.flatnonzero(mark == OPEN)]
        heapq.heapify(self._heap)
        expanded = 0
        while self._heap:
            key, node = self._heap[0]
            if mark[node] != OPEN or key != self._key(node):
                heapq.heappop(self._heap)  # from before a change
                continue
            if rhs[start] == g[start] and key >= (g[start], g[start]):
                break
            heapq.heappop(self._heap)
            expanded += 1
            if g[node] > rhs[node]:
                g[node], mark[node] = rhs[node], CLOSED
                for other in self._neighbours(node):
                    if g[node] + self._estimate(node, other) < rhs[other]:
                        way = self._cost(other, node) + g[node]
                        if way < rhs[other]:
                            rhs[other] = way
                            self._sort_in(other)
            else:
                g[node], mark[node] = NO_WAY, UNTOUCHED
                self.update(node)
                for other in self._neighbours(node):
                    self.update(other)
        return expanded

    def update(self, node: int) -> None:
        """Let a node hear its neighbours again, because the cost of an edge of it, or one of them, has changed."""
        g, rhs, _ = self.state
        if node != self.goal:
            told = [(g[other], other) for other in self._neighbours(node) if g[other] < NO_WAY]
            rhs[node] = min((way + self._cost(node, other) for way, other in told), default=NO_WAY)
            rhs[node] = min(rhs[node], NO_WAY)
        self._sort_in(node)

    def _sort_in(self, node: int) -> None:
        g, rhs, mark = self.state
        if g[node] == rhs[node]:
            mark[node] = CLOSED if mark[node] in (CLOSED, INCONSISTENT) else UNTOUCHED
        elif mark[node] in (CLOSED, INCONSISTENT):
            mark[node] = INCONSISTENT
        else:
            mark[node] = OPEN
            heapq.heappush(self._heap, (self._key(node), node))

    def _key(self, node: int) -> tuple[float, float]:
        g, rhs, _ = self.state
        estimate = self._estimate(self._start, node)
        if g[node] > rhs[node]:
            return (float(rhs[node] + self._inflation * estimate), float(rhs[node]))
        # what has become longer goes first, also where sums that should be equal differ by rounding
        way = float(g[node] + estimate)
        return (way - _ROUNDING * (1.0 + way), float(g[node]))

    def path(self, start: int) -> list[int]:
        """The nodes from `start` to the goal; empty where there is no way."""
        g = self.state.g
        nodes, seen = [start], {start}
        while nodes[-1] != self.goal:
            here = nodes[-1]
            ways = [
                (self._cost(here, other) + g[other], other) for other in self._neighbours(here) if g[other] < NO_WAY
            ]
            way, node = min(ways, default=(NO_WAY, here))
            if way >= NO_WAY or node in seen:
                return []
            nodes.append(node)
            seen.add(node)
        return nodes
