"""Functions of one vector on stacks: to the bit what they give row by row."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan.maths.gimbals
import cardan.maths.rotations
import cardan.maths.vectors
from cardan import maths
from cardan.errors import ShapeError

MODULES = (cardan.maths.vectors, cardan.maths.rotations, cardan.maths.gimbals)
FUNCTIONS = [
    function
    for module in MODULES
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
]
STACKED = [function for function in FUNCTIONS if hasattr(function, "kernel")]
AXES = {"pointing": 3, "first": 1, "second": 2}


def sizes(function) -> dict[str, tuple[int, ...]]:
    """The shape of one argument each, as its annotation has it."""
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        declared = getattr(parameter.annotation, "__metadata__", None)
        found[name] = declared[0].shape if declared else ()
    return found


def drawn(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray | int:
    if name in AXES:
        return AXES[name]
    if name == "dcm_BN":
        return maths.dcm_from_quaternion(maths.normalized_quaternion(rng.normal(size=(*shape[:-2], 4))))
    return rng.normal(size=shape)


def rows(result, index):
    return [part[index] for part in result] if isinstance(result, tuple) else [result[index]]


def parts(result):
    return list(result) if isinstance(result, tuple) else [result]


def same(a, b) -> bool:
    return all(np.asarray(x).tobytes() == np.asarray(y).tobytes() for x, y in zip(a, b, strict=True))


def test_every_function_on_vectors_takes_stacks():
    assert {function.__name__ for function in FUNCTIONS} - {f.__name__ for f in STACKED} == {"clip"}  # of any shape


@pytest.mark.parametrize("function", STACKED, ids=lambda function: function.__name__)
@given(seed=st.integers(0, 2**32), stack=st.sampled_from([(5,), (1,), (2, 3), (0,)]))
def test_a_stack_gives_what_its_rows_give_to_the_bit(function, seed, stack):
    rng = np.random.default_rng(seed)
    values = {name: drawn(rng, name, (*stack, *shape)) for name, shape in sizes(function).items()}
    whole = function(**values)
    for index in np.ndindex(stack):
        one = {name: value if name in AXES else value[index] for name, value in values.items()}
        assert same(rows(whole, index), parts(function(**one)))


@pytest.mark.parametrize("function", STACKED, ids=lambda function: function.__name__)
def test_one_argument_serves_a_stack_of_another(function):
    rng = np.random.default_rng(0)
    shapes = sizes(function)
    for stacked in (name for name in shapes if name not in AXES):
        values = {name: drawn(rng, name, (4, *s) if name == stacked else s) for name, s in shapes.items()}
        whole = function(**values)
        for i in range(4):
            one = {name: value[i] if name == stacked else value for name, value in values.items()}
            assert same(rows(whole, i), parts(function(**one)))


@pytest.mark.parametrize("function", STACKED, ids=lambda function: function.__name__)
def test_one_vector_goes_to_the_kernel_as_it_is(function):
    rng = np.random.default_rng(1)
    values = {name: drawn(rng, name, shape) for name, shape in sizes(function).items()}
    assert same(parts(function(**values)), parts(function.kernel(**values)))
    assert same(parts(function(*values.values())), parts(function(**values)))


@pytest.mark.parametrize("function", STACKED, ids=lambda function: function.__name__)
def test_a_function_says_which_stacks_it_takes(function):
    assert "On stacks: (..." in inspect.getdoc(function)


def test_lists_are_taken():
    assert maths.norm([3.0, 0.0, 4.0]) == 5.0
    assert np.array_equal(maths.cross([[1.0, 0.0, 0.0]] * 2, [0.0, 1.0, 0.0]), [[0.0, 0.0, 1.0]] * 2)


def test_another_shape_is_refused():
    with pytest.raises(ShapeError) as caught:
        maths.quaternion_from_mrp(np.zeros((3, 100)))
    assert str(caught.value) == (
        "`quaternion_from_mrp`: `sigma_BN` has shape (3, 100).\n  expected (3,), or a stack (..., 3)"
    )
    with pytest.raises(ShapeError, match=r"`matvec`: `m` has shape \(3,\)\.\n  expected \(3, 3\), or a stack"):
        maths.matvec(np.zeros(3), np.zeros(3))
    with pytest.raises(ShapeError, match=r"`quaternion_rate`: `omega_BN_B` has shape \(4,\)"):
        maths.quaternion_rate(np.zeros(4), np.zeros(4))
    with pytest.raises(ShapeError, match=r"`norm`: `a` has shape \(\)"):
        maths.norm(1.0)


def test_stacks_that_do_not_go_together_are_refused():
    with pytest.raises(ShapeError) as caught:
        maths.cross(np.zeros((4, 3)), np.zeros((5, 3)))
    assert str(caught.value) == (
        "`cross`: its arguments are stacks of different shapes.\n"
        "  got `a` (4, 3), `b` (5, 3)\n"
        "  Give stacks of one shape, or one value for all."
    )


def test_a_missing_argument_is_a_type_error():
    with pytest.raises(TypeError, match="missing a required argument: 'b'"):
        maths.cross(np.zeros(3))
