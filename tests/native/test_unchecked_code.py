"""The core and the services run without bounds checks; here they run with them, and stay within their memory."""

import ctypes
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

import cardan as cd
from cardan.missions import find_mission
from cardan.native import pointers
from cardan.simulation.setup import set_up

RUN = """
import json, sys
import cardan as cd
from cardan.missions import find_mission

digits = {}
mission = find_mission("reaction-wheels")
for service in mission.dynamics:
    sim = cd.Simulation(mission.scenario(), dynamics=service, integrator=mission.integrator_for())
    sim.run(until=3.0, record=mission.record, progress=False)
    digits[service.name] = [number.hex() for number in sim.snapshot().words.tolist()]
json.dump(digits, sys.stdout)
"""


def digits(bounds_checked: bool) -> dict[str, list[str]]:
    """Every word of a snapshot, by service, from a process of its own."""
    setting = {"NUMBA_BOUNDSCHECK": "1"} if bounds_checked else {}
    environment = {**os.environ, **setting}
    done = subprocess.run([sys.executable, "-c", RUN], env=environment, capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_no_index_of_the_core_or_of_a_service_is_out_of_bounds():
    # with checks, an index out of bounds would end the run; that the bits agree shows that it is the same run
    assert digits(bounds_checked=True) == digits(bounds_checked=False)


@pytest.mark.parametrize("service", [cd.RecursiveTree(jit=False), cd.BackSubstitution(jit=False)], ids=str)
def test_every_address_that_a_service_touches_lies_in_the_arena(service, monkeypatch):
    mission = find_mission("reaction-wheels")
    setup = set_up(mission.scenario(), service, cd.Rk4(step=0.1))
    run, tables = setup.new_run(), setup.tables(mission.record)
    run.record(tables)
    first = run.arena.ctypes.data
    beyond = first + run.arena.nbytes
    touched: set[int] = set()

    def guarded(kind):
        def from_address(address):
            assert first <= address <= beyond - 8, "outside of the arena"
            assert (address - first) % 8 == 0, "between two words"
            touched.add(address)
            return kind.from_address(address)

        return SimpleNamespace(from_address=from_address)

    shim = SimpleNamespace(c_double=guarded(ctypes.c_double), c_int64=guarded(ctypes.c_int64))
    monkeypatch.setattr(pointers, "ctypes", shim)
    run.quick(tables, setup.samples(run, tables, 100_000_000), 100_000_000)
    assert len(touched) > 500
