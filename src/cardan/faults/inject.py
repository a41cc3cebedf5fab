"""`inject`: a fault on any connection of a scenario, in one line."""

import re
from typing import Any

import numpy as np

from cardan.errors import PeriodError, SettingError, WiringError, shown
from cardan.faults.fault import NEVER, Fault
from cardan.faults.kinds import Kind, is_number, tables
from cardan.faults.links import Detour, FaultyLink, FaultySample, SampledDetour
from cardan.faults.targets import Target, find_target
from cardan.faults.timing import LateSample, ReorderedSample
from cardan.maths import RandomKey
from cardan.mechanism import MechanismPort
from cardan.scenario import PartHandle, Placed, Scenario, port_at, readers_of

_LINKS = (FaultyLink, FaultySample, Detour, SampledDetour, LateSample, ReorderedSample)
_NANO = 1.0e-9
_NO_EFFECT = Fault().step(0.0, RandomKey(0, 0)).effect


def inject(
    scn: Scenario,
    target: Any,
    *kinds: Kind,
    name: str | None = None,
    onset: float = 0.0,
    end: float = NEVER,
    ramp: float = 0.0,
    repeat: float = 0.0,
    duty: float = 1.0,
    probability: float = 1.0,
    every: float | None = None,
    readers: Any = None,
) -> PartHandle:
    """Inject a fault: `faults.inject(scn, "bank.forces.thrust[3]", faults.stuck_off(), onset=20.0)`.

    The writer and its readers stay as they are. The fault is a separate part, whose `effect` is recorded; its
    parameters `<name>.onset`, `<name>.channel`, `<name>.kind` can be set, varied in studies and changed by hand.

    Args:
        scn: A scenario whose connections are complete.
        target: What it acts on: an output of a part or of the mechanism, or an input from outside, with or without a
            field and an index; or an input of the mechanism that nothing feeds yet, such as `bus.wrench_N.force_N`.
        *kinds: What goes wrong; with several, `<name>.kind` chooses, by default the first.
        name: What the fault is called; the target's name if left out.
        onset: [s] When it strikes.
        end: [s] When it ends.
        ramp: [s] How long it takes to build up.
        repeat: [s] Period of recurrence; 0 for a fault that stays.
        duty: [-] Active share of that period.
        probability: [-] Of striking at all, drawn once per run.
        every: [s] How often the fault looks whether it is time, and draws what is random; by default the period of the
            writer, of its readers, or of the fastest task.
        readers: Who sees it, as `Scenario.intercept` takes them; by default all.
    """
    found = find_target(scn, target)
    name = name or re.sub(r"[^A-Za-z0-9_/-]", "_", found.path).strip("_")
    rerouted = _check_kinds(found, kinds)
    _check_times(name, onset, end)
    writer = None if isinstance(found.port, MechanismPort) else scn.parts[found.port.part]
    reading = readers_of(scn, found.port) if found.port.is_output else []
    period, first = _clock(scn, found, writer, [scn.parts.get(each.path.rpartition(".")[0]) for each in reading], every)
    timing = (onset, end, ramp, repeat, duty, probability)
    numbers = sum(int(np.size(value)) for value in found.message)
    fault = Fault(*timing, channel=found.first, **tables(kinds, found.width, found.path), numbers=numbers)
    _check_contradictions(scn, found, name, fault)
    handle = scn.add(fault, name=name, every=period, offset=first)
    if found.port.is_output:
        _Route(scn, found, handle, period, first).lay(writer, rerouted, readers)
    else:
        _add_load(scn, found, handle)
    return handle


def offer(scn: Scenario, target: Any, *kinds: Kind, **options: Any) -> PartHandle:
    """Add a fault that does not strike by itself: studies vary its `onset`, and the viewer has a button for it."""
    return inject(scn, target, *kinds, **{"onset": NEVER, **options})


def strike_after(scn: Scenario, end: float) -> dict[str, float]:
    """[s] When faults strike that a run to `end` [s] never sees, by their names; offered ones are not among them."""
    onsets = {name: part.part.onset for name, part in scn.parts.items() if isinstance(part.part, Fault)}
    return {name: onset for name, onset in onsets.items() if end <= onset < NEVER}


