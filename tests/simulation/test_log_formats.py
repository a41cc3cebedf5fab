"""Logs as CSV, MATLAB and Parquet files, and as data sets and tables."""

import csv
import json
import math
import time
import tracemalloc

import numpy as np
import pandas
import pytest
import scipy.io

import cardan as cd
from cardan.simulation.log import FieldLog, Log
from cardan.simulation.log_matlab import matlab_names
from parts import Count, Lag, Noise, Wide, plain

ABOUT = {"name": "made", "seed": 3, "versions": {"cardan": "0.1"}, "parts": {"ctl": {"K": [1.5, None, True]}}}


def made(*fields: tuple[str, np.ndarray, str, str], t: np.ndarray | None = None) -> Log:
    t = np.arange(len(fields[0][1])) * 0.1 if t is None else t
    return Log(t, [FieldLog(path, t, values, unit, frame) for path, values, unit, frame in fields], ABOUT)


@pytest.fixture
def log() -> Log:
    """Numbers that need all their digits, of every kind and shape."""
    rng = np.random.default_rng(1)
    return made(
        ("ctl.torque.torque_B", rng.normal(size=(5, 3)) * 1e-300, "N m", "B"),
        ("ctl.memory.ticks", np.array([0, 1, -7, 2**62, 2**53 + 1]), "-", ""),
        ("ctl.memory.is_on", np.array([True, False, True, True, False]), "-", ""),
        ("bus.com.matrix.dcm_BN", rng.normal(size=(5, 3, 3)), "-", "BN"),
        ("wheel/1.state.rate", np.array([0.1, 1 / 3, math.pi, 5e-324, -0.0]), "rad/s", ""),
    )


class TestCsv:
    def test_a_line_is_a_sample_and_a_column_a_number(self, log, tmp_path):
        with log.save(tmp_path / "run.csv").open(newline="") as file:
            head, *lines = list(csv.reader(file))
        assert head[:3] == ["time [s]", "ctl.torque.torque_B[0] [N m]", "ctl.torque.torque_B[1] [N m]"]
        assert head[4:7] == ["ctl.memory.ticks [-]", "ctl.memory.is_on [-]", "bus.com.matrix.dcm_BN[0][0] [-]"]
        assert head[-1] == "wheel/1.state.rate [rad/s]"
        assert [len(line) for line in lines] == 5 * [len(head)]
        assert [line[5] for line in lines] == ["1", "0", "1", "1", "0"]

    def test_the_numbers_read_back_to_the_same_bits(self, log, tmp_path):
        with log.save(tmp_path / "run.csv").open(newline="") as file:
            _, *lines = list(csv.reader(file))
        times, *read = zip(*lines, strict=True)
        assert np.array(times, dtype=float).tobytes() == log.t.tobytes()
        frame = log.to_pandas()
        for texts, column in zip(read, frame.columns, strict=True):
            expected = frame[column].to_numpy()
            if expected.dtype == np.float64:
                assert np.array(texts, dtype=float).tobytes() == expected.tobytes()
            else:
                assert [int(text) for text in texts] == expected.tolist()

    def test_pandas_reads_the_table(self, log, tmp_path):
        frame = pandas.read_csv(log.save(tmp_path / "run.csv"), index_col="time [s]")
        assert frame.shape == log.to_pandas().shape
        # older pandas read numbers to the last digit but one
        assert np.allclose(
            frame["ctl.torque.torque_B[1] [N m]"], log["ctl.torque"].torque_B[:, 1], rtol=1e-15, atol=0.0
        )

    def test_what_the_table_cannot_say_lies_beside_it(self, log, tmp_path):
        log.save(tmp_path / "run.csv")
        metadata = json.loads((tmp_path / "run.csv-metadata.json").read_text())
        assert (metadata["@context"], metadata["url"]) == ("http://www.w3.org/ns/csvw", "run.csv")
        with (tmp_path / "run.csv").open(newline="") as file:
            assert [column["titles"] for column in metadata["tableSchema"]["columns"]] == next(csv.reader(file))
        (notes,) = metadata["notes"]
        assert notes["about"] == ABOUT
        assert notes["fields"][0] == {
            "column": "ctl.torque.torque_B[0] [N m]",
            "path": "ctl.torque.torque_B",
            "unit": "N m",
            "frame": "B",
        }

    def test_a_long_log_is_written_in_chunks(self, tmp_path, monkeypatch):
        monkeypatch.setattr("cardan.simulation.log_csv._CHUNK", 7 * 16)  # [bytes] seven samples
        long = made(("a.b.c", np.arange(23.0), "m", ""))
        frame = pandas.read_csv(long.save(tmp_path / "run.csv"))
        assert frame["a.b.c [m]"].tolist() == list(range(23))


