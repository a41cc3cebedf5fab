"""Entries: a part's method as a C function `int64 entry(double t, int64 context)`.

A `Call` (`call.py`) describes the method, its blocks and its context; it serves both ways to run it. `compile_entry`
turns it into native code, kept on disk; `PythonEntry` calls the method itself, for debugging and for parts that cannot
be compiled.
"""

import inspect
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

from numba import cfunc

from cardan.errors import CardanError, CompileError
from cardan.native import machine_code, pointers, storage, temporaries
from cardan.native.cache import load_entry
from cardan.native.call import Call
from cardan.native.compilation import Compilation
from cardan.native.compiling import jitted
from cardan.native.drafting import Draft, draft, signatures
from cardan.native.explaining import explanation, recursive, wrong_result
from cardan.native.fingerprint import fingerprint, functions_called
from cardan.native.layout import WORD, Block
from cardan.native.status import OK, RAISED


def entry_compilation(call: Call) -> Compilation:
    """What `compile_entry` would do."""
    key = fingerprint(call.method, *type_names(call).values(), *_STORAGE, text=entry_source(call))
    return Compilation(call.label, key, lambda: compile_entry(call, key), lambda: called_by_name(call.method))


def type_names(call: Call) -> dict[str, Any]:
    """What the arguments are made as, by the names that they have in the text of the entry."""
    return {f"type_{a.name}": a.block.type for a in call.arguments if a.block is not None and not a.is_scalar}


def compile_entry(call: Call, key: str | None = None) -> int:
    """The address of the compiled entry of `call`, from disk where it was compiled before.

    Args:
        call: The method with its blocks.
        key: Its key, where that is known already.
    """
    source, types = entry_source(call), type_names(call)
    key = entry_compilation(call).key if key is None else key
    methods: list[Any] = []

    def namespace() -> dict[str, Any]:
        wrong = recursive(call.label, call.method)
        if wrong is not None:
            raise CompileError(wrong)
        methods.append(jitted(call.method))
        jit = {function.__name__: jitted(function) for function in _STORAGE}
        return {**vars(pointers), **vars(storage), **jit, **types, "method": methods[0]}

    def check_result() -> None:
        results = [(result.name, result.at, result.block) for result in call.results]
        for signature in (signature for method in methods for signature in signatures(method)):
            wrong = wrong_result(call.label, call.method, signature.return_type, results)
            if wrong is not None:
                raise CompileError(wrong)

    def code_of(entry: Any, symbol: str) -> bytes | None:
        code = machine_code_of(entry, symbol)
        check_result()
        return code

    try:
        return _loaded(call.label, key, source, namespace, code_of)
    except (CardanError, OSError, MemoryError):
        raise
    except Exception as error:  # Numba and LLVM raise whatever they like
        check_result()
        raise CompileError(explanation(call.label, call.method, error)) from error


@lru_cache(maxsize=4096)
def entry_source(call: Call) -> str:
    """The text of the module that holds the compiled entry of `call`."""
    return "\n".join(_lines(call)) + "\n"


_STORAGE = [f for name, f in vars(storage).items() if inspect.isfunction(f) and f.__module__ == storage.__name__]


def _lines(call: Call) -> Iterator[str]:
    yield f'"""The native entry of {call.label}. Generated: it can be deleted, it will be written again."""'
    yield ""
    yield ""
    yield "def entry(t, context):"

    # where each block lies, and the sizes of this instance
    slot = 0
    places: list[_Place] = []
    names = [a.name for a in call.arguments if a.block is not None] + [f"out{i}" for i in range(len(call.results))]
    for name, block in zip(names, call.blocks, strict=True):
        yield f"    at_{name} = context + load_int(context + {slot * WORD})"
        slot += 1
        sizes = {}
        for field in block.fields:
            for axis, is_free in enumerate(field.free):
                if is_free:
                    sizes[field.name, axis] = f"n{slot}"
                    yield f"    n{slot} = load_int(context + {slot * WORD})"
                    slot += 1
        places.append(_Place(name, block, sizes))
    read, written = places[: len(places) - len(call.results)], places[len(places) - len(call.results) :]

    # make the arguments; in the `try` below Numba would look for an exception after each of these loads
    values = {place.name: place for place in read}
    given = []
    for argument in call.arguments:
        if argument.is_time:
            given.append("t")
        elif argument.block is None:
            given.append("None")
        elif argument.is_scalar:
            given.append(f"load_{argument.block.fields[0].kind}(at_{argument.name})")
        else:
            given.append(f"in_{argument.name}")
            yield f"    in_{argument.name} = type_{argument.name}("
            yield from (f"        {load}," for load in values[argument.name].loads())
            yield "    )"

    # call the method
    yield "    try:"
    yield f"        returned = method({', '.join(given)})"
    yield "    except Exception:"
    yield f"        return {RAISED}"

    # store what it returned
    yield f"    status = {OK}"
    for result, place in zip(call.results, written, strict=True):
        returned = "returned" + "".join(f"[{i}]" for i in result.at)
        for store in place.saves(returned):
            yield f"    status = max(status, {store})"
    for result, place in zip(call.results, written, strict=True):
        if result.replaces is not None:
            yield f"    if status == {OK}:"
            yield f"        copy_words(at_{result.replaces}, at_{place.name}, {place.word_count()})"
    yield "    return status"


