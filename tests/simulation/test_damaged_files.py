"""A file that is not as it was written loads no numbers, and other programs read those that are."""

import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
import xarray
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cardan as cd
from cardan.errors import LogFileError, SnapshotError
from cardan.files import SEAL_SIZE
from parts import Count, Lag, Noise, plain

Load = Callable[[Path], Any]


@pytest.fixture(scope="module")
def sim() -> cd.Simulation:
    scn = cd.Scenario("test")
    count = scn.add(Count(), name="count", every=0.1)
    scn.add(Lag(), name="lag", source=count.signal)
    scn.add(Noise(deviations=[1.0, 2.0, 3.0]), name="noise", every=0.1)
    return plain(scn)


@pytest.fixture(scope="module")
def log(sim) -> cd.Log:
    return sim.run(until=5.0)


@pytest.fixture(scope="module")
def files(sim, log, tmp_path_factory) -> dict[str, tuple[bytes, Path, Load, type[Exception]]]:
    """Of each kind the contents, a path to damage them at, what loads them, and what that raises."""
    folder = tmp_path_factory.mktemp("files")
    saved = log.save(folder / "run.nc"), sim.snapshot().save(folder / "run.npz")
    loads = (cd.load_log, LogFileError), (cd.load_snapshot, SnapshotError)
    return {path.suffix: (path.read_bytes(), path, *how) for path, how in zip(saved, loads, strict=True)}


@pytest.mark.parametrize("kind", [".nc", ".npz"])
def test_no_flipped_bit_goes_unnoticed(files, kind):
    """One bit of every 31st byte of all that is before the digest, and of every byte of the digest."""
    content, path, load, refusal = files[kind]
    began = time.perf_counter()
    places = [*range(0, len(content) - SEAL_SIZE, 31), *range(len(content) - SEAL_SIZE, len(content))]
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1 << (place % 8)
        path.write_bytes(changed)
        with pytest.raises(refusal):
            load(path)
    # nothing but the digest is worked out: a tenth of a second each would be a hundred times what it takes
    assert time.perf_counter() - began < 0.1 * len(places)
    path.write_bytes(content)
    load(path)


@pytest.mark.parametrize("kind", [".nc", ".npz"])
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_nothing_is_loaded_from_a_file_that_was_cut_mixed_or_filled_up(files, kind, data):
    content, path, load, refusal = files[kind]
    start = data.draw(st.integers(0, len(content)))
    stop = data.draw(st.integers(start, len(content)))
    between = data.draw(st.binary(max_size=200) | st.just(bytes(stop - start)) | st.just(content[stop:]))
    changed = content[:start] + between + content[stop:]
    path.write_bytes(changed)
    if changed == content:
        load(path)
    else:
        with pytest.raises(refusal):
            load(path)


class TestOtherPrograms:
    """The digest lies where they do not look."""

    @pytest.fixture
    def path(self, log, tmp_path) -> Path:
        return log.save(tmp_path / "run.nc")

    @pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
    def test_xarray_reads_a_log(self, log, path, engine):
        read = xarray.load_dataset(path, engine=engine, decode_times=False)
        assert np.array_equal(read["noise.signal.values"], log["noise.signal"].values)

    def test_netcdf_reads_a_log(self, log, path):
        with netCDF4.Dataset(path) as file:
            assert np.array_equal(file["lag.state.value"][:], log["lag.state"].value)

    def test_hdf5_reads_a_log(self, log, path):
        with h5py.File(path) as file:
            assert np.array_equal(file["lag.state.value"][:], log["lag.state"].value)

    def test_a_snapshot_is_a_zip_file_with_a_comment(self, sim, tmp_path):
        path = sim.snapshot().save(tmp_path / "run.npz")
        with zipfile.ZipFile(path) as file:
            assert file.testzip() is None
            assert file.comment.startswith(b"\ncardan sha256 ") and len(file.comment) == SEAL_SIZE
        with np.load(path) as file:
            assert np.array_equal(file["words"].view(np.int64), sim.snapshot().words.view(np.int64))
