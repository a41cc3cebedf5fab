"""Finds which thruster of a bank has failed, from a momentum filter and a bank of fault models."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Inertia, NotNegative, Positive, task
from cardan.fsw.allocation.wrench_axes import OnePerColumn, SixRows
from cardan.fsw.fault.reporting import DEAD, STUCK_ON, UNKNOWN, WRONG, AlarmMemory, latched, report_of
from cardan.maths import Mat, Mat3, Scalar, Vec, Vec3, cross, dcm_from_mrp, inverse3, matvec, matvec_transposed
from cardan.messages import FaultReport, FrameMotion, Residual, ThrusterCommand

# of each thruster: stuck off, stuck on, half off, half on
_MODELS = 4


class ThrusterMonitorMemory(NamedTuple):
    """Expected motion, and for each model how well it explains what is seen."""

    v_CN_N: Annotated[Vec3, "m/s"]
    omega_BN_B: Annotated[Vec3, "rad/s"]
    variance: Annotated[Vec, "-", NotNegative]
    signature: Annotated[Mat, "-"]
    evidence: Annotated[Vec, "-"]
    has_begun: Annotated[bool, "-"]
    is_alarm: Annotated[bool, "-"]
    unit: Annotated[int, "-"]
    mode: Annotated[int, "-"]
    since: Annotated[float, "s"]


class ThrusterMonitorOutputs(NamedTuple):
    report: FaultReport
    residual: Residual


@task
class ThrusterMonitor(NamedTuple):
    """Compares velocity and rate with what the commanded thrusts give, and with what they would give under each fault.

        v = v + dt (R^T F) / m,   omega = omega + dt J^-1 (T - omega x J omega),   (F, T) = mixer u               (1)
        r = (R (v_measured - v), omega_measured - omega),   S = p + noise^2,   k = p / S                          (2)
        p = (1 - k) p + q^2,   q^2 = disturbance^2 + uncertainty^2 (what each thrust adds)^2                      (3)
        s = (1 - k) s + dt (F_h / m, J^-1 T_h),   (F_h, T_h) = mixer_i (0 - u_i), mixer_i (max_thrust_i - u_i)    (4)
        g = max(0, g + sum of s r / S - s^2 / (2 S)),   s = 0 where g is                                          (5)

    r is the innovation of a filter, axis by axis; s what fault h would have put into it by now; g the cumulative
    sum of its log-likelihood ratio against no fault, for each thruster stuck off or on, and for half of each. An alarm
    is raised where the largest g exceeds `threshold`; the thruster is named once its g leads those of all others by
    `lead`. It is called stuck once that leads by `certainty`, also over half of it; until then it is wrong otherwise.

    Attributes:
        mass: [kg]
        inertia_B: [kg m^2] About the centre of mass, in body components.
        mixer: [-] Maps thrusts to force and torque about the centre of mass, a column for each thruster.
        max_thrust: [N] Of each thruster.
        velocity_noise: [m/s] Deviation of the measured velocity.
        rate_noise: [rad/s] Deviation of the measured rate.
        force_disturbance: [N] Deviation of forces that are not known.
        torque_disturbance: [N m] Deviation of torques that are not known.
        uncertainty: [-] Share of each thrust that is not known: strength, place, direction, mass.
        threshold: [-] Evidence for an alarm; a false one has a chance below exp(-threshold) for each tick and model.
        lead: [-] Evidence over other thrusters for a name.
        certainty: [-] Evidence over all other models for a thruster to be called stuck off or on.
    """

    mass: Annotated[float, "kg", Positive]
    inertia_B: Annotated[Mat3, "kg m^2", Inertia]
    mixer: Annotated[Mat, "-", SixRows]
    max_thrust: Annotated[Vec, "N", Positive, OnePerColumn]
    velocity_noise: Annotated[float, "m/s", Positive] = 1.0e-3
    rate_noise: Annotated[float, "rad/s", Positive] = 1.0e-3
    force_disturbance: Annotated[float, "N", Positive] = 5.0e-3
    torque_disturbance: Annotated[float, "N m", Positive] = 5.0e-4
    uncertainty: Annotated[float, "-", NotNegative] = 0.15
    threshold: Annotated[float, "-", Positive] = 35.0
    lead: Annotated[float, "-", NotNegative] = 5.0
    certainty: Annotated[float, "-", NotNegative] = 15.0

    def initial(self) -> ThrusterMonitorMemory:
        models = _MODELS * len(self.max_thrust)
        zero, evidence = np.zeros(3), np.zeros(models)
        signature = np.zeros((models, 6))
        return ThrusterMonitorMemory(zero, zero, np.zeros(6), signature, evidence, False, False, -1, UNKNOWN, 0.0)

    def step(
        self, t: float, dt: float, x: ThrusterMonitorMemory, motion: FrameMotion, command: ThrusterCommand
    ) -> tuple[ThrusterMonitorMemory, ThrusterMonitorOutputs]:
        u, n = command.thrust, len(self.max_thrust)
        if len(u) != n:
            raise ValueError("ThrusterMonitor: `command` has another number of thrusters than `max_thrust`.")
        dcm_BN = dcm_from_mrp(motion.sigma_BN)
        inverse_B = inverse3(self.inertia_B)
        # what a thrust of 1 N does to velocity and rate within a tick, in body components
        effect = np.empty((n, 6))
        for i in range(n):
            turned = matvec(inverse_B, self.mixer[3:, i].copy())
            for axis in range(3):
                effect[i, axis] = dt / self.mass * self.mixer[axis, i]
                effect[i, 3 + axis] = dt * turned[axis]

        # Eq. (1)
        pushed = np.zeros(6)
        for i in range(n):
            pushed = pushed + u[i] * effect[i]
        gyroscopic = matvec(inverse_B, cross(x.omega_BN_B, matvec(self.inertia_B, x.omega_BN_B)))
        v_N = x.v_CN_N + matvec_transposed(dcm_BN, pushed[:3].copy())
        omega_B = x.omega_BN_B + pushed[3:] - dt * gyroscopic

        # Eqs. (2) and (3)
        off_B = matvec(dcm_BN, motion.v_BN_N - v_N)
        turn_B = motion.omega_BN_B - omega_B
        r = np.array([off_B[0], off_B[1], off_B[2], turn_B[0], turn_B[1], turn_B[2]])
        noise = np.array([self.velocity_noise] * 3 + [self.rate_noise] * 3)
        disturbance = np.empty(6)
        for axis in range(3):
            disturbance[axis] = dt * self.force_disturbance / self.mass
            disturbance[3 + axis] = dt * self.torque_disturbance * inverse_B[axis, axis]
        unknown = disturbance * disturbance
        for i in range(n):
            share = self.uncertainty * u[i] * effect[i]
            unknown = unknown + share * share
        p = x.variance + unknown
        variance = p + noise * noise
        gain = p / variance
        if not x.has_begun:
            r = np.zeros(6)

        # Eqs. (4) and (5)
        signature, evidence = np.empty((_MODELS * n, 6)), np.empty(_MODELS * n)
        for h in range(_MODELS * n):
            i, kind = h % n, h // n
            wrong = -u[i] if kind % 2 == 0 else self.max_thrust[i] - u[i]
            s = x.signature[h] + (wrong if kind < 2 else 0.5 * wrong) * effect[i]
            gained = 0.0
            for axis in range(6):
                gained += (s[axis] * r[axis] - 0.5 * s[axis] * s[axis]) / variance[axis]
            evidence[h] = max(0.0, x.evidence[h] + gained) if x.has_begun else 0.0
            signature[h] = (1.0 - gain) * s if evidence[h] > 0.0 else 0.0 * s

        best, others = _leaders(evidence, n)
        largest = evidence[best]
        is_known = largest - others > self.lead
        unit, mode = (best % n, WRONG) if is_known else (-1, UNKNOWN)
        alarm = latched(AlarmMemory(x.is_alarm, x.unit, x.mode, x.since), t, largest > self.threshold, unit, mode)
        mode = alarm.mode
        if mode == WRONG and best % n == alarm.unit and best < 2 * n:
            half = max(evidence[alarm.unit + 2 * n], evidence[alarm.unit + 3 * n])
            if largest - max(half, others) > self.certainty:
                mode = DEAD if best < n else STUCK_ON
        alarm = AlarmMemory(alarm.is_alarm, alarm.unit, mode, alarm.since)

        # the filter follows what is measured
        followed_N = matvec_transposed(dcm_BN, (gain * r)[:3].copy())
        next_v = v_N + followed_N if x.has_begun else 1.0 * motion.v_BN_N
        next_omega = omega_B + (gain * r)[3:] if x.has_begun else 1.0 * motion.omega_BN_B
        next_variance = (1.0 - gain) * p if x.has_begun else noise * noise
        memory = ThrusterMonitorMemory(
            next_v,
            next_omega,
            next_variance,
            signature,
            evidence,
            True,
            alarm.is_alarm,
            alarm.unit,
            alarm.mode,
            alarm.since,
        )
        return memory, ThrusterMonitorOutputs(report_of(alarm, largest), Residual(r / np.sqrt(variance)))


def _leaders(evidence: Vec, n: int) -> tuple[int, Scalar]:
    """The model with the most evidence, and the most that any model of another thruster has."""
    best = 0
    for h in range(1, _MODELS * n):
        if evidence[h] > evidence[best]:
            best = h
    others = 0.0
    for h in range(_MODELS * n):
        if h % n != best % n:
            others = max(others, evidence[h])
    return best, others
