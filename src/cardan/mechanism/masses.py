"""What mass properties a body can have."""

import numpy as np

# [-] rounding of an inertia, relative to its trace
ROUNDING = 1.0e-9


def mass_fault(mass: float, inertia: np.ndarray) -> str:
    """What is wrong with a mass [kg] and an inertia [kg m^2] about the centre of mass; empty if nothing is."""
    if not mass >= 0.0:
        return f"mass = {mass:g} kg\n  expected a mass that is not negative"
    room = ROUNDING * np.trace(inertia)
    skew = np.abs(inertia - inertia.T)
    if not skew.max() <= max(room, 0.0):
        row, column = np.unravel_index(int(np.argmax(skew)), skew.shape)
        above, below = inertia[row, column], inertia[column, row]
        return (
            f"inertia_C_B is not symmetric: [{row}, {column}] is {above:g} kg m^2 and [{column}, {row}] is "
            f"{below:g} kg m^2\n  expected a symmetric inertia"
        )
    moments = np.linalg.eigvalsh(inertia)
    if not moments[0] >= -room or room < 0.0:
        return (
            f"inertia_C_B has a principal moment of {moments[0]:.6g} kg m^2\n"
            "  expected principal moments that are not negative"
        )
    if not moments[2] <= moments[0] + moments[1] + 2.0 * room:
        return (
            f"inertia_C_B has principal moments of {moments[0]:.6g}, {moments[1]:.6g} and {moments[2]:.6g} kg m^2\n"
            "  expected none that is larger than the sum of the other two"
        )
    return ""
