"""The vehicles of the missions, as MJCF files."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

from cardan.errors import UnknownName, did_you_mean
from cardan.maths import Vec3
from cardan.mechanism import Flyer, Mechanism, flyer_of

FLYERS = ("astrobee", "sprint", "cubesat")


class Port(NamedTuple):
    """A docking port of a station.

    Attributes:
        name: What it is called.
        r_PN_N: [m] Where it is, in inertial components.
        axis_N: [-] Unit vector outwards, along which vehicles approach, in inertial components.
    """

    name: str
    r_PN_N: Vec3
    axis_N: Vec3


def vehicle(file: str) -> Path:
    """Where the file of a vehicle lies."""
    return Path(__file__).parent / file


def add_flyer(mechanism: Mechanism, kind: str, *, name: str, r_BN_N: Any = (0.0, 0.0, 0.0)) -> Flyer:
    """Put a free flyer into a mechanism: its elements are found under `name/`.

    Args:
        mechanism: The mechanism; not compiled yet.
        kind: "astrobee", "sprint" or "cubesat".
        name: The scope of its names; the body is `name/kind`.
        r_BN_N: [m] Where it is drawn, in inertial components.
    """
    if kind not in FLYERS:
        raise UnknownName(
            f"There is no free flyer `{kind}`.{did_you_mean(kind, FLYERS)}\n  flyers: {', '.join(FLYERS)}"
        )
    mechanism.attach(Mechanism.from_mjcf(vehicle(f"{kind}.xml")), name=name, r_BP_P=r_BN_N)
    return flyer_of(mechanism, f"{name}/{kind}")


def gateway() -> Mechanism:
    """A station like NASA's Gateway, fixed in the world; flyers can be added to it."""
    return Mechanism.from_mjcf(vehicle("gateway.xml"))


def inspected() -> Mechanism:
    """A small satellite that flies freely, `target`; flyers can be added to it."""
    return Mechanism.from_mjcf(vehicle("inspected.xml"))


@cache
def ports() -> dict[str, Port]:
    """The docking ports of the gateway by name; those between two modules lie inside the station."""
    model = gateway().model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    frames = [(str(model.site(i).name), data.site_xpos[i], data.site_xmat[i].reshape(3, 3)) for i in range(model.nsite)]
    return {name: Port(name, np.array(r_N), np.round(dcm_NS[:, 2], 12)) for name, r_N, dcm_NS in frames}


def port(name: str) -> Port:
    """A docking port of the gateway."""
    if name not in ports():
        raise UnknownName(
            f"The gateway has no port `{name}`.{did_you_mean(name, ports())}\n  ports: {', '.join(ports())}"
        )
    return ports()[name]
