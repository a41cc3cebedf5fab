"""What went wrong in native code, told in the words of the scenario."""

from pathlib import Path
from traceback import walk_tb
from typing import Any, NoReturn

import numpy as np

from cardan.errors import CallLost, CompileError, NotFinite, ShapeError, StepCollapsed
from cardan.native.layout import WORD, Block
from cardan.native.status import Status
from cardan.scenario.clock import seconds
from cardan.scenario.order import DYNAMICS, KINEMATICS
from cardan.simulation import core
from cardan.simulation.calls import CHECK, AnyRow, Row, ServiceRow
from cardan.simulation.mechanism_failures import explain_service, explain_step, too_long_now
from cardan.simulation.places import Place
from cardan.simulation.schedule import Schedule
from cardan.simulation.stiffness import TooLong


def raise_failure(
    code: int, arena: np.ndarray, schedule: Schedule, plan_rows: dict[int, list[AnyRow]], integrator: Any
) -> NoReturn:
    """Raise what the core's return code and the failure words of the arena say."""
    ints = arena.view(np.int64)
    t = float(arena[core.FAIL_TIME])
    if code in (core.STATE_NOT_FINITE, core.STEP_COLLAPSED):
        explained = explain_step(arena, schedule, integrator, t)
        if explained is not None:
            raise explained
    if code == core.STATE_NOT_FINITE:
        path, unit = _state_at(schedule, int(ints[core.FAIL_ROW]))
        raise NotFinite(
            f"The state `{path}` [{unit}] is no longer finite after the step from t = {t:.9g} s.\n"
            "  Its rate is finite but too large: check the units of what drives it, or use a smaller step."
        )
    if code == core.STEP_COLLAPSED:
        path, unit = _state_at(schedule, int(ints[core.FAIL_ROW]))
        tolerance = integrator.tolerances.get(path, (integrator.atol, integrator.rtol))
        raise StepCollapsed(
            f"{_name(integrator)} cannot meet its tolerances at t = {t:.9g} s with its smallest step, "
            f"{integrator.min_step:g} s.\n"
            f"  The error is largest in `{path}` [{unit}] (absolute {tolerance[0]:g}, relative {tolerance[1]:g}).\n"
            "  Something there jumps or is very stiff: let it jump at a tick, loosen that tolerance, or lower min_step."
        )

    row = plan_rows[int(ints[core.FAIL_TABLE])][int(ints[core.FAIL_ROW])]
    stage = int(ints[core.FAIL_STAGE])
    where = _where(int(ints[core.FAIL_TABLE]), stage, t, seconds(int(ints[core.NOW])), integrator)
    status = Status(int(ints[core.FAIL_STATUS]))
    exception = row.python.exceptions.pop(arena.ctypes.data + WORD * row.context, None)
    if status is Status.RAISED and not row.jit and exception is None:
        raise CallLost(
            f"`{row.path}` was left by an exception from outside {where}, which the interpreter has printed.\n"
            "  It comes from a signal handler or a debugger. `run` goes on from the last step as if nothing had been."
        )
    if isinstance(row, ServiceRow):
        if status is Status.RAISED and exception is not None:
            _raise_kept(exception, row, where)
        explained = explain_service(arena, schedule, integrator, row.path, where, status)
        if explained is not None:
            raise explained
        raise NotFinite(
            f"`{row.path}` found no finite acceleration for `{_first_bad_joint(arena, schedule)}` {where}.\n"
            "  Look for a body whose mass or inertia vanishes, or for a force without bound."
        )
    if status is Status.NOT_FINITE:
        _raise_not_finite(row, arena, where, too_long_now(arena, schedule, integrator))
    if status is Status.UNFIT or exception is None:
        _call_again(row, arena, t, where)
    _raise_kept(exception, row, where)


def check_end(arena: np.ndarray, schedule: Schedule, integrator: Any) -> None:
    """Raise if the last accelerations of a run cannot be trusted: the core looks only now and then."""
    row = schedule.rows.get(CHECK)
    if not isinstance(row, ServiceRow):
        return
    t, arena = seconds(int(arena.view(np.int64)[core.NOW])), arena.copy()
    # the tick at the end may have gone on to the kinematics of this state: what is judged are its accelerations
    for output in (KINEMATICS, DYNAMICS):
        schedule.rows[output].evaluate(t, arena)
    status = Status(row.evaluate(t, arena))
    if status is not Status.OK:
        error = explain_service(arena, schedule, integrator, row.path, f"at t = {t:.9g} s", status)
        assert error is not None
        raise error