class _Route:
    """The parts that bring a fault between a writer and its readers.

    Args:
        scn: The scenario.
        target: What the fault acts on.
        fault: The fault.
        period: [s] Of the fault.
        first: [s] Its first tick.
    """

    def __init__(self, scn: Scenario, target: Target, fault: PartHandle, period: float, first: float) -> None:
        self.scn, self.target, self.fault = scn, target, fault
        self.period, self.first = period, first
        self._count = 0

    def lay(self, writer: Placed | None, kind: Kind, readers: Any) -> None:
        """Between the writer and all readers, or those that are given."""
        chosen = self._chosen(readers)
        tasks: dict[tuple[int, int], list[Any]] = {}
        others = []
        for path, port in chosen:
            part = self.scn.parts.get(path.rpartition(".")[0])
            if part is not None and part.is_task:
                tasks.setdefault((part.period, part.offset), []).append(port)
            else:
                others.append(port)
        if writer is not None and writer.is_task and (tasks or kind.needs_memory or kind.is_rerouted):
            self._sampled(kind, [port for _, port in chosen], writer.period * _NANO, writer.offset * _NANO)
            return
        for (period, offset), ports in tasks.items():
            self._sampled(kind, ports, period * _NANO, offset * _NANO)
        if others:
            self._continuous(kind, others)

    def _chosen(self, readers: Any) -> list[tuple[str, Any]]:
        """Paths and ports of those who are to see the fault."""
        present = list(dict.fromkeys(each.path for each in readers_of(self.scn, self.target.port)))
        wanted = None if readers is None else [getattr(each, "path", each) for each in _listed(readers)]
        unknown = [path for path in wanted or () if path not in present]
        if not present or unknown:
            told = f"`{unknown[0]}` does not read" if unknown else "Nobody reads"
            raise WiringError(
                f"{told} `{self.target.port.path}`, so no fault can come between.\n"
                f"  It is read by: {', '.join(present) or 'nobody; connect its readers first'}"
            )
        inputs = {path: fed.port for path, fed in self.scn.mechanism_inputs.items()}
        paths = [path for path in present if wanted is None or path in wanted]
        return [(path, inputs.get(path) or port_at(self.scn, path)) for path in paths]

    def _sampled(self, kind: Kind, readers: list[Any], period: float, first: float) -> None:
        """A task between a writer and readers of one period, which see the fault at the very tick."""
        port: Any = self.target.port
        effect = self.fault.effect
        how: dict[str, Any] = {
            "name": self._name(),
            "every": period,
            "offset": first,
            "readers": readers,
            "input": "message",
        }
        if kind.delay > 0.0:
            ticks = self._ticks(kind.delay, period)
            self.scn.intercept(port, SampledDetour(), other=port.delayed(ticks), effect=effect, **how)
        elif kind.jitter > 0.0:
            if kind.jitter >= period:
                raise SettingError(
                    f"`{self.fault.name}`: messages are late by up to {kind.jitter:g} s, and come every {period:g} s.\n"
                    "  Use less than a period; `delayed` and `reordered` reach further."
                )
            late = self.scn.intercept(port, LateSample(kind.jitter), effect=effect, **how)
            self.scn.leave_open(late.wake_up)
        elif kind.reach > 1:
            before: dict[str, Any] = {word: port.delayed(i + 1) for i, word in enumerate(("second", "third", "fourth"))}
            self.scn.intercept(port, ReorderedSample(kind.reach), effect=effect, **before, **how)
        else:
            self.scn.intercept(port, FaultySample(), effect=effect, **how)

    def _continuous(self, kind: Kind, readers: list[Any]) -> None:
        """A model between a writer and readers that are evaluated at every stage."""
        port: Any = self.target.port
        effect = self.fault.effect
        if not (kind.needs_memory or kind.is_rerouted):
            self.scn.intercept(port, FaultyLink(), name=self._name(), readers=readers, input="message", effect=effect)
            return
        # what is not smooth is sampled beside the connection, and taken from there while the fault lasts
        if kind.jitter > 0.0 or kind.reach > 1:
            raise SettingError(
                f"`{self.fault.name}`: `{port.path}` has no ticks, so its messages are not late by chance.\n"
                "  Use `delayed(...)`, or a port of a task."
            )
        clock: dict[str, Any] = {"every": self.period, "offset": self.first}
        held = f"{self.fault.name}/held"
        if kind.delay > 0.0:
            late = port.delayed(self._ticks(kind.delay, self.period))
            other = self.scn.add(FaultySample(), name=held, message=late, effect=_NO_EFFECT, **clock)
        else:
            other = self.scn.add(FaultySample(), name=held, message=port, effect=effect, **clock)
        how: dict[str, Any] = {"name": self._name(), "readers": readers, "input": "message"}
        self.scn.intercept(port, Detour(), other=other.passed, effect=effect, **how)

    def _ticks(self, delay: float, period: float) -> int:
        ticks = round(delay / period)
        if ticks < 1 or not np.isclose(ticks * period, delay, rtol=1e-9):
            raise PeriodError(
                f"`{self.fault.name}`: a delay of {delay:g} s is no whole number of ticks of {period:g} s.\n"
                f"  Use {max(ticks, 1) * period:g} s, or another `every`."
            )
        return ticks

    def _name(self) -> str:
        self._count += 1
        return f"{self.fault.name}/link{self._count if self._count > 1 else ''}"


