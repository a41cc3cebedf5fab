"""A run that records more than the memory holds ends with what it has recorded."""

import os
import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import cardan as cd
from cardan.errors import OutOfMemory, UnknownName
from cardan.simulation.record import Samples
from cardan.simulation.series import Series
from cardan.simulation.setup import Setup
from parts import Count, Lag, Wide, plain

LITTLE = """
import resource
import sys

import cardan as cd
from cardan.simulation.setup import Setup
from cardan.simulation.log_file import check_log_path
from parts import Wide, plain

path = sys.argv[1]
scn = cd.Scenario("little")
scn.add(Wide(size=20000), name="wide", every=0.1)
sim = plain(scn)
check_log_path(path)
sim.run(until=0.1, progress=False)  # with all that a run takes for itself, once
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + 100_000_000
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    sim.run(until=10_000.0, progress=False)
except MemoryError as error:
    print(error)
sim.log.save(path)
"""


@pytest.fixture
def sim(monkeypatch) -> cd.Simulation:
    """One that records in chunks of 16 samples."""
    monkeypatch.setattr("cardan.simulation.record._FIRST_CHUNK", 1)
    monkeypatch.setattr("cardan.simulation.record._LARGEST_CHUNK", 1)
    scn = cd.Scenario("test")
    count = scn.add(Count(), name="count", every=0.1)
    scn.add(Lag(), name="lag", source=count.signal)
    return plain(scn)


@pytest.fixture
def two_chunks(monkeypatch) -> None:
    """There is memory for two chunks: one is full when the third is asked for, and the second nearly."""
    chunk = Samples._chunk
    monkeypatch.setattr(
        Samples, "_chunk", lambda self, *size: chunk(self, *size) if len(self._chunks[0]) < 1 else exhausted()
    )


def exhausted() -> np.ndarray:
    raise MemoryError


