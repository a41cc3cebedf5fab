"""Files mean what their formats say: mass, the root that flies, names."""

import warnings

import numpy as np
import pytest

import cardan as cd
from cardan import messages
from cardan.contracts.dynamics import Inputs
from cardan.errors import MechanismError, MechanismWarning
from cardan.robotics import Robot

INERTIAL = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
SHAPE = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
BUS = f"""<robot name="bus"><link name="bus">{INERTIAL.format(100)}{SHAPE}</link><link name="shell">{SHAPE}</link>
<joint name="mount" type="{{}}"><parent link="bus"/><child link="shell"/><axis xyz="0 0 1"/></joint></robot>"""


def mass_of(mechanism: cd.Mechanism) -> float:
    return float(mechanism.tree.mass.sum())


def test_a_urdf_link_has_the_mass_of_its_inertial_and_none_of_its_shapes():
    bus = cd.Mechanism.from_urdf(BUS.format("fixed"), free_base=True)
    assert mass_of(bus) == 100.0
    assert mass_of(cd.Mechanism.from_mjcf(bus.mjcf)) == 100.0
    host = cd.Mechanism("host")
    host.attach(cd.Mechanism.from_urdf(BUS.format("fixed"), free_base=True), name="bus")
    assert mass_of(host) == 100.0


def test_a_urdf_that_asks_for_inertia_from_geometry_gets_it():
    asked = '<robot name="bus"><mujoco><compiler inertiafromgeom="true"/></mujoco>'
    bus = cd.Mechanism.from_urdf(BUS.format("fixed").replace('<robot name="bus">', asked))
    assert bus.tree.body_mass["shell"][0] == pytest.approx(1000.0)


def test_a_link_without_mass_that_a_joint_moves_is_named():
    mechanism = cd.Mechanism.from_urdf(BUS.format("continuous"), free_base=True, contact=False)
    for dynamics in (cd.RecursiveTree(), cd.Mujoco()):
        with pytest.raises(cd.CardanError) as caught:
            cd.Simulation(cd.Scenario(mechanism=mechanism), dynamics=dynamics)
        assert str(caught.value) == (
            f"{dynamics.name} cannot run the mechanism `bus`:\n  joint that no inertia resists: mount\n"
            "    Give what it moves an inertia within 1e12 of the rest, give it an armature, prescribe it, or fix it."
        )


def on_world(world: str, *kinds: str) -> cd.Mechanism:
    """A robot with links `a`, `b`, ... on a root link `world`, free to fly."""
    links, joints = "", ""
    for name, kind in zip("abc", kinds, strict=False):
        links += f'<link name="{name}">{INERTIAL.format(1)}</link>'
        joints += (
            f'<joint name="j{name}" type="{kind}"><parent link="world"/><child link="{name}"/>'
            f'<origin xyz="{len(joints) / 1000} 0 0"/><axis xyz="0 {int(name == "a")} {int(name != "a")}"/></joint>'
        )
    text = f'<robot name="r"><link name="world">{world}</link>{links}{joints}</robot>'
    return cd.Mechanism.from_urdf(text, free_base=True)


def test_a_single_link_that_is_fixed_to_the_world_flies_itself():
    made = on_world("", "fixed")
    assert list(made.bodies) == ["a"] and list(made.joints) == ["a_free"]


@pytest.mark.parametrize(
    ("world", "kinds", "joints"),
    [
        ("", ("fixed", "fixed"), ["world_link_free"]),
        ("", ("continuous", "continuous"), ["world_link_free", "ja", "jb"]),
        (INERTIAL.format(5), ("continuous",), ["world_link_free", "ja"]),
        (INERTIAL.format(5), ("fixed", "prismatic"), ["world_link_free", "jb"]),
    ],
)
def test_a_robot_on_a_link_called_world_flies_as_one(world, kinds, joints):
    made = on_world(world, *kinds)
    assert list(made.joints) == joints
    assert len(made.tree.roots) == 1
    scn = cd.Scenario(mechanism=made)
    scn.start({"world_link": messages.FrameMotion(v_BN_N=[1.0, 0.0, 0.0])})
    for dynamics in (cd.RecursiveTree(), cd.Mujoco()):
        sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.1))
        before = sim["a.motion"].r_BN_N
        sim.run(until=1.0, progress=False)
        assert sim["a.motion"].r_BN_N - before == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


