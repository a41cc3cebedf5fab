"""The picture of the README: the hello mission as a diagram and as a plot, in one SVG file."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
mpl.rcParams |= {"svg.hashsalt": "cardan", "svg.fonttype": "path", "font.size": 9.0}

from cardan.missions import hello  # noqa: E402
from cardan.simulation import Simulation  # noqa: E402

HERE = Path(__file__).parent


def main() -> None:
    import matplotlib.pyplot as plt

    log = Simulation(hello.build(), integrator=hello.MISSION.integrator).run(until=300.0)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 2.8), layout="constrained")
    left.plot(log.t, hello.attitude_error(log), color="#1f4e79")
    left.set_ylabel("attitude error [deg]")
    right.plot(log.t, log["ctl.torque"].torque_B, drawstyle="steps-post")
    right.legend(["1", "2", "3"], ncols=3, title="body axis", loc="upper right")
    right.set_ylabel("control torque [N m]")
    for axes in (left, right):
        axes.set_xlabel("time [s]")
        axes.grid(alpha=0.3)
        axes.margins(x=0.0)
    left.set_ylim(0.0, np.ceil(hello.attitude_error(log).max() / 10.0) * 10.0)
    figure.savefig(HERE / "hello.svg", metadata={"Date": None})
    hello.build().draw(HERE / "hello-diagram.svg")


if __name__ == "__main__":
    main()
