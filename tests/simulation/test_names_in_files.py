"""Fields with any name are saved, and come back with it."""

import csv
import json
import unicodedata

import netCDF4
import numpy as np
import pandas
import pytest
import scipy.io
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import cardan as cd
from cardan.simulation.log import FieldLog, Log
from cardan.simulation.log_names import netcdf_name, path_in_netcdf, printable

# what has failed, or might: what file formats forbid, normalize, shorten or give a meaning of their own
AWKWARD = [
    "*", "..", ".", " a", "a ", " ", "a:b", "a/b", "/a", "a%3Ab", "%", "_", "_%2E", "_nc4_non_coord_a", "a~b", "-",
    "[0]", "a\tb", "a\nb", "a\rb", "\0", "\x7f", "a,b", 'a"b', "é", "e\u0301", "\u212b", "\u00c5", "漢字", "\U0001f6f0",
    "\ud800", "x" * 199, "x" * 300, "x" * 299 + "y", "é" * 150, "/" * 250, "%" * 90, "time", "=1+1",
]  # fmt: skip
NAMES = st.sampled_from(AWKWARD) | st.text(st.characters(), max_size=40) | st.text("a:/%_~. ", max_size=300)


def log_of(names: list[str]) -> Log:
    t = np.arange(2.0)
    fields = [FieldLog(f"{name}.state.rate", t, np.full(2, float(i)), "-", "") for i, name in enumerate(names)]
    return Log(t, fields, {"name": names[0]})


@given(st.lists(NAMES, min_size=2, max_size=8, unique=True))
def test_no_two_fields_have_one_name(names):
    paths = [f"{name}.state.rate" for name in names]
    chosen = [netcdf_name(path) for path in paths]
    # as netCDF compares them
    assert len({unicodedata.normalize("NFC", name) for name in chosen}) == len(paths)
    assert len({printable(path) for path in paths}) == len(paths)
    for path, name in zip(paths, chosen, strict=True):
        assert len(name.encode()) <= 200 and "/" not in name and name == name.strip()
        assert "~" in name or path_in_netcdf(name) == path


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(AWKWARD)
@given(st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_any_names_come_back_from_netcdf(tmp_path, names):
    log = log_of(names)
    loaded = cd.load_log(log.save(tmp_path / "run.nc"))
    assert [field.path for field in loaded.fields()] == [field.path for field in log.fields()]
    assert [field.values[0] for field in loaded.fields()] == list(range(len(names)))
    assert loaded.about == log.about


def test_usual_names_stay_as_they_are(tmp_path):
    log = log_of(["ctl", "wheel/1", "über", "left-arm_2", "*"])
    with netCDF4.Dataset(log.save(tmp_path / "run.nc")) as file:
        assert list(file.variables) == [
            "time",
            *(f"{n}.state.rate" for n in ("ctl", "wheel:1", "über", "left-arm_2", "_%2A")),
        ]


class TestTables:
    """Which are not loaded, but whose columns must be told apart by whoever reads them."""

    @settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @example(AWKWARD)
    @given(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    def test_csv_has_a_column_for_each_field_and_says_which(self, tmp_path, names):
        log = log_of(names)
        with log.save(tmp_path / "run.csv").open(newline="", encoding="utf-8") as file:
            head, first, _ = list(csv.reader(file))
        assert len(set(head)) == len(head) == 1 + len(names)
        assert [float(cell) for cell in first[1:]] == list(range(len(names)))
        metadata = json.loads((tmp_path / "run.csv-metadata.json").read_text())
        listed = metadata["notes"][0]["fields"]
        assert [field["path"] for field in listed] == [field.path for field in log.fields()]
        assert [field["column"] for field in listed] == head[1:]

    @settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @example(AWKWARD)
    @given(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    def test_parquet_has_the_columns_of_pandas(self, tmp_path, names):
        log = log_of(names)
        read = pandas.read_parquet(log.save(tmp_path / "run.parquet"))
        pandas.testing.assert_frame_equal(read, log.to_pandas())
        assert len(set(read.columns)) == len(names)

    @settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @example(AWKWARD)
    @given(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    def test_matlab_has_a_struct_for_each_field_and_says_which(self, tmp_path, names):
        read = scipy.io.loadmat(log_of(names).save(tmp_path / "run.mat"), simplify_cells=True)
        listed = read["fields"] if isinstance(read["fields"], list | np.ndarray) else [read["fields"]]
        assert [entry["path"] for entry in listed] == [printable(f"{name}.state.rate") for name in names]
        for i, entry in enumerate(listed):
            part, port, field = entry["name"].split(".")
            assert read[part][port][field][0] == i


@pytest.mark.parametrize("name", ["*", "..", " a", "a:b", "n" * 300])
def test_a_vehicle_with_such_a_joint_runs_and_is_saved(name, tmp_path):
    vehicle = cd.Mechanism.from_mjcf(
        f"""
        <mujoco>
          <worldbody>
            <body name="hub">
              <freejoint/>
              <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
              <body name="arm">
                <joint name="{name}" type="hinge" axis="0 0 1"/>
                <inertial pos="1 0 0" mass="1" diaginertia="1 1 1"/>
              </body>
            </body>
          </worldbody>
        </mujoco>
        """
    )
    sim = cd.Simulation(cd.Scenario(mechanism=vehicle), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.1))
    log = sim.run(until=0.2)
    assert f"{name}.state" in log
    assert list(cd.load_log(log.save(tmp_path / "run.nc"))) == list(log)
