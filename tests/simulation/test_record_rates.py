"""Ports that are recorded at times of their own."""

import csv
import pickle

import numpy as np
import pandas
import pytest
import scipy.io

import cardan as cd
from cardan.simulation import core
from cardan.simulation.log import FieldLog, Log
from cardan.simulation.setup import set_up
from parts import Count, Lag, Ramp, Relay, plain
from simulation.test_pieces import ADAPTIVE, END, FIXED, TICK, busy, coasting

SLOW, FAST = 0.5, 0.1  # [s]


def scenario() -> cd.Scenario:
    scn = cd.Scenario("rates")
    ramp = scn.add(Ramp(), name="ramp")
    count = scn.add(Count(), name="count", every=0.2)
    scn.add(Lag(), name="lag", source=count.signal)
    scn.leave_open(ramp.signal)
    return scn


@pytest.fixture
def sim() -> cd.Simulation:
    return plain(scenario(), cd.Rk4(0.05))


@pytest.fixture
def log(sim) -> cd.Log:
    return sim.run(
        until=1.0, record=cd.Record(every=SLOW, ports=["lag.*"], periods={"count.*": FAST, "ramp.*": "step"})
    )


def every(period: float, end: float = 1.0) -> np.ndarray:
    return np.arange(round(end / period) + 1) * round(1e9 * period) / 1e9


class TestTimes:
    def test_each_port_has_its_own(self, log):
        assert np.array_equal(log["lag.state"].t, every(SLOW))
        assert np.array_equal(log["count.signal"].t, every(FAST))
        assert np.array_equal(log["ramp.signal"].t, every(0.05))

    def test_those_of_the_log_are_those_of_the_usual_ports(self, log):
        assert np.array_equal(log.t, log["lag.signal"].t)
        assert list(log.axes) == ["time", "time_2", "time_3"]
        assert log.axis(log["ramp.signal.value"]) == "time_3"

    def test_a_port_is_what_it_is_in_a_recording_of_its_own(self, log):
        """Fixed steps are those of the integrator, whatever is recorded."""
        for path, rate in (("lag.state", SLOW), ("count.signal", FAST), ("ramp.signal", "step")):
            alone = plain(scenario(), cd.Rk4(0.05)).run(until=1.0, record=cd.Record(every=rate, ports=[path]))
            assert np.array_equal(alone[path].value, log[path].value)

    def test_ports_of_one_rate_share_their_times(self, sim):
        record = cd.Record(
            every=SLOW, ports=["lag.*"], periods={"count.signal": FAST, "ramp.*": FAST, "lag.state": SLOW}
        )
        assert list(sim.run(until=1.0, record=record).axes) == ["time", "time_2"]

    def test_of_patterns_that_match_the_last_one_counts(self, sim):
        record = cd.Record(ports=[], periods={"*": SLOW, "lag.*": FAST, "lag.state": 0.25})
        log = sim.run(until=1.0, record=record)
        assert [len(log[path].t) for path in ("count.signal", "lag.signal", "lag.state")] == [3, 11, 5]

    def test_ports_that_are_recorded_by_default_may_have_their_own(self, sim):
        log = sim.run(until=1.0, record=cd.Record(every=SLOW, periods={"lag.state": FAST}))
        assert set(log) == {"lag.state", "count.signal", "count.time"}
        assert (len(log["lag.state"].t), len(log["count.signal"].t)) == (11, 3)

    def test_without_usual_ports_the_first_says_the_times_of_the_log(self, sim):
        log = sim.run(until=1.0, record=cd.Record(ports=[], periods={"lag.state": FAST, "ramp.signal": SLOW}))
        assert np.array_equal(log.t, every(FAST))
        assert list(log.axes) == ["time", "time_2"]

    def test_a_rate_of_ticks_is_that_of_tasks(self, sim):
        log = sim.run(until=1.0, record=cd.Record(every=FAST, ports=["lag.*"], periods={"count.*": None}))
        assert np.array_equal(log["count.signal"].t, every(0.2))

    def test_an_adaptive_integrator_lands_on_the_samples_of_all(self):
        sim = plain(scenario(), cd.DormandPrince54())
        log = sim.run(until=1.0, record=cd.Record(every=0.3, ports=["lag.*"], periods={"ramp.*": 0.07}))
        assert np.array_equal(log["lag.state"].t, np.arange(4) * 0.3e9 / 1e9)
        assert np.array_equal(log["ramp.signal"].t, np.arange(15) * 70_000_000 / 1e9)
        assert np.array_equal(log["ramp.signal"].value, log["ramp.signal"].t)

    def test_an_output_is_evaluated_for_the_ports_of_its_own_rate_alone(self, sim):
        setup = set_up(scenario(), None, cd.Rk4(0.05), jit=False)
        tables = setup.tables(cd.Record(every=SLOW, ports=["ramp.*"], periods={"lag.*": FAST}))
        masks = {row.path: mask for row, mask in setup.schedule.tick_rows(tables.groups)}
        assert masks == {"ramp.signal": core.FOR_RECORDER, "lag.signal": core.FOR_RECORDER << 1}

    def test_a_hundred_samples_in_chunks_of_sixteen_are_those_of_one(self, monkeypatch):
        record = cd.Record(every=FAST, ports=["lag.*"], periods={"ramp.*": 0.05, "count.*": SLOW})
        one = plain(scenario(), cd.Rk4(0.05)).run(until=20.0, record=record)
        monkeypatch.setattr("cardan.simulation.record._LARGEST_CHUNK", 1)
        many = plain(scenario(), cd.Rk4(0.05)).run(until=20.0, record=record)
        assert many.compare(one).agree() and len(many.t) == 201


