"""`Mujoco`: the unmodified MuJoCo library as a dynamics service."""

from cardan.dynamics.mujoco.service import Mujoco as Mujoco
