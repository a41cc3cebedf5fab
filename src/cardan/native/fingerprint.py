"""What a function depends on: itself, the helpers it calls, the constants it reads.

Numba's own cache knows only the time stamp of one file. A part whose helper in another file was edited would go on
running the old machine code. So entries are stored under a key made from the content of everything reachable from the
method: byte code, constants, defaults, closures, helpers of helpers, message classes, what Numba was told about any of
them, how Cardan makes code, Numba's settings, and the versions involved.
"""

import dis
import hashlib
import platform
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import cache
from importlib.resources import files
from itertools import repeat
from operator import is_
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config
from numba.core.typing.templates import builtin_registry
from numba.np.ufunc.dufunc import DUFunc
from numba.np.ufunc.gufunc import GUFunc

from cardan.maths.stacks import kernel_of
from cardan.native.machine_code import processor

# packages whose content is fixed by their version, which is part of every key
_VERSIONED = {"numpy": np.__version__, "numba": numba.__version__, "llvmlite": llvmlite.__version__}

# settings of Numba that change what code it makes
_SETTINGS = (
    "BOUNDSCHECK", "CPU_FEATURES", "CPU_NAME", "DEBUGINFO_DEFAULT", "DEBUG_NRT", "DISABLE_INTEL_SVML", "ENABLE_AVX",
    "EXTEND_VARIABLE_LIFETIMES", "FULL_TRACEBACKS", "LLVM_REFPRUNE_FLAGS", "LLVM_REFPRUNE_PASS", "LOOP_VECTORIZE",
    "NRT_STATS", "OPT", "PARFOR_MAX_TUPLE_SIZE", "SLP_VECTORIZE", "USING_SVML",
)  # fmt: skip


def fingerprint(*functions: Callable[..., Any], text: str = "") -> str:
    """A key that changes whenever `functions`, anything they reach, `text` or a version changes.

    What was found once in a process is found again without a walk, as long as nothing that the walk met has changed.
    """
    look = getattr(_looks, "present", None) or _Look()
    settings = look.settings
    asked = (functions, text, settings, len(builtin_registry.globals))
    known = _found.get(asked)
    if known is not None and look.finds(known[1]):
        return known[0]
    survey = _Survey()
    survey.note(platform.python_implementation(), platform.python_version(), processor(), *_VERSIONED.values())
    survey.note(*platform.libc_ver(), platform.mac_ver()[0])  # LLVM computes `np.sin(0.5)` with the C library it finds
    survey.note(text, _making(), *settings)
    for function in functions:
        survey.visit(function)
    if len(_found) >= _MOST_FOUND:
        _found.clear()
        _facts.clear()
    _found[asked] = survey.digest.hexdigest(), frozenset(survey.premises.facts)
    return _found[asked][0]


class _Fact:
    """Something that a walk has met, and would have to meet again to come to the same key.

    Args:
        thing: What it is about.
        is_so: Whether that still is as it was.
    """

    def __init__(self, thing: Any, is_so: Callable[[], bool]) -> None:
        self.thing = thing
        self.is_so = is_so


