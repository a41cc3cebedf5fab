"""Every mission: its run in JAX is the native one over a thousand steps, or all that stands against it is listed."""

from functools import cache
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import cardan as cd
from cardan.errors import NotTraceable, UnsupportedByDynamics
from cardan.maths import dcm_from_mrp
from cardan.missions import MISSIONS, find_mission
from cardan.missions.prescribed_verification import INERTIA, MASS

STEPS = 1000
TOLERANCE = 1e-10  # of the largest value that a field has in the run
NUDGED = 16  # members of the native batch, of which the first is left alone

# [s] with Runge and Kutta's four stages
TAKEN = {
    "hello": 0.1,
    "mass-spring-damper": 0.05,
    "reaction-wheels": 0.1,
    "thruster-arms": 0.01,
    "branching-panels": 0.02,
    "prescribed-verification": 1.0,
    "solar-array-deployment": 1.0,
}
# XLA takes minutes for ten elements in each array; three have the same joints and profiles
OPTIONS = {"solar-array-deployment": {"array.elements": 3}}

HUB_INERTIA = 400.0 / 3.0  # [kg m^2] about every axis
TURNING = 8.2 * MASS * 0.1  # [N m] of gravity about the hub: 8.2 m/s^2 on the body that has slid by 0.1 m

# What native runs do not know to 1e-10 of its size either, because it is what is left of larger terms, and how large
# these are: a hub that hardly turns has what is left of gravity's torques on its two bodies, here for a step.
TERMS = {
    "prescribed-verification": {"hub.motion.omega_BN_B": TURNING * TAKEN["prescribed-verification"] / HUB_INERTIA},
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


def scenario_of(name: str) -> cd.Scenario:
    return find_mission(name).scenario(OPTIONS.get(name))


@cache
def flown(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What native members and JAX say at all ports after each of the steps; of the former with an axis for members."""
    scenario, integrator = scenario_of(name), cd.Rk4(step=TAKEN[name])
    ports, masses = all_ports(scenario_of(name), integrator), nudged(scenario)
    batch = cd.Batch(scenario, NUDGED, integrator=integrator, outputs=ports, varies=list(masses), **service(scenario))
    batch.set(masses)
    theirs = batch.rollout({}, integrator.step, steps=STEPS)
    assert not batch.failed.any()
    made = cd.jax_function(scenario_of(name), integrator=integrator, outputs=ports, **service(scenario))
    return theirs, made.rollout(made.reset()[0], steps=STEPS)[1]


@pytest.mark.parametrize("name", TAKEN)
def test_a_mission_agrees_with_its_native_run_over_a_thousand_steps(name):
    """To 1e-10 of each field's scale (of attitudes, absolute); where native runs know less, to what they know."""
    theirs, ours = flown(name)
    terms = TERMS.get(name, {})
    for port, messages in ours.items():
        for field, values in messages._asdict().items():
            path, native = f"{port}.{field}", np.asarray(getattr(theirs[port], field), float)
            if not native.size:
                continue
            scale = 1.0 if field.startswith("sigma") else np.abs(native[0]).max()
            difference = np.abs(np.asarray(values, float) - native[0]).max()
            if not difference <= TOLERANCE * scale:
                assert path in terms and difference <= TOLERANCE * terms[path], path
                # both runs round, so they may be as far apart as two that were nudged
                assert difference <= 2.0 * np.abs(native - native[0]).max(), path


def test_a_hub_that_hardly_turns_is_as_near_to_the_truth_as_natively():
    """Its spin and that of the body it carries sum to zero, but for a last digit of gravity's torques at all times."""
    theirs, ours = flown("prescribed-verification")
    most = np.finfo(float).eps * TURNING * TAKEN["prescribed-verification"] * STEPS

    def spin(told: dict[str, Any]) -> np.ndarray:
        hub, body = (np.asarray(told[f"{name}.motion"].omega_BN_B) for name in ("hub", "part"))
        return np.abs(HUB_INERTIA * hub + INERTIA * body).max(axis=(-2, -1))

    assert max(spin(theirs).max(), spin(ours)) < most
    assert spin(ours) < 2.0 * spin(theirs).max()


@pytest.mark.parametrize("axis", range(3))
def test_the_attitude_of_a_wheel_is_that_of_its_angle(axis):
    """To rounding, though a rotor's frame is worked out for this port alone and its angle is 11,000 rad."""
    wheel, y, z = f"rw{axis + 1}", (axis + 1) % 3, (axis + 2) % 3
    theirs, ours = flown("reaction-wheels")
    for told in (jax.tree.map(lambda leaf: leaf[0], theirs), ours):
        dcm_WN, dcm_BN = (dcm_from_mrp(np.asarray(told[f"{body}.motion"].sigma_BN)) for body in (wheel, "bus"))
        dcm_WB, angle = dcm_WN @ dcm_BN.swapaxes(1, 2), np.asarray(told[f"{wheel}Spin.state"].angle)
        assert dcm_WB[:, y, y] == pytest.approx(np.cos(angle), abs=1e-14)
        assert dcm_WB[:, y, z] == pytest.approx(np.sin(angle), abs=1e-14)


@pytest.mark.parametrize("name", [name for name in MISSIONS if name not in TAKEN])
def test_any_other_mission_is_refused_with_the_list(name):
    scenario = scenario_of(name)
    with pytest.raises((NotTraceable, UnsupportedByDynamics)) as raised:
        cd.jax_function(scenario, integrator=cd.Rk4(step=0.005), **service(scenario))
    first, *reasons, last = str(raised.value).splitlines()
    # contact that MuJoCo alone knows is refused by the recursion itself
    if raised.type is NotTraceable:
        assert first == f"Scenario `{scenario.name}` has no form for JAX:" and last.startswith("  Leave these out")
        assert reasons and all(reason.startswith("  `") for reason in reasons)
    else:
        assert first.startswith("RecursiveTree cannot run the mechanism") and reasons[0].startswith("  contact: ")


def test_the_docs_say_of_every_mission_whether_jax_takes_it():
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "use-jax.md").read_text(encoding="utf-8")
    assert [name for name in MISSIONS if f"`{name}`" not in page] == []
    assert {name for name in MISSIONS if f"| `{name}`" in page} == set(TAKEN)
