"""What would go wrong silently is refused: ambiguous names, features a service lacks, contradictory inputs."""

from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

import cardan as cd
from cardan import messages
from cardan.contracts.dynamics import Inputs
from cardan.dynamics import Calculator
from cardan.dynamics.mujoco import service
from cardan.errors import (
    DuplicateName,
    MechanismError,
    SettingError,
    ShapeError,
    UnknownName,
    UnsupportedByDynamics,
    WiringError,
)

ARM = """<mujoco model="arm"><option {option}><flag {flags}/></option><worldbody><body name="hub">
<joint name="free" type="free" {free}/><geom name="box" type="box" size=".5 .5 .5" mass="10"/><site name="root"/>
<body name="boom" pos=".5 0 0" {boom}><site name="tip" pos="1 0 0"/><joint name="hinge" axis="0 0 1" {joint}/>
<geom name="rod" type="capsule" size=".05" fromto="0 0 0 1 0 0" mass="1"/></body></body>
</worldbody><actuator>{actuator}</actuator>{more}</mujoco>"""

EMPTY = dict.fromkeys(("option", "free", "boom", "joint", "actuator", "more"), "")
OTHER = '<worldbody><body name="other" pos="3 0 0"><freejoint/><geom size=".1"/></body></worldbody>'
CLOTH = (
    '<worldbody><body name="frame">'
    '<flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1" mass="1" dim="2"><edge equality="true"/>'
    "</flexcomp></body></worldbody>"
)


def arm(flags: str = "", **options: str) -> cd.Mechanism:
    contact = "" if "contact" in flags else 'contact="disable" '
    return cd.Mechanism.from_mjcf(ARM.format(**EMPTY | {"flags": contact + flags} | options))


TOUCH = (
    "Leave contact out, with `contact=False` when the mechanism is read; say how they push each other,\n"
    "    with `mechanism.add_compliant_contact(...)`, for RecursiveTree(); or use Mujoco()."
)
LEAVE = "Leave {} out, with `{}=False` when the mechanism is read, or use Mujoco()."
PARTS = """Leave it out, with `mechanism.leave_out("actuators", only=[...])`, and make it a part; or use
    Mujoco(), if it knows it."""
LIMITS = """Leave them out, with `limits=False` when the mechanism is read, use
    RecursiveTree(ignore_limits=True), or Mujoco()."""
FRICTION = """Leave it out, with `friction=False` when the mechanism is read, and make it a part:
    `models.HingeFriction(friction=group.friction)` or `models.SlideFriction(...)`. Or use Mujoco()."""
WIRE = '<tendon><fixed name="wire" {}><joint joint="hinge" coef="1"/></fixed></tendon>'


@pytest.mark.parametrize(
    ("options", "reason", "remedy"),
    [
        ({"joint": 'frictionloss="1"'}, "dry friction: hinge", FRICTION),
        ({"joint": 'range="-9 9"'}, "joint limit: hinge", LIMITS),
        ({"joint": 'stiffness="1 2"'}, "nonlinear stiffness or damping: hinge", "Make it a part, or use Mujoco()."),
        ({"joint": 'damping="1 2"'}, "nonlinear stiffness or damping: hinge", "Make it a part, or use Mujoco()."),
        (
            {"joint": 'springyield="0.1" stiffness="1"'},
            "spring that yields: hinge",
            "How far it has yielded would be a state: make it a part.",
        ),
        (
            {"joint": 'type="ball" stiffness="1"'},
            "stiffness of a free or ball joint: hinge",
            "Make it a part, or use Mujoco().",
        ),
        ({"free": 'damping="1"'}, "damping or armature of a free joint: free", "Use Mujoco()."),
        ({"free": 'armature="1"'}, "damping or armature of a free joint: free", "Use Mujoco()."),
        (
            {"option": 'density="1"'},
            "medium with density or viscosity: arm",
            'Leave it out, with `mechanism.leave_out("medium")`, or use Mujoco().',
        ),
        (
            {"more": '<equality><joint name="tie" joint1="hinge"/></equality>'},
            "equality: tie",
            LEAVE.format("equality constraints", "equalities"),
        ),
        ({"more": WIRE.format('stiffness="1"')}, "tendon that pulls: wire", LEAVE.format("tendons", "tendons")),
        (
            {"flags": 'contact="enable"', "more": OTHER},
            "contact: hub with other, boom with other",
            TOUCH,
        ),
        (
            {"flags": 'contact="enable" filterparent="disable"'},
            "contact: hub with boom",
            TOUCH,
        ),
        (
            {"more": '<contact><pair geom1="box" geom2="rod"/></contact>', "flags": 'contact="enable"'},
            "contact: hub with boom",
            TOUCH,
        ),
    ],
)
def test_what_the_recursion_would_ignore_is_refused_by_it(options, reason, remedy):
    with pytest.raises(cd.CardanError) as caught:
        cd.Simulation(cd.Scenario(mechanism=arm(**options)), dynamics=cd.RecursiveTree())
    assert str(caught.value) == f"RecursiveTree cannot run the mechanism `arm`:\n  {reason}\n    {remedy}"


