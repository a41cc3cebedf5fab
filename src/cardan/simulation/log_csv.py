"""Logs as comma-separated values: times and one column per number, for spreadsheets, pandas and MATLAB.

The first line has the names of the columns with their units; every other line is a sample, whose numbers are written
such that they read back to the same bits. Where ports were recorded at times of their own, there is a line for each
time of any of them, on which the others have nothing between the commas. Comments would be rows to a spreadsheet, so
all else that a log knows goes to a file beside it, named and laid out as the W3C's recommendation for metadata of
tables has it.
"""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cardan.simulation.log import Log
from cardan.simulation.log_table import Lines, columns, columns_of, lines_of

_CHUNK = 1 << 18  # [bytes] of numbers that are turned into text at a time, which takes some ten times as much
_DATATYPES = {"f": "double", "i": "integer", "b": "boolean"}
TIME = "time [s]"


def write_csv(log: Log, path: Path) -> None:
    """Write `log` to a new file at `path`."""
    table = list(columns(log))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([TIME, *(f"{column.name} [{column.field.unit}]" for column in table)])
        for lines in lines_of(log, _CHUNK):
            # Python's own numbers are written with as many digits as they need
            writer.writerows(zip(lines.t.tolist(), *_texts(log, lines), strict=True))


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


def _texts(log: Log, lines: Lines) -> Iterator[list[Any]]:
    """What each column has on some lines; nothing where its port was not recorded."""
    for field in log.fields():
        rows, places = lines.of_axis[log.axis(field)]
        for values in columns_of(field, *rows):
            listed = _as_python_has_them(values)
            if len(listed) == len(lines.t):
                yield listed
                continue
            texts: list[Any] = [""] * len(lines.t)
            for place, number in zip(places, listed, strict=True):
                texts[place] = number
            yield texts


def _as_python_has_them(values: np.ndarray) -> list[float | int]:
    """Truths are 0 and 1: what a program calls true, another takes for a text."""
    listed: list[float | int] = (values.astype(np.int64) if values.dtype == np.bool_ else values).tolist()
    return listed
