"""Figures of robots: what they reach, and where they are singular."""

from typing import Any

import numpy as np

from cardan.plots.figures import pyplot
from cardan.robotics import PathDependence, SingularityMap, Workspace

_PLANES = ((0, 2, "x", "z"), (1, 2, "y", "z"), (0, 1, "x", "y"))


def plot_workspace(workspace: Workspace, *, title: str | None = None) -> Any:
    """The points of a workspace from three sides, darker where more configurations lead.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    plt = pyplot()
    figure, grid = plt.subplots(1, 3, figsize=(10.5, 3.9), layout="constrained", sharex=True, sharey=True)
    largest = float(np.abs(workspace.points).max())
    bounds = (-largest, largest, -largest, largest)
    for axes, (across, up, x, y) in zip(grid, _PLANES, strict=True):
        axes.hexbin(
            workspace.points[:, across],
            workspace.points[:, up],
            gridsize=70,
            mincnt=1,
            cmap="Blues",
            bins="log",
            extent=bounds,
            linewidths=0.3,
            edgecolors="face",  # no seams between cells
        )
        axes.plot([0.0], [0.0], "k+", markersize=9)
        axes.set_xlabel(f"{x} [m]")
        axes.set_ylabel(f"{y} [m]")
        axes.set_aspect("equal")
        axes.grid(True, alpha=0.3)
        axes.tick_params(labelleft=True)
    figure.suptitle(
        title or f"{workspace.frame}: {len(workspace.points):,} points, base {workspace.base}, + {workspace.origin}"
    )
    return figure


def plot_singularity_map(shown: SingularityMap, *, title: str | None = None, values: str = "smallest") -> Any:
    """The smallest singular value, or the manipulability, over two joints; a line where a determinant is zero.

    Args:
        shown: The map.
        title: Of the figure.
        values: "smallest" or "manipulability".

    Returns:
        A `matplotlib.figure.Figure`.
    """
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
    across, up = np.rad2deg(shown.x), np.rad2deg(shown.y)
    levels = shown.smallest if values == "smallest" else shown.manipulability
    mesh = axes.pcolormesh(across, up, levels, cmap="viridis", shading="nearest", vmin=0.0, rasterized=True)
    figure.colorbar(mesh, ax=axes, label="smallest singular value" if values == "smallest" else "manipulability")
    if shown.determinant is not None:
        axes.contour(across, up, shown.determinant, levels=[0.0], colors="red", linewidths=1.4)
        axes.plot([], [], color="red", linewidth=1.4, label="singular")
        figure.legend(loc="outside lower right", fontsize="small")
    axes.set_xlabel(f"{shown.joints[0]} [deg]")
    axes.set_ylabel(f"{shown.joints[1]} [deg]")
    axes.set_xticks(_degrees(across))
    axes.set_yticks(_degrees(up))
    figure.suptitle(title or f"singular configurations, base {shown.base}")
    return figure


def plot_path_dependence(shown: PathDependence, *, title: str | None = None) -> Any:
    """Distances from the centre of mass: where singular configurations are, and where the path matters.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    for i, (low, high) in enumerate(shown.dependent()):
        axes.axvspan(low, high, color="tab:red", alpha=0.2, label="depends on the path" if i == 0 else None)
    edges = np.linspace(*shown.reach, 121)
    axes.hist(shown.singular_distances, edges, color="tab:red", label="singular configurations found")
    axes.set_xlim(*shown.reach)
    axes.set_xlabel("distance of the frame from the centre of mass [m]")
    axes.set_ylabel("count")
    axes.legend(loc="upper center", fontsize="small")
    axes.grid(True, alpha=0.3)
    figure.suptitle(title or "workspace of a floating base, by distance")
    return figure


def _degrees(values: np.ndarray) -> np.ndarray:
    """Ticks every 60 degrees, or every 30 where the range is small."""
    low, high = float(values.min()), float(values.max())
    step = 60.0 if high - low > 180.0 else 30.0
    return np.arange(np.ceil(low / step), np.floor(high / step) + 1.0) * step
