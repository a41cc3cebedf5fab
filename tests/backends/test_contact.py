"""Contact: what MuJoCo finds and what the compliant contact of `RecursiveTree` does, through the same ports."""

import mujoco
import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.drivers import ContactMonitor
from cardan.dynamics import Mujoco, RecursiveTree
from cardan.errors import DuplicateName, SettingError, UnknownName, UnsupportedByDynamics
from cardan.messages import FrameMotion

TAU, IMPEDANCE = 0.02, 0.9  # [s], [-] of MuJoCo's contact
NOSE_MASS, PLATE_MASS = 10.0, 50.0  # [kg]
MASS = NOSE_MASS * PLATE_MASS / (NOSE_MASS + PLATE_MASS)  # [kg] that a central impact moves

TWO_VEHICLES = f"""
<mujoco>
  <default><geom condim="1" solref="{TAU} 1" solimp="{IMPEDANCE} {IMPEDANCE} 0.001 0.5 2"/></default>
  <worldbody>
    <body name="chaser"><freejoint/><geom name="nose" size="0.2" mass="{NOSE_MASS}"/></body>
    <body name="target" pos="1 0 0"><freejoint/>
      <geom name="plate" type="box" size="0.3 0.5 0.4" mass="{PLATE_MASS}"/></body>
  </worldbody>
</mujoco>"""
SPRING = {"stiffness": MASS / TAU**2, "damping": 2.0 * MASS / TAU}
SOFT = {"stiffness": 2e4, "dissipation": 1.0, "friction": 0.3}


def collide(service, contact=SPRING, *, common=(0.0, 0.0, 0.0), offset=(0.0, 0.0), integrator=None) -> cd.Log:
    """The chaser meets the target at 0.5 m/s, both with a common velocity."""
    m = cd.Mechanism.from_mjcf(TWO_VEHICLES)
    pair = m.add_contact_pair("touch", "chaser", "plate")
    m.add_contact_pair("felt", "target")
    m.add_compliant_contact("nose", "plate", **contact)
    scn = cd.Scenario("collision", mechanism=m)
    scn.add(models.ContactImpulse(), name="impulse", contact=pair.contact)
    common = np.array(common)
    scn.start({
        "chaser": FrameMotion(v_BN_N=common + np.array([0.5, 0.0, 0.0]), omega_BN_B=np.array([0.1, 0.2, 0.3])),
        "target": FrameMotion(r_BN_N=np.array([0.51, *offset]), v_BN_N=common),
    })  # fmt: skip
    sim = cd.Simulation(scn, dynamics=service, integrator=integrator or cd.Rk4(step=1e-3))
    ports = ("touch.contact", "felt.contact", "*.momentum", "impulse.given")
    return sim.run(until=0.3, record=cd.Record(every=5e-3, ports=ports))


def momentum(log: cd.Log, body: str) -> tuple[np.ndarray, np.ndarray]:
    """Linear, and angular about the origin of the world."""
    one = log[f"{body}.momentum"]
    linear = one.mass[:, None] * one.v_CN_N
    return linear, one.momentum_C_N + np.cross(one.r_CN_N, linear)


@pytest.mark.parametrize("service", [Mujoco(), RecursiveTree()])
def test_contact_at_orbital_speed_is_as_at_rest(service):
    """At 7 km/s positions have 1e-13 m left of their digits, and the contact is stiff: 1e-9 of its force."""
    at_rest, in_orbit = collide(service, offset=(0.1, 0.2)), collide(service, common=(0.0, 7e3, 0.0), offset=(0.1, 0.2))
    force, other = at_rest["touch.contact"].force_N, in_orbit["touch.contact"].force_N
    assert np.abs(force).max() > 100.0
    assert np.abs(force - other).max() < 1e-9 * np.abs(force).max()


def test_pairs_sum_up_what_mujoco_says_of_each_contact():
    log = collide(Mujoco(), offset=(0.1, 0.2))
    touch, felt = log["touch.contact"], log["felt.contact"]
    i = int(np.argmax(touch.total))
    assert touch.places[i] == 1.0 and touch.penetration[i] > 0.0
    assert np.array_equal(touch.force_N, -felt.force_N)
    # a frictionless push on a sphere goes through its centre; on the plate it has an arm
    assert np.abs(touch.torque_N[i]).max() < 1e-12 * touch.total[i]
    arm = felt.r_PN_N[i] - log["target.momentum"].r_CN_N[i]
    assert felt.torque_N[i] == pytest.approx(np.cross(arm, felt.force_N[i]), abs=1e-9)
    assert np.all(touch.total[touch.places == 0.0] == 0.0)


