"""How PPO, VPG and SAC learn `FreeFlyerSetpoint`: the picture and the table of docs/how-to/train-a-policy.md.

    python -m benchmarks.learning_curves FOLDER     # trains what the folder does not have yet, three seeds of each

Of each algorithm the median of three seeds, between the least and the largest.
"""

import csv
import itertools
import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
mpl.rcParams |= {"svg.hashsalt": "cardan", "svg.fonttype": "path", "font.size": 9.0}

import matplotlib.pyplot as plt  # noqa: E402

from cardan import learning  # noqa: E402

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "learning-curves.svg"
SETTINGS: dict[str, Callable[..., learning.Settings]] = {"PPO": learning.Ppo, "VPG": learning.Vpg, "SAC": learning.Sac}
SEEDS = (0, 1, 2)
POINTS = 60


def trained(folder: Path, name: str, seed: int) -> Path:
    """The folder of a training, which is made if it is not there yet."""
    place = folder / f"{name.lower()}{seed}"
    if not (place / "policy.npz").exists():
        learning.train(learning.environment("FreeFlyerSetpoint"), SETTINGS[name](seed=seed), folder=place)
    return place


def curve(place: Path) -> np.ndarray:
    """(POINTS, 3) Samples, and success and return of the episodes that have ended up to them since the point before."""
    with (place / "progress.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = ("samples", "episodes", "success", "mean_return")
    samples, episodes, success, mean_return = (np.array([float(row[name]) for row in rows]) for name in names)
    edges = np.linspace(0, len(rows), POINTS + 1).astype(int)
    found = np.full((POINTS, 3), np.nan)
    for i, (first, last) in enumerate(itertools.pairwise(edges)):
        found[i, 0] = samples[max(first, last - 1)]
        if count := episodes[first:last].sum():
            sums = (np.nansum(episodes[first:last] * each[first:last]) for each in (success, mean_return))
            found[i, 1:] = [each / count for each in sums]
    return found


def main(folder: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(8.0, 3.0), layout="constrained")
    held_out = learning.environment("FreeFlyerSetpoint")
    for name in SETTINGS:
        places = [trained(folder, name, seed) for seed in SEEDS]
        curves = np.array([curve(place) for place in places])
        for axis, values in zip(axes, (100.0 * curves[:, :, 1], curves[:, :, 2]), strict=True):
            across = curves[0, :, 0] / 1e6
            (line,) = axis.plot(across, np.median(values, axis=0), label=name)
            axis.fill_between(across, values.min(axis=0), values.max(axis=0), alpha=0.25, color=line.get_color(), lw=0)
        for seed, place in zip(SEEDS, places, strict=True):
            found = learning.evaluate(held_out, learning.read_policy(place / "policy.npz"), 1000)
            print(f"{name} seed {seed}: {found}", flush=True)
    for axis, label in zip(axes, ("success while exploring [%]", "return"), strict=True):
        axis.set(xlabel="samples [million]", ylabel=label, xlim=(0.0, None))
        axis.grid(alpha=0.3)
    axes[0].legend()
    figure.savefig(PICTURE, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
