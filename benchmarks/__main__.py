"""Run benchmarks and print their tables: all that need no peers, or those that are named."""

import sys
from importlib import import_module

MODULES = (
    "foundation", "dynamics", "prescribed", "gimbals", "robotics", "bounds", "batches", "studies", "environment",
    "mpc", "articulated_mpc", "viewer", "faults", "contact", "learning",
)  # fmt: skip
PEERS = ("basilisk",)


def main(names: list[str]) -> int:
    failed = 0
    for name in names or MODULES:
        module = import_module(f"benchmarks.{name}")
        print(f"\n{module.__doc__.splitlines()[0]}\n")
        for row in module.measure():
            print(row, flush=True)
            failed += not row.is_met
    print(f"\n{failed} of the goals above are not met" if failed else "\nall goals are met")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main([*MODULES, *PEERS] if sys.argv[1:] == ["peers"] else sys.argv[1:]))
