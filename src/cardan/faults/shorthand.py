"""Faults beyond wrong numbers in a message: upset parameters, joints, tanks, impacts."""

from math import gcd
from typing import Any

import numpy as np

from cardan.errors import SettingError, shown
from cardan.faults.fault import NEVER, Fault
from cardan.faults.inject import inject
from cardan.faults.joints import HingeFault, HingeSeizure, SlideFault, SlideSeizure
from cardan.faults.kinds import Kind, biased, tables
from cardan.faults.tanks import TankLeak
from cardan.faults.targets import find_target
from cardan.maths import with_flipped_bit
from cardan.messages import SlideState
from cardan.scenario import PartHandle, Scenario, nanoseconds, port_at

_NANO = 1.0e-9


def upset(scn: Scenario, path: str, *, bit: int, at: float, element: int | None = None) -> float:
    """Flip a bit of a parameter at a time [s], as radiation does; returns its new value.

    Args:
        scn: The scenario.
        path: Of the parameter, `ctl.K`; a float.
        bit: 0 the lowest of the fraction, 51 the highest; 52 to 62 the exponent, 63 the sign.
        at: [s] When.
        element: Which number of an array, row by row.
    """
    part, _, parameter = path.rpartition(".")
    if not isinstance(bit, int) or not 0 <= bit < 64:
        raise SettingError(f"`{path}`: bit {shown(bit)} flips.\n  Use a whole number from 0 to 63.")
    placed = scn.parts.get(part)
    value = getattr(placed.part, parameter, None) if placed is not None else None
    if value is None:
        scn.set(path, 0.0)  # says what is wrong with the path
    array = np.array(value, dtype=np.float64)
    if array.ndim > 0 and (element is None or not 0 <= element < array.size):
        raise SettingError(f"`{path}` has {array.size} numbers.\n  Say which: `element=0` to {array.size - 1}.")
    flat = array.reshape(-1)
    flat[element or 0] = with_flipped_bit(flat[element or 0], bit)
    scn.change(path, array if array.ndim else float(flat[0]), at=at)
    return float(flat[element or 0])


def seize(scn: Scenario, joint: str, *, every: float, name: str | None = None, **timing: Any) -> PartHandle:
    """Lock a hinge or a slide where it is when the fault strikes.

    Args:
        scn: The scenario.
        joint: Its name. Nothing may feed its lock yet; where something does, let a fault act on that.
        every: [s] How often the fault looks whether it is time.
        name: Of the fault.
        **timing: `onset`, `end`, `repeat`, `duty`, `probability`.
    """
    fault = _fault_of_joint(scn, joint, Kind("seized"), name or f"{joint}_seized", every, timing)
    lock, state = port_at(scn, f"{joint}.lock"), port_at(scn, f"{joint}.state")
    seizure = SlideSeizure() if state.message is SlideState else HingeSeizure()
    part = scn.add(seizure, name=f"{fault.name}/lock", every=every, joint=state, effect=fault.effect)
    scn.connect(part.lock, lock)
    return fault


def burden(
    scn: Scenario,
    joint: str,
    load: HingeFault | SlideFault,
    *kinds: Kind,
    every: float,
    name: str | None = None,
    **timing: Any,
) -> PartHandle:
    """Add an effort to a hinge or slide while a fault lasts: friction, damping, a changed spring, a stop, noise.

    Args:
        scn: The scenario.
        joint: Its name.
        load: Friction, stiffness, stop: `HingeFault(friction=0.01)`; `SlideFault` for a slide.
        *kinds: What comes on top, in N m or N: `noisy(1e-3)`, `biased(0.2)`.
        every: [s] How often the fault looks whether it is time, and draws noise.
        name: Of the fault.
        **timing: `onset`, `end`, `ramp`, `repeat`, `duty`, `probability`.
    """
    state = port_at(scn, f"{joint}.state")
    fits = SlideFault if state.message is SlideState else HingeFault
    if not isinstance(load, fits):
        raise SettingError(f"`{joint}`: a {type(load).__name__} does not fit.\n  Use `faults.{fits.__name__}(...)`.")
    kind = kinds[0] if kinds else Kind("load")
    fault = _fault_of_joint(scn, joint, kind, name or f"{joint}_load", every, timing)
    part = scn.add(load, name=f"{fault.name}/torque", joint=state, effect=fault.effect)
    scn.connect(part.effort, port_at(scn, f"{joint}.effort"))
    return fault


