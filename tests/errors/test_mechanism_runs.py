"""What goes wrong with a mechanism during a run, and what is said of it."""

import re
import warnings
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import messages
from cardan.errors import (
    ImpossibleValue,
    MassPropertiesError,
    NotFinite,
    SingularMechanism,
    StepWarning,
    UnstableStep,
    UnsupportedByDynamics,
)
from errors.conftest import refused

SERVICES = [cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution()]
EVERY_SERVICE = pytest.mark.parametrize("dynamics", SERVICES, ids=lambda service: service.name)
AT_START = "at t = 0 s (stage 1 of Rk4, step from 0 s)"


def arm(**joint: float) -> cd.Mechanism:
    """A hub with a boom on a hinge."""
    made = cd.Mechanism("arm")
    hub = made.add_body("hub", joint=cd.Free(), mass=60.0, inertia_B=np.diag([8.0, 9.0, 7.0]))
    joint = cd.Hinge((0, 1, 0), **joint)
    made.add_body("boom", parent=hub, joint=joint, mass=5.0, inertia_B=np.eye(3), r_CB_B=(1.0, 0.0, 0.0))
    return made


def simulation(scn: cd.Scenario, dynamics: Any = None, step: float = 0.1) -> cd.Simulation:
    return cd.Simulation(scn, dynamics=dynamics or cd.RecursiveTree(), integrator=cd.Rk4(step=step))


class TestSingularMechanisms:
    @EVERY_SERVICE
    def test_joints_that_are_singular_everywhere_are_refused_before_the_run(self, dynamics):
        made = cd.Mechanism("gimbal")
        hub = made.add_body("hub", joint=cd.Free(), mass=60.0, inertia_B=np.diag([8.0, 9.0, 7.0]))
        ring = made.add_body("ring", parent=hub, joint=cd.Hinge((0, 0, 1)), mass=1e-13, inertia_B=1e-14 * np.eye(3))
        made.add_body("dish", parent=ring, joint=cd.Hinge((0, 0, 1)), mass=2.0, inertia_B=np.eye(3))
        with refused(
            UnsupportedByDynamics,
            f"""
            {dynamics.name} cannot run the mechanism `gimbal`:
              joint that no inertia resists: ring_joint, dish_joint
                Give what it moves an inertia within 1e12 of the rest, give it an armature, prescribe it, or fix it.
            """,
        ):
            simulation(cd.Scenario(mechanism=made), dynamics)

    @EVERY_SERVICE
    def test_the_joints_are_named_with_what_is_left_and_what_to_do(self, dynamics):
        # a gimbal whose outer and inner axes coincide where it starts, and nowhere else
        made = cd.Mechanism("gimbal")
        light = {"mass": 1e-13, "inertia_B": 1e-14 * np.eye(3)}
        hub = made.add_body("hub", joint=cd.Free(), mass=60.0, inertia_B=np.diag([8.0, 9.0, 7.0]))
        ring = made.add_body("ring", parent=hub, joint=cd.Hinge((0, 0, 1)), **light)
        cross = made.add_body("cross", parent=ring, joint=cd.Hinge((1, 0, 0)), **light)
        made.add_body("dish", parent=cross, joint=cd.Hinge((0, 0, 1)), mass=2.0, inertia_B=np.eye(3))
        sim = simulation(cd.Scenario(mechanism=made), dynamics)
        with pytest.raises(SingularMechanism) as caught:
            sim.run(until=1.0)
        left, text = str(caught.value).split("In one direction ")[1].split(" of it is left")
        assert float(left) < 1e-12
        assert str(caught.value).startswith(f"The inertia behind `ring_joint`, `dish_joint` is singular {AT_START}.\n")
        assert text == (
            f"; below 1e-12, rounding decides what `{dynamics.name}` finds.\n"
            "  Two joints with one axis do this, a joint that carries no inertia, and masses that differ by as much.\n"
            "  Leave one joint out, lock or prescribe it, give it an armature, or give what lies between them inertia."
        )