# of each, something is sampled wherever runs meet: an adaptive integrator lands there in the whole run too
RECORDS = [
    cd.Record(every=TICK, ports=["lag.state"], periods={"lag.signal": "step"}),
    cd.Record(every="step", ports=["*.state"], periods={"lag.*": 3 * TICK, "ramp.*": TICK}),
    cd.Record(every=2 * TICK, ports=["*"], periods={"lag.signal": None, "ramp.*": TICK}),
]


class TestPieces:
    @pytest.mark.parametrize("record", RECORDS)
    @pytest.mark.parametrize("integrator", [*FIXED, *ADAPTIVE], ids=lambda one: type(one).__name__)
    @pytest.mark.parametrize("made", [busy, coasting])
    def test_a_run_in_pieces_is_the_whole_run(self, made, integrator, record):
        whole, pieces = made(integrator), made(integrator)
        log = whole.run(until=END, record=record)
        parts = [pieces.run(until=k * TICK, record=record) for k in (0, 3, 3, 7, 8, 15)]
        for field in log.fields():
            assert np.array_equal(field.t, np.concatenate([part[field.path].t for part in parts]))
            assert field.values.tobytes() == b"".join(part[field.path].values.tobytes() for part in parts)
        assert whole.snapshot().words.tobytes() == pieces.snapshot().words.tobytes()


class TestFormats:
    def test_netcdf_and_xarray_have_a_dimension_for_each_rate(self, log, tmp_path):
        data = log.to_xarray()
        assert data["lag.state.value"].dims == ("time",) and data["count.signal.value"].dims == ("time_2",)
        assert data.sizes == {"time": 3, "time_2": 11, "time_3": 21}
        loaded = cd.load_log(log.save(tmp_path / "run.nc"))
        assert loaded.compare(log).agree() and list(loaded.axes) == list(log.axes)
        assert np.array_equal(loaded["count.signal"].t, log["count.signal"].t)
        assert loaded.to_xarray().identical(data)

    def test_a_table_has_a_row_for_each_time_of_any_port(self, log, tmp_path):
        table = log.to_pandas()
        assert np.array_equal(table.index, every(0.05))
        for field in log.fields():
            kept = table[field.path].dropna()
            assert np.array_equal(kept.index, field.t) and np.array_equal(kept.to_numpy(), field.values)
        read = pandas.read_parquet(log.save(tmp_path / "run.parquet"))
        assert read.equals(table)

    def test_whole_numbers_and_truths_of_a_table_stay_what_they_are(self):
        t, late = np.array([0.0, 1.0]), np.array([1.0, 2.0])
        fields = [
            FieldLog("a.b.ticks", t, np.array([2**62, 1]), "-", ""),
            FieldLog("a.c.is_on", late, np.array([True, False]), "-", ""),
        ]
        table = Log(t, fields, {}).to_pandas()
        assert [str(kind) for kind in table.dtypes] == ["Int64", "boolean"]
        assert table["a.b.ticks"].tolist() == [2**62, 1, pandas.NA]
        assert table["a.c.is_on"].tolist() == [pandas.NA, True, False]

    def test_a_line_of_csv_has_nothing_where_a_port_has_no_sample(self, log, tmp_path, monkeypatch):
        monkeypatch.setattr("cardan.simulation.log_csv._CHUNK", 4)
        with log.save(tmp_path / "run.csv").open(newline="") as file:
            head, *lines = list(csv.reader(file))
        assert len(lines) == 21
        for number, name in enumerate(head[1:], 1):
            field = log[name.removesuffix(" [-]")]
            found = {float(line[0]): float(line[number]) for line in lines if line[number]}
            assert found == dict(zip(field.t, field.values, strict=True))

    def test_a_matlab_file_has_each_of_the_times(self, log, tmp_path):
        loaded = scipy.io.loadmat(log.save(tmp_path / "run.mat"), simplify_cells=True)
        assert np.array_equal(loaded["t"], log.t) and np.array_equal(loaded["t_2"], log["count.signal"].t)
        times = {field["path"]: field["time"] for field in loaded["fields"]}
        assert times["lag.state.value"] == "t" and times["ramp.signal.value"] == "t_3"

    def test_a_log_goes_to_another_process(self, log):
        copied = pickle.loads(pickle.dumps(log))
        assert list(copied.axes) == list(log.axes) and copied.compare(log).agree()

    def test_a_figure_has_the_times_of_each_port(self, log):
        figure = log.plot("lag.state", "count.signal")
        assert [len(axes.lines[0].get_xdata()) for axes in figure.axes] == [3, 11]