def _raise_kept(exception: BaseException, row: AnyRow, where: str) -> NoReturn:
    """Raise the exception that a callback kept when it could not go through native code."""
    if isinstance(exception, ShapeError):
        raise ShapeError(f"{exception}\n  in `{row.path}` {where}") from None
    exception.add_note(f"in `{row.path}` {where}{_line(exception, row)}")
    raise exception


def _line(error: BaseException, row: AnyRow) -> str:
    """The line of a part's own file that an exception went through last."""
    if isinstance(row, ServiceRow):
        return ""
    file = row.call.method.__code__.co_filename
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return f", {Path(file).name} line {lines[-1]}" if lines else ""


def _first_bad_joint(arena: np.ndarray, schedule: Schedule) -> str:
    rates = arena[schedule.layout.xdot : schedule.layout.xdot + schedule.layout.size]
    bad = np.flatnonzero(~np.isfinite(rates))
    return _state_at(schedule, int(bad[0]) if len(bad) else 0)[0].rpartition(".")[0]


def _call_again(row: Row, arena: np.ndarray, t: float, where: str) -> NoReturn:
    """Native code can only say that it failed: the same call in plain Python raises the real exception."""
    again = arena.copy()
    for argument, place in zip(_arguments(row), row.places, strict=False):
        if argument == "rng":
            again.view(np.int64)[place.word("tick")] += 1  # the core takes the number of a failed tick back
    try:
        row.python(t, again.ctypes.data + WORD * row.context)
    except ShapeError as error:
        raise ShapeError(f"{error}\n  in `{row.path}` {where}") from None
    except BaseException as error:
        error.add_note(f"in `{row.path}` {where}{_line(error, row)}")
        raise
    raise CompileError(
        f"`{row.path}` failed in native code {where}, but not in plain Python.\n"
        "  A whole number to a negative whole power does this: write 3.0 ** n, not 3 ** n.\n"
        "  Else check it with `cardan.check_model` or `cardan.check_task`, or run it with jit=False."
    )


def _raise_not_finite(row: Row, arena: np.ndarray, where: str, step: TooLong | None) -> NoReturn:
    results = row.places[len(row.places) - len(row.call.results) :]
    bad = [
        (result.name, field, value)
        for result, place in zip(row.call.results, results, strict=True)
        for field, value in _numbers(place.block, place.words(arena))
        if not np.isfinite(value).all()
    ]
    name, field, value = bad[0]
    of = "" if name in ("derivatives", "state") or row.path.endswith(f".{name}") else f"{name}."
    kind = "nan" if np.isnan(value).any() else "inf"
    lines = [f"`{row.path}` returned {kind} in `{of}{field}` {where}."]
    for argument, place in zip(_arguments(row), row.places, strict=False):
        if argument not in ("self", "dt", "rng"):
            lines.append(f"  {argument}: {_shown(place, arena)}")
    if step is not None:
        lines.append(f"  {step}")
    elif row.jit:
        lines.append("  Run with jit=False to stop inside it.")
    raise NotFinite("\n".join(lines))


def _arguments(row: Row) -> list[str]:
    """The names of the arguments that lie in memory, whose places come first."""
    return [argument.name for argument in row.call.arguments if argument.block is not None]


def _numbers(block: Block, words: np.ndarray) -> list[tuple[str, np.ndarray]]:
    return [
        (field.name, np.asarray(value))
        for field, value in zip(block.fields, block.columns(words), strict=True)
        if field.kind == "float"
    ]


def _shown(place: Place, arena: np.ndarray) -> str:
    values = place.block.columns(place.words(arena))
    units = [declared.unit for declared in place.fields]
    parts = zip(place.block.fields, values, units, strict=True)
    return ", ".join(
        f"{f.name} = {np.array2string(np.asarray(v), precision=6, separator=', ')} {u}" for f, v, u in parts
    )


def _where(table: int, stage: int, t: float, start: float, integrator: Any) -> str:
    if table == core.STAGE_TABLE:
        return f"at t = {t:.9g} s (stage {stage + 1} of {_name(integrator)}, step from {start:.9g} s)"
    return f"at t = {t:.9g} s"


def _state_at(schedule: Schedule, index: int) -> tuple[str, str]:
    state = max((s for s in schedule.layout.states if s.start <= index), key=lambda s: s.start)
    return state.path, state.declared.unit


def _name(integrator: Any) -> str:
    return type(integrator).__name__
