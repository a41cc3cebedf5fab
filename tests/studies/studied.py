"""Small studies that tests share: `hello` for a few seconds."""

from typing import Any

import numpy as np

import cardan as cd
from cardan.fsw import LinePid
from cardan.messages import LineMotion
from cardan.models import MassSpringDamper
from cardan.studies import Study

VARIED = {
    "ctl.K": "normal(10%)",
    "body.inertia_B": "normal(5%)",
    "body.state.omega_BN_B": "unit_vector(uniform(0, 0.05))",
}


def small(runs: int = 12, **options: Any) -> Study:
    """`hello` for 20 s; its study is done in a tenth of a second."""
    given: dict[str, Any] = {"seed": 3, "until": 20.0, "limits": {"attitude error at the end": "<= 80"}} | options
    disperse = given.pop("disperse", VARIED)
    return Study("hello", disperse, runs=runs, **given)


def sprung(mass: float = 2.0, kind: str = "soft") -> cd.Scenario:
    """A mass on a spring, built with arguments that may vary."""
    scn = cd.Scenario("sprung")
    plant = scn.add(MassSpringDamper(mass=mass, stiffness=8.0 if kind == "soft" else 80.0), name="plant")
    target = LineMotion(position=1.0, velocity=0.0)
    pid = scn.add(LinePid(K_p=40.0, K_d=12.0), name="pid", every=0.1, motion=plant.motion, reference=target)
    scn.connect(pid.command, plant.drive)
    return scn


def last_position(log: cd.Log) -> float:
    return float(log["plant.state"].position[-1])


def fails_for_heavy(log: cd.Log) -> float:
    """Raises where the mass is large."""
    mass = np.asarray(log.about["parts"]["plant"]["parameters"]["mass"]["value"])
    if mass > 2.0:
        raise ValueError("too heavy to judge")
    return float(mass)


def ends_badly(log: cd.Log) -> float:
    """Ends the process where the mass is large, never ends where it is larger."""
    import os
    import signal
    import time

    mass = log.about["parts"]["plant"]["parameters"]["mass"]["value"]
    if 2.9 < mass < 3.9:
        os.kill(os.getpid(), signal.SIGKILL)
    while mass > 3.9:
        time.sleep(0.1)
    return 0.0