def test_forces_of_a_body_at_rest_are_those_of_the_library():
    text = """<mujoco><option gravity="0 0 0"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body name="box" pos="0 0 0.099"><freejoint/><geom type="box" size="0.2 0.3 0.1" mass="3"/></body>
        </worldbody></mujoco>"""
    m = cd.Mechanism.from_mjcf(text)
    pair = m.add_contact_pair("stand", "box", "floor")
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.tolerance, data, result, forces = 0.0, mujoco.MjData(model), np.zeros(6), []
    mujoco.mj_forward(model, data)
    for i in range(data.ncon):
        mujoco.mj_contactForce(model, data, i, result)
        forces.append(data.contact[i].frame.reshape(3, 3).T @ result[:3])
    scn = cd.Scenario("stand", mechanism=m)
    scn.start({"box": FrameMotion(r_BN_N=np.array([0.0, 0.0, 0.099]))})
    log = cd.Simulation(scn, dynamics=Mujoco()).run(until=0.0, record=cd.Record(ports=(pair.contact.path,)))
    stand = log["stand.contact"]
    assert stand.places[0] == data.ncon == 4
    assert stand.force_N[0] == pytest.approx(np.sum(forces, axis=0), rel=1e-9, abs=1e-9)
    assert stand.largest[0] == pytest.approx(np.linalg.norm(forces, axis=1).max(), rel=1e-9)
    assert stand.penetration[0] == pytest.approx(0.001, abs=1e-12)


def test_compliant_contact_is_mujocos_where_the_models_coincide():
    """One frictionless place, nothing else pushes, constant impedance: MuJoCo's force is m/tau^2 depth + 2 m/tau rate.

    The two differ in rounding, and in when they let go: both do so within a step.
    """
    theirs, ours = collide(Mujoco()), collide(RecursiveTree())
    force = theirs["touch.contact"].force_N
    assert np.abs(force - ours["touch.contact"].force_N).max() < 1e-9 * np.abs(force).max()
    impulse = theirs["impulse.given"].impulse_N[-1]
    assert ours["impulse.given"].impulse_N[-1] == pytest.approx(impulse, rel=1e-10, abs=1e-12)


ADAPTIVE = [cd.DormandPrince54(), cd.BogackiShampine32(), cd.Dop853()]