def _add_load(scn: Scenario, target: Target, fault: PartHandle) -> None:
    """A fault on an input of the mechanism that nothing feeds: what it would be without, through a faulty link."""
    port = target.port
    assert isinstance(port, MechanismPort)
    fed = scn.mechanism_inputs.get(port.path)
    if fed is not None and fed.connections and not port.is_summed:
        source = fed.connections[0].source
        told = f"`{source.path}`" if source is not None else "a constant message"
        raise WiringError(f"`{port.path}` is fed by {told}.\n  Let the fault act on that.")
    link = scn.add(FaultyLink(), name=f"{fault.name}/link", message=target.message, effect=fault.effect)
    scn.connect(link.passed, port)


def _check_kinds(target: Target, kinds: tuple[Kind, ...]) -> Kind:
    """The kind that says which route is needed."""
    if not kinds or not all(isinstance(kind, Kind) for kind in kinds):
        raise SettingError(
            f"A fault on `{target.path}` of {shown(kinds)}.\n  Say what goes wrong, e.g. `faults.stuck_off()`."
        )
    rerouted = [kind for kind in kinds if kind.is_rerouted]
    if rerouted and len(kinds) > 1:
        raise SettingError(
            f"A fault on `{target.path}` that is `{rerouted[0].name}` or another.\n"
            "  What comes late takes another route: inject it by itself."
        )
    return next((kind for kind in kinds if kind.is_rerouted or kind.needs_memory), kinds[0])


def _check_times(name: str, onset: float, end: float) -> None:
    given = {"onset": onset, "end": end}
    wrong = [word for word, time in given.items() if not is_number(time)]
    if wrong:
        raise SettingError(f"The `{wrong[0]}` of the fault `{name}` is {shown(given[wrong[0]])}.\n  Use seconds.")
    if not onset < end and onset < NEVER:
        raise SettingError(f"The fault `{name}` strikes at {onset:g} s and ends at {end:g} s.\n  Let it end later.")


def _clock(
    scn: Scenario, target: Target, writer: Placed | None, readers: list[Placed | None], every: float | None
) -> tuple[float, float]:
    """[s] Period and first tick of a fault."""
    if every is not None:
        return every, 0.0
    if writer is not None and writer.is_task:
        return writer.period * _NANO, writer.offset * _NANO
    tasks = [part for part in readers if part is not None and part.is_task]
    tasks = tasks or [part for part in scn.parts.values() if part.is_task]
    if not tasks:
        raise PeriodError(
            f"No task says how often the fault on `{target.path}` is to look at the time.\n  Add e.g. `every=0.1` [s]."
        )
    fastest = min(tasks, key=lambda part: part.period)
    return fastest.period * _NANO, fastest.offset * _NANO


def _check_contradictions(scn: Scenario, target: Target, name: str, fault: Fault) -> None:
    """Two faults cannot both decide what one number is at one time."""
    for placed in scn.parts.values():
        if not isinstance(placed.part, _LINKS):
            continue
        other = _fault_of(scn, placed)
        if other is None or _origin(scn, placed) != target.port.path:
            continue
        part = scn.parts[other].part
        apart = part.channel + part.bias.shape[1] <= target.first or target.first + target.width <= part.channel
        if apart or part.end <= fault.onset or fault.end <= part.onset or not (_decides(part) and _decides(fault)):
            continue
        raise WiringError(
            f"The faults `{other}` and `{name}` both decide what `{target.path}` is.\n"
            "  Let one end before the other begins, or give them different channels."
        )


def _decides(fault: Fault) -> bool:
    """Whether a fault leaves nothing of the numbers that it acts on."""
    is_lost = fault.traits[:, 7] == 1.0
    return fault.onset < NEVER and bool(np.all(fault.gain == 0.0) or np.all(is_lost))


def _fault_of(scn: Scenario, link: Placed) -> str | None:
    connection = link.inputs.get("effect")
    source = None if connection is None else connection.source
    return source.part if source is not None and isinstance(scn.parts[source.part].part, Fault) else None


def _origin(scn: Scenario, link: Placed) -> str:
    """The port whose messages a link changes, behind other links."""
    source = link.inputs["message"].source
    while source is not None and source.part in scn.parts and isinstance(scn.parts[source.part].part, _LINKS):
        source = scn.parts[source.part].inputs["message"].source
    return "" if source is None else source.path


def _listed(readers: Any) -> list[Any]:
    return list(readers) if isinstance(readers, list | tuple) else [readers]
