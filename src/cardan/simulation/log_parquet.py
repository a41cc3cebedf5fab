"""Logs as Parquet: the table of `Log.to_pandas`, with units, frames and what made the log."""

import json
from pathlib import Path
from typing import Any

from cardan.errors import MissingExtra
from cardan.simulation.log import Log
from cardan.simulation.log_table import numbers, stretches, table_of, table_with_gaps

_GROUP = 1 << 23  # [bytes] of numbers that are written at a time: a group of rows, which readers can skip


def write_parquet(log: Log, path: Path) -> None:
    """Write `log` to a new file at `path`, a group of rows after another."""
    arrow = pyarrow()
    from pyarrow import parquet

    has_gaps = len(log.axes) > 1
    frame = table_with_gaps(log) if has_gaps else table_of(log, 0, 0)
    units_and_frames = frame.attrs
    frame.attrs = {}  # pandas would copy all of them for each column
    schema = arrow.Schema.from_pandas(frame)
    more = {
        "PANDAS_ATTRS": json.dumps(units_and_frames),  # where pandas puts them, and finds them again
        "cardan_about": json.dumps(log.about),
    }
    schema = schema.with_metadata((schema.metadata or {}) | more)
    with parquet.ParquetWriter(path, schema) as writer:
        if has_gaps:
            writer.write_table(arrow.Table.from_pandas(frame, schema=schema))
            return
        for rows in stretches(log, _GROUP):
            # the index of the table comes last
            values = [*numbers(log, *rows), log.time.rows(*rows)]
            arrays = [arrow.array(column, kind.type) for column, kind in zip(values, schema, strict=True)]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def pyarrow() -> Any:
    """The package of this name; what else is needed is loaded too, while there is memory for it."""
    import pandas  # noqa: F401

    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("Parquet files need pyarrow.\n  Install it with `pip install cardan[parquet]`.") from error
    return pyarrow