@pytest.mark.parametrize("integrator", ADAPTIVE, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize(
    ("service", "contact"), [(Mujoco(), SPRING), (RecursiveTree(), SPRING), (RecursiveTree(), SOFT)]
)
def test_adaptive_steps_pass_an_impact_and_keep_the_momentum_of_the_pair(service, contact, integrator):
    log = collide(service, contact, offset=(0.1, 0.2), integrator=integrator)
    (p_1, h_1), (p_2, h_2) = momentum(log, "chaser"), momentum(log, "target")
    assert np.ptp(p_1 + p_2, axis=0).max() < 1e-10 * np.abs(p_1).max()
    assert np.ptp(h_1 + h_2, axis=0).max() < 1e-10 * np.abs(p_1).max()
    # what one loses is what the contact has given
    assert p_1[-1] - p_1[0] == pytest.approx(log["impulse.given"].impulse_N[-1], abs=1e-12 * np.abs(p_1).max())
    assert np.linalg.norm(p_2[-1]) > 1.0


SHAPES = {
    "sphere": ('type="sphere" size="0.3"', 0.3),
    "box": ('type="box" size="0.2 0.3 0.25"', 0.25),
    "cylinder": ('type="cylinder" size="0.4 0.35"', 0.35),
}
FLOORS = {
    "plane": 'type="plane" size="1 1 1"',
    "box": 'type="box" size="2 2 1" pos="0 0 -1"',
    "cylinder": 'type="cylinder" size="2 1" pos="0 0 -1"',
    "sphere": 'type="sphere" size="2" pos="0 0 -2"',
}
STANDING = [(shape, floor) for shape in SHAPES for floor in FLOORS if floor != "sphere" or shape == "sphere"]


@pytest.mark.parametrize(("shape", "floor"), STANDING)
def test_every_shape_rests_where_its_springs_carry_its_push(shape, floor):
    geometry, lowest = SHAPES[shape]
    m = cd.Mechanism.from_mjcf(
        f"""<mujoco><worldbody><geom name="floor" {FLOORS[floor]}/>
        <body name="thing" pos="0 0 {lowest}"><freejoint/><geom {geometry} mass="2"/></body></worldbody></mujoco>"""
    )
    pair = m.add_contact_pair("stand", "thing", "floor")
    m.add_compliant_contact("thing", "floor", stiffness=1e3, damping=30.0)
    scn = cd.Scenario("rest", mechanism=m)
    scn.connect(cd.messages.InertialWrench(force_N=np.array([0.0, 0.0, -5.0])), m.bodies["thing"].wrench_N)
    scn.start({"thing": FrameMotion(r_BN_N=np.array([0.0, 0.0, lowest]))})
    log = cd.Simulation(scn, dynamics=RecursiveTree(), integrator=cd.Rk4(step=2e-3)).run(
        until=4.0, record=cd.Record(every=1.0, ports=(pair.contact.path, "thing.motion"))
    )
    stand = log["stand.contact"]
    assert stand.force_N[-1] == pytest.approx([0.0, 0.0, 5.0], abs=1e-6)
    assert stand.penetration[-1] == pytest.approx(5.0 / (1e3 * stand.places[-1]), rel=1e-5)
    assert log["thing.motion"].sigma_BN[-1] == pytest.approx(np.zeros(3), abs=1e-9)


def test_friction_stops_what_slides_after_the_time_that_coulomb_says():
    m = cd.Mechanism.from_mjcf(
        """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body name="ball" pos="0 0 0.1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
        <geom size="0.1" mass="2"/></body></worldbody></mujoco>"""
    )
    m.add_compliant_contact("ball", "floor", stiffness=1e4, damping=100.0, friction=0.4, slip_speed=1e-4)
    scn = cd.Scenario("slide", mechanism=m)
    scn.connect(cd.messages.InertialWrench(force_N=np.array([0.0, 0.0, -10.0])), m.bodies["ball"].wrench_N)
    first, second = m.joints
    scn.start({first: cd.messages.SlideState(rate=1.0), second: cd.messages.SlideState(displacement=-1e-3)})
    sim = cd.Simulation(scn, dynamics=RecursiveTree(), integrator=cd.DormandPrince54())
    log = sim.run(until=0.6, record=cd.Record(every=0.1, ports=(f"{first}.state",)))
    # 0.4 * 10 N stops 2 kg at 1 m/s after 0.5 s
    rate = log[f"{first}.state"].rate
    assert rate[4] == pytest.approx(0.2, abs=1e-3)
    assert abs(rate[-1]) < 1e-3


def near_a_wall(mass: float) -> cd.Scenario:
    m = cd.Mechanism.from_mjcf(f"""<mujoco><worldbody>
      <body name="wall" pos="0.5 0 0"><geom type="box" size="0.1 1 1"/></body>
      <body name="ball"><freejoint/><geom size="0.2"/>
        <inertial pos="0 0 0" mass="{mass}" diaginertia="0.1 0.1 0.1"/></body>
    </worldbody></mujoco>""")
    m.add_contact_pair("touch", "ball")
    scn = cd.Scenario("wall", mechanism=m)
    scn.start({"ball": FrameMotion(v_BN_N=np.array([1.0, 0.0, 0.0]))})
    return scn


def test_members_that_share_memory_meet_a_wall_as_runs_of_their_own():
    """Runs of their own place the wall once and remember what they have evaluated; members have other models."""
    how = {"dynamics": Mujoco(), "integrator": cd.Rk4(step=0.005)}
    record, masses = cd.Record(every=0.05, ports=("touch.contact", "ball.motion")), (2.0, 1.0, 2.0)
    alone = [cd.Simulation(near_a_wall(mass), **how).run(until=0.4, record=record) for mass in masses]
    batch = cd.Batch(near_a_wall(2.0), 3, varies=["ball.mass"], seeds=[0, 0, 0], threads=1, **how)
    batch.set({"ball.mass": np.array(masses)})
    batch.reset()
    for log, one in zip(batch.run(until=0.4, record=record), alone, strict=True):
        assert all(np.array_equal(log[field.path].values, field.values) for field in one.fields())
    assert alone[0]["touch.contact"].total.max() > 1.5 * alone[1]["touch.contact"].total.max()


def test_what_is_evaluated_once_is_what_twice_would_give():
    """A task that ticks at every step and changes nothing lets no stage be repeated, and no bit changes."""
    record = cd.Record(every=0.05, ports=("touch.contact", "ball.motion"))

    def fly(ticks):
        scn = near_a_wall(2.0)
        if ticks:
            contact = scn.mechanism.contact_pairs["touch"].contact
            monitor = scn.add(ContactMonitor(), name="felt", every=0.005, contact=contact)
            scn.leave_open(monitor.history)
        sim = cd.Simulation(scn, dynamics=Mujoco(), integrator=cd.Rk4(step=0.005))
        return sim.run(until=0.4, record=record)

    one, other = fly(False), fly(True)
    assert np.array_equal(one["touch.contact"].total, other["touch.contact"].total)
    assert np.array_equal(one["ball.motion"].v_BN_N, other["ball.motion"].v_BN_N)


def test_solver_parameters_by_option_replace_those_of_the_file():
    """A critically damped contact goes v tau / e deep: twice as deep with twice the time constant."""
    stiff, soft = (collide(Mujoco(solref=(tau, 1.0)))["touch.contact"].penetration.max() for tau in (0.02, 0.04))
    assert soft == pytest.approx(2.0 * stiff, rel=0.05)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"solref": (0.02,)}, "solref must be 2 finite numbers"),
        ({"solref": (0.02, -1.0)}, "both positive"),
        ({"solimp": (0.95, 0.9, 0.001, 0.5, 2.0)}, "0 < first <= second < 1"),
        ({"friction": (-1.0, 0.0, 0.0)}, "may be negative"),
        ({"cone": "round"}, "one of pyramidal, elliptic"),
    ],
)
def test_impossible_solver_parameters_are_refused(options, told):
    with pytest.raises(SettingError, match=told):
        Mujoco(**options)


