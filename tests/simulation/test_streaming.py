"""Recordings that go to a file while the run goes on."""

import hashlib
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import netCDF4
import numpy as np
import pytest

import cardan as cd
from cardan.errors import LogFileError, NotFinite, SettingError
from cardan.files import SEAL_SIZE
from cardan.simulation.log_netcdf import NetcdfStream
from cardan.simulation.series import FileSeries
from parts import Count, Lag, NoiseOutputs, Number, Numbers, Ramp, plain

RECORD = cd.Record(every=0.1, ports=["lag.*"], periods={"count.*": 0.2, "ramp.*": "step"})


class Sent(NamedTuple):
    signal: Number


@cd.task
class Failing(NamedTuple):
    def step(self, t: float) -> Sent:
        return Sent(Number(np.nan if t >= 5.0 else t))


@cd.task
class Interrupting(NamedTuple):
    def step(self, t: float) -> Sent:
        if 5.0 <= t < 5.1:
            signal.raise_signal(signal.SIGINT)
        return Sent(Number(t))


@cd.task
class Scrambled(NamedTuple):
    """Numbers that cannot be compressed."""

    size: Annotated[int, "-"]

    def step(self, t: float) -> NoiseOutputs:
        return NoiseOutputs(Numbers(np.sin(1e6 * (t + 1.0) * np.arange(self.size))))


def scenario(ending: Any = None) -> cd.Scenario:
    scn = cd.Scenario("streamed")
    ramp = scn.add(Ramp(), name="ramp")
    count = scn.add(Count(), name="count", every=0.2)
    scn.add(Lag(), name="lag", source=count.signal)
    scn.leave_open(ramp.signal)
    if ending is not None:
        scn.leave_open(scn.add(ending, name="ending", every=0.2).signal)
    return scn


