"""Functions for Python to call, compiled for known types and kept on disk."""

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from numba import _dynfunc, njit
from numba.core import sigutils

from cardan.native import numba_code
from cardan.native.cache import load_function
from cardan.native.compiling import jitted
from cardan.native.fingerprint import fingerprint

_SOURCE = '''"""A native function of Cardan: {label}. Generated: it can be deleted, it will be written again."""


def call({arguments}):
    return function({arguments})
'''


def cached_function(function: Callable[..., Any], signature: Any, *, nogil: bool = True) -> Any:
    """`function` compiled for a signature, or a tuple of types, as Numba has them; from disk where it was before.

    Other types are a `TypeError` when it is called; nothing is compiled for them. Without `nogil` it keeps the
    interpreter's lock, which saves a short function some of its time.
    """
    label = f"{function.__module__}.{function.__qualname__}"
    arguments = ", ".join(inspect.signature(function).parameters)
    source = _SOURCE.format(label=label, arguments=arguments)
    key = fingerprint(function, text=f"{source}{signature} {nogil}")
    types, _ = sigutils.normalize_signature(signature)
    decorate = njit(nogil=nogil, error_model="numpy")

    def compiled(call: Callable[..., Any]) -> tuple[Any, bytes | None]:
        made = decorate(call)
        made.compile(signature)
        made.disable_compile()
        overload = made.overloads[tuple(types)]
        names = overload.fndesc.llvm_cpython_wrapper_name, overload.fndesc.env_name
        return made, numba_code.kept(overload.library, *names)

    def from_code(call: Callable[..., Any], content: bytes) -> Any:
        code = numba_code.loaded(content)
        about = f"compiled {label}"
        entry = _dynfunc.make_function(inspect.getmodule(call), "call", about, code.address, code.environment, code)
        made = decorate(call)
        # all that Numba asks of what it has compiled in order to call it
        made.add_overload(SimpleNamespace(signature=SimpleNamespace(args=types), entry_point=entry, objectmode=False))
        made.disable_compile()
        return made

    name = "".join(c if c.isalnum() else "_" for c in label)
    return load_function(name, key, source, lambda: {"function": jitted(function)}, compiled, from_code)


def short_function(function: Callable[..., Any], signature: Any) -> Any:
    """`function` compiled for one signature of integers and `ARRAY_OBJECT`s, without Numba's look at its arguments.

    It keeps the interpreter's lock, and must find out itself what its arrays are.
    """
    compiled = cached_function(function, signature, nogil=False)
    return next(iter(compiled.overloads.values())).entry_point
