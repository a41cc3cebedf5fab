"""The page without a browser: who can reach it, what its controls do, and what they refuse."""

import re
import socket
import sys
import threading
import time
import urllib.request
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import cardan as cd
from cardan.cli import main
from cardan.errors import LogFileError, MissingExtra, SettingError, UnknownName
from cardan.missions import MISSIONS
from cardan.simulation import Log
from cardan.viewer import OpenToOthers, Replay, Volume
from cardan.viewer.drawing import Mesh
from cardan.viewer.epoch import epoch_of, sun_direction, utc
from cardan.viewer.frame import Recording
from cardan.viewer.html import MOST_POSES, thinned
from cardan.viewer.meshes import ball, box, cone, mesh_of, reach, rod
from cardan.viewer.overlays.orbit import conic, hill_axes
from cardan.viewer.page import open_server
from cardan.viewer.timeline import usual_speed


@pytest.fixture(scope="module")
def replay(log: cd.Log) -> Iterator[Replay]:
    with Replay(log, port=0, volumes=[Volume(2.0, body="target")]) as made:
        yield made


# ---- who can reach it ----------------------------------------------------------------------------------------------


def test_the_server_listens_on_this_machine_alone(replay: Replay) -> None:
    assert replay.address.startswith("http://127.0.0.1:")
    port = replay.server.get_port()
    with socket.create_connection(("127.0.0.1", port), timeout=5.0):
        pass
    # another address of the same machine, if it has one that others reach
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        own = probe.getsockname()[0]
    if not own.startswith("127."):
        with pytest.raises(OSError), socket.create_connection((own, port), timeout=5.0):
            pass


def test_another_host_is_warned_of(log: cd.Log) -> None:
    with pytest.warns(OpenToOthers, match=r"listens at 0\.0\.0\.0: whoever can reach this machine can see the run"):
        Replay(log, host="0.0.0.0", port=0).close()


def test_the_page_answers_when_its_address_is_said(log: cd.Log) -> None:
    said: list[bytes] = []

    def opened(server: Any) -> None:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.get_port()}", timeout=30.0) as answer:
            said.append(answer.read(15))

    Replay(log, port=0, opened=opened).close()
    assert said == [b"<!doctype html>"]


def test_no_address_is_said_of_what_cannot_be_shown(log: cd.Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardan.viewer.replay.announce", lambda *_: pytest.fail("an address"))
    still = Log(log.t, [], log.about)
    for wrong in ({"follow": "nobody"}, {"speed": 0.0}, {"ghost": still}):
        with pytest.raises((UnknownName, SettingError)):
            log.view(port=0, **wrong)
    with pytest.raises(SettingError, match="no motion"):
        still.view(port=0)


def test_a_browser_that_returns_when_it_is_closed_keeps_nobody_waiting(
    log: cd.Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, is_closed = threading.Event(), threading.Event()
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", lambda _: asked.set() or is_closed.wait(30.0))
    with log.view(port=0):
        assert asked.wait(10.0) and not is_closed.is_set()
    is_closed.set()


def test_no_page_can_ask_for_a_tunnel(replay: Replay) -> None:
    assert replay.server.request_share_url() is None
    assert replay.server._share_tunnel is None


@pytest.mark.parametrize(
    ("origin", "is_welcome"),
    [(None, True), ("http://localhost:9000", True), ("https://example.com", False), ("null", False)],
)
def test_a_page_of_another_site_is_told_nothing(replay: Replay, origin: str | None, is_welcome: bool) -> None:
    """Any site that a browser shows may open a socket to this machine."""
    import viser
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect
    from websockets.typing import Origin, Subprotocol

    url = replay.address.replace("http", "ws")
    protocol = Subprotocol(f"viser-v{viser.__version__}")
    with connect(url, origin=None if origin is None else Origin(origin), subprotocols=[protocol]) as page:
        if is_welcome:
            assert len(page.recv(timeout=10.0)) > 100
        else:
            with pytest.raises(ConnectionClosed, match="This page is not of this machine"):
                page.recv(timeout=10.0)


def test_a_port_in_use_is_told_and_another_one_is_found(log: cd.Log, replay: Replay) -> None:
    taken = replay.server.get_port()
    with pytest.raises(SettingError, match=rf"cannot listen at 127.0.0.1, port {taken}: Address already in use"):
        Replay(log, port=taken)
    with Replay(log) as first, Replay(log) as second:
        assert first.address != second.address


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"port": 70000}, "port = 70000.\n  Use a number from 1 to 65535"),
        ({"port": "8080"}, "port = '8080'."),
        ({"host": ""}, "host = ''.\n  Use an address of this machine"),
        ({"speed": 0.01}, "speed = 0.01.\n  Use simulated seconds per second from 0.1 to 1000.0."),
        ({"speed": float("nan")}, "speed = nan."),
        ({"volumes": [Volume(-1.0)]}, "has no size.\n  Give half sizes [m] that are positive, one or three."),
        ({"volumes": [Volume((1.0, 2.0))]}, "has no size."),
        ({"volumes": [Volume(1.0, (0.0, 1.0))]}, "has no place.\n  Give three numbers [m] as `r_VB_B`."),
    ],
)
def test_impossible_settings_are_refused(log: cd.Log, options: dict[str, object], text: str) -> None:
    with pytest.raises(SettingError) as error:
        Replay(log, **options)  # type: ignore[arg-type]
    assert text in str(error.value)


