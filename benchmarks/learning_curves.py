"""How PPO, VPG and SAC learn `FreeFlyerSetpoint`: the picture and the table of docs/how-to/train-a-policy.md.

    python -m benchmarks.learning_curves FOLDER     # trains what the folder does not have yet

Of each algorithm the median of its seeds, between the least and the largest.
"""

import csv
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
SEEDS = {"PPO": (0, 1, 2), "VPG": (0,), "SAC": (0,)}
WIDTH = 4e5  # [samples] over which episodes are taken together


def trained(folder: Path, name: str, seed: int) -> Path:
    """The folder of a training, which is made if it is not there yet."""
    place = folder / f"{name.lower()}{seed}"
    if not (place / "policy.npz").exists():
        learning.train(learning.environment("FreeFlyerSetpoint"), SETTINGS[name](seed=seed), folder=place)
    return place


def curve(place: Path) -> np.ndarray:
    """(n, 3) Samples, and success and return of the episodes that have ended in the `WIDTH` before them."""
    with (place / "progress.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = ("samples", "episodes", "success", "mean_return")
    samples, episodes, success, mean_return = (np.array([float(row[name]) for row in rows]) for name in names)
    found = []
    for end in np.arange(WIDTH, samples[-1] + 1.0, WIDTH):
        chosen = (samples > end - WIDTH) & (samples <= end) & (episodes > 0)
        weights = episodes[chosen]
        means = [
            np.average(each[chosen], weights=weights) if chosen.any() else np.nan for each in (success, mean_return)
        ]
        found.append([end, *means])
    return np.array(found)


def draw(places: dict[str, list[Path]]) -> None:
    """The picture."""
    figure, axes = plt.subplots(1, 2, figsize=(8.0, 3.0), layout="constrained")
    for name, folders in places.items():
        several = [curve(place) for place in folders]
        curves = np.array([each[: min(map(len, several))] for each in several])
        across = np.median(curves[:, :, 0], axis=0) / 1e6
        for axis, values in zip(axes, (100.0 * curves[:, :, 1], curves[:, :, 2]), strict=True):
            (line,) = axis.plot(across, np.median(values, axis=0), label=name)
            axis.fill_between(across, values.min(axis=0), values.max(axis=0), alpha=0.25, color=line.get_color(), lw=0)
    for axis, label in zip(axes, ("success while exploring [%]", "return"), strict=True):
        axis.set(xlabel="samples [million]", ylabel=label, xlim=(0.0, None))
        axis.grid(alpha=0.3)
    axes[0].legend()
    figure.savefig(PICTURE, metadata={"Date": None})
    plt.close(figure)


def main(folder: Path) -> None:
    places = {name: [trained(folder, name, seed) for seed in SEEDS[name]] for name in SETTINGS}
    draw(places)
    held_out = learning.environment("FreeFlyerSetpoint")
    for name, folders in places.items():
        for seed, place in zip(SEEDS[name], folders, strict=True):
            found = learning.evaluate(held_out, learning.read_policy(place / "policy.npz"), 1000)
            print(f"{name} seed {seed}: {found}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
