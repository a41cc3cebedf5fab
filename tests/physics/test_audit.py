"""Audits: what a run keeps, and that a service which does not keep it is found out."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import messages
from cardan.contracts.dynamics import Binding, Dynamics, Inputs, Kernels, Unsupported
from cardan.dynamics.recursive_tree import kernel
from cardan.errors import SettingError
from cardan.mechanism.plumbing import S, at
from cardan.native.pointers import load_float, store_float


def arm_on_a_hub() -> cd.Scenario:
    """A hub that is pushed and turned, with an arm on a spring that a motor drives."""
    mechanism = cd.Mechanism("arm")
    hub = mechanism.add_body("hub", joint=cd.Free(), mass=60.0, inertia_B=np.diag([8.0, 9.0, 7.0]), r_CB_B=(0.1, 0, 0))
    joint = cd.Hinge((0, 1, 0), stiffness=2.0, damping=0.3, armature=0.1)
    mechanism.add_body(
        "arm", parent=hub, joint=joint, mass=5.0, inertia_B=np.eye(3), r_CB_B=(1, 0, 0), r_BP_P=(0.5, 0, 0)
    )
    scn = cd.Scenario("arm", mechanism=mechanism)
    scn.connect(messages.BodyWrench(np.array([1.0, 0.5, 0.0]), np.array([0.02, 0.0, 0.05])), hub.wrench)
    pulses = scn.add(Pulses(), name="pulses", every=0.5)
    scn.connect(pulses.torque, mechanism.joints["arm_joint"].effort)
    scn.start({"hub": messages.FrameMotion(v_BN_N=np.array([0.0, 7500.0, 0.0]), omega_BN_B=np.array([0.1, 0.2, 0.0]))})
    return scn


class PulseOutputs(NamedTuple):
    torque: messages.HingeTorque


@cd.task
class Pulses(NamedTuple):
    """A torque that jumps at every tick."""

    size: Annotated[float, "N m"] = 0.5

    def step(self, t: float) -> PulseOutputs:
        return PulseOutputs(messages.HingeTorque(self.size if int(t) % 2 == 0 else -self.size))


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()], ids=lambda d: d.name)
@pytest.mark.parametrize("integrator", [cd.Rk4(step=0.1), cd.Dop853(rtol=1e-11, atol=1e-11)], ids=["rk4", "dop853"])
def test_momentum_and_energy_change_by_what_loads_give(dynamics, integrator):
    sim = cd.Simulation(arm_on_a_hub(), dynamics=dynamics, integrator=integrator)
    log = sim.run(until=20.0)
    audit = sim.audit()
    assert audit.is_explained, str(audit)
    assert sim.log is log
    by_name = {row.quantity: row for row in audit.rows}
    assert set(by_name) == {"linear momentum", "angular momentum about C", "orbital energy", "rotational energy"}
    for row in audit.rows:
        assert row.drift < 1e-5 * row.size if isinstance(integrator, cd.Rk4) else row.drift < 1e-10 * row.size
    if isinstance(integrator, cd.Rk4):
        # the drift falls with the fourth order of the method
        assert 10.0 < by_name["rotational energy"].drift / by_name["rotational energy"].finer < 25.0


def test_a_run_that_continues_is_audited_from_where_it_began():
    sim = cd.Simulation(arm_on_a_hub(), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.1))
    sim.run(until=5.0)
    sim.run(until=10.0)
    audit = sim.audit()
    assert (audit.start, audit.end) == (5.0, 10.0)
    assert audit.is_explained, str(audit)


def skewed(t, context):
    """The recursion with one acceleration a thousandth too large."""
    status = kernel.dynamics(t, context)
    spin = at(context, S.v_rate) + 8 * 4
    store_float(spin, 1.001 * load_float(spin))
    return status


class Skewed(Dynamics):
    """A service that is wrong."""

    lock_time_constant = 0.1

    def unsupported(self, mechanism: Any, inputs: Inputs) -> list[Unsupported]:
        return []

    def kernels(self) -> Kernels:
        return Kernels(kernel.kinematics, skewed)

    def bind(self, mechanism: Any, inputs: Inputs) -> Binding:
        return cd.RecursiveTree().bind(mechanism, inputs)


def test_a_wrong_service_is_found_out():
    sim = cd.Simulation(arm_on_a_hub(), dynamics=Skewed(), integrator=cd.Rk4(step=0.1))
    sim.run(until=5.0)
    audit = sim.audit()
    verdicts = {row.quantity: row.is_explained for row in audit.rows}
    assert verdicts["linear momentum"] is False or verdicts["angular momentum about C"] is False
    assert "NOT explained" in str(audit)


def test_an_audit_needs_a_mechanism_and_a_run():
    sim = cd.Simulation(arm_on_a_hub(), dynamics=cd.RecursiveTree())
    with pytest.raises(SettingError, match="nothing to audit"):
        sim.audit()


@pytest.mark.parametrize("samples", [0, -1, 2.5, "many"])
def test_an_audit_looks_a_whole_number_of_times(samples):
    sim = cd.Simulation(arm_on_a_hub(), dynamics=cd.RecursiveTree())
    sim.run(until=0.1)
    with pytest.raises(SettingError) as caught:
        sim.audit(samples=samples)
    assert str(caught.value) == f"audit(samples={samples!r}).\n  Use a whole number, e.g. 200."
