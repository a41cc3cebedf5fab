"""A target for Numba that ends where optimising would begin: code is text, and nobody can call it.

All of Numba's inner works that a draft depends on are here. They may differ in another version of Numba, so nothing but
`drafting` imports this module, and does without it where that fails.
"""

# mypy: disable-error-code="misc, no-untyped-call, no-untyped-def, untyped-decorator"

from collections.abc import Callable
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import llvmlite.binding as llvm
from numba.core import cgutils, codegen, compiler, cpu, dispatcher, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.decorators import jit
from numba.core.descriptors import TargetDescriptor
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import rtsys
from numba.core.target_extension import CPU, dispatcher_registry, jit_registry, target_override, target_registry
from numba.extending import overload
from numba.np.arrayobj import raise_with_shape_context

NAME = "cardan draft"


def text_and_name(function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> tuple[str, str]:
    """A module of LLVM with `function` and all that it calls, and the name of the function in it."""
    flags = compiler.Flags()
    _TARGET.options.parse_as_flags(flags, {"nopython": True, **options})
    flags.enable_pyobject = False
    flags.no_compile = True
    with global_compiler_lock, target_override(NAME):
        compiled = compiler.compile_extra(
            _TARGET.typing_context,
            _TARGET.target_context,
            function,
            args=signature.args,
            return_type=signature.return_type,
            flags=flags,
            locals={},
        )
        return _linked(compiled.library), compiled.fndesc.mangled_name


def signatures_in_drafts(jitted: Any) -> list[Any]:
    """For which types a jitted function was compiled in drafts."""
    drafted = _TARGET.typing_context.drafted(jitted)
    return [] if drafted is None else list(drafted.nopython_signatures)


class _Library(codegen.JITCodeLibrary):
    """Code as text, and the libraries with what it calls."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.texts: list[str] = []
        self.called: list[Any] = []

    def add_ir_module(self, ir_module: Any) -> None:
        self.texts.append(cgutils.normalize_ir_text(str(ir_module)))

    def add_llvm_module(self, ll_module: Any) -> None:
        self.texts.append(str(ll_module))

    def add_linking_library(self, library: Any) -> None:
        if library not in self.called:
            self.called.append(library)

    def finalize(self) -> None:
        self._finalized = True


def _linked(library: _Library) -> str:
    """The text of a library with all that it calls."""
    found, waiting = [], [library]
    while waiting:
        latest = waiting.pop()
        if latest not in found:
            found.append(latest)
            waiting.extend(other for other in latest.called if isinstance(other, _Library))
    modules = [llvm.parse_assembly(text) for drafted in found for text in drafted.texts]
    for module in modules:
        for function in module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "weak_odr"  # two libraries may bring the same function
    whole = modules[0]
    for module in modules[1:]:
        whole.link_in(module)
    # what counts references comes last: only what has been asked for is taken from it
    whole.link_in(rtsys.library._get_module_for_linking(), preserve=True)
    return str(whole)


class _Codegen(codegen.JITCPUCodegen):
    _library_class = _Library


class _Compiled:
    """Stands for a function that has no address; each is another."""


class _Context(cpu.CPUContext):
    """How code for the processor is written, less the ways in from Python."""

    def init(self) -> None:
        super().init()
        self._internal_codegen = _Codegen("cardan.draft")

    def load_additional_registries(self) -> None:
        rtsys.initialize(cpu_target.target_context)  # which has to be machine code
        super().load_additional_registries()

    def create_cpython_wrapper(self, *details: Any, **more: Any) -> None:
        pass

    def create_cfunc_wrapper(self, *details: Any, **more: Any) -> None:
        pass

    def get_executable(self, library: Any, fndesc: Any, env: Any) -> _Compiled:
        return _Compiled()


class _TypingContext(typing.Context):
    """Numba's types; a function that is jitted already is drafted like any other."""

    def __init__(self) -> None:
        super().__init__()
        self._drafted: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def resolve_value_type(self, val: Any) -> Any:
        if type(val) is CPUDispatcher:
            if val.targetoptions.get("parallel"):
                raise NotImplementedError("what runs in threads")
            if val not in self._drafted:
                self._drafted[val] = _Dispatcher(
                    val.py_func, val.locals, val.targetoptions, pipeline_class=val._compiler.pipeline_class
                )
            val = self._drafted[val]
        return super().resolve_value_type(val)

    def drafted(self, jitted: Any) -> Any:
        """What stands for a jitted function in drafts; None if no draft has called it."""
        return self._drafted.get(jitted)


class _Options(cpu.CPUTargetOptions):
    """One way to compile everything, so that two callers share what both call."""

    def finalize(self, flags: Any, options: Any) -> None:
        super().finalize(flags, options)
        flags.no_cpython_wrapper = True
        flags.no_cfunc_wrapper = True
        flags.release_gil = False


class _Target(TargetDescriptor):
    options = _Options

    @cached_property
    def typing_context(self) -> _TypingContext:
        return _TypingContext()

    @cached_property
    def target_context(self) -> _Context:
        return _Context(self.typing_context, NAME)


_TARGET = _Target(NAME)


class _Dispatcher(dispatcher.Dispatcher):
    targetdescr = _TARGET

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres


class _Processor(CPU):
    """The name of the target among Numba's."""


def _jit(*details: Any, **options: Any) -> Any:
    return jit(*details, _target=NAME, **options)  # type: ignore[call-overload]


target_registry[NAME] = _Processor
dispatcher_registry[_Processor] = _Dispatcher
jit_registry[_Processor] = _jit


@overload(raise_with_shape_context, target=NAME)
def _raise_for_shapes(src_shapes, index_shape):
    """Nobody sees the words, which would bring half of Numba's strings into every entry that assigns a slice."""

    def raise_it(src_shapes, index_shape):
        raise ValueError("an array does not fit into the slice that it is assigned to")

    return raise_it
