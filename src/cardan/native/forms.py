"""Functions in two forms: Python for the interpreter, machine instructions for compiled code.

Most native code is one Python source that also compiles. A few functions do what Python alone cannot say to the
compiler: touch memory at an address, call a C function, work on a vector register. Each of them is an ordinary Python
function, so that a debugger can step through whatever calls it, with its instructions attached.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled_as(signature: Any, instructions: Callable[..., Any]) -> Callable[[Function], Function]:
    """Give the decorated function its compiled form.

    Args:
        signature: Numba's: what it returns of what.
        instructions: `f(context, builder, signature, arguments)`, which writes LLVM instructions and gives their value.
    """

    def attach(function: Function) -> Function:
        attach_instructions(function, signature, instructions)
        function.instructions = instructions  # type: ignore[attr-defined]
        return function

    return attach


def attach_instructions(
    function: Callable[..., Any], signature: Any, instructions: Callable[..., Any], among: tuple[type, ...] = ()
) -> None:
    """Let compiled code that calls `function` (an operator, say) with these types run `instructions`.

    Args:
        function: What is called.
        signature: Numba's: what it returns of what.
        instructions: As in `compiled_as`.
        among: Types of which at least one argument must be; the others are converted to those of the signature.
    """

    class Template(AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            if kws or len(args) != len(signature.args) or (among and not any(isinstance(a, among) for a in args)):
                return None
            pairs = zip(args, signature.args, strict=True)
            takes = all(self.context.can_convert(given, wanted) is not None for given, wanted in pairs)
            return signature if takes else None

    infer_global(function, types.Function(Template))
    lower_builtin(function, *signature.args)(instructions)
