"""Where bodies are, from a log alone."""

import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import cardan as cd
from cardan.errors import LogFileError, SettingError, UnknownName
from cardan.missions import MISSIONS
from cardan.simulation import Log
from cardan.viewer import RecordedMotion
from cardan.viewer.drawing import read_drawing
from cardan.viewer.frame import Recording, View, frame_at, in_page

MICROMETRE = 1.0e-6


def true_positions(log: cd.Log, motion: RecordedMotion, of: str) -> np.ndarray:
    """(n, bodies, 3) [m] What the dynamics service published, relative to one body."""
    r = [log[f"{body}.motion"].r_BN_N for body in motion.drawing.bodies[1:]]
    return np.stack(r, axis=1) - log[f"{of}.motion"].r_BN_N[:, np.newaxis]


def test_poses_of_a_saved_log_are_those_of_the_run_to_a_micrometre(log: cd.Log, saved: Path) -> None:
    loaded = cd.load_log(saved)
    motion = RecordedMotion(loaded)
    assert motion.missing == ()
    poses = motion.poses(loaded.t, relative_to="hub")
    # what was recorded at 7000 km has the last digit of 1e-9 m
    assert np.abs(poses.r[:, 1:] - true_positions(log, motion, "hub")).max() < 1.0e-8
    for i, body in enumerate(motion.drawing.bodies[1:], 1):
        same = np.abs(np.sum(poses.q[:, i] * log.quaternion(f"{body}.motion"), axis=1))
        assert np.abs(same - 1.0).max() < 1.0e-12


def test_poses_do_not_need_the_motion_of_every_body(log: cd.Log) -> None:
    """What a run records by default suffices."""
    needed = {"hub.motion", "target.motion", "boom_ball.state", "slide.state", "wrist.state"}
    fields = [field for field in log.fields() if field.path.rpartition(".")[0] in needed]
    motion = RecordedMotion(Log(log.t, fields, log.about))
    assert np.abs(motion.poses(log.t, "hub").r[:, 1:] - true_positions(log, motion, "hub")).max() < 1.0e-8


@pytest.mark.parametrize("name", [name for name, mission in MISSIONS.items() if mission.dynamics])
def test_every_mission_records_what_it_takes_to_draw_it(name: str) -> None:
    mission = MISSIONS[name]
    scenario = mission.build()
    sim = cd.Simulation(scenario, dynamics=mission.service(), integrator=mission.integrator_for())
    every = mission.record.every or 1.0
    motion = RecordedMotion(sim.run(until=2.0 * every if every < 100.0 else every, record=mission.record))
    assert motion.missing == ()
    assert len(motion.poses(motion.t, motion.drawing.bodies[1]).r) == len(motion.t)


def test_between_samples_bodies_move_along_lines_and_turns(log: cd.Log) -> None:
    motion = RecordedMotion(log)
    before, middle, after = (motion.coordinates(np.array([t])) for t in (0.5, 0.55, 0.6))
    assert np.allclose(middle[0, :3], 0.5 * (before + after)[0, :3], rtol=0.0, atol=1e-8)
    assert np.isclose(np.linalg.norm(middle[0, 3:7]), 1.0)
    assert np.allclose(motion.coordinates(np.array([-1.0, 99.0])), motion.coordinates(np.array([0.0, 2.0])))


def test_poses_in_the_page_are_those_of_the_log_also_when_the_camera_rides(log: cd.Log) -> None:
    source = Recording(log)
    drawing = source.drawing
    t, hub, tool = 1.0, drawing.body("hub"), drawing.body("tool")
    i = int(np.searchsorted(log.t, t))
    away_N = log["tool.motion"].r_BN_N[i] - log["hub.motion"].r_BN_N[i]
    assert np.abs(in_page(frame_at(source, t, View(hub)), tool)[0] - away_N).max() < MICROMETRE
    # riding on the hub: its axes are those of the page
    r, _ = in_page(frame_at(source, t, View(hub, ride=hub)), tool)
    from cardan.maths import dcm_from_mrp

    dcm_BN = dcm_from_mrp(log["hub.motion"].sigma_BN[i])
    assert np.abs(r - dcm_BN @ away_N).max() < MICROMETRE
    # riding on the site: it is the origin, and stays it
    r_site = frame_at(source, t, View(hub, ride=-1)).axes[0]
    assert np.linalg.norm(r_site) > 0.1
    # staying behind: the point is fixed, and the vehicle flies off
    behind = frame_at(source, t, View(hub, pinned=log["hub.motion"].r_BN_N[0]))
    assert np.abs(behind.r[hub] - (log["hub.motion"].r_BN_N[i] - log["hub.motion"].r_BN_N[0])).max() < MICROMETRE


