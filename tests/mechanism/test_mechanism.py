"""Mechanisms: where they come from, how they are composed, what they refuse."""

from typing import Any

import numpy as np
import pytest

import cardan as cd
from cardan import messages
from cardan.errors import DuplicateName, MassesChanged, MechanismError, SettingError, UnknownName, WiringError

HUB = """<mujoco model="sat"><worldbody><body name="hub"><freejoint name="free"/>
<geom type="box" size=".5 .5 .5" mass="10"/><site name="port" pos=".5 0 0"/></body></worldbody></mujoco>"""
ARM = """<mujoco model="arm"><worldbody><body name="upper"><joint name="shoulder" axis="0 0 1"/>
<geom type="capsule" size=".05" fromto="0 0 0 1 0 0" mass="1"/><body name="lower" pos="1 0 0">
<joint name="elbow" axis="0 0 1"/><geom type="capsule" size=".05" fromto="0 0 0 1 0 0" mass="1"/></body></body>
</worldbody></mujoco>"""
URDF = """<robot name="bot"><link name="base"><inertial><mass value="5"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="yaw" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""


def test_an_mjcf_file_is_read_as_its_text_is(tmp_path):
    path = tmp_path / "sat.xml"
    path.write_text(HUB)
    from_file, from_text = cd.Mechanism.from_mjcf(path), cd.Mechanism.from_mjcf(HUB)
    assert from_file.name == from_text.name == "sat"
    assert np.array_equal(from_file.tree.mass, from_text.tree.mass)


def test_mechanisms_of_the_same_content_share_one_tree_that_nobody_writes_to():
    first, again = cd.Mechanism.from_mjcf(HUB).tree, cd.Mechanism.from_mjcf(HUB).tree
    heavier = cd.Mechanism.from_mjcf(HUB.replace('mass="10"', 'mass="11"')).tree
    assert again is first and heavier is not first
    assert heavier.body_mass["hub"][0] == pytest.approx(11.0)
    for array in (first.mass, first.inertia, first.bodies["hub"].pos, first.body_mass["hub"][2]):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


def test_inertia_follows_from_geometry():
    mass, com, inertia = cd.Mechanism.from_mjcf(HUB).tree.body_mass["hub"]
    assert (mass, com.tolist()) == (pytest.approx(10.0), [0.0, 0.0, 0.0])
    assert inertia == pytest.approx(10.0 / 6.0 * np.eye(3))


def test_attached_mechanisms_have_scoped_names():
    sat, arm = cd.Mechanism.from_mjcf(HUB), cd.Mechanism.from_mjcf(ARM)
    sat.attach(arm, name="left", to=sat.sites["port"])
    sat.attach(arm, name="right", to=sat.bodies["hub"], r_BP_P=(-0.5, 0.0, 0.0), q_BP=(0.0, 0.0, 0.0, 1.0))
    assert list(sat.joints) == ["free", "left/shoulder", "left/elbow", "right/shoulder", "right/elbow"]
    scn = cd.Scenario(mechanism=sat)
    scn.start({"left/elbow": messages.HingeState(0.0, 1.0), "right/elbow": messages.HingeState(0.0, 1.0)})
    sim = cd.Simulation(scn, dynamics=cd.Mujoco())
    assert sim["left/lower.motion"].r_BN_N == pytest.approx([1.5, 0.0, 0.0])
    assert sim["right/lower.motion"].r_BN_N == pytest.approx([-1.5, 0.0, 0.0])


def test_several_vehicles_fly_in_one_world():
    world = cd.Mechanism("world")
    for name in ("chaser", "target"):
        # without contact, which the recursion does not know
        world.attach(
            cd.Mechanism.from_mjcf(HUB.replace('mass="10"', 'mass="10" contype="0" conaffinity="0"')), name=name
        )
    scn = cd.Scenario(mechanism=world)
    scn.start(
        {
            "chaser/hub": messages.FrameMotion(v_BN_N=np.array([1.0, 0.0, 0.0])),
            "target/hub": messages.FrameMotion(r_BN_N=np.array([0.0, 50.0, 0.0]), omega_BN_B=np.array([0.0, 0.0, 0.1])),
        }
    )
    scn.connect(messages.BodyWrench(force_B=np.array([10.0, 0.0, 0.0])), world.bodies["target/hub"].wrench)
    for dynamics in (cd.RecursiveTree(), cd.Mujoco()):
        sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.01))
        sim.run(until=2.0)
        assert sim["chaser/hub.motion"].r_BN_N == pytest.approx([2.0, 0.0, 0.0], abs=1e-12)
        # a push along a turning axis: v = F/m (sin(w t), 1 - cos(w t)) / w
        expected = np.array([np.sin(0.2), 1.0 - np.cos(0.2), 0.0]) / 0.1
        assert sim["target/hub.motion"].v_BN_N == pytest.approx(expected, abs=1e-9)


def test_a_urdf_base_is_fixed_unless_it_is_asked_to_fly():
    fixed, free = cd.Mechanism.from_urdf(URDF), cd.Mechanism.from_urdf(URDF, free_base=True)
    assert (fixed.tree.nv, free.tree.nv) == (1, 7)
    assert list(free.joints) == ["base_free", "yaw"]


def test_a_mechanism_on_a_fixed_base_runs_on_both_services():
    """A pendulum without gravity, on a spring: its period is that of the closed form."""
    mechanism = cd.Mechanism("pendulum")
    joint = cd.Hinge(axis_B=(0, 1, 0), stiffness=8.0)
    mechanism.add_body("bar", joint=joint, mass=2.0, inertia_B=0.5 * np.eye(3), r_CB_B=(0.5, 0.0, 0.0))
    for dynamics in (cd.RecursiveTree(), cd.Mujoco()):
        scn = cd.Scenario(mechanism=mechanism)
        scn.start({"bar_joint": messages.HingeState(angle=0.1)})
        sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Dop853(rtol=1e-12, atol=1e-14))
        log = sim.run(until=5.0, record=cd.Record(every=0.1, ports=["bar_joint.state"]))
        assert log["bar_joint.state"].angle == pytest.approx(0.1 * np.cos(np.sqrt(8.0 / 1.0) * log.t), abs=1e-11)


def _ball() -> Any:
    mechanism = cd.Mechanism("arm")
    hub = mechanism.add_body("hub", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    mechanism.add_body("hand", parent=hub, joints={"wrist": cd.Ball()}, mass=1.0, inertia_B=np.eye(3))
    return mechanism.joints["wrist"]


@pytest.mark.parametrize(
    ("action", "kind", "text"),
    [
        (lambda: cd.Mechanism.from_mjcf("missing.xml"), MechanismError, "There is no file missing.xml."),
        (
            lambda: cd.Mechanism.from_mjcf(HUB).bodies["hob"],
            UnknownName,
            "`sat` has no body `hob`. Did you mean `hub`?\n  There are: hub",
        ),
        (
            lambda: cd.Mechanism.from_mjcf(HUB).joints["free"].lock,
            UnknownName,
            "`free` is a free joint, which has no port `lock`.\n  These have one: hinges and slides.",
        ),
        (
            lambda: _ball().lock,
            UnknownName,
            "`wrist` is a ball joint, which has no port `lock`.\n  These have one: hinges and slides.",
        ),
        (
            lambda: cd.Mechanism.from_mjcf(HUB).group_of_hinges("all", "free"),
            UnknownName,
            "`free` is not a hinge, so it cannot be in a group of hinges.",
        ),
        (
            lambda: cd.Mechanism.from_urdf("<robot name='r'></robot>", free_base=True),
            MechanismError,
            "`the given text` has no link that could fly freely.",
        ),
    ],
)
def test_wrong_names_and_values_are_refused(action, kind, text):
    with pytest.raises(kind) as caught:
        action()
    assert str(caught.value) == text


def test_mujocos_own_complaints_come_in_our_form():
    with pytest.raises(MechanismError) as caught:
        cd.Mechanism.from_mjcf("<mujoco>\n<worldbody><body><joint type='foo'/></body></worldbody></mujoco>")
    assert str(caught.value).startswith("`the given text` cannot be read.\n  MuJoCo: XML Error: invalid keyword: 'foo'")
    assert "line 2" in str(caught.value)

    with pytest.raises(MechanismError) as caught:
        cd.Mechanism.from_mjcf("<mujocoinclude/>")
    assert str(caught.value) == (
        "`the given text` cannot be read.\n  MuJoCo: XML Error: Unrecognized XML model type: 'mujocoinclude'\n"
        "  It is a piece that other files include: read one of those."
    )


ODD = """<robot name="r">{}
<link name="a"><inertial><mass value="1"/>{}</inertial></link>
<link name="b"><inertial><mass value="1"/>{}</inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>"""


def moments(x: float, y: float, z: float, xy: float = 0.0) -> str:
    return f'<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="{xy}" ixz="0" iyz="0"/>'


def test_all_bodies_whose_inertia_cannot_be_are_named_with_a_way_to_go_on_and_it_works():
    with pytest.raises(MechanismError) as caught:
        _ = cd.Mechanism.from_urdf(ODD.format("", moments(1, 5, 1), moments(1, 1, 9))).model
    assert str(caught.value) == (
        "`the given text` has bodies with principal moments of inertia [kg m^2] that no body has:\n"
        "    `a` (1, 1, 5), `b` (1, 1, 9)\n"
        "  None is negative, and none is more than the sum of the other two. Mend them in the file; or let it say\n"
        '  `<compiler balanceinertia="true"/>`, in URDF within `<mujoco>`: such a body then has the mean of its\n'
        "  moments about every axis."
    )
    balanced = '<mujoco><compiler balanceinertia="true"/></mujoco>'
    with pytest.warns(MassesChanged, match="of a, b"):
        model = cd.Mechanism.from_urdf(ODD.format(balanced, moments(1, 5, 1), moments(1, 1, 9))).model
    assert model.body("a").inertia == pytest.approx(7.0 / 3.0)


@pytest.mark.parametrize("option", ["", '<mujoco><compiler balanceinertia="true"/></mujoco>'])
def test_a_negative_moment_can_only_be_mended(option):
    with pytest.raises(MechanismError) as caught:
        _ = cd.Mechanism.from_urdf(ODD.format(option, moments(1, 1, 1), moments(1, 1, 2, xy=3))).model
    assert str(caught.value) == (
        "`the given text` has bodies with principal moments of inertia [kg m^2] that no body has:\n"
        "    `b` (-2, 2, 4)\n"
        "  None is negative, and none is more than the sum of the other two. Mend them in the file."
    )


def test_a_free_joint_below_the_root_is_refused():
    mechanism = cd.Mechanism("a")
    parent = mechanism.add_body("p", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    mechanism.add_body("c", parent=parent, joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    with pytest.raises(MechanismError) as caught:
        _ = mechanism.tree
    assert str(caught.value) == (
        "`a` cannot be compiled.\n  MuJoCo: Error: free joint can only be used on top level Element name 'c', id 2\n"
        "  What flies freely, or is moved by mocap, hangs on the world: attach it there, or use other joints."
    )


def test_names_are_unique_and_a_compiled_mechanism_is_frozen():
    mechanism = cd.Mechanism.from_mjcf(HUB)
    mechanism.add_site("tip", mechanism.bodies["hub"])
    mechanism.attach(cd.Mechanism.from_mjcf(HUB), name="twin")
    for action, text in {
        lambda: mechanism.add_body("hub"): "`sat` has a body `hub` already.\n  Name one otherwise.",
        lambda: mechanism.add_site("tip", mechanism.bodies["hub"]): (
            "`sat` has a site `tip` already.\n  Name one otherwise."
        ),
        lambda: mechanism.attach(cd.Mechanism.from_mjcf(HUB), name="twin"): (
            "`sat` has something attached as `twin` already.\n  Name one otherwise."
        ),
    }.items():
        with pytest.raises(DuplicateName) as caught:
            action()
        assert str(caught.value) == text
    _ = mechanism.model
    with pytest.raises(MechanismError) as frozen:
        mechanism.add_body("late")
    assert str(frozen.value) == (
        "Cannot add the body `late`: `sat` is compiled already.\n  Build it up before it is used."
    )


def test_a_state_beyond_its_limits_is_refused():
    text = ARM.replace('name="elbow" axis="0 0 1"', 'name="elbow" axis="0 0 1" range="-90 90"')
    scn = cd.Scenario(mechanism=cd.Mechanism.from_mjcf(text))
    scn.start({"elbow": messages.HingeState(angle=2.0)})
    with pytest.raises(SettingError) as caught:
        cd.Simulation(scn, dynamics=cd.Mujoco())
    assert str(caught.value) == ("`elbow` starts at 2, beyond its limits -1.5708 and 1.5708.\n  Start it within them.")


def test_a_mechanism_needs_a_service_and_a_service_a_mechanism():
    with pytest.raises(SettingError, match="has a mechanism and needs a dynamics service"):
        cd.Simulation(cd.Scenario(mechanism=cd.Mechanism.from_mjcf(HUB)))
    with pytest.raises(SettingError, match="has no mechanism"):
        cd.Simulation(cd.Scenario(), dynamics=cd.Mujoco())


def test_ports_of_another_mechanism_are_refused():
    scn = cd.Scenario(mechanism=cd.Mechanism.from_mjcf(HUB))
    other = cd.Mechanism.from_mjcf(HUB)
    with pytest.raises(WiringError, match="belongs to the mechanism `sat`, which is not the one"):
        scn.connect(messages.BodyWrench(), other.bodies["hub"].wrench)