@pytest.mark.parametrize(
    ("actuator", "reason"),
    [
        ('<motor name="m" joint="free"/>', "actuator on a free joint, or on a ball joint in the parent's frame"),
        ('<damper name="m" joint="hinge" kv="1" ctrlrange="0 1"/>', "actuator with a gain that is not constant"),
        ('<general name="m" joint="hinge" dyntype="filter" dynprm="1"/>', "actuator with an activation"),
        ('<motor name="m" joint="hinge" delay="0.1" nsample="5"/>', "actuator with a delay"),
        ('<motor name="m" joint="hinge" armature="0.1"/>', "actuator with an armature or damping of its own"),
        ('<motor name="m" site="tip" refsite="root"/>', "actuator on a site relative to another"),
        ('<position name="m" site="tip" kp="1" kv="1"/>', "servo that is not on a hinge or slide"),
        ('<adhesion name="m" body="boom" ctrlrange="0 1"/>', "actuator on the contacts of a body"),
    ],
)
def test_an_actuator_beyond_motors_and_servos_is_called_what_it_is(actuator, reason):
    with pytest.raises(cd.CardanError) as caught:
        cd.Simulation(cd.Scenario(mechanism=arm(actuator=actuator)), dynamics=cd.RecursiveTree())
    assert str(caught.value) == f"RecursiveTree cannot run the mechanism `arm`:\n  {reason}: m\n    {PARTS}"


@pytest.mark.parametrize(
    "options",
    [
        {"joint": 'range="-9 9"', "flags": 'limit="disable"'},
        {"joint": 'range="-9 9" frictionloss="1"', "flags": 'constraint="disable"'},
        {"joint": 'frictionloss="1"', "flags": 'frictionloss="disable"'},
        {"more": '<equality><joint name="tie" joint1="hinge" active="false"/></equality>'},
        {"more": '<equality><joint name="tie" joint1="hinge"/></equality>', "flags": 'equality="disable"'},
        {"more": WIRE.format("")},
        {
            "flags": 'contact="enable" filterparent="disable"',
            "more": '<contact><exclude body1="boom" body2="hub"/></contact>',
        },
        {"more": '<contact><pair geom1="box" geom2="rod"/></contact>'},
        {"boom": 'gravcomp="1"'},
        {"joint": 'actuatorfrcrange="-1 1"'},
        {"option": 'wind="1 2 3"'},
        {"more": '<worldbody><body name="hand" mocap="true" pos="9 9 9"/></worldbody>'},
        {"joint": 'springyield="0.1" stiffness="1"', "flags": 'spring="disable"'},
    ],
)
def test_what_has_no_effect_is_accepted_and_both_services_agree(options):
    mechanism = arm(**options)
    scn = cd.Scenario(mechanism=mechanism)
    scn.connect(messages.HingeTorque(0.3), mechanism.joints["hinge"].effort)
    scn.start({"hub": messages.FrameMotion(omega_BN_B=[0.1, 0.2, 0.3]), "hinge": messages.HingeState(0.1, 0.2)})
    rates = []
    for dynamics in (cd.RecursiveTree(), *(() if "springyield" in str(options) else (cd.Mujoco(),))):
        sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.05))
        sim.run(until=0.1, progress=False)
        rates.append(sim["hinge.state"].rate)
    # two steps of the same equations in another order of operations
    assert rates == pytest.approx([rates[0]] * len(rates), rel=1e-13)


