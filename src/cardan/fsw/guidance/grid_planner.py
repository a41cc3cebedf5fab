"""A path around obstacles on a grid, replanned when they move."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import AtLeast, NotNegative, OfShape, Positive, Unit, Within, task
from cardan.contracts.constraints import require
from cardan.errors import SettingError
from cardan.fsw.guidance.anytime_d_star import AnytimeDStar, SearchState, fresh_search
from cardan.fsw.guidance.grid_edges import GridEdges, Surroundings
from cardan.fsw.guidance.path_errors import distance_to_polyline, progress_towards
from cardan.maths import NO_ROTATION, ZERO3, Rows3, Vec, Vec3, mrp_from_quaternion
from cardan.messages import FlyerReference, FrameMotion, FramePositions, PathProgress, SearchStatus

_MOST_POINTS = 256
_MOVED = 0.1  # [-] of the spacing: obstacles that moved less have not moved
_NO_OBSTACLES = FramePositions(np.zeros((0, 3)))


class GridPlannerMemory(NamedTuple):
    """The search, the path it has found, and where on it the reference is."""

    g: Annotated[Vec, "m"]
    rhs: Annotated[Vec, "m"]
    mark: Annotated[Vec, "-"]
    path_N: Annotated[Rows3, "m"]
    obstacles_N: Annotated[Rows3, "m"]
    points: Annotated[int, "-", Within(0, _MOST_POINTS)] = 0
    gone: Annotated[float, "m", NotNegative] = 0.0
    inflation: Annotated[float, "-", NotNegative] = 0.0
    plans: Annotated[int, "-", NotNegative] = 0


class GridPlannerOutputs(NamedTuple):
    reference: FlyerReference
    progress: PathProgress
    search: SearchStatus


@task(jit=False)
class GridPlanner(NamedTuple):
    """Anytime Dynamic A* on a grid; the reference moves along the path and waits for the vehicle.

    The first path is found quickly, with an inflated heuristic; at the ticks that follow the inflation goes down, and
    the path becomes shorter. When obstacles move, only what they have changed is searched again. Edges are free where
    the vehicle keeps a margin all along them, by its own shapes and those of the mechanism. Corners are cut where a
    straight line is free. Without a way the reference stays where it is. Make it by `grid_planner`.

    Attributes:
        grid: The grid, with what is known of its edges.
        goal_N: [m] Where to go, in inertial components.
        goal: [-] The node of the grid from which it goes there in a straight line.
        speed: [m/s] Of the reference along the path.
        lead: [m] How far the reference may be from the vehicle before it waits.
        inflation: [-] Of the heuristic, for the first path.
        inflation_step: [-] By which it changes from tick to tick.
    """

    grid: GridEdges
    goal_N: Annotated[Vec3, "m"]
    goal: Annotated[int, "-", NotNegative]
    speed: Annotated[float, "m/s", Positive] = 0.2
    lead: Annotated[float, "m", Positive] = 0.5
    inflation: Annotated[float, "-", AtLeast(1.0)] = 2.5
    inflation_step: Annotated[float, "-", Positive] = 0.2

    def initial(self) -> GridPlannerMemory:
        search = fresh_search(self.grid.nodes, self.goal)
        around = np.zeros((len(self.grid.around.moving), 3))
        return GridPlannerMemory(*search, np.zeros((_MOST_POINTS, 3)), around, inflation=self.inflation)

    def step(
        self, dt: float, x: GridPlannerMemory, motion: FrameMotion, obstacles: FramePositions = _NO_OBSTACLES
    ) -> tuple[GridPlannerMemory, GridPlannerOutputs]:
        with self.grid.lock:
            return follow(self, dt, x, motion, obstacles)


def follow(
    planner: GridPlanner, dt: float, x: GridPlannerMemory, motion: FrameMotion, obstacles: FramePositions
) -> tuple[GridPlannerMemory, GridPlannerOutputs]:
    """One tick of the planner."""
    grid = planner.grid
    if len(obstacles.r_BN_N) != len(grid.around.moving):
        raise ValueError("GridPlanner: `obstacles` has another number of bodies than move.")
    is_first = x.points == 0
    here_N = np.array(motion.r_BN_N) if is_first else point_on(x.path_N[: x.points], x.gone)[0]
    distance, near = grid.around.distance(motion.r_BN_N, grid.q_RN, obstacles.r_BN_N)
    if is_first and distance < 0.0:
        raise ValueError(f"GridPlanner: the vehicle starts {-distance:.3g} m inside `{near}`. Start it outside.")

    # what obstacles have changed
    state = SearchState(x.g.copy(), x.rhs.copy(), x.mark.copy())
    search = AnytimeDStar(state, planner.goal, grid.neighbours, grid.cost, grid.estimate)
    shift = np.abs(obstacles.r_BN_N - x.obstacles_N).max(initial=0.0)
    has_moved = not is_first and shift > _MOVED * grid.spacing
    seen_N = np.array(obstacles.r_BN_N) if is_first or has_moved else np.array(x.obstacles_N)
    grid.look(seen_N)
    if has_moved:
        for node in sorted({*grid.near(x.obstacles_N), *grid.near(seen_N)}):
            search.update(node)

    # a path at once, better ones later
    inflation = planner.inflation if is_first else x.inflation
    if has_moved:
        inflation = min(planner.inflation, inflation + planner.inflation_step)
    elif not is_first:
        inflation = max(1.0, inflation - planner.inflation_step)
    path, points, gone, plans, expanded = x.path_N.copy(), x.points, x.gone, x.plans, 0
    # a path with more corners than there is room for ends before the goal
    is_over = points > 1 and gone >= point_on(path[:points], gone)[2] and np.any(path[points - 1] != planner.goal_N)
    is_there = np.array_equal(here_N, planner.goal_N)
    if is_first or has_moved or inflation != x.inflation or (points <= 1 and not is_there) or is_over:
        found, expanded = plan_from(search, grid, here_N, planner.goal_N, inflation)
        points, gone = min(len(found), _MOST_POINTS), 0.0
        plans += len(found) > 1
        path[:points] = found[:points]

    # along the path, as long as the vehicle follows
    lines = path[:points]
    carrot_N, along_N, length = point_on(lines, gone)
    behind = float(np.linalg.norm(motion.r_BN_N - carrot_N))
    is_moving = behind < planner.lead and gone < length
    if is_moving:
        gone = min(gone + dt * planner.speed, length)
        carrot_N = point_on(lines, gone)[0]
    reference = FlyerReference(
        r_RN_N=carrot_N,
        v_RN_N=(planner.speed if is_moving and gone < length else 0.0) * along_N,
        a_RN_N=ZERO3 + 0.0,
        sigma_RN=mrp_from_quaternion(grid.q_RN),
        omega_RN_N=ZERO3 + 0.0,
        omega_dot_RN_N=ZERO3 + 0.0,
    )
    lateral = distance_to_polyline(motion.r_BN_N, lines) if points > 1 else behind
    done = 1.0 if length == 0.0 else gone / length
    memory = GridPlannerMemory(*state, path, seen_N, points, gone, inflation, plans)
    status = SearchStatus(expanded, inflation, plans, length, distance, points > 1 or is_there)
    return memory, GridPlannerOutputs(reference, progress_towards(motion, reference, plans, done, lateral), status)


def goal_node(grid: GridEdges, goal_N: Vec3) -> int:
    """The node from which the goal is reached in a straight line; -1 where there is none."""
    return next(
        (node for node in grid.nodes_by_distance(goal_N) if grid.is_free(grid.place(node), goal_N, at_rest=True)), -1
    )


def plan_from(
    search: AnytimeDStar, grid: GridEdges, here_N: Vec3, goal_N: Vec3, inflation: float
) -> tuple[np.ndarray, int]:
    """[m] The corners of a way from a point to the goal, and how many nodes were expanded; one point without a way."""
    for start in grid.nodes_by_distance(here_N):
        if grid.is_free(here_N, grid.place(start)):
            expanded = search.improve(start, inflation)
            nodes = search.path(start)
            if not nodes or not grid.is_free(grid.place(nodes[-1]), goal_N):
                return here_N[None], expanded
            return cut_corners(grid, [here_N, *(grid.place(node) for node in nodes), np.array(goal_N)]), expanded
    return here_N[None], 0


def cut_corners(grid: GridEdges, points: list[np.ndarray]) -> np.ndarray:
    """The points that are left when each is followed by the last one that a free straight line leads to."""
    kept, at = [points[0]], 0
    while at < len(points) - 1:
        ahead = next(k for k in range(len(points) - 1, at, -1) if k == at + 1 or grid.is_free(points[at], points[k]))
        if not np.array_equal(points[ahead], kept[-1]):
            kept.append(points[ahead])
        at = ahead
    return np.array(kept)


def point_on(lines: np.ndarray, gone: float) -> tuple[np.ndarray, np.ndarray, float]:
    """[m] A point so far along lines, the direction there, and the length of them all."""
    steps = np.diff(lines, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    total = float(lengths.sum())
    left = gone
    for k, length in enumerate(lengths):
        if left <= length or k == len(lengths) - 1:
            share = min(1.0, left / length) if length > 0.0 else 1.0
            return lines[k] + share * steps[k], steps[k] / max(length, 1e-12), total
        left -= length
    return np.array(lines[0]), np.zeros(3), 0.0


def grid_planner(
    around: Surroundings,
    goal_N: Any,
    *,
    low_N: Any = (-10.0, -10.0, -10.0),
    high_N: Any = (10.0, 10.0, 10.0),
    spacing: float = 1.0,
    margin: float = 0.02,
    q_RN: Any = NO_ROTATION,
    speed: float = 0.2,
    lead: float = 0.5,
    inflation: float = 2.5,
    inflation_step: float = 0.2,
) -> GridPlanner:
    """A planner on a grid.

    Args:
        around: Distances to what the vehicle may hit, such as `cardan.mechanism.Clearance(mechanism, body)`.
        goal_N: [m] Where to go.
        low_N: [m] The corner of the grid with the smallest coordinates.
        high_N: [m] The opposite corner.
        spacing: [m] Of the nodes.
        margin: [m] Distance that is kept from everything.
        q_RN: [-] Unit quaternion of the attitude that the vehicle keeps.
        speed: [m/s] Of the reference.
        lead: [m] How far the reference may be ahead.
        inflation: [-] Of the heuristic, for the first path.
        inflation_step: [-] By which it changes from tick to tick.
    """
    goal = require("grid_planner.goal_N", goal_N, "m", OfShape(3))
    low, high = (
        require("grid_planner.low_N", low_N, "m", OfShape(3)),
        require("grid_planner.high_N", high_N, "m", OfShape(3)),
    )
    grid = GridEdges(
        around,
        low,
        high,
        float(require("grid_planner.spacing", spacing, "m", OfShape(), Positive)),
        float(require("grid_planner.margin", margin, "m", OfShape(), Positive)),
        require("grid_planner.q_RN", q_RN, "-", OfShape(4), Unit),
    )
    if np.any(goal < low) or np.any(goal > high):
        raise SettingError(f"grid_planner: the goal {goal.tolist()} lies outside the grid.\n  Move one of them.")
    room = around.distance_to_static(goal, grid.q_RN)
    if room < grid.margin:
        raise SettingError(
            f"grid_planner: at the goal {goal.tolist()} the vehicle is {room:.3g} m from the nearest shape; the margin "
            f"is {grid.margin:g} m.\n  Move the goal, or give a smaller `margin`."
        )
    node = goal_node(grid, goal)
    if node < 0:
        raise SettingError("grid_planner: no node of the grid leads to the goal.\n  Give a smaller `spacing`.")
    return GridPlanner(grid, goal, node, speed, lead, inflation, inflation_step)
