"""The harness: kinds of cases, children that run them, findings that are kept, and a table at the end.

A kind is a function of a `Case`, which has random numbers, made of its seed alone, and a folder to itself. It returns,
or raises: an AssertionError is a wrong number or a lost sample, anything else that escapes is a foreign exception.
Cases run in copies of this process, so that a crash or a hang is a finding too, and not the end of the campaign.
"""

import gc
import os
import random
import re
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cardan.errors import CardanError

REFUSALS = (CardanError,)  # a refusal of ours is an answer
MOST_FINDINGS = 20  # of one kind: more of them say no more
_LARGEST_MEMORY = 4 << 30  # [bytes] of address space more than a child begins with


class Case:
    """One case.

    Attributes:
        rng: Its random numbers.
        folder: An empty folder, the working folder too; what a failing case leaves there is kept with it.
    """

    def __init__(self, kind: str, seed: int, folder: Path, kept: tuple[int, ...] | None = None) -> None:
        self.rng = random.Random(f"{kind} {seed}")
        self.folder = folder
        self.change_count = 0
        self._kept = kept

    def changes(self, most: int) -> Iterator[random.Random]:
        """Random numbers for each of a few changes, none of which depends on the others: some can be left out."""
        self.change_count = self.rng.randint(1, most)
        seeds = [self.rng.random() for _ in range(self.change_count)]
        for i, seed in enumerate(seeds):
            if self._kept is None or i in self._kept:
                yield random.Random(seed)


@dataclass(frozen=True)
class Kind:
    """A kind of cases.

    Attributes:
        name: One word or two.
        run: Runs a case.
        share: How many of a thousand cases are of this kind.
        limit: [s] A case that takes longer hangs.
        prepare: Is called once before all cases, so that children have in memory what all of them need.
        is_alone: Whether each case needs a child to itself.
    """

    name: str
    run: Callable[[Case], None]
    share: int
    limit: float
    prepare: Callable[[], object]
    is_alone: bool


KINDS: dict[str, Kind] = {}


def kind(
    name: str, *, share: int, limit: float = 30.0, prepare: Callable[[], object] = lambda: None, is_alone: bool = False
) -> Callable[[Callable[[Case], None]], Callable[[Case], None]]:
    """Register the decorated function as a kind."""

    def register(run: Callable[[Case], None]) -> Callable[[Case], None]:
        KINDS[name] = Kind(name, run, share, limit, prepare, is_alone)
        return run

    return register


@dataclass(frozen=True)
class Finding:
    """A case that failed: what it is called on the command line, and what happened."""

    kind: str
    seed: int
    what: str
    kept: tuple[int, ...] | None = None

    @property
    def cause(self) -> str:
        """The class of the exception; `crash` or `hangs`."""
        return re.findall(r"^([\w.]+)(?::|$)", self.what, re.MULTILINE)[-1]

    @property
    def command(self) -> str:
        """What repeats it."""
        some = "" if self.kept is None else f" --changes {','.join(map(str, self.kept)) or 'none'}"
        return f"python -m fuzz --kind {self.kind!r} --seed {self.seed} --cases 1{some}"


@dataclass
class Result:
    """What became of the cases of a kind."""

    kind: str
    cases: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)


def run_kind(
    chosen: Kind, first: int, count: int, *, keep_in: Path | None = None, kept: tuple[int, ...] | None = None
) -> Result:
    """Run the cases with the seeds from `first` on.

    Args:
        chosen: Their kind.
        first: The first seed.
        count: How many.
        keep_in: The folder that findings are kept in.
        kept: Which changes of the case are made; None for all.
    """
    began = time.monotonic()
    chosen.prepare()
    result = Result(chosen.name)
    seed, end = first, first + count
    while seed < end and len(result.findings) < MOST_FINDINGS:
        stop = seed + 1 if chosen.is_alone else end
        done, finding, change_count = _in_a_child(chosen, seed, stop, keep_in, kept)
        result.cases += done - seed
        seed = done
        if finding is not None:
            if change_count > 1 and kept is None:
                finding = _reduced(chosen, finding, change_count, keep_in)
            result.findings.append(finding)
    result.seconds = time.monotonic() - began
    return result


def _reduced(chosen: Kind, finding: Finding, change_count: int, keep_in: Path | None) -> Finding:
    """The same with as few changes as still make it."""
    needed = list(range(change_count))
    for change in range(change_count):
        fewer = tuple(i for i in needed if i != change)
        again = _in_a_child(chosen, finding.seed, finding.seed + 1, keep_in, fewer)[1]
        if again is not None and again.cause == finding.cause:
            needed.remove(change)
            finding = again
    return finding


