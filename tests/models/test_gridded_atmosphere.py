import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import ImpossibleValue, OutsideData
from cardan.messages import FrameMotion


def table():
    """Ln rho that is linear in each coordinate: the table must give it back exactly."""
    time, height = np.array([0.0, 100.0, 200.0]), np.array([4e5, 5e5])
    latitude = np.linspace(-np.pi / 2, np.pi / 2, 3)
    t, h, phi, hour = np.meshgrid(time, height, latitude, np.arange(4), indexing="ij")
    values = -30.0 + 0.01 * t - 1e-5 * (h - 4e5) + 0.3 * phi + 0.1 * hour
    return models.GriddedAtmosphere(time, height, latitude, 4, 0.0, values.reshape(6, 12))


def ln_density(part, t, longitude, height=4.5e5):
    r = 6378137.0 + height
    motion = FrameMotion(r_BN_N=np.array([r * np.cos(longitude), r * np.sin(longitude), 0.0]))
    return float(np.log(part.air(t, motion, models.planet_at_rest()).density))


def test_between_its_lines_it_is_linear_and_goes_round_midnight():
    part = table()
    hour = 0.7 + 4.0 * 60.0 / 86400.0
    assert ln_density(part, 60.0, 0.7 / 4.0 * 2.0 * np.pi) == pytest.approx(-30.0 + 0.6 - 0.5 + 0.1 * hour, abs=1e-9)
    # between hour 3 and hour 0 of the next day
    assert ln_density(part, 0.0, 3.5 / 4.0 * 2.0 * np.pi) == pytest.approx(-30.5 + 0.15, abs=1e-9)


@pytest.mark.parametrize("t, height", [(-1.0, 4.5e5), (201.0, 4.5e5), (50.0, 3.9e5), (50.0, 5.1e5)])
def test_outside_of_its_table_there_is_no_density(t, height):
    assert np.isnan(ln_density(table(), t, 0.3, height))


def test_tables_that_cannot_be_are_refused():
    epoch = cd.Epoch("2024-01-01")
    with pytest.raises(OutsideData, match="Give two between 80 and 1000 km, the lower first"):
        models.gridded_atmosphere(epoch, 1e4, (500.0, 400.0))
    with pytest.raises(OutsideData, match="A table over a run of -1"):
        models.gridded_atmosphere(epoch, -1.0, (400.0, 500.0))
    with pytest.raises(ImpossibleValue, match="a row for each time and height"):
        table()._replace(hours=5)
