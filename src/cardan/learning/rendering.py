"""Pictures of an environment, by MuJoCo's renderer."""

from typing import Any

import mujoco
import numpy as np

from cardan.errors import MissingExtra, SettingError
from cardan.maths import quaternion_from_mrp
from cardan.simulation import Simulation

_FREE, _BALL, _SLIDE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}")) for kind in ("FREE", "BALL", "SLIDE"))


class Renderer:
    """Draws the mechanism of a scenario as it stands.

    Args:
        mechanism: The mechanism.
        size: [pixels] Height and width.
    """

    def __init__(self, mechanism: Any, size: tuple[int, int] = (240, 320)) -> None:
        if mechanism is None:
            raise SettingError("A scenario without a mechanism has nothing to be drawn.")
        self._model = mechanism.model
        self._data = mujoco.MjData(self._model)
        try:
            self._renderer = mujoco.Renderer(self._model, *size)
        except Exception as error:
            raise MissingExtra(
                f"Nothing can be drawn here: {error}\n"
                "  Install pyopengl and an OpenGL library; the variable `MUJOCO_GL`, egl or osmesa, chooses one."
            ) from error
        self._camera = mujoco.MjvCamera()
        mujoco.mjv_defaultFreeCamera(self._model, self._camera)

    def picture(self, sim: Simulation) -> np.ndarray:
        """(height, width, 3) What can be seen where a simulation stands."""
        for i in range(self._model.njnt):
            at, kind = int(self._model.jnt_qposadr[i]), int(self._model.jnt_type[i])
            if kind == _FREE:
                motion = sim[f"{self._model.body(int(self._model.jnt_bodyid[i])).name}.motion"]
                self._data.qpos[at : at + 7] = *motion.r_BN_N, *quaternion_from_mrp(motion.sigma_BN)
                continue
            state = sim[f"{self._model.joint(i).name}.state"]
            if kind == _BALL:
                self._data.qpos[at : at + 4] = state.q_CP
            else:
                self._data.qpos[at] = state.displacement if kind == _SLIDE else state.angle
        mujoco.mj_forward(self._model, self._data)
        self._camera.lookat[:] = self._data.subtree_com[0]
        self._renderer.update_scene(self._data, self._camera)
        return np.array(self._renderer.render())

    def close(self) -> None:
        self._renderer.close()
