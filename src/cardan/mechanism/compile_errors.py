"""Why MuJoCo cannot compile a mechanism, in our words, and what to do about it."""

import mujoco

from cardan.errors import MechanismError
from cardan.mechanism.compiling import impossible_bodies, is_about_inertia
from cardan.mechanism.leaving_out import some


def compile_error(spec: mujoco.MjSpec, source: str, error: ValueError) -> MechanismError:
    """MuJoCo's complaint about a specification that was read from `source`."""
    if isinstance(error, MechanismError):
        return error
    told = " ".join(str(error).split())
    if is_about_inertia(told):
        return _impossible_inertia(spec, source, told)
    text = f"`{source}` cannot be compiled.\n  MuJoCo: {told}"
    if "opening file" in told:
        text += "\n  Put the file there, or leave all shapes out: read the mechanism with `geometry=False`."
    elif "free joint can only" in told or "mocap body" in told:
        text += "\n  What flies freely, or is moved by mocap, hangs on the world: attach it there, "
        text += "or use other joints."
    elif "mesh" in told or "qhull" in told:
        text += "\n  Mend the mesh, or leave all shapes out: read the mechanism with `geometry=False`."
    return MechanismError(text)


def _impossible_inertia(spec: mujoco.MjSpec, source: str, told: str) -> MechanismError:
    found = impossible_bodies(spec)
    bodies = [f"`{name}` ({', '.join(f'{moment:g}' for moment in moments)})" for name, moments in found.items()]
    text = (
        f"`{source}` has bodies with principal moments of inertia [kg m^2] that no body has:\n"
        f"    {some(bodies) if bodies else told}\n"
        "  None is negative, and none is more than the sum of the other two. Mend them in the file"
    )
    if any(moments[0] < 0.0 for moments in found.values()):
        return MechanismError(f"{text}.")
    return MechanismError(
        f"{text}; or let it say\n"
        '  `<compiler balanceinertia="true"/>`, in URDF within `<mujoco>`: such a body then has the mean of its\n'
        "  moments about every axis."
    )