def test_meshes_and_materials_are_in_the_log_itself(tmp_path: Path) -> None:
    from viewer.vehicles import pair

    folder = tmp_path / "gone"
    folder.mkdir()
    about = cd.Simulation(pair(folder), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05))
    log = about.run(until=0.1)
    path = log.save(tmp_path / "run.nc")
    shutil.rmtree(folder)
    drawing = read_drawing(cd.load_log(path).about)
    mesh = drawing.meshes["tetrahedron"]
    assert len(mesh.vertices) == 4 and len(mesh.faces) == 4
    edges = {round(float(np.linalg.norm(a - b)), 5) for a in mesh.vertices for b in mesh.vertices if (a != b).any()}
    assert edges == {0.4, round(0.4 * 2**0.5, 5)}  # with its scale
    assert drawing.shapes[0].rgba.tolist() == [0.8, 0.7, 0.2, 1.0]


def test_a_joint_that_was_not_recorded_stays_as_drawn_and_is_told(log: cd.Log) -> None:
    fields = [field for field in log.fields() if not field.path.startswith("wrist.")]
    motion = RecordedMotion(Log(log.t, fields, log.about))
    assert motion.missing == ("wrist.state",)
    assert motion.coordinates(np.array([1.0]))[0, 12] == 0.2


class TestErrors:
    def test_a_log_without_a_mechanism(self) -> None:
        log = Log(np.zeros(1), [], {"name": "hello"})
        with pytest.raises(SettingError, match="The log of `hello` has no mechanism, so there is nothing to see"):
            RecordedMotion(log)

    def test_a_log_of_an_older_version(self, log: cd.Log) -> None:
        mechanism = {key: value for key, value in log.about["mechanism"].items() if key != "drawing"}
        with pytest.raises(LogFileError, match="was saved before logs carried what it takes to draw them"):
            RecordedMotion(Log(log.t, log.fields(), log.about | {"mechanism": mechanism}))

    def test_a_log_that_recorded_no_motion(self, log: cd.Log) -> None:
        with pytest.raises(SettingError, match=r"has no motion of its mechanism.\n  Record it: .* hub.motion"):
            RecordedMotion(Log(log.t, [], log.about))

    @pytest.mark.parametrize(
        "change",
        [
            lambda told: told.pop("bodies"),
            lambda told: told["bodies"][0].update(pos=[0.0, float("nan"), 0.0]),
            lambda told: told["bodies"][0].update(parent="nobody"),
            lambda told: told["bodies"].reverse(),
            lambda told: told["joints"][0].update(kind="screw"),
            lambda told: told["meshes"]["tetrahedron"].update(vertices="no base64"),
            lambda told: told["meshes"]["tetrahedron"].update(faces=told["meshes"]["tetrahedron"]["vertices"]),
            lambda told: told.update(shapes=7),
        ],
    )
    def test_a_description_that_is_not_cardans(self, log: cd.Log, change: object) -> None:
        import copy

        about = copy.deepcopy(log.about)
        change(about["mechanism"]["drawing"])  # type: ignore[operator]
        with pytest.raises(LogFileError, match="is not described as Cardan does it"):
            read_drawing(about)

    def test_a_body_that_does_not_exist(self, log: cd.Log) -> None:
        with pytest.raises(UnknownName, match=r"There is no body `hup` to follow. Did you mean `hub`\?"):
            RecordedMotion(log).poses(0.0, "hup")


def test_shapes_without_mass_change_no_number() -> None:
    """The missions whose vehicles were given shapes to be seen fly as before."""
    from cardan.mechanism import Box, Capsule, Cylinder, Ellipsoid, Free, Mechanism, Prism, Sphere

    masses = []
    for is_shaped in (False, True):
        m = Mechanism("plain")
        body = m.add_body("bus", joint=Free(), mass=10.0, inertia_B=np.diag([1.0, 2.0, 2.5]))
        for shape in (Box([1, 2, 3]), Sphere(1.0), Capsule(0.1, 1.0), Cylinder(0.1, 1.0), Ellipsoid([1, 2, 3])):
            if is_shaped:
                m.add_shape(body, shape)
        if is_shaped:
            m.add_shape(body, Prism([[0, 0], [1, 0], [0, 1]], 0.01), r_SB_B=(1, 0, 0), color=(1, 0, 0, 0.5))
        masses.append((m.model.body_mass[1], *m.model.body_inertia[1], *m.model.body_ipos[1]))
    assert masses[0] == masses[1]
    kinds = [shape["kind"] for shape in m.drawing["shapes"]]
    assert kinds == ["box", "sphere", "capsule", "cylinder", "ellipsoid", "mesh"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cd.Simulation(cd.Scenario("plain", mechanism=m), dynamics=cd.RecursiveTree()).run(until=0.1)
