"""Random mechanisms: every joint kind, any branching, several joints per body, bodies without joints."""

import mujoco
import numpy as np

import cardan as cd


def random_mechanism(seed: int, most: int = 30, decades: float = 0.0, wheels: int = 0) -> cd.Mechanism:
    """A random mechanism.

    Args:
        seed: What it is drawn from.
        most: How many bodies it has at the most, beside wheels.
        decades: Orders of magnitude by which masses grow from the root on; drives then have no inertia.
        wheels: How many of its bodies are balanced wheels, every third of them in a gimbal.
    """
    rng = np.random.default_rng(seed)
    weights = 10.0 ** np.sort(np.random.default_rng(seed).uniform(-0.5 * decades, 0.5 * decades, most))
    made = cd.Mechanism(f"random{seed}")
    count = int(rng.integers(1, most + 1))
    bodies = []
    for i in range(count):
        a = rng.normal(size=(3, 3))
        spread = a @ a.T + 0.1 * np.eye(3)  # second moments: any inertia made of them is physical
        q = rng.normal(size=4)
        parent = bodies[int(rng.integers(0, i))] if i and rng.random() > 0.05 else None
        bodies.append(
            made.add_body(
                f"b{i}",
                parent=parent,
                joints={f"j{i}_{k}": joint for k, joint in enumerate(_joints(rng, parent is None, decades == 0.0))},
                mass=weights[i] * float(rng.uniform(0.5, 5.0)),
                inertia_B=weights[i] * 0.2 * (np.trace(spread) * np.eye(3) - spread),
                r_CB_B=0.3 * rng.normal(size=3),
                r_BP_P=rng.normal(size=3),
                q_BP=q / np.linalg.norm(q),
            )
        )
    for i in range(3):
        q = rng.normal(size=4)
        made.add_site(
            f"s{i}", bodies[int(rng.integers(0, count))], r_SB_B=rng.normal(size=3), q_SB=q / np.linalg.norm(q)
        )
    for i in range(wheels):
        weight = 10.0 ** rng.uniform(-0.5 * decades, 0.5 * decades)
        _add_wheel(made, f"w{i}", bodies[int(rng.integers(0, count))], rng, weight, decades == 0.0)
    return made


def _add_wheel(
    made: cd.Mechanism, name: str, parent: object, rng: np.random.Generator, weight: float, has_armature: bool
) -> None:
    axis, anchor, q = unit(rng.normal(size=3)), 0.3 * rng.normal(size=3), unit(rng.normal(size=4))
    spin, across = rng.uniform(0.1, 1.0, 2)
    about = np.outer(axis, axis)
    joints = {f"{name}_gimbal": cd.Hinge(unit(rng.normal(size=3)))} if name.endswith(("2", "5", "8")) else {}
    joints[f"{name}_spin"] = cd.Hinge(axis, anchor, armature=has_armature * rng.choice([0.0, 0.2]))
    made.add_body(
        name,
        parent=parent,
        joints=joints,
        mass=weight * float(rng.uniform(0.5, 5.0)),
        # a disc has half of its inertia across, a rod all of it
        inertia_B=weight * (spin * about + (0.5 * spin + across) * (np.eye(3) - about)),
        r_CB_B=anchor + rng.normal() * axis,
        r_BP_P=rng.normal(size=3),
        q_BP=q,
    )


def unit(a: np.ndarray) -> np.ndarray:
    return a / np.linalg.norm(a)


def _joints(rng: np.random.Generator, is_root: bool, has_armature: bool) -> list[object]:
    if is_root:
        return [cd.Free()]
    kind = rng.choice(["hinge", "slide", "ball", "two", "three", "fixed"], p=[0.4, 0.15, 0.15, 0.1, 0.1, 0.1])
    armature, damping = rng.uniform(0.0, 0.3, 2)
    armature *= has_armature

    def axis() -> np.ndarray:
        return unit(rng.normal(size=3))

    def hinge() -> cd.Hinge:
        stiffness, rest = rng.uniform(0.0, 2.0, 2)
        return cd.Hinge(axis(), 0.3 * rng.normal(size=3), damping, stiffness, rest, armature)

    if kind == "slide":
        return [cd.Slide(axis(), damping, 1.5, 0.1, armature)]
    if kind == "ball":
        return [cd.Ball(0.3 * rng.normal(size=3), damping, armature)]
    if kind == "fixed":
        return []
    return [hinge() for _ in range({"hinge": 1, "two": 2, "three": 3}[kind])]


def random_state(mechanism: cd.Mechanism, seed: int, far: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and velocities; `far`: 7000 km away at 7.5 km/s."""
    rng = np.random.default_rng(seed)
    tree = mechanism.tree
    q, v = rng.normal(size=tree.nq), rng.normal(size=tree.nv)
    for link in range(1, tree.links):
        at = int(tree.q_at[link])
        if tree.kind[link] == 0:
            q[at + 3 : at + 7] /= np.linalg.norm(q[at + 3 : at + 7])
            if far:
                q[at : at + 3] += [7.0e6, 1.0e5, -3.0e5]
                v[tree.v_at[link] : tree.v_at[link] + 3] += [100.0, 7500.0, -300.0]
        elif tree.kind[link] == 1:
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    return q, v


def plain_model(mechanism: cd.Mechanism) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """MuJoCo itself, without gravity and without springs and dampers."""
    model = mechanism._spec.copy().compile()
    model.opt.gravity[:] = 0.0
    model.dof_damping[:] = 0.0
    model.jnt_stiffness[:] = 0.0
    return model, mujoco.MjData(model)
