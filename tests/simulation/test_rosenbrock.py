"""Rosenbrock methods: stable whatever the step, right where explicit ones blow up."""

import warnings

import numpy as np
import pytest

import cardan as cd
from cardan.errors import CardanError, StepWarning
from cardan.simulation.integrators.stability import implicit_growth
from cardan.simulation.integrators.tableaus import RODAS3, RODAS4

IMPLICIT = [RODAS3, RODAS4]


@pytest.mark.parametrize("tableau", IMPLICIT, ids=lambda each: each.name)
def test_what_decays_or_oscillates_never_grows_and_what_is_stiff_is_gone_at_once(tableau):
    frequencies = np.logspace(-3, 6, 400)
    assert np.abs(implicit_growth(tableau, 1j * frequencies)).max() <= 1.0 + 1e-12
    assert np.abs(implicit_growth(tableau, -frequencies)).max() <= 1.0
    # L-stable: what the digits of the coefficients leave
    assert np.abs(implicit_growth(tableau, np.array([-1e10])))[0] < 1e-9


@pytest.mark.parametrize("tableau", IMPLICIT, ids=lambda each: each.name)
def test_the_growth_is_the_exponential_up_to_the_order(tableau):
    small, large = 0.01, 0.02
    errors = [abs(implicit_growth(tableau, np.array([-z]))[0] - np.exp(-z)) for z in (small, large)]
    assert np.log2(errors[1] / errors[0]) == pytest.approx(tableau.order + 1, abs=0.2)


def arm(*, damping: float, stiffness: float) -> cd.Scenario:
    """Four light links whose joints are stiff: rates up to 1e5 per second."""
    m, parent = cd.Mechanism("arm"), None
    for i in range(4):
        axis = [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)][i % 2]
        joint = cd.Hinge(axis, damping=damping, stiffness=stiffness, rest=0.3)
        parent = m.add_body(
            f"link{i}", parent=parent, joint=joint, r_BP_P=(0.2 if i else 0.0, 0.0, 0.0), r_CB_B=(0.1, 0.0, 0.0),
            mass=0.05, inertia_B=np.diag([1e-5, 1.7e-4, 1.7e-4]),
        )  # fmt: skip
    scn = cd.Scenario("arm", mechanism=m)
    scn.start({"link0_joint": cd.messages.HingeState(rate=1.0)})
    return scn


def angles(scn: cd.Scenario, integrator: object) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StepWarning)
        sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=integrator)
    log = sim.run(until=0.2, record=cd.Record(every=0.02))
    return np.array([log[f"link{i}_joint.state"].angle for i in range(4)])


def test_stiff_joints_at_two_milliseconds_where_the_classical_method_blows_up():
    scn = arm(damping=5.0, stiffness=200.0)
    with pytest.raises(CardanError):
        angles(scn, cd.Rk4(step=2e-3))
    exact = angles(scn, cd.Dop853(rtol=1e-11, atol=1e-12))
    coarse, fine = (np.abs(angles(scn, cd.Rodas3(step=h)) - exact).max() for h in (2e-3, 1e-3))
    assert fine < coarse < 1e-2 * np.ptp(exact)


def test_an_implicit_step_needs_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error", StepWarning)
        cd.Simulation(arm(damping=5.0, stiffness=0.0), dynamics=cd.RecursiveTree(), integrator=cd.Rodas3(step=0.01))


def test_adaptive_steps_follow_the_solution_and_not_its_stiffness():
    def taken(integrator: object) -> int:
        scn = arm(damping=5.0, stiffness=200.0)
        sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=integrator)
        sim.run(until=1.0, record=cd.Record(every=1.0))
        return int(sim.steps["accepted"])

    assert taken(cd.Rodas4(rtol=1e-5, atol=1e-7)) < 0.1 * taken(cd.DormandPrince54(rtol=1e-5, atol=1e-7))
