"""Predictive control: a quadratic-program solver, and controllers that can replace any other."""

from cardan.mpc.interior_point import Outcome as Outcome
from cardan.mpc.problem import Iterate as Iterate
from cardan.mpc.problem import Problem as Problem
from cardan.mpc.program import quadratic_program as quadratic_program
from cardan.mpc.tasks.articulated_mpc import ArticulatedMpc as ArticulatedMpc
from cardan.mpc.tasks.articulated_mpc import ArticulatedMpcMemory as ArticulatedMpcMemory
from cardan.mpc.tasks.articulated_mpc import articulated_mpc as articulated_mpc
from cardan.mpc.tasks.contouring_mpc import ContouringMpc as ContouringMpc
from cardan.mpc.tasks.contouring_mpc import ContouringMpcMemory as ContouringMpcMemory
from cardan.mpc.tasks.contouring_mpc import contouring_mpc as contouring_mpc
from cardan.mpc.tasks.gp_residual import GpResidual as GpResidual
from cardan.mpc.tasks.gp_residual import GpResidualMemory as GpResidualMemory
from cardan.mpc.tasks.gp_residual import gp_residual as gp_residual
from cardan.mpc.tasks.tracking_mpc import TrackingMpc as TrackingMpc
from cardan.mpc.tasks.tracking_mpc import TrackingMpcMemory as TrackingMpcMemory