def test_a_massless_world_link_on_one_hinge_is_named():
    with pytest.raises(cd.CardanError, match="joint that no inertia resists: world_link_free"):
        cd.Simulation(cd.Scenario(mechanism=on_world("", "continuous")), dynamics=cd.RecursiveTree())


def test_meshes_of_a_urdf_whose_world_flies_are_found_beside_it(tmp_path):
    box = "\n".join(f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "\nf 1 2 3\nf 5 6 7\n"
    (tmp_path / "box.obj").write_text(box)
    shape = '<collision><geometry><mesh filename="box.obj"/></geometry></collision>'
    path = tmp_path / "bot.urdf"
    path.write_text(f'<robot name="bot"><link name="world">{INERTIAL.format(2)}{shape}</link></robot>')
    made = cd.Mechanism.from_urdf(path, free_base=True)
    assert (mass_of(made), made.model.nmesh) == (2.0, 1)


def test_a_file_of_the_other_format_is_named():
    for action, text in {
        lambda: cd.Mechanism.from_mjcf(BUS): "`the given text` is a URDF file.\n  Read it with `Mechanism.from_urdf`.",
        lambda: cd.Mechanism.from_urdf("<mujoco/>"): (
            "`the given text` is an MJCF file.\n  Read it with `Mechanism.from_mjcf`."
        ),
    }.items():
        with pytest.raises(MechanismError) as caught:
            action()
        assert str(caught.value) == text


def test_what_has_no_name_gets_one_and_can_be_recorded():
    text = """<mujoco model="a"><worldbody><body><freejoint/><geom size=".1"/>
    <body pos="1 0 0"><joint/><geom size=".1"/></body></body></worldbody><actuator><motor joint="joint1"/></actuator>
    </mujoco>""".replace("<joint/>", '<joint name="joint1"/>')
    made = cd.Mechanism.from_mjcf(text, contact=False)
    assert (list(made.bodies), list(made.joints)) == (["body1", "body2"], ["joint0", "joint1"])
    assert list(made.actuators) == ["actuator0"]
    scn = cd.Scenario(mechanism=made)
    scn.start({"body1": messages.FrameMotion(v_BN_N=[0.0, 2.0, 0.0])})
    log = cd.Simulation(scn, dynamics=cd.RecursiveTree()).run(until=1.0, progress=False)
    assert set(log) == {"body1.motion", "joint1.state"}
    assert log["body1.motion"].r_BN_N[-1] == pytest.approx([0.0, 2.0, 0.0])


@pytest.fixture
def twins() -> cd.Mechanism:
    mechanism = cd.Mechanism("twins")
    hand = mechanism.add_body("hand", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    mechanism.add_site("hand", hand, r_SB_B=[0.0, 0.0, 0.5])
    mechanism.add_site("eye", hand, r_SB_B=[0.1, 0.0, 0.0])
    return mechanism


def test_a_site_with_the_name_of_a_body_has_paths_of_its_own(twins):
    site, body = twins.sites["hand"], twins.bodies["hand"]
    assert (site.motion.path, body.motion.path) == ("hand.site.motion", "hand.motion")
    assert twins.sites["eye"].motion.path == "eye.motion"
    scn = cd.Scenario(mechanism=twins)
    scn.connect(messages.BodyWrench(force_B=[1.0, 0.0, 0.0]), site.wrench)
    for dynamics in (cd.RecursiveTree(), cd.Mujoco()):
        sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.1))
        log = sim.run(until=0.1, record=cd.Record(ports=["hand.site.motion", "hand.motion"]), progress=False)
        assert log["hand.site.motion"].r_BN_N[0] == pytest.approx([0.0, 0.0, 0.5])
        # the force acts at the site, so it turns the body
        assert log["hand.motion"].omega_BN_B[-1] == pytest.approx([0.0, 0.05, 0.0], rel=1e-3)


