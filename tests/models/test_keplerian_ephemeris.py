import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan.celestial import EARTH
from cardan.errors import ImpossibleValue
from cardan.models import KeplerianEphemeris

MU = EARTH.mu


def ephemeris(**elements: float) -> KeplerianEphemeris:
    usual = {"a": 1.0e7, "e": 0.0, "i": 0.0, "Omega": 0.0, "omega": 0.0, "M_0": 0.0, "period": 1.0e4} | elements
    return KeplerianEphemeris(**{name: [value] for name, value in usual.items()})


angles = st.floats(-7.0, 7.0)


@given(e=st.floats(0.0, 0.9), M=angles, i=angles, Omega=angles, omega=angles)
def test_positions_are_those_of_the_orbital_elements(e, M, i, Omega, omega):
    # an eccentric anomaly that solves Kepler's equation, found by halving
    low, high = M - 1.0, M + 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if middle - e * np.sin(middle) < M else (low, middle)
    f = 2.0 * np.arctan2(np.sqrt(1.0 + e) * np.sin(0.5 * low), np.sqrt(1.0 - e) * np.cos(0.5 * low))
    expected = cd.orbit(a=1.0e7, e=e, i=i, Omega=Omega, omega=omega, f=f).r_BN_N
    r_BN_N = ephemeris(e=e, M_0=M, i=i, Omega=Omega, omega=omega).positions(0.0).r_BN_N[0]
    # near periapsis at e = 0.9 an error of M grows by 10: 7 rad, 1e-16, 1e7 m
    assert r_BN_N == pytest.approx(expected, abs=1e-6)


@given(e=st.floats(0.0, 0.9), M=st.floats(-np.pi, np.pi))
def test_newtons_method_reaches_rounding(e, M):
    """The anomaly that the position shows solves Kepler's equation."""
    x, y, _ = ephemeris(e=e, M_0=M).positions(0.0).r_BN_N[0] / 1.0e7
    E = np.arctan2(y / np.sqrt(1.0 - e**2), x + e)
    assert np.sin(E - e * np.sin(E) - M) == pytest.approx(0.0, abs=4e-15)


def test_time_moves_a_body_by_its_period():
    part = ephemeris(e=0.3, i=0.4, Omega=0.5, omega=0.6, M_0=0.7, period=250.0)
    r_0 = part.positions(0.0).r_BN_N
    assert part.positions(2500.0).r_BN_N == pytest.approx(r_0, abs=1e-6)
    quarter = ephemeris(e=0.3, i=0.4, Omega=0.5, omega=0.6, M_0=0.7 + 0.5 * np.pi, period=250.0)
    assert part.positions(62.5).r_BN_N == pytest.approx(quarter.positions(0.0).r_BN_N, abs=1e-6)


def test_a_period_that_belongs_to_the_axis_obeys_newton():
    a, step = 1.0e7, 1.0
    part = ephemeris(a=a, e=0.2, i=0.4, M_0=0.7, period=2.0 * np.pi * np.sqrt(a**3 / MU))
    before, now, after = (part.positions(t).r_BN_N[0] for t in (-step, 0.0, step))
    acceleration = (after - 2.0 * now + before) / step**2
    # the second difference has an error of 1e-9 m / s^2 from rounding, and of 1e-6 of itself from its step
    assert acceleration == pytest.approx(-MU * now / np.linalg.norm(now) ** 3, abs=2e-6)


def test_a_body_with_an_axis_of_zero_stays_at_the_origin_without_a_period():
    part = KeplerianEphemeris(a=[0.0, 1.0e7], e=[0.0, 0.0], i=[0.0, 0.0], Omega=[0.0, 0.0], omega=[0.0, 0.0],
                              M_0=[0.0, 0.0], period=[0.0, 100.0])  # fmt: skip
    for t in (0.0, 25.0):
        assert part.positions(t).r_BN_N[0].tolist() == [0.0, 0.0, 0.0]
    assert part.positions(25.0).r_BN_N[1] == pytest.approx([0.0, 1.0e7, 0.0], abs=1e-8)


@pytest.mark.parametrize("short", [name for name in KeplerianEphemeris._fields if name != "a"])
def test_lists_of_different_lengths_are_refused(short):
    three = {name: [0.5, 0.5, 0.5] for name in KeplerianEphemeris._fields}
    for length in (1, 2):
        with pytest.raises(ImpossibleValue, match=rf"^`KeplerianEphemeris\.{short}` must be one per entry of `a`"):
            KeplerianEphemeris(**three | {short: [0.5] * length})


@pytest.mark.parametrize("period", [0.0, -1.0])
def test_only_a_body_that_stays_has_no_period(period):
    numbers = {name: [0.5] for name in KeplerianEphemeris._fields} | {"period": [period]}
    with pytest.raises(ImpossibleValue, match="must be positive for every body that moves"):
        KeplerianEphemeris(**numbers)
    KeplerianEphemeris(**numbers | {"a": [0.0]})
