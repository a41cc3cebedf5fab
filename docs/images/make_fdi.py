"""How often vehicles went on in spite of a fault, with and without reconfiguration: two studies with the same draws.

cardan study fdi --seed 2 --runs 1200 --into with
cardan study fdi --seed 2 --runs 1200 --set recover=false --into without
python docs/images/make_fdi.py with without
"""

import csv
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
mpl.rcParams |= {"font.size": 9.0}

import matplotlib.pyplot as plt  # noqa: E402

from cardan.missions.fdi import KINDS  # noqa: E402


def main(folders: list[str]) -> None:
    shares = [share_that_went_on(Path(folder) / "table.csv") for folder in folders]
    figure, axes = plt.subplots(figsize=(7.0, 3.2), layout="constrained")
    places = np.arange(len(KINDS))
    for share, label, shift in zip(shares, ("with reconfiguration", "without"), (-0.2, 0.2), strict=True):
        axes.barh(places + shift, share, height=0.38, label=label)
    axes.set_yticks(places, KINDS)
    axes.invert_yaxis()
    axes.set_xlabel("went on [% of runs]")
    axes.grid(alpha=0.3, axis="x")
    figure.legend(loc="outside upper center", ncols=2)
    figure.savefig(Path(__file__).parent / "fdi-recovery.png", dpi=100)


def share_that_went_on(table: Path) -> np.ndarray:
    """[%] By kind of fault."""
    with table.open() as file:
        rows = list(csv.DictReader(file))
    kind, went = (next(name for name in rows[0] if name.startswith(begin)) for begin in ("fault.kind", "went on"))
    found = [[float(row[went]) for row in rows if int(float(row[kind])) == i] for i in range(len(KINDS))]
    return np.array([100.0 * np.mean(each) for each in found])


if __name__ == "__main__":
    main(sys.argv[1:])
