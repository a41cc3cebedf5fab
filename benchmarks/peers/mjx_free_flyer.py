"""The set-point task's vehicle and policy in MJX, MuJoCo's own port to JAX: environment steps per second.

Reads a JSON file that says what to run, prints JSON. Each step has the twelve errors of the observation, a network of
two layers of 64 whose actions are drawn at random, and one step of MuJoCo's Euler, all compiled as one loop in single
precision, as SmallSatSim's Table III has it. There is no reward, and nothing begins anew.
"""

import json
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import mujoco
from mujoco import mjx


def observation(qpos, qvel):
    """Errors of position, attitude (a rotation vector), velocity and rate, in body components."""
    q = qpos[3:7] * jnp.where(qpos[3] < 0.0, -1.0, 1.0)
    size = jnp.linalg.norm(q[1:]) + 1e-9
    theta = 2.0 * jnp.arctan2(size, q[0]) / size * q[1:]

    def to_body(vector):
        turn = 2.0 * jnp.cross(-q[1:], vector)
        return vector + q[0] * turn + jnp.cross(-q[1:], turn)

    return jnp.concatenate((to_body(qpos[:3]), theta, to_body(qvel[:3]), qvel[3:6]))


def main(given):
    spec = mujoco.MjModel.from_xml_path(given["mjcf"])
    spec.opt.timestep, spec.opt.gravity[:] = given["step"], 0.0
    spec.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model, high = mjx.put_model(spec), jnp.asarray(spec.actuator_ctrlrange[:, 1], jnp.float32)
    layers = [tuple(jnp.asarray(array, jnp.float32) for array in layer) for layer in given["layers"]]

    def act(seen, key):
        x = seen
        for weights, bias in layers[:-1]:
            x = jnp.tanh(x @ weights + bias)
        weights, bias = layers[-1]
        u = x @ weights + bias + given["deviation"] * jax.random.normal(key, high.shape)
        return high * jax.nn.sigmoid(u)

    def one(data, key):
        data = data.replace(ctrl=act(observation(data.qpos, data.qvel), key))
        return mjx.step(model, data), None

    def fly(start, key):
        data = mjx.make_data(model).replace(qpos=start)
        return jax.lax.scan(one, data, jax.random.split(key, given["steps"]))[0].qpos

    rates = {}
    for members in given["members"]:
        keys = jax.random.split(jax.random.PRNGKey(0), members)
        starts = jnp.tile(jnp.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], jnp.float32), (members, 1))
        run = jax.jit(jax.vmap(fly))
        assert jnp.isfinite(jax.block_until_ready(run(starts, keys))).all()
        times = []
        for _ in range(given["repeat"]):
            began = time.perf_counter()
            jax.block_until_ready(run(starts, keys))
            times.append(time.perf_counter() - began)
        rates[members] = members * given["steps"] / min(times)
    print(json.dumps({"rates": rates, "version": mujoco.__version__}))


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))