def sim() -> cd.Simulation:
    return plain(scenario(), cd.Rk4(0.1))


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Of 16 samples."""
    monkeypatch.setattr("cardan.simulation.streaming._CHUNK", 1)


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "run.nc"


def is_sealed(path: Path) -> bool:
    content = path.read_bytes()
    return hashlib.sha256(content[:-SEAL_SIZE]).hexdigest().encode() in content[-SEAL_SIZE:]


class TestLog:
    def test_it_is_that_of_a_run_in_memory_to_the_bit(self, path):
        streamed, kept = sim().run(until=20.0, record=RECORD, stream=path), sim().run(until=20.0, record=RECORD)
        assert list(streamed) == list(kept) and list(streamed.axes) == list(kept.axes)
        assert streamed.about == kept.about
        for a, b in zip(streamed.fields(), kept.fields(), strict=True):
            assert (a.path, a.unit, a.frame, a.shape, a.dtype, len(a)) == (
                b.path,
                b.unit,
                b.frame,
                b.shape,
                b.dtype,
                len(b),
            )
            assert a.values.tobytes() == b.values.tobytes() and a.t.tobytes() == b.t.tobytes()
            assert not a.values.flags.writeable
        assert streamed.compare(kept).agree()
        assert repr(streamed) == repr(kept) and repr(streamed["lag.state"]) == repr(kept["lag.state"])

    def test_its_file_is_sealed_and_is_loaded_as_any_other(self, path):
        streamed = sim().run(until=20.0, record=RECORD, stream=str(path))
        assert is_sealed(path) and [file.name for file in path.parent.iterdir()] == ["run.nc"]
        loaded = cd.load_log(path)
        assert loaded.compare(streamed).agree() and loaded.about == streamed.about
        with netCDF4.Dataset(path) as file:
            assert file.dimensions["time"].isunlimited() and len(file["lag.state.value"]) == 201

    def test_it_reads_some_samples_alone(self, path):
        field = sim().run(until=20.0, record=RECORD, stream=path)["lag.state.value"]
        whole = field.values
        assert np.array_equal(field.rows(15, 40), whole[15:40])
        assert np.array_equal(field.rows(190, 400), whole[190:]) and len(field.rows(300, 400)) == 0
        assert field.values is whole

    def test_it_keeps_one_field_that_was_read_whole(self, path):
        log = sim().run(until=20.0, record=RECORD, stream=path)
        first = log["lag.state.value"].values
        assert log["lag.signal.value"].values is not first
        assert log["lag.state.value"].values is not first

    def test_it_goes_to_another_process_and_to_other_formats(self, path):
        log = sim().run(until=20.0, record=RECORD, stream=path)
        assert pickle.loads(pickle.dumps(log)).compare(log).agree()
        saved = log.save(path.with_name("again.nc"))
        assert cd.load_log(saved).compare(log).agree()
        assert len(log.save(path.with_suffix(".csv")).read_text().splitlines()) == 202

    def test_it_stays_when_another_run_takes_the_place_of_its_file(self, path):
        first = sim().run(until=20.0, record=RECORD, stream=path)
        second = sim().run(until=10.0, record=RECORD, stream=path)
        assert (len(first.t), len(second.t), len(cd.load_log(path).t)) == (201, 101, 101)
        assert first["lag.state"].value[100] == second["lag.state"].value[-1]

    def test_a_figure_of_many_samples_shows_the_least_and_the_largest(self, path, monkeypatch):
        monkeypatch.setattr("cardan.plots.figures._MOST_DRAWN", 20)
        log = sim().run(until=20.0, record=RECORD, stream=path)
        line = log.plot("ramp.signal").axes[0].lines[0]
        assert len(line.get_xdata()) <= 22
        assert (min(line.get_ydata()), max(line.get_ydata())) == (0.0, 20.0)

    def test_a_large_file_is_loaded_without_reading_its_samples(self, path, monkeypatch):
        log = sim().run(until=20.0, record=RECORD, stream=path)
        monkeypatch.setattr("cardan.simulation.log_netcdf._LARGEST_IN_MEMORY", 1000)
        loaded = cd.load_log(path)
        assert isinstance(loaded.time.times, FileSeries) and loaded.compare(log).agree()

    def test_a_large_file_that_is_damaged_is_refused(self, path, monkeypatch):
        sim().run(until=20.0, record=RECORD, stream=path)
        monkeypatch.setattr("cardan.simulation.log_netcdf._LARGEST_IN_MEMORY", 1000)
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        with pytest.raises(LogFileError, match="is damaged"):
            cd.load_log(path)
        path.write_bytes(content[:-1])
        with pytest.raises(LogFileError, match="does not end with a digest"):
            cd.load_log(path)

    def test_runs_in_pieces_are_the_whole_run(self, tmp_path):
        whole, pieces = sim().run(until=9.0, record=RECORD), sim()
        parts = [pieces.run(until=t, record=RECORD, stream=tmp_path / f"{t}.nc") for t in (0.0, 2.5, 9.0)]
        for field in whole.fields():
            assert field.values.tobytes() == b"".join(part[field.path].values.tobytes() for part in parts)


class TestRunsThatEndEarly:
    def test_a_failure_keeps_what_was_streamed(self, path):
        failing = plain(scenario(Failing()), cd.Rk4(0.1))
        with pytest.raises(NotFinite):
            failing.run(until=20.0, record=RECORD, stream=path)
        assert is_sealed(path) and len(cd.load_log(path).t) == 50
        assert failing.log.t[-1] == 4.9

    def test_an_interrupt_keeps_what_was_streamed(self, path):
        interrupted = plain(scenario(Interrupting()), cd.Rk4(0.1))
        # a shell may have started the tests with Ctrl-C ignored
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                interrupted.run(until=20.0, record=RECORD, stream=path)
        finally:
            signal.signal(signal.SIGINT, before)
        first = interrupted.log
        assert is_sealed(path) and cd.load_log(path).t[-1] == interrupted.now < 20.0
        rest = interrupted.run(until=20.0, record=RECORD)
        whole = sim().run(until=20.0, record=RECORD)
        values = [log["lag.state"].value.tobytes() for log in (first, rest)]
        assert whole["lag.state"].value.tobytes() == b"".join(values)

    def test_memory_that_runs_out_while_it_is_written_keeps_what_was_streamed(self, path, monkeypatch):
        append, calls = NetcdfStream.append, []

        def exhausted(self: NetcdfStream, *arguments: object) -> None:
            calls.append(arguments)
            if len(calls) == 4:
                raise MemoryError
            append(self, *arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(NetcdfStream, "append", exhausted)
        running = sim()
        with pytest.raises(MemoryError):
            running.run(until=20.0, record=RECORD, stream=path)
        assert is_sealed(path)
        whole = sim().run(until=20.0, record=RECORD)
        for field in cd.load_log(path).fields():
            assert whole[field.path].values.tobytes().startswith(field.values.tobytes())
            assert field.t[-1] > running.now - 0.21

    def test_a_limit_of_the_size_of_files_ends_the_run_with_a_complete_file(self, path, monkeypatch):
        resource = pytest.importorskip("resource")
        monkeypatch.setattr("cardan.simulation.streaming._SPARE", 40_000)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        running = sim()
        try:
            with pytest.raises(LogFileError) as caught:
                running.run(until=20_000.0, record=RECORD, stream=path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        log = running.log
        count = sum(len(axis) for axis in log.axes.values())
        assert str(caught.value) == (
            f"There is no room for more than {count} samples in {path}: File too large.\n"
            "  They are kept there. To go on, 41.41 kB must be free. "
            "Make room and let the run go on with another file, or record less."
        )
        assert is_sealed(path) and path.stat().st_size <= 100_000 and cd.load_log(path).compare(log).agree()
        # the run goes on from there
        rest = running.run(until=running.now + 1.0, record=RECORD)
        assert rest.t[0] == pytest.approx(log.t[-1] + 0.1)

    def test_a_run_that_is_refused_touches_no_file(self, path):
        path.write_text("as it was")
        with pytest.raises(cd.errors.UnknownName):
            sim().run(until=1.0, record=cd.Record(ports=["nothing"]), stream=path)
        with pytest.raises(cd.errors.PeriodError):
            sim().run(until=-1.0, stream=path)
        assert path.read_text() == "as it was" and [file.name for file in path.parent.iterdir()] == ["run.nc"]


FULL = """
import cardan as cd
from cardan.errors import LogFileError
from cardan.simulation import streaming
from parts import plain
from simulation.test_streaming import Scrambled