def impact(
    scn: Scenario, frame: str, momentum_N: Any, *, at: float, duration: float = 0.1, name: str | None = None
) -> PartHandle:
    """Let debris hit a body: a constant force for a short time, whose integral is a stated momentum.

    Args:
        scn: The scenario.
        frame: Where it hits: a site, a body's origin, or `bus.com` for its centre of mass.
        momentum_N: [N s] In inertial components.
        at: [s] When.
        duration: [s] How long it takes; it and `at` are whole numbers of the integrator's step, where that is fixed.
        name: Of the fault.
    """
    ticks = [nanoseconds(at, "The time of the impact"), nanoseconds(duration, "The duration of the impact")]
    if ticks[1] <= 0:
        raise SettingError(f"An impact that takes {shown(duration)} s.\n  Use a positive duration.")
    try:
        force_N = np.asarray(momentum_N, dtype=np.float64) / duration
    except (TypeError, ValueError):
        raise SettingError(f"An impact of {shown(momentum_N)} N s.\n  Use three numbers.") from None
    end = (ticks[0] + ticks[1]) * _NANO
    how: dict[str, Any] = {"name": name or f"{frame.replace('.', '_')}_impact", "every": gcd(*ticks) * _NANO}
    return inject(scn, f"{frame}.wrench_N.force_N", biased(force_N), onset=at, end=end, **how)


def leak(
    scn: Scenario, body: str, hole: str, tank: TankLeak, *, every: float, name: str | None = None, **timing: Any
) -> PartHandle:
    """Let a tank leak: the escaping propellant pushes and turns the body, and its mass is lost.

    Args:
        scn: The scenario.
        body: Which body has the tank. Where a part such as `PropellantTank` gives its mass properties already, the leak
            takes its loss from those, and connects behind it.
        hole: The site of the hole, or the body itself.
        tank: What escapes, how fast, and where the tank is.
        every: [s] How often the fault looks whether it is time.
        name: Of the fault.
        **timing: `onset`, `end`, `ramp`, `repeat`, `duty`, `probability`.
    """
    target = find_target(scn, f"{body}.mass_properties")
    if not tank.full_mass < target.message.mass:
        raise SettingError(
            f"`{body}` has {target.message.mass:g} kg, and {tank.full_mass:g} kg of it can escape.\n"
            "  Let something of it stay."
        )
    push = port_at(scn, f"{hole}.wrench")
    fault = _fault_of_joint(scn, body, Kind("leak"), name or f"{body}_leak", every, timing)
    fed = scn.mechanism_inputs.get(target.path)
    source = fed.connections[0].source if fed is not None and fed.connections else None
    how: dict[str, Any] = {"name": f"{fault.name}/tank", "effect": fault.effect}
    if source is not None:
        part = scn.intercept(source, tank, readers=[target.port], input="full", output="properties", **how)
    else:
        part = scn.add(tank, full=target.message, **how)
        scn.connect(part.properties, target.port)
    scn.connect(part.wrench, push)
    return fault


def _fault_of_joint(
    scn: Scenario, joint: str, kind: Kind, name: str, every: float, timing: dict[str, Any]
) -> PartHandle:
    fault = Fault(**{"onset": 0.0, "end": NEVER, **timing}, **tables([kind], 1, joint))
    return scn.add(fault, name=name, every=every)