class _Module(_Fact):
    """All that walks have met in a module: what its names stand for, and the functions that it has.

    Args:
        namespace: Of the module.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        super().__init__(namespace, self._is_same)
        self._names: dict[str, Any] = {}
        self._paths: dict[str, tuple[Any, list[str]]] = {}
        self._functions: dict[types.FunctionType, tuple[types.CodeType, Any]] = {}
        self._contents: dict[types.FunctionType, tuple[Any, ...]] = {}  # of functions that are more than their code

    def note_read(self, path: str, value: Any) -> None:
        """What a name, or an attribute of what it stands for, is."""
        names = path.split(".")
        if len(names) == 1:
            self._names[path] = value
        else:
            self._paths[path] = value, names

    def note_function(self, function: types.FunctionType) -> None:
        self._functions[function] = function.__code__, function.__defaults__
        if function.__closure__ is not None or function.__kwdefaults__ is not None:
            self._contents[function] = _content(function)

    def _is_same(self) -> bool:
        # hundreds of these are looked at whenever a simulation is made, so nothing is done in Python that C can do
        present = map(self.thing.get, self._names, repeat(_MISSING))
        if not all(map(is_, present, self._names.values())):
            return False
        for value, names in self._paths.values():
            found = self.thing.get(names[0], _MISSING)
            for name in names[1:]:
                found = getattr(found, name, _MISSING)
            if found is not value:
                return False
        for function, (code, defaults) in self._functions.items():
            if function.__code__ is not code or function.__defaults__ is not defaults:
                return False
            if function.__kwdefaults__ is not None and function not in self._contents:
                return False
        return all(_is_same(_content(function), content) for function, content in self._contents.items())


class _Look:
    """One look at a process in which nothing changes meanwhile."""

    def __init__(self) -> None:
        self.settings = tuple(f"{name} {getattr(config, name, None)}" for name in _SETTINGS)
        self._seen: set[_Fact] = set()

    def finds(self, facts: frozenset[_Fact]) -> bool:
        """Whether all of this is still so."""
        new = facts - self._seen
        if not all(fact.is_so() for fact in new):
            return False
        self._seen |= new
        return True


_looks = threading.local()


@contextmanager
def at_one_look() -> Iterator[None]:
    """While this lasts nothing changes that keys depend on: what was looked at for one key is not looked at again."""
    before = getattr(_looks, "present", None)
    _looks.present = before or _Look()
    try:
        yield
    finally:
        _looks.present = before


class _Premises:
    """What a walk has met. Walks that meet the same thing share what is known about it."""

    def __init__(self) -> None:
        self.facts: list[_Fact] = []
        self._modules: dict[int, _Module] = {}

    def note(self, about: tuple[int, str], thing: Any, is_so: Callable[[], bool]) -> None:
        """`is_so` says whether what `about` names, by the identity of a thing and a word, is as it is now."""
        known = _facts.get(about)
        if known is None or not known.is_so():
            known = _facts[about] = _Fact(thing, is_so)
        self.facts.append(known)

    def note_function(self, function: types.FunctionType) -> None:
        """A function, and that the names that its module does not have are still not there."""
        namespace = function.__globals__
        self._module(namespace).note_function(function)
        for name in function.__code__.co_names:
            if name not in namespace:
                self.note_read(namespace, name, _MISSING)

    def note_read(self, namespace: dict[str, Any], path: str, value: Any) -> None:
        """What a function reads from its module."""
        self._module(namespace).note_read(path, value)

    def _module(self, namespace: dict[str, Any]) -> _Module:
        """What is known about a module, as it is now."""
        known = self._modules.get(id(namespace))
        if known is None:
            found = _facts.get((id(namespace), "module"))
            known = found if isinstance(found, _Module) and found.is_so() else _Module(namespace)
            _facts[id(namespace), "module"] = self._modules[id(namespace)] = known
            self.facts.append(known)
        return known

    def note_content(self, thing: Any) -> None:
        """An array or a list, which may change in place."""
        content = _frozen(thing)
        self.note((id(thing), "content"), thing, lambda: bool(_frozen(thing) == content))

    def note_class(self, cls: type) -> None:
        defaults = dict(getattr(cls, "_field_defaults", {}))

        def is_so() -> bool:
            present = getattr(cls, "_field_defaults", {})
            return _is_same(present, defaults) if defaults else not present

        self.note((id(cls), "defaults"), cls, is_so)

    def note_options(self, thing: Any) -> None:
        options = _options(thing)
        self.note((id(thing), "options"), thing, lambda: _options(thing) == options)


_MISSING = object()
_MOST_FOUND = 4096
_found: dict[tuple[Any, ...], tuple[str, frozenset[_Fact]]] = {}
_facts: dict[tuple[int, str], _Fact] = {}  # each keeps what it is about, so that nothing else has its identity


def _content(function: types.FunctionType) -> tuple[Any, ...]:
    """What a function is made of, beside its globals."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    keywords = [*(function.__kwdefaults__ or {}).items()]
    return (function.__code__, *(function.__defaults__ or ()), *(part for pair in keywords for part in pair), *cells)


