"""Why a part cannot be compiled, in the words of its author: which line, what is wrong with it, what to write instead.

Numba's own words speak of its types and passes, and often point into generated code. So when it gives up, the method
and its helpers are read once more: first what the method returns, then constructs that are known not to compile, then
what Numba said. Nothing here runs unless compiling has failed.
"""

import ast
import builtins
import dis
import inspect
import linecache
import re
import textwrap
import types as python_types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from numba import types

from cardan.errors import did_you_mean
from cardan.native.fingerprint import helpers_of, recursion
from cardan.native.layout import Block, Field
from cardan.native.strict import OWN_COPY, Refused

_ADVICE = (
    "  Use numbers, arrays, NumPy and `cardan.maths`; make helpers module functions, not methods; build a new\n"
    "  NamedTuple instead of `_replace`; do not write into inputs."
)
_INSTEAD = "  Or mark the part `jit=False` to run it as plain Python."


class Finding(NamedTuple):
    """Something that does not compile.

    Attributes:
        file: Where it stands; empty if that is not known.
        line: Its number.
        what: What is wrong, as a sentence.
        advice: What to write instead, as a sentence.
    """

    file: str
    line: int
    what: str
    advice: str

    def __str__(self) -> str:
        if not self.file:
            return f"  {self.what} {self.advice}"
        code = linecache.getline(self.file, self.line).strip()
        return f"  {Path(self.file).name}, line {self.line}: {code}\n    {self.what} {self.advice}"


def explanation(label: str, method: Callable[..., Any], error: BaseException) -> str:
    """The text of a `CompileError` for a method that Numba has refused with `error`."""
    functions: list[Any] = [
        method,
        *(helper for helper in helpers_of(method) if not helper.__module__.startswith("cardan.")),
    ]
    found = _refused(error, functions) or [finding for function in functions for finding in _read(function)]
    found = found or _told(error, functions)
    lines = [f"`{label}` cannot be compiled to native code.", *map(str, dict.fromkeys(found))]
    if not found:
        lines += [*_place(error, functions), f"  Numba: {_gist(error)}", _ADVICE]
    return "\n".join([*lines, _INSTEAD])


def recursive(label: str, method: Callable[..., Any]) -> str | None:
    """The text of a `CompileError` for a method whose helpers call each other in a circle; None if they do not.

    Compiled, such a circle ends the process where the stack ends; Python raises a `RecursionError` long before.
    """
    circle = recursion(method)
    if not circle:
        return None
    first = circle[0].__code__
    by = "".join(f", which calls `{function.__name__}`" for function in [*circle[2:], circle[0]])
    what = f"calls `{circle[1].__name__}`{by}." if len(circle) > 1 else "calls itself."
    finding = Finding(first.co_filename, first.co_firstlineno, f"`{circle[0].__name__}` {what}", "Write it as a loop.")
    return f"`{label}` cannot be compiled to native code.\n{finding}\n{_INSTEAD}"


# ---- what a method returns -------------------------------------------------------------------------------------------


def wrong_result(
    label: str, method: Callable[..., Any], returned: Any, results: list[tuple[str, tuple[int, ...], Block]]
) -> str | None:
    """What is wrong with the type that Numba found a method to return, or None if all of it can be stored.

    Args:
        label: Of the method.
        method: The method itself.
        returned: The type of what it returns.
        results: For each block that is stored: its name, where it stands in what is returned, and its layout.
    """
    expected = ", ".join(
        f"{block.type.__name__} as `{name}`" if at else block.type.__name__ for name, at, block in results
    )
    problem = None
    if isinstance(returned, types.NoneType):
        problem = f"returns nothing.\n  expected {expected}\n  Is a `return` missing?"
    elif isinstance(returned, types.Optional):
        problem = f"returns nothing on some path.\n  expected {expected}\n  Let every path end with a `return`."
    for name, at, block in results if problem is None else ():
        found = _part_of(returned, at)
        if getattr(found, "instance_class", None) is not block.type:
            problem = f"returns something else{f' as `{name}`' if at else ''}.\n  expected {block.type.__name__}"
            problem += f"\n  got      {_shown(returned if found is None else found)}"
            break
        problem = _misfit(f"{name}." if at else "", block, found)
        if problem is not None:
            break
    return "\n".join([f"`{label}` {problem}", *_returns(method)]) if problem else None


def _part_of(returned: Any, at: tuple[int, ...]) -> Any:
    """The type of what stands at `at` in a tuple, or None where there is no such place."""
    for i in at:
        inner = getattr(returned, "types", ())
        if i >= len(inner):
            return None
        returned = inner[i]
    return returned


def _misfit(prefix: str, block: Block, found: Any) -> str | None:
    """Which field of a NamedTuple cannot be stored."""
    for field, kind in zip(block.fields, found.types, strict=True):
        if not _takes(field, kind):
            expected = ("a number", "a vector", "a matrix")[len(field.shape)]
            return (
                f"returns something else in `{prefix}{field.name}`.\n  expected {expected}\n  got      {_shown(kind)}"
            )
    return None


