"""Balanced wheels: links that carry them count their masses as their own (docs/theory/recursive_tree.md, Rotors)."""

import numpy as np
import pytest
from exactly import exact_accelerations
from mechanisms import random_mechanism, random_state

import cardan as cd
from cardan.errors import SingularMechanism, UnsupportedByDynamics
from cardan.mechanism.inertia import inertia_at, least_inertia
from cardan.mechanism.rotors import may_be_rotors, rotor_numbers
from cardan.mechanism.tree import HINGE, SLIDE, Tree
from cardan.messages import FrameMotion, HingeState

ROUNDING = 1.1e-16


def rotors(tree: Tree, replaced: frozenset[str] = frozenset()) -> set[str]:
    """The bodies that are rotors."""
    is_rotor = rotor_numbers(tree, may_be_rotors(tree, replaced))["is_rotor"]
    return {name for name, frame in tree.bodies.items() if is_rotor[frame.link]}


def wheel(**changed: object) -> cd.Mechanism:
    """A bus with one wheel."""
    made = cd.Mechanism("wheeled")
    bus = made.add_body("bus", joint=cd.Free(), mass=50.0, inertia_B=np.diag([8.0, 9.0, 10.0]), r_CB_B=(0.1, 0.0, 0.05))
    own: dict[str, object] = {
        "joint": cd.Hinge((0, 0.6, 0.8), (0.0, 0.1, 0.0)), "mass": 4.0, "r_CB_B": (0.0, 0.7, 0.8),
        "inertia_B": 0.1 * np.eye(3) + 0.05 * np.outer((0, 0.6, 0.8), (0, 0.6, 0.8)), "r_BP_P": (0.3, -0.2, 0.1),
    }  # fmt: skip
    made.add_body("wheel", parent=bus, q_BP=(0.6, 0.0, 0.8, 0.0), **(own | changed))
    return made


@pytest.mark.parametrize("seed", range(20))
def test_balanced_wheels_are_rotors_and_nothing_else_is(seed):
    mechanism = random_mechanism(seed, wheels=6)
    tree = mechanism.tree
    moving = {f"w{i}" for i in range(6) if tree.parent[tree.bodies[f"w{i}"].link] > 0}
    assert rotors(tree) == moving and moving


@pytest.mark.parametrize(
    "changed",
    [
        {"r_CB_B": (1e-12, 0.7, 0.8)},
        {"inertia_B": np.diag([0.1, 0.2, 0.2])},
        {"joint": cd.Slide((0, 0.6, 0.8))},
        {"joint": cd.Ball()},
        {"joint": None},
    ],
    ids=["off its axis", "uneven", "slide", "ball", "fixed"],
)
def test_what_is_out_of_balance_or_does_not_turn_is_none(changed):
    assert rotors(wheel().tree) == {"wheel"}
    assert rotors(wheel(**changed).tree) == set()


def test_a_body_whose_mass_properties_are_an_input_neither_is_nor_carries_a_rotor():
    tree = wheel().tree
    assert rotors(tree, frozenset({"wheel"})) == rotors(tree, frozenset({"bus"})) == set()


def test_a_wheel_that_carries_a_body_is_none_though_that_body_may_be():
    made = wheel()
    made.add_body("ring", parent=made.bodies["wheel"], joint=cd.Hinge((1, 0, 0)), mass=1.0, inertia_B=np.eye(3))
    assert rotors(made.tree) == {"ring"}


@pytest.mark.parametrize("decades", [0.1, 4.0, 10.0, 18.0])
def test_errors_are_rounding_over_the_inertia_that_is_left(decades):
    """As without wheels: recursive_tree.md, Eq. (19), here with wheels that may outweigh their vehicle by far."""
    refused, compared = 0, 0
    for seed in range(8):
        mechanism = random_mechanism(seed, most=3, decades=decades, wheels=3)
        tree, (q, v) = mechanism.tree, random_state(mechanism, seed)
        for link in np.flatnonzero((tree.kind == HINGE) | (tree.kind == SLIDE)):
            q[tree.q_at[link]] = tree.reference[tree.q_at[link]]  # a sine is no rational number
        exact = exact_accelerations(tree, q, v, efforts(tree, q, v))
        try:
            # a step that is short for any spring and damper
            sim = cd.Simulation(cd.Scenario(mechanism=mechanism), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(1e-9))
            found = sim.evaluate(q=q, v=v).accelerations
        except (SingularMechanism, UnsupportedByDynamics):
            refused += 1
            continue
        inertia = inertia_at(tree, q, tree.mass, tree.com, tree.inertia)
        left, _ = least_inertia(tree, inertia, np.zeros(tree.nv, bool))
        assert np.abs(found - exact).max() < 30.0 * ROUNDING / left * np.abs(exact).max(), seed
        compared += len(rotors(tree))
    assert refused < 8 and compared > 0


