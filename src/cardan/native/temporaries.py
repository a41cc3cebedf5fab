"""Temporary arrays of an entry: on its stack, not on the heap.

`a + b` of two vectors is a new array. Numba takes its memory from the heap, counts the references to it with atomic
operations and gives it back, which costs far more than the additions. But nothing that an entry allocates outlives its
call: what it returns is copied into the arena. So whatever the entry calls becomes part of it, and then

- an array of a known small size that is not allocated in a loop has a place of its own in the entry's frame, up to a
  limit for all of them. LLVM sees through that, and most such arrays end up in registers;
- any other array takes a piece of one room in the frame, and comes from the heap once that is used up.

Both carry so many references that their count never comes to zero: the frame takes them back. Functions that do not
become part of the entry (they are recursive, or too large for the number of their callers) allocate as before.

An allocation is one line in LLVM's text, and so is a count of references; that text is what is rewritten here. A line
that is not recognised stays as it was, which is slower and as right.
"""

import logging
import re
from collections import Counter
from collections.abc import Iterator

import llvmlite.binding as llvm

from cardan.native.machine_code import optimise

logger = logging.getLogger("cardan")

OWN_PLACE = 512  # [bytes] the largest array with a place of its own
OWN_PLACES = 65_536  # [bytes] all of them, so that the stack of a thread has room for them
ROOM = 8192  # [bytes] shared by all the others
FEW = 8  # turns of a loop that LLVM may unroll altogether
LARGEST_COPIES = 10_000  # lines that the copies of one function may add to an entry

# Numba's record of an array's memory (references, destructor and its argument, address of the numbers, their size)
ADDRESS = 24  # [bytes] where in it the address stands
RECORD = 64  # [bytes] before the numbers, which so begin with a cache line
MANY = 1 << 40  # references

# Numba's functions return a code, 0 for success, and write their value and their exception where they are told
_ENTRY = """
define i64 @{symbol}(double %t, i64 %context) {{
  %value_at = alloca i64
  %exception_at = alloca ptr
  store ptr null, ptr %exception_at
  %code = call i32 @"{function}"(ptr %value_at, ptr %exception_at, double %t, i64 %context)
  %is_done = icmp eq i32 %code, 0
  %value = load i64, ptr %value_at
  %status = select i1 %is_done, i64 %value, i64 {raised}
  ret i64 %status
}}
"""

# what counts references in place of Numba's functions, without atomic operations: an entry runs in one thread
_RUNTIME = f"""
define internal void @NRT_incref(ptr %array) alwaysinline {{
  %is_null = icmp eq ptr %array, null
  br i1 %is_null, label %done, label %count
count:
  %before = load i64, ptr %array
  %after = add i64 %before, 1
  store i64 %after, ptr %array
  br label %done
done:
  ret void
}}

define internal void @NRT_decref(ptr %array) alwaysinline {{
  %is_null = icmp eq ptr %array, null
  br i1 %is_null, label %done, label %count
count:
  %before = load i64, ptr %array
  %after = sub i64 %before, 1
  store i64 %after, ptr %array
  %is_last = icmp eq i64 %after, 0
  br i1 %is_last, label %free, label %done
free:
  call void @NRT_MemInfo_call_dtor(ptr %array)
  br label %done
done:
  ret void
}}

define internal ptr @cardan_take(i64 %size, ptr %room, ptr %used) alwaysinline {{
  %is_small = icmp ult i64 %size, {ROOM}
  br i1 %is_small, label %look, label %heap
look:
  %begin = load i64, ptr %used
  %longer = add i64 %size, {RECORD + 31}
  %whole = and i64 %longer, -32
  %end = add i64 %begin, %whole
  %fits = icmp ule i64 %end, {ROOM}
  br i1 %fits, label %take, label %heap
take:
  store i64 %end, ptr %used
  %array = getelementptr i8, ptr %room, i64 %begin
  store i64 {MANY}, ptr %array
  %address = getelementptr i8, ptr %array, i64 {ADDRESS}
  %numbers = getelementptr i8, ptr %array, i64 {RECORD}
  store ptr %numbers, ptr %address
  ret ptr %array
heap:
  %other = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 32)
  ret ptr %other
}}
"""
_DECLARED = {
    "NRT_MemInfo_call_dtor": "declare void @NRT_MemInfo_call_dtor(ptr)",
    "NRT_MemInfo_alloc_aligned": "declare ptr @NRT_MemInfo_alloc_aligned(i64, i32)",
    "llvm.memset.p0.i64": "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
}

