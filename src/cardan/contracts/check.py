"""`check_model` and `check_task`: does a part do what its contract promises?

Run them on your own parts, in a test. They call every method in plain Python and as native code with random inputs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.contracts.calls import KEY_BLOCK, PERIOD_BLOCK, Period, method_call, result_places
from cardan.contracts.fields import Declaration
from cardan.contracts.jax_target import trace_differences
from cardan.contracts.message import is_message, message_declaration
from cardan.contracts.part import Method, PartContract, contract_of
from cardan.contracts.rounding import Rounding, loose_roundings
from cardan.errors import CompileError, ContractViolation, DeclarationError, SettingError
from cardan.maths.random import RandomKey
from cardan.native.call import Call
from cardan.native.entry import compile_entry
from cardan.native.lane_entry import lane_compilation, why_alone
from cardan.native.lanes import COUNT
from cardan.native.layout import Block
from cardan.native.python_entry import CALLBACK, part_of
from cardan.native.status import Status

# Where the last digit of an operation is not fixed (`rounding.py`), plain and native code may differ by a few units in
# the last place. More is a fault.
TOLERANCE = 1.0e-13


@dataclass(frozen=True)
class PartReport:
    """What a check has found; a check that finds a fault raises instead.

    Attributes:
        part: The class of the part.
        trials: How many random inputs each method was given.
        targets: For "python", "native", "lanes" and "jax": how far the target is supported. "the same bits" natively is
            said only of a part of which that holds on every machine. In lanes, members of a batch run eight at once.
        roundings: Operations whose last digits depend on the processor and on versions, with what to write instead.
    """

    part: str
    trials: int
    targets: dict[str, str]
    roundings: tuple[Rounding, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.part}: pure, read-only, finite over {self.trials} random inputs"]
        lines += [f"  {name:7} {state}" for name, state in self.targets.items()]
        if self.roundings:
            lines += ["  last digits depend on processor and versions:", *(f"    {each}" for each in self.roundings)]
        return "\n".join(lines)


def check_model(part: Any, *, inputs: Mapping[str, Any] | None = None, trials: int = 20, seed: int = 0) -> PartReport:
    """Check a model: plain equals native, pure, inputs left alone, right shapes, finite over random inputs.

    Args:
        part: The model, with its parameters.
        inputs: Messages for some inputs, instead of random ones; they also say how large those inputs are. For an
            input that takes any message, a message or a class of messages.
        trials: How many random inputs to try.
        seed: Of the random inputs.

    Returns:
        Which targets the model supports; a fault raises `ContractViolation`.
    """
    return _check(part, "model", inputs or {}, trials, seed)


def check_task(part: Any, *, inputs: Mapping[str, Any] | None = None, trials: int = 20, seed: int = 0) -> PartReport:
    """Check a task, as `check_model` does a model."""
    return _check(part, "task", inputs or {}, trials, seed)


def _check(part: Any, kind: str, inputs: Mapping[str, Any], trials: int, seed: int) -> PartReport:
    contract = contract_of(part)
    if isinstance(part, type):
        raise DeclarationError(f"`{contract.label}` is a class.\n  Make a part of it: `{contract.label}(...)`.")
    if trials < 1:
        raise SettingError(f"trials = {trials!r}.\n  Use at least 1.")
    if contract.kind != kind:
        raise DeclarationError(f"`{contract.label}` is a {contract.kind}.\n  Check it with `check_{contract.kind}`.")
    contract, inputs = _specialised(contract, inputs)
    part = contract.take(part, contract.label)
    source = _Values(contract, part, inputs, np.random.default_rng(seed))
    differences = {"native": 0.0, "jax": 0.0}
    reasons = {} if contract.jit else dict.fromkeys(("native", "lanes"), "not used: the part is marked jit=False")
    for method in contract.methods.values():
        entry: Any = None
        for _ in range(trials):
            values = source.draw(method)
            returned = _check_plain(contract, method, values)
            if "native" not in reasons:
                try:
                    entry = entry or _NativeMethod(contract, method, values, returned)
                except CompileError as error:
                    raise ContractViolation(f"`{contract.label}` has no native form.\n{error}") from error
                difference = entry.difference(values, returned)
                differences["native"] = max(differences["native"], difference)
        if entry is not None and "lanes" not in reasons:
            reason = entry.compare_in_lanes()
            if reason:
                reasons["lanes"] = f"one by one: {reason}"
        if "jax" not in reasons:
            difference, reason = trace_differences(method.function, list(values.values()), returned)
            differences["jax"] = max(differences["jax"], difference)
            if reason:
                reasons["jax"] = reason
    if differences["native"] > TOLERANCE:
        raise ContractViolation(
            f"`{contract.label}` gives other numbers as native code than in plain Python.\n"
            f"  The largest relative difference is {differences['native']:.3g}; rounding may make {TOLERANCE:g}.\n"
            "  Look for code whose meaning depends on the type of a number, or on something outside its arguments."
        )
    if differences["jax"] > TOLERANCE:
        reasons["jax"] = f"no: traced it gives other numbers, by {differences['jax']:.1e}"
    roundings = loose_roundings(*(method.function for method in contract.methods.values())) if contract.jit else []
    shown = {name: "the same bits" if not d else f"the same to {d:.1e}" for name, d in differences.items()}
    if roundings:
        shown["native"] += f" here, to {TOLERANCE:g} elsewhere"
    shown["jax"] += " here"  # XLA fuses operations as the processor allows
    targets = {"python": "yes", "native": shown["native"], "lanes": "eight at once", "jax": shown["jax"]} | reasons
    return PartReport(contract.label, trials, targets, tuple(roundings))


def _specialised(contract: PartContract, inputs: Mapping[str, Any]) -> tuple[PartContract, dict[str, Any]]:
    """The contract for the message that a generic part is given, and what is given beside its class."""
    generic = contract.generic_inputs
    said = [inputs[name] for name in generic if name in inputs]
    classes = [given if isinstance(given, type) else type(given) for given in said]
    if generic and not (classes and is_message(classes[0])):
        raise DeclarationError(
            f"`{contract.label}` passes on any message, so the check must be told which.\n"
            f'  Give a class of messages, e.g. `inputs={{"{generic[0]}": BodyTorque}}`, or a message.'
        )
    given = {name: value for name, value in inputs.items() if not (name in generic and isinstance(value, type))}
    return contract.of(classes[0]) if generic else contract, given


class _Values:
    """Random values for the arguments of a part's methods."""

    def __init__(self, contract: PartContract, part: Any, inputs: Mapping[str, Any], rng: np.random.Generator) -> None:
        self._contract = contract
        self._part = part
        self._rng = rng
        unknown = [name for name in inputs if name not in contract.inputs]
        if unknown:
            raise DeclarationError(
                f"`{contract.label}` has no input `{unknown[0]}`.\n  It has: {', '.join(contract.inputs) or 'none'}"
            )
        self._given = {
            name: message_declaration(contract.inputs[name].message).take(value, name) for name, value in inputs.items()
        }
        # where nothing else says how many there are: as many as the parameters have, else three
        sizes = [
            np.shape(getattr(part, declared.name))[axis]
            for declared in contract.parameters.fields
            for axis, is_free in enumerate(declared.field.free)
            if is_free
        ]
        self._size = sizes[0] if sizes else 3

    def draw(self, method: Method) -> dict[str, Any]:
        """Arguments for `method`, by name, beginning with `self`."""
        messages = {name: self._message(name) for name in self._contract.inputs}
        values: dict[str, Any] = {"self": self._part}
        for name in method.arguments:
            if name == "t":
                values[name] = np.float64(self._rng.uniform(0.0, 1000.0))
            elif name == "x":
                values[name] = self._state(messages)
            elif self._contract.kind == "task" and name == "dt":
                values[name] = np.float64(0.1)
            elif self._contract.kind == "task" and name == "rng":
                values[name] = RandomKey(*self._rng.integers(0, 2**40, 2))
            else:
                values[name] = messages[name]
        return values

    def _message(self, name: str) -> Any:
        port = self._contract.inputs[name]
        if name in self._given:
            return self._given[name]
        if port.has_default and port.default is None:
            return None
        return self._random(message_declaration(port.message), None)

    def _state(self, messages: dict[str, Any]) -> Any:
        contract = self._contract
        assert contract.state is not None
        like = None
        if contract.initial is not None:
            like = contract.initial.function(self._part, *(messages[name] for name in contract.initial.arguments))
        state = self._random(contract.state, like)
        project = contract.methods.get("project")
        return contract.state.take(project.function(self._part, state), "x") if project else state

    def _random(self, declared: Declaration, like: Any) -> Any:
        values: list[np.ndarray] = []
        for field in declared.block.fields:
            shape = [self._size if size is None else size for size in field.shape]
            if like is not None:
                shape = list(np.shape(getattr(like, field.name)))
            if field.kind == "float":
                values.append(self._rng.normal(size=shape))
            else:
                values.append(self._rng.integers(0, 2, size=shape))
        return self._possible(declared, declared.shaped(declared.type._make(values), declared.type.__name__))

    def _possible(self, declared: Declaration, value: Any) -> Any:
        """`value`, made to be what the constraints of its fields say."""
        made = value._asdict()
        for field in declared.fields:
            for constraint in field.constraints:
                made[field.name] = constraint.settled(made[field.name], [made[other] for other in constraint.of])
        faults, settled = declared.examine(declared.type(**made), declared.type.__name__)
        if faults:
            raise DeclarationError(
                f"No random {declared.type.__name__} can be made for {self._contract.label}:\n"
                + "\n".join(faults)
                + "\n  Give one in `inputs`, or give the constraint a `nearest`."
            )
        return settled


