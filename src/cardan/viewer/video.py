"""Videos and pictures of a log by MuJoCo's own renderer, where there is EGL or OSMesa; no browser is needed."""

import contextlib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

from cardan.errors import LogFileError, MissingExtra, SettingError, shown
from cardan.files import check_writable, not_written, written_whole
from cardan.simulation import Log
from cardan.viewer.drawing import WORLD, Drawing, Texture
from cardan.viewer.frame import Frame, Recording, frame_at, start_of
from cardan.viewer.meshes import mesh_of, reach, stand_in
from cardan.viewer.overlays.contacts import ARROW, contact_arrows
from cardan.viewer.overlays.vectors import Plumes, plume_lengths
from cardan.viewer.timeline import check_speed, usual_speed

_LARGEST = 8192  # dots along a side
_HORIZON, _ZENITH = [0.32, 0.38, 0.48], [0.05, 0.07, 0.12]
_PLUME = (0.55, 0.75, 1.0, 0.5)
_CONTACT = (1.0, 0.25, 0.8, 1.0)
_SYSTEMS = ("mujoco.egl", "mujoco.osmesa") if sys.platform.startswith("linux") else ("mujoco.cgl", "mujoco.glfw")


class Camera(NamedTuple):
    """From where a picture is taken, and which point it looks at.

    Attributes:
        azimuth: [deg] Around the z axis.
        elevation: [deg] Above the x-y plane is negative.
        distance: [m] None for one at which the whole vehicle is seen.
        offset_N: [m] From the origin of the body that is followed to the point in the middle, in inertial components.
    """

    azimuth: float = 120.0
    elevation: float = -25.0
    distance: float | None = None
    offset_N: Sequence[float] = (0.0, 0.0, 0.0)


def save_video(
    log: Log,
    path: str | Path,
    *,
    follow: str | None = None,
    speed: float | None = None,
    rate: float = 30.0,
    size: tuple[int, int] = (1280, 720),
    camera: Camera = Camera(),
    times: Sequence[float] | None = None,
) -> Path:
    """Write a video, or a picture for each of some times.

    Args:
        log: What was recorded.
        path: A file `.mp4` or `.gif`; or a folder, for a series of PNG files.
        follow: The body in the middle; that of the first vehicle if left out.
        speed: Simulated seconds per second; by default 1, and more for runs of more than a minute.
        rate: [1/s] Pictures per second.
        size: Width and height, in dots.
        camera: From where to look.
        times: [s] Those of the pictures; from the first to the last sample, at `rate`, if left out.
    """
    path = Path(path)
    width, height = _check_size(size)
    if not isinstance(rate, int | float) or not 0.0 < rate <= 240.0:
        raise SettingError(f"rate = {shown(rate)}.\n  Use pictures per second, e.g. 30.")
    source = Recording(log)
    first, last = float(source.t[0]), float(source.t[-1])
    pace = usual_speed(last - first) if speed is None else speed
    check_speed(pace)
    when = np.arange(first, last + 1.0e-9, pace / rate) if times is None else np.asarray(times, float)
    if path.suffix.lower() in (".mp4", ".gif"):
        write: Callable[[Path, Iterator[np.ndarray], float], None] = _write_film
    elif not path.suffix:
        write = _write_pictures
    else:
        raise SettingError(
            f"A video cannot be written to {path}.\n  Use a name that ends in .mp4 or .gif, or a folder for PNG files."
        )
    with contextlib.closing(_Renderer(source, follow, width, height, camera)) as renderer:
        try:
            if write is _write_film:
                check_writable(path)
            write(path, (renderer.picture(float(t)) for t in when), rate)
        except OSError as error:
            raise LogFileError(not_written("The video", path, error)) from error
    return path


def _write_film(path: Path, pictures: Iterator[np.ndarray], rate: float) -> None:
    try:
        imageio: Any = import_module("imageio.v2")
        if path.suffix.lower() == ".mp4":
            import_module("imageio_ffmpeg")
    except ImportError:
        raise MissingExtra(
            "Videos need imageio and ffmpeg.\n  Install them with `pip install cardan[video]`."
        ) from None
    with written_whole(path) as unfinished:
        beside = unfinished.with_name(f"{unfinished.name}{path.suffix.lower()}")
        options = {"fps": rate, "macro_block_size": 2} if path.suffix.lower() == ".mp4" else {"duration": 1e3 / rate}
        try:
            with imageio.get_writer(beside, **options) as film:
                for picture in pictures:
                    film.append_data(picture)
            beside.replace(unfinished)
        finally:
            beside.unlink(missing_ok=True)