def _is_same(first: Any, second: Any) -> bool:
    """Whether two collections have the same things in them: not equal ones, the same."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(first[name] is second[name] for name in first)
    return len(first) == len(second) and all(a is b for a, b in zip(first, second, strict=True))


def _frozen(thing: Any) -> Any:
    """The present content of an array or a list, which may change in place."""
    return (thing.dtype, thing.shape, thing.tobytes()) if isinstance(thing, np.ndarray) else [id(i) for i in thing]


def _options(thing: Any) -> str:
    """What a helper was jitted with."""
    return repr(sorted((getattr(thing, "targetoptions", {}) | getattr(thing, "locals", {})).items(), key=str))


@cache
def _making() -> str:
    """The digest of all of `cardan.native`: how code is made."""
    folder = files("cardan.native")
    texts = {item.name: item.read_bytes() for item in folder.iterdir() if item.name.endswith(".py")}
    return hashlib.sha256(b"\0".join(name.encode() + b"\0" + texts[name] for name in sorted(texts))).hexdigest()


def helpers_of(*functions: Callable[..., Any]) -> list[types.FunctionType]:
    """The plain Python functions that `functions` call, directly or not, without `functions` themselves."""
    survey = _Survey()
    for function in functions:
        survey.visit(function)
    return [seen for seen in survey.functions if seen not in functions]


def functions_called(function: Callable[..., Any]) -> list[types.FunctionType]:
    """All functions that `function` calls, directly or not, those in two forms (`forms`) among them."""
    survey = _Survey()
    survey.visit(function)
    return [called for found in survey.calls.values() for called in found]


def recursion(function: Callable[..., Any]) -> list[types.FunctionType]:
    """Functions that call each other in a circle, among those that `function` calls; none if there is no circle."""
    survey = _Survey()
    survey.visit(function)
    done: set[types.FunctionType] = set()

    def circle(path: list[types.FunctionType]) -> list[types.FunctionType]:
        for called in survey.calls.get(path[-1], ()):
            if called in path:
                return path[path.index(called) :]
            if called not in done and (found := circle([*path, called])):
                return found
        done.add(path[-1])
        return []

    return next((found for start in survey.calls if start not in done and (found := circle([start]))), [])


class _Survey:
    """One walk over everything reachable from some functions."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.functions: list[types.FunctionType] = []
        self.calls: dict[types.FunctionType, list[types.FunctionType]] = {}
        self._within: list[types.FunctionType] = []
        self._seen: dict[int, int] = {}
        self.premises = _Premises()

    def note(self, *texts: str) -> None:
        for text in texts:
            self.digest.update(text.encode())
            self.digest.update(b"\0")

    def visit(self, thing: Any) -> None:
        """Take `thing` into the digest, once."""
        if self._within and isinstance(called := getattr(thing, "py_func", thing), types.FunctionType):
            self.calls.setdefault(self._within[-1], []).append(called)
        if id(thing) in self._seen:
            self.note(f"again {self._seen[id(thing)]}")
            return
        if isinstance(thing, types.FunctionType | type) or hasattr(thing, "py_func"):
            self._seen[id(thing)] = len(self._seen)

        if hasattr(thing, "py_func"):  # a helper that its author has jitted already
            self.note(_options(thing))
            self.premises.note_options(thing)
            self.visit(thing.py_func)
        elif isinstance(thing, DUFunc | GUFunc):  # by `numba.vectorize`
            self.note("ufunc", str(thing.identity))
            self.visit(thing._dispatcher)
        elif _is_versioned(thing):
            self.note(f"{thing.__module__}.{getattr(thing, '__qualname__', type(thing).__name__)}")
        elif isinstance(thing, types.FunctionType):
            self._visit_function(thing)
            self._visit_overloads(thing)
        elif isinstance(thing, types.CodeType):
            self._visit_code(thing)
        elif isinstance(thing, np.ndarray):
            self.premises.note_content(thing)
            self.note("array", str(thing.dtype), str(thing.shape), thing.tobytes().hex())
        elif isinstance(thing, tuple | list | frozenset):
            # compiled code has `places.mass` as a number: which field is which is in the names alone
            self.note(type(thing).__qualname__, str(len(thing)), *getattr(thing, "_fields", ()))
            if isinstance(thing, list):
                self.premises.note_content(thing)
            for item in sorted(thing, key=repr) if isinstance(thing, frozenset) else thing:
                self.visit(item)
        elif isinstance(thing, type):
            self._visit_class(thing)
        else:  # numbers, strings, None, enum members; anything else does not compile anyway
            self.note(type(thing).__qualname__, repr(thing))

    def _visit_function(self, function: types.FunctionType) -> None:
        self.note("function", function.__qualname__)
        if hasattr(function, "instructions"):
            # compiled code never sees the Python of a function in two forms; its instructions count
            self._visit_instructions(function.instructions)
            return
        self.functions.append(function)
        self._within.append(function)
        self._visit_content(kernel_of(function))
        self._within.pop()

    def _visit_content(self, function: types.FunctionType) -> None:
        self.premises.note_function(function)
        self.visit(function.__defaults__ or ())
        for name, value in sorted((function.__kwdefaults__ or {}).items()):
            self.note(name)
            self.visit(value)
        for cell in function.__closure__ or ():
            self.visit(cell.cell_contents)
        self._visit_code(function.__code__)
        for path, value, _ in globals_read(function.__code__, function.__globals__):
            self.note(path)
            self.premises.note_read(function.__globals__, path, value)
            self.visit(value)

    def _visit_overloads(self, function: types.FunctionType) -> None:
        """What a user has told Numba to compile instead; it is Numba's to compile, and none of the helpers."""
        known = len(self.functions)
        for told in overloads_of(function):
            self.visit(told)
        del self.functions[known:]

    def _visit_instructions(self, instructions: types.FunctionType) -> None:
        self._visit_code(instructions.__code__)
        for cell in instructions.__closure__ or ():
            self.note(str(cell.cell_contents))

    def _visit_code(self, code: types.CodeType) -> None:
        self.note("code", code.co_code.hex(), *code.co_names, *code.co_varnames, *code.co_freevars)
        for constant in code.co_consts:
            self.visit(constant)

    def _visit_class(self, cls: type) -> None:
        self.note("class", cls.__qualname__, *getattr(cls, "_fields", ()))
        self.premises.note_class(cls)
        for name, value in sorted(getattr(cls, "_field_defaults", {}).items()):
            self.note(name)
            self.visit(value)
        if issubclass(cls, Enum):
            self.note(*(f"{member.name}={member.value!r}" for member in cls))


