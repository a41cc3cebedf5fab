"""What the missions of free flyers have in common: controllers by name, thrusters, and what is read off a run."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardan import fsw, models, mpc
from cardan.errors import SettingError, did_you_mean
from cardan.mechanism import Clearance, Flyer, Mechanism
from cardan.messages import ThrusterCommand
from cardan.missions.mission import Result
from cardan.missions.vehicles import FLYERS
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log

NAME = "flyer"  # the scope of the vehicle's names in the mechanism


class Controller(NamedTuple):
    """A controller that `--set controller=...` offers.

    Attributes:
        period: [s] At which it runs, and its planner with it.
        make: The task, from the flyer and the period; or from the flyer and a closed path, its corners and quaternions.
        has_path: Whether it follows a path by itself, not the reference of a planner.
        learns: Whether it is told what was learnt of the thrusters.
        has_lag: Whether it stays behind a reference that moves; those that predict do not.
    """

    period: float
    make: Callable[..., Any]
    has_path: bool = False
    learns: bool = False
    has_lag: bool = False


def _pd(flyer: Flyer, period: float) -> Any:
    return fsw.flyer_pd(flyer.mass, flyer.inertia_C_B, flyer.mixer, flyer.thrusters.max_thrust)


def _lqr(flyer: Flyer, period: float) -> Any:
    return fsw.flyer_lqr(flyer.mass, flyer.inertia_C_B, flyer.mixer, flyer.thrusters.max_thrust, period=period)


def _mpc(flyer: Flyer, period: float) -> Any:
    return mpc.TrackingMpc(flyer.mass, flyer.inertia_C_B, flyer.mixer, flyer.thrusters.max_thrust)


def _artificial(flyer: Flyer, period: float) -> Any:
    """SmallSatSim's nominal MPC: its horizon and weights, which are twice and, of turns, half of theirs in Eq. (1).

    Theirs subtracts quaternions as 4-vectors, which weighs a large turn less than its square: hence 0.8 of that.
    """
    return mpc.TrackingMpc(
        flyer.mass, flyer.inertia_C_B, flyer.mixer, flyer.thrusters.max_thrust, horizon=80, prediction_step=period,
        weights=np.array([0.2, 0.04, 0.2, 0.2]), last_weights=np.full(4, 1.0e3), thrust_weight=0.02,
        offset_weights=np.array([0.3, 0.06]),
    )  # fmt: skip


def _mpcc(flyer: Flyer, corners_N: np.ndarray, q_RN: np.ndarray) -> Any:
    return mpc.contouring_mpc(flyer, corners_N, q_RN, is_closed=True)


CONTROLLERS: dict[str, Controller] = {
    "pd": Controller(0.02, _pd, has_lag=True),
    "lqr": Controller(0.05, _lqr, has_lag=True),
    "mpc": Controller(0.25, _mpc),
    "artificial-mpc": Controller(0.05, _artificial),
    "gp-mpc": Controller(0.25, _mpc, learns=True),
}
"""Controllers by name that follow a reference; periods of all but `mpc` and `gp-mpc` as SmallSatSim has them."""

PATH_CONTROLLERS = CONTROLLERS | {
    "mpcc": Controller(0.25, _mpcc, has_path=True),
    "gp-mpcc": Controller(0.25, _mpcc, has_path=True, learns=True),
}
"""And those for missions along a path."""


def controller_names(offered: dict[str, Controller] = CONTROLLERS) -> str:
    """What the option `controller` may be, for the list of a mission's options."""
    *others, last = offered
    return f"{', '.join(others)} or {last}"


FAULTS = ("none", "stuck-off", "stuck-on")


def one_of(option: str, value: str, known: Any) -> str:
    """The value of an option that is a name."""
    if value not in known:
        raise SettingError(
            f"The option `{option}` is one of {', '.join(known)}; got `{value}`.{did_you_mean(value, known)}"
        )
    return value


def controller_of(name: str, offered: dict[str, Controller] = CONTROLLERS) -> Controller:
    """The controller of this name."""
    return offered[one_of("controller", name, offered)]


def kind_of(name: str) -> str:
    """The name of a vehicle that there is."""
    return one_of("vehicle", name, FLYERS)


def check_start(m: Mechanism, flyer: Flyer, r_BN_N: np.ndarray, q_BN: np.ndarray) -> None:
    """Refuse the option `start.offset` if with it the vehicle begins inside something."""
    room, body = Clearance(m, flyer.body, any_attitude=False).distance(r_BN_N, q_BN)
    if room < 0.0:
        raise SettingError(
            f"With `start.offset` the vehicle starts {-room:.3g} m inside `{body}`.\n  Start it outside."
        )