@cd.model
class Leaking(NamedTuple):
    """Mass properties that become what they are given as within the first half second."""

    mass: Annotated[float, "kg"] = 5.0
    inertia_C_B: Annotated[cd.maths.Mat3, "kg m^2"] = np.eye(3)

    @cd.output
    def content(self, t: float) -> messages.MassProperties:
        later = 1.0 if t > 0.45 else 0.0
        return messages.MassProperties(
            5.0 + later * (self.mass - 5.0),
            np.array([1.0, 0.0, 0.0]),
            np.eye(3) + later * (self.inertia_C_B - np.eye(3)),
        )


class TestMassProperties:
    @EVERY_SERVICE
    @pytest.mark.parametrize(
        ("tank", "fault"),
        [
            (Leaking(mass=-2.0), "mass = -2 kg\n  expected a mass that is not negative"),
            (
                Leaking(inertia_C_B=-np.eye(3)),
                "inertia_C_B has a principal moment of -1 kg m^2\n  expected principal moments that are not negative",
            ),
            (
                Leaking(inertia_C_B=np.diag([1.0, 1.0, 3.0])),
                "inertia_C_B has principal moments of 1, 1 and 3 kg m^2\n"
                "  expected none that is larger than the sum of the other two",
            ),
            (
                Leaking(inertia_C_B=np.array([[1.0, 0.2, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 1.0]])),
                "inertia_C_B is not symmetric: [0, 1] is 0.2 kg m^2 and [1, 0] is 0.1 kg m^2\n"
                "  expected a symmetric inertia",
            ),
        ],
        ids=["negative mass", "negative inertia", "triangle", "asymmetric"],
    )
    def test_what_no_body_has_stops_the_run_and_names_who_sent_it(self, dynamics, tank, fault):
        scn = cd.Scenario(mechanism=arm())
        part = scn.add(tank, name="tank")
        scn.connect(part.content, scn.mechanism.bodies["boom"].mass_properties)
        sim = simulation(scn, dynamics)
        with refused(
            MassPropertiesError,
            "`tank.content` gives `boom` mass properties that no body has, "
            f"at t = 0.5 s (stage 4 of Rk4, step from 0.4 s).\n  {fault}",
        ):
            sim.run(until=1.0)

    @EVERY_SERVICE
    def test_a_body_that_loses_all_its_mass_is_named(self, dynamics):
        scn = cd.Scenario(mechanism=arm())
        empty = messages.MassProperties(mass=0.0, inertia_C_B=np.zeros((3, 3)))
        scn.connect(empty, scn.mechanism.bodies["boom"].mass_properties)
        sim = simulation(scn, dynamics)
        with refused(
            MassPropertiesError,
            f"""
            A constant message leaves `boom` and what is fixed to it without mass, {AT_START}.
              mass = 0 kg
              Keep the mass positive.
            """,
        ):
            sim.run(until=1.0)

    def test_a_tank_on_a_body_that_has_mass_may_be_empty(self):
        made = arm()
        made.add_body("tank", parent=made.bodies["boom"])
        scn = cd.Scenario(mechanism=made)
        empty = messages.MassProperties(mass=0.0, inertia_C_B=np.zeros((3, 3)))
        scn.connect(empty, made.bodies["tank"].mass_properties)
        simulation(scn).run(until=1.0)


class TestLoads:
    @EVERY_SERVICE
    def test_a_load_without_bound_is_named_with_its_sender(self, dynamics):
        scn = cd.Scenario(mechanism=arm())
        boom = scn.mechanism.bodies["boom"]
        scn.connect(messages.BodyWrench(force_B=np.array([1.0, 0.0, 0.0])), scn.mechanism.bodies["hub"].wrench)
        scn.connect(messages.BodyWrench(torque_B=np.array([0.0, 0.0, 1e308])), boom.wrench)
        scn.connect(messages.BodyWrench(torque_B=np.array([0.0, 0.0, 1.5e308])), boom.wrench)
        sim = simulation(scn, dynamics)
        with refused(
            NotFinite,
            f"""
            `{dynamics.name}.dynamics` found no finite acceleration {AT_START}: a load is too large.
              A constant message sends torque_B = [0.0e+000, 0.0e+000, 1.5e+308] N m to `boom.wrench`.
              Check its unit, and what it is divided by.
            """,
        ):
            sim.run(until=1.0)

    def test_a_joint_that_has_run_away_is_named(self):
        scn = cd.Scenario(mechanism=arm())
        scn.start({"boom_joint": messages.HingeState(0.0, 1e200)})
        sim = simulation(scn)
        with refused(
            NotFinite,
            f"""
            `RecursiveTree.dynamics` found no finite acceleration {AT_START}: `boom_joint` moves at 1e+200 m/s or rad/s.
              What drives it has let it grow: check its units and signs, or use a smaller step.
            """,
        ):
            sim.run(until=1.0)


