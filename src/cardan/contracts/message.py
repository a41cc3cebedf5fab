"""`@message`: what crosses between parts."""

from typing import Any, TypeVar

from cardan.contracts.definitions import note_definition
from cardan.contracts.fields import Declaration, declaration
from cardan.errors import DeclarationError

T = TypeVar("T")

# in the signatures of a part: whatever message it passes on, the same class throughout
AnyMessage = TypeVar("AnyMessage")

_DECLARATION = "__cardan_message__"


def message(cls: type[T]) -> type[T]:
    """Declare a NamedTuple as a message: every field has a unit, every vector names its frame.

    ```python
    @message
    class BodyTorque(NamedTuple):
        torque_B: Annotated[Vec3, "N m"]
    ```
    """
    declared = declaration(cls, needs_frames=True)
    if not declared.fields:
        raise DeclarationError(f"`{cls.__name__}` has no fields, so it says nothing.\n  Give the message a field.")
    setattr(cls, _DECLARATION, declared)
    note_definition(cls)
    return cls


def is_message(cls: Any) -> bool:
    return isinstance(cls, type) and _DECLARATION in vars(cls)


def message_declaration(cls: Any) -> Declaration:
    """The fields of a message class."""
    declared: Declaration = getattr(cls, _DECLARATION)
    return declared
