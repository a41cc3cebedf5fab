"""Scripts of the folder `peers`, run in the peers' own environment (`make bench-peers` sets it up)."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PEERS = HERE.parent / ".venv-peers" / "bin" / "python"


def has_peer(module: str) -> bool:
    """Whether the peers' environment has a module."""
    if not PEERS.exists():
        return False
    return subprocess.run([PEERS, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def told_by(script: str, given: dict[str, Any]) -> dict[str, Any]:
    """What a script prints that is given a file of JSON."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "given.json"
        path.write_text(json.dumps(given))
        done = subprocess.run([PEERS, HERE / "peers" / script, path], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{script} failed:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
