import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import OutsideData
from cardan.maths import dcm_from_mrp
from cardan.messages import FrameMotion
from environment_reference import REFERENCE

CASES = REFERENCE["magnetic_field"]["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["date"] + str(case["r_P_m"][0]))
def test_it_agrees_with_the_iaga_coefficients_in_another_program(case):
    part = models.magnetic_field(cd.Epoch(case["date"]), 2.0)
    field = part.magnetism(FrameMotion(r_BN_N=np.array(case["r_P_m"])), models.planet_at_rest()).field_N
    is_table_epoch = case["date"][4:10] == "-01-01" and int(case["date"][:4]) % 5 == 0
    # between the epochs, ppigrf interpolates in days, IAGA says decimal years
    assert field == pytest.approx(case["field_P_T"], abs=1e-12 if is_table_epoch else 3e-10)


def test_the_field_turns_with_the_planet():
    part = models.magnetic_field(cd.Epoch("2024-01-01"), 86400.0)
    dcm_PN, r_P = dcm_from_mrp(np.array([0.1, 0.2, 0.3])), np.array([4e6, 5e6, 2e6])
    still = part.magnetism(FrameMotion(r_BN_N=r_P), models.planet_at_rest()).field_N
    turned = part.magnetism(FrameMotion(r_BN_N=dcm_PN.T @ r_P), models.planet_at_rest(dcm_PN)).field_N
    assert dcm_PN @ turned == pytest.approx(still, rel=1e-13)


def test_times_and_degrees_beyond_the_table_are_refused():
    with pytest.raises(OutsideData, match="covers 1980 to 2030"):
        models.magnetic_field(cd.Epoch("2029-12-31"), 1e6)
    with pytest.raises(OutsideData, match="IGRF-14 has coefficients up to degree 13; degree 14 was asked for"):
        models.magnetic_field(cd.Epoch("2024-01-01"), 1e6, degree=14)
    with pytest.raises(OutsideData, match="A field over a run of 0 s cannot be made"):
        models.magnetic_field(cd.Epoch("2024-01-01"), 0)