def test_a_refusal_of_many_elements_fits_on_a_screen():
    mechanism = cd.Mechanism("chain")
    body = mechanism.add_body("hub", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    spec = mechanism._spec
    for i in range(60):
        body = mechanism.add_body(f"b{i}", parent=body, joint=cd.Hinge(), mass=1.0, inertia_B=np.eye(3))
        spec.joint(f"b{i}_joint").range = [-1.0, 1.0]
        spec.joint(f"b{i}_joint").frictionloss = 0.1
    with pytest.raises(UnsupportedByDynamics) as caught:
        cd.Simulation(cd.Scenario(mechanism=mechanism), dynamics=cd.RecursiveTree())
    lines = str(caught.value).splitlines()
    assert lines[1] == "  joint limit: " + ", ".join(f"b{i}_joint" for i in range(8)) + " and 52 more"
    assert len(lines) == 7


def test_a_flexible_body_is_refused_by_every_service():
    for dynamics in (cd.RecursiveTree(), cd.Mujoco()):
        with pytest.raises(UnsupportedByDynamics) as caught:
            cd.Simulation(cd.Scenario(mechanism=arm(more=CLOTH)), dynamics=dynamics)
        text = str(caught.value)
        assert text.startswith(f"{dynamics.name} cannot run the mechanism `arm`:\n")
        assert "  flexible body: flex0" in text.splitlines()


@pytest.mark.parametrize(
    ("options", "reason", "remedy"),
    [
        (
            {"actuator": '<general name="lag" joint="hinge" dyntype="filter" dynprm="1"/>'},
            "activation dynamics: lag",
            "Make the lag a part of the scenario.",
        ),
        (
            {"actuator": '<motor name="late" joint="hinge" delay="0.1" nsample="5"/>'},
            "delay: late",
            "Delay the command instead: `scn.connect(..., delay=...)`.",
        ),
        (
            {"joint": 'springyield="0.1" stiffness="1"'},
            "spring that yields: hinge",
            "How far it has yielded would be a state: make it a part.",
        ),
    ],
)
def test_what_mujoco_keeps_between_evaluations_is_refused_by_it(options, reason, remedy):
    with pytest.raises(UnsupportedByDynamics) as caught:
        cd.Simulation(cd.Scenario(mechanism=arm(**options)), dynamics=cd.Mujoco())
    assert str(caught.value) == f"Mujoco cannot run the mechanism `arm`:\n  {reason}\n    {remedy}"


def test_a_plugin_with_a_state_is_refused_by_mujoco():
    # the package ships no plugin with a state: a stand-in for the compiled model of one that has
    none = np.zeros(0)
    model = SimpleNamespace(nflex=0, nactuator=0, npluginstate=1, jnt_springyield=none, tendon_springyield=none)
    assert service._kept_between_evaluations(model) == [("plugin0", "plugin with a state of its own", "")]


def test_mujoco_refuses_mass_properties_of_a_body_that_others_are_fixed_to():
    mechanism = arm()
    mechanism.add_body("box", parent=mechanism.bodies["boom"], mass=1.0, inertia_B=np.eye(3))
    scn = cd.Scenario(mechanism=mechanism)
    scn.connect(messages.MassProperties(2.0, np.zeros(3), np.eye(3)), mechanism.bodies["boom"].mass_properties)
    with pytest.raises(UnsupportedByDynamics) as caught:
        cd.Simulation(scn, dynamics=cd.Mujoco())
    assert str(caught.value) == (
        "Mujoco cannot run the mechanism `arm`:\n  mass_properties of a body that others are fixed to: boom"
    )


def test_a_lock_takes_time():
    for kind, shown in {
        cd.RecursiveTree: "RecursiveTree(lock_time_constant=0.0, ignore_limits=False)",
        cd.Mujoco: "Mujoco(lock_time_constant=0.0, solref=None, solimp=None, friction=None, cone=None)",
    }.items():
        with pytest.raises(SettingError) as caught:
            kind(lock_time_constant=0.0)
        assert str(caught.value) == f"{shown}: lock_time_constant must be positive and finite."


def test_an_old_or_broken_installation_of_mujoco_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(mujoco, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(MechanismError) as caught:
        service._library.__wrapped__()
    assert str(caught.value) == (
        f"The MuJoCo library is not in its package, {tmp_path}.\n  Install `mujoco-core` again."
    )
    monkeypatch.setattr(mujoco, "__version__", "3.9.1")
    with pytest.raises(MechanismError) as caught:
        service._library.__wrapped__()
    assert str(caught.value) == "MuJoCo 3.9.1 is installed.\n  Install `mujoco-core>=4.0.1`."


def test_a_calculator_names_coordinates_of_another_mechanism():
    with pytest.raises(ShapeError) as caught:
        Calculator(arm()).forward(np.zeros(7), np.zeros(7))
    assert str(caught.value) == "`q` has shape (7,).\n  expected (8,)"


def test_a_joint_starts_with_its_own_kind_of_state():
    scn = cd.Scenario(mechanism=arm())
    scn.start({"hinge": messages.SlideState(0.1, 0.0)})
    with pytest.raises(ShapeError) as caught:
        cd.Simulation(scn, dynamics=cd.RecursiveTree())
    assert str(caught.value) == "`hinge` starts with a HingeState, got SlideState."


def test_the_rest_of_a_spring_is_in_radians_whatever_the_file_uses():
    mechanism = arm()
    mechanism.add_body("flap", parent=mechanism.bodies["hub"], joint=cd.Hinge(stiffness=1.0, rest=0.5), mass=1.0,
                       inertia_B=np.eye(3))  # fmt: skip
    assert mechanism.tree.rest[-1] == pytest.approx(0.5)


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
    with pytest.raises(UnknownName) as caught:
        cd.Simulation(scn, dynamics=cd.RecursiveTree())
    assert str(caught.value) == (
        "`box` is neither a joint nor a body that flies freely.\n  These can be given a state: hub, free, hinge"
    )


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


def test_a_model_that_was_written_to_is_looked_at_again():
    m = cd.Mechanism.from_mjcf(ARM.format(**EMPTY, flags='contact="disable"'))
    nothing = cd.RecursiveTree().unsupported(m, Inputs())
    m.model.opt.density = 1.0
    (found,) = cd.RecursiveTree().unsupported(m, Inputs())
    assert (nothing, found.reason) == ([], "medium with density or viscosity")
