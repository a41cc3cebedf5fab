"""Logs as Parquet: the table of `Log.to_pandas`, with units, frames and what made the log."""

import json
from pathlib import Path
from typing import Any

from cardan.errors import MissingExtra
from cardan.simulation.log import Log


def write_parquet(log: Log, path: Path) -> None:
    """Write `log` to a new file at `path`."""
    arrow = pyarrow()
    from pyarrow import parquet

    frame = log.to_pandas()
    table = arrow.Table.from_pandas(frame)
    more = {
        "PANDAS_ATTRS": json.dumps(frame.attrs),  # where pandas puts them, and finds them again
        "cardan_about": json.dumps(log.about),
    }
    parquet.write_table(table.replace_schema_metadata((table.schema.metadata or {}) | more), path)


def pyarrow() -> Any:
    """The package of this name."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtra("Parquet files need pyarrow.\n  Install it with `pip install cardan[parquet]`.") from error
    return pyarrow
