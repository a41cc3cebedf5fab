"""What differs between two logs."""

from textwrap import dedent

import numpy as np
import pytest

import cardan as cd
from cardan.errors import SettingError
from cardan.maths import quaternion_from_mrp
from cardan.missions import hello
from cardan.simulation.log import FieldLog, Log
from errors.conftest import refused

T = np.arange(5) * 0.5


def log(t: np.ndarray = T, about: dict | None = None, **fields: tuple[np.ndarray, str]) -> Log:
    """A log of fields `a__b__c` for `a.b.c`, each with values and unit."""
    return Log(
        t,
        [FieldLog(name.replace("__", "."), t, np.asarray(v), unit, "") for name, (v, unit) in fields.items()],
        {} if about is None else about,
    )


def vectors(change: float = 0.0) -> np.ndarray:
    values = np.arange(15.0).reshape(5, 3)
    values[2, 1] += change
    return values


def test_a_log_is_as_itself():
    one = log(a__b__c=(vectors(), "m"), a__b__n=(np.arange(5), "-"))
    same = one.compare(log(a__b__c=(vectors(), "m"), a__b__n=(np.arange(5), "-")))
    assert same.agree()
    assert same.different() == []
    assert same.fields["a.b.c"].largest == 0.0 and same.fields["a.b.c"].t is None
    assert str(same) == "2 fields compared at 5 times\nall fields are the same"


def test_the_largest_difference_is_found_with_its_time_and_place():
    found = log(a__b__c=(vectors(), "m")).compare(log(a__b__c=(vectors(0.25), "m")))
    field = found.fields["a.b.c"]
    assert (field.largest, field.unit, field.t, field.place, field.values) == (0.25, "m", 1.0, (1,), (7.0, 7.25))
    assert field.relative == 0.25 / 14.0
    assert not found.agree()
    assert not found.agree(0.25 / 14.1) and found.agree(0.25 / 13.9)
    assert not found.agree(absolute=0.24) and found.agree(absolute=0.25)


def test_what_differs_most_comes_first_in_the_table():
    about = [{"seed": 1, "parts": {"ctl": {"K": {"value": value}}}} for value in (3.5, (7.0, 1.0))]
    one = log(about=about[0], a__b__c=(vectors(), "m"), a__b__x=(np.ones(5), "N m"), a__b__y=(np.ones(5), "-"))
    x = np.array([1.0, 1.0, 1.0, 1.0, 3.0])
    other = log(about=about[1], a__b__c=(vectors(0.25), "m"), a__b__x=(x, "N m"), a__b__y=(np.ones(5), "-"))
    assert (
        str(one.compare(other))
        == dedent(
            """
        3 fields compared at 5 times
        field     largest difference  relative  at   first  second
        a.b.x     2 N m               0.667     2 s  1      3
        a.b.c[1]  0.25 m              0.0179    1 s  7      7.25
        the other field is the same
        made otherwise:
          parts.ctl.K.value: 3.5 and [7.0, 1.0]
        """
        ).strip()
    )


def test_fields_of_one_log_only_and_other_shapes_and_units_are_named():
    one = log(a__b__c=(vectors(), "m"), a__b__d=(np.ones(5), "m"), a__b__e=(np.ones(5), "m"))
    other = log(a__b__c=(np.ones(5), "m"), a__b__d=(np.ones(5), "km"), a__b__f=(np.ones(5), "m"))
    found = one.compare(other)
    assert (found.only_in_first, found.only_in_second) == (("a.b.e",), ("a.b.f",))
    assert [tuple(changed) for changed in found.unlike] == [
        ("a.b.c", "3 [m]", "a number [m]"),
        ("a.b.d", "a number [m]", "a number [km]"),
    ]
    assert found.fields == {}
    assert not found.agree(1.0, absolute=1e9)
    assert "only in the first: a.b.e\nonly in the second: a.b.f\nunlike: a.b.c: 3 [m] and a number [m]" in str(found)


