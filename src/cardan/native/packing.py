"""`numbers_of` and `with_numbers` as compiled code, written out for each class of messages.

Importing this module is enough.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload

from cardan.maths.packing import numbers_of, with_numbers


@intrinsic
def _of_kind(typingctx, array, kind):
    """`array` as one that nobody writes to, as the fields of messages are that a part reads."""

    def code(context, builder, signature, args):
        cast = context.cast(builder, args[0], signature.args[0], signature.return_type)
        return impl_ret_borrowed(context, builder, signature.return_type, cast)

    return kind(array, kind), code


@overload(numbers_of)
def _numbers_of(message):
    lines = ["def pack(message):", f" numbers = np.empty({' + '.join(_sizes(message))})", " at = 0"]
    for i, kind in enumerate(message.types):
        if isinstance(kind, types.Array):
            lines += [f" for number in message[{i}].flat:", "  numbers[at] = number", "  at += 1"]
        else:
            lines += [f" numbers[at] = message[{i}]", " at += 1"]
    return _function("pack", [*lines, " return numbers"])


@overload(with_numbers)
def _with_numbers(message, numbers):
    lines = ["def unpack(message, numbers):", " at = 0"]
    for i, (kind, size) in enumerate(zip(message.types, _sizes(message), strict=True)):
        if isinstance(kind, types.Array):
            # of the very type that the message has, so that a part may return either
            taken = _taken(kind.dtype, "numbers[at + i]")
            lines += [
                f" field{i} = np.empty(message[{i}].shape, message[{i}].dtype)",
                f" flat{i} = field{i}.reshape(-1)",
            ]
            lines += [f" for i in range({size}):", f"  flat{i}[i] = {taken}", f" at += {size}"]
            lines += [f" taken{i} = of_kind(field{i}, message[{i}])"]
        else:
            lines += [f" taken{i} = {_taken(kind, 'numbers[at]')}", " at += 1"]
    made = ", ".join(f"taken{i}" for i in range(len(message.types)))
    return _function("unpack", [*lines, f" return made({made})"], made=message.instance_class)


def _sizes(message: Any) -> list[str]:
    """How many numbers each field has, as text."""
    return [f"message[{i}].size" if isinstance(kind, types.Array) else "1" for i, kind in enumerate(message.types)]


def _taken(kind: Any, number: str) -> str:
    """A number as one of a kind, as text."""
    if isinstance(kind, types.Boolean):
        return f"{number} > 0.5"
    return f"np.int64(np.floor({number} + 0.5))" if isinstance(kind, types.Integer) else number


def _function(name: str, lines: list[str], **names: Any) -> Callable[..., Any]:
    scope = {"np": np, "of_kind": _of_kind, **names}
    exec("\n".join(lines), scope)
    made: Callable[..., Any] = scope[name]
    return made