_NAME = r'(?:"[^"]*"|[-\w$.]+)'
_LABEL = re.compile(rf"({_NAME}):")
_TARGET = re.compile(rf"label %({_NAME})")
_TAIL_CALL = re.compile(rf"^(\s+(?:%{_NAME} = )?)tail call ")
_SAID = r"(?:[a-z]+(?:\([^()]*\))? )*"  # what LLVM has found out about an argument: `nonnull`, `range(i64 0, 9)`
_COUNT = re.compile(rf"\s+(?:tail )?call void @NRT_(?:incref|decref)\(ptr {_SAID}(%{_NAME})\)")
_TURNS = re.compile(rf"\s+(%{_NAME}) = icmp eq i64 %{_NAME}, (\d+)$")
_BACK = re.compile(rf"(\s+br i1 (%{_NAME}), .*), !llvm\.loop !\d+$")
_CHOICE = re.compile(rf"\s+(%{_NAME}) = phi ptr (.*)")
_CHOSEN = re.compile(rf"\[ (.+?), %{_NAME} \]")
_ALLOCATION = re.compile(
    rf"\s+(%{_NAME}) = (?:tail )?call [^@]*@NRT_MemInfo_alloc_aligned\(i64 {_SAID}(%{_NAME}|\d+), i32 {_SAID}\d+\)"
)
_ENVIRONMENT = "_ZN08NumbaEnv"  # how names of the variables begin through which code finds Python's objects
_ADDRESS = "numba.dynamic.globals"  # how names of the variables begin that hold addresses of this process
_THREADS = "@numba_parallel_for("
_EXCEPTION = "__excinfo_unwrap_args"  # functions that make exceptions of what was raised; nobody here asks for them


def with_arrays_on_the_stack(
    text: str, function: str, symbol: str, raised: int, *, inlines: bool = True, widens: bool = True
) -> llvm.ModuleRef | None:
    """A module, optimised, with the entry `symbol`: a function of Numba's that leaves little on the heap.

    None where Numba's own code has to do: it needs Python's objects at run time (it prints, say) or other addresses of
    this process, which cannot be kept on disk this way; it runs in several threads, which have to count references
    together; or it is not understood.

    Args:
        text: What Numba made: its module as text.
        function: The name in it of the function `f(t, context) -> status`.
        symbol: What the entry is called; nothing else of the module can be seen from outside.
        raised: The status when the function raises.
        inlines: Whether all that it calls becomes part of it.
        widens: Whether its loops may take several turns at once.
    """
    if _THREADS in text:
        return None
    try:
        module = llvm.parse_assembly(text + _ENTRY.format(symbol=symbol, function=function, raised=raised))
        _hide(module, symbol)
        # from the innermost functions outwards: what is inlined below is as short as it can be
        optimise(module, joins=False, widens=widens)
        if inlines:
            _inline_all(module, symbol)
            optimise(module, joins=False, widens=widens)
        if any(_ENVIRONMENT in str(inner) for inner in module.functions if not inner.name.startswith(_EXCEPTION)):
            return None
        if any(variable.name.startswith(_ADDRESS) for variable in module.global_variables):
            return None
        rewritten = llvm.parse_assembly("\n".join(_rewritten(str(module), symbol)))
        rewritten.verify()
    except RuntimeError as error:  # Numba or LLVM writes in a way that is not known here
        logger.warning("temporary arrays of %s stay on the heap: %s", function, error)
        return None
    for variable in rewritten.global_variables:
        if variable.name.startswith(_ENVIRONMENT):
            variable.linkage = "internal"
    optimise(rewritten, widens=widens)
    return rewritten