def _in_a_child(
    chosen: Kind, seed: int, stop: int, keep_in: Path | None, kept: tuple[int, ...] | None
) -> tuple[int, Finding | None, int]:
    """Run cases until one fails: the seed after the last that was run, what it found, and its number of changes."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryDirectory(prefix="cardan-fuzz-") as name:
        folder = Path(name)
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _child(chosen, seed, stop, folder, writing, kept)
        os.close(writing)
        finding, changes = None, 0
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            while seed < stop and finding is None:
                # a child says that it lives after every case, and ends with what went wrong
                if not select.select([pipe], [], [], chosen.limit)[0]:
                    os.kill(pid, signal.SIGABRT)  # faulthandler shows where it stands
                    time.sleep(0.2)
                    os.kill(pid, signal.SIGKILL)
                    finding = Finding(chosen.name, seed, f"{_errors_of(folder)}\nhangs: more than {chosen.limit:g} s")
                elif (said := pipe.read(1)) == b".":
                    pass
                elif said == b"!":
                    count, _, text = _rest(pipe).partition("\n")
                    finding, changes = Finding(chosen.name, seed, text, kept), int(count)
                else:
                    finding = Finding(chosen.name, seed, "")  # its end says more
                seed += 1
        ended = os.waitpid(pid, 0)[1]
        if finding is not None and not finding.what:
            how = f"signal {os.WTERMSIG(ended)}" if os.WIFSIGNALED(ended) else f"exit {os.WEXITSTATUS(ended)}"
            finding = Finding(chosen.name, finding.seed, f"{_errors_of(folder)}\ncrash: {how}", kept)
        if finding is not None and keep_in is not None:
            _keep(finding, folder / str(finding.seed), keep_in)
    return seed, finding, changes


def _child(chosen: Kind, first: int, stop: int, folder: Path, pipe: int, kept: tuple[int, ...] | None) -> None:
    """Run cases, say what became of them, and end."""
    import faulthandler

    try:
        os.setsid()  # so that all that it starts can be ended with it
        errors = os.open(folder / "errors.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(errors, 2)
        os.dup2(errors, 1)
        faulthandler.enable()
        _limit_memory()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        warnings.simplefilter("ignore")
        for seed in range(first, stop):
            own = folder / str(seed)
            own.mkdir()
            os.chdir(own)
            case = Case(chosen.name, seed, own, kept)
            try:
                chosen.run(case)
            except BaseException:
                os.write(pipe, f"!{case.change_count}\n{traceback.format_exc()}".encode())
                return
            os.write(pipe, b".")
            os.chdir(folder)
            shutil.rmtree(own, ignore_errors=True)
            gc.collect(0)
    finally:
        os._exit(0)


def _limit_memory() -> None:
    """An allocation that is far too large fails, and does not take the machine with it."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    limit = pages * resource.getpagesize() + _LARGEST_MEMORY
    if pages:
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _rest(pipe: "io.FileIO") -> str:  # type: ignore[name-defined]  # noqa: F821
    text = b""
    while piece := pipe.read(1 << 16):
        text += piece
    return text.decode(errors="replace")


def _errors_of(folder: Path) -> str:
    path = folder / "errors.txt"
    return path.read_text(errors="replace")[-4000:] if path.exists() else ""


def _keep(finding: Finding, left: Path, keep_in: Path) -> None:
    """Put the case with what it had written where it can be looked at and repeated."""
    target = keep_in / f"{finding.kind.replace(' ', '-')}-{finding.seed}"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    if left.exists():
        shutil.copytree(left, target, dirs_exist_ok=True, symlinks=True)
    (target / "finding.txt").write_text(f"{finding.command}\n\n{finding.what}\n", encoding="utf-8")


def shares(count: int, kinds: dict[str, Kind]) -> dict[str, int]:
    """How many of `count` cases are of each kind; at least one."""
    whole = sum(chosen.share for chosen in kinds.values())
    return {name: max(1, round(count * chosen.share / whole)) for name, chosen in kinds.items()}


def table(results: list[Result]) -> str:
    """What `make fuzz` ends with."""
    lines = [f"{'kind':20}{'cases':>8}{'findings':>10}{'seconds':>10}"]
    lines += [f"{r.kind:20}{r.cases:8}{len(r.findings):10}{r.seconds:10.1f}" for r in results]
    lines.append(
        f"{'all':20}{sum(r.cases for r in results):8}{sum(len(r.findings) for r in results):10}"
        f"{sum(r.seconds for r in results):10.1f}"
    )
    return "\n".join(lines)
