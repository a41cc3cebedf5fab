import time

import pytest

from cardan.native.compilation import compile_all
from cardan.native.entry import kernel_compilation
from cardan.native.fingerprint import fingerprint
from cardan.native.linking import linked
from cardan.native.python_entry import CALLBACK
from cardan.native.shapes import only_shapes


def kernel(t, context):
    return context


def other_kernel(t, context):
    return context + 1


def caller_of(called, label="test.linking"):
    """A function that calls a kernel, which is linked anew as in another process."""
    namespace = {"run": linked(label, called)}
    exec("def caller(t, context):\n    return run(context)", namespace)
    return namespace["caller"]


def test_callers_of_a_linked_kernel_have_a_key_that_lasts():
    """Otherwise they would be compiled again in every process."""
    assert fingerprint(caller_of(kernel)) == fingerprint(caller_of(kernel))
    assert fingerprint(caller_of(kernel)) != fingerprint(caller_of(other_kernel))


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_kernel_that_is_called_by_name_is_compiled_beside_its_caller(jobs, monkeypatch):
    monkeypatch.setenv("CARDAN_COMPILE_JOBS", jobs)
    number = time.time_ns()  # that no earlier test has compiled

    def innermost(t, context):
        return context + number

    inner = caller_of(innermost, "test.innermost")
    compilation = kernel_compilation("test.caller", caller_of(inner, "test.inner"))
    assert [each.label for each in compilation.needs()] == ["test.innermost", "test.inner"]
    totals = []
    compile_all([compilation], lambda done, total, labels: totals.append(total))
    assert set(totals) == {3}
    assert CALLBACK(compilation.compile())(0.0, 5) == 5 + number


def test_a_kernel_is_not_run_for_the_shapes_of_results():
    run = linked("test.shapes", kernel)
    with only_shapes():
        assert run(5) == 0
    assert run(5) == 5
