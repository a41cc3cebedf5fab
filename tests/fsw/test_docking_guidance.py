import numpy as np
import pytest

import cardan as cd
from cardan.fsw import DockingGuidance, flyer_pd
from cardan.fsw.guidance.docking_guidance import APPROACH, DOCKED, GIVEN_UP, RETREAT, TO_HOLD_POINT
from cardan.messages import DockingCommand, FrameMotion
from cardan.missions.vehicles import add_flyer, gateway, port
from cardan.models import ThrusterBank, ThrusterWrench

PORT = DockingGuidance(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 0.0]), approach_speed=0.1)
HOLD = np.array([0.0, 3.0, 0.0])
DT = 0.5


def fly(memory, r=HOLD, part=PORT, is_aborted=False, v=0.0, angle=0.0, rate=0.0):
    motion = FrameMotion(
        r_BN_N=np.asarray(r, float),
        v_BN_N=np.array([0.0, 0.0, v]),
        sigma_BN=np.array([np.tan(angle / 4.0), 0.0, 0.0]),
        omega_BN_B=np.array([0.0, rate, 0.0]),
    )
    return part.step(DT, memory, motion, DockingCommand(is_aborted))


@pytest.mark.parametrize(
    "off", [{"r": HOLD + np.array([0.36, 0, 0])}, {"angle": 0.26}, {"v": 0.06}, {"rate": 0.06}, {"is_aborted": True}]
)
def test_every_gate_must_be_open(off):
    memory, outputs = fly(PORT.initial(), **off)
    assert memory.stage == TO_HOLD_POINT
    assert outputs.reference.r_RN_N == pytest.approx(HOLD)
    memory, _ = fly(PORT.initial())
    assert memory.stage == APPROACH


def test_the_gate_may_have_to_stay_open_for_a_while():
    part = PORT._replace(gate_time=1.0)
    memory, stages = part.initial(), []
    for v in (0.0, 0.0, 0.1, 0.0, 0.0, 0.0):
        memory, _ = fly(memory, part=part, v=v)
        stages.append(memory.stage)
    assert stages == [0, 0, 0, 0, 0, 1]


def test_the_reference_moves_along_the_axis_to_the_port():
    memory, _ = fly(PORT.initial())
    distances = []
    for _ in range(45):
        memory, outputs = fly(memory, r=PORT.r_DN_N + memory.distance * PORT.axis_N)
        distances.append(memory.distance)
        if memory.distance > 0.06:
            assert outputs.reference.v_RN_N == pytest.approx([0.0, -0.1, 0.0])
    assert np.diff(distances[:30]) == pytest.approx(np.full(29, -0.05))
    assert distances[-1] == 0.0 and memory.stage == DOCKED


def test_the_reference_slows_down_before_it_arrives():
    part = PORT._replace(touch_speed=0.02, touch_distance=0.2)
    memory, _ = fly(part.initial(), part=part)
    while memory.distance > 0.0:
        before = memory.distance
        memory, outputs = fly(memory, r=part.r_DN_N + memory.distance * part.axis_N, part=part)
        pace = 0.02 if before <= 0.2 else 0.1
        assert outputs.reference.v_RN_N == pytest.approx([0.0, -min(pace, before / DT), 0.0])
    assert memory.stage == APPROACH


@pytest.mark.parametrize("off", [{"r": [0.31, 2.0, 0.0]}, {"angle": 0.4, "r": [0, 2, 0]}, {"is_aborted": True}])
def test_outside_the_corridor_it_retreats_and_tries_again(off):
    memory, _ = fly(PORT.initial())
    memory, outputs = fly(memory, **off)
    assert memory.stage == RETREAT and outputs.status.aborts == 1
    for _ in range(100):
        memory, outputs = fly(memory, r=PORT.r_DN_N + memory.distance * PORT.axis_N)
        if memory.stage != RETREAT:
            break
    assert memory.stage == TO_HOLD_POINT and memory.distance == pytest.approx(2.0)


def test_after_too_many_retreats_it_gives_up():
    part = PORT._replace(max_aborts=1)
    memory, seen = part.initial(), []
    for _ in range(200):
        far = memory.stage == APPROACH
        memory, outputs = fly(
            memory, r=part.r_DN_N + memory.distance * part.axis_N + far * np.array([1.0, 0, 0]), part=part
        )
        seen.append(memory.stage)
    assert seen[-1] == GIVEN_UP and outputs.status.aborts == 2
    assert outputs.reference.r_RN_N == pytest.approx(HOLD)


def test_a_docked_vehicle_leaves_when_it_is_told_to():
    memory = cd.fsw.DockingGuidanceMemory(stage=DOCKED, distance=0.0)
    memory, _ = fly(memory, r=PORT.r_DN_N)
    assert memory.stage == DOCKED
    memory, outputs = fly(memory, r=PORT.r_DN_N, is_aborted=True)
    assert memory.stage == RETREAT
    _, outputs = fly(memory, r=PORT.r_DN_N, is_aborted=True)
    assert outputs.reference.v_RN_N == pytest.approx([0.0, 0.1, 0.0])


def test_astrobee_docks_at_the_crew_airlock_and_touches_it_gently():
    m = gateway()
    airlock = port("dock_crew_airlock_a")
    dock_N = airlock.r_PN_N + 0.1574 * airlock.axis_N  # 5 mm inside the contact
    bee = add_flyer(m, "astrobee", name="bee", r_BN_N=(-3.5, -9.4, 0.3))
    body, thrusters = m.bodies[bee.body], bee.thrusters
    scn = cd.Scenario("dock", mechanism=m)
    plan = scn.add(DockingGuidance(dock_N, airlock.axis_N), name="plan", every=0.1, motion=body.com.motion)
    law = flyer_pd(bee.mass, bee.inertia_C_B, bee.mixer, thrusters.max_thrust)
    ctl = scn.add(law, name="ctl", every=0.1, motion=body.com.motion, reference=plan.reference)
    bank = scn.add(ThrusterBank(thrusters.max_thrust), name="bank", command=ctl.command)
    push = scn.add(ThrusterWrench(thrusters.positions_B, thrusters.directions_B), name="push", forces=bank.forces)
    scn.connect(push.wrench, body.wrench)
    scn.start({body: FrameMotion(r_BN_N=[-3.5, -9.4, 0.3], sigma_BN=[0.05, -0.05, 0.04])})
    sim = cd.Simulation(scn, dynamics=cd.Mujoco(), integrator=cd.Rk4(step=0.005))
    log = sim.run(until=80.0, record=cd.Record(every=0.1, ports=["plan.*", "bee/astrobee.motion"]))
    status = log["plan.status"]
    assert set(status.stage.tolist()) == {TO_HOLD_POINT, APPROACH, DOCKED}
    assert status.stage[-1] == DOCKED and status.aborts[-1] == 0
    # it rests on the face, which the docked position lies 5 mm behind
    assert log["bee/astrobee.motion"].r_BN_N[-1, 1] == pytest.approx(airlock.r_PN_N[1] - 0.1624, abs=1e-3)
    assert status.attitude_error[-1] < np.deg2rad(1.0) and status.speed[-1] < 1e-3
