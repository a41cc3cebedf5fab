"""Numba's compiler with the rules of Python where Numba's own are silent.

Compiled code that Numba makes of a method may differ from the method without a word: a variable that was not assigned
is zero, whole numbers divided by zero are zero, some functions write into arrays that are read-only. A part must mean
the same in both worlds, so each of these is refused when the part is compiled, or raises at run time as in Python.
Indices out of bounds are Numba's own `boundscheck`, which `compiling.py` switches on.

One thing is added rather than refused: a NamedTuple may leave out fields that have a default, arrays among them.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils, ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import NumbaError
from numba.core.ir_utils import get_definition, guard, mk_unique_var
from numba.core.typed_passes import NopythonTypeInference
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.core.untyped_passes import InlineClosureLikes, ReconstructSSA
from numba.extending import lower_builtin

OWN_COPY = "Inputs and parameters belong to others: write into a copy of your own, `a = a.copy()`."


class Refused(NumbaError):
    """Code that would compile, but to something else than it means in Python.

    Attributes:
        what: What is wrong, as a sentence.
        advice: What to write instead, as a sentence.
        file: Where.
        line: Its number.
    """

    def __init__(self, what: str, advice: str, loc: Any) -> None:
        super().__init__(f"{what}\n{advice}", loc=loc)
        self.what = what
        self.advice = advice
        self.file = str(loc.filename)
        self.line = int(loc.line)


class StrictCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's usual passes with ours between them."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(FillInDefaults, InlineClosureLikes)
        passes.add_pass_after(RefuseUnassigned, ReconstructSSA)
        passes.add_pass_after(FollowPython, NopythonTypeInference)
        passes.finalize()
        return [passes]


# ---- defaults of NamedTuples -----------------------------------------------------------------------------------------


@register_pass(mutates_CFG=False, analysis_only=False)
class FillInDefaults(FunctionPass):  # type: ignore[misc]
    """Let `BodyWrench(force_B=f)` have its other fields at their defaults; Numba takes only numbers as defaults."""

    _name = "cardan_fill_in_defaults"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        changed = False
        for block in state.func_ir.blocks.values():
            body = []
            for statement in block.body:
                is_call = isinstance(statement, ir.Assign) and getattr(statement.value, "op", "") == "call"
                for name, default in _left_out(state.func_ir, statement.value) if is_call else ():
                    made, statements = _default(block.scope, name, default, statement.loc)
                    body += statements
                    statement.value.kws = [*statement.value.kws, (name, made)]
                    changed = True
                body.append(statement)
            block.body = body
        return changed


def _left_out(function: Any, call: Any) -> list[tuple[str, Any]]:
    """The fields that the call of a NamedTuple class leaves at their defaults."""
    made: Any = guard(_value_of, function, call.func)
    if not (isinstance(made, type) and issubclass(made, tuple) and hasattr(made, "_field_defaults")) or call.vararg:
        return []
    fields, defaults = made._fields, made._field_defaults  # type: ignore[attr-defined]
    given = {*fields[: len(call.args)], *(name for name, _ in call.kws)}
    return [(name, defaults[name]) for name in fields if name in defaults and name not in given]


def _value_of(function: Any, variable: Any) -> Any:
    """What a variable stands for: a global, a constant of a closure, or an attribute of a module."""
    found = get_definition(function, variable)
    if isinstance(found, ir.Global | ir.FreeVar):
        return found.value
    if isinstance(found, ir.Expr) and found.op == "getattr":
        return getattr(_value_of(function, found.value), found.attr, None)
    return None


def _default(scope: Any, name: str, value: Any, loc: Any) -> tuple[Any, list[Any]]:
    """A variable that holds a default, and the statements that make it; an array is a copy, as of its own."""
    held = ir.Var(scope, mk_unique_var(f"default_{name}"), loc)
    statements = [ir.Assign(ir.Global(f"default_{name}", value, loc), held, loc)]
    if isinstance(value, np.ndarray):
        copy, copied = (ir.Var(scope, mk_unique_var(f"{part}_{name}"), loc) for part in ("copy", "copied"))
        statements.append(ir.Assign(ir.Expr.getattr(held, "copy", loc), copy, loc))
        statements.append(ir.Assign(ir.Expr.call(copy, (), (), loc), copied, loc))
        held = copied
    return held, statements


# ---- variables that are not assigned ---------------------------------------------------------------------------------


@register_pass(mutates_CFG=False, analysis_only=True)
class RefuseUnassigned(FunctionPass):  # type: ignore[misc]
    """A variable that some way through the code leaves unassigned is an error in Python, and zero in Numba."""

    _name = "cardan_refuse_unassigned"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        for block in state.func_ir.blocks.values():
            for joined in block.find_insts(ir.Assign):
                if getattr(joined.value, "op", "") == "phi" and ir.UNDEFINED in joined.value.incoming_values:
                    name = joined.target.unversioned_name
                    raise Refused(
                        f"`{name}` is not assigned on every path that leads here.",
                        f"Give `{name}` a value before the branch or the loop that may not assign it.",
                        _first_use(state.func_ir, joined) or joined.loc,
                    )
        return False


def _first_use(function: Any, joined: Any) -> Any:
    """Where the variable that `joined` merges is first read, by line."""
    places = [
        statement.loc
        for block in function.blocks.values()
        for statement in block.body
        if not (isinstance(statement, ir.Assign) and getattr(statement.value, "op", "") == "phi")
        and any(used.name == joined.target.name for used in statement.list_vars())
        and getattr(getattr(statement, "target", None), "name", None) != joined.target.name
    ]
    return min(places, key=lambda place: place.line, default=None)


# ---- operations whose meaning differs --------------------------------------------------------------------------------


@register_pass(mutates_CFG=False, analysis_only=False)
class FollowPython(FunctionPass):  # type: ignore[misc]
    """Checks on whole numbers, and no writing into read-only arrays by a back door."""

    _name = "cardan_follow_python"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                _refuse_back_doors(state, statement)
                expression = getattr(statement, "value", None)
                if isinstance(expression, ir.Expr) and expression.op in ("binop", "inplace_binop"):
                    signature = state.calltypes[expression]
                    if signature is not None and all(isinstance(kind, types.Integer) for kind in signature.args):
                        _check(expression)
        return True


def _check(expression: Any) -> None:
    """Let an operation on two whole numbers be the checked one."""
    checked = CHECKED.get(expression.fn)
    if checked is not None:
        expression.fn = checked
    if expression.op == "inplace_binop":
        expression.immutable_fn = CHECKED.get(expression.immutable_fn, expression.immutable_fn)


def _refuse_back_doors(state: Any, statement: Any) -> None:
    """Numba lets a few functions write into an array that it knows to be read-only."""
    if isinstance(statement, ir.SetItem | ir.StaticSetItem):
        target = state.typemap[statement.target.name]
        if isinstance(target, types.NumpyFlatType) and not target.array_type.mutable:
            raise Refused("`.flat` writes into an input or a parameter.", OWN_COPY, statement.loc)
    call = getattr(statement, "value", None)
    if isinstance(call, ir.Expr) and call.op == "call" and call.args:
        name = _BACK_DOORS.get(getattr(state.typemap[call.func.name], "typing_key", None))
        first = state.typemap[call.args[0].name]
        if name and isinstance(first, types.Array) and not first.mutable:
            raise Refused(f"`{name}` gives write access to an input or a parameter.", OWN_COPY, statement.loc)


_BACK_DOORS: dict[Any, str] = {
    np.fill_diagonal: "np.fill_diagonal",
    np.ascontiguousarray: "np.ascontiguousarray",
    np.asfortranarray: "np.asfortranarray",
    np.nditer: "np.nditer",
}


Instructions = Callable[..., Any]


def _raising(is_wrong: Callable[..., Any], exception: type[Exception], text: str) -> Instructions:
    """Instructions that raise `exception` if the second number is wrong, and else operate on both."""

    def instructions(context: Any, builder: Any, signature: Any, args: Any, operate: Callable[..., Any]) -> Any:
        with cgutils.if_unlikely(builder, is_wrong(builder, args[1])):
            context.call_conv.return_user_exc(builder, exception, (text,))
        return operate(builder, args)

    return instructions


def _is_zero(builder: Any, number: Any) -> Any:
    return builder.icmp_signed("==", number, number.type(0))


def _is_negative(builder: Any, number: Any) -> Any:
    return builder.icmp_signed("<", number, number.type(0))


def _shift(keeps_sign: bool) -> Instructions:
    """A shift as NumPy has it: by 64 bits or more, no bit is left. The processor looks at the last six bits alone."""

    def instructions(context: Any, builder: Any, signature: Any, args: Any, operate: Callable[..., Any]) -> Any:
        number, bits = args
        is_within = builder.icmp_unsigned("<", bits, bits.type(number.type.width))
        shifted = operate(builder, (number, builder.select(is_within, bits, bits.type(0))))
        left = shifted.type(0)
        if keeps_sign and signature.args[0].signed:
            left = builder.select(_is_negative(builder, number), shifted.type(-1), left)
        return builder.select(is_within, shifted, left)

    return instructions


def _checked(operation: Any, form: Instructions) -> Callable[..., Any]:
    """The operation under a name of its own, in another form; only `FollowPython` asks for it."""

    def checked(a: Any, b: Any) -> Any:
        return operation(a, b)

    class Template(AbstractTemplate):  # type: ignore[misc]
        key = checked

        def generic(self, args: Any, kws: Any) -> Any:
            return self.context.resolve_function_type(operation, args, kws)

    infer_global(checked, types.Function(Template))

    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        known = context.typing_context.resolve_value_type(operation)
        found = known.get_call_type(context.typing_context, signature.args, {})
        return form(context, builder, signature, args, context.get_function(known, found))

    lower_builtin(checked, types.Integer, types.Integer)(instructions)
    return checked


_DIVISION = _raising(_is_zero, ZeroDivisionError, "integer division or modulo by zero")
_POWER = _raising(_is_negative, ValueError, "Integers to negative integer powers are not allowed.")
_FORMS: dict[Any, Instructions] = {
    operator.floordiv: _DIVISION,
    operator.ifloordiv: _DIVISION,
    operator.mod: _DIVISION,
    operator.imod: _DIVISION,
    operator.pow: _POWER,
    operator.ipow: _POWER,
    operator.lshift: _shift(keeps_sign=False),
    operator.ilshift: _shift(keeps_sign=False),
    operator.rshift: _shift(keeps_sign=True),
    operator.irshift: _shift(keeps_sign=True),
}
CHECKED = {operation: _checked(operation, form) for operation, form in _FORMS.items()}
