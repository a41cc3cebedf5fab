"""The pictures of the documentation: the hello mission as a diagram and as a plot, the vehicles of other missions, and
where a vehicle without shapes drifts.

The vehicles are rendered by MuJoCo from real runs, so that this needs EGL or OSMesa (extra `video`).
"""

import tempfile
from pathlib import Path
from typing import NamedTuple

import imageio.v2 as imageio
import matplotlib as mpl
import numpy as np

mpl.use("Agg")
mpl.rcParams |= {"svg.hashsalt": "cardan", "svg.fonttype": "path", "font.size": 9.0}

from cardan.missions import find_mission, hello  # noqa: E402
from cardan.missions.geostationary_year import drift_figure  # noqa: E402
from cardan.plots import draw_panels  # noqa: E402
from cardan.simulation import Log, Simulation  # noqa: E402
from cardan.viewer import Camera  # noqa: E402

HERE = Path(__file__).parent
SIZE = (640, 400)


class Picture(NamedTuple):
    """A moment of a mission.

    Attributes:
        mission: Its name.
        t: [s] When.
        camera: From where.
        until: [s] How long it runs; as long as it usually does if left out.
        follow: The body in the middle; that of the first vehicle if left out.
        file: What the picture is called; as the mission if left out.
    """

    mission: str
    t: float
    camera: Camera
    until: float | None = None
    follow: str | None = None
    file: str = ""


ARM = Camera(130.0, -15.0, 2.8, offset_N=(0.1, 0.1, 0.35))
PICTURES = (
    Picture("branching-panels", 9000.0, Camera(95.0, -40.0, 8.0, offset_N=(1.3, 0.0, -0.5)), until=9100.0),
    Picture("reaction-wheels", 30.0, Camera(190.0, -20.0, 2.6), until=40.0),
    Picture("thruster-arms", 1.5, Camera(130.0, -25.0, 5.0), until=5.0),
    Picture("free-floating-reach", 14.0, ARM),
    Picture("zero-reaction", 20.0, ARM),
    Picture("desired-reaction", 12.0, ARM),
    Picture("solar-array-deployment", 2500.0, Camera(70.0, -20.0, 18.5)),
    Picture("prescribed-verification", 15.0, Camera(120.0, -25.0, 2.3)),
    Picture("gimbal-command", 60.0, Camera(115.0, 25.0, 5.0), follow="platform1"),
    Picture("sep-point", 43200.0, Camera(20.0, 10.0, 13.0), until=86400.0),
    Picture("free-flyer-setpoint", 0.5, Camera(150.0, -20.0, 1.1), until=1.0),
    Picture("gateway-inspection", 15.0, Camera(195.0, -15.0, 5.5, offset_N=(0.4, -1.2, 0.0)), until=16.0),
    Picture("formation-inspection", 150.0, Camera(-33.0, -7.0, 2.0), until=151.0, follow="flyer/astrobee"),
    Picture("mpc-capture", 17.0, Camera(315.0, -20.0, 2.0), until=18.0, file="mpc-capture-vehicle"),
    Picture("docking", 16.65, Camera(150.0, -20.0, 3.0), until=17.0),
    Picture("berthing", 40.0, Camera(130.0, -15.0, 4.0, offset_N=(0.4, 0.35, 0.4))),
    Picture("capture-of-a-tumbling-target", 9.0, Camera(110.0, -25.0, 4.0, offset_N=(0.7, 0.2, 0.2)), until=10.0),
    Picture("low-orbit-day", 7200.0, Camera(160.0, -25.0, 7.0), until=7260.0),
)
# in the README, in rows of three
STRIP = (
    ("branching-panels", "thruster-arms", "solar-array-deployment"),
    ("sep-point", "docking", "capture-of-a-tumbling-target"),
)


def main() -> None:
    draw_hello()
    draw_drift()
    dots = {picture.mission: draw_vehicle(picture) for picture in PICTURES}
    # half as large, side by side
    rows = [np.hstack([dots[name].reshape(200, 2, 320, 2, 3).mean(axis=(1, 3)) for name in row]) for row in STRIP]
    imageio.imwrite(HERE / "missions.png", np.vstack(rows).round().astype(np.uint8))


def draw_vehicle(picture: Picture) -> np.ndarray:
    """(400, 640, 3) A moment of a mission, also written as a file."""
    log = log_of(picture.mission, picture.until)
    with tempfile.TemporaryDirectory() as folder:
        one = log.save_video(
            Path(folder) / "one", times=[picture.t], camera=picture.camera, size=SIZE, follow=picture.follow
        )
        dots = np.asarray(imageio.imread(one / "picture-00000.png"))
    imageio.imwrite(HERE / f"{picture.file or picture.mission}.png", dots)
    return dots


def log_of(name: str, until: float | None = None) -> Log:
    """A run of a mission, as long as it usually is if `until` [s] is left out."""
    mission = find_mission(name)
    sim = Simulation(mission.build(), dynamics=mission.service(), integrator=mission.integrator_for())
    return sim.run(until=until or mission.until, record=mission.record)


def draw_drift() -> None:
    """A satellite that is a point with faces: its longitude, its inclination and its eclipses say more than a box."""
    figure = draw_panels(drift_figure(log_of("geostationary-year")), "")
    figure.savefig(HERE / "geostationary-year.png", dpi=80, metadata={"Software": None})


def draw_hello() -> None:
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
