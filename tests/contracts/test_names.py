"""Names that say their frame and their unit: whatever a hint proposes is accepted."""

import keyword
import re
from typing import Annotated, Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan.contracts.message import message_declaration
from cardan.contracts.units import _NAMED, _SI
from cardan.errors import FrameNameError, UnitError

WORDS = ["bias", "rate", "B", "BN", "N", "deg", "per", "s", "h", "sqrt", "km", "MHz", "T", "x1", ""]

factors = st.builds(
    lambda symbol, power: symbol + power,
    st.sampled_from(sorted(_SI | _NAMED)),
    st.sampled_from(["", "", "", "^2", "^0.5", "^1.5", "^-1"]),
)
units = st.lists(factors, min_size=1, max_size=3).flatmap(
    lambda listed: st.sampled_from([" ".join(listed), "/".join(listed), "1/" + "/".join(listed)])
)
names = st.builds(
    lambda first, rest: "_".join([first, *rest]), st.sampled_from(["bias", "q", "B"]), st.lists(st.sampled_from(WORDS))
)


def message_with(name: str, hint: Any) -> Any:
    return cd.message(NamedTuple("Signal", [(name, hint)]))  # type: ignore[misc]


@given(name=names, unit=units, kind=st.sampled_from([float, cd.Vec, cd.Vec3, cd.Mat3]))
def test_the_names_that_hints_propose_are_accepted(name, unit, kind):
    hint = Annotated[kind, unit]
    try:
        message_with(name, hint)
    except (UnitError, FrameNameError) as error:
        proposed = re.findall(r"`(\w+)`", str(error).splitlines()[1])
        assert proposed
        for better in proposed:
            assert not keyword.iskeyword(better)
            declared = message_declaration(message_with(better, hint)).fields[0]
            assert declared.unit == unit
            assert bool(declared.frame) or kind in (float, cd.Vec)
