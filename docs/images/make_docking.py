"""The docking trial as SmallSatSim's paper shows its own in Fig. 6: the vehicle at the port, contact force and error.

The snapshot is rendered by MuJoCo from the run itself, so that this needs EGL or OSMesa (extra `video`).
"""

import tempfile
from pathlib import Path

import imageio.v2 as imageio
import matplotlib as mpl
import numpy as np

mpl.use("Agg")
mpl.rcParams |= {"font.size": 9.0}

import matplotlib.pyplot as plt  # noqa: E402

from cardan.missions import find_mission  # noqa: E402
from cardan.missions.docking_results import AFTER, judge  # noqa: E402
from cardan.simulation import Log, Simulation  # noqa: E402
from cardan.viewer import Camera  # noqa: E402

HERE = Path(__file__).parent
COLOUR = "#1f4e79"


def main() -> None:
    mission = find_mission("docking")
    sim = Simulation(mission.build(), dynamics=mission.service("mujoco"), integrator=mission.integrator_for())
    log = sim.run(until=mission.until, record=mission.record)
    seen, touch = judge(log), log["touch.contact"]
    assert seen.first is not None, "it touches"

    figure, axes = plt.subplot_mosaic(
        [["seen", "force"], ["seen", "distance"], ["seen", "turned"]],
        figsize=(10.0, 4.2), width_ratios=[1.3, 1.0], layout="constrained",
    )  # fmt: skip
    axes["seen"].imshow(snapshot(log, seen.first + 2.0))
    axes["seen"].set_axis_off()
    axes["seen"].set_title(f"at the crew airlock, 2 s after the touch at {seen.first:.1f} s")
    for name, label, values in (
        ("force", "contact force [N]", touch.total),
        ("distance", "position error [m]", seen.distance),
        ("turned", "attitude error [deg]", np.rad2deg(seen.turned)),
    ):
        axes[name].plot(log.t, values, color=COLOUR)
        axes[name].set_ylabel(label)
        axes[name].set_yscale("symlog", linthresh=1e-2)
        axes[name].axvline(seen.first, color="0.6", linestyle=":")
        axes[name].axvline(seen.first + AFTER, color="0.6", linestyle="--")
        axes[name].grid(alpha=0.3)
        axes[name].margins(x=0.0)
    axes["turned"].set_xlabel("time [s]; dotted: first contact, dashed: judged")
    figure.savefig(HERE / "docking-trial.png", dpi=100)


def snapshot(log: Log, t: float) -> np.ndarray:
    """The vehicle at the port at a time [s]."""
    with tempfile.TemporaryDirectory() as folder:
        log.save_video(Path(folder) / "one", times=[t], camera=Camera(35.0, -20.0, 4.5), size=(720, 560))
        return np.asarray(imageio.imread(Path(folder) / "one" / "picture-00000.png"))


if __name__ == "__main__":
    main()
