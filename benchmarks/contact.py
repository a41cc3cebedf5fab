"""Contact and stiffness: a thousand dockings through the touch, and arms whose joints are stiff."""

import time
import warnings
from collections.abc import Iterator

import numpy as np

import cardan as cd
from benchmarks.goal import Goal, best_of
from cardan.errors import CardanError
from cardan.missions import find_mission

RUNS, SAMPLE = 1000, 40
CORES = 2


def measure() -> Iterator[Goal]:
    yield from dockings()
    yield from stiff_arms()


def dockings() -> Iterator[Goal]:
    """Processor time of some, for a thousand on two cores: others may use the machine."""
    mission = find_mission("docking")
    for controller, service, until in (("pd", "mujoco", 60.0), ("pd", "recursive-tree", 60.0), ("mpc", "mujoco", 30.0)):
        scn = mission.scenario({"controller": controller})
        batch = cd.Batch(scn, SAMPLE, dynamics=mission.service(service), integrator=mission.integrator_for(), threads=1)
        record = cd.Record(every=until, ports=("felt.history",))
        batch.run(until=0.1, record=record)
        batch.reset()
        began = time.process_time()
        batch.run(until=until, record=record)
        each = (time.process_time() - began) / SAMPLE
        name = f"{RUNS} dockings of {until:g} s, {controller}, {service}, on two cores"
        yield Goal(name, RUNS * each / CORES, "s", 60.0)


def stiff_arm(links: int) -> cd.Scenario:
    """Light links on joints with strong springs and dampers: rates up to 1e5 per second."""
    m, parent = cd.Mechanism("arm"), None
    for i in range(links):
        joint = cd.Hinge([(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)][i % 2], damping=5.0, stiffness=200.0, rest=0.3)
        parent = m.add_body(
            f"link{i}", parent=parent, joint=joint, r_BP_P=(0.2 if i else 0.0, 0.0, 0.0), r_CB_B=(0.1, 0.0, 0.0),
            mass=0.05, inertia_B=np.diag([1e-5, 1.7e-4, 1.7e-4]),
        )  # fmt: skip
    scn = cd.Scenario("arm", mechanism=m)
    scn.start({"link0_joint": cd.messages.HingeState(rate=1.0)})
    return scn


def fly(links: int, integrator: object) -> tuple[np.ndarray, float]:
    """[rad], [s] Angles over a second, and the processor time that it takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = cd.Simulation(stiff_arm(links), dynamics=cd.RecursiveTree(), integrator=integrator)

    def run() -> cd.Log:
        sim.reset()
        return sim.run(until=1.0, record=cd.Record(every=0.05))

    log = run()
    angles = np.array([log[f"link{i}_joint.state"].angle for i in range(links)])
    return angles, best_of(run, 3, time.process_time)


def blows_up(links: int, step: float) -> bool:
    try:
        fly(links, cd.Rk4(step=step))
    except CardanError:
        return True
    return False


def stiff_arms() -> Iterator[Goal]:
    for links in (2, 7, 12):
        exact, _ = fly(links, cd.Dop853(rtol=1e-11, atol=1e-12))
        yield Goal(f"arm of {links} stiff joints, Rk4 at 2 ms blows up", float(blows_up(links, 2e-3)), "-", 1.0, True)
        angles, own = fly(links, cd.Rodas3(step=2e-3))
        yield Goal(
            f"arm of {links} stiff joints, Rodas3 at 2 ms, error", float(np.abs(angles - exact).max()), "rad", 1e-4
        )
        _, explicit = fly(links, cd.Rk4(step=1e-4))
        yield Goal(
            f"arm of {links} stiff joints, Rodas3 at 2 ms over Rk4 at 0.1 ms", explicit / own, "times", 2.0, True
        )
