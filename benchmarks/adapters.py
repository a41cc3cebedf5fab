"""Stable-Baselines3 and a loop as CleanRL's on our environments: they learn (needs `make bench-peers`)"""

import json
import subprocess
import sys
from collections.abc import Iterator

import numpy as np

from benchmarks.goal import Goal
from benchmarks.peer_process import HERE

ADAPTERS = HERE.parent / ".venv-adapters" / "bin" / "python"
SAMPLES = 1 << 20


def measure() -> Iterator[Goal]:
    script = [str(ADAPTERS), str(HERE / "peers" / "torch_loops.py"), str(SAMPLES)]
    done = subprocess.run(script, capture_output=True, text=True, check=False) if ADAPTERS.exists() else None
    if done is None or "No module named" in done.stderr:
        print("  (no Stable-Baselines3: `make bench-peers` sets it up)", file=sys.stderr)
        return
    if done.returncode:
        raise RuntimeError(done.stderr)
    for name, told in json.loads(done.stdout.splitlines()[-1]).items():
        returns = told["returns"]
        quarter = max(1, len(returns) // 4)
        risen = float(np.mean(returns[-quarter:]) - np.mean(returns[:quarter]))
        yield Goal(f"{name}: steps, learning included", told["rate"], "1/s", 1e3, True)
        yield Goal(f"{name}: the return has risen by", risen, "-", 5.0, True)
