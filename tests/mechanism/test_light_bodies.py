"""Bodies that MuJoCo's compiler refuses: point masses, planar inertias, massless links; all services see the truth."""

import warnings

import numpy as np
import pytest

import cardan as cd
from cardan import messages
from cardan.contracts.dynamics import Inputs
from cardan.dynamics import Calculator
from cardan.errors import MassesChanged

CHAIN = """<mujoco model="chain"><worldbody><body name="hub"><freejoint name="free"/>
<inertial pos="0 0 0" mass="10" diaginertia="1 1.1 1.2"/>
<body name="lever" pos=".5 0 0"><joint name="yaw" axis="0 0 1"/>{}
<body name="tip" pos=".5 0 0"><joint name="pitch" axis="0 1 0"/>
<inertial pos=".2 .1 0" mass="2" diaginertia=".1 .2 .25"/></body></body></body></worldbody></mujoco>"""

LEVERS = {
    "massless": "",
    "a point mass": '<inertial pos=".2 .1 0" mass="1" diaginertia="0 0 0"/>',
    "a planar inertia": '<inertial pos=".2 .1 0" mass="1" diaginertia="0 0 .3"/>',
    "a planar inertia as a matrix": '<inertial pos=".2 .1 0" mass="1" fullinertia="0 .3 0 0 0 0"/>',
    "a thin rod": '<inertial pos=".2 .1 0" mass="1" diaginertia="0 .3 .3"/>',
    "inertia without mass": '<inertial pos=".2 .1 0" mass="0" diaginertia=".1 .1 .1"/>',
}
TRUTH = {
    "massless": (0.0, [0.0, 0.0, 0.0]),
    "a point mass": (1.0, [0.0, 0.0, 0.0]),
    "a planar inertia": (1.0, [0.0, 0.0, 0.3]),
    "a planar inertia as a matrix": (1.0, [0.0, 0.3, 0.0]),
    "a thin rod": (1.0, [0.0, 0.3, 0.3]),
    "inertia without mass": (0.0, [0.1, 0.1, 0.1]),
}


@pytest.mark.parametrize("lever", LEVERS)
def test_a_light_body_has_the_inertia_of_its_file_in_every_service_and_in_saved_files(lever):
    mechanism = cd.Mechanism.from_mjcf(CHAIN.format(LEVERS[lever]))
    mass, moments = TRUTH[lever]
    for made in (mechanism, cd.Mechanism.from_mjcf(mechanism.mjcf)):
        assert made.tree.body_mass["lever"][0] == mass
        assert made.tree.body_mass["lever"][2] == pytest.approx(np.diag(moments), rel=1e-14, abs=1e-16)
        assert made.tree.mass.sum() == 12.0 + mass == made.model.body_subtreemass[0]


@pytest.mark.parametrize("lever", LEVERS)
def test_all_services_fly_it_alike_and_keep_momentum(lever):
    mechanism = cd.Mechanism.from_mjcf(CHAIN.format(LEVERS[lever]))
    scn = cd.Scenario(mechanism=mechanism)
    scn.connect(messages.HingeTorque(0.2), mechanism.joints["pitch"].effort)
    scn.start({"hub": messages.FrameMotion(omega_BN_B=[0.1, -0.2, 0.3]), "pitch": messages.HingeState(0.4, 0.5)})
    ends = []
    for dynamics in (cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution()):
        sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.01))
        log = sim.run(until=0.5, record=cd.Record(ports=["hub.momentum", "*.state"]), progress=False)
        # Rk4 at 0.01 s; an inertia that is wrong anywhere shows at 1e-3
        assert np.ptp(log["hub.momentum"].momentum_C_N, axis=0) == pytest.approx(np.zeros(3), abs=1e-8)
        ends.append([log["yaw.state"].angle[-1], log["pitch.state"].angle[-1]])
    assert ends[1] == pytest.approx(ends[0], rel=1e-11)
    assert ends[2] == pytest.approx(ends[0], rel=1e-11)


def test_mass_matrices_of_the_recursion_and_of_mujoco_agree_for_a_point_mass_on_a_lever():
    """Closed form: a point mass m on a lever l has m l^2 about its hinge, whatever its own attitude."""
    mechanism = cd.Mechanism("lever")
    mechanism.add_body("ball", joint=cd.Hinge([0, 0, 1]), mass=3.0, r_CB_B=[0.5, 0.0, 0.0])
    assert Calculator(mechanism).mass_matrix(np.zeros(1)) == pytest.approx(np.array([[0.75]]))
    assert mechanism.model.dof_M0 == pytest.approx([0.75])