def test_impossible_contacts_are_refused():
    m = cd.Mechanism.from_mjcf(TWO_VEHICLES)
    with pytest.raises(UnknownName, match=r"no body and no shape `nos`.*`nose`"):
        m.add_contact_pair("touch", "nos")
    m.add_contact_pair("touch", "nose")
    with pytest.raises(DuplicateName, match="a contact pair `touch` already"):
        m.add_contact_pair("touch", "plate")
    with pytest.raises(SettingError, match="stiffness must be positive"):
        m.add_compliant_contact("nose", "plate", stiffness=0.0)
    with pytest.raises(SettingError, match="friction must not be negative"):
        m.add_compliant_contact("nose", "plate", stiffness=1.0, friction=-1.0)
    with pytest.raises(UnsupportedByDynamics, match=r"contact: chaser with target(.|\n)*add_compliant_contact"):
        cd.Simulation(cd.Scenario(mechanism=m), dynamics=RecursiveTree())


UNFIT = """<mujoco><worldbody>
    <geom name="floor" type="plane" size="1 1 1"/><geom name="wall" type="plane" size="1 1 1"/>
    <body name="pill"><freejoint/><geom type="capsule" size="0.1 0.2" mass="1" contype="0" conaffinity="0"/></body>
    <body name="ball"><freejoint/><geom size="0.1" mass="1" contype="0" conaffinity="0"/></body>
    <body name="bare"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("first", "second", "service", "told"),
    [
        ("pill", "floor", RecursiveTree(), "shape without compliant contact: pill"),
        ("bare", "floor", RecursiveTree(), "body without shapes: bare"),
        ("wall", "floor", RecursiveTree(), "fixed to each other: wall with floor"),
        ("ball", "floor", Mujoco(), "MuJoCo lets pass: ball with floor"),
    ],
)
def test_shapes_without_compliant_contact_are_refused(first, second, service, told):
    m = cd.Mechanism.from_mjcf(UNFIT)
    m.add_compliant_contact(first, second, stiffness=1.0)
    with pytest.raises(UnsupportedByDynamics, match=told):
        cd.Simulation(cd.Scenario(mechanism=m), dynamics=service)


def test_contact_that_cannot_be_is_refused():
    with pytest.raises(SettingError, match="time_constant of contact must be positive"):
        cd.Mechanism.from_mjcf(UNFIT).set_contact(time_constant=0.0)


def test_contacts_are_attached_with_their_mechanism():
    m = cd.Mechanism("host")
    part = cd.Mechanism.from_mjcf(TWO_VEHICLES)
    part.add_contact_pair("touch", "chaser", "plate")
    part.add_compliant_contact("nose", "plate", **SPRING)
    m.attach(part, name="a")
    assert list(m.contact_pairs) == ["a/touch"] and m.compliant_contacts[0].second == "a/plate"
    assert m.contact_pairs["a/touch"].contact.path == "a/touch.contact"
