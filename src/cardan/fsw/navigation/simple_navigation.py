"""Navigation without an estimator: the truth with errors."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, task
from cardan.maths import ZERO3, RandomKey, Vec3, mrp_relative, normal_if
from cardan.messages import Attitude, FrameMotion


class SimpleNavigationOutputs(NamedTuple):
    motion: FrameMotion
    attitude: Attitude


@task
class SimpleNavigation(NamedTuple):
    """Position, velocity, attitude and rate as a navigation system would give them: true, with bias and white noise.

        r     = r_BN_N + position_bias_N + position_noise n                                                       (1)
        v     = v_BN_N + velocity_bias_N + velocity_noise n                                                       (2)
        sigma = (phi / 4) (+) sigma_BN,   phi = attitude_bias_B + attitude_noise n                                (3)
        omega = omega_BN_B + rate_bias_B + rate_noise n                                                           (4)

    where n has independent standard normal components, drawn anew at every tick.

    Attributes:
        position_noise: [m] Standard deviation along each axis.
        velocity_noise: [m/s]
        attitude_noise: [rad]
        rate_noise: [rad/s]
        position_bias_N: [m] In inertial components.
        velocity_bias_N: [m/s] In inertial components.
        attitude_bias_B: [rad] A small turn about body axes.
        rate_bias_B: [rad/s] In body components.
    """

    position_noise: Annotated[float, "m", NotNegative] = 0.0
    velocity_noise: Annotated[float, "m/s", NotNegative] = 0.0
    attitude_noise: Annotated[float, "rad", NotNegative] = 0.0
    rate_noise: Annotated[float, "rad/s", NotNegative] = 0.0
    position_bias_N: Annotated[Vec3, "m"] = ZERO3
    velocity_bias_N: Annotated[Vec3, "m/s"] = ZERO3
    attitude_bias_B: Annotated[Vec3, "rad"] = ZERO3
    rate_bias_B: Annotated[Vec3, "rad/s"] = ZERO3

    def step(self, truth: FrameMotion, rng: RandomKey) -> SimpleNavigationOutputs:
        largest = np.maximum(self.position_noise, self.velocity_noise)
        largest = np.maximum(largest, np.maximum(self.attitude_noise, self.rate_noise))
        n = normal_if(largest > 0.0, rng, 12)
        # Eqs. (1), (2) and (4)
        r_BN_N = truth.r_BN_N + self.position_bias_N + self.position_noise * n[:3]
        v_BN_N = truth.v_BN_N + self.velocity_bias_N + self.velocity_noise * n[3:6]
        omega_BN_B = truth.omega_BN_B + self.rate_bias_B + self.rate_noise * n[9:]
        # Eq. (3)
        phi_B = self.attitude_bias_B + self.attitude_noise * n[6:9]
        sigma_BN = mrp_relative(0.25 * phi_B, -truth.sigma_BN)
        return SimpleNavigationOutputs(
            motion=FrameMotion(r_BN_N=r_BN_N, v_BN_N=v_BN_N, sigma_BN=sigma_BN, omega_BN_B=omega_BN_B),
            attitude=Attitude(sigma_BN=sigma_BN, omega_BN_B=omega_BN_B),
        )
