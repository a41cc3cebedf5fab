"""A filter of 40 lines, as a user would write it: products of matrices, slices, a linear solve, branches."""

from typing import Annotated, NamedTuple

import numpy as np

import cardan as cd
from cardan.maths import tilde


@cd.message
class Measured(NamedTuple):
    sigma_BN: Annotated[cd.Vec3, "-"]
    omega_BN_B: Annotated[cd.Vec3, "rad/s"]


@cd.message
class Estimate(NamedTuple):
    sigma_BN: Annotated[cd.Vec3, "-"]
    omega_BN_B: Annotated[cd.Vec3, "rad/s"]


class FilterMemory(NamedTuple):
    sigma_BN: Annotated[cd.Vec3, "-"] = np.zeros(3)
    bias_B: Annotated[cd.Vec3, "rad/s"] = np.zeros(3)
    covariance_B: Annotated[cd.Mat6, "-"] = np.eye(6)


class FilterOutputs(NamedTuple):
    estimate: Estimate


@cd.task
class AttitudeFilter(NamedTuple):
    """Attitude and bias of a gyro from measured attitudes and rates; what is too surprising is left out."""

    noise: Annotated[float, "-"] = 1e-3
    drift: Annotated[float, "-"] = 1e-5
    gate: Annotated[float, "-"] = 11.3

    def step(self, dt: float, x: FilterMemory, measured: Measured) -> tuple[FilterMemory, FilterOutputs]:
        # predict
        omega_BN_B = measured.omega_BN_B - x.bias_B
        s = x.sigma_BN
        rate_matrix = (1.0 - s @ s) * np.eye(3) + 2.0 * tilde(s) + 2.0 * np.outer(s, s)
        sigma_BN = s + 0.25 * dt * rate_matrix @ omega_BN_B
        A = np.zeros((6, 6))
        A[:3, :3] = -tilde(omega_BN_B)
        A[:3, 3:] = -0.25 * np.eye(3)
        F = np.eye(6) + dt * A + 0.5 * dt * dt * (A @ A)
        Q = np.zeros((6, 6))
        for i in range(3):
            Q[i, i] = self.noise**2 * dt
            Q[3 + i, 3 + i] = self.drift**2 * dt
        P = F @ x.covariance_B @ F.T + Q

        # correct
        H = np.zeros((3, 6))
        H[:, :3] = np.eye(3)
        R = self.noise**2 * np.eye(3)
        S = H @ P @ H.T + R
        residual = measured.sigma_BN - sigma_BN
        bias_B = x.bias_B.copy()
        if residual @ np.linalg.solve(S, residual) < self.gate:
            K = np.linalg.solve(S, H @ P).T
            change = K @ residual
            sigma_BN = sigma_BN + change[:3]
            bias_B = bias_B + change[3:]
            L = np.eye(6) - K @ H
            P = L @ P @ L.T + K @ R @ K.T
        if np.sqrt(sigma_BN @ sigma_BN) > 1.0:
            sigma_BN = -sigma_BN / (sigma_BN @ sigma_BN)
        P = 0.5 * (P + P.T)
        return FilterMemory(sigma_BN, bias_B, P), FilterOutputs(Estimate(sigma_BN, omega_BN_B))