def _check_plain(contract: PartContract, method: Method, values: dict[str, Any]) -> dict[str, Any]:
    """Call a method in plain Python and check what it does; returns its results by name."""
    path = f"{contract.label}.{method.name}"
    before = repr(values)
    try:
        first = method.function(*values.values())
    except ValueError as error:
        if "read-only" in str(error):
            raise ContractViolation(
                f"`{path}` writes into one of its arguments.\n"
                f"  Compute a new array instead: inputs belong to other parts."
            ) from error
        raise
    second = method.function(*values.values())
    if repr(values) != before:
        raise ContractViolation(f"`{path}` changes its arguments.\n  Everything that changes is returned.")

    results = _results(contract, method, first)
    again = _results(contract, method, second)
    for name, value in results.items():
        declared = _declaration(contract, method, name)
        if not isinstance(value, declared.type):
            raise ContractViolation(
                f"`{path}` returned {type(value).__name__} as `{name}`.\n  expected {declared.type.__name__}"
            )
        for field in declared.block.fields:
            where = f"`{path}` -> `{name}.{field.name}`"
            number, repeated = (np.asarray(getattr(v, field.name)) for v in (value, again[name]))
            wanted = tuple(
                number.shape[i] if size is None and number.ndim > i else size for i, size in enumerate(field.shape)
            )
            if number.shape != wanted:
                raise ContractViolation(f"{where} has shape {number.shape}.\n  expected {wanted}")
            if not np.array_equal(number, repeated, equal_nan=True):
                raise ContractViolation(
                    f"{where} differs between two calls with the same arguments.\n"
                    "  A part is a function of its arguments: use `rng` for noise, and `x` for what is remembered."
                )
            if not np.isfinite(number.astype(np.float64)).all():
                raise ContractViolation(f"{where} is not finite for these arguments:\n  {_arguments_text(values)}")
        # rates have the fields of the state, and none of its limits
        faults = [] if name == "derivatives" else declared.examine(value, f"{path} -> {name}")[0]
        if faults:
            raise ContractViolation("\n".join(faults) + f"\n  for these arguments:\n  {_arguments_text(values)}")
    return results