def fly(scn: Scenario, m: Mechanism, flyer: Flyer, controller: Controller, reference: Any, path: Any = ()) -> None:
    """Add a controller that follows `reference`, or `path` by itself, the thrusters, and what they do to the body."""
    body, thrusters = m.bodies[flyer.body], flyer.thrusters
    law = controller.make(flyer, *path) if controller.has_path else controller.make(flyer, controller.period)
    wired = {} if controller.has_path else {"reference": reference}
    ctl = scn.add(law, name="ctl", every=controller.period, motion=body.com.motion, **wired)
    if controller.learns:
        _learn(scn, m, flyer, controller.period)
    bank = scn.add(models.ThrusterBank(thrusters.max_thrust), name="bank", command=ctl.command)
    geometry = models.ThrusterWrench(thrusters.positions_B, thrusters.directions_B)
    push = scn.add(geometry, name="push", forces=bank.forces)
    scn.connect(push.wrench, body.wrench)


def _learn(scn: Scenario, m: Mechanism, flyer: Flyer, period: float) -> None:
    """Add what learns from the commands of the tick before, and tells the controller."""
    ctl, largest = scn["ctl"], flyer.thrusters.max_thrust
    learner = mpc.gp_residual(flyer.mass, flyer.inertia_C_B, flyer.mixer, largest)
    gp = scn.add(learner, name="gp", every=period, motion=m.bodies[flyer.body].com.motion)
    scn.connect(ctl.command, gp.command, delay=1, initial=ThrusterCommand(0.0 * largest))
    scn.connect(gp.learnt, ctl.learnt)


def break_thruster(scn: Scenario, flyer: Flyer, fault: str, number: int, after: float) -> None:
    """Let a thruster be stuck off or on from a time [s] on."""
    if one_of("fault", fault, FAULTS) == "none":
        return
    count = len(flyer.thrusters.names)
    if not 0 <= number < count:
        raise SettingError(f"The option `fault.thruster` is from 0 to {count - 1}; got {number}.")
    thrust = flyer.thrusters.max_thrust[number] if fault == "stuck-on" else 0.0
    scn.intercept(scn["bank"].forces, models.StuckThruster(number, thrust, after), name="fault")


# ---- reading a run ---------------------------------------------------------------------------------------------------


def effort(log: Log) -> float:
    """[N s] Thrust over time of all thrusters, as it really was."""
    return float(log["push.state"].impulse[-1].sum())


def error_sizes(log: Log) -> dict[str, np.ndarray]:
    """Lengths of the errors: `r` [m], `theta` [deg], `v` [m/s], `omega` [deg/s]."""
    error = log["ctl.error"]
    return {
        "r": np.linalg.norm(error.r_BR_B, axis=1),
        "theta": np.rad2deg(np.linalg.norm(error.theta_BR_B, axis=1)),
        "v": np.linalg.norm(error.v_BR_B, axis=1),
        "omega": np.rad2deg(np.linalg.norm(error.omega_BR_B, axis=1)),
    }


_AT_LIMIT = 1.0e-3  # [-] a predictive controller stays this far from a limit


def thrust_results(log: Log) -> list[Result]:
    """What the thrusters had to do."""
    limit = np.asarray(log.about["parts"]["bank"]["parameters"]["max_thrust"]["value"])
    saturated = np.any(log["ctl.command"].thrust > (1.0 - _AT_LIMIT) * limit, axis=1)
    return [
        Result("control effort", effort(log), "N s"),
        Result("samples with a thruster at its limit", 100.0 * float(np.mean(saturated)), "%"),
    ]


def thrust_figure(log: Log) -> list[Panel]:
    """Demanded thrusts, four to a diagram, and what the wrench lacks, or the cost of what is planned."""
    thrust = log["ctl.command"].thrust
    panels = [
        Panel(f"thrust {first} to {first + 3} [N]", _columns(log, thrust, first), is_stepped=True)
        for first in range(0, thrust.shape[1] - 3, 4)
    ]
    status = log["ctl.status"]
    name, values = ("shortfall", status.shortfall) if hasattr(status, "shortfall") else ("cost", status.cost)
    return [*panels, Panel(f"{name} [-]", {"": (log.t, values)}, is_stepped=True)]


def _columns(log: Log, values: np.ndarray, first: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    return {str(i): (log.t, values[:, i]) for i in range(first, first + 4)}
