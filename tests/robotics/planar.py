"""A base with two links in a plane."""

import numpy as np

import cardan as cd


def planar(base_mass: float = 40.0, limited: bool = False) -> cd.Mechanism:
    m = cd.Mechanism("planar")
    base = m.add_body("base", joint=cd.Free(), mass=base_mass, inertia_B=base_mass / 6.0 * np.eye(3))
    upper = m.add_body(
        "upper",
        parent=base,
        joints={"shoulder": cd.Hinge([0, 0, 1.0])},
        mass=4.0,
        inertia_B=np.eye(3) / 3.0,
        r_BP_P=[0.5, 0, 0],
        r_CB_B=[0.5, 0, 0],
    )
    lower = m.add_body(
        "lower",
        parent=upper,
        joints={"elbow": cd.Hinge([0, 0, 1.0])},
        mass=3.0,
        inertia_B=np.eye(3) / 4.0,
        r_BP_P=[1.0, 0, 0],
        r_CB_B=[0.5, 0, 0],
    )
    m.add_site("tip", lower, r_SB_B=[1.0, 0, 0])
    return m
