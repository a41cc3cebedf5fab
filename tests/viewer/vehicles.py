"""Runs that the tests of the viewer look at."""

from functools import cache
from pathlib import Path

import numpy as np

import cardan as cd
from cardan.messages import BallState, FrameMotion, HingeState, SlideState

TETRAHEDRON = """v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"""

# one of each kind of joint and of shape; numbers with more digits than MuJoCo writes to XML
MJCF = """
<mujoco model="pair">
  <compiler angle="radian" meshdir="{folder}"/>
  <option gravity="0 0 0"><flag contact="disable"/></option>
  <asset>
    <mesh name="tetrahedron" file="tetrahedron.obj" scale="0.4 0.4 0.4"/>
    <material name="gold" rgba="0.8 0.7 0.2 1"/>
  </asset>
  <worldbody>
    <body name="hub">
      <freejoint name="hub_free"/>
      <geom type="box" size="0.5 0.4 0.3" material="gold"/>
      <geom name="bumper" type="sphere" size="0.7" group="3" mass="0"/>
      <body name="boom" pos="0.51234567891 0.1 0" quat="0.9 0.1 0.2 0.3">
        <joint name="boom_ball" type="ball" pos="0.01 0.02 0.03"/>
        <geom type="capsule" fromto="0 0 0 0.8123456789 0 0" size="0.05"/>
        <body name="tool" pos="0.8123456789 0 0">
          <joint name="slide" type="slide" axis="1 1 0"/>
          <joint name="wrist" axis="0.3 0.4 1" ref="0.2" pos="0.03 0 0.01"/>
          <geom type="cylinder" size="0.1 0.05"/>
          <geom type="mesh" mesh="tetrahedron" pos="0.1 0 0" rgba="1 0 0 0.5"/>
          <site name="tip" pos="0.2 0.123456789 0"/>
        </body>
      </body>
    </body>
    <body name="target" pos="5 1 0">
      <freejoint name="target_free"/>
      <geom type="ellipsoid" size="0.6 0.4 0.2"/>
    </body>
  </worldbody>
</mujoco>
"""
R_N = np.array([7.0e6, 1.0e5, -2.0e5])  # [m] 7000 km from the origin


def pair(folder: Path) -> cd.Scenario:
    """Two vehicles in free space, all joints moving."""
    (folder / "tetrahedron.obj").write_text(TETRAHEDRON)
    m = cd.Mechanism.from_mjcf(MJCF.format(folder=folder))
    scn = cd.Scenario("pair", mechanism=m)
    v_N = np.array([0.0, 7500.0, 0.0])
    scn.start(
        {
            "hub": FrameMotion(R_N, v_N, np.array([0.1, 0.2, -0.1]), np.array([0.02, -0.03, 0.1])),
            "target": FrameMotion(R_N + np.array([5.0, 1.0, 0.0]), v_N, np.zeros(3), np.array([0.0, 0.0, 0.2])),
            "boom_ball": BallState(omega_CP_C=np.array([0.1, 0.2, 0.3])),
            "slide": SlideState(rate=0.02),
            "wrist": HingeState(angle=0.5, rate=-0.4),
        }
    )
    return scn


@cache
def pair_log(folder: Path) -> cd.Log:
    """Of two seconds, with the motion of every body besides what is recorded anyway."""
    sim = cd.Simulation(pair(folder), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05))
    return sim.run(until=2.0, record=cd.Record(every=0.1, ports=["*.motion", "*.state", "*.momentum"]))
