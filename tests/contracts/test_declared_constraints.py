"""Shipped parts and messages say what their values must be."""

import inspect
import re

import pytest

from cardan import fsw, messages, models, robotics
from cardan.contracts.constraints import AnyInertia, Inertia, NotZero, PositiveDefinite, Rotation, Unit
from cardan.contracts.message import is_message, message_declaration
from cardan.contracts.part import contract_of

# what physics does not allow to be any number: masses, inertias, durations, flows, gravitational parameters
PHYSICAL = {"kg", "kg m^2", "kg/s", "s", "m^3/s^2"}
# limits, spreads and times that only make sense with one sign
SIGNED = re.compile(r"^(max|largest)_|_(noise|limit|tolerance|time|time_constant)$")

# instants: any time is possible, also before the run begins
INSTANTS = {
    "AxisTurn.begin",
    "CaptureSequencer.begin",
    "LatchSequencer.begin",
    "ProfiledRotation.start_time",
    "ProfiledTranslation.start_time",
    "TipLine.begin",
    # times since an epoch
    "EarthOrientation.start",
    "GriddedAtmosphere.utc_at_start",
    "MsisArcs.utc_at_start",
}


def parts() -> list[type]:
    return [
        value
        for package in (models, fsw, robotics)
        for value in vars(package).values()
        if inspect.isclass(value) and hasattr(value, "__cardan_part__")
    ]


def fields_of_parts():
    for cls in parts():
        contract = contract_of(cls)
        for field in contract.parameters.fields:
            yield f"{cls.__name__}.{field.name}", field
        for field in contract.state.fields if contract.state else ():
            yield f"{contract.state.type.__name__}.{field.name}", field


def fields_of_messages():
    for value in vars(messages).values():
        if is_message(value):
            for field in message_declaration(value).fields:
                yield f"{value.__name__}.{field.name}", field


PARAMETERS = {f"{cls.__name__}.{field.name}": field for cls in parts() for field in contract_of(cls).parameters.fields}
ALL = dict(fields_of_parts()) | dict(fields_of_messages())


@pytest.mark.parametrize("path", [p for p, f in PARAMETERS.items() if f.unit in PHYSICAL or SIGNED.search(f.name)])
def test_a_parameter_that_cannot_be_any_number_says_so(path):
    assert PARAMETERS[path].constraints or path in INSTANTS


def test_the_instants_are_parameters():
    assert set(PARAMETERS) >= INSTANTS


@pytest.mark.parametrize("path", [path for path, f in ALL.items() if f.name.startswith("dcm_")])
def test_a_matrix_that_turns_is_a_rotation(path):
    assert Rotation in ALL[path].constraints


@pytest.mark.parametrize("path", [path for path, f in ALL.items() if f.name.startswith("q_")])
def test_a_quaternion_is_of_unit_length(path):
    assert Unit in ALL[path].constraints


@pytest.mark.parametrize(
    "path", [p for p, f in PARAMETERS.items() if f.name.startswith(("axis_", "axes_")) and f.frame]
)
def test_an_axis_is_a_direction(path):
    assert {Unit, NotZero} & set(PARAMETERS[path].constraints)


@pytest.mark.parametrize("path", [p for p, f in PARAMETERS.items() if re.match("inertia_.*B$", f.name)])
def test_an_inertia_tensor_is_one(path):
    assert {Inertia, AnyInertia, PositiveDefinite} & set(PARAMETERS[path].constraints)
