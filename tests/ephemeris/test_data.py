"""Data: files with digests, Earth orientation data, gravity fields, kernels; and how they refuse."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from cardan import Epoch
from cardan.ephemeris import de440, earth_data, egm2008, ephemeris_table, igrf14, orientation_table, read_gfc, read_spk
from cardan.ephemeris.data_files import FOLDER, content_digest, load_data
from cardan.errors import DamagedData, OutsideData
from environment_reference import REFERENCE

FILES = ("egm2008_120.npz", "de440_1990_2060.npz", "igrf14.npz")


@pytest.mark.parametrize("name", FILES)
def test_a_data_file_has_the_contents_that_it_was_made_with(name):
    manifest = json.loads((FOLDER / "MANIFEST.json").read_text())
    assert content_digest(load_data(name)) == manifest[name]["content"]
    assert (FOLDER / name).stat().st_size < 2_000_000


@pytest.mark.parametrize("damage", ["other numbers", "cut", "empty", "missing", "no manifest"])
def test_a_damaged_data_file_is_refused(tmp_path, damage):
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "igrf14.npz"
    if damage == "other numbers":
        arrays = {k: np.array(v) for k, v in load_data("igrf14.npz").items()}
        arrays["coefficients_nT"][0, 0] += 1e-6
        np.savez_compressed(path, **arrays)
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:3000])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "missing":
        path.unlink()
    else:
        (tmp_path / "MANIFEST.json").unlink()
    with pytest.raises(DamagedData, match=r"The data file `.*igrf14.npz` (has other contents|cannot be read)"):
        load_data("igrf14.npz", tmp_path)


# ---- planets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", REFERENCE["ephemeris"]["epochs"], ids=lambda case: case["utc"])
def test_positions_agree_with_spice_at_the_given_tdb(case):
    tdb = np.array([case["tdb_s_since_j2000"]])
    source = de440()
    for name, expected in case["from_earth"].items():
        r = source.position(name.removesuffix("_barycentre"), tdb) - source.position("earth", tdb)
        assert r[0] == pytest.approx(expected["r_N_m"], abs=0.02), name  # [m] rounded to 1 mm in ten terms


@pytest.mark.parametrize(
    "epoch, duration, bodies, text",
    [
        ("1985-01-01", 100.0, ["sun"], "the shipped excerpt of DE440 covers"),
        ("2059-12-20", 1e7, ["sun"], "the shipped excerpt of DE440 covers"),
        ("2024-01-01", 100.0, ["mon"], "There is no `mon` in the shipped excerpt of DE440. Did you mean `moon`?"),
        ("2024-01-01", 0.0, ["sun"], "A table over a run of 0.0 s cannot be made"),
        ("2024-01-01", np.inf, ["sun"], "A table over a run of inf s cannot be made"),
    ],
)
def test_positions_that_are_not_known_are_refused(epoch, duration, bodies, text):
    with pytest.raises(OutsideData) as caught:
        ephemeris_table(Epoch(epoch), duration, bodies, "earth")
    assert text in str(caught.value)


class Segment:
    """A segment as `jplephem` gives it: a body on a parabola [km]."""

    def __init__(self, center, target, start, slope):
        self.center, self.target, self.start, self.slope = center, target, np.array(start), np.array(slope)

    def load_array(self):
        return 2451536.5, 8.0, np.zeros((3, 10, 3))

    def compute(self, day, fraction):
        days = np.asarray(day - 2451545.0 + fraction)
        return self.start[:, None] + self.slope[:, None] * days + 0.01 * days**2


class Kernel:
    def __init__(self, *segments):
        self.segments = segments


def test_a_kernel_adds_up_the_segments_from_the_barycentre_to_the_body(monkeypatch):
    from jplephem.spk import SPK

    kernel = Kernel(
        Segment(0, 3, [1.0, 0.0, 0.0], [0.1, 0.0, 0.0]),
        Segment(3, 399, [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]),
        Segment(0, 4, [9.0, 9.0, 9.0], [1.0, 2.0, 3.0]),
    )
    monkeypatch.setattr(SPK, "open", lambda path: kernel)
    source = read_spk("own.bsp")
    assert set(source.bodies) == {"earth", "mars"}  # of Mars the barycentre
    days = np.array([0.0, 3.5])
    parabola = 0.01 * days[:, None] ** 2
    expected = 1e3 * (np.array([1.0, 2.0, 0.0]) + np.array([0.1, 0.0, 0.0]) * days[:, None] + 2.0 * parabola)
    assert source.position("earth", days * 86400.0) == pytest.approx(expected, abs=1e-9)
    table = ephemeris_table(Epoch("2000-01-02"), 86400.0, ["mars"], "earth", source)
    assert table.rows.shape == (5, 3)
    with pytest.raises(OutsideData, match=r"own.bsp covers 1999-12-23 to 2000-03-12"):
        ephemeris_table(Epoch("2001-01-02"), 86400.0, ["mars"], "earth", source)
    with pytest.raises(OutsideData, match=r"There is no `venus` in own.bsp"):
        source.position("venus", days)


def test_what_is_no_kernel_is_refused(tmp_path):
    (tmp_path / "no.bsp").write_bytes(b"nothing of the kind" * 100)
    for name in ("no.bsp", "missing.bsp"):
        with pytest.raises(DamagedData, match="cannot be read as a SPICE kernel of positions"):
            read_spk(tmp_path / name)


# ---- Earth orientation ---------------------------------------------------------------------------------------------


def test_earth_orientation_beyond_the_data_is_refused_unless_it_is_asked_for():
    with pytest.raises(OutsideData, match='let the last values hold: `predict="hold"`'):
        orientation_table(Epoch("2040-01-01"), 86400.0)
    with pytest.raises(OutsideData, match="The Earth orientation data cover 1973-01-02 to"):
        orientation_table(Epoch("1972-06-01"), 86400.0)
    held = orientation_table(Epoch("2040-01-01"), 86400.0, earth_data(predict="hold"))
    assert np.isfinite(held.rows).all()
    with pytest.raises(OutsideData, match='Use "refuse" or "hold"'):
        earth_data(predict="guess")
    with pytest.raises(OutsideData, match=r"A table over a run of -1.0 s cannot be made"):
        orientation_table(Epoch("2020-01-01"), -1.0)


def test_ut1_has_no_step_at_a_leap_second():
    data = earth_data()
    tai = Epoch("2016-12-31T12:00:00Z").seconds("TAI") + np.arange(0.0, 90000.0, 600.0)
    steps = np.diff(data.at(tai)[:, 2])
    assert np.abs(steps).max() < 2e-5  # [s] a day is a millisecond too long; a leap second would be 1 s


@pytest.mark.parametrize("text", ["", "no such format\n" * 50])
def test_a_file_that_is_none_is_refused(tmp_path, text):
    path = tmp_path / "finals"
    path.write_text(text)
    with pytest.raises(DamagedData, match=r"is not in the format of finals2000A.all"):
        earth_data(path)
    with pytest.raises(DamagedData, match="cannot be read"):
        earth_data(tmp_path / "missing")


# ---- gravity fields ------------------------------------------------------------------------------------------------

GFC = """modelname test
earth_gravity_constant 3.986004415D+14
radius 6378136.3
max_degree 2
norm fully_normalized
tide_system zero_tide
end_of_head
gfc 2 0 -4.84D-04 0.0
gfc 2 1 1e-10 2e-9
gfc 2 2 2.4e-06 -1.4e-06 0.0 0.0
"""


def test_a_gfc_file_is_read(tmp_path):
    path = tmp_path / "field.gfc"
    path.write_text(GFC)
    field = read_gfc(path)
    assert (field.degree, field.tide_system, field.mu, field.radius) == (2, "zero_tide", 3.986004415e14, 6378136.3)
    assert (field.C[0, 0], field.C[2, 0], field.S[2, 2]) == (1.0, -4.84e-4, -1.4e-6)
    assert pytest.approx(4.84e-4 * np.sqrt(5.0)) == field.J2
    assert read_gfc(path, degree=1).C.shape == (2, 2)


@pytest.mark.parametrize(
    "old, new, text",
    [
        ("radius 6378136.3\n", "", "it lacks 'radius'"),
        ("fully_normalized", "unnormalized", "has coefficients of norm `unnormalized`"),
        ("gfc 2 1 1e-10 2e-9\n", "", "has no finite coefficient of degree 2, order 1"),
        ("1e-10 2e-9", "1e-10", "cannot be read"),
        ("1e-10", "one", "cannot be read"),
        ("gfc 2 1", "gfct 2 1", "change with time"),
        ("gfc 2 2", "gfc 3 2", "cannot be read"),
    ],
)
def test_a_gfc_file_that_is_not_whole_is_refused(tmp_path, old, new, text):
    path = tmp_path / "field.gfc"
    path.write_text(GFC.replace(old, new))
    with pytest.raises(DamagedData) as caught:
        read_gfc(path)
    assert text in str(caught.value)


def test_degrees_beyond_the_file_are_refused():
    for degree in (121, -1, 2.5):
        with pytest.raises(OutsideData, match="EGM2008 as shipped has coefficients up to degree 120"):
            egm2008().check_degree(degree)
    with pytest.raises(DamagedData, match="cannot be read"):
        read_gfc(Path("/no/such/file.gfc"))
    assert egm2008().tide_system == "tide_free"
    assert egm2008().S[2, 2] == pytest.approx(-1.40027e-6, rel=1e-5)  # as published


def test_the_magnetic_field_is_not_extrapolated():
    for year in (1979.9, 2030.1):
        with pytest.raises(OutsideData, match="The shipped table of IGRF-14 covers 1980 to 2030"):
            igrf14(year)