class TestMatlab:
    def test_there_is_a_struct_for_each_part_and_port(self, log, tmp_path):
        read = scipy.io.loadmat(log.save(tmp_path / "run.mat"), simplify_cells=True)
        assert np.array_equal(read["t"], log.t)
        assert np.array_equal(read["ctl"]["torque"]["torque_B"], log["ctl.torque"].torque_B)
        assert np.array_equal(read["ctl"]["memory"]["ticks"], log["ctl.memory"].ticks)
        assert np.array_equal(read["bus_com"]["matrix"]["dcm_BN"], log["bus.com.matrix"].dcm_BN)
        assert np.array_equal(read["wheel_1"]["state"]["rate"], log["wheel/1.state"].rate)
        assert json.loads(read["about"]) == ABOUT

    def test_samples_lie_in_columns_and_truths_are_logical(self, log, tmp_path):
        read = scipy.io.loadmat(log.save(tmp_path / "run.mat"))
        assert read["t"].shape == (5, 1)
        assert read["ctl"]["memory"][0, 0]["ticks"][0, 0].shape == (5, 1)
        kinds = {name: kind for name, _, kind in scipy.io.whosmat(tmp_path / "run.mat")}
        assert kinds["ctl"] == "struct"
        alone = made(("a.b.is_on", np.array([True, False]), "-", ""))
        assert scipy.io.loadmat(alone.save(tmp_path / "b.mat"))["a"]["b"][0, 0]["is_on"][0, 0].dtype == np.uint8

    def test_a_list_says_where_each_field_is_and_its_unit(self, log, tmp_path):
        listed = scipy.io.loadmat(log.save(tmp_path / "run.mat"), simplify_cells=True)["fields"]
        assert [entry["path"] for entry in listed] == [field.path for field in log.fields()]
        assert listed[0] == {
            "path": "ctl.torque.torque_B", "name": "ctl.torque.torque_B", "unit": "N m", "frame": "B",
            "time": "t",
        }  # fmt: skip
        assert listed[-1]["name"] == "wheel_1.state.rate"

    def test_parts_that_matlab_would_call_the_same_stay_apart(self, tmp_path):
        values = [np.full(2, float(i)) for i in range(5)]
        paths = ["wheel/1.state.rate", "wheel-1.state.rate", "wheel_1.state.rate", "t.state.rate", "end.state.rate"]
        log = made(*((path, value, "-", "") for path, value in zip(paths, values, strict=True)))
        read = scipy.io.loadmat(log.save(tmp_path / "run.mat"), simplify_cells=True)
        found = {entry["path"]: entry["name"] for entry in read["fields"]}
        assert found["wheel_1.state.rate"] == "wheel_1.state.rate"
        assert len(set(found.values())) == 5
        assert np.array_equal(read["t"], log.t)
        for path, value in zip(paths, values, strict=True):
            part, port, field = found[path].split(".")
            assert np.array_equal(read[part][port][field], value)

    def test_names_are_valid_short_and_different(self):
        long = "a" * 70
        names = [f"{long}1", f"{long}2", long, "1st", "_x", "é", "for", "über/Maß", "x", "about"]
        chosen = matlab_names(names, taken=("about",))
        assert list(chosen) != [] and set(chosen) == set(names)
        assert len(set(chosen.values())) == len(names)
        for name in chosen.values():
            assert name[0].isalpha() and name.isascii() and name.replace("_", "a").isalnum() and len(name) <= 63
            assert name not in ("for", "about")
        assert chosen["x"] == "x"