class _NativeMethod:
    """The compiled form of a method, in memory of its own."""

    def __init__(
        self, contract: PartContract, method: Method, values: dict[str, Any], returned: dict[str, Any]
    ) -> None:
        read = {name: _block(contract, name, value) for name, value in values.items()}
        written = {
            name: _declaration(contract, method, name).block.sized_like(value) for name, value in returned.items()
        }
        self._call: Call = method_call(contract, method, read, written)
        self._entry = CALLBACK(compile_entry(self._call))
        words = [block.words for block in self._call.blocks]
        starts = self._call.context_words + np.cumsum([0, *words])
        self._at = [int(start) for start in starts[:-1]]
        self._memory = np.zeros(int(starts[-1]))
        context = self._call.context(0, self._at)
        self._memory.view(np.int64)[: len(context)] = context
        self._met: list[np.ndarray] = []  # memories before a call

    def difference(self, values: dict[str, Any], returned: dict[str, Any]) -> float:
        """The largest relative difference between the native results and `returned`."""
        blocks = self._call.blocks
        read = [(a.name, a.block) for a in self._call.arguments if a.block is not None]
        for (name, block), at in zip(read, self._at, strict=False):
            value = Period(values[name]) if block is PERIOD_BLOCK else values[name]
            block.pack(value, self._memory[at : at + block.words])
        self._met.append(self._memory.copy())
        status = self._entry(float(values.get("t", 0.0)), self._memory.ctypes.data)
        if status != Status.OK:
            raise ContractViolation(
                f"`{self._call.label}` failed as native code ({Status(status).name}) but not in Python."
            )
        largest = 0.0
        for result, block, at in zip(self._call.results, blocks[len(read) :], self._at[len(read) :], strict=True):
            native = block.unpack(self._memory[at : at + block.words])
            for field in block.fields:
                plain, ours = (np.asarray(getattr(v, field.name), np.float64) for v in (returned[result.name], native))
                scale = max(float(np.max(np.abs(plain), initial=0.0)), np.finfo(float).tiny)
                largest = max(largest, float(np.max(np.abs(plain - ours), initial=0.0)) / scale)
        return largest

    def compare_in_lanes(self) -> str:
        """Why eight calls cannot be one; empty if they can, and then they must give the same bits."""
        reason = why_alone(self._call)
        if reason:
            return reason
        rows = np.array([self._met[i % len(self._met)] for i in range(COUNT)])
        alone, t = rows.copy(), 10.0
        statuses = [self._entry(t, row.ctypes.data) for row in alone]
        context = np.array([rows.ctypes.data, rows.strides[0]], np.int64)
        status = CALLBACK(lane_compilation(self._call).compile())(t, context.ctypes.data)
        if all(each == Status.OK for each in statuses) and (status != Status.OK or rows.tobytes() != alone.tobytes()):
            raise ContractViolation(
                f"`{self._call.label}` gives other numbers for eight members of a batch at once than for each alone.\n"
                "  That is a fault of Cardan's, not of the part; please report it."
            )
        return ""


def _block(contract: PartContract, name: str, value: Any) -> Block | None:
    if name == "t" or value is None:
        return None
    if name == "self":
        return contract.parameters.block.sized_like(value)
    if name == "x":
        assert contract.state is not None
        return contract.state.block.sized_like(value)
    if isinstance(value, RandomKey):
        return KEY_BLOCK
    if isinstance(value, np.floating):
        return PERIOD_BLOCK
    return message_declaration(type(value)).block.sized_like(value)


def _declaration(contract: PartContract, method: Method, name: str) -> Declaration:
    if name in ("derivatives", "state", "memory"):
        assert contract.state is not None
        return contract.state
    return message_declaration(contract.outputs[name])


def _results(contract: PartContract, method: Method, returned: Any) -> dict[str, Any]:
    return {name: part_of(returned, at) for name, at in result_places(contract, method).items()}


def _arguments_text(values: dict[str, Any]) -> str:
    return "\n  ".join(f"{name} = {value}" for name, value in values.items() if name != "self")
