"""Epochs and time scales: leap seconds, texts, arithmetic, against ERFA."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan import Epoch
from cardan.errors import EpochError
from environment_reference import REFERENCE


@pytest.mark.parametrize("case", REFERENCE["time_scales"]["epochs"], ids=lambda case: case["utc"])
def test_all_scales_agree_with_erfa(case):
    epoch = Epoch(case["utc"])
    assert epoch.seconds("TAI") == case["tai_s_since_j2000"]
    assert epoch.seconds("TT") == case["tt_s_since_j2000"]
    # three terms of the series for TDB leave 30 us; of UT1 another release of the data has other microseconds
    assert epoch.seconds("TDB") == pytest.approx(case["tdb_s_since_j2000"], abs=5e-5)
    assert epoch.seconds("UT1") == pytest.approx(case["ut1_s_since_j2000"], abs=2e-3)


@pytest.mark.parametrize(
    "text, again",
    [
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:60Z"),
        ("2016-12-31T23:59:60.999999999", "2016-12-31T23:59:60.999999999Z"),
        ("2017-01-01", "2017-01-01T00:00:00Z"),
        ("2024-02-29 12:30", "2024-02-29T12:30:00Z"),
        ("1972-07-01T00:00:00.5", "1972-07-01T00:00:00.5Z"),
    ],
)
def test_what_is_written_is_read_again(text, again):
    assert Epoch(text).utc == again
    assert Epoch(Epoch(text).utc) == Epoch(text)


@given(st.integers(-800_000_000_000_000_000, 1_800_000_000_000_000_000))
def test_every_instant_has_a_text_of_its_own(nanoseconds):
    epoch = Epoch.from_tt(nanoseconds)
    assert Epoch(epoch.utc) == epoch


def test_a_leap_second_counts_in_differences_and_not_in_utc():
    before, after = Epoch("2016-12-31T23:59:59Z"), Epoch("2017-01-01T00:00:00Z")
    assert after - before == 2.0
    assert (before + 1.0).utc == "2016-12-31T23:59:60Z"
    assert (after - 1.0).utc == "2016-12-31T23:59:60Z"
    assert before < after
    shown = before.utc_at([0.0, 1.0, 2.0, 2.25])
    expected = ["2016-12-31T23:59:59", "2017-01-01T00:00:00", "2017-01-01T00:00:00", "2017-01-01T00:00:00.25"]
    assert np.array_equal(shown, np.array(expected, dtype="datetime64[ns]"))


def test_scales_differ_by_their_definitions():
    assert Epoch("2024-01-01T00:00:37", scale="TAI") == Epoch("2024-01-01T00:00:00Z")
    assert Epoch("2024-01-01T00:01:09.184", scale="TT") == Epoch("2024-01-01T00:00:00Z")
    moved = Epoch("2024-01-01T00:01:09.184", scale="TDB") - Epoch("2024-01-01T00:00:00Z")
    assert 0.0 < abs(moved) < 2e-3
    day, fraction = Epoch("2000-01-01T12:00:00", scale="TT").julian_date()
    assert (day, fraction) == (2451544.5, 0.5)
    assert Epoch("2024-07-02T00:00:00Z").decimal_year == pytest.approx(2024.5, abs=1e-12)


@pytest.mark.parametrize(
    "arguments, text",
    [
        (("2023-02-29",), "`2023-02-29`: there is no such day"),
        (("2023-13-01",), "`2023-13-01`: there is no such day"),
        (("2024-01-01T24:00:00",), "there is no such time of day"),
        (("2024-01-01T12:61:00",), "there is no such time of day"),
        (("2023-12-31T23:59:60Z",), "UTC has no leap second at the end of this day"),
        (("2016-12-31T23:59:60", "TT"), "TT has no leap second at the end of this day"),
        (("2024-01-01Z", "TT"), "ends with Z, which is UTC, but the scale is TT"),
        (("yesterday",), "'yesterday' is no date and time.\n  Write it as 2024-03-20T03:06:24.5Z"),
        ((20240101,), "20240101 is no date and time"),
        (("1960-01-01",), "UTC before 1972 ran at another rate than TAI"),
        (("2024-01-01", "GPS"), "An epoch cannot be given in the time scale 'GPS'."),
        (("2024-01-01", "tdb"), "Did you mean `TDB`?"),
    ],
)
def test_what_does_not_exist_is_refused(arguments, text):
    with pytest.raises(EpochError) as caught:
        Epoch(*arguments)
    assert text in str(caught.value)


def test_unknown_scales_are_refused():
    epoch = Epoch("2024-01-01")
    with pytest.raises(EpochError, match="There is no time scale 'GPS'"):
        epoch.seconds("GPS")
    with pytest.raises(EpochError, match="A Julian date is given in TT, TAI or TDB, not in 'UT1'"):
        epoch.julian_date("UT1")
    with pytest.raises(EpochError, match="UTC before 1972"):
        _ = Epoch("1960-01-01", "TT").utc


def spring(epoch):
    from cardan.models import MassSpringDamper

    scn = cd.Scenario("spring", epoch=epoch)
    scn.add(MassSpringDamper(mass=1.0, stiffness=1.0), name="mass")
    return cd.Simulation(scn, integrator=cd.Rk4(step=0.5)).run(until=2.0, record=cd.Record(every=1.0))


@pytest.mark.filterwarnings("ignore::cardan.errors.LooseEnds")
def test_a_log_knows_utc_if_its_scenario_has_an_epoch(tmp_path):
    log = spring("2016-12-31T23:59:59Z")
    assert log.epoch == Epoch("2016-12-31T23:59:59Z")
    assert str(log.utc[-1]) == "2017-01-01T00:00:00.000000000"
    data = log.to_xarray()
    assert data.attrs["epoch"] == "2016-12-31T23:59:59Z"
    assert np.array_equal(data.coords["utc"].values, log.utc)
    again = cd.load_log(log.save(tmp_path / "run.nc"))
    assert np.array_equal(again.utc, log.utc)


@pytest.mark.filterwarnings("ignore::cardan.errors.LooseEnds")
def test_a_log_without_an_epoch_says_so():
    with pytest.raises(cd.CardanError, match="The scenario has no epoch, so its log knows no UTC"):
        _ = spring(None).utc


def test_a_scenario_shows_its_epoch():
    assert "epoch 2024-03-20T03:06:24Z" in str(cd.Scenario("empty", epoch=Epoch("2024-03-20T03:06:24Z")))
