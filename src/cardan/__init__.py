"""Cardan simulates generally articulated spacecraft for people who design guidance, navigation and control.

A `Scenario` wires `Model`s and `Task`s to a `Mechanism` with typed `Message`s; a `Simulation` advances it through time
with a `Dynamics` service and an integrator, and returns a `Log`.
"""

from typing import TYPE_CHECKING

from cardan.errors import CardanError as CardanError
from cardan.front_doors import later

if TYPE_CHECKING:
    from cardan import contracts as contracts
    from cardan import maths as maths
    from cardan.contracts.check import check_model as check_model
    from cardan.contracts.check import check_task as check_task
    from cardan.contracts.fields import Position as Position
    from cardan.contracts.message import AnyMessage as AnyMessage
    from cardan.contracts.message import message as message
    from cardan.contracts.model import model as model
    from cardan.contracts.model import output as output
    from cardan.contracts.task import task as task
    from cardan.dynamics.back_substitution import BackSubstitution as BackSubstitution
    from cardan.dynamics.mujoco import Mujoco as Mujoco
    from cardan.dynamics.recursive_tree import RecursiveTree as RecursiveTree
    from cardan.ephemeris import Epoch as Epoch
    from cardan.jax import jax_function as jax_function
    from cardan.maths.arrays import Mat as Mat
    from cardan.maths.arrays import Mat3 as Mat3
    from cardan.maths.arrays import Mat6 as Mat6
    from cardan.maths.arrays import Rows3 as Rows3
    from cardan.maths.arrays import Vec as Vec
    from cardan.maths.arrays import Vec3 as Vec3
    from cardan.maths.arrays import Vec4 as Vec4
    from cardan.maths.arrays import Vec6 as Vec6
    from cardan.maths.random import RandomKey as RandomKey
    from cardan.mechanism import Ball as Ball
    from cardan.mechanism import Carriage as Carriage
    from cardan.mechanism import Free as Free
    from cardan.mechanism import Hinge as Hinge
    from cardan.mechanism import Mechanism as Mechanism
    from cardan.mechanism import Slide as Slide
    from cardan.orbits import circular_orbit as circular_orbit
    from cardan.orbits import orbit as orbit
    from cardan.scenario.scenario import Scenario as Scenario
    from cardan.simulation.batch import Batch as Batch
    from cardan.simulation.batch_files import load_logs as load_logs
    from cardan.simulation.integrators import BogackiShampine32 as BogackiShampine32
    from cardan.simulation.integrators import Dop853 as Dop853
    from cardan.simulation.integrators import DormandPrince54 as DormandPrince54
    from cardan.simulation.integrators import ExplicitEuler as ExplicitEuler
    from cardan.simulation.integrators import Heun as Heun
    from cardan.simulation.integrators import Rk4 as Rk4
    from cardan.simulation.integrators import Rkf45 as Rkf45
    from cardan.simulation.integrators import Rkf78 as Rkf78
    from cardan.simulation.integrators import Rodas3 as Rodas3
    from cardan.simulation.integrators import Rodas4 as Rodas4
    from cardan.simulation.integrators import SemiImplicitEuler as SemiImplicitEuler
    from cardan.simulation.integrators import Tolerance as Tolerance
    from cardan.simulation.log import Log as Log
    from cardan.simulation.log_file import load_log as load_log
    from cardan.simulation.record import Record as Record
    from cardan.simulation.simulation import Simulation as Simulation
    from cardan.simulation.snapshot import Snapshot as Snapshot
    from cardan.simulation.snapshot import load_snapshot as load_snapshot
else:  # who declares parts needs neither a simulator nor a compiler, and who looks at a log declares no parts
    __getattr__, __dir__ = later(
        __name__,
        {
            "": "contracts maths",
            "contracts.check": "check_model check_task",
            "contracts.fields": "Position",
            "contracts.message": "AnyMessage message",
            "contracts.model": "model output",
            "contracts.task": "task",
            "dynamics.back_substitution": "BackSubstitution",
            "dynamics.mujoco": "Mujoco",
            "dynamics.recursive_tree": "RecursiveTree",
            "ephemeris": "Epoch",
            "jax": "jax_function",
            "maths.arrays": "Mat Mat3 Mat6 Rows3 Vec Vec3 Vec4 Vec6",
            "maths.random": "RandomKey",
            "mechanism": "Ball Carriage Free Hinge Mechanism Slide",
            "orbits": "circular_orbit orbit",
            "scenario.scenario": "Scenario",
            "simulation.batch": "Batch",
            "simulation.batch_files": "load_logs",
            "simulation.integrators": (
                "BogackiShampine32 Dop853 DormandPrince54 ExplicitEuler Heun Rk4 Rkf45 Rkf78 Rodas3 Rodas4 "
                "SemiImplicitEuler Tolerance"
            ),
            "simulation.log": "Log",
            "simulation.log_file": "load_log",
            "simulation.record": "Record",
            "simulation.simulation": "Simulation",
            "simulation.snapshot": "Snapshot load_snapshot",
        },
    )