class TestParquet:
    def test_pandas_reads_the_table_of_the_log(self, log, tmp_path):
        frame = pandas.read_parquet(log.save(tmp_path / "run.parquet"))
        pandas.testing.assert_frame_equal(frame, log.to_pandas(), check_exact=True)
        assert frame.attrs["units"]["ctl.torque.torque_B[2]"] == "N m"

    def test_the_description_of_the_run_is_in_the_file(self, log, tmp_path):
        from pyarrow import parquet

        metadata = parquet.read_schema(log.save(tmp_path / "run.parquet")).metadata
        assert json.loads(metadata[b"cardan_about"]) == ABOUT


class TestPandas:
    def test_there_is_a_column_for_each_number(self, log):
        frame = log.to_pandas()
        assert frame.index.name == "time"
        assert frame["ctl.torque.torque_B[1]"].to_numpy().tolist() == log["ctl.torque"].torque_B[:, 1].tolist()
        assert (
            frame["bus.com.matrix.dcm_BN[2][0]"].to_numpy().tolist() == log["bus.com.matrix"].dcm_BN[:, 2, 0].tolist()
        )
        assert [str(frame[f"ctl.memory.{name}"].dtype) for name in ("ticks", "is_on")] == ["int64", "bool"]
        assert frame.attrs["frames"]["ctl.torque.torque_B[1]"] == "B"

    def test_a_table_that_is_changed_leaves_the_log_alone(self, log):
        before = log["ctl.torque"].torque_B.copy()
        frame = log.to_pandas()
        frame.iloc[:, 0] = 5.0
        assert np.array_equal(log["ctl.torque"].torque_B, before)


class TestXarray:
    @pytest.fixture
    def data(self):
        n = 11
        return made(
            ("share.torques.torque", np.ones((n, 4)), "N m", ""),
            ("limit.torques.torque", np.ones((n, 4)), "N m", ""),
            ("body.state.q_BN", np.ones((n, 4)), "-", "BN"),
            ("a.b.inertia_B", np.ones((n, 6, 6)), "-", "B"),
            ("c.d.inertia_B", np.ones((n, 6, 6)), "-", "B"),
            ("bodies.positions.r_BN_N", np.ones((n, 5, 3)), "m", "N"),
            ("bus.motion.r_BN_N", np.ones((n, 3)), "m", "N"),
            ("bus.matrix.dcm_BN", np.ones((n, 3, 3)), "-", "BN"),
        ).to_xarray()

    @pytest.mark.parametrize(
        ("one", "other", "shape"),
        [
            ("share.torques.torque", "limit.torques.torque", (11, 4)),
            ("share.torques.torque", "body.state.q_BN", (11, 4)),
            ("a.b.inertia_B", "c.d.inertia_B", (11, 6, 6)),
            ("bodies.positions.r_BN_N", "bus.motion.r_BN_N", (11, 5, 3)),
        ],
    )
    def test_fields_of_one_size_share_their_dimensions(self, data, one, other, shape):
        assert (data[one] - data[other]).shape == shape

    def test_what_the_numbers_of_an_axis_are_is_said_where_it_is_known(self, data):
        said = {name: data[name].attrs.get("components") for name in data}
        assert said["body.state.q_BN"] == "w x y z"
        assert said["bus.motion.r_BN_N"] == said["bodies.positions.r_BN_N"] == "x y z"
        assert said["share.torques.torque"] is None

    def test_a_file_has_the_same_dimensions(self, tmp_path):
        import xarray

        scn = cd.Scenario()
        scn.add(Noise(deviations=[1.0, 2.0, 3.0, 4.0]), name="a", every=0.1)
        scn.add(Noise(deviations=[1.0, 2.0, 3.0, 4.0]), name="b/2", every=0.1)
        log = plain(scn).run(until=0.5)
        read = xarray.load_dataset(log.save(tmp_path / "run.nc"), decode_times=False)
        assert (read["a.signal.values"] - read["b:2.signal.values"]).shape == (6, 4)