def efforts(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Of springs and dampers."""
    effort = -tree.damping * v
    for link in range(1, tree.links):
        at = int(tree.v_at[link])
        if tree.kind[link] in (HINGE, SLIDE):
            effort[at] -= tree.stiffness[at] * (q[tree.q_at[link]] - tree.rest[tree.q_at[link]])
    return effort


@pytest.mark.parametrize("armature", [0.0, 0.03])
def test_a_wheel_out_of_balance_by_a_last_digit_turns_alike(armature):
    """One way of reckoning passes into the other without a step: 1e-12 m off the axis makes 1e-8 N at 50 rad/s."""
    flown = []
    for off in (0.0, 1e-12):
        made = wheel(joint=cd.Hinge((0, 0.6, 0.8), (0.0, 0.1, 0.0), armature=armature), r_CB_B=(off, 0.7, 0.8))
        scn = cd.Scenario(mechanism=made)
        scn.start({"bus": FrameMotion(omega_BN_B=np.array([0.3, -0.2, 0.1])), "wheel_joint": HingeState(0.2, 50.0)})
        sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.005))
        flown.append(sim.run(until=1.0, record=cd.Record(ports=["*.motion", "*.reaction", "bus.momentum"])))
    for ours, theirs in zip(flown[0].fields(), flown[1].fields(), strict=True):
        assert np.abs(ours.values - theirs.values).max() < 1e-8 * max(1.0, np.abs(theirs.values).max()), ours.path


def test_wheels_keep_momentum_and_energy_whatever_carries_them():
    """A tumbling bus with an arm, on which a wheel in a gimbal spins; to rounding and the integrator's tolerance."""
    made = wheel()
    arm = made.add_body(
        "arm", parent=made.bodies["bus"], joint=cd.Hinge((0, 1, 0)), mass=5.0, inertia_B=np.diag([0.1, 1.0, 1.1]),
        r_CB_B=(0.8, 0.0, 0.0), r_BP_P=(0.5, 0.2, 0.0),
    )  # fmt: skip
    gimbal = {"gimbal": cd.Hinge((1, 0, 0)), "spin": cd.Hinge((0, 0, 1))}
    made.add_body("gyro", parent=arm, joints=gimbal, mass=3.0, inertia_B=np.diag([0.02, 0.02, 0.03]), r_BP_P=(1, 0, 0))
    assert rotors(made.tree) == {"wheel", "gyro"}
    scn = cd.Scenario(mechanism=made)
    rates = {"arm_joint": HingeState(0.4, 0.1), "gimbal": HingeState(0.3, -0.2), "spin": HingeState(0.0, 200.0)}
    tumbling = FrameMotion(v_BN_N=np.array([0.3, 0.0, 0.1]), omega_BN_B=np.array([0.3, -0.2, 0.1]))
    scn.start({"bus": tumbling, "wheel_joint": HingeState(0.2, 80.0), **rates})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Dop853(rtol=1e-12, atol=1e-12))
    flown = sim.run(until=30.0, record=cd.Record(every=1.0, ports=["bus.momentum", "bus.motion"]))["bus.momentum"]
    assert np.ptp(flown.momentum_C_N, axis=0).max() < 1e-11 * np.linalg.norm(flown.momentum_C_N[0])
    assert np.ptp(flown.v_CN_N, axis=0).max() < 1e-13
    assert np.ptp(flown.kinetic_energy) < 1e-10 * flown.kinetic_energy[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_members_of_which_some_have_balanced_wheels_have_the_bits_of_their_own_simulations(threads):
    """Eight at once, also where a group has members of both kinds."""
    offsets = np.zeros((32, 3))
    offsets[:, 1:] = 0.7, 0.8
    offsets[8:16, 0] = np.linspace(0.01, 0.08, 8)
    offsets[20:22, 0] = 0.05
    start = {"bus": FrameMotion(omega_BN_B=np.array([0.3, -0.2, 0.1])), "wheel_joint": HingeState(0.2, 50.0)}
    outputs = ["wheel.motion", "wheel_joint.reaction", "bus.com.motion"]

    def scenario(**changed: object) -> cd.Scenario:
        scn = cd.Scenario(mechanism=wheel(**changed))
        scn.start(start)
        return scn

    given = {"dynamics": cd.RecursiveTree(), "integrator": cd.Rk4(step=0.01)}
    batch = cd.Batch(scenario(), 32, outputs=outputs, varies=["wheel.r_CB_B"], threads=threads, **given)
    batch.set({"wheel.r_CB_B": offsets})
    assert not batch.advance(0.2).any()
    for member in (0, 8, 15, 19, 20, 31):
        sim = cd.Simulation(scenario(r_CB_B=offsets[member]), **given)
        sim.run(until=0.2, progress=False)
        assert batch.snapshot(member) == sim.snapshot(), member
        for path in outputs:
            for ours, theirs in zip(batch[path], sim[path], strict=True):
                assert np.array_equal(ours[member], theirs), (member, path)