def _takes(field: Field, kind: Any) -> bool:
    """Whether compiled code can store a value of this type in the field."""
    if isinstance(kind, types.Array):
        return bool(kind.ndim == len(field.shape)) and isinstance(kind.dtype, types.Number | types.Boolean)
    if len(field.shape) == 0:
        return isinstance(kind, types.Number | types.Boolean) and not isinstance(kind, types.Complex)
    return len(field.shape) == 1 and isinstance(kind, types.BaseTuple | types.List | types.ListType)


def _shown(kind: Any) -> str:
    """A type of Numba as a user would name it."""
    if isinstance(kind, types.Array):
        return f"an array with {kind.ndim} {'axis' if kind.ndim == 1 else 'axes'}"
    if isinstance(kind, types.NoneType):
        return "None"
    if hasattr(kind, "instance_class"):
        return str(kind.instance_class.__name__)
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(_shown(inner) for inner in kind.types)})"
    return "a number" if isinstance(kind, types.Number | types.Boolean) else str(kind)


def _returns(method: Callable[..., Any]) -> Iterator[str]:
    """The lines that return something, or the one that begins the method."""
    tree, first = _parsed(method)
    code = method.__code__
    lines = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Return)] if tree else []
    for line in [first + line - 1 for line in lines] or [code.co_firstlineno]:
        text = linecache.getline(code.co_filename, line).strip()
        yield f"  {Path(code.co_filename).name}, line {line}: {text}"


# ---- constructs that do not compile ----------------------------------------------------------------------------------


def _read(function: python_types.FunctionType) -> Iterator[Finding]:
    """What in the source of a function is known not to compile."""
    file = function.__code__.co_filename
    for line, what, advice in _unknown_names(function):
        yield Finding(file, line, what, advice)
    tree, first = _parsed(function)
    for node in ast.walk(tree) if tree else ():
        for what, advice in _findings(node, function):
            yield Finding(file, first + node.lineno - 1, what, advice)  # type: ignore[attr-defined]


def _parsed(function: Any) -> tuple[ast.AST | None, int]:
    """The source of a function as a tree, and the number of its first line; None where there is no source."""
    try:
        lines, first = inspect.getsourcelines(function)
        return ast.parse(textwrap.dedent("".join(lines))), first
    except (OSError, TypeError, SyntaxError):
        return None, 0


def _unknown_names(function: python_types.FunctionType) -> Iterator[tuple[int, str, str]]:
    """Names that nothing defines, and attributes that a module does not have."""
    value: Any = None
    for step in dis.get_instructions(function.__code__):
        line = step.positions.lineno if step.positions and step.positions.lineno else function.__code__.co_firstlineno
        if step.opname == "LOAD_GLOBAL":
            known = function.__globals__ | vars(builtins)
            value = known.get(step.argval)
            if step.argval not in known:
                hint = did_you_mean(step.argval, function.__globals__)
                yield line, f"`{step.argval}` is not defined.", f"Define or import it.{hint}"
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, python_types.ModuleType):
            if not hasattr(value, step.argval):
                hint = did_you_mean(step.argval, dir(value))
                yield line, f"The module `{value.__name__}` has no `{step.argval}`.", hint.strip()
            value = getattr(value, step.argval, None)
        else:
            value = None


def _findings(node: ast.AST, function: python_types.FunctionType) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Attribute):
                owner = ast.unparse(target.value)
                made = _class_of(owner, function)
                yield f"It changes a field of `{owner}`.", f"Make a new one instead: `{made}({target.attr}=..., ...)`."
    elif isinstance(node, ast.FormattedValue) and (node.format_spec is not None or node.conversion != -1):
        plain = f"{{{ast.unparse(node.value)}}}"
        yield "Texts with formatted numbers do not compile.", f"Leave the format out: `{plain}`."
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield "A method cannot import.", "Import at the top of the module."
    elif isinstance(node, ast.With | ast.AsyncWith | ast.Await | ast.ClassDef | ast.Global | ast.Nonlocal):
        yield f"`{type(node).__name__.lower()}` does not compile.", "Compute with numbers and arrays alone."
    elif isinstance(node, ast.Call):
        yield from _findings_in_call(node, function)


def _findings_in_call(node: ast.Call, function: python_types.FunctionType) -> Iterator[tuple[str, str]]:
    if isinstance(node.func, ast.Attribute):
        owner = ast.unparse(node.func.value)
        if node.func.attr == "_replace":
            yield "`_replace` does not compile.", f"Make a new one instead: `{_class_of(owner, function)}(...)`."
            return
        if owner == "self":
            name = node.func.attr
            yield (
                "A part cannot call a method of its own.",
                f"Make `{name}` a function of the module, and call `{name}(self, ...)`.",
            )
            return
    made = _resolved(node.func, function)
    if isinstance(made, type) and issubclass(made, tuple) and hasattr(made, "_fields"):
        yield from _findings_in_making(node, made)


