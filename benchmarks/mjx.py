"""MJX beside Cardan: the same free flyer with the same policy inside, on this CPU (needs `make bench-peers`)"""

import sys
from collections.abc import Iterator

import numpy as np

import cardan as cd
from benchmarks.goal import Goal
from benchmarks.learning import STEP, rate_of
from benchmarks.peer_process import has_peer, told_by
from cardan.learning.networks import new_layers
from cardan.missions import vehicle

MEMBERS, STEPS = (128, 512, 2048), 64


def measure() -> Iterator[Goal]:
    """SmallSatSim's Table III has 3.97e3 and 4.37e4 steps per second for 128 and 2048 on an A100, with MJX."""
    if not has_peer("mujoco.mjx"):
        print("  (no MJX: `make bench-peers` sets it up)", file=sys.stderr)
        return
    theirs = mjx()
    for members in MEMBERS:
        ours = rate_of(cd.ExplicitEuler(step=STEP), members)
        yield Goal(f"explicit Euler, {members} environments, MJX: steps", theirs[members], "1/s", 0.0, True)
        yield Goal(
            f"explicit Euler, {members} environments, Cardan over MJX", ours / theirs[members], "times", 5.0, True
        )


def mjx() -> dict[int, float]:
    """Steps per second by the number of environments."""
    layers = new_layers(np.random.default_rng(0), (12, 64, 64, 12), 0.01)
    given = {
        "mjcf": str(vehicle("astrobee.xml")), "step": STEP, "steps": STEPS, "members": MEMBERS, "repeat": 3,
        "deviation": float(np.exp(-0.5)), "layers": [[array.tolist() for array in layer] for layer in layers],
    }  # fmt: skip
    return {int(members): rate for members, rate in told_by("mjx_free_flyer.py", given)["rates"].items()}