@cd.model
class Stretched(NamedTuple):
    """A motion whose quaternion is twice as long as one is."""

    @cd.output
    def motion(self) -> messages.PrescribedMotion:
        return messages.PrescribedMotion(q_FM=np.array([0.0, 0.0, 2.0, 0.0]))


class TestQuaternions:
    def test_a_ball_joint_is_reset_to_a_unit_quaternion(self):
        made = arm()
        made.add_body("bob", parent=made.bodies["boom"], joint=cd.Ball(), mass=1.0, inertia_B=np.eye(3))
        sim = simulation(cd.Scenario(mechanism=made))
        with refused(
            ImpossibleValue,
            """
            `bob_joint (start).q_CP` must be of unit length.
              got a length of 2
              Divide it by its length.
            """,
        ):
            sim.reset({"bob_joint": messages.BallState(np.array([2.0, 0.0, 0.0, 0.0]))})

    def test_rounding_in_its_length_is_taken_out(self):
        made = arm()
        made.add_body("bob", parent=made.bodies["boom"], joint=cd.Ball(), mass=1.0, inertia_B=np.eye(3))
        scn = cd.Scenario(mechanism=made)
        scn.start({"bob_joint": messages.BallState((1.0 + 5e-7) * np.array([0.6, 0.0, 0.8, 0.0]))})
        assert np.linalg.norm(simulation(scn)["bob_joint.state"].q_CP) == pytest.approx(1.0, abs=2e-16)

    @EVERY_SERVICE
    def test_prescribed_motion_turns_by_unit_quaternions(self, dynamics):
        made = arm()
        made.add_body("dish", parent=made.bodies["hub"], joint=cd.Carriage(), mass=1.0, inertia_B=np.eye(3))
        scn = cd.Scenario(mechanism=made)
        scn.connect(scn.add(Stretched(), name="drive").motion, made.bodies["dish"].prescribed)
        sim = simulation(scn, dynamics)
        with refused(
            ImpossibleValue,
            f"""
            `drive.motion` gives `dish.prescribed` a quaternion `q_FM` of length 2, {AT_START}.
              expected length 1, within 1e-06
              Divide it by its length.
            """,
        ):
            sim.run(until=1.0)