def test_a_body_that_is_not_there_is_refused_before_there_is_a_page(log: cd.Log) -> None:
    before = threading.active_count()
    with pytest.raises(UnknownName, match="There is no body `hup` to follow"):
        Replay(log, follow="hup")
    assert threading.active_count() == before


def test_without_viser_the_error_says_what_to_install(log: cd.Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    for action in (log.view, lambda: log.save_html("run.html")):
        with pytest.raises(
            MissingExtra, match=r"The viewer needs viser.\n  Install it with `pip install cardan\[view\]`"
        ):
            action()


# ---- controls ------------------------------------------------------------------------------------------------------


def test_playing_comes_to_the_end_and_stays_or_begins_again(replay: Replay, log: cd.Log) -> None:
    timeline = replay.timeline
    replay.go(1.9)
    timeline._speed.value = 10.0
    timeline.play()
    limit = time.monotonic() + 20.0
    while timeline.is_playing and time.monotonic() < limit:
        time.sleep(0.02)
    assert timeline.now == log.t[-1] and not timeline.is_playing
    timeline._loop.value = True
    timeline.play()
    time.sleep(0.5)
    assert timeline.is_playing
    timeline._loop.value = False
    timeline.play(False)


def test_buttons_step_from_sample_to_sample(replay: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    timeline = replay.timeline
    for button, expected in {"start": 0.0, "forward": 0.1, "end": 2.0, "back": 1.9}.items():
        monkeypatch.setattr(timeline, "_buttons", SimpleNamespace(value=button))
        timeline._pressed(None)
        timeline.settle()
        assert timeline.now == pytest.approx(expected, abs=1e-12)


def test_what_a_page_sends_moves_the_scene_and_what_the_thread_sets_does_not(replay: Replay) -> None:
    replay.go(1.0)
    replay.timeline._slider.value = 0.3
    replay.timeline._scrubbed(SimpleNamespace(client=None))
    assert replay.timeline.now == 1.0
    replay.timeline._scrubbed(SimpleNamespace(client=object()))
    assert replay.timeline.now == pytest.approx(0.3)


def test_a_path_that_was_not_recorded_is_told_in_the_page(replay: Replay) -> None:
    plots = replay._plots
    assert plots is not None
    plots.add("nothing.of.this")
    assert "Nothing that was recorded matches `nothing.of.this`" in plots._told.content
    plots.add("hub.motion.omega_BN_B", "wrist.state.angle")
    assert plots._told.content == ""
    (plot,) = plots._plots
    t, *curves, cursor = plot._data(0.7)
    assert len(curves) == 4 and (np.diff(t) >= 0.0).all()
    assert t[np.argmax(cursor)] == 0.7
    plots.clear()


def test_overlays_are_offered_for_what_a_run_has(replay: Replay) -> None:
    labels = {overlay.label for overlay in replay.scenery.overlays}
    assert {"collision shapes", "site frames", "names", "trails", "angular momentum", "rates"} <= labels
    assert not {"orbit", "forces", "plumes", "joint torques", "horizons"} & labels


def test_a_ghost_is_drawn_where_the_other_log_has_it(log: cd.Log) -> None:
    with Replay(log, port=0, ghost=log) as replay:
        replay.go(1.0)
        ghost = replay.scenery._ghost_vehicles
        assert ghost is not None
        for mine, other in zip(replay.scenery.vehicles.nodes, ghost.nodes, strict=True):
            assert np.allclose(mine.position, other.position, rtol=0.0, atol=1e-8)


def test_a_mesh_that_is_missing_is_told_and_the_rest_is_drawn(log: cd.Log) -> None:
    drawing = log.about["mechanism"]["drawing"] | {"meshes": {}}
    about = log.about | {"mechanism": log.about["mechanism"] | {"drawing": drawing}}
    with Replay(Log(log.t, log.fields(), about), port=0) as replay:
        assert replay.scenery.troubles == "Not drawn, the shape or its mesh is not known: shape 4 of tool (mesh)."


def test_in_a_notebook_the_page_is_in_the_cell_and_nothing_else_is_printed(
    log: cd.Log, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = type("ZMQInteractiveShell", (), {})()  # what answers to the cells of a notebook
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr("rich._console", Console(force_jupyter=True))  # as viser would print into the cell
    displayed: list[object] = []
    monkeypatch.setattr("rich.jupyter.display", lambda *printed: displayed.append(printed))
    with log.view(port=0) as page:
        # what a notebook asks the last value of a cell for
        shown = page._repr_html_()
    assert re.fullmatch(
        r'<iframe src="http://127\.0\.0\.1:\d+" width="100%" height="560" style="border:none"></iframe>', shown
    )
    assert page.address in shown
    printed = capsys.readouterr()
    assert printed.out == printed.err == "" and displayed == []


# ---- shapes, orbits, dates -----------------------------------------------------------------------------------------


def volume_of(mesh: Mesh) -> float:
    """[m^3] Positive where all faces look outwards."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(np.sum(np.cross(a, b) * c) / 6.0)


def test_shapes_enclose_the_volume_that_they_should() -> None:
    assert volume_of(box(np.array([1.0, 2.0, 3.0]))) == pytest.approx(48.0)
    # polyhedra of 24 sides lie a little within what is round
    assert volume_of(ball(np.array([1.0, 2.0, 3.0]))) == pytest.approx(8.0 * np.pi, rel=0.04)
    assert volume_of(rod(0.5, 2.0, is_round=False)) == pytest.approx(np.pi, rel=0.02)
    assert volume_of(rod(0.5, 2.0, is_round=True)) == pytest.approx(np.pi + np.pi / 6.0, rel=0.03)
    assert cone(0.5, 2.0).vertices[:, 2].max() == 2.0


def test_no_corner_of_a_box_is_shared_by_faces_that_look_different_ways() -> None:
    """A page smooths over what shares a corner; so edges are sharp without a shader of their own."""
    mesh = box(np.array([1.0, 2.0, 3.0]))
    for corner in range(len(mesh.vertices)):
        a, b, c = mesh.vertices[mesh.faces[(mesh.faces == corner).any(axis=1)]].transpose(1, 0, 2)
        normals = np.cross(b - a, c - a)
        assert len({tuple(normal / np.linalg.norm(normal)) for normal in normals}) == 1


def test_every_shape_of_the_file_is_drawn(log: cd.Log) -> None:
    drawing = Recording(log).drawing
    assert all(mesh_of(drawing, shape) is not None for shape in drawing.shapes)
    assert 1.0 < reach(drawing, 1) < 4.0


def test_an_orbit_is_the_one_that_the_vehicle_flies() -> None:
    mu = cd.celestial.EARTH.mu
    start = cd.orbit(a=1.0e7, e=0.3, i=0.6, Omega=0.8, omega=0.3, f=1.5, mu=mu)
    later = cd.orbit(a=1.0e7, e=0.3, i=0.6, Omega=0.8, omega=0.3, f=3.7, mu=mu)
    points = conic(start.r_BN_N, start.v_BN_N, mu)
    assert np.linalg.norm(points[0] - start.r_BN_N) < 1.0e-6
    assert np.linalg.norm(points - later.r_BN_N, axis=1).min() < 6.0e4  # between two of 720 points
    assert np.isfinite(conic(start.r_BN_N, 2.0 * start.v_BN_N, mu)).all()
    axes = hill_axes(start.r_BN_N, start.v_BN_N)
    assert np.allclose(axes @ axes.T, np.eye(3)) and np.linalg.det(axes) == pytest.approx(1.0)
    assert axes[1] @ start.v_BN_N > 0.0


def test_dates_follow_from_the_epoch_of_a_run() -> None:
    epoch = epoch_of({"epoch": "2026-03-20T14:46:00Z"})
    assert epoch is not None
    assert utc(epoch, 61.25) == "2026-03-20 14:47:01.2 UTC"
    assert epoch_of({"epoch": {"utc": "2026-03-20T14:46:00"}}) == epoch
    assert epoch_of({}) is None and epoch_of({"epoch": "soon"}) is None and utc(epoch, 1.0e300) == ""
    # the equinox of March 2026, to the minute: the Sun crosses the equator
    assert np.allclose(sun_direction(epoch, 0.0), [1.0, 0.0, 0.0], rtol=0.0, atol=1.0e-2)
    assert sun_direction(epoch, 93.0 * 86400.0)[2] == pytest.approx(np.sin(np.deg2rad(23.44)), abs=1.0e-3)


def test_runs_play_for_a_minute_or_less() -> None:
    assert [usual_speed(span) for span in (0.0, 60.0, 61.0, 600.0, 16800.0, 1.0e9)] == [
        1.0,
        1.0,
        2.0,
        10.0,
        500.0,
        1000.0,
    ]


# ---- files ---------------------------------------------------------------------------------------------------------


def test_thinning_keeps_every_body_within_its_bound(log: cd.Log) -> None:
    source = Recording(log)
    size = reach(source.drawing, 1)
    t, poses, is_kept = thinned(source, 1, 0.0, 2.0, 1.0, size)
    assert len(t) == 61 and is_kept.sum() <= MOST_POSES
    assert is_kept[0].all() and is_kept[-1, 1:].all()
    assert not is_kept[1:, 0].any()  # nothing is drawn of the world
    shown = poses.r[0].copy()
    for k in range(len(t)):
        shown[is_kept[k]] = poses.r[k, is_kept[k]]
        assert np.linalg.norm(poses.r[k, 1:] - shown[1:], axis=1).max() <= size / 4000.0


@pytest.mark.parametrize("name", ["run.mp3", "run"])
def test_a_page_is_written_to_html_alone(log: cd.Log, name: str) -> None:
    with pytest.raises(SettingError, match=f"A page cannot be written to {name}.\n  Use a name that ends in `.html`."):
        log.save_html(name)


def test_a_page_that_cannot_be_written_and_a_switch_that_does_not_exist(log: cd.Log, tmp_path: Path) -> None:
    with pytest.raises(LogFileError, match="The page cannot be written"):
        log.save_html(tmp_path / "nowhere" / "run.html")
    with pytest.raises(UnknownName, match=r"There is nothing called `trial` to show. Did you mean `trails`\?"):
        log.save_html(tmp_path / "run.html", show=["trial"])


def test_pictures_and_videos(log: cd.Log, tmp_path: Path) -> None:
    imageio = pytest.importorskip("imageio.v2")
    try:
        folder = log.save_video(tmp_path / "pictures", size=(160, 120), times=[0.0, 1.0])
    except MissingExtra as error:
        assert "Install EGL or OSMesa, e.g. `apt-get install" in str(error)
        pytest.skip("there is neither EGL nor OSMesa")
    first, second = (imageio.imread(path).astype(int) for path in sorted(folder.iterdir()))
    assert first.shape == (120, 160, 3)
    assert (first.max(axis=2) > 0).mean() > 0.02 and np.abs(first - second).max() > 50
    film = log.save_video(tmp_path / "run.gif", size=(64, 48), rate=2.0)
    assert len(imageio.mimread(film)) == 5


@pytest.mark.parametrize(
    ("path", "options", "text"),
    [
        ("run.avi", {}, "Use a name that ends in .mp4 or .gif, or a folder for PNG files."),
        ("run.mp4", {"size": (10, 1)}, "Use width and height from 16 to 8192"),
        ("run.mp4", {"size": "large"}, "size = 'large'."),
        ("run.mp4", {"rate": 0.0}, "rate = 0.0.\n  Use pictures per second"),
    ],
)
def test_videos_that_cannot_be(log: cd.Log, path: str, options: dict[str, object], text: str) -> None:
    with pytest.raises(SettingError) as error:
        log.save_video(path, **options)
    assert text in str(error.value)


def test_without_a_renderer_the_error_says_what_to_install(
    log: cd.Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardan.viewer.video._SYSTEMS", ("cardan.no_such_system",))
    with pytest.raises(MissingExtra, match=r"nothing to render pictures with.\n  Install EGL or OSMesa"):
        log.save_video(tmp_path / "pictures")


# ---- command line --------------------------------------------------------------------------------------------------


def command(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["cardan", *words])
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_a_saved_file_becomes_a_page(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "run.html"
    assert command(monkeypatch, "view", str(saved), "--html", str(page), "--speed", "20") == 0
    assert "wrote" in capsys.readouterr().out and page.stat().st_size < 2_000_000


@pytest.mark.usefixtures("interrupted")
def test_the_command_shows_a_file_until_it_is_interrupted(
    saved: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(monkeypatch, "view", str(saved)) == 0
    assert "viewer at http://127.0.0.1:" in capsys.readouterr().err


def test_a_mission_without_a_mechanism_is_refused_before_it_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(monkeypatch, "run", "hello", "--view") == 2
    assert "`hello` has no mechanism, so there is nothing to view." in capsys.readouterr().err


def test_a_file_that_is_no_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.nc"
    path.write_bytes(b"nothing")
    assert command(monkeypatch, "view", str(path)) == 1
    assert "LogFileError" in capsys.readouterr().err


def test_a_mission_writes_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "arms.html"
    assert command(monkeypatch, "run", "thruster-arms", "--until", "2", "--html", str(page)) == 0
    assert page.read_text()[:15].lower() == "<!doctype html>"


def test_nothing_warns(log: cd.Log) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        server = open_server("quiet", port=0)
        server.stop()
    assert "thruster-arms" in MISSIONS
