"""Functions for Python to call, compiled for known types and kept on disk."""

import inspect
from collections.abc import Callable
from typing import Any

from cardan.native.cache import load_module
from cardan.native.compiling import jitted
from cardan.native.fingerprint import fingerprint

_SOURCE = '''"""A native function of Cardan: {label}. Generated: it can be deleted, it will be written again."""

from numba import njit


@njit(SIGNATURES, cache=True, nogil={nogil}, error_model="numpy")
def call({arguments}):
    return function({arguments})
'''


def cached_function(function: Callable[..., Any], *signatures: Any, nogil: bool = True) -> Any:
    """`function` compiled for `signatures` (as Numba has them), from disk where it was compiled before.

    Other types are a `TypeError` when it is called; nothing is compiled for them. Without `nogil` it keeps the
    interpreter's lock, which saves a short function some of its time.
    """
    label = f"{function.__module__}.{function.__qualname__}"
    arguments = ", ".join(inspect.signature(function).parameters)
    source = _SOURCE.format(label=label, arguments=arguments, nogil=nogil)
    key = fingerprint(function, text=source + "\n".join(map(str, signatures)))

    def namespace() -> dict[str, Any]:
        return {"SIGNATURES": list(signatures), "function": jitted(function)}

    return load_module("".join(c if c.isalnum() else "_" for c in label), key, source, namespace).call


def short_function(function: Callable[..., Any], signature: Any) -> Any:
    """`function` compiled for one signature of integers and `ARRAY_OBJECT`s, without Numba's look at its arguments.

    It keeps the interpreter's lock, and must find out itself what its arrays are.
    """
    compiled = cached_function(function, signature, nogil=False)
    return next(iter(compiled.overloads.values())).entry_point
