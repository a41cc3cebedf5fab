"""Where classes were defined, and whether one was defined again: in notebooks, two classes may have one name."""

import sys
from typing import Any

from cardan.errors import DEFINED_AT, DefinedAgain, is_defined_again


def note_definition(cls: Any) -> None:
    """Remember where the class was defined that is being decorated."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("cardan.contracts"):
        frame = frame.f_back
    setattr(cls, DEFINED_AT, f"{_file_or_cell(frame.f_code.co_filename)}, line {frame.f_lineno}")


def check_current(contract: Any, path: str) -> None:
    """Raise if the class of a part, or a class that its methods speak of, was defined again since."""
    cls = contract.type
    newer = vars(sys.modules.get(cls.__module__, sys)).get(cls.__qualname__)
    if is_defined_again(cls, newer):
        raise DefinedAgain(
            f"`{path}` was made before {cls.__name__} was defined again, and would run the old code.\n"
            f"  Make it again: `{cls.__name__}(...)`."
        )
    used = [contract.state.type] if contract.state is not None else []
    used += [port.message for port in contract.inputs.values()] + [*contract.outputs.values(), contract.packed_outputs]
    for method in contract.methods.values():
        for known in used:
            if is_defined_again(known, method.function.__globals__.get(getattr(known, "__name__", ""))):
                raise DefinedAgain(
                    f"`{path}` ({cls.__name__}) still speaks of a {known.__name__} that was defined again since.\n"
                    f"  Define {cls.__name__} again too, and make the part again: `{cls.__name__}(...)`."
                )


def _file_or_cell(filename: str) -> str:
    """The name of a file, or of a notebook's cell as the notebook shows it: `Cell In[3]`."""
    notebook = sys.modules.get("IPython")
    shell = notebook.get_ipython() if notebook is not None else None
    cell = shell.compile.format_code_name(filename) if shell is not None else None
    return " ".join(cell) if cell else filename