def _findings_in_making(node: ast.Call, made: Any) -> Iterator[tuple[str, str]]:
    """Whether the call of a NamedTuple class gives its fields."""
    fields, given = made._fields, [keyword.arg for keyword in node.keywords]
    if None in given or any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    has = f"It has: {', '.join(fields) or 'none'}."
    for name in given:
        if name not in fields:
            yield f"`{made.__name__}` has no field `{name}`.{did_you_mean(str(name), fields)}", has
    if len(node.args) > len(fields):
        yield f"`{made.__name__}` takes {len(fields)} fields, {len(node.args)} are given.", has
    taken = {*fields[: len(node.args)], *given, *made._field_defaults}
    left = [name for name in fields if name not in taken]
    if left:
        yield f"`{made.__name__}` is not given {', '.join(f'`{name}`' for name in left)}.", has


def _resolved(node: ast.AST, function: python_types.FunctionType) -> Any:
    """What a name, or a name in a module, stands for; None if it is something else."""
    if isinstance(node, ast.Name):
        closure = inspect.getclosurevars(function).nonlocals
        return closure.get(node.id, function.__globals__.get(node.id))
    if isinstance(node, ast.Attribute):
        owner = _resolved(node.value, function)
        return getattr(owner, node.attr, None) if isinstance(owner, python_types.ModuleType) else None
    return None


def _class_of(argument: str, function: python_types.FunctionType) -> str:
    """The class that an argument is annotated with."""
    hint = function.__annotations__.get(argument)
    return hint if isinstance(hint, str) else getattr(hint, "__name__", "TheClass")


# ---- what Numba said -------------------------------------------------------------------------------------------------


def _refused(error: BaseException, functions: list[Any]) -> list[Finding]:
    """What the strict passes refused, in the method or in a helper whose refusal Numba wraps in words of its own."""
    if isinstance(error, Refused):
        return [Finding(error.file, error.line, error.what, error.advice)]
    lines = [line.strip() for line in str(error).splitlines()]
    for i, line in enumerate(lines):
        if line.startswith("Refused: "):
            place = _location("\n".join(lines[i:]), functions)
            return [Finding(*place, *lines[i + 1 : i + 3])] if place else []
    return []


def _told(error: BaseException, functions: list[Any]) -> list[Finding]:
    """What some of Numba's texts mean."""
    text = str(error)
    if isinstance(error, AttributeError) and "'args'" in text:
        # how Numba trips over `a += b` where `a` is read-only
        return [finding for function in functions for finding in _assignments_in_place(function)]
    place = _location(text, functions) or ("", 0)
    unknown = re.search(r"Unknown attribute '(\w+)' of type (\w+)\(", text)
    if unknown and unknown[1] == "_replace":
        return [Finding(*place, "`_replace` does not compile.", f"Make a new one instead: `{unknown[2]}(...)`.")]
    if unknown:
        fields = _fields_of(unknown[2], functions)
        what = f"`{unknown[2]}` has no field `{unknown[1]}`.{did_you_mean(unknown[1], fields)}"
        return [Finding(*place, what, f"It has: {', '.join(fields)}." if fields else "Check the name.")]
    if "setitem(readonly" in text or "Cannot modify readonly array" in text:
        return [Finding(*place, "It writes into an input or a parameter.", OWN_COPY)]
    mixed = re.search(r"Cannot unify (.+) and (.+) for '([\w$]+)[.\d]*'", text)
    if mixed and "$" not in mixed[3]:
        what = f"`{mixed[3]}` is {mixed[1]} on one path and {mixed[2]} on another."
        return [Finding(*place, what, "Let it be of one kind on every path.")]
    return []


def _assignments_in_place(function: python_types.FunctionType) -> Iterator[Finding]:
    tree, first = _parsed(function)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            what = f"It changes `{node.target.id}` in place, which may be an input or a parameter."
            yield Finding(function.__code__.co_filename, first + node.lineno - 1, what, OWN_COPY)


def _fields_of(name: str, functions: list[Any]) -> tuple[str, ...]:
    """The fields of the NamedTuple class `name`, as far as the functions know it."""
    for function in functions:
        for known in [*function.__annotations__.values(), *function.__globals__.values()]:
            if getattr(known, "__name__", None) == name and hasattr(known, "_fields"):
                return tuple(known._fields)
    return ()


def _location(text: str, functions: list[Any]) -> tuple[str, int] | None:
    """The first place that a text of Numba's names in the source of one of the functions: the innermost."""
    files = {Path(function.__code__.co_filename).name: function.__code__.co_filename for function in functions}
    for name, line in re.findall(r'File "([^"]+)", line (\d+)', text):
        if Path(name).name in files:
            return files[Path(name).name], int(line)
    return None


def _place(error: BaseException, functions: list[Any]) -> Iterator[str]:
    place = _location(str(error), functions)
    if place:
        yield f"  {Path(place[0]).name}, line {place[1]}: {linecache.getline(*place).strip()}"


def _gist(error: BaseException) -> str:
    """The lines of an error that say what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    idle = (
        "Failed in",
        "During",
        "There are",
        "- Of which",
        "-",
        "^",
        "raised from",
        "File ",
        "<source elided>",
        "def ",
    )
    telling = [line for line in lines if not line.startswith(idle)]
    return "\n         ".join(telling[:4] or [type(error).__name__])