PLANAR = """<robot name="planar"><link name="base"><inertial><mass value="10"/>
<inertia ixx="0" iyy="0" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="arm"><inertial>
<origin xyz=".5 0 0"/><mass value="1"/><inertia ixx="0" iyy="0" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><origin xyz=".5 0 0"/><axis xyz="0 0 1"/>
</joint></robot>"""


def test_a_planar_urdf_moves_in_its_plane_and_its_base_cannot_fly_in_space():
    """About its hinge the arm has 0.1 + 1 0.5^2 kg m^2; nothing resists a turn of the base out of the plane."""
    fixed = cd.Mechanism.from_urdf(PLANAR)
    assert Calculator(fixed).mass_matrix(np.zeros(1)) == pytest.approx(np.array([[0.35]]))
    assert cd.RecursiveTree().unsupported(fixed, Inputs()) == []
    flying = cd.Mechanism.from_urdf(PLANAR, free_base=True)
    assert [item.element for item in cd.RecursiveTree().unsupported(flying, Inputs())] == ["base_free"]
    # on two slides and a hinge it flies in its plane
    plane = cd.Mechanism("plane")
    axes = {"x": cd.Slide([1, 0, 0]), "y": cd.Slide([0, 1, 0]), "turn": cd.Hinge([0, 0, 1])}
    plane.attach(cd.Mechanism.from_urdf(PLANAR), name="sat", to=plane.add_body("frame", joints=axes))
    assert cd.RecursiveTree().unsupported(plane, Inputs()) == []


def test_a_point_mass_on_the_axis_of_its_hinge_is_named():
    mechanism = cd.Mechanism("spinner")
    mechanism.add_body("ball", joint=cd.Hinge([0, 0, 1]), mass=3.0, r_CB_B=[0.0, 0.0, 0.7])
    with pytest.raises(cd.CardanError, match="joint that no inertia resists: ball_joint"):
        cd.Simulation(cd.Scenario(mechanism=mechanism), dynamics=cd.RecursiveTree())
    driven = cd.Scenario(mechanism=mechanism)
    driven.connect(messages.PrescribedAngle(0.1), mechanism.joints["ball_joint"].prescribed)
    assert cd.Simulation(driven, dynamics=cd.RecursiveTree())["ball_joint.state"].angle == 0.1


def test_collinear_hinges_are_named_and_hinges_that_are_collinear_only_as_drawn_are_not():
    for turned, is_singular in ((False, True), (True, False)):
        mechanism = cd.Mechanism("two")
        first = mechanism.add_body("first", joint=cd.Hinge([0, 0, 1]))
        between = mechanism.add_body("between", parent=first, joint=cd.Hinge([1, 0, 0])) if turned else first
        mechanism.add_body("last", parent=between, joint=cd.Hinge([0, 0, 1]), mass=1.0, inertia_B=np.eye(3))
        found = [item.element for item in cd.RecursiveTree().unsupported(mechanism, Inputs())]
        assert found == (["first_joint", "last_joint"] if is_singular else [])


@pytest.mark.parametrize(
    ("option", "changed"),
    [
        ('boundmass="3"', "tip"),
        ('boundinertia="0.15"', "tip"),
        ('balanceinertia="true"', "hub"),
        ('settotalmass="99"', "hub, lever, tip"),
        ('boundmass="1e-3" boundinertia="1e-3"', ""),
    ],
)
def test_masses_that_compiler_options_change_are_named(option, changed):
    lever = '<inertial pos="0 0 0" mass="5" diaginertia=".2 .2 .2"/>'
    text = CHAIN.format(lever).replace("<worldbody>", f"<compiler {option}/><worldbody>")
    text = text.replace("1 1.1 1.2", "1 1.1 9") if "balance" in option else text
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _ = cd.Mechanism.from_mjcf(text).model
    assert [str(warning.message) for warning in caught] == [
        f"`the given text` has compiler options that change the mass or inertia of {names}.\n"
        "  Remove boundmass, boundinertia, balanceinertia or settotalmass to keep what it states."
        for names in ([changed] if changed else [])
    ]
    assert all(warning.category is MassesChanged for warning in caught)


def test_a_massless_body_has_its_centre_of_mass_at_its_origin():
    mechanism = cd.Mechanism("a")
    hub = mechanism.add_body("hub", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    mechanism.add_body("frame", parent=hub, r_BP_P=[0.0, 0.0, 3.0])
    sim = cd.Simulation(cd.Scenario(mechanism=mechanism), dynamics=cd.RecursiveTree())
    assert sim["frame.com.motion"].r_BN_N == pytest.approx([0.0, 0.0, 3.0])
