"""A spacecraft with a three-joint arm, and numbers that the MATLAB toolkit SPART gives for it.

The vehicle is SPART's example SC_3DoF; the numbers were computed with SPART (NPS-SRL/SPART, commit 1365c7e) and are in
`sc3dof.json` beside this file.
"""

import json
from pathlib import Path

import numpy as np

import cardan as cd

NUMBERS = json.loads((Path(__file__).parent / "sc3dof.json").read_text())
LINKS = ("Link_0", "Link_1", "Link_2", "Link_3", "Link_EE")


def spacecraft() -> cd.Mechanism:
    m = cd.Mechanism("SC_3DoF")
    hub = m.add_body("Spacecraft", joint=cd.Free(), mass=100.0, inertia_B=9.3 * np.eye(3))
    mount = m.add_body(
        "Link_0", parent=hub, mass=5.0, inertia_B=0.05 * np.eye(3), r_CB_B=[0, 0, 0.125], r_BP_P=[0, 0, 0.375]
    )
    shoulder = m.add_body(
        "Link_1",
        parent=mount,
        joints={"Joint_1": cd.Hinge([0, 0, 1])},
        mass=5.0,
        inertia_B=0.05 * np.eye(3),
        r_CB_B=[0, 0, 0.1],
        r_BP_P=[0, 0, 0.25],
    )
    upper = m.add_body(
        "Link_2",
        parent=shoulder,
        joints={"Joint_2": cd.Hinge([1, 0, 0])},
        mass=10.0,
        inertia_B=0.1 * np.eye(3),
        r_CB_B=[0, 0, 0.375],
        r_BP_P=[0, 0, 0.2],
    )
    lower = m.add_body(
        "Link_3",
        parent=upper,
        joints={"Joint_3": cd.Hinge([1, 0, 0])},
        mass=10.0,
        inertia_B=0.1 * np.eye(3),
        r_CB_B=[0, 0, 0.375],
        r_BP_P=[0, 0, 0.75],
    )
    m.add_body("Link_EE", parent=lower, r_BP_P=[0, 0, 0.75])
    return m