class TestMemoryThatRunsOut:
    @pytest.mark.usefixtures("two_chunks")
    def test_what_was_recorded_is_kept(self, sim):
        with pytest.raises(OutOfMemory) as caught:
            sim.run(until=10.0)
        assert str(caught.value) == (
            "There is no memory for more than 32 samples (1.024 kB), the last at 3.1 s.\n"
            "  They are kept in `log`. Record less often, `Record(every=...)`, or fewer ports, `Record(ports=[...])`, "
            "or let them go to a file, `run(stream=...)`."
        )
        assert isinstance(caught.value, MemoryError)
        assert sim.log["count.signal"].value.tolist() == list(range(1, 33))
        assert sim.log.t[-1] == 3.1

    @pytest.mark.usefixtures("two_chunks")
    def test_the_run_can_go_on_from_there(self, sim):
        with pytest.raises(OutOfMemory):
            sim.run(until=10.0)
        rest = sim.run(until=4.0)
        assert rest["count.signal"].value.tolist() == list(range(33, 42))
        assert sim.log is rest

    @pytest.mark.usefixtures("two_chunks")
    def test_it_can_be_saved(self, sim, tmp_path):
        with pytest.raises(OutOfMemory):
            sim.run(until=10.0)
        loaded = cd.load_log(sim.log.save(tmp_path / "run.nc"))
        assert loaded["count.signal"].value.tolist() == list(range(1, 33))

    def test_a_run_for_which_there_is_none_shows_no_log_of_another(self, sim, monkeypatch):
        sim.run(until=1.0)
        monkeypatch.setattr(Samples, "_chunk", lambda *_: exhausted())
        with pytest.raises(OutOfMemory, match="There is no memory for the first samples"):
            sim.run(until=2.0)
        assert not sim.has_log
        with pytest.raises(UnknownName):
            sim.log  # noqa: B018

    def test_a_run_that_is_refused_leaves_the_log_of_the_last(self, sim):
        log = sim.run(until=1.0)
        with pytest.raises(cd.errors.PeriodError):
            sim.run(until=0.5)
        assert sim.log is log

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there is address space limited")
    def test_a_process_with_little_memory_saves_what_it_has(self, tmp_path):
        """There are 100 MB: 63 MB of samples are recorded, for a copy of which there is no room."""
        ended = subprocess.run(
            [sys.executable, "-c", LITTLE, str(tmp_path / "run.nc")],
            check=False,
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert ended.returncode == 0, ended.stderr
        assert "There is no memory for more than" in ended.stdout
        samples = int(ended.stdout.split("more than ")[1].split()[0])
        log = cd.load_log(tmp_path / "run.nc")
        assert len(log.t) == samples > 300
        assert np.array_equal(log["wide.signal"].values[-1], np.full(20000, log.t[-1]))


class TestSeries:
    def test_a_log_of_many_chunks_takes_no_memory_for_copies(self, monkeypatch):
        monkeypatch.setattr("cardan.simulation.record._FIRST_CHUNK", 1 << 16)
        monkeypatch.setattr("cardan.simulation.record._LARGEST_CHUNK", 1 << 16)
        scn = cd.Scenario("test")
        scn.add(Wide(size=1000), name="wide", every=0.1)
        sim = plain(scn)
        made, peaks = Setup.log, []

        def watched(*arguments: object) -> cd.Log:
            tracemalloc.start()
            try:
                return made(*arguments)  # type: ignore[arg-type]
            finally:
                peaks.append(tracemalloc.get_traced_memory()[1])
                tracemalloc.stop()

        monkeypatch.setattr(Setup, "log", watched)
        log = sim.run(until=20.0)
        assert log["wide.signal"].values.nbytes > 1_600_000
        # what a description of the run takes, and a few hundred bytes for each field
        assert peaks[0] < 100_000

    def test_a_field_is_joined_once_and_holds_no_chunk_then(self):
        chunks = [np.arange(12).reshape(6, 2), np.arange(12, 18).reshape(3, 2)]
        series = Series(chunks, lambda rows: rows[:, 1])
        assert (len(series), series.shape, series.nbytes) == (9, (), 72)
        assert series.rows(4, 8).tolist() == [9, 11, 13, 15]
        assert series.rows(7, 7).tolist() == []
        whole = series.whole()
        assert whole.tolist() == [1, 3, 5, 7, 9, 11, 13, 15, 17]
        assert series.whole() is whole
        assert series.rows(4, 8).base is whole

    def test_a_log_of_many_chunks_is_that_of_one(self, sim, monkeypatch):
        many = sim.run(until=20.0, record=cd.Record(ports=["*"]))
        monkeypatch.setattr("cardan.simulation.record._FIRST_CHUNK", 1 << 20)
        one = plain(sim.scenario).run(until=20.0, record=cd.Record(ports=["*"]))
        assert np.array_equal(many.t, one.t)
        assert not many.t.flags.writeable
        for a, b in zip(many.fields(), one.fields(), strict=True):
            assert a.values.tobytes() == b.values.tobytes() and a.values.dtype == b.values.dtype
            assert not a.values.flags.writeable

    @pytest.mark.parametrize("suffix", [".nc", ".csv", ".mat", ".parquet"])
    def test_a_log_of_many_chunks_is_saved_without_joining_them(self, sim, tmp_path, monkeypatch, suffix):
        log = sim.run(until=20.0)

        def whole(_: Series) -> np.ndarray:
            raise AssertionError("this would take as much memory again")

        with monkeypatch.context() as patched:
            patched.setattr(Series, "whole", whole)
            path = log.save(tmp_path / f"run{suffix}")
        if suffix == ".nc":
            assert np.array_equal(cd.load_log(path)["lag.state"].value, log["lag.state"].value)

    def test_a_log_goes_to_another_process(self, sim):
        log = sim.run(until=20.0)
        copied = pickle.loads(pickle.dumps(log))
        assert np.array_equal(copied["count.signal"].value, log["count.signal"].value)
