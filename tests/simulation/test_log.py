"""Recording, logs, files."""

import netCDF4
import numpy as np
import pytest

import cardan as cd
from cardan.missions import hello
from parts import Count, Gain, Lag, Noise, Ramp, plain


@pytest.fixture
def sim() -> cd.Simulation:
    scn = cd.Scenario("test", seed=11)
    count = scn.add(Count(), name="count", every=0.2)
    gain = scn.add(Gain(factor=5.0), name="gain", source=count.signal)
    scn.add(Lag(time_constant=3.0), name="lag", source=gain.signal)
    scn.add(Noise(deviations=[1.0, 2.0, 3.0, 4.0]), name="noise", every=0.2)
    return plain(scn)


def test_by_default_all_task_outputs_and_all_states_are_recorded(sim):
    assert set(sim.run(until=1.0)) == {"count.signal", "count.time", "noise.signal", "lag.state"}


def test_any_port_can_be_recorded_by_its_path(sim):
    log = sim.run(until=1.0, record=cd.Record(every=0.5, ports=["gain.*", "count.memory", "lag.source"]))
    assert list(log) == ["gain.signal", "count.memory", "lag.source"]
    assert log.t.tolist() == [0.0, 0.5, 1.0]
    assert log["count.memory"].ticks.tolist() == [1, 3, 6]
    assert np.array_equal(log["lag.source"].value, log["gain.signal"].value)


def test_a_log_knows_units_frames_and_times():
    sim = cd.Simulation(hello.build(), integrator=cd.Rk4(step=0.1), jit=False)
    log = sim.run(until=2.0)
    port = log["err.error"]
    assert port.sigma_BR.shape == (5, 3)
    assert (port.unit["omega_BR_B"], port.frame["omega_BR_B"]) == ("rad/s", "B")
    assert port.frame["sigma_BR"] == "BR"
    assert port.t.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    field = log["err.error.omega_BR_B"]
    assert (field.unit, field.frame) == ("rad/s", "B")
    assert np.array_equal(np.asarray(field), port.omega_BR_B)
    assert [f.path for f in log.fields("body.*")] == ["body.state.q_BN", "body.state.omega_BN_B"]


def test_samples_cannot_be_changed(sim):
    log = sim.run(until=1.0)
    with pytest.raises(ValueError, match="read-only"):
        log["count.signal"].value[0] = 5.0


def test_every_step_can_be_recorded(sim):
    assert len(sim.run(until=1.0, record=cd.Record(every="step")).t) == 11


def test_a_scenario_without_tasks_is_recorded_at_every_step():
    scn = cd.Scenario()
    scn.add(Ramp(), name="ramp")
    scn.add(Lag(), name="lag")
    assert len(plain(scn).run(until=1.0).t) == 11


def test_a_long_run_is_recorded_in_growing_chunks(monkeypatch):
    monkeypatch.setattr("cardan.simulation.record._LARGEST_CHUNK", 1024)
    scn = cd.Scenario()
    scn.add(Count(), name="count", every=0.1)
    log = plain(scn).run(until=200.0)
    assert log["count.signal"].value.tolist() == list(range(1, 2002))
    assert log.t == pytest.approx(np.arange(2001) * 0.1)


def test_a_saved_log_is_the_same_log(sim, tmp_path):
    log = sim.run(until=1.0, record=cd.Record(ports=["*"]))
    loaded = cd.load_log(log.save(tmp_path / "run.nc"))
    assert list(loaded) == list(log)
    assert np.array_equal(loaded.t, log.t)
    for ours, theirs in zip(log.fields(), loaded.fields(), strict=True):
        assert np.array_equal(ours.values, theirs.values)
        assert ours.values.dtype == theirs.values.dtype
        assert (ours.path, ours.unit, ours.frame) == (theirs.path, theirs.unit, theirs.frame)
    assert loaded.about == log.about


def test_a_file_names_its_variables_and_carries_the_scenario(sim, tmp_path):
    log = sim.run(until=1.0)
    log.save(tmp_path / "run.nc")
    with netCDF4.Dataset(tmp_path / "run.nc") as file:
        assert set(file.variables) == {
            "time",
            "count.signal.value",
            "count.time.value",
            "noise.signal.values",
            "lag.state.value",
        }
        assert file["noise.signal.values"].shape == (6, 4)
        assert file["time"].units == "s"
    about = cd.load_log(tmp_path / "run.nc").about
    assert (about["name"], about["seed"]) == ("test", 11)
    assert about["parts"]["lag"]["parameters"]["time_constant"] == {"value": 3.0, "unit": "s"}
    assert about["parts"]["lag"]["inputs"] == {"source": "gain.signal"}
    assert about["integrator"] == "Rk4(step=0.1)"
    assert set(about["versions"]) == {"cardan", "numpy", "numba", "python"}


def test_xarray_reads_the_file_and_the_log(sim, tmp_path):
    import xarray

    log = sim.run(until=1.0)
    direct = log.to_xarray()
    read = xarray.load_dataset(log.save(tmp_path / "run.nc"), decode_times=False)
    for name in direct.data_vars:
        assert np.array_equal(direct[name], read[name])
        assert direct[name].attrs["units"] == read[name].attrs["units"]
    assert direct["noise.signal.values"].dims[0] == "time"


def test_an_empty_log_can_be_saved(sim, tmp_path):
    log = sim.run(until=1.0, record=cd.Record(ports=[]))
    assert len(cd.load_log(log.save(tmp_path / "run.nc"))) == 0


def test_a_log_shows_itself(sim):
    log = sim.run(until=1.0)
    assert repr(sim) == "<simulation of test at t = 1 s>"
    assert repr(log) == "<log of test: 6 samples of 4 ports, 0 s to 1 s>"
    assert repr(log["count.signal"]) == "<count.signal: 6 samples of value [-]>"
    assert repr(log["noise.signal.values"]) == "<noise.signal.values [-]: 6 samples of shape (4,)>"


def test_a_log_plots_itself(sim):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = sim.run(until=1.0).plot("noise.signal", "lag.state.value")
    assert [axes.get_ylabel() for axes in figure.axes] == ["values [-]", "value [-]"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    plt.close(figure)
