"""Random numbers: the published generator, its distribution, and its independence."""

import numpy as np
import pytest
from scipy import stats

from cardan.maths import RandomKey, normal, stream_of, uniform
from cardan.maths.random import _threefry


@pytest.mark.parametrize(
    ("key", "counter", "expected"),
    [
        (0x00000000, 0x00000000, (0x6B200159, 0x99BA4EFE)),
        (0xFFFFFFFF, 0xFFFFFFFF, (0x1CB996FC, 0xBB002BE7)),
    ],
)
def test_threefry_gives_the_known_answers_of_random123(key, counter, expected):
    assert _threefry(key, key, counter, counter) == expected


def test_uniform_numbers_are_uniform():
    values = np.concatenate([uniform(RandomKey(stream_of(1, "part"), tick), 10) for tick in range(2000)])
    assert values.min() > 0.0
    assert values.max() < 1.0
    assert stats.kstest(values, "uniform").pvalue > 0.01


def test_normal_numbers_are_normal():
    values = np.concatenate([normal(RandomKey(stream_of(1, "part"), tick), 10) for tick in range(2000)])
    assert stats.kstest(values, "norm").pvalue > 0.01


def test_neighbours_in_place_and_in_time_are_uncorrelated():
    table = np.array([normal(RandomKey(stream_of(0, "gyro"), tick), 3) for tick in range(5000)])
    together = np.corrcoef(np.hstack([table[:-1], table[1:]]).T) - np.eye(6)
    # the correlation of 5000 independent pairs has a standard deviation of 0.014
    assert np.abs(together).max() < 0.05


def test_streams_differ_by_seed_and_name():
    assert len({stream_of(seed, name) for seed in range(50) for name in ("a", "b", "nav", "nav2")}) == 200