class TestTimes:
    """One log has samples at 0, 0.5, 1, 1.5, 2 s, the other at 0, 0.4, ... 1.6 s of the same line."""

    @pytest.fixture
    def logs(self) -> tuple[Log, Log]:
        t = np.array([0.0, 0.4, 0.8, 1.0, 1.6])
        return log(a__b__c=(3.0 * T, "m")), log(t=t, a__b__c=(3.0 * t, "m"))

    def test_other_times_are_a_difference(self, logs):
        found = logs[0].compare(logs[1])
        assert found.t.tolist() == [0.0, 1.0]
        assert (found.times_only_in_first, found.times_only_in_second) == (3, 3)
        assert found.fields["a.b.c"].largest == 0.0
        assert not found.agree(1.0)
        assert str(found).startswith("1 field compared at 2 times; 3 more in the first, 3 more in the second\n")

    def test_common_times_may_suffice(self, logs):
        assert logs[0].compare(logs[1], times="common").agree()
        apart = logs[0].compare(log(t=T + 0.1, a__b__c=(T, "m")), times="common")
        assert len(apart.t) == 0
        assert not apart.agree(1.0)

    def test_samples_are_interpolated_where_that_is_asked(self, logs):
        found = logs[0].compare(logs[1], times="interpolated")
        assert found.t.tolist() == [0.0, 0.5, 1.0, 1.5]
        assert found.times_only_in_first == 1
        assert found.agree(1e-15)

    def test_whole_numbers_and_truths_are_held(self):
        first = log(a__b__n=(np.array([1, 1, 2, 2, 3]), "-"), a__b__is_on=(np.array([0, 0, 1, 1, 0], bool), "-"))
        second = log(
            t=np.array([0.0, 1.0, 2.0]),
            a__b__n=(np.array([1, 2, 3]), "-"),
            a__b__is_on=(np.array([0, 1, 0], bool), "-"),
        )
        assert first.compare(second, times="interpolated").agree()

    def test_attitudes_are_interpolated_as_rotations(self):
        """A turn at a constant rate; MRPs jump at 180 deg, and a line between them would pass through zero."""
        t = np.linspace(0.0, 10.0, 1001)
        half = 0.25 * t
        q = np.stack([np.cos(half), np.sin(half), 0.0 * half, 0.0 * half], axis=1)
        sigma = np.where(half <= np.pi / 2, np.tan(half / 2), np.tan(half / 2 - np.pi / 2))[:, None] * [1.0, 0.0, 0.0]
        first = log(t=t, a__b__q_BN=(q, "-"), a__b__sigma_BN=(sigma, "-"))
        second = log(t=t[::10], a__b__q_BN=(q[::10], "-"), a__b__sigma_BN=(sigma[::10], "-"))
        # quaternions of samples are 0.025 rad apart: along the chord the angle is off by less than the cube of that
        assert first.compare(second, times="interpolated").agree(absolute=0.025**3)


def test_both_signs_of_a_quaternion_are_one_attitude():
    q = np.array([quaternion_from_mrp(np.array([0.1, 0.2, 0.1 * i])) for i in range(5)])
    other = q * np.array([1.0, -1.0, 1.0, -1.0, -1.0])[:, None]
    assert log(a__b__q_BN=(q, "-")).compare(log(a__b__q_BN=(other, "-"))).agree()
    assert not log(a__b__q_B=(q, "-")).compare(log(a__b__torques=(other, "-"))).agree()
    # a field of four numbers with another name has its signs
    assert not log(a__b__values=(q, "-")).compare(log(a__b__values=(other, "-"))).agree(0.5)


def test_both_sets_of_mrps_are_one_attitude():
    sigma = np.array([[0.0, 0.0, 0.0], [0.1, 0.2, 0.3], [1.0, 0.0, 0.0], [0.6, -0.6, 0.53], [0.0, 0.0, 1e-3]])
    square = np.sum(sigma**2, axis=1)[:, None]
    shadow = np.where(square > 0.0, -sigma / np.where(square > 0.0, square, 1.0), sigma)
    found = log(a__b__sigma_BN=(sigma, "-")).compare(log(a__b__sigma_BN=(shadow, "-")))
    assert found.agree(1e-15)


def test_a_number_that_is_none_differs_from_any_other():
    nan = log(a__b__c=(np.array([1.0, np.nan, 2.0, np.inf, 0.0]), "m"))
    assert nan.compare(nan).agree()
    found = nan.compare(log(a__b__c=(np.array([1.0, 1.0, 2.0, np.inf, 0.0]), "m")))
    assert found.fields["a.b.c"].largest == np.inf
    assert not found.agree(1e9, absolute=1e300)


def test_whole_numbers_that_a_float_cannot_tell_apart_differ():
    big = np.full(5, 2**60)
    assert not log(a__b__n=(big, "-")).compare(log(a__b__n=(big + 1, "-"))).agree()


def test_a_log_without_samples_is_as_itself_and_as_no_other():
    empty = log(t=np.zeros(0), a__b__c=(np.zeros((0, 3)), "m"))
    assert empty.compare(empty).agree()
    for times in ("same", "common", "interpolated"):
        assert not log(a__b__c=(vectors(), "m")).compare(empty, times=times).agree(1.0)


def test_a_saved_log_agrees_with_what_was_saved_and_a_changed_run_does_not(tmp_path):
    sim = cd.Simulation(hello.build(), integrator=cd.Rk4(step=0.1), jit=False)
    first = sim.run(until=5.0)
    loaded = cd.load_log(first.save(tmp_path / "run.nc"))
    assert first.compare(loaded).agree()
    assert first.compare(loaded).about == ()

    scn = hello.build()
    scn.set("ctl.K", 7.0)
    found = first.compare(cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=False).run(until=5.0))
    assert not found.agree(1e-3)
    assert [tuple(changed) for changed in found.about] == [("parts.ctl.parameters.K.value", 3.5, 7.0)]


def test_what_is_no_log_cannot_be_compared():
    one = log(a__b__c=(vectors(), "m"))
    with refused(SettingError, "'run.nc' is not a log.\n  Read a file with `cardan.load_log(path)`."):
        one.compare("run.nc")
    with refused(SettingError, "times = 'all'.\n  Use one of 'same', 'common', 'interpolated'."):
        one.compare(one, times="all")
    with refused(SettingError, "agree(tolerance=-1.0): a tolerance is a finite number that is not negative."):
        one.compare(one).agree(-1.0)
    with refused(SettingError, "agree(absolute=nan): a tolerance is a finite number that is not negative."):
        one.compare(one).agree(absolute=float("nan"))
