import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan.messages import ThrusterCommand
from cardan.models import ThrusterBank, ThrusterWrench
from cardan.models.actuators.thruster_bank import ThrusterBankState

MOST = np.array([0.6, 0.3, 0.3])


@given(st.lists(st.floats(-10.0, 10.0), min_size=3, max_size=3))
def test_thrust_stays_within_its_limits_whatever_is_demanded(demanded):
    bank = ThrusterBank(MOST)
    thrust = bank.forces(bank.initial(), ThrusterCommand(np.array(demanded))).thrust
    assert np.array_equal(thrust, np.clip(demanded, 0.0, MOST))


def test_a_demand_below_the_least_thrust_gives_nothing():
    bank = ThrusterBank(MOST, min_thrust=0.1)
    thrust = bank.forces(bank.initial(), ThrusterCommand(np.array([0.099, 0.1, 0.2]))).thrust
    assert thrust.tolist() == [0.0, 0.1, 0.2]


def test_with_a_lag_thrust_builds_up_as_an_exponential():
    scn = cd.Scenario("lag")
    bank = scn.add(ThrusterBank(MOST, time_constant=0.2), name="bank")
    scn.connect(ThrusterCommand(np.array([0.6, 5.0, 0.1])), bank.command)
    log = cd.Simulation(scn, integrator=cd.Rk4(step=0.01)).run(until=1.0)
    wanted = np.array([0.6, 0.3, 0.1])
    # RK4 with a step of a twentieth of the time constant
    assert log["bank.state"].thrust == pytest.approx((1.0 - np.exp(-log.t / 0.2))[:, None] * wanted, abs=1e-7)


def test_without_a_lag_the_state_rests():
    bank = ThrusterBank(MOST)
    rates = bank.derivatives(ThrusterBankState(np.zeros(3)), ThrusterCommand(np.array([1.0, 1.0, 1.0])))
    assert not rates.thrust.any()


def test_a_fault_comes_between_what_a_bank_gives_and_what_the_body_feels():
    from typing import Annotated, NamedTuple

    from cardan.messages import ThrusterForces

    @cd.model
    class FirstIsStuckOff(NamedTuple):
        """Takes the first thruster out."""

        share: Annotated[float, "-"] = 0.0

        @cd.output
        def given(self, asked: ThrusterForces) -> ThrusterForces:
            return ThrusterForces(asked.thrust * np.array([0.0, 1.0, 1.0]))

    scn = cd.Scenario("fault")
    bank = scn.add(ThrusterBank(MOST), name="bank")
    scn.connect(ThrusterCommand(MOST), bank.command)
    wrench = scn.add(ThrusterWrench(np.eye(3), np.eye(3)), name="wrench", forces=bank.forces)
    scn.intercept(bank.forces, FirstIsStuckOff(), name="fault")
    sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.1))
    log = sim.run(until=1.0, record=cd.Record(ports=["bank.forces", "wrench.*"]))
    assert log["bank.forces"].thrust[-1].tolist() == [0.6, 0.3, 0.3]
    assert log["wrench.wrench"].force_B[-1].tolist() == [0.0, 0.3, 0.3]
    assert log["wrench.impulses"].impulse[-1] == pytest.approx([0.0, 0.3, 0.3], rel=1e-12)
    assert wrench.wrench.path == "wrench.wrench"


def test_a_command_of_another_number_of_thrusters_is_refused():
    bank = ThrusterBank(MOST)
    with pytest.raises(ValueError, match="ThrusterBank: `command` has another number of thrusters"):
        bank.forces(bank.initial(), ThrusterCommand(np.zeros(2)))
