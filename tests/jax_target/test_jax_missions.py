"""Every mission: its run in JAX is the native one over a thousand steps, or all that stands against it is listed."""

from typing import Any

import numpy as np
import pytest

import cardan as cd
from cardan.errors import NotTraceable, UnsupportedByDynamics
from cardan.missions import MISSIONS, find_mission

STEPS = 1000
TOLERANCE = 1e-10  # of the largest value that a field has in the run
NUDGED = 16  # members of the native batch, of which the first is left alone

# [s] with Runge and Kutta's four stages; compiling `solar-array-deployment`, with 82 links, takes minutes of XLA:
# docs/how-to/use-jax.md has its figure
TAKEN = {
    "hello": 0.1,
    "mass-spring-damper": 0.05,
    "reaction-wheels": 0.1,
    "thruster-arms": 0.01,
    "branching-panels": 0.02,
    "prescribed-verification": 1.0,
}
UNTESTED = {"solar-array-deployment"}

# What native runs do not know to 1e-10 either: a last digit of a mass moves them by as much. A hub that hardly turns
# has what is left of gravity's torques on its two bodies, which cancel; a wheel has turned by ten thousand radians.
SENSITIVE = {
    "prescribed-verification": {"hub.motion.omega_BN_B"},
    "reaction-wheels": {f"rw{i}.motion.sigma_BN" for i in (1, 2, 3)},
}


def service(scenario: cd.Scenario) -> dict[str, Any]:
    return {} if scenario.mechanism is None else {"dynamics": cd.RecursiveTree(ignore_limits=True)}


def all_ports(scenario: cd.Scenario, integrator: cd.Rk4) -> list[str]:
    """What a run records by itself, which is all states and all messages of tasks; and the frames of all bodies."""
    log = cd.Simulation(scenario, integrator=integrator, **service(scenario)).run(until=integrator.step)
    bodies = [] if scenario.mechanism is None else [f"{body}.motion" for body in scenario.mechanism.tree.body_mass]
    return list(dict.fromkeys([*log, *bodies]))


def nudged(scenario: cd.Scenario) -> dict[str, np.ndarray]:
    """Masses whose last digit is up or down by one in all members but the first."""
    masses = (
        {} if scenario.mechanism is None else {f"{b}.mass": m[0] for b, m in scenario.mechanism.tree.body_mass.items()}
    )
    up = np.random.default_rng(0).integers(-1, 2, (len(masses), NUDGED))
    up[:, 0] = 0
    return {path: mass + row * np.spacing(mass) for (path, mass), row in zip(masses.items(), up, strict=True)}


@pytest.mark.parametrize("name", TAKEN)
def test_a_mission_agrees_with_its_native_run_over_a_thousand_steps(name):
    """To 1e-10 of each field's scale (of attitudes, absolute); where native runs know less, to what they know."""
    mission, integrator = find_mission(name), cd.Rk4(step=TAKEN[name])
    ports, masses = all_ports(mission.build(), integrator), nudged(mission.build())
    batch = cd.Batch(
        mission.build(), NUDGED, integrator=integrator, outputs=ports, varies=list(masses), **service(mission.build())
    )
    batch.set(masses)
    theirs = batch.rollout({}, integrator.step, steps=STEPS)
    assert not batch.failed.any()
    made = cd.jax_function(mission.build(), integrator=integrator, outputs=ports, **service(mission.build()))
    ours = made.rollout(made.reset()[0], steps=STEPS)[1]

    beyond = set()
    for port in ports:
        for field, values in ours[port]._asdict().items():
            native = np.asarray(getattr(theirs[port], field), float)
            if not native.size:
                continue
            scale = 1.0 if field.startswith("sigma") else np.abs(native[0]).max()
            difference = np.abs(np.asarray(values, float) - native[0]).max()
            if difference > TOLERANCE * scale:
                beyond.add(f"{port}.{field}")
                # both runs round, so they may be as far apart as two that were nudged
                assert difference <= 2.0 * np.abs(native - native[0]).max(), f"{port}.{field}"
    assert beyond <= SENSITIVE.get(name, set())


@pytest.mark.parametrize("name", [name for name in MISSIONS if name not in {*TAKEN, *UNTESTED}])
def test_any_other_mission_is_refused_with_the_list(name):
    scenario = find_mission(name).build()
    with pytest.raises((NotTraceable, UnsupportedByDynamics)) as raised:
        cd.jax_function(scenario, integrator=cd.Rk4(step=0.005), **service(scenario))
    first, *reasons, last = str(raised.value).splitlines()
    # contact that MuJoCo alone knows is refused by the recursion itself
    if raised.type is NotTraceable:
        assert first == f"Scenario `{scenario.name}` has no form for JAX:" and last.startswith("  Leave these out")
        assert reasons and all(reason.startswith("  `") for reason in reasons)
    else:
        assert first.startswith("RecursiveTree cannot run the mechanism") and reasons[0].startswith("  contact: ")
