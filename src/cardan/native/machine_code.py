"""From LLVM's intermediate code to machine code, and machine code into this process."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

# each is given names that are unknown to this process, and tells LLVM the addresses of those that it knows
finders: list[Callable[[list[str]], None]] = []

# operations that become calls of a compiler's own library, whose functions have no names in this process
_HELPED = re.compile(r"@llvm\.powi|(?:div|rem|itofp|fpto[us]i) .*\bi128\b|\bhalf\b|\bfp128\b")


@cache
def processor() -> str:
    """What machine code is made for: it runs on no other."""
    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {_features()}"


def optimise(module: Any, *, joins: bool = True, widens: bool = True) -> None:
    """All of LLVM's passes over `module`, in place. Nothing changes the result of an operation on numbers.

    Args:
        module: The module.
        joins: Whether operations on neighbours may become one. That is for the last time: an array that is written pair
            by pair and read in other pairs never ends up in registers.
        widens: Whether loops may take several turns at once.
    """
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = widens
    options.slp_vectorization = joins
    builder = llvm.create_pass_builder(_machine(), options)
    passes = builder.getModulePassManager()
    passes.add_refprune_pass()  # counts of references that cancel each other
    passes.run(module, builder)


def machine_code(module: Any) -> bytes | None:
    """What `load` takes, in this or another process; None if the module refers to something unknown.

    A line with the names that it refers to comes before the object file.
    """
    if _HELPED.search(str(module)):
        return None
    outside = [thing.name for thing in (*module.functions, *module.global_variables) if thing.is_declaration]
    names = " ".join(name for name in outside if not name.startswith("llvm.")).encode()
    code: bytes = _machine().emit_object(module)
    return None if _unknown(names) else names + b"\n" + code


def load(code: bytes, symbol: str) -> int:
    """The address of `symbol`, which no other code defines; the code stays for the life of the process."""
    names, _, object_file = code.partition(b"\n")
    engine = _engine()
    if _unknown(names):
        cpu_target.target_context.refresh()  # it names to LLVM the rarer of the functions that Numba brings along
    for find in finders:
        find(_unknown(names))
    if _unknown(names):
        # LLVM would end the process on finding that out
        raise RuntimeError(f"unknown to this process: {', '.join(_unknown(names))}")
    engine.add_object_file(llvm.ObjectFileRef.from_data(object_file))
    engine.finalize_object()
    return int(engine.get_function_address(symbol))


def _unknown(names: bytes) -> list[str]:
    return [name for name in names.decode().split() if not llvm.address_of_symbol(name)]


@cache
def _machine() -> Any:
    rtsys.initialize(cpu_target.target_context)  # makes LLVM ready, and names to it most of what Numba brings along
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=_features(),
        opt=3,
        reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )


@cache
def _engine() -> Any:
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())


def _features() -> str:
    try:
        return str(llvm.get_host_cpu_features().flatten())
    except RuntimeError:  # LLVM cannot tell on this platform
        return ""
