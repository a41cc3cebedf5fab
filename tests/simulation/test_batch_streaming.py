"""Recordings of a batch: in memory, in files while it runs, at times of their own."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardan as cd
from cardan.errors import LogFileError, OutOfMemory, SettingError, ShapeError
from cardan.simulation.record import Samples
from errors.conftest import refused
from parts import Gain, Lag, LagState, Noise, Number
from simulation.test_batch import fragile

RECORD = cd.Record(every=0.1, ports=["lag.state"], periods={"noise.*": 0.2})


def noisy() -> cd.Scenario:
    scn = cd.Scenario("noisy", seed=3)
    noise = scn.add(Noise(np.ones(2)), name="noise", every=0.2)
    scn.leave_open(noise.signal)
    gain = scn.add(Gain(2.0), name="gain", source=scn.input("command", Number(1.0)))
    scn.add(Lag(), name="lag", source=gain.signal)
    return scn


def batch(members: int = 5, **options: Any) -> cd.Batch:
    many = cd.Batch(noisy(), members, integrator=cd.Rk4(step=0.1), varies=["gain.factor"], jit=False, **options)
    many.set({"gain.factor": np.arange(members, dtype=float)})
    return many


@pytest.fixture
def small_chunks(monkeypatch):
    """Of 16 samples."""
    monkeypatch.setattr("cardan.simulation.streaming._CHUNK", 1)


@pytest.mark.parametrize("threads", [1, 3])
def test_what_goes_to_files_is_what_memory_would_have_held(tmp_path, small_chunks, threads):
    folder = tmp_path / "runs"
    held = batch().run(until=5.0, record=RECORD)
    streamed = batch(threads=threads).run(until=5.0, record=RECORD, stream=folder)
    assert sorted(file.name for file in folder.iterdir()) == [f"{member:06}.nc" for member in range(5)]
    for found in (streamed, cd.load_logs(folder)):
        assert len(found) == 5
        for ours, theirs in zip(found, held, strict=True):
            assert ours.compare(theirs).agree()
            assert ours.about == theirs.about
        assert np.array_equal(found["lag.state"].value, held["lag.state"].value)
        assert np.array_equal(found["noise.signal"].t, held["noise.signal"].t)
    assert cd.load_log(folder / "000003.nc").compare(held[3]).agree()


def test_logs_say_which_member_they_are_of():
    log = batch().run(until=0.5)
    assert log[3].about["member"] == 3
    assert log[3].about["seed"] == 6
    assert log[3].about["varies"] == {"gain.factor": 3.0}


def test_open_files_do_not_add_up(tmp_path, small_chunks):
    """Logs in files are opened one at a time, so that there may be more members than a process may have files."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    present = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 64
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, present + 20), hard))
    try:
        log = batch(60).run(until=1.0, record=RECORD, stream=tmp_path / "runs")
        assert log["lag.state"].value.shape == (60, 11)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_member_that_fails_has_a_file_with_what_it_recorded(tmp_path, small_chunks):
    many = cd.Batch(fragile(), 3, integrator=cd.Rk4(step=0.1), jit=False)
    many.reset({"lag": LagState(np.array([-2.0, 0.5, -2.0]))})
    log = many.run(until=0.5, record=cd.Record(ports=["lag.state"]), stream=tmp_path / "runs")
    assert many.failed.tolist() == [False, True, False]
    assert len(log[1].t) < len(log[0].t) == 6
    assert "member" in log[1].about and many.error(1) is not None


def test_a_disk_that_is_full_ends_the_run_and_no_member_has_failed(tmp_path, small_chunks, monkeypatch):
    many, calls = batch(threads=1), []

    def no_room(path: Path, needed: int) -> OSError | None:
        calls.append(path)
        return (
            OSError(28, "No space left on device")
            if len(files := list(dict.fromkeys(calls))) == 3 and path == files[2]
            else None
        )

    monkeypatch.setattr("cardan.simulation.streaming.no_room", no_room)
    with pytest.raises(LogFileError, match=r"no room for more than \d+ samples in .*000002\.nc: No space left"):
        many.run(until=9.0, record=RECORD, stream=tmp_path / "runs")
    assert calls and not many.failed.any()
    assert many.t[0] == 9.0 and many.t[2] == 0.0
    assert many.log is not None and len(many.log) == 5
    assert len(many.log[0].t) > len(many.log[2].t) > 0
    # with room, the others go on from where they stand
    monkeypatch.undo()
    many.run(until=9.0, record=RECORD, stream=tmp_path / "rest")
    assert many.t.tolist() == [9.0] * 5


def test_memory_that_is_full_keeps_what_was_recorded(monkeypatch):
    many = batch(threads=1)

    def grow(self: Samples) -> None:
        raise self._exhausted()

    monkeypatch.setattr("cardan.simulation.record._LARGEST_CHUNK", 1)
    monkeypatch.setattr(Samples, "grow", grow)
    with pytest.raises(OutOfMemory, match=r"They are kept in `log`"):
        many.run(until=9.0, record=RECORD)
    assert not many.failed.any()
    assert many.log is not None and len(many.log[0].t) > 0 and len(many.log[4].t) == 0


def test_a_folder_that_is_not_empty(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "000000.nc").touch()
    with refused(
        LogFileError,
        f"""
        The logs of a batch cannot go to {tmp_path}/runs: there are files in it.
          Give a folder that is empty, or that is not there yet.
        """,
    ):
        batch().run(until=1.0, stream=tmp_path / "runs")


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "runs").touch()
    with refused(LogFileError, f"The logs of a batch cannot be written to {tmp_path}/runs: File exists."):
        batch().run(until=1.0, stream=tmp_path / "runs")


def test_a_stream_that_is_no_name():
    with refused(SettingError, 'stream=3.\n  Use the name of a folder, e.g. `stream="runs"`.'):
        batch().run(until=1.0, stream=3)  # type: ignore[arg-type]


def test_a_folder_without_logs(tmp_path):
    with refused(LogFileError, f"There are no logs of a batch in {tmp_path}.\n  `load_log(path)` reads a single log."):
        cd.load_logs(tmp_path)


def test_a_folder_in_which_a_log_is_missing(tmp_path):
    batch().run(until=1.0, stream=tmp_path / "runs")
    (tmp_path / "runs" / "000001.nc").unlink()
    with refused(
        LogFileError,
        f"""
        The logs of a batch in {tmp_path}/runs are not complete: there is none of member 1.
          Read those that are there one by one, `load_log(path)`.
        """,
    ):
        cd.load_logs(tmp_path / "runs")


def test_members_that_have_recorded_at_different_times():
    """The steps of an adaptive integrator are each member's own."""
    scn = cd.Scenario()
    scn.add(Lag(0.1), name="lag", source=scn.input("command", Number(0.0)))
    many = cd.Batch(scn, 2, integrator=cd.DormandPrince54(), jit=False)
    many.reset({"lag": LagState(np.array([1.0, 1e6]))})
    log = many.run(until=1.0, record=cd.Record(every="step"))
    assert len(log[0].t) != len(log[1].t)
    text = """
        The members of this batch have recorded at different times.
          Record at fixed times, `Record(every=...)`, or look at one member, `log[0]`.
        """
    with refused(ShapeError, text):
        _ = log.t
    with refused(ShapeError, text):
        _ = log["lag.state"].value
    both = log.to_xarray()
    times = np.union1d(log[0].t, log[1].t)
    assert np.array_equal(both.time, times)
    alone = both["lag.state.value"].sel(run=1).dropna("time")
    assert np.array_equal(alone, log[1]["lag.state"].value)
