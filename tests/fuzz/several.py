"""Several processes at once on one file, and on one cache."""

import os
from collections.abc import Callable

import cardan as cd
from cardan.errors import LogFileError
from fuzz.campaign import Case, kind
from fuzz.damage import a_simulation, check_native_code, use_cache


def at_once(*works: Callable[[], object]) -> None:
    """Run each in a process of its own, all at once; raise unless all succeed."""
    children = []
    for work in works:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                work()
                code = 0
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                os._exit(code)
        children.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * len(works), "one of several processes failed"


@kind("one file", share=25, prepare=a_simulation)
def one_file(case: Case) -> None:
    """Whoever reads has one of the logs that were written, whole."""
    rng = case.rng
    sim = a_simulation()
    logs = [sim.run(until=round(sim.now + rng.choice([0.5, 1.0, 20.0]), 9), progress=False) for _ in range(2)]
    path, times = case.folder / "run.nc", rng.randint(2, 5)
    logs[0].save(path)

    def write(log: cd.Log) -> Callable[[], object]:
        return lambda: [log.save(path) for _ in range(times)]

    def read() -> None:
        for _ in range(3 * times):
            try:
                loaded = cd.load_log(path)
            except LogFileError as error:
                raise AssertionError("a file in halves") from error
            assert any(
                len(loaded.t) == len(log.t)
                and all(
                    a.values.tobytes() == b.values.tobytes() for a, b in zip(loaded.fields(), log.fields(), strict=True)
                )
                for log in logs
            ), "a file of which nobody has written all"

    at_once(*map(write, logs), read)
    assert [file.name for file in case.folder.iterdir()] == ["run.nc"]


@kind("one cache", share=3, limit=120.0, is_alone=True)
def one_cache(case: Case) -> None:
    """All get native code that is right, one of them keeps it, and the next process finds it."""
    folder = case.folder / "cache"
    use_cache(folder)
    at_once(*[check_native_code] * case.rng.randint(2, 3))
    assert not list(folder.glob("building-*")), "something was left half built"
    kept = {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()}
    at_once(check_native_code)
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()} == kept, "compiled again"
