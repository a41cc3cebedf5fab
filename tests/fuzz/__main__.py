"""`python -m fuzz`: the long form (docs/how-to/fuzz.md)."""

import argparse
import random
import sys
from pathlib import Path

from fuzz import kinds
from fuzz.campaign import run_kind, shares, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Attempts to break Cardan at random.")
    parser.add_argument("--cases", type=int, default=10_000, help="how many, of all kinds together (10000)")
    parser.add_argument("--seed", type=int, help="of the first case of each kind; a random one without it")
    parser.add_argument("--kind", help=f"only one kind: {', '.join(kinds.KINDS)}")
    parser.add_argument("--changes", help="only some changes of a case, as a finding names them: 0,2")
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"), help="folder for findings (out/fuzz)")
    chosen = parser.parse_args()
    if chosen.kind is not None and chosen.kind not in kinds.KINDS:
        parser.error(f"there is no kind {chosen.kind!r}; there are {', '.join(kinds.KINDS)}")
    seed = random.randrange(1_000_000) if chosen.seed is None else chosen.seed
    kept = None
    if chosen.changes is not None:
        kept = tuple(int(word) for word in chosen.changes.split(",") if word != "none")
    wanted = {name: kind for name, kind in kinds.KINDS.items() if chosen.kind in (None, name)}
    print(f"seed {seed}", flush=True)
    results = []
    for name, count in shares(chosen.cases, wanted).items():
        result = run_kind(wanted[name], seed, count, keep_in=chosen.keep.absolute(), kept=kept)
        results.append(result)
        print(f"{name}: {count} cases in {result.seconds:.0f} s, {len(result.findings)} findings", flush=True)
        for finding in result.findings:
            print(f"  {finding.command}\n    {finding.what.strip().splitlines()[-1]}", flush=True)
    print(f"\n{table(results)}")
    if any(result.findings for result in results):
        print(f"\nFindings are kept in {chosen.keep.absolute()}.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