@pytest.mark.parametrize("suffix", [".nc", ".nc4", ".csv", ".mat", ".parquet", ".CSV"])
class TestEveryFormat:
    def test_a_log_of_a_run_can_be_written(self, suffix, tmp_path):
        scn = cd.Scenario("test")
        count = scn.add(Count(), name="count", every=0.1)
        scn.add(Lag(), name="lag", source=count.signal)
        path = plain(scn).run(until=0.5).save(tmp_path / f"run{suffix}")
        assert path.stat().st_size > 0

    @pytest.mark.parametrize("t", [np.zeros(0), np.zeros(1)])
    def test_so_can_one_without_fields_and_one_without_samples(self, suffix, t, tmp_path):
        Log(t, [], ABOUT).save(tmp_path / f"none{suffix}")
        made(("a.b.c_B", np.ones((len(t), 3)), "m", "B"), t=t).save(tmp_path / f"short{suffix}")


class TestLargeLogs:
    """No format takes memory for a copy of all samples, but pandas, whose table is one."""

    @pytest.fixture
    def many(self, monkeypatch) -> Log:
        """Some 4 MB of numbers in chunks of 64 kB, as a long run leaves them."""
        monkeypatch.setattr("cardan.simulation.record._FIRST_CHUNK", 1 << 16)
        monkeypatch.setattr("cardan.simulation.record._LARGEST_CHUNK", 1 << 16)
        monkeypatch.setattr("cardan.simulation.log_parquet._GROUP", 1 << 19)
        monkeypatch.setattr("cardan.simulation.log_matlab._COMPRESSED", 1 << 16)
        scn = cd.Scenario("many")
        for i in range(10):
            scn.add(Wide(size=20), name=f"wide{i}", every=0.1)
        return plain(scn).run(until=250.0, progress=False)

    @pytest.mark.parametrize("suffix", [".nc", ".csv", ".mat", ".parquet"])
    def test_saving_takes_far_less_memory_than_the_log(self, many, tmp_path, suffix):
        many.save(tmp_path / f"first{suffix}")  # with all that is imported and made once
        size = sum(field.nbytes for field in many.fields())
        tracemalloc.start()
        try:
            many.save(tmp_path / f"run{suffix}")
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        # one field of ten, or a chunk of text, and what each of two hundred columns takes for its name
        assert peak < 0.5 * size

    def test_a_table_takes_as_much_as_the_samples_once_more(self, many):
        many.to_pandas()
        size = sum(field.nbytes for field in many.fields())
        tracemalloc.start()
        try:
            table = many.to_pandas()
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 1.6 * size  # with a stretch that is on its way
        assert np.array_equal(table["wide3.signal.values[17]"], many["wide3.signal"].values[:, 17])

    def test_groups_of_rows_are_one_table(self, many, tmp_path):
        table = pandas.read_parquet(many.save(tmp_path / "run.parquet"))
        pandas.testing.assert_frame_equal(table, many.to_pandas())

    def test_a_log_of_many_columns_is_written_in_a_time_that_grows_with_them(self, tmp_path):
        """Each column was once taken out of all of them anew: 20,000 took minutes, 5,000 eight seconds."""
        wide = made(("a.b.values", np.ones((20, 5_000)), "-", ""))
        began = time.monotonic()
        wide.save(tmp_path / "run.csv")
        assert time.monotonic() - began < 5.0
