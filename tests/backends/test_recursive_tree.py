"""The recursion against MuJoCo's own mass matrix, bias and kinematics, on random mechanisms."""

import mujoco
import numpy as np
import pytest
from mechanisms import plain_model, random_mechanism, random_state

from cardan.dynamics import Calculator

SEEDS = range(200)


@pytest.mark.parametrize("block", range(10))
def test_accelerations_kinematics_and_inertia_agree_with_mujoco(block):
    """Relative to the largest of their kind, rounding of some thirty links."""
    for seed in SEEDS[20 * block : 20 * block + 20]:
        mechanism = random_mechanism(seed)
        calculator = Calculator(mechanism)
        model, data = plain_model(mechanism)
        q, v = random_state(mechanism, seed)
        effort = np.random.default_rng(seed).normal(size=model.nv)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, effort
        mujoco.mj_forward(model, data)

        acceleration = calculator.forward(q, v, effort)
        assert np.abs(acceleration - data.qacc).max() < 1e-10 * np.abs(data.qacc).max(), seed

        tree, arrays = mechanism.tree, calculator.arrays
        for name, frame in tree.bodies.items():
            body = model.body(name).id
            place = arrays["r"][frame.link] + arrays["turn"][frame.link] @ frame.pos
            origin = arrays["origin_r"][tree.vehicle[frame.link]] if frame.link else 0.0
            assert np.abs(origin + place - data.xpos[body]).max() < 1e-12 * (1.0 + np.abs(data.xpos).max()), seed

        matrix = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, matrix)
        assert np.abs(calculator.mass_matrix(q) - matrix).max() < 1e-12 * np.abs(matrix).max(), seed

        # inverse dynamics returns what forward dynamics was given
        back = calculator.inverse(q, v, acceleration)
        scale = np.abs(matrix).max() * np.abs(acceleration).max()
        assert np.abs(back - effort).max() < 1e-11 * scale, seed


@pytest.mark.parametrize("block", range(10))
def test_locked_and_prescribed_joints_agree_with_a_dense_partitioned_solve(block):
    for seed in SEEDS[20 * block : 20 * block + 20]:
        mechanism = random_mechanism(seed)
        calculator = Calculator(mechanism)
        model, data = plain_model(mechanism)
        rng = np.random.default_rng(seed)
        joints = [at for at in range(model.nv) if model.dof_jntid[at] >= 0 and model.jnt_type[model.dof_jntid[at]] >= 2]
        known = {at: float(rng.normal()) for at in joints if rng.random() < 0.5}
        q, v = random_state(mechanism, seed)
        effort = rng.normal(size=model.nv)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        matrix = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, matrix)
        held = sorted(known)
        free = [i for i in range(model.nv) if i not in known]
        expected = np.zeros(model.nv)
        expected[held] = [known[i] for i in held]
        rest = effort - data.qfrc_bias - matrix @ expected
        expected[free] = np.linalg.solve(matrix[np.ix_(free, free)], rest[free])
        holding = (matrix @ expected + data.qfrc_bias - effort)[held]

        calculator.hold(known)
        acceleration = calculator.forward(q, v, effort)
        assert np.abs(acceleration - expected).max() < 1e-10 * np.abs(expected).max(), seed
        scale = np.abs(matrix).max() * np.abs(expected).max()
        assert np.abs(calculator.arrays["holding"][held] - holding).max(initial=0.0) < 1e-10 * scale, seed


def test_distance_and_speed_cost_no_digits():
    """7000 km away at 7.5 km/s, accelerations are the same to the last few bits."""
    for seed in range(40):
        mechanism = random_mechanism(seed, most=12)
        if len(mechanism.tree.roots) > 1:
            continue  # vehicles far from each other are another matter
        calculator = Calculator(mechanism)
        near = calculator.forward(*random_state(mechanism, seed))
        far = calculator.forward(*random_state(mechanism, seed, far=True))
        assert np.abs(near - far).max() <= 1e-13 * np.abs(near).max(), seed


@pytest.mark.parametrize("block", range(10))
def test_plain_python_and_native_code_agree_to_the_last_bit(block):
    """Every array that the recursion fills; sine and cosine are the same C functions in both."""
    for seed in SEEDS[20 * block : 20 * block + 20]:
        mechanism = random_mechanism(seed)
        native, plain = Calculator(mechanism), Calculator(mechanism, jit=False)
        q, v = random_state(mechanism, seed)
        rng = np.random.default_rng(seed)
        effort, wrench = rng.normal(size=len(v)), rng.normal(size=(mechanism.tree.links, 6))
        joints = [int(mechanism.tree.v_at[link]) for link in np.flatnonzero(mechanism.tree.kind >= 2)]
        known = {at: float(rng.normal()) for at in joints if rng.random() < 0.2}
        native.hold(known)
        plain.hold(known)
        assert np.array_equal(plain.forward(q, v, effort, wrench), native.forward(q, v, effort, wrench)), seed
        for name, values in native.arrays.items():
            if name != "private":  # the fourth lane of a vector means nothing
                assert np.array_equal(plain.arrays[name], values), (seed, name)
        if seed % 4 == 0:
            assert np.array_equal(plain.inverse(q, v, effort, wrench), native.inverse(q, v, effort, wrench)), seed
            assert np.array_equal(plain.mass_matrix(q), native.mass_matrix(q)), seed
