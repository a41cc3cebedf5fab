"""From LLVM's intermediate code to machine code, and machine code into this process."""

from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba.core.registry import cpu_target


@cache
def processor() -> str:
    """What machine code is made for: it runs on no other."""
    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {_features()}"


def optimise(module: Any) -> None:
    """All of LLVM's passes over `module`, in place. Nothing changes the result of an operation on numbers."""
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.slp_vectorization = True
    builder = llvm.create_pass_builder(_machine(), options)
    builder.getModulePassManager().run(module, builder)


def machine_code(module: Any) -> bytes | None:
    """An object file, which `load` takes in this or another process; None if it calls something unknown."""
    called = [f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")]
    if not all(llvm.address_of_symbol(name) for name in called):
        return None  # LLVM would end the process on finding that out
    code: bytes = _machine().emit_object(module)
    return code


def load(code: bytes, symbol: str) -> int:
    """The address of `symbol`, which no other object file defines; the code stays for the life of the process."""
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return int(engine.get_function_address(symbol))


@cache
def _machine() -> Any:
    cpu_target.target_context.refresh()  # Numba makes LLVM ready, and known to it the functions that code calls by name
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
