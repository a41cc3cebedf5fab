"""Logs and snapshots on disk that cannot be written, or are not what they should be."""

import json
import os
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import scipy.io

import cardan as cd
from cardan.errors import LogFileError, MissingExtra, SettingError, SnapshotError
from cardan.files import seal
from cardan.simulation.log_file import check_log_path
from errors.conftest import refused
from parts import Count, Lag, Noise, Number, plain


@pytest.fixture
def sim() -> cd.Simulation:
    scn = cd.Scenario("test")
    scn.add(Lag(), name="lag", source=Number(0.0))
    scn.add(Count(), name="count", every=0.1)
    return plain(scn)


@pytest.fixture
def log(sim) -> cd.Log:
    return sim.run(until=0.5)


def without_digest(path: Path, kind: str = "log") -> str:
    advice = " If it is netCDF, xarray reads it as it is." if kind == "log" else ""
    return (
        f"{path} is not a {kind} of Cardan, or only a part of one: it does not end with a digest.\n"
        f"  Another program has written or changed it, or it was cut short.{advice}"
    )


def damaged(path: Path) -> str:
    return (
        f"{path} is damaged: its contents are not those that the digest at its end was made of.\n"
        "  Copy it again from where it came from, or repeat the run."
    )


def flip_a_bit(path: Path, byte: int, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[byte] ^= 1 << bit
    path.write_bytes(content)


class TestLogs:
    def test_a_folder_that_does_not_exist_takes_no_log(self, log, tmp_path):
        path = tmp_path / "missing" / "run.nc"
        with refused(LogFileError, f"The log cannot be written to {path}: No such file or directory."):
            log.save(path)

    def test_a_file_takes_no_log_as_a_folder_would(self, log, tmp_path):
        (tmp_path / "file").write_text("")
        path = tmp_path / "file" / "run.nc"
        with refused(LogFileError, f"The log cannot be written to {path}: Not a directory."):
            log.save(path)

    def test_a_folder_is_not_overwritten_by_a_log(self, log, tmp_path):
        path = tmp_path / "run.nc"
        path.mkdir()
        with refused(LogFileError, f"The log cannot be written to {path}: Is a directory."):
            log.save(path)
        assert list(tmp_path.iterdir()) == [path]

    def test_a_log_that_could_not_be_finished_leaves_the_old_one(self, log, tmp_path, monkeypatch):
        path = log.save(tmp_path / "run.nc")
        before = path.read_bytes()

        def fail(*_: object) -> None:
            raise RuntimeError("NetCDF: HDF error")

        monkeypatch.setattr("cardan.simulation.log_netcdf._variable", fail)
        with refused(LogFileError, f"The log cannot be written to {path}: NetCDF: HDF error."):
            log.save(path)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize(
        ("name", "ends"),
        [
            ("run.xlsx", "ends in `.xlsx`"),
            ("run.MATT", "ends in `.matt`"),
            ("run", "has no suffix"),
            (".nc", "has no suffix"),
        ],
    )
    def test_a_name_that_says_no_format_is_refused(self, log, tmp_path, name, ends):
        text = f"""
            A log cannot be written to {tmp_path / name}: the name {ends}, which says no format.
              These do: .nc (netCDF), .nc4 (netCDF), .csv (comma-separated values), .mat (MATLAB), .parquet (Parquet).
            """
        with refused(SettingError, text):
            log.save(tmp_path / name)
        with refused(SettingError, text):
            check_log_path(tmp_path / name)
        assert list(tmp_path.iterdir()) == []

    def test_a_format_whose_package_is_not_installed_is_refused(self, log, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        text = "Parquet files need pyarrow.\n  Install it with `pip install cardan[parquet]`."
        with refused(MissingExtra, text):
            log.save(tmp_path / "run.parquet")
        with refused(MissingExtra, text):
            check_log_path(tmp_path / "run.parquet")
        assert list(tmp_path.iterdir()) == []

    def test_a_log_that_is_too_large_for_matlab_is_refused(self, log, tmp_path, monkeypatch):
        def fail(*_: object, **__: object) -> None:
            raise scipy.io.matlab.MatWriteError("Matrix too large to save with Matlab 5 format")

        monkeypatch.setattr(scipy.io, "savemat", fail)
        path = tmp_path / "run.mat"
        with refused(
            LogFileError,
            f"The log cannot be written to {path}: Matrix too large to save with Matlab 5 format; "
            ".nc and .parquet have no such limit.",
        ):
            log.save(path)

    @pytest.mark.parametrize(
        ("suffix", "reader"),
        [
            (".csv", "pandas.read_csv"),
            (".mat", "MATLAB or scipy.io.loadmat"),
            (".parquet", "pandas.read_parquet"),
        ],
    )
    def test_only_netcdf_is_loaded(self, log, tmp_path, suffix, reader):
        path = log.save(tmp_path / f"run{suffix}")
        with refused(
            LogFileError,
            f"""
            {path} is not a netCDF file, and logs are loaded from no other.
              Read it with {reader}, or save the log as .nc as well.
            """,
        ):
            cd.load_log(path)

    def test_a_netcdf_file_is_loaded_whatever_it_is_called(self, log, tmp_path):
        path = log.save(tmp_path / "run.nc").rename(tmp_path / "run.csv")
        assert list(cd.load_log(path)) == list(log)

    def test_whether_a_log_can_be_saved_is_known_beforehand(self, tmp_path):
        path = tmp_path / "missing" / "run.nc"
        with refused(LogFileError, f"The log cannot be written to {path}: No such file or directory."):
            check_log_path(path)
        check_log_path(tmp_path / "run.nc")
        assert list(tmp_path.iterdir()) == []

    def test_a_part_whose_name_has_a_slash_can_be_saved(self, tmp_path):
        scn = cd.Scenario()
        scn.add(Lag(), name="wheel/1")
        scn.add(Noise(deviations=[1.0, 2.0]), name="wheel/2", every=0.1)
        log = plain(scn).run(until=0.5)
        loaded = cd.load_log(log.save(tmp_path / "run.nc"))
        assert list(loaded) == list(log) == ["wheel/2.signal", "wheel/1.state"]
        assert np.array_equal(loaded["wheel/2.signal"].values, log["wheel/2.signal"].values)

    def test_a_missing_file_is_no_log(self, tmp_path):
        path = tmp_path / "run.nc"
        with refused(LogFileError, f"There is no file {path}."):
            cd.load_log(path)
        with pytest.raises(OSError, match="There is no file"):
            cd.load_log(str(path))

    @pytest.mark.parametrize("content", [b"", b"time,value\n0.0,1.0\n", bytes(1000)])
    def test_a_file_of_another_kind_is_no_log(self, tmp_path, content):
        path = tmp_path / "run.nc"
        path.write_bytes(content)
        with refused(LogFileError, without_digest(path)):
            cd.load_log(path)

    def test_what_is_no_file_is_no_log(self, tmp_path):
        with refused(LogFileError, f"{tmp_path} is not a file.\n  Give the path of a log."):
            cd.load_log(tmp_path)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
    def test_a_pipe_that_nobody_writes_to_is_not_waited_for(self, tmp_path):
        os.mkfifo(tmp_path / "run.nc")
        with refused(LogFileError, f"{tmp_path / 'run.nc'} is not a file.\n  Give the path of a log."):
            cd.load_log(tmp_path / "run.nc")

    @pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
    def test_a_truncated_log_is_refused(self, log, tmp_path, share):
        path = log.save(tmp_path / "run.nc")
        content = path.read_bytes()
        path.write_bytes(content[: int(share * len(content))])
        with refused(LogFileError, without_digest(path)):
            cd.load_log(path)

    def test_a_damaged_log_is_refused(self, log, tmp_path):
        path = log.save(tmp_path / "run.nc")
        flip_a_bit(path, path.stat().st_size // 2)
        with refused(LogFileError, damaged(path)):
            cd.load_log(path)

    def test_a_log_that_another_program_has_changed_is_refused(self, log, tmp_path):
        path = log.save(tmp_path / "run.nc")
        with netCDF4.Dataset(path, "a") as file:
            file["lag.state.value"][:] = 7.0
        with pytest.raises(LogFileError):
            cd.load_log(path)

    def test_a_file_of_another_program_is_no_log(self, tmp_path):
        path = tmp_path / "run.nc"
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("time", 1)
        with refused(LogFileError, without_digest(path)):
            cd.load_log(path)

    def test_a_log_of_a_newer_cardan_is_refused(self, log, tmp_path):
        path = log.save(tmp_path / "run.nc")
        with netCDF4.Dataset(path, "a") as file:
            file.cardan_log = np.int64(4)
            file.cardan_version = "7.1"
        seal(path)
        with refused(
            LogFileError,
            f"""
            {path} was written by a newer Cardan (7.1).
              Update to read it.
            """,
        ):
            cd.load_log(path)

    def test_a_log_without_its_times_is_refused(self, tmp_path):
        path = tmp_path / "run.nc"
        with netCDF4.Dataset(path, "w") as file:
            file.cardan_log = np.int64(1)
        seal(path)
        with refused(LogFileError, f"{path} is not a log of Cardan: time not found in /."):
            cd.load_log(path)


def write_npz(path: Path, about: object, words: np.ndarray) -> Path:
    np.savez(path, about=np.array(json.dumps(about)), words=words)
    seal(path)
    return path


class TestSnapshots:
    def test_a_folder_that_does_not_exist_takes_no_snapshot(self, sim, tmp_path):
        path = tmp_path / "missing" / "run.npz"
        with refused(SnapshotError, f"The snapshot cannot be written to {path}: No such file or directory."):
            sim.snapshot().save(path)

    def test_a_folder_is_not_overwritten_by_a_snapshot(self, sim, tmp_path):
        with refused(SnapshotError, f"The snapshot cannot be written to {tmp_path}: Is a directory."):
            sim.snapshot().save(tmp_path)

    def test_a_missing_file_is_no_snapshot(self, tmp_path):
        with refused(SnapshotError, f"There is no file {tmp_path / 'run.npz'}."):
            cd.load_snapshot(tmp_path / "run.npz")

    @pytest.mark.parametrize("content", [b"", b"a text", bytes(1000)])
    def test_a_file_of_another_kind_is_no_snapshot(self, tmp_path, content):
        path = tmp_path / "run.npz"
        path.write_bytes(content)
        with refused(SnapshotError, without_digest(path, "snapshot")):
            cd.load_snapshot(path)

    def test_a_log_is_no_snapshot(self, log, tmp_path):
        path = log.save(tmp_path / "run.nc")
        with refused(
            SnapshotError, f"{path} is of Cardan, but not a snapshot.\n  Read a log with `cardan.load_log(path)`."
        ):
            cd.load_snapshot(path)

    def test_a_snapshot_is_no_log(self, sim, tmp_path):
        path = sim.snapshot().save(tmp_path / "run.npz")
        with refused(
            LogFileError, f"{path} is of Cardan, but not a log.\n  Read a snapshot with `cardan.load_snapshot(path)`."
        ):
            cd.load_log(path)

    @pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
    def test_a_truncated_snapshot_is_refused(self, sim, tmp_path, share):
        path = sim.snapshot().save(tmp_path / "run.npz")
        content = path.read_bytes()
        path.write_bytes(content[: int(share * len(content))])
        with refused(SnapshotError, without_digest(path, "snapshot")):
            cd.load_snapshot(path)

    def test_a_damaged_snapshot_is_refused(self, sim, tmp_path):
        path = sim.snapshot().save(tmp_path / "run.npz")
        flip_a_bit(path, 200)
        with refused(SnapshotError, damaged(path)):
            cd.load_snapshot(path)

    def test_a_folder_is_no_snapshot(self, tmp_path):
        with refused(SnapshotError, f"{tmp_path} is not a file.\n  Give the path of a snapshot."):
            cd.load_snapshot(tmp_path)

    def test_other_arrays_are_no_snapshot(self, tmp_path):
        path = tmp_path / "run.npz"
        np.savez(path, words=np.zeros(3))
        seal(path)
        with pytest.raises(SnapshotError) as caught:
            cd.load_snapshot(path)
        assert str(caught.value).startswith(f"{path} is not a snapshot of Cardan: 'about ")

    @pytest.mark.parametrize(
        ("about", "reason"), [({}, "'format'"), ([1], "list indices must be integers or slices, not str")]
    )
    def test_a_snapshot_says_what_it_is(self, tmp_path, about, reason):
        path = write_npz(tmp_path / "run.npz", about, np.zeros(3))
        with refused(SnapshotError, f"{path} is not a snapshot of Cardan: {reason}."):
            cd.load_snapshot(path)

    def test_a_snapshot_of_a_newer_cardan_is_refused(self, tmp_path):
        path = write_npz(tmp_path / "run.npz", {"format": 2}, np.zeros(3))
        with refused(
            SnapshotError,
            f"""
            {path} was written by a newer Cardan.
              Update to read it.
            """,
        ):
            cd.load_snapshot(path)

    @pytest.mark.parametrize(
        "change",
        [
            lambda scn: scn.add(Lag(), name="second", source=Number(0.0)),
            lambda scn: scn.add(Count(), name="fast", every=0.1),
        ],
    )
    def test_a_snapshot_of_another_scenario_is_refused(self, sim, change):
        scn = cd.Scenario("other")
        scn.add(Lag(), name="lag", source=Number(0.0))
        scn.add(Count(), name="count", every=0.1)
        change(scn)
        text = """
            The snapshot of `test` does not fit scenario `other`.
              Both must have the same parts with the same names, classes, sizes, rates and delays.
            """
        other = plain(scn)
        with refused(SnapshotError, text):
            other.restore(sim.snapshot())
        with refused(SnapshotError, text):
            other.advance(sim.snapshot(), until=1.0)

    @pytest.mark.parametrize(
        ("name", "every", "offset"), [("tick", 0.1, 0.0), ("count", 0.2, 0.0), ("count", 0.1, 0.1)]
    )
    def test_another_name_or_rate_makes_another_scenario(self, sim, name, every, offset):
        scn = cd.Scenario("other")
        scn.add(Lag(), name="lag", source=Number(0.0))
        scn.add(Count(), name=name, every=every, offset=offset)
        with pytest.raises(SnapshotError, match="does not fit scenario `other`"):
            plain(scn).restore(sim.snapshot())

    def test_a_snapshot_with_too_few_words_is_refused(self, sim, tmp_path):
        taken = sim.snapshot()
        about = {"format": 1, "scenario": "test", "fingerprint": taken.fingerprint}
        short = cd.load_snapshot(write_npz(tmp_path / "run.npz", about, taken.words[:-1]))
        with refused(
            SnapshotError,
            """
            The snapshot of `test` does not fit scenario `test`.
              Both must have the same parts with the same names, classes, sizes, rates and delays.
            """,
        ):
            sim.restore(short)
