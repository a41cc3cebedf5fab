"""What would go wrong silently is refused: ambiguous names, features a service lacks, contradictory inputs."""

from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

import cardan as cd
from cardan import messages
from cardan.dynamics.mujoco import service
from cardan.dynamics.recursive_tree.calculator import Calculator
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
<joint name="free" type="free" {free}/><geom type="box" size=".5 .5 .5" mass="10"/>
<body name="boom" pos=".5 0 0" {boom}>
<joint name="hinge" axis="0 0 1" {joint}/><geom type="capsule" size=".05" fromto="0 0 0 1 0 0" mass="1"/></body></body>
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


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"joint": 'actuatorfrcrange="-1 1"'}, "hinge  limit of the actuator force at a joint"),
        ({"flags": 'spring="disable"'}, "arm  the flag that disables spring"),
        ({"flags": 'actuation="disable"'}, "arm  the flag that disables actuation"),
        ({"actuator": '<motor name="m" joint="free"/>'}, "m  actuator other than a motor on a joint or site"),
        ({"actuator": '<position name="m" joint="hinge"/>'}, "m  actuator other than a motor on a joint or site"),
        ({"joint": 'frictionloss="1"'}, "hinge  dry friction"),
        ({"joint": 'range="-9 9"'}, "hinge  joint limit (or use RecursiveTree(ignore_limits=True))"),
        ({"joint": 'stiffness="1 2"'}, "hinge  nonlinear stiffness or damping"),
        ({"joint": 'damping="1 2"'}, "hinge  nonlinear stiffness or damping"),
        ({"joint": 'springyield="0.1"'}, "hinge  spring that yields"),
        ({"joint": 'type="ball" stiffness="1"'}, "hinge  stiffness of a free or ball joint"),
        ({"free": 'damping="1"'}, "free  damping or armature of a free joint"),
        ({"free": 'armature="1"'}, "free  damping or armature of a free joint"),
        ({"boom": 'gravcomp="1"'}, "hinge  gravity compensation"),
        ({"option": 'density="1"'}, "arm  medium with density or viscosity"),
        ({"flags": 'damper="disable"'}, "arm  the flag that disables damper"),
        ({"more": '<equality><joint name="tie" joint1="hinge"/></equality>'}, "tie  equality constraint"),
        (
            {"more": '<tendon><fixed name="wire"><joint joint="hinge" coef="1"/></fixed></tendon>'},
            "wire  tendon",
        ),
        (
            {"flags": 'contact="enable"', "more": OTHER},
            'arm  contact between geoms (disable it with `<flag contact="disable"/>`)',
        ),
    ],
)
def test_what_the_recursion_would_ignore_is_refused_by_it(options, line):
    with pytest.raises(cd.CardanError) as caught:
        cd.Simulation(cd.Scenario(mechanism=arm(**options)), dynamics=cd.RecursiveTree())
    assert str(caught.value) == f"RecursiveTree cannot run the mechanism `arm`:\n  {line}"


def test_a_flexible_body_is_refused_by_every_service():
    for dynamics in (cd.RecursiveTree(), cd.Mujoco()):
        with pytest.raises(UnsupportedByDynamics) as caught:
            cd.Simulation(cd.Scenario(mechanism=arm(more=CLOTH)), dynamics=dynamics)
        text = str(caught.value)
        assert text.startswith(f"{dynamics.name} cannot run the mechanism `arm`:\n")
        assert ["flex0", "flexible body"] in [line.split(maxsplit=1) for line in text.splitlines()]


def test_what_mujoco_keeps_between_evaluations_is_refused_by_it():
    lag = '<general name="lag" joint="hinge" dyntype="filter" dynprm="1"/>'
    with pytest.raises(UnsupportedByDynamics) as caught:
        cd.Simulation(cd.Scenario(mechanism=arm(actuator=lag)), dynamics=cd.Mujoco())
    assert str(caught.value) == (
        "Mujoco cannot run the mechanism `arm`:\n  lag  activation dynamics (make the lag a part of the scenario)"
    )

    # the package ships no plugin with a state: a stand-in for the compiled model of one that has
    model = SimpleNamespace(nflex=0, nu=0, npluginstate=1)
    mechanism = SimpleNamespace(model=model, tree=SimpleNamespace(bodies={}))
    assert cd.Mujoco().unsupported(mechanism, frozenset()) == [("plugin0", "plugin with a state of its own")]


def test_mujoco_refuses_mass_properties_of_a_body_that_others_are_fixed_to():
    mechanism = arm()
    mechanism.add_body("box", parent=mechanism.bodies["boom"], mass=1.0, inertia_B=np.eye(3))
    scn = cd.Scenario(mechanism=mechanism)
    scn.connect(messages.MassProperties(2.0, np.zeros(3), np.eye(3)), mechanism.bodies["boom"].mass_properties)
    with pytest.raises(UnsupportedByDynamics) as caught:
        cd.Simulation(scn, dynamics=cd.Mujoco())
    assert str(caught.value) == (
        "Mujoco cannot run the mechanism `arm`:\n  boom  mass_properties of a body that others are fixed to"
    )


def test_a_lock_takes_time():
    for kind, shown in {
        cd.RecursiveTree: "RecursiveTree(lock_time_constant=0.0, ignore_limits=False)",
        cd.Mujoco: "Mujoco(lock_time_constant=0.0)",
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
