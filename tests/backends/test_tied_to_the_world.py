"""What acts between a vehicle and the world needs the vehicle's own position and velocity, however fast it flies."""

import mujoco
import numpy as np
import pytest
from test_services import evaluate

import cardan as cd

FLYING = """<mujoco>{option}<worldbody>{world}<body name="hub"><joint name="free" type="free" {joint}/>
<inertial pos=".1 0 0" mass="2" diaginertia=".1 .2 .25"/><site name="jet" pos=".1 .2 .3"/>{shape}</body></worldbody>
<actuator>{actuator}</actuator><equality>{equality}</equality></mujoco>"""
Q = np.array([70.0, -30.0, 20.0, 0.8, 0.0, 0.6, 0.0])
V = np.array([7.0, -5.0, 3.0, 0.3, -0.2, 0.1])


def compared(**pieces: str) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations by the service and by MuJoCo's own `mj_forward`."""
    given = {"option": "", "world": "", "joint": "", "shape": "", "actuator": "", "equality": ""} | pieces
    mechanism = cd.Mechanism.from_mjcf(FLYING.format(**given))
    ours = evaluate(cd.Scenario(mechanism=mechanism), cd.Mujoco(), Q, V).accelerations
    model = mechanism.model
    model.opt.gravity[:], model.opt.tolerance = 0.0, 0.0
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = Q, V
    mujoco.mj_forward(model, data)
    return ours, np.array(data.qacc)


@pytest.mark.parametrize(
    "pieces",
    [
        {"joint": 'damping="0.5"'},
        {"joint": 'stiffness="0.5"'},
        {"joint": 'frictionloss="0.5"'},
        {"option": '<option density="1.2" viscosity="0.1"/>', "shape": '<geom size=".1" mass="0"/>'},
        {"actuator": '<general joint="free" gear="1 2 0 0 0 1" biastype="affine" biasprm="0 0 -2"/>'},
        {
            "world": '<site name="base"/>',
            "actuator": '<position site="jet" refsite="base" gear="1 0 2 0 0 0" kp="3" kv="1"/>',
        },
        {
            "world": '<body name="ground" pos="69.9 -30 19.9"><geom type="box" size=".1 .1 .1"/></body>',
            "shape": '<geom size=".1" mass="0"/>',
        },
        {
            "world": '<body name="post" pos="69 -30 20"><site name="hook"/></body>',
            "equality": '<connect site1="hook" site2="jet"/>',
        },
    ],
    ids="-".join,
)
def test_what_ties_a_vehicle_to_the_world_acts_as_in_mujoco(pieces):
    ours, theirs = compared(**pieces)
    assert np.abs(theirs).max() > 0.1
    # the same functions, called one by one; rounding of coordinates that are some hundred times the vehicle's size
    assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("solver", ["PGS", "CG", "Newton"])
def test_constraints_are_solved_whatever_a_file_made_for_speed_asks_for(solver):
    """Two bodies that touch at many points, in a file that allows one iteration, against many of Newton's."""
    text = f"""<mujoco><option solver="{solver}" iterations="1" ls_iterations="1"/><worldbody>
    <body name="a"><freejoint/><geom type="box" size=".3 .3 .1" mass="2"/></body>
    <body name="b" pos="0.05 0 0.19"><freejoint/><geom type="box" size=".2 .25 .1" mass="1"/></body>
    </worldbody></mujoco>"""
    mechanism = cd.Mechanism.from_mjcf(text)
    q, v = np.array(mechanism.model.qpos0), np.array([0.1, 0, 0, 0, 0.2, 0, 0, 0, -0.5, 0.3, 0, 0.1])
    ours = evaluate(cd.Scenario(mechanism=mechanism), cd.Mujoco(), q, v).accelerations
    model = mechanism.model
    model.opt.gravity[:] = 0.0
    model.opt.solver, model.opt.iterations, model.opt.tolerance = mujoco.mjtSolver.mjSOL_NEWTON, 1000, 0.0
    model.opt.ls_iterations = 100
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    assert data.nefc > 8
    # both are at the minimum to rounding; positions relative to another origin move contact points by as much
    assert ours == pytest.approx(np.array(data.qacc), rel=1e-8, abs=1e-8 * np.abs(data.qacc).max())
