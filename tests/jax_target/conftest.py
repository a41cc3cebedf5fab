"""JAX with 64 bits for these tests alone; what XLA has compiled is kept on disk beside the native code."""

import jax
import pytest

from cardan.native.cache_folder import cache_folders

KEPT = {
    "jax_compilation_cache_dir": str(cache_folders().new / "xla"),
    "jax_persistent_cache_min_compile_time_secs": 0.2,
}


@pytest.fixture(autouse=True)
def doubles():
    before = {name: getattr(jax.config, name) for name in KEPT}
    for name, value in KEPT.items():
        jax.config.update(name, value)
    with jax.enable_x64(True):
        yield
    for name, value in before.items():
        jax.config.update(name, value)