class TestComparing:
    def test_times_are_those_of_each_port(self, sim, log):
        sim.reset()
        record = cd.Record(every=SLOW, ports=["lag.*"], periods={"count.*": 2 * FAST, "ramp.*": "step"})
        other = sim.run(until=1.0, record=record)
        difference = log.compare(other)
        assert (difference.times_only_in_first, difference.times_only_in_second) == (5, 0)
        assert not difference.agree() and log.compare(other, times="common").agree()
        assert len(difference.t) == 21

    def test_ports_of_a_rate_compare_with_those_of_another(self, sim, log):
        sim.reset()
        other = sim.run(until=1.0, record=cd.Record(every="step", ports=["lag.*", "count.*", "ramp.*"]))
        assert log.compare(other, times="common").agree()
        assert log.compare(other, times="interpolated").agree()
        assert not log.compare(other).agree()

    def test_fields_are_compared_in_blocks(self, sim, log, monkeypatch):
        monkeypatch.setattr("cardan.simulation.comparison._BLOCK", 16)  # two samples
        sim.reset()
        other = sim.run(until=1.0, record=cd.Record(every="step", ports=["lag.*", "ramp.*", "count.*"]))
        assert log.compare(other, times="common").agree()
        values = 2.0 * other["lag.state"].value
        doubled = Log(other.t, [FieldLog("lag.state.value", other.t, values, "-", "")], {})
        found = log.compare(doubled, times="common").fields["lag.state.value"]
        expected = np.max(np.abs(log["lag.state"].value))
        assert (found.largest, found.relative) == (expected, 0.5)


class TestBatches:
    def test_ports_of_a_batch_have_their_own_times(self):
        batch = cd.Batch(scenario(), 3, integrator=cd.Rk4(0.05), jit=False)
        record = cd.Record(every=SLOW, ports=["lag.*"], periods={"count.*": FAST})
        logs = batch.run(until=1.0, record=record)
        assert logs["lag.state"].value.shape == (3, 3) and logs["count.signal"].value.shape == (3, 11)
        assert np.array_equal(logs["count.signal"].t, every(FAST)) and np.array_equal(logs.t, every(SLOW))
        assert logs.to_xarray().sizes == {"run": 3, "time": 3, "time_2": 11}
        alone = plain(scenario(), cd.Rk4(0.05)).run(until=1.0, record=record)
        assert logs[1].compare(alone).agree()


class TestWaiting:
    def test_a_sample_of_a_tick_that_has_waited_is_up_to_date(self):
        """What a task reads is evaluated for the recorder, where no task was due in the tick."""
        scn = cd.Scenario("waiting")
        ramp = scn.add(Ramp(), name="ramp")
        lag = scn.add(Lag(), name="lag", source=ramp.signal)
        scn.add(Relay(), name="relay", every=1.0, source=lag.signal)
        sim = plain(scn, cd.Rk4(0.1))
        sim.advance_to(0.5)
        log = sim.run(until=0.6, record=cd.Record(every=0.1, ports=["lag.*"]))
        assert np.array_equal(log["lag.signal"].value, log["lag.state"].value)