def _write_pictures(folder: Path, pictures: Iterator[np.ndarray], _: float) -> None:
    try:
        imageio: Any = import_module("imageio.v2")
    except ImportError:
        raise MissingExtra("Pictures need imageio.\n  Install it with `pip install cardan[video]`.") from None
    folder.mkdir(parents=True, exist_ok=True)
    for i, picture in enumerate(pictures):
        with written_whole(folder / f"picture-{i:05d}.png") as unfinished:
            imageio.imwrite(unfinished, picture, format="png")


class _Renderer:
    """A scene in MuJoCo with a body that is moved by hand for each body of a log."""

    def __init__(self, source: Recording, follow: str | None, width: int, height: int, camera: Camera) -> None:
        self._source, self._view = source, start_of(source.drawing, follow)
        self._plumes = Plumes.is_offered(source)
        size = reach(source.drawing, self._view.follow)
        self._size = size
        self._model = _model(source.drawing, width, height, size)
        self._data = mujoco.MjData(self._model)
        self._context = _context(width, height)
        self._rendering = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._rendering)
        self._scene = mujoco.MjvScene(self._model, self._model.ngeom + 1000)
        self._camera = mujoco.MjvCamera()
        mujoco.mjv_defaultFreeCamera(self._model, self._camera)
        self._camera.lookat[:] = camera.offset_N
        self._camera.azimuth, self._camera.elevation = camera.azimuth, camera.elevation
        self._camera.distance = 2.4 * size if camera.distance is None else camera.distance
        self._option = mujoco.MjvOption()
        self._rectangle = mujoco.MjrRect(0, 0, width, height)
        self._dots = np.zeros((height, width, 3), np.uint8)

    def picture(self, t: float) -> np.ndarray:
        """(height, width, 3) The scene at a time [s]."""
        frame = frame_at(self._source, t, self._view)
        self._data.mocap_pos[:], self._data.mocap_quat[:] = frame.r, frame.q
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)
        mujoco.mjv_updateScene(
            self._model, self._data, self._option, None, self._camera, mujoco.mjtCatBit.mjCAT_ALL, self._scene
        )
        self._add_plumes(frame)
        self._add_contacts(frame)
        mujoco.mjr_render(self._rectangle, self._scene, self._rendering)
        mujoco.mjr_readPixels(self._dots, None, self._rectangle, self._rendering)
        return np.flipud(self._dots).copy()

    def _add_plumes(self, frame: Frame) -> None:
        """Each as a slender ellipsoid against the force."""
        for r, along, length in plume_lengths(frame, self._size) if self._plumes else ():
            if self._scene.ngeom >= self._scene.maxgeom:
                return
            if length > 0.0:
                side = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
                side /= np.linalg.norm(side)
                turn = np.column_stack([side, np.cross(along, side), along])
                mujoco.mjv_initGeom(
                    self._scene.geoms[self._scene.ngeom],
                    mujoco.mjtGeom.mjGEOM_ELLIPSOID,
                    length * np.array([0.12, 0.12, 0.5]),
                    r + 0.5 * length * along,
                    turn.ravel(),
                    np.array(_PLUME, np.float32),
                )
                self._scene.ngeom += 1

    def _add_contacts(self, frame: Frame) -> None:
        """An arrow for each contact force."""
        width = 0.04 * self._size
        for r, force in contact_arrows(frame, ARROW * self._size):
            if self._scene.ngeom < self._scene.maxgeom and np.any(force):
                geom = self._scene.geoms[self._scene.ngeom]
                mujoco.mjv_initGeom(
                    geom,
                    mujoco.mjtGeom.mjGEOM_ARROW,
                    np.zeros(3),
                    np.zeros(3),
                    np.zeros(9),
                    np.array(_CONTACT, np.float32),
                )
                mujoco.mjv_connector(geom, mujoco.mjtGeom.mjGEOM_ARROW, width, r, r + force)
                self._scene.ngeom += 1

    def close(self) -> None:
        self._rendering.free()
        self._context.free()


