"""The Earth's main magnetic field: IGRF-14."""

import numpy as np

from cardan.ephemeris.data_files import load_data
from cardan.ephemeris.harmonics import HarmonicField
from cardan.errors import OutsideData

RADIUS = 6371200.0  # [m] reference radius of the IGRF


def igrf14(decimal_year: float) -> HarmonicField:
    """IGRF-14 to degree 13 at an instant, linear between its epochs every five years; C and S are in tesla.

    A series that the harmonic kernel takes: Schmidt's coefficients are divided by sqrt(2 n + 1), and with the field as
    the negative gradient of its potential, `mu` is - R^2. IAGA, doi 10.5281/zenodo.14012302.

    Raises:
        OutsideData: Before 1980, which is where the shipped table begins, or after 2030, where IGRF-14 ends.
    """
    data = load_data("igrf14.npz")
    years = data["years"]
    if not years[0] <= decimal_year <= years[-1]:
        raise OutsideData(
            f"The shipped table of IGRF-14 covers {years[0]:.0f} to {years[-1]:.0f}; {decimal_year:.3f} is outside."
        )
    C, S = np.zeros((14, 14)), np.zeros((14, 14))
    for (n, m), row in zip(data["degree_order"].astype(int), data["coefficients_nT"], strict=True):
        value = 1e-9 * np.interp(decimal_year, years, row) / np.sqrt(2.0 * n + 1.0)
        (C if m >= 0 else S)[n, abs(m)] = value
    return HarmonicField(C, S, mu=-(RADIUS**2), radius=RADIUS, source="IGRF-14")