def test_a_robot_tells_a_site_from_the_body_of_its_name(twins):
    state = Robot(twins).at([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    assert state.pose("hand").r_N == pytest.approx([0.0, 0.0, 0.0])
    for site in ("hand.site", twins.sites["hand"]):
        assert state.pose(site).r_N == pytest.approx([0.0, 0.0, 0.5])
    assert state.pose(twins.bodies["hand"]).r_N == pytest.approx([0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (
            lambda: cd.Mechanism.from_urdf('<robot name="r"><link name="a"/><link name="b"/></robot>', free_base=True),
            "`the given text` has several root links: a, b.\n"
            "  Connect them by joints: with `free_base=True` one root flies, and all others with it.",
        ),
        (
            lambda: cd.Mechanism.from_mjcf(None),
            "A mechanism is read from a file or from its text, got NoneType.",
        ),
    ],
)
def test_a_source_that_is_no_robot_is_named(action, text):
    with pytest.raises(MechanismError) as caught:
        action()
    assert str(caught.value) == text


def test_a_folder_is_no_file_and_a_repeated_name_is_an_error_of_ours(tmp_path):
    with pytest.raises(MechanismError, match="There is no file"):
        cd.Mechanism.from_mjcf(tmp_path)
    twice = jointed('lower="-1" upper="1"').replace('joint name="c"', 'joint name="b"')
    with pytest.raises(MechanismError, match="repeated name 'b' in joint"):
        cd.Mechanism.from_urdf(twice, free_base=True)


def test_a_link_called_world_that_is_not_the_root_is_a_link_like_any_other():
    text = jointed('lower="-1" upper="1"').replace('"c"', '"world"')
    assert list(cd.Mechanism.from_urdf(text).bodies) == ["a", "b", "world_link"]


def test_bodies_that_a_file_would_merge_keep_their_ports():
    made = cd.Mechanism.from_mjcf("""<mujoco><compiler fusestatic="true"/><worldbody><body name="a"><freejoint/>
    <geom size=".1"/><body name="b" pos="1 0 0"><geom size=".1"/></body></body></worldbody></mujoco>""")
    sim = cd.Simulation(cd.Scenario(mechanism=made), dynamics=cd.RecursiveTree())
    assert sim["b.motion"].r_BN_N == pytest.approx([1.0, 0.0, 0.0])


def jointed(limit: str, kind: str = "revolute") -> str:
    links = "".join(f'<link name="{name}">{INERTIAL.format(1)}</link>' for name in "abc")
    joints = "".join(
        f'<joint name="{child}" type="{kind if child == "c" else "revolute"}"><parent link="a"/><child link="{child}"/>'
        f'<axis xyz="0 0 1"/><limit {limit}/>{mimic}</joint>'
        for child, mimic in (("b", ""), ("c", '<mimic joint="b" multiplier="2"/>'))
    )
    return f'<robot name="r">{links}{joints}</robot>'


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (jointed('lower="1" upper="1"'), "joint 'b' has equal lower and upper limits, limit ignored."),
        (
            jointed('lower="-1" upper="1"', "floating"),
            "<mimic> on joint 'c' ignored; mimic requires revolute, continuous, or prismatic joints.",
        ),
    ],
)
def test_what_is_not_taken_as_it_is_written_is_a_warning(text, warning):
    with pytest.warns(MechanismWarning) as caught:
        cd.Mechanism.from_urdf(text)
    assert f"`the given text`: {warning}" in [str(item.message) for item in caught]


def test_a_joint_that_mimics_another_is_an_equality_that_can_be_left_out():
    text = jointed('lower="-1" upper="1"')
    kept = cd.Mechanism.from_urdf(text, limits=False)
    refused = {(item.element, item.reason) for item in cd.RecursiveTree().unsupported(kept, Inputs())}
    assert refused == {("equality0", "equality")}
    free = cd.Mechanism.from_urdf(text, limits=False, equalities=False)
    assert free.left_out["equalities"] == ("equality0",)
    assert cd.RecursiveTree().unsupported(free, Inputs()) == []


