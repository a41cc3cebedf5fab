"""Colours and images of the materials of a compiled model, as plain data.

An image that lies on a shape as a sheet (MJCF's type `2d`, the built-in checker too) is kept, with what it takes to
place it. Of an image around a shape (`cube`) its mean colour is kept.
"""

from typing import Any

import mujoco
import numpy as np

from cardan.mechanism.packing import packed

_LONGEST = 512  # [-] dots along a side of an image that is kept; every second one goes until it is no longer
_RGB = int(mujoco.mjtTextureRole.mjTEXROLE_RGB)


def paint(model: mujoco.MjModel, material: int, rgba: np.ndarray) -> tuple[list[float], dict[str, Any]]:
    """The colour of a shape as a whole, and its texture: {} where it has none that is a sheet.

    Args:
        model: The model.
        material: Its number, less than zero for none.
        rgba: By which a texture is multiplied.
    """
    texture = _texture(model, material)
    if texture < 0:
        return _rounded(rgba), {}
    mean = _pixels(model, texture).reshape(-1, 3).mean(axis=0) / 255.0
    painted = _rounded(np.concatenate([np.asarray(rgba[:3]) * mean, rgba[3:]]))
    if not _is_sheet(model, texture):
        return painted, {}
    described = {
        "name": _name(model, texture),
        "tint": _rounded(rgba),
        "repeat": _rounded(model.mat_texrepeat[material]),
        "is_uniform": bool(model.mat_texuniform[material]),
    }
    return painted, {"texture": described}


def textures_of(model: mujoco.MjModel) -> dict[str, Any]:
    """The images that lie on shapes, by name: rows, columns, and three bytes for each dot."""
    used = {_texture(model, int(material)) for material in model.geom_matid}
    found = {}
    for i in sorted(used - {-1}):
        if _is_sheet(model, i):
            pixels = _pixels(model, i)
            while max(pixels.shape) > _LONGEST:
                pixels = pixels[::2, ::2]
            rows, columns = pixels.shape[:2]
            found[_name(model, i)] = {"rows": rows, "columns": columns, "pixels": packed(pixels)}
    return found


def textured_meshes(model: mujoco.MjModel) -> set[int]:
    """The meshes of shapes with an image on them."""
    return {
        int(model.geom_dataid[i])
        for i in range(model.ngeom)
        if (texture := _texture(model, int(model.geom_matid[i]))) >= 0 and _is_sheet(model, texture)
    }


def _texture(model: mujoco.MjModel, material: int) -> int:
    """The number of the texture of a material; -1 without one."""
    return int(model.mat_texid[material, _RGB]) if material >= 0 else -1


def _is_sheet(model: mujoco.MjModel, texture: int) -> bool:
    return int(model.tex_type[texture]) == int(mujoco.mjtTexture.mjTEXTURE_2D)


def _pixels(model: mujoco.MjModel, texture: int) -> np.ndarray:
    """(rows, columns, 3) Red, green and blue; of an image with fewer channels, its first one as grey."""
    rows, columns = int(model.tex_height[texture]), int(model.tex_width[texture])
    channels, at = int(model.tex_nchannel[texture]), int(model.tex_adr[texture])
    dots = model.tex_data[at : at + rows * columns * channels].reshape(rows, columns, channels)
    return dots[..., :3] if channels >= 3 else np.repeat(dots[..., :1], 3, axis=2)


def _name(model: mujoco.MjModel, texture: int) -> str:
    return model.texture(texture).name or f"texture {texture}"


def _rounded(parts: np.ndarray) -> list[float]:
    return [round(float(part), 6) for part in parts]
