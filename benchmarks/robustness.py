"""Trained with hardships against trained without, beside PD, LQR and MPC, on the same draws.

    python -m benchmarks.robustness FOLDER [SEED]    # trains what the folder does not have yet, prints the table

Success of 100 episodes of each kind with Wilson's bounds, and the mean time to it. Starts are those of
`FreeFlyerSetpoint`; suites are SmallSatSim's (Schwartz et al., arXiv 2603.14598, release campaign), and single faults.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cardan as cd
from cardan import learning
from cardan.learning import Hardship
from cardan.messages import FlyerReference
from cardan.missions import add_flyer
from cardan.missions.free_flyer import CONTROLLERS

TRIALS, SEED = 100, 10_000
SUITES = {
    "random start": Hardship(),
    "thrust within 10 %": Hardship(thrust=0.1),
    "0.005 N, 0.0005 N m": Hardship(force=0.005, torque=0.0005),
    "both": Hardship(thrust=0.1, force=0.005, torque=0.0005),
    "0.05 N, 0.005 N m": Hardship(force=0.05, torque=0.005),
    "mass and inertia within 25 %": Hardship(mass=0.25),
    "one thruster stuck": Hardship(fault=1.0),
    "all of these": Hardship(thrust=0.1, mass=0.25, force=0.05, torque=0.005, fault=1.0),
}
TRAINED = {"PPO": "none", "PPO with hardships": "all"}
CLASSICAL = {"pd": 0.05, "lqr": 0.05, "mpc": 0.25}  # [s] their periods


def trained(folder: Path, name: str, seed: int) -> learning.PolicyFacts:
    """A policy that was trained with its hardship; it is trained if the folder does not have it."""
    hardship = TRAINED[name]
    place = folder / f"{hardship}-{seed}"
    if not (place / "policy.npz").exists():
        environment = learning.environment("FreeFlyerSetpoint", hardship=hardship)
        learning.train(environment, learning.Ppo(seed=seed), folder=place)
    return learning.read_policy(place / "policy.npz")


def controlled(environment: learning.Environment, name: str) -> learning.Environment:
    """An environment in which a controller stands in the place of the action."""
    flyer = add_flyer(cd.Mechanism(), "astrobee", name="flyer")
    period = CLASSICAL[name]
    built: Callable[[], Any] = environment.build  # type: ignore[assignment]

    def build() -> cd.Scenario:
        scn = built()
        motion = scn.mechanism.bodies[flyer.body].com.motion
        part = CONTROLLERS[name].make(flyer, period)
        ctl = scn.add(part, name="ctl", every=period, motion=motion, reference=FlyerReference())
        scn.leave_open(*(getattr(ctl, port) for port in scn.parts[ctl.name].contract.outputs if port != "command"))
        scn.replace_input("command", ctl.command)
        return scn

    return environment.with_changes(build=build)


def cell(found: learning.Evaluation) -> str:
    rate = found.rate
    bounds = f"{100 * found.is_success.mean():.0f} ({100 * rate.low:.0f} to {100 * rate.high:.0f})"
    return bounds + (f", {0.05 * found.steps[found.is_success].mean():.1f} s" if found.is_success.any() else "")


def main(folder: Path, seed: int) -> None:
    policies = {name: trained(folder, name, seed) for name in TRAINED}
    print(f"| hardship | {' | '.join([*policies, *map(str.upper, CLASSICAL)])} |")
    print("|---" * (1 + len(policies) + len(CLASSICAL)) + "|")
    for suite, hardship in SUITES.items():
        environment = learning.environment("FreeFlyerSetpoint", hardship=hardship)
        row = [learning.evaluate(environment, facts, TRIALS, seed=SEED) for facts in policies.values()]
        row += [learning.evaluate_flown(controlled(environment, name), TRIALS, seed=SEED) for name in CLASSICAL]
        print(f"| {suite} | {' | '.join(map(cell, row))} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
