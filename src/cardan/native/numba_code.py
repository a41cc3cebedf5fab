"""What Numba has compiled to the end, as bytes to keep and to load again.

Numba's own files are pickles, which do whatever they say when they are read. Here only its machine code is kept, with
LLVM's code beside it that it is linked by, the names of its functions, and the constants that it looks up at run time,
such as texts to print. All else is made anew in the process that loads it.
"""

import json
from typing import Any, NamedTuple

from numba import _dynfunc
from numba.core.environment import lookup_environment
from numba.core.registry import cpu_target

_ENVIRONMENT = "_ZN08NumbaEnv"  # how names of the variables begin through which code finds its constants
_THREADS = b"numba_parallel_for"
_PLAIN = (str, int, float, bool, type(None))


class NumbaCode(NamedTuple):
    """Code that has been loaded.

    Attributes:
        address: Where its function begins.
        library: Numba's; the code stays as long as it does.
        environment: What the function looks up its constants in; None where it has none of its own.
    """

    address: int
    library: Any
    environment: Any


def kept(library: Any, function: str, environment: str = "") -> bytes | None:
    """What `loaded` takes, in this or another process; None if it would not do there.

    Args:
        library: Numba's, finished.
        function: The name in it of the function to be called.
        environment: The name of the variable for its own constants, where it needs one.
    """
    if library.has_dynamic_globals:  # addresses of this process
        return None
    found = {variable.name: lookup_environment(variable.name) for variable in library._final_module.global_variables}
    constants = {
        name: list(known.consts) for name, known in found.items() if name.startswith(_ENVIRONMENT) and known is not None
    }
    if not all(isinstance(constant, _PLAIN) for each in constants.values() for constant in each):
        return None
    code: bytes
    shared: bytes
    name, _, (code, shared) = library.serialize_using_object_code()
    head = {"library": name, "function": function, "own": environment, "constants": constants, "size": len(code)}
    return json.dumps(head).encode() + b"\n" + code + shared


def loaded(content: bytes) -> NumbaCode:
    """The code that `kept` has written; the file must have proved to be whole before."""
    head, _, rest = content.partition(b"\n")
    about = json.loads(head)
    if _THREADS in rest:
        from numba.np.ufunc.parallel import _launch_threads

        _launch_threads()
    codegen = cpu_target.target_context.codegen()
    cpu_target.target_context.refresh()  # names to LLVM what Numba brings along
    parts = rest[: about["size"]], rest[about["size"] :]
    library = codegen.unserialize_library((about["library"], "object", parts))
    own = None
    for name, constants in about["constants"].items():
        environment = _dynfunc.Environment({})
        environment.consts.extend(constants)
        codegen.set_env(name, environment)
        _environments.append(environment)
        own = environment if name == about["own"] else own
    return NumbaCode(int(library.get_pointer_to_function(about["function"])), library, own)


_environments: list[Any] = []  # which code knows by their addresses alone
