"""Run every benchmark and print its table."""

import sys

from benchmarks import dynamics, foundation, gimbals, prescribed

MODULES = (foundation, dynamics, prescribed, gimbals)


def main() -> int:
    failed = 0
    for module in MODULES:
        print(f"\n{module.__doc__.splitlines()[0]}\n")
        for row in module.measure():
            print(row)
            failed += not row.is_met
    print(f"\n{failed} of the goals above are not met" if failed else "\nall goals are met")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
