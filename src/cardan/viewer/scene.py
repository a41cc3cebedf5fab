"""A mechanism in the scene of a page: a node for each body, with its shapes below it."""

from typing import Any

import numpy as np

from cardan.viewer.drawing import Drawing, Shape
from cardan.viewer.frame import Frame
from cardan.viewer.meshes import mesh_of, stand_in
from cardan.viewer.textures import textured

ROOT = "/scene"
LAMPS = "/lamps"  # all light but some faint one, which stays when only the Sun shines
_STAND_IN = (0.55, 0.6, 0.68)
_FAR = 1.0e12  # [m]


class Stage:
    """The scene without its vehicles: axes of the page, camera, light.

    Args:
        server: Of the page.
        size: [m] About as far as a vehicle reaches.
    """

    def __init__(self, server: Any, size: float) -> None:
        self._root = server.scene.add_frame(ROOT, show_axes=False)
        server.scene.set_up_direction("+z")
        server.scene.world_axes.visible = False
        camera = server.initial_camera
        camera.position, camera.look_at = tuple(size * np.array([1.1, -1.7, 0.9])), (0.0, 0.0, 0.0)
        camera.near, camera.far = 0.01 * size, _FAR
        _add_lights(server.scene)

    def place(self, frame: Frame) -> None:
        """Turn the axes of the scene to those of the page."""
        put(self._root, *frame.axes)


def _add_lights(scene: Any) -> None:
    """A bright light from the left of where the camera begins, a weak one against it, and some from everywhere."""
    scene.add_light_hemisphere("/faint light", sky_color=(225, 232, 255), ground_color=(120, 115, 110), intensity=0.35)
    scene.add_frame(LAMPS, show_axes=False)
    scene.add_light_hemisphere(
        f"{LAMPS}/around", sky_color=(225, 232, 255), ground_color=(120, 115, 110), intensity=0.75
    )
    scene.add_light_directional(f"{LAMPS}/bright", intensity=2.2, position=(-0.3, -1.0, 1.2))
    scene.add_light_directional(f"{LAMPS}/fill", intensity=0.8, position=(1.0, 0.8, -0.2))


class VehiclesInScene:
    """All bodies of a mechanism.

    Args:
        scene: Of the page.
        drawing: The mechanism.
        name: Of the node above all bodies.
        ghost: The colour in which everything is drawn, half transparent; None for its own colours.
    """

    def __init__(
        self, scene: Any, drawing: Drawing, name: str = "bodies", ghost: tuple[float, float, float] | None = None
    ) -> None:
        self.drawing = drawing
        self.undrawn: list[str] = []
        self.collisions: list[Any] = []
        self.nodes = [scene.add_frame(node_name(drawing, i, name), show_axes=False) for i in range(len(drawing.bodies))]
        for i, shape in enumerate(drawing.shapes):
            self._add(scene, name, i, shape, ghost)
        seen = {shape.body for shape in drawing.shapes if not shape.is_for_collisions}
        for body in range(1, len(drawing.bodies)):
            made = stand_in(drawing, body) if body not in seen else None
            if made is not None:
                mesh, pos, quat = made
                scene.add_mesh_simple(
                    f"{node_name(drawing, body, name)}/stand-in", np.asarray(mesh.vertices), np.asarray(mesh.faces),
                    color=color_of(np.array(ghost or _STAND_IN)), opacity=0.3 if ghost else None,
                    position=pos, wxyz=quat, cast_shadow=False, receive_shadow=False,
                )  # fmt: skip

    def _add(self, scene: Any, name: str, i: int, shape: Shape, ghost: tuple[float, float, float] | None) -> None:
        mesh = mesh_of(self.drawing, shape)
        if mesh is None or not len(mesh.faces):
            self.undrawn.append(f"{shape.name or f'shape {i}'} of {self.drawing.bodies[shape.body]} ({shape.kind})")
            return
        called = f"{node_name(self.drawing, shape.body, name)}/shape {i}"
        placed = {
            "position": shape.pos, "wxyz": shape.quat, "visible": not shape.is_for_collisions, "cast_shadow": False,
            "receive_shadow": False,
        }  # fmt: skip
        if shape.texture is not None and ghost is None:
            node = scene.add_glb(called, glb_data=textured(mesh, shape), **placed)
        else:
            opacity = float(shape.rgba[3]) if ghost is None else 0.3
            node = scene.add_mesh_simple(
                called, np.asarray(mesh.vertices), np.asarray(mesh.faces),
                color=color_of(shape.rgba[:3] if ghost is None else np.array(ghost)),
                opacity=None if opacity >= 1.0 else opacity,
                side="double" if shape.kind in ("plane", "mesh") else "front", **placed,
            )  # fmt: skip
        if shape.is_for_collisions:
            self.collisions.append(node)

    def place(self, frame: Frame) -> None:
        """Put all bodies where they are."""
        for node, r, q in zip(self.nodes, frame.r, frame.q, strict=True):
            put(node, r, q)


def node_name(drawing: Drawing, body: int, above: str = "bodies") -> str:
    """What the node of a body is called in the scene."""
    return f"{ROOT}/{above}/{body} {drawing.bodies[body].replace('/', ':')}"


def put(node: Any, r: np.ndarray, q: np.ndarray) -> None:
    """Move a node; nothing is sent for one that stays."""
    if not np.array_equal(node.position, r):
        node.position = r
    if not np.array_equal(node.wxyz, q):
        node.wxyz = q


def color_of(rgb: np.ndarray) -> tuple[int, int, int]:
    """Red, green and blue from 0 to 255."""
    r, g, b = (round(255.0 * float(np.clip(part, 0.0, 1.0))) for part in rgb)
    return r, g, b
