"""Checks of indices can be switched off for a run, by the environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BEYOND = '''
from typing import Annotated, NamedTuple

import numpy as np

import cardan as cd
from parts import Number, RelayOutputs


@cd.task
class Beyond(NamedTuple):
    """Reads the number after its last, which is another parameter's."""

    rate_B: Annotated[cd.Vec3, "-"] = np.array([1.0, 2.0, 3.0])
    after: Annotated[float, "-"] = 4.0

    def step(self, t: float) -> RelayOutputs:
        return RelayOutputs(Number(self.rate_B[3 + int(t)]))


scn = cd.Scenario()
part = scn.add(Beyond(), name="part", every=1.0)
scn.leave_open(part.signal)
try:
    print(cd.Simulation(scn).run(until=0.5)["part.signal"].value[0])
except IndexError as error:
    print(error)
'''


@pytest.mark.parametrize(
    ("setting", "said"), [("1", "index 3 is out of bounds for axis 0 with size 3"), ("0", "4.0")], ids=["on", "off"]
)
def test_numba_s_own_setting_says_whether_indices_are_checked(setting, said, tmp_path):
    script = tmp_path / "beyond.py"
    script.write_text(BEYOND)
    folders = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    ran = subprocess.run(
        [sys.executable, script], env=os.environ | {"NUMBA_BOUNDSCHECK": setting, "PYTHONPATH": folders},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.strip() == said
