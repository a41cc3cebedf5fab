"""What independent programs gave for the environment: the file beside this says what, how and with which versions."""

import json
from pathlib import Path
from typing import Any

REFERENCE: dict[str, Any] = json.loads((Path(__file__).parent / "environment_reference.json").read_text())