class _Place(NamedTuple):
    """A block as generated code sees it: its address `at_<name>` and the variables that hold its free sizes."""

    name: str
    block: Block
    sizes: dict[tuple[str, int], str]

    def loads(self) -> Iterator[str]:
        for address, verb, dims, _ in self._fields_in_memory():
            yield f"load_{verb}({', '.join([address, *dims])})"

    def saves(self, returned: str) -> Iterator[str]:
        for address, verb, dims, name in self._fields_in_memory():
            yield f"save_{verb}({', '.join([address, *dims, f'{returned}.{name}'])})"

    def word_count(self) -> str:
        return self._offset(len(self.block.fields)) or "0"

    def _fields_in_memory(self) -> Iterator[tuple[str, str, list[str], str]]:
        for i, field in enumerate(self.block.fields):
            offset = self._offset(i)
            address = f"at_{self.name}" + (f" + {WORD} * ({offset})" if offset else "")
            verb = field.kind + ("", "_vector", "_matrix")[len(field.shape)]
            yield address, verb, self._dims(i), field.name

    def _dims(self, i: int) -> list[str]:
        field = self.block.fields[i]
        return [self.sizes.get((field.name, axis), str(size)) for axis, size in enumerate(field.shape)]

    def _offset(self, count: int) -> str:
        """Words before field number `count`."""
        fixed = sum(f.words for f in self.block.fields[:count] if not any(f.free))
        terms = [" * ".join(self._dims(i)) for i in range(count) if any(self.block.fields[i].free)]
        return " + ".join([str(fixed)] * (fixed > 0) + terms)


_KERNEL_SOURCE = '''"""A native function of {label}. Generated: it can be deleted, it will be written again."""


def entry(t, context):
    return kernel(t, context)
'''


def kernel_compilation(
    label: str, function: Callable[..., int], *, is_large: bool = False, has_arrays: bool = True
) -> Compilation:
    """A function `f(t, context) -> status` that finds all it needs through its context.

    Args:
        label: What it is called.
        function: The function.
        is_large: Whether the functions that it calls stay functions, as LLVM sees fit. Several hundred lines compile in
            half the time then, and their temporary arrays come from the heap.
        has_arrays: Whether its loops go over arrays. Several turns at once of a loop over addresses would gather and
            scatter, because LLVM does not see that they are neighbours.
    """
    source = _KERNEL_SOURCE.format(label=label)
    key = fingerprint(function, text=f"{source}{is_large}{has_arrays}")

    def namespace() -> dict[str, Any]:
        return {"kernel": jitted(function)}

    def code_of(entry: Any, symbol: str) -> bytes | None:
        return machine_code_of(entry, symbol, inlines=not is_large, widens=has_arrays)

    def compile() -> int:
        return _loaded(label, key, source, namespace, code_of)

    return Compilation(label, key, compile, lambda: called_by_name(function))


def called_by_name(function: Callable[..., Any]) -> list[Compilation]:
    """The kernels that a function calls by name (`linking`), those first that these call."""
    found: dict[str, Compilation] = {}
    for called in functions_called(function):
        compilation = getattr(called, "compilation", None)
        if compilation is not None:
            made: Compilation = compilation()
            found |= {each.key: each for each in (*made.needs(), made)}
    return list(found.values())


def compile_kernel(label: str, function: Callable[..., int]) -> int:
    """The address of the compiled `function`, as `kernel_compilation` describes it."""
    return kernel_compilation(label, function).compile()


def _loaded(
    label: str,
    key: str,
    source: str,
    namespace: Callable[[], dict[str, Any]],
    code_of: Callable[[Any, str], bytes | None],
) -> int:
    name = "".join(letter if letter.isalnum() else "_" for letter in label)
    return load_entry(name, key, source, namespace, code_of, numbas_own)


def machine_code_of(
    entry: Callable[[float, int], int], symbol: str, *, inlines: bool = True, widens: bool = True
) -> bytes | None:
    """Machine code of an entry with its temporary arrays on the stack; None if Numba's own has to do."""
    written = draft(entry, pointers.ENTRY_SIGNATURE, **_OPTIONS) or _draft_of(numbas_own(entry))
    module = temporaries.with_arrays_on_the_stack(
        written.text, written.function, symbol, RAISED, inlines=inlines, widens=widens
    )
    return machine_code.machine_code(module) if module is not None else None


_OPTIONS = {"error_model": "numpy"}


@cache
def numbas_own(entry: Callable[[float, int], int]) -> Any:
    """An entry as Numba compiles it."""
    return cfunc(pointers.ENTRY_SIGNATURE, **_OPTIONS)(entry)


def _draft_of(compiled: Any) -> Draft:
    """What Numba's own code was made from."""
    return Draft(compiled.inspect_llvm(), compiled.native_name.removeprefix("cfunc."))
