"""What would go wrong silently is refused: ambiguous names, features a service lacks, contradictory inputs."""

import numpy as np
import pytest

import cardan as cd
from cardan import messages
from cardan.errors import DuplicateName, MechanismError, NotFinite, ShapeError, UnknownName, WiringError

ARM = """<mujoco model="arm"><option><flag contact="disable" {flags}/></option><worldbody><body name="hub">
<freejoint name="free"/><geom type="box" size=".5 .5 .5" mass="10"/><body name="boom" pos=".5 0 0">
<joint name="hinge" axis="0 0 1" {joint}/><geom type="capsule" size=".05" fromto="0 0 0 1 0 0" mass="1"/></body></body>
</worldbody><actuator>{actuator}</actuator></mujoco>"""


def arm(flags: str = "", joint: str = "", actuator: str = "") -> cd.Mechanism:
    return cd.Mechanism.from_mjcf(ARM.format(flags=flags, joint=joint, actuator=actuator))


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"joint": 'actuatorfrcrange="-1 1"'}, "hinge  limit of the actuator force at a joint"),
        ({"flags": 'spring="disable"'}, "arm  the flag that disables spring"),
        ({"flags": 'actuation="disable"'}, "arm  the flag that disables actuation"),
        ({"actuator": '<motor name="m" joint="free"/>'}, "m  actuator other than a motor on a joint or site"),
        ({"actuator": '<position name="m" joint="hinge"/>'}, "m  actuator other than a motor on a joint or site"),
        ({"joint": 'frictionloss="1"'}, "hinge  dry friction"),
    ],
)
def test_what_the_recursion_would_ignore_is_refused_by_it(options, line):
    with pytest.raises(cd.CardanError) as caught:
        cd.Simulation(cd.Scenario(mechanism=arm(**options)), dynamics=cd.RecursiveTree())
    assert str(caught.value) == f"RecursiveTree cannot run the mechanism `arm`:\n  {line}"


def test_a_body_that_loses_all_its_mass_stops_the_run():
    mechanism = arm()
    scn = cd.Scenario(mechanism=mechanism)
    empty = messages.MassProperties(mass=0.0, inertia_C_B=np.zeros((3, 3)))
    scn.connect(empty, mechanism.bodies["boom"].mass_properties)
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree())
    with pytest.raises(NotFinite, match=r"`RecursiveTree.dynamics` found no finite acceleration for"):
        sim.run(until=1.0)


def test_the_rest_of_a_spring_is_in_radians_whatever_the_file_uses():
    mechanism = arm()
    mechanism.add_body("flap", parent=mechanism.bodies["hub"], joint=cd.Hinge(stiffness=1.0, rest=0.5), mass=1.0,
                       inertia_B=np.eye(3))  # fmt: skip
    assert mechanism.tree.rest[-1] == pytest.approx(0.5)


def test_a_site_cannot_have_the_name_of_a_body():
    mechanism = cd.Mechanism("a")
    body = mechanism.add_body("b", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    mechanism.add_site("b", body)
    with pytest.raises(MechanismError) as caught:
        _ = mechanism.tree
    assert str(caught.value) == "`b` is the name of a body and of a site.\n  Their ports have the same paths."


def test_a_group_cannot_have_the_name_of_an_element():
    with pytest.raises(DuplicateName) as caught:
        arm().group_of_bodies("hinge")
    assert str(caught.value) == "`arm` has an element `hinge` already.\n  Name the group otherwise."


def test_a_joint_is_either_locked_or_prescribed():
    mechanism = arm()
    scn = cd.Scenario(mechanism=mechanism)
    scn.connect(messages.HingeLock(True, 0.0), mechanism.joints["hinge"].lock)
    with pytest.raises(WiringError) as caught:
        scn.connect(messages.PrescribedAngle(), mechanism.joints["hinge"].prescribed)
    assert str(caught.value) == (
        "`hinge.prescribed` and `hinge.lock` both say how `hinge` moves.\n  Connect one of the two."
    )


def test_a_message_for_a_group_has_a_row_for_each_element():
    mechanism = arm()
    scn = cd.Scenario(mechanism=mechanism)
    scn.connect(messages.InertialForces(np.ones((1, 3))), mechanism.group_of_bodies("all").forces_N)
    with pytest.raises(ShapeError) as caught:
        cd.Simulation(scn, dynamics=cd.RecursiveTree())
    assert str(caught.value) == "A constant message does not fit `all.forces_N`.\n  expected 2 elements\n  got      1"


def test_only_the_body_that_flies_freely_can_be_given_its_motion():
    mechanism = arm()
    mechanism.add_body("box", parent=mechanism.bodies["hub"], mass=1.0, inertia_B=np.eye(3))
    scn = cd.Scenario(mechanism=mechanism)
    scn.start({"box": messages.FrameMotion()})
    with pytest.raises(UnknownName, match="`box` is neither a joint nor a body that flies freely"):
        cd.Simulation(scn, dynamics=cd.RecursiveTree())


def test_a_start_of_the_wrong_shape_is_named():
    scn = cd.Scenario(mechanism=arm())
    scn.start({"hub": messages.FrameMotion(r_BN_N=np.zeros(2))})
    with pytest.raises(ShapeError, match=r"`hub \(start\).r_BN_N` expects an array of shape \(3,\)"):
        cd.Simulation(scn, dynamics=cd.RecursiveTree())


def test_a_port_of_the_mechanism_is_read_by_itself_or_by_its_path():
    mechanism = arm()
    sim = cd.Simulation(cd.Scenario(mechanism=mechanism), dynamics=cd.RecursiveTree())
    by_port, by_path = sim[mechanism.bodies["boom"].motion], sim["boom.motion"]
    assert by_port.r_BN_N == pytest.approx(by_path.r_BN_N)
