"""Images on shapes."""

from pathlib import Path

import numpy as np
import pytest

import cardan as cd
from cardan.viewer.drawing import Drawing, Mesh, read_drawing
from cardan.viewer.frame import Recording
from cardan.viewer.meshes import mesh_of
from cardan.viewer.textures import image_places, textured

MJCF = """
<mujoco model="painted">
  <compiler meshdir="{folder}" texturedir="{folder}"/>
  <asset>
    <texture name="checker" type="2d" builtin="checker" rgb1="1 1 1" rgb2="0 0 0.5" width="1024" height="1024"/>
    <texture name="sky" type="cube" builtin="flat" rgb1="0.8 0.4 0" rgb2="0.8 0.4 0" width="8" height="8"/>
    <material name="tiles" texture="checker" texrepeat="2 4"/>
    <material name="per metre" texture="checker" texuniform="true" texrepeat="3 3" rgba="1 0.5 1 1"/>
    <material name="around" texture="sky"/>
    <mesh name="sheet" file="sheet.obj"/>
  </asset>
  <worldbody>
    <body name="hub">
      <freejoint/>
      <geom name="box" type="box" size="0.5 0.4 0.3" material="tiles"/>
      <geom name="ball" type="sphere" size="0.2" material="per metre"/>
      <geom name="cube" type="box" size="0.1 0.1 0.1" material="around"/>
      <geom name="sheet" type="mesh" mesh="sheet" material="tiles"/>
      <geom name="plain" type="sphere" size="0.1" rgba="0.1 0.2 0.3 1"/>
    </body>
  </worldbody>
</mujoco>
"""
OBJ = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 0 1
f 1/1 3/3 2/2
f 1/1 2/2 4/3
f 1/1 4/3 3/2
f 2/1 3/2 4/3
"""


@pytest.fixture(scope="module")
def painted(tmp_path_factory: pytest.TempPathFactory) -> cd.Log:
    folder = tmp_path_factory.mktemp("painted")
    (folder / "sheet.obj").write_text(OBJ)
    m = cd.Mechanism.from_mjcf(MJCF.format(folder=folder))
    scn = cd.Scenario("painted", mechanism=m)
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.1))
    return cd.load_log(sim.run(until=0.1).save(folder / "run.nc"))  # a file has all that it takes


@pytest.fixture(scope="module")
def drawing(painted: cd.Log) -> Drawing:
    return read_drawing(painted.about)


def places(drawing: Drawing, name: str) -> tuple[Mesh, np.ndarray]:
    shape = next(shape for shape in drawing.shapes if shape.name == name)
    mesh = mesh_of(drawing, shape)
    assert mesh is not None
    return mesh, image_places(mesh, shape)


def test_a_log_carries_the_images_that_lie_on_shapes(drawing: Drawing) -> None:
    shapes = {shape.name: shape for shape in drawing.shapes}
    texture = shapes["box"].texture
    assert texture is not None and texture.pixels.shape == (512, 512, 3)  # every second dot of a large one
    assert texture.pixels[0, 0].tolist() == [255, 255, 255] and texture.pixels[0, -1].tolist() == [0, 0, 127]
    # whoever draws no images has the mean colour
    assert np.allclose(shapes["box"].rgba, [0.5, 0.5, 0.75, 1.0], atol=2e-3)
    assert np.allclose(shapes["ball"].rgba, [0.5, 0.25, 0.75, 1.0], atol=2e-3)
    # an image around a shape is its mean
    assert shapes["cube"].texture is None and np.allclose(shapes["cube"].rgba, [0.8, 0.4, 0.0, 1.0], atol=3e-3)
    assert shapes["plain"].texture is None and np.allclose(shapes["plain"].rgba, [0.1, 0.2, 0.3, 1.0])


def test_an_image_lies_on_each_face_of_a_box_as_often_as_the_material_says(drawing: Drawing) -> None:
    mesh, uv = places(drawing, "box")
    per_face = uv.reshape(6, 6, 2)
    assert np.allclose(np.ptp(per_face, axis=1), [2.0, 4.0])
    assert len(mesh.faces) == 12


def test_an_image_per_metre_goes_through_a_ball_along_z(drawing: Drawing) -> None:
    mesh, uv = places(drawing, "ball")
    xy = np.asarray(mesh.vertices)[mesh.faces.ravel(), :2]
    assert np.allclose(uv, 1.5 * xy * [1.0, -1.0] - 0.5)


def test_a_mesh_says_itself_where_its_image_lies(drawing: Drawing) -> None:
    mesh, uv = places(drawing, "sheet")
    assert mesh.uv is not None and uv.shape == (12, 2) and set(np.unique(uv)) == {0.0, 1.0}


def test_a_shape_with_an_image_is_a_gltf_file(drawing: Drawing) -> None:
    for shape in drawing.shapes:
        if shape.texture is not None:
            mesh = mesh_of(drawing, shape)
            assert mesh is not None and textured(mesh, shape)[:4] == b"glTF"


def test_the_renderer_has_the_images_too(painted: cd.Log) -> None:
    from cardan.viewer.video import _model

    model = _model(Recording(painted).drawing, 64, 48, 1.0)
    at = model.tex_adr[model.texture("checker").id]
    assert model.tex_data[at : at + 3].tolist() == [255, 255, 255]
    assert (model.geom_matid >= 0).sum() == 3 and model.mesh_texcoordnum[0] == 12


def test_a_description_with_a_wrong_image_is_refused(painted: cd.Log, tmp_path: Path) -> None:
    from cardan.errors import LogFileError

    drawn = painted.about["mechanism"]["drawing"]
    image = drawn["textures"]["checker"] | {"rows": 3}
    for wrong in ({"textures": {"checker": image}}, {"textures": {}}):
        about = painted.about | {"mechanism": painted.about["mechanism"] | {"drawing": drawn | wrong}}
        with pytest.raises(LogFileError, match="is not described as Cardan does it"):
            read_drawing(about)