def _hide(module: llvm.ModuleRef, symbol: str) -> None:
    """Let nobody outside see anything but the entry, so that LLVM may change or drop all the rest."""
    for variable in module.global_variables:
        # Numba fills in environments when it loads code, and addresses hold in this process alone: no constants
        if not variable.is_declaration and not variable.name.startswith((_ENVIRONMENT, _ADDRESS)):
            variable.linkage = "internal"
    for function in _inner_functions(module, symbol):
        function.linkage = "internal"


def _inline_all(module: llvm.ModuleRef, symbol: str) -> None:
    """Make every function part of those that call it."""
    bodies = {function.name: str(function) for function in module.functions if not function.is_declaration}
    chosen = _to_inline(bodies)
    for function in _inner_functions(module, symbol):
        if function.name in chosen:
            function.add_function_attribute("alwaysinline")


def _inner_functions(module: llvm.ModuleRef, symbol: str) -> list[llvm.ValueRef]:
    """All functions but the entry and those that are to stay apart, which keep the way in which they are called."""
    return [
        function
        for function in module.functions
        if not (function.is_declaration or function.name == symbol)
        and not any(b"noinline" in attribute for attribute in function.attributes)
    ]


def _to_inline(bodies: dict[str, str]) -> set[str]:
    """The functions that may be part of all that call them: not recursive, their copies not too long altogether."""
    called = re.compile(r'@(?:"([^"]*)"|([-\w$.]+))\(')
    calls = {name: [a or b for a, b in called.findall(body.partition("{\n")[2])] for name, body in bodies.items()}
    callers = Counter(callee for found in calls.values() for callee in found)
    lengths: dict[str, int] = {}  # with all that is inlined; 0 while a function is being looked at
    chosen: set[str] = set()

    def length(name: str) -> int:
        if name not in lengths:
            lengths[name] = 0
            own = bodies[name].count("\n")
            inner = [callee for callee in calls[name] if callee in bodies]
            is_recursive = any(length(callee) == 0 for callee in inner)
            lengths[name] = own + sum(lengths[callee] for callee in inner if callee in chosen)
            if not is_recursive and lengths[name] * (callers[name] - 1) <= LARGEST_COPIES:
                chosen.add(name)
        return lengths[name]

    for name in bodies:
        length(name)
    return chosen


def _rewritten(text: str, symbol: str) -> Iterator[str]:
    """The lines of `text` with our own counting of references, and the allocations of one function on the stack."""
    lines = iter(text.split("\n"))
    for line in lines:
        if not line.startswith("define "):
            yield line
            continue
        body = []
        for inner in lines:
            if inner == "}":
                break
            body.append(inner)
        if "@NRT_incref(" not in line and "@NRT_decref(" not in line:
            body = _with_short_loops(body)
            yield line
            yield from _on_the_stack(body) if f"@{symbol}(" in line else body
            yield "}"
    yield _RUNTIME
    for name, declaration in _DECLARED.items():
        if not re.search(rf"^declare .*@{re.escape(name)}\(", text, re.MULTILINE):
            yield declaration


def _with_short_loops(body: list[str]) -> list[str]:
    """The body of a function without the mark "do not unroll" on loops that turn a few times.

    LLVM puts it on what is left of a loop that it has unrolled. It did so where it could not know how many numbers an
    array has; with three of them nothing but that rest is left.
    """
    turns = {found.group(1): int(found.group(2)) for found in map(_TURNS.match, body) if found}
    back = [_BACK.match(line) for line in body]
    return [
        found.group(1) if found and turns.get(found.group(2), FEW + 1) <= FEW else line
        for line, found in zip(body, back, strict=True)
    ]


