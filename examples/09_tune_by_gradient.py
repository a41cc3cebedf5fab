"""Tune a controller by gradient: the closed loop as a function of its gains, differentiated through every step."""

import jax
import jax.numpy as jnp
import numpy as np

import cardan as cd
from cardan.missions import hello

jax.config.update("jax_enable_x64", True)  # 64 bits, as native runs have

# the tumbling spacecraft of `hello`; its gains are arguments
GAINS, STEP, STEPS = ("ctl.K", "ctl.P"), 0.5, 240
OUTPUTS = ["err.error", "ctl.torque", "body.attitude"]
fly = cd.jax_function(hello.build(), integrator=cd.Rk4(step=STEP), outputs=OUTPUTS, varies=GAINS)


def cost(logarithms):
    """Mean squares of the error [-], of the rate [0.1 rad/s] and of the torque [5 N m]; gains stay positive."""
    gains = dict(zip(GAINS, jnp.exp(logarithms), strict=True))
    state, _ = fly.reset(parameters=gains)
    _, flown = fly.rollout(state, steps=STEPS, parameters=gains)
    error, torque_B = flown["err.error"], flown["ctl.torque"].torque_B
    squares = jnp.mean(error.sigma_BR**2), jnp.mean((error.omega_BR_B / 0.1) ** 2), jnp.mean((torque_B / 5.0) ** 2)
    return sum(squares), (sum(squares), flown["body.attitude"].sigma_BN[-1])


# forward mode carries a tangent for each of the two gains along; for many parameters, `jax.grad` goes backwards
gradient_of = jax.jit(jax.jacfwd(cost, has_aux=True))
x = np.log([1.0, 8.0])  # a first guess of K [N m] and P [N m s]
for i in range(61):
    gradient, (value, attitude) = jax.device_get(gradient_of(x))
    if i % 20 == 0:
        print(f"after {i:2} steps: cost {value:.4f}, K {np.exp(x[0]):.2f} N m, P {np.exp(x[1]):.1f} N m s")
    tuned, x = x, x - 0.3 * 0.95**i * gradient / np.linalg.norm(gradient)

# the derivative is that of finite differences
h = np.array([1e-5, 0.0])
difference = (gradient_of(tuned + h)[1][0] - gradient_of(tuned - h)[1][0]) / 2e-5
print("the gradient is that of finite differences:", bool(abs(gradient[0] - difference) < 1e-8))

# the tuned loop, flown natively, ends where JAX says
sim = cd.Simulation(hello.build(), integrator=cd.Rk4(step=STEP)).variant(dict(zip(GAINS, np.exp(tuned), strict=True)))
sim.run(until=STEPS * STEP)
print("the native run ends at the same attitude:", np.allclose(sim["body.attitude"].sigma_BN, attitude, atol=1e-12))
