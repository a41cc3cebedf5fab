"""Logs as comma-separated values: times and one column per number, for spreadsheets, pandas and MATLAB.

The first line has the names of the columns with their units; every other line is a sample, whose numbers are written
such that they read back to the same bits. Comments would be rows to a spreadsheet, so all else that a log knows goes
to a file beside it, named and laid out as the W3C's recommendation for metadata of tables has it.
"""

import csv
import json
from pathlib import Path

import numpy as np

from cardan.simulation.log import Log
from cardan.simulation.log_table import columns, numbers, stretches

_CHUNK = 1 << 18  # [bytes] of numbers that are turned into text at a time, which takes some ten times as much
_DATATYPES = {"f": "double", "i": "integer", "b": "boolean"}
TIME = "time [s]"


def write_csv(log: Log, path: Path) -> None:
    """Write `log` to a new file at `path`."""
    table = list(columns(log))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([TIME, *(f"{column.name} [{column.field.unit}]" for column in table)])
        for rows in stretches(log, _CHUNK):
            # Python's own numbers are written with as many digits as they need
            lines = zip(log.time.rows(*rows).tolist(), *map(_as_python_has_them, numbers(log, *rows)), strict=True)
            writer.writerows(lines)


def write_csv_metadata(log: Log, path: Path, table: str) -> None:
    """Write what belongs to the file called `table`: of each column path, unit and frame, and what made the log."""
    described = [{"titles": TIME, "datatype": "double"}]
    fields = []
    for column in columns(log):
        title, field = f"{column.name} [{column.field.unit}]", column.field
        described.append({"titles": title, "datatype": _DATATYPES[field.dtype.kind]})
        fields.append({"column": title, "path": field.path, "unit": field.unit, "frame": field.frame})
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": table,
        "tableSchema": {"columns": described},
        "notes": [{"fields": fields, "about": log.about}],
    }
    path.write_text(json.dumps(metadata) + "\n", encoding="utf-8")


def _as_python_has_them(values: np.ndarray) -> list[float | int]:
    """Truths are 0 and 1: what a program calls true, another takes for a text."""
    listed: list[float | int] = (values.astype(np.int64) if values.dtype == np.bool_ else values).tolist()
    return listed