def _on_the_stack(body: list[str]) -> list[str]:
    """The body of a function with its allocations on the stack."""
    follows = _graph(body)
    frame: list[str] = []
    lines: list[str] = []
    own: set[str] = set()
    left = OWN_PLACES
    label = ""
    for line in body:
        block = _LABEL.match(line)
        label = block.group(1) if block else label
        allocation = _ALLOCATION.match(line)
        if not allocation:
            lines.append(_TAIL_CALL.sub(r"\1call ", line))  # a call that is given some of the frame is no tail call
            continue
        array, size = allocation.groups()
        is_small = size.isdigit() and int(size) <= OWN_PLACE and RECORD + int(size) <= left
        if not is_small or label in _reached(label, follows):
            lines.append(f"  {array} = call ptr @cardan_take(i64 {size}, ptr %cardan.room, ptr %cardan.used)")
            continue
        # the record apart from the numbers: a place that holds its own address never ends up in registers
        record, address, numbers = (f"%cardan.{name}.{len(own)}" for name in ("record", "address", "numbers"))
        frame.append(f"  {record} = alloca [{RECORD} x i8], align 64")
        frame.append(f"  {numbers} = alloca [{size} x i8], align 64")
        lines += [
            f"  {array} = getelementptr i8, ptr {record}, i64 0",
            f"  store i64 {MANY}, ptr {array}",
            f"  {address} = getelementptr i8, ptr {array}, i64 {ADDRESS}",
            f"  store ptr {numbers}, ptr {address}",
            f"  call void @llvm.memset.p0.i64(ptr {numbers}, i8 0, i64 {size}, i1 false)",
        ]
        own.add(array)
        left -= RECORD + int(size)

    # to count references to an array in the frame would only hide from LLVM that nobody needs its record
    uncounted = _in_the_frame(lines, own)
    counts = [_COUNT.match(line) for line in lines]
    lines = [line for line, count in zip(lines, counts, strict=True) if not (count and count.group(1) in uncounted)]
    if any("@cardan_take(" in line for line in lines):
        frame += [
            f"  %cardan.room = alloca [{ROOM} x i8], align 64",
            "  %cardan.used = alloca i64",
            "  store i64 0, ptr %cardan.used",
            # LLVM is not to conclude anything from reading what nobody has written (np.empty)
            '  call void asm sideeffect "", "r,~{memory}"(ptr %cardan.room)',
        ]
    first = 1 if _LABEL.match(lines[0]) else 0
    return lines[:first] + frame + lines[first:]


def _in_the_frame(lines: list[str], own: set[str]) -> set[str]:
    """The names of pointers to arrays of the frame: those of `own`, and what can only be one of these or null."""
    found = [choice.groups() for choice in map(_CHOICE.match, lines) if choice]
    choices = {name: {*_CHOSEN.findall(values)} - {"null"} for name, values in found}
    known = own | choices.keys()
    while left_out := {name for name, values in choices.items() if name in known and not values <= known}:
        known -= left_out
    return known


def _graph(body: list[str]) -> dict[str, set[str]]:
    """The blocks of a function by their labels, each with those that may run after it."""
    label, follows = "", {"": set[str]()}
    for line in body:
        block = _LABEL.match(line)
        if block:
            label = block.group(1)
            follows[label] = set()
        follows[label].update(_TARGET.findall(line))
    return follows


def _reached(label: str, follows: dict[str, set[str]]) -> set[str]:
    """All blocks that may run after a block; itself among them if it is in a loop."""
    seen: set[str] = set()
    waiting = [*follows[label]]
    while waiting:
        found = waiting.pop()
        if found not in seen:
            seen.add(found)
            waiting.extend(follows[found])
    return seen