streaming._CHUNK, streaming._SPARE = 1 << 17, 1 << 20
scn = cd.Scenario("scrambled")
scn.leave_open(scn.add(Scrambled(size=2000), name="scrambled", every=0.1).signal)
sim = plain(scn)
try:
    sim.run(until=1e5, stream="/mnt/run.nc", progress=False)
except LogFileError as error:
    print(error)
again = plain(scn).run(until=sim.now - 0.1, progress=False)
assert cd.load_log("/mnt/run.nc").compare(again).agree(), "what was written is not what was recorded"
print(len(again.t), "samples")
"""


def can_mount() -> bool:
    command = "mount -t tmpfs -o size=8m none /mnt"
    return sys.platform.startswith("linux") and not subprocess.call(
        ["unshare", "-rm", "sh", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


class TestLargeRecordings:
    def child(self, program: str, *arguments: str, before: tuple[str, ...] = ()) -> str:
        ended = subprocess.run(
            [*before, sys.executable, "-c", program, *arguments],
            check=False,
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    @pytest.mark.skipif(not can_mount(), reason="needs a small disk")
    def test_a_disk_that_is_full_ends_the_run_with_a_complete_file(self):
        mounted = ("unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=8m none /mnt && exec "$@"', "sh")
        said = self.child(FULL, before=mounted)
        assert "No space left on device" in said and int(said.splitlines()[-1].split()[0]) > 100

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there is address space limited")
    def test_a_recording_many_times_larger_than_memory_succeeds(self, path):
        """There are 60 MB, and 288 MB of samples."""
        said = self.child(LITTLE, str(path))
        assert said == "1501 samples, 288.2 MB\n"


LITTLE = """
import resource
import sys

import cardan as cd
from parts import Wide, plain

path = sys.argv[1]
scn = cd.Scenario("little")
for i in range(12):
    scn.leave_open(scn.add(Wide(size=2000), name=f"wide{i}", every=0.1).signal)
sim = plain(scn)
sim.run(until=0.1, progress=False, stream=path)  # with all that a run takes for itself, once
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + 60_000_000
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
sim.reset()
log = sim.run(until=150.0, progress=False, stream=path)
assert log["wide7.signal"].values[-1][3] == 150.0
assert log["wide11.signal.values"].rows(1000, 1001)[0, 5] == log.t[1000]
assert log.compare(log).agree()
print(f"{len(log.t)} samples, {sum(field.nbytes for field in log.fields()) / 1e6:.4g} MB")
"""


class TestNames:
    def test_only_netcdf_is_written_while_a_run_goes_on(self, tmp_path):
        with pytest.raises(SettingError) as caught:
            sim().run(until=1.0, stream=tmp_path / "run.csv")
        assert str(caught.value) == (
            f"A run cannot stream to {tmp_path / 'run.csv'}: only netCDF is written while a run goes on.\n"
            "  Use a name that ends in .nc; `load_log(path).save(...)` writes other formats then."
        )

    def test_a_folder_that_is_not_there_is_said_before_the_run(self, tmp_path):
        running = sim()
        with pytest.raises(LogFileError, match="No such file or directory"):
            running.run(until=1.0, stream=tmp_path / "none" / "run.nc")
        assert running.now == 0.0


class TestSize:
    def test_it_is_told_before_a_run(self):
        running = sim()
        expected = running.recording_size(20.0, RECORD)
        recorded = sum(axis.nbytes for axis in running.run(until=20.0, record=RECORD).axes.values())
        recorded += sum(field.nbytes for field in running.log.fields())
        assert expected == recorded

    def test_steps_that_are_not_known_do_not_count(self):
        adaptive = plain(scenario(), cd.DormandPrince54())
        assert adaptive.recording_size(1e6, cd.Record(every="step", ports=["lag.state"])) == 16