def test_mujoco_leaves_no_log_file_and_prints_nothing_about_what_is_not_used(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    mechanism = cd.Mechanism.from_urdf(BUS.format("continuous"), free_base=True, contact=False)
    _ = mechanism.model  # its inertia is singular, of which MuJoCo would warn here
    with pytest.raises(cd.CardanError):
        cd.Simulation(cd.Scenario(mechanism=mechanism), dynamics=cd.Mujoco())
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (('body name="arm" pos="0 0 0"', 'body name="arm" pos="nan 0 0.12"'), "body `arm` has the position nan 0 0.12"),
        (('pos="0 0 1"', 'pos="1e200 0 0"'), "body `arm` has the centre of mass 1e+200 0 0"),
        (
            ('pos="0 0 1"', 'pos="0 0 1" quat="nan 0 0 1"'),
            "body `arm` has the attitude of its principal axes nan 0 0 1",
        ),
        (('damping="1"', 'damping="1e300"'), "joint `hinge` has the damping 1e+300"),
        (('name="hinge"', 'name="hinge" axis="0 1 1e300"'), "joint `hinge` has the axis 0 0 0"),
        (('site name="tip" pos="0 0 0"', 'site name="tip" pos="0 0 inf"'), "site `tip` has the position 0 0 inf"),
    ],
)
def test_numbers_that_no_mechanism_has_are_refused_by_name(changed, expected):
    text = """<mujoco><worldbody><body name="bus"><freejoint/><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/>
    <body name="arm" pos="0 0 0"><joint name="hinge" damping="1"/><inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/>
    <site name="tip" pos="0 0 0"/></body></body></worldbody></mujoco>"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MechanismWarning)  # MuJoCo speaks of nan too, and does not say where
        mechanism = cd.Mechanism.from_mjcf(text.replace(*changed))
    with pytest.raises(MechanismError) as caught:
        cd.Simulation(cd.Scenario(mechanism=mechanism), dynamics=cd.RecursiveTree())
    assert str(caught.value) == f"`the given text`: the {expected}.\n  Give it finite numbers, below 1e+60."


BALL_ON_A_HINGE = """<mujoco model="pendulum"><worldbody><body name="ball"><joint name="hinge" type="hinge"/>
<inertial mass="2" pos="0 0 -1" diaginertia="1 1 1"/></body></worldbody></mujoco>"""


def test_mechanisms_of_the_same_text_have_nothing_in_common_that_can_change():
    first = cd.Mechanism.from_mjcf(BALL_ON_A_HINGE)
    first.add_site("tip", first.bodies["ball"])
    assert first.model.nsite == 1
    second, third = (cd.Mechanism.from_mjcf(BALL_ON_A_HINGE) for _ in range(2))
    second.model.body_mass[1] = 7.0
    second.model.opt.timestep = 0.5
    assert third.model.nsite == 0 and list(third.sites) == []
    assert third.model.body_mass[1] == 2.0 and third.model.opt.timestep == 0.002
    fourth = cd.Mechanism.from_mjcf(BALL_ON_A_HINGE, name="other")
    fourth.add_body("more", parent=fourth.bodies["ball"], mass=1.0)
    assert list(fourth.bodies) == ["ball", "more"] and fourth.model.nbody == 3
    assert third.mjcf == second.mjcf != fourth.mjcf


def test_a_text_that_names_a_file_is_read_anew(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inertial = '<inertial mass="{}" pos="0 0 0" diaginertia="1 1 1"/>'
    piece = f'<mujocoinclude><body name="ball"><freejoint/>{inertial}</body></mujocoinclude>'
    text = '<mujoco><worldbody><include file="ball.xml"/></worldbody></mujoco>'
    for mass in (2.0, 3.0):
        (tmp_path / "ball.xml").write_text(piece.format(mass))
        assert mass_of(cd.Mechanism.from_mjcf(text)) == mass