def _model(drawing: Drawing, width: int, height: int, size: float) -> mujoco.MjModel:
    """The shapes of a drawing on bodies that are moved by hand."""
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = [0.35] * 3, [0.55] * 3
    spec.visual.map.znear, spec.visual.map.zfar = 0.01, 2000.0
    spec.stat.extent, spec.stat.center = size, [0.0, 0.0, 0.0]
    # a night sky, paler at the horizon: edges of dark panels show against it
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=_HORIZON,
        rgb2=_ZENITH,
        width=128,
        height=768,
    )
    spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, dir=[-0.5, 0.6, -0.8], diffuse=[0.6] * 3, castshadow=False
    )
    bodies = [spec.worldbody.add_body(name=f"{i}", mocap=True) for i in range(len(drawing.bodies))]
    for name, mesh in drawing.meshes.items():
        corners = {} if mesh.uv is None else {"usertexcoord": mesh.uv.ravel(), "userfacetexcoord": _numbered(mesh.uv)}
        spec.add_mesh(name=name, uservert=mesh.vertices.ravel(), userface=mesh.faces.ravel(), inertia=_SHELL, **corners)
    seen = set()
    for shape in drawing.shapes:
        is_floor = shape.body == WORLD and shape.kind == "plane"
        if is_floor or shape.is_for_collisions or mesh_of(drawing, shape) is None:
            continue
        seen.add(shape.body)
        described: dict[str, Any] = {"pos": shape.pos, "quat": shape.quat}
        described |= {"rgba": shape.rgba} if shape.texture is None else {"material": _material(spec, shape.texture)}
        if shape.kind == "mesh":
            described["meshname"] = shape.mesh
        else:
            described["size"] = shape.size
        bodies[shape.body].add_geom(type=_KINDS[shape.kind], **described, contype=0, conaffinity=0)
    for i in set(range(1, len(drawing.bodies))) - seen:
        made = stand_in(drawing, i)
        if made is not None:
            mesh, pos, quat = made
            half = np.abs(mesh.vertices).max(axis=0)
            bodies[i].add_geom(
                type=_KINDS["box"], size=half, pos=pos, quat=quat, rgba=[0.55, 0.6, 0.68, 1.0], contype=0, conaffinity=0
            )
    return spec.compile()


def _material(spec: mujoco.MjSpec, texture: Texture) -> str:
    """The name of a material with an image, which is made for it."""
    name = f"material {len(spec.materials)}"
    if texture.name not in [made.name for made in spec.textures]:
        rows, columns = texture.pixels.shape[:2]
        made = spec.add_texture(
            name=texture.name, type=mujoco.mjtTexture.mjTEXTURE_2D, height=rows, width=columns, nchannel=3
        )
        made.data = texture.pixels.tobytes()
    material = spec.add_material(name=name, rgba=texture.tint, texrepeat=texture.repeat, texuniform=texture.is_uniform)
    material.textures[int(mujoco.mjtTextureRole.mjTEXROLE_RGB)] = texture.name
    return name


def _numbered(uv: np.ndarray) -> np.ndarray:
    """(n,) The number of each corner's place."""
    return np.arange(len(uv), dtype=np.int32)


_SHELL = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # which any surface has, also one that is open
_KINDS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "plane": mujoco.mjtGeom.mjGEOM_PLANE,
    "mesh": mujoco.mjtGeom.mjGEOM_MESH,
}


def _context(width: int, height: int) -> Any:
    """What MuJoCo renders with, without a screen: the first system that is there."""
    told = []
    for system in _SYSTEMS:
        try:
            made = import_module(system).GLContext(width, height)
            made.make_current()
            return made
        except Exception as error:  # whatever a driver has to complain about
            told.append(f"{system}: {' '.join(str(error).split())[:120] or type(error).__name__}")
    raise MissingExtra(
        "There is nothing to render pictures with.\n"
        "  Install EGL or OSMesa, e.g. `apt-get install libegl1 libgl1-mesa-dri` or `libosmesa6`, and "
        "`pip install cardan[video]`.\n  " + "\n  ".join(told)
    )


def _check_size(size: tuple[int, int]) -> tuple[int, int]:
    try:
        width, height = (int(side) for side in size)
    except (TypeError, ValueError):
        width = height = 0
    if not (16 <= width <= _LARGEST and 16 <= height <= _LARGEST and not math.isnan(width)):
        raise SettingError(f"size = {shown(size)}.\n  Use width and height from 16 to {_LARGEST}, e.g. (1280, 720).")
    return width - width % 2, height - height % 2
