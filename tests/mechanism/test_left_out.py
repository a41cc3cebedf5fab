"""Doing without: what files of real arms have and a service does not know, left out by kind and reported."""

import os
from pathlib import Path

import mujoco
import numpy as np
import pytest

import cardan as cd
from cardan import messages, models
from cardan.contracts.dynamics import Inputs
from cardan.errors import MechanismError
from cardan.mechanism.compiling import without_words_of_qhull

ARMS = Path(__file__).parent / "arms"
EVERYTHING = """<mujoco model="all"><option density="2"/><asset><material name="paint"/></asset><worldbody>
<body name="hub"><freejoint name="free"/><geom name="box" type="box" size=".5 .4 .3" mass="10" material="paint"/>
<body name="a" pos="1 0 0"><joint name="ja" axis="0 0 1" range="-90 90" frictionloss=".1" damping=".2" stiffness=".3"/>
<geom name="rod" type="capsule" size=".05" fromto="0 0 0 1 0 0" density="100"/><site name="s1"/></body>
<body name="b" pos="-1 0 0"><joint name="jb" axis="0 1 0"/><inertial pos="0 0 .1" mass="2" diaginertia=".1 .1 .1"/>
<geom size=".2"/><site name="s2"/></body></body></worldbody>
<contact><pair geom1="box" geom2="rod"/></contact>
<tendon><spatial name="wire" stiffness="3" limited="true" range="0 9" frictionloss=".1">
<site site="s1"/><site site="s2"/></spatial></tendon>
<equality><joint name="tie" joint1="ja" joint2="jb"/><tendon name="taut" tendon1="wire"/></equality>
<actuator><motor name="drive" joint="ja"/><motor name="winch" tendon="wire"/></actuator>
<sensor><tendonpos name="length" tendon="wire"/></sensor><keyframe><key name="home" ctrl="0 1"/></keyframe></mujoco>"""


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("contact", {"contact": ("box", "rod", "a geom of b", "pair0")}),
        ("limits", {"limits": ("ja", "wire")}),
        ("friction", {"friction": ("ja", "wire")}),
        ("actuators", {"actuators": ("drive", "winch"), "sensors": ("length",), "keyframes": ("home",)}),
        (
            "tendons",
            {
                "tendons": ("wire",),
                "actuators": ("winch",),
                "equalities": ("taut",),
                "sensors": ("length",),
                "keyframes": ("home",),
            },
        ),
        ("equalities", {"equalities": ("tie", "taut"), "sensors": ("length",), "keyframes": ("home",)}),
    ],
)
def test_each_kind_can_be_left_out_by_option_or_later_and_is_reported(kind, names):
    by_option, later = cd.Mechanism.from_mjcf(EVERYTHING, **{kind: False}), cd.Mechanism.from_mjcf(EVERYTHING)
    assert dict(later.left_out) == {}
    later.leave_out(kind)
    for mechanism in (by_option, later):
        assert dict(mechanism.left_out) == names
        refused = {item.reason for item in cd.RecursiveTree().unsupported(mechanism, Inputs())}
        gone = {"contact": "contact", "limits": "joint limit", "friction": "dry friction", "equalities": "equality"}
        assert gone.get(kind, "tendon that pulls" if kind == "tendons" else "actuator on a tendon") not in refused


def test_single_elements_can_be_left_out_and_the_others_stay():
    mechanism = cd.Mechanism.from_mjcf(EVERYTHING)
    mechanism.leave_out("limits", "friction", only=["wire"])
    mechanism.leave_out("actuators", only=["winch"])
    assert mechanism.left_out["friction"] == ("wire",) == mechanism.left_out["limits"]
    assert list(mechanism.actuators) == ["drive"]
    assert mechanism.model.jnt_limited.any() and mechanism.model.dof_frictionloss.any()
    other = cd.Mechanism.from_mjcf(EVERYTHING)
    with pytest.raises(MechanismError) as caught:
        other.leave_out("friction", only=["jo"])
    assert str(caught.value) == ("`the given text` has no friction of `jo`. Did you mean `ja`?\n  There is: ja, wire")
    with pytest.raises(MechanismError) as caught:
        other.leave_out("geometry", only=["box"])
    assert str(caught.value) == "`geometry` is left out as a whole, or not at all.\n  Leave `only` away."