class TestStiffJoints:
    """A damper of 4e3 N m s/rad on an inertia of some 3 kg m^2 settles within a millisecond."""

    TEXT = (
        "The step of Rk4, 0.01 s, is too long for the damping of `boom_joint`.\n"
        "  With the inertia that moves, steps up to 0.0024 s are stable: use one of these, or an adaptive integrator."
    )

    def stiff(self, **joint: float) -> cd.Scenario:
        scn = cd.Scenario(mechanism=arm(**joint))
        scn.start({"boom_joint": messages.HingeState(0.1, 0.1)})
        return scn

    def test_a_warning_comes_before_the_run(self):
        with pytest.warns(StepWarning) as caught:
            simulation(self.stiff(damping=4e3), step=0.01)
        assert str(caught[0].message) == self.TEXT
        assert caught[0].filename == __file__  # at the line that makes the simulation

    @EVERY_SERVICE
    @pytest.mark.filterwarnings("ignore::cardan.errors.StepWarning")
    def test_the_run_that_ends_by_it_says_so(self, dynamics):
        sim = simulation(self.stiff(damping=4e3), dynamics, step=0.01)
        with pytest.raises(UnstableStep) as caught:
            sim.run(until=20.0)
        assert str(caught.value).endswith(self.TEXT)
        assert "finite" in str(caught.value).splitlines()[0]

    def test_the_step_that_is_offered_is_stable(self):
        sim = simulation(self.stiff(damping=4e3), step=0.0024)
        assert abs(sim.run(until=1.0)["boom_joint.state"].rate[-1]) < 1e-3

    def test_stiffness_is_told_from_damping(self):
        with pytest.warns(StepWarning, match=r"too long for the stiffness of `boom_joint`"):
            simulation(self.stiff(stiffness=4e6, damping=1.0), step=0.01)

    def test_a_spring_that_pushes_is_no_reason_to_stop(self):
        sim = simulation(self.stiff(stiffness=-0.25, damping=0.01), step=0.01)
        assert sim.run(until=1.0, progress=False)["boom_joint.state"].angle[-1] > 0.1

    def test_a_servo_of_the_file_is_a_spring_and_a_damper(self):
        file = """
            <mujoco>
              <worldbody><body name="boom"><joint name="boom_joint" axis="0 0 1"/>
                <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
              <actuator><position name="servo" joint="boom_joint" kp="4e4" kv="4e3"/></actuator>
            </mujoco>
            """
        scn = cd.Scenario(mechanism=cd.Mechanism.from_mjcf(file))
        scn.connect(messages.ActuatorCommand(0.1), scn.mechanism.actuators["servo"].command)
        with pytest.warns(StepWarning, match=r"too long for the damping of `boom_joint`"):
            simulation(scn, step=0.01)

    @pytest.mark.parametrize("spring", [{"damping": 4e8}, {"stiffness": 4e12}])
    def test_however_short_the_stable_step_is_it_is_given(self, spring):
        with pytest.warns(StepWarning) as caught:
            simulation(self.stiff(**spring), step=0.1)
        step = float(re.search(r"steps up to (\S+) s are stable", str(caught[0].message))[1])
        assert 0.0 < step < 1e-5
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            simulation(self.stiff(**spring), step=step)

    def test_explicit_euler_has_no_stable_step_for_an_undamped_spring(self):
        with pytest.warns(StepWarning) as caught:
            cd.Simulation(
                self.stiff(stiffness=4e3), dynamics=cd.RecursiveTree(), integrator=cd.ExplicitEuler(step=0.01)
            )
        assert str(caught[0].message) == (
            "The step of ExplicitEuler, 0.01 s, is too long for the stiffness of `boom_joint`.\n"
            "  ExplicitEuler lets this grow with any step: use Rk4, or an adaptive integrator."
        )

    @pytest.mark.parametrize(
        "integrator",
        [cd.DormandPrince54(), cd.Rk4(step=1e-3), cd.SemiImplicitEuler(step=1e-3)],
        ids=lambda i: str(i)[:12],
    )
    def test_an_adaptive_or_shorter_step_is_not_warned_of(self, integrator):
        cd.Simulation(self.stiff(damping=4e3 if isinstance(integrator, cd.DormandPrince54) else 1e3),
                      dynamics=cd.RecursiveTree(), integrator=integrator)  # fmt: skip

    def test_a_prescribed_joint_is_not_warned_of(self):
        scn = cd.Scenario(mechanism=arm(damping=4e3))
        scn.connect(messages.PrescribedAngle(), scn.mechanism.joints["boom_joint"].prescribed)
        simulation(scn, step=0.01)

    @pytest.mark.filterwarnings("ignore::cardan.errors.StepWarning")
    def test_a_part_that_overflows_by_it_says_so_too(self):
        @cd.model
        class Cubic(NamedTuple):
            @cd.output
            def effort(self, hinge: messages.HingeState) -> messages.HingeTorque:
                return messages.HingeTorque(-1e-9 * hinge.rate * hinge.rate * hinge.rate)

        scn = self.stiff(damping=4e3)
        joint = scn.mechanism.joints["boom_joint"]
        drag = scn.add(Cubic(), name="drag", hinge=joint.state)
        scn.connect(drag.effort, joint.effort)
        sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.01), jit=False)
        with np.errstate(all="ignore"), pytest.raises(NotFinite) as caught:
            sim.run(until=20.0)
        assert str(caught.value).endswith(self.TEXT)
