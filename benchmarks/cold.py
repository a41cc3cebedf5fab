"""Compiles something in a process whose cache is empty, and prints the processor time of the busiest process [s].

That is how long it takes where every process has a core of its own, however busy the machine is.
"""

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import cardan as cd
from benchmarks.attitude_filter import AttitudeFilter, Measured
from cardan.missions import hello
from cardan.native import compilation, drafting
from cardan.native.compilation import Compilation, Report
from cardan.simulation import schedule
from cardan.simulation.setup import set_up


def filter_step() -> None:
    """Compile the step of the filter, and nothing else."""
    scn = cd.Scenario("filter")
    measured = Measured(sigma_BN=np.array([0.1, 0.2, -0.1]), omega_BN_B=np.array([0.01, 0.02, 0.03]))
    watched = scn.add(AttitudeFilter(), name="filter", every=0.1, measured=measured)
    scn.leave_open(watched.estimate)
    setup = set_up(scn, None, None)
    began = time.process_time()
    _ = setup.schedule.rows["filter", "step"].address
    print(time.process_time() - began)


def mission() -> None:
    """Compile all that the mission `hello` needs."""
    compile_of(cd.Simulation(hello.build(), integrator=hello.MISSION.integrator))


def tracking() -> None:
    """Compile all that a flyer with predictive tracking needs."""
    from benchmarks import mpc

    compile_of(mpc.simulation(mpc.tracking()))


def compile_of(sim: cd.Simulation) -> None:
    with tempfile.TemporaryDirectory() as folder:

        def timed(each: Compilation) -> Compilation:
            def compile() -> int:
                began = time.process_time()
                address = each.compile()
                (Path(folder) / f"{os.getpid()}-{each.key}").write_text(str(time.process_time() - began))
                return address

            return each._replace(compile=compile)

        def compile_all(compilations: Iterable[Compilation], report: Report) -> None:
            compilation.compile_all([timed(each) for each in compilations], report)

        schedule.compile_all = compile_all
        began = time.process_time()
        sim.compile(progress=False)
        own = time.process_time() - began
        times: Counter[str] = Counter()
        for file in Path(folder).iterdir():
            times[file.name.partition("-")[0]] += float(file.read_text())
        times.pop(str(os.getpid()), None)  # which `own` has already
        print(own + max(times.values(), default=0.0))


if __name__ == "__main__":
    assert os.environ["CARDAN_CACHE_DIR"]
    if "to the end" in sys.argv:
        drafting._writer = lambda: None  # as with a version of Numba that has no drafts
    named = {"filter": filter_step, "tracking": tracking}
    next((action for name, action in named.items() if name in sys.argv), mission)()