def test_springs_dampers_and_a_medium_can_be_left_out_too():
    mechanism = cd.Mechanism.from_mjcf(EVERYTHING)
    mechanism.leave_out("springs", "dampers", "medium")
    assert dict(mechanism.left_out) == {"springs": ("ja", "wire"), "dampers": ("ja",), "medium": ("density",)}
    assert not (mechanism.tree.stiffness.any() or mechanism.tree.damping.any() or mechanism.model.opt.density)


def test_a_spring_and_a_damper_that_are_given_together_go_together():
    text = EVERYTHING.replace('damping=".2" stiffness=".3"', 'springdamper="1 0.5"')
    assert cd.Mechanism.from_mjcf(text).tree.stiffness.any()
    mechanism = cd.Mechanism.from_mjcf(text)
    mechanism.leave_out("dampers", only=["ja"])
    assert dict(mechanism.left_out) == {"springs": ("ja",), "dampers": ("ja",)}
    assert not (mechanism.tree.stiffness.any() or mechanism.tree.damping.any())


def test_without_geometry_bodies_keep_the_inertia_of_their_shapes():
    whole, bare = cd.Mechanism.from_mjcf(EVERYTHING), cd.Mechanism.from_mjcf(EVERYTHING, geometry=False)
    assert bare.model.ngeom == 0 == bare.model.nmat
    assert bare.left_out["geometry"] == ("box", "rod", "a geom of b")
    for name in ("hub", "a", "b"):
        for kept, given in zip(bare.tree.body_mass[name], whole.tree.body_mass[name], strict=True):
            assert kept == pytest.approx(given, rel=1e-14, abs=1e-16)


def test_what_was_left_out_is_printed():
    mechanism = cd.Mechanism.from_mjcf(EVERYTHING, limits=False, friction=False)
    assert repr(mechanism) == "<mechanism all: 3 bodies, 3 joints; left out: limits (2), friction (2)>"
    assert str(mechanism.left_out) == "left out:\n  limits    ja, wire\n  friction  ja, wire"
    assert str(cd.Mechanism("a").left_out) == "nothing was left out"
    assert "left out: limits (2), friction (2)" in str(cd.Scenario("s", mechanism=mechanism))
    host = cd.Mechanism("host")
    host.attach(mechanism, name="left")
    assert host.left_out["limits"] == ("left/ja", "left/wire")
    many = cd.Mechanism.from_urdf(ARMS / "six_joints.urdf", geometry=False, friction=False)
    host.attach(many, name="a")
    host.attach(many, name="b")
    friction = next(line for line in str(host.left_out).splitlines() if "friction" in line)
    assert friction.startswith("  friction  left/ja, left/wire, a/shoulder_pan")
    assert friction.endswith("a/elbow, a/wrist_1, a/wrist_2, b/shoulder_pan and 4 more")


def test_only_known_kinds_can_be_left_out_and_only_before_compiling():
    mechanism = cd.Mechanism.from_mjcf(EVERYTHING)
    with pytest.raises(MechanismError) as caught:
        mechanism.leave_out("gravity")
    assert str(caught.value) == (
        "`gravity` cannot be left out.\n  These can: geometry, contact, limits, friction, actuators, tendons, "
        "equalities, springs, dampers, medium"
    )
    _ = mechanism.model
    with pytest.raises(MechanismError) as caught:
        mechanism.leave_out("limits")
    assert str(caught.value) == (
        "Cannot leave out limits: `all` is compiled already.\n  Build it up before it is used."
    )


def test_what_the_options_of_a_part_switch_off_stays_off_where_it_is_attached():
    flags = '<flag contact="disable" limit="disable" spring="disable"/>'
    options = f'<option density="2" actuatorgroupdisable="0">{flags}</option>'
    part = cd.Mechanism.from_mjcf(EVERYTHING.replace('<option density="2"/>', options))
    host = cd.Mechanism("host")
    host.attach(part, name="p")
    assert set(host.left_out) == {"contact", "limits", "springs", "actuators", "sensors", "keyframes", "medium"}
    assert host.left_out["actuators"] == ("p/drive", "p/winch")
    assert not host.tree.stiffness.any() and not host.model.jnt_limited.any() and not host.model.geom_contype.any()
    quiet = cd.Mechanism.from_mjcf("<mujoco><option><flag contact='disable'/></option></mujoco>")
    quiet.attach(part, name="p")
    assert "contact" not in quiet.left_out  # the host has the flag itself