def globals_read(code: types.CodeType, namespace: dict[str, Any]) -> Iterator[tuple[str, Any, int]]:
    """The globals that `code` and the functions nested in it read, and on which lines.

    `module.name` is followed to its end.
    """
    chain: list[str] = []
    value: Any = None
    line = code.co_firstlineno
    for operation, name, at in _instructions(code):
        follows = operation in ("LOAD_ATTR", "LOAD_METHOD") and chain
        if follows and isinstance(value, types.ModuleType | type) and hasattr(value, name):
            chain.append(name)
            value = getattr(value, name)
            continue
        if chain:
            yield ".".join(chain), value, line
            chain = []
        if operation in ("LOAD_GLOBAL", "LOAD_NAME") and name in namespace:
            chain, value, line = [name], namespace[name], at or line
    if chain:
        yield ".".join(chain), value, line
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from globals_read(constant, namespace)


def overloads_of(function: types.FunctionType) -> list[Any]:
    """What users have told Numba, by `overload`, to compile in place of `function`."""
    return _overloads(len(builtin_registry.globals)).get(function, [])


@cache
def _overloads(registered: int) -> dict[Any, list[Any]]:
    """By function, while so many things are registered."""
    found: dict[Any, list[Any]] = {}
    for function, kind in builtin_registry.globals:
        for template in getattr(kind, "templates", ()) if isinstance(function, types.FunctionType) else ():
            told = getattr(template, "_overload_func", None)
            if told is not None and told.__module__.partition(".")[0] not in ("numba", "cardan"):
                found.setdefault(function, []).append(told)
    return found


@cache
def _instructions(code: types.CodeType) -> list[tuple[str, Any, int | None]]:
    """Operation, argument and line of every instruction."""
    return [(each.opname, each.argval, each.positions and each.positions.lineno) for each in dis.get_instructions(code)]


def _is_versioned(thing: Any) -> bool:
    module = getattr(thing, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] in _VERSIONED
