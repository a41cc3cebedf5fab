"""`mass-spring-damper`: a sampled PID controller moves a mass on a spring."""

import numpy as np

from cardan import DormandPrince54, fsw, models
from cardan.messages import LineMotion
from cardan.missions.mission import Curve, Mission, Result
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

TARGET = LineMotion(position=1.0, velocity=0.0)


def build() -> Scenario:
    """The mass, the integral of its error as a continuous state, and a PID that samples both at 20 Hz."""
    scn = Scenario("mass-spring-damper")
    mass = scn.add(models.MassSpringDamper(mass=2.0, stiffness=8.0, damping=0.4), name="mass")
    integral = scn.add(models.TrackingIntegral(), name="integral", motion=mass.motion, reference=TARGET)
    pid = scn.add(
        fsw.LinePid(K_p=40.0, K_d=12.0, K_i=30.0),
        name="pid",
        every=0.05,
        motion=mass.motion,
        reference=TARGET,
        integral=integral.error,
    )
    scn.connect(pid.command, mass.drive)
    return scn


def results(log: Log) -> list[Result]:
    position = log["mass.motion"].position
    force = log["pid.command"].force
    return [
        Result("position at the end", float(position[-1]), "m"),
        overshoot(log.t, position),
        Result("largest force", float(np.max(np.abs(force))), "N"),
        Result("force at the end", float(force[-1]), "N"),
    ]


def overshoot(t: np.ndarray, position: np.ndarray) -> Result:
    """How far the mass went beyond its target, if it did."""
    name, unit, target, highest = "overshoot", "% of the move", TARGET.position, float(position.max())
    if highest <= target:
        return Result(name, None, unit, f"not beyond {target:g} m by {t[-1]:g} s: {highest:.3g} m")
    return Result(name, 100.0 * (highest - target) / (target - float(position[0])), unit)


def curve(log: Log) -> Curve:
    return Curve("position [m]", log.t, log["mass.motion"].position)


MISSION = Mission(
    name="mass-spring-damper",
    title="A sampled PID controller moves a mass on a spring",
    about=(
        "A mass on a spring and a damper is moved by 1 m. The controller samples position and velocity at 20 Hz and "
        "holds its force between samples; the integral of the error is a continuous state, integrated together with "
        "the mass."
    ),
    build=build,
    until=10.0,
    integrator=DormandPrince54(rtol=1.0e-10, atol=1.0e-12),
    results=results,
    curve=curve,
    figures={"motion": ("mass.motion.position", "mass.motion.velocity", "pid.command.force")},
    record=Record(ports=("mass.motion", "integral.error", "pid.command")),
)
