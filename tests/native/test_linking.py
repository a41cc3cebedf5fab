from cardan.native.fingerprint import fingerprint
from cardan.native.linking import linked


def kernel(t, context):
    return context


def other_kernel(t, context):
    return context + 1


def key_of_a_caller(called):
    """The key of a function that calls a kernel, which is linked anew as in another process."""
    namespace = {"run": linked("test.linking", called)}
    exec("def caller(context):\n    return run(context)", namespace)
    return fingerprint(namespace["caller"])


def test_callers_of_a_linked_kernel_have_a_key_that_lasts():
    """Otherwise they would be compiled again in every process."""
    assert key_of_a_caller(kernel) == key_of_a_caller(kernel)
    assert key_of_a_caller(kernel) != key_of_a_caller(other_kernel)
