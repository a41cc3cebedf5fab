"""`Clearance`: how far a vehicle is from what it may hit, by the mechanism's own collision geometry.

Distances are MuJoCo's (`mj_geomDistance`), between the shapes that its rules let touch. A vehicle that moves by a
length comes nearer to anything by no more than that length, and by a turn by no more than the angle times its radius:
so a few distances along a way prove that all of it is free.
"""

import threading
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from cardan.errors import MechanismError, UnknownName, did_you_mean
from cardan.maths import dcm_from_quaternion
from cardan.maths.swept import stays_above
from cardan.mechanism.compiling import compile_spec
from cardan.mechanism.mechanism import Mechanism

FAR = 1.0e3
"""[m] Beyond this nothing is measured."""


class Clearance:
    """Distances from a free vehicle to all that it may hit.

    Bodies that are named as `moving` are where each call says they are, others where they are drawn.

    Args:
        mechanism: The mechanism.
        body: The body of the vehicle that has the free joint.
        moving: Other bodies with a free joint that move.
        any_attitude: Whether the vehicle counts as the sphere about its origin that holds it at any attitude.

    Attributes:
        radius: [m] Of that sphere.
        moving: The bodies that move.
        reach: [m] (n,) Radius of the sphere about each of them that holds it.
    """

    def __init__(
        self, mechanism: Mechanism, body: str, *, moving: Sequence[str] = (), any_attitude: bool = True
    ) -> None:
        for name in (body, *moving):
            if name not in mechanism.bodies:
                raise UnknownName(f"There is no body `{name}`.{did_you_mean(name, mechanism.bodies)}")
            if not mechanism.flies_freely(name):
                raise MechanismError(f"`{name}` has no free joint.\n  Name bodies that fly freely.")
        self.moving = tuple(moving)
        spec = mechanism._spec.copy()
        probe = spec.worldbody.add_body(name="cardan clearance probe")
        probe.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[1.0, 0.0, 0.0], mass=0.0)
        model = self._model = compile_spec(spec, mechanism._source).model
        self._data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, self._data)
        self._lock = threading.Lock()  # batches call from several threads
        self._probe = int(np.flatnonzero(model.geom_bodyid == model.body("cardan clearance probe").id)[0])
        root = int(model.body(body).id)
        own = [i for i in range(model.ngeom) if int(model.body_rootid[model.geom_bodyid[i]]) == root]
        shapes = [i for i in own if model.geom_contype[i] or model.geom_conaffinity[i]]
        if not shapes:
            raise MechanismError(f"`{body}` has no shapes that may touch anything.\n  Give it collision geometry.")
        self._offsets_B, self._turns_BG = self._relative(root, shapes)
        sizes = np.linalg.norm(self._offsets_B, axis=1) + model.geom_rbound[shapes]
        self.radius = float(sizes.max())
        model.geom_size[self._probe, 0] = model.geom_rbound[self._probe] = self.radius
        self._shapes = [self._probe] if any_attitude else shapes
        if any_attitude:
            self._offsets_B, self._turns_BG = np.zeros((1, 3)), np.eye(3)[None]
        roots = [int(model.body(name).id) for name in self.moving]
        others = [i for i in range(model.ngeom) if i not in own and i != self._probe and self._may_touch(i, shapes)]
        groups = [[i for i in others if int(model.body_rootid[model.geom_bodyid[i]]) == r] for r in roots]
        self._moving = [(group, *self._about_com(root, group)) for root, group in zip(roots, groups, strict=True)]
        self._static = [i for i in others if not any(i in group for group in groups)]
        self.reach = np.array(
            [
                max(
                    (float(np.linalg.norm(o)) + float(model.geom_rbound[i]) for i, o in zip(g, offsets, strict=True)),
                    default=0.0,
                )
                for g, offsets in self._moving
            ]
        )

    def _may_touch(self, other: int, shapes: list[int]) -> bool:
        model = self._model
        return any(
            model.geom_contype[other] & model.geom_conaffinity[i]
            or model.geom_contype[i] & model.geom_conaffinity[other]
            for i in shapes
        )

    def _relative(self, root: int, shapes: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Places and turns of shapes relative to a body, as drawn."""
        data = self._data
        dcm_NB, origin_N = data.xmat[root].reshape(3, 3), data.xpos[root]
        offsets = (data.geom_xpos[shapes] - origin_N) @ dcm_NB
        turns = np.array([dcm_NB.T @ data.geom_xmat[i].reshape(3, 3) for i in shapes])
        return offsets, turns

    def _about_com(self, root: int, shapes: list[int]) -> tuple[np.ndarray]:
        """Places of shapes relative to a body's centre of mass, in inertial components, as drawn."""
        return (self._data.geom_xpos[shapes] - self._data.xipos[root],)

    def distance(self, r_BN_N: Any, q_BN: Any = None, obstacles_N: Any = ()) -> tuple[float, str]:
        """[m] The least distance at a pose, negative inside, and the shape that it is to; `FAR` where there is none.

        Args:
            r_BN_N: [m] Origin of the vehicle's body, in inertial components.
            q_BN: [-] Its unit quaternion; that of no rotation if left out. Of no meaning with `any_attitude`.
            obstacles_N: [m] (n, 3) Centres of mass of the moving bodies, at their drawn attitudes.
        """
        with self._lock:
            self._put(np.asarray(r_BN_N, dtype=float), q_BN)
            shapes = list(self._static)
            for (group, offsets), place in zip(self._moving, obstacles_N, strict=True):
                self._data.geom_xpos[group] = np.asarray(place) + offsets
                shapes += group
            return self._nearest(shapes)

    def distance_to_moving(self, r_BN_N: Any, q_BN: Any, obstacles_N: Any) -> float:
        """[m] The same to the moving bodies alone."""
        with self._lock:
            self._put(np.asarray(r_BN_N, dtype=float), q_BN)
            shapes = []
            for (group, offsets), place in zip(self._moving, obstacles_N, strict=True):
                self._data.geom_xpos[group] = np.asarray(place) + offsets
                shapes += group
            return self._nearest(shapes)[0]

    def distance_to_static(self, r_BN_N: Any, q_BN: Any = None) -> float:
        """[m] The same to what does not move alone."""
        with self._lock:
            self._put(np.asarray(r_BN_N, dtype=float), q_BN)
            return self._nearest(self._static)[0]

    def is_free(self, first: Any, last: Any, margin: float, obstacles_N: Any = ()) -> bool:
        """Whether the vehicle keeps a margin [m] all along a straight way, turning evenly.

        Args:
            first: Position [m] and unit quaternion at the start.
            last: The same at the end.
            margin: [m]
            obstacles_N: [m] (n, 3) Centres of mass of the moving bodies.
        """
        (r_0, q_0), (r_1, q_1) = ((np.asarray(r, dtype=float), np.asarray(q, dtype=float)) for r, q in (first, last))
        angle = 2.0 * np.arccos(min(1.0, abs(float(q_0 @ q_1))))
        length = float(np.linalg.norm(r_1 - r_0)) + self.radius * angle

        def distance(share: float) -> float:
            near = q_1 if float(q_0 @ q_1) >= 0.0 else -q_1
            weights = (1.0 - share, share) if angle < 1e-6 else np.sin(0.5 * angle * np.array([1.0 - share, share]))
            q = weights[0] * q_0 + weights[1] * near
            return self.distance(r_0 + share * (r_1 - r_0), q / np.linalg.norm(q), obstacles_N)[0]

        return stays_above(distance, distance(0.0), distance(1.0), length, margin)

    def _put(self, r_N: np.ndarray, q_BN: Any) -> None:
        dcm_NB = np.eye(3) if q_BN is None else dcm_from_quaternion(np.asarray(q_BN, dtype=float)).T
        self._data.geom_xpos[self._shapes] = r_N + self._offsets_B @ dcm_NB.T
        for i, turn in zip(self._shapes, self._turns_BG, strict=True):
            self._data.geom_xmat[i] = (dcm_NB @ turn).ravel()

    def _nearest(self, others: list[int]) -> tuple[float, str]:
        """Shapes in the order of what their enclosing spheres allow, until no other can be nearer."""
        model, data = self._model, self._data
        best, name = FAR, ""
        if not others:
            return best, name
        for own in self._shapes:
            apart = np.linalg.norm(data.geom_xpos[others] - data.geom_xpos[own], axis=1)
            least = apart - model.geom_rbound[others] - model.geom_rbound[own]
            least = np.where(model.geom_rbound[others] > 0.0, least, -FAR)  # a plane has no end
            for k in np.argsort(least, kind="stable"):
                if least[k] >= best:
                    break
                found = mujoco.mj_geomDistance(model, data, own, others[k], best, None)
                if found < best:
                    best, name = float(found), str(model.geom(others[k]).name)
        return best, name