MESHED = """<mujoco model="meshed"><asset><mesh name="m" file="nowhere.stl"/></asset><worldbody><body name="b">
<freejoint/>{}<geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
GIVEN = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'


def test_a_mesh_that_is_missing_is_named_with_a_way_to_go_on_and_it_works():
    with pytest.raises(MechanismError) as caught:
        _ = cd.Mechanism.from_mjcf(MESHED.format(GIVEN)).model
    assert str(caught.value) == (
        "`the given text` cannot be compiled.\n  MuJoCo: Error: Error opening file 'nowhere.stl'\n"
        "  Put the file there, or leave all shapes out: read the mechanism with `geometry=False`."
    )
    assert cd.Mechanism.from_mjcf(MESHED.format(GIVEN), geometry=False).tree.mass.sum() == 1.0


def test_a_mesh_of_an_unknown_kind_is_named_with_a_way_to_go_on(tmp_path):
    (tmp_path / "shape.glb").write_bytes(b"glTF")
    (tmp_path / "arm.xml").write_text(MESHED.format(GIVEN).replace("nowhere.stl", "shape.glb"))
    with pytest.raises(MechanismError) as caught:
        _ = cd.Mechanism.from_mjcf(tmp_path / "arm.xml").model
    first, told, advice = str(caught.value).split("\n")
    assert "cannot be compiled" in first and "shape.glb" in told
    assert advice == "  Mend the mesh, or leave all shapes out: read the mechanism with `geometry=False`."
    assert cd.Mechanism.from_mjcf(tmp_path / "arm.xml", geometry=False).tree.mass.sum() == 1.0


def test_a_mesh_without_a_hull_is_named_and_nothing_else_is_printed(capfd):
    """Flat but for rounding: Qhull writes a page to stderr."""
    places = "0 0 0  1 0 1e-17  0 1 -1e-17  1 1 3e-17  0.5 0.7 2e-17"
    text = MESHED.format(GIVEN).replace('file="nowhere.stl"', f'vertex="{places}"')
    with pytest.raises(MechanismError) as caught:
        _ = cd.Mechanism.from_mjcf(text).model
    assert str(caught.value).endswith(
        "\n  Mend the mesh, or leave all shapes out: read the mechanism with `geometry=False`."
    )
    assert capfd.readouterr() == ("", "")
    assert cd.Mechanism.from_mjcf(text, geometry=False).tree.mass.sum() == 1.0


def test_what_others_print_while_a_mesh_is_compiled_is_kept(capfd):
    cube = " ".join(f"{x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    text = MESHED.format(GIVEN).replace('file="nowhere.stl"', f'vertex="{cube}"')
    with without_words_of_qhull(mujoco.MjSpec.from_string(text)):
        os.write(2, b"heard")
    assert capfd.readouterr().err == "heard"


def test_an_inertia_that_follows_from_a_missing_mesh_is_unknown():
    with pytest.raises(MechanismError) as caught:
        cd.Mechanism.from_mjcf(MESHED.format(""), geometry=False)
    assert str(caught.value) == (
        "`the given text` cannot be read without its geometry: the inertia of `b`\n"
        "  follows from meshes, and they cannot be read either. Give these bodies an `<inertial>`.\n"
        "  MuJoCo: Error: Error opening file 'nowhere.stl'"
    )


# ---- real arms on a bus ----------------------------------------------------------------------------------------------


def flying(arm: cd.Mechanism) -> cd.Mechanism:
    bus = cd.Mechanism("servicer")
    hub = bus.add_body("bus", joint=cd.Free(), mass=200.0, inertia_B=np.diag([50.0, 60.0, 70.0]))
    bus.attach(arm, name="arm", to=hub, r_BP_P=[0.5, 0.0, 0.0])
    return bus


def ends(scn: cd.Scenario, joints: list[str]) -> list[np.ndarray]:
    """Where joints and bus are after half a second, on either service, and that momentum is kept."""
    found = []
    for dynamics in (cd.RecursiveTree(), cd.Mujoco()):
        sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.001))
        record = cd.Record(every=0.1, ports=["*.state", "bus.motion", "bus.momentum"])
        log = sim.run(until=0.5, record=record, progress=False)
        # [N m s] Rk4 beside servos of 10 Hz; the arm alone carries about 1
        assert log["bus.momentum"].momentum_C_N[-1] == pytest.approx(np.zeros(3), abs=1e-6)
        angles = [log[f"{name}.state"].angle[-1] for name in joints]
        found.append(np.array([*angles, *log["bus.motion"].sigma_BN[-1]]))
    return found


def test_a_seven_joint_arm_with_servos_flies_on_a_bus_on_both_services_alike(capfd):
    """Its meshes are not there; contact, limits, friction, tendon and equality are left out, its seven servos kept."""
    options = {"geometry": False, "limits": False, "friction": False, "tendons": False, "equalities": False}
    arm = cd.Mechanism.from_mjcf(ARMS / "seven_joints.xml", **options)
    assert {kind: len(names) for kind, names in arm.left_out.items()} == {
        "geometry": 13, "sensors": 2, "keyframes": 1, "limits": 9, "friction": 7, "tendons": 1, "actuators": 1,
        "equalities": 1,
    }  # fmt: skip
    bus = flying(arm)
    assert bus.left_out["options"] == ("arm/impratio",)
    assert capfd.readouterr() == ("", "")  # MuJoCo says nothing about options in which the two differ
    joints = [f"arm/joint{i}" for i in range(1, 8)]
    assert list(bus.actuators) == [f"arm/actuator{i}" for i in range(1, 8)]

    scn = cd.Scenario("reach", mechanism=bus)
    wanted = dict(zip(joints, [0.4, -0.5, 0.3, -1.8, 0.2, 1.4], strict=False))
    for i, angle in enumerate(wanted.values(), start=1):
        scn.connect(messages.ActuatorCommand(angle), bus.actuators[f"arm/actuator{i}"].command)
    scn.connect(messages.ActuatorCommand(0.3), bus.actuators["arm/actuator7"].command)
    hinges = bus.group_of_hinges("hinges", *joints)
    assert hinges.friction.tolist() == [0.4] * 4 + [0.2] * 3
    friction = scn.add(models.HingeFriction(hinges.friction, transition=0.01), name="friction", states=hinges.states)
    scn.connect(friction.torques, hinges.efforts)
    scn.start({"arm/joint4": messages.HingeState(-1.5), "arm/joint6": messages.HingeState(1.5)})
    recursive, mujoco = ends(scn, joints)
    # the servos have nearly reached their commands, and the services differ by rounding
    assert recursive[:6] == pytest.approx(list(wanted.values()), abs=0.15)
    assert recursive == pytest.approx(mujoco, rel=1e-9, abs=1e-12)
    assert np.linalg.norm(recursive[7:]) > 1e-3  # the bus has turned


def test_a_six_joint_urdf_with_a_massless_link_flies_on_a_bus_on_both_services_alike():
    arm = cd.Mechanism.from_urdf(ARMS / "six_joints.urdf", geometry=False, limits=False, friction=False)
    bus = flying(arm)
    joints = [name for name in bus.joints if name.startswith("arm/")]
    hinges = bus.group_of_hinges("hinges", *joints)
    assert hinges.max_torque.tolist() == [150.0, 150.0, 150.0, 28.0, 28.0, 28.0]
    assert bus.tree.body_mass["arm/base_link"][0] == 0.0 == bus.tree.body_mass["arm/wrist_1"][0]
    scn = cd.Scenario("swing", mechanism=bus)
    asked = messages.HingeTorques(np.array([2.0, -3.0, 1.0, 0.2, -0.2, 0.01]))
    limits = scn.add(models.HingeTorqueLimits(hinges.max_torque), name="limits", command=asked)
    scn.connect(limits.torques, hinges.efforts)
    scn.start({"arm/elbow": messages.HingeState(1.0), "arm/wrist_2": messages.HingeState(0.7)})
    recursive, mujoco = ends(scn, joints)
    assert recursive == pytest.approx(mujoco, rel=1e-9, abs=1e-12)
    assert np.abs(recursive[:6]).min() > 1e-2
