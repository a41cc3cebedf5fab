"""Shapes of the world itself are drawn where they are, seen from a vehicle that moves."""

from pathlib import Path

import numpy as np
import pytest

import cardan as cd
from cardan.errors import MissingExtra
from cardan.viewer import Camera

SCENE = """<mujoco><worldbody>{wall}
  <body name="ball"><freejoint/><geom size="0.2" rgba="0 0 1 1"/></body></worldbody></mujoco>"""


def picture(wall: str, folder: Path) -> np.ndarray:
    imageio = pytest.importorskip("imageio.v2")
    m = cd.Mechanism.from_mjcf(SCENE.format(wall=wall), contact=False)
    sim = cd.Simulation(cd.Scenario(mechanism=m), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.1))
    log = sim.run(until=0.1, record=cd.Record(every=0.1))
    try:
        log.save_video(folder, size=(160, 120), times=[0.0], camera=Camera(90.0, 0.0, 4.0))
    except MissingExtra:
        pytest.skip("there is neither EGL nor OSMesa")
    return np.asarray(imageio.imread(folder / "picture-00000.png")).astype(int)


def test_a_wall_of_the_world_is_seen(tmp_path):
    """A red wall to the right of the ball, which the camera looks at from behind."""
    wall = '<geom type="box" size="0.2 0.2 0.6" pos="1 0 0" rgba="1 0 0 1"/>'
    without, seen = picture("", tmp_path / "without"), picture(wall, tmp_path / "with")
    red = (seen[..., 0] > 80) & (seen[..., 1] < 40) & (seen[..., 2] < 40)
    assert red.mean() > 0.02 and red[:, 80:].sum() > 10 * red[:, :80].sum()
    assert np.array_equal(seen[:, :70], without[:, :70])
