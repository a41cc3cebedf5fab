"""`Block`: what some runs were given and what came out, as columns; in memory, in a file, on its way from a worker."""

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.studies.scoring import OK, Row


class Block(NamedTuple):
    """Some runs, column by column.

    Attributes:
        runs: (n,) Their numbers, ascending.
        inputs: (n, ...) What they were given, by path; texts where it is no number.
        seeds: (n,) Of their random numbers.
        status: (n,) "ok", "failed" or "timed out".
        error: (n,) Why they failed, or "".
        until: (n,) [s] Time of the last sample.
        scalars: (n,) By name.
        traces: (n, samples) By name.
        logs: Files of logs that are kept, by run.
    """

    runs: np.ndarray
    inputs: dict[str, np.ndarray]
    seeds: np.ndarray
    status: np.ndarray
    error: np.ndarray
    until: np.ndarray
    scalars: dict[str, np.ndarray]
    traces: dict[str, np.ndarray]
    logs: dict[int, bytes]

    @property
    def is_ok(self) -> np.ndarray:
        found: np.ndarray = self.status == OK
        return found


def block_of(rows: Sequence[Row], inputs: Mapping[str, Any], seeds: Sequence[int]) -> Block:
    """Rows of runs, and what these were given, as columns."""
    first = rows[0]
    return Block(
        runs=np.array([row.run for row in rows], np.int64),
        inputs={path: np.asarray(values) for path, values in inputs.items()},
        seeds=np.array(seeds, np.int64),
        status=np.array([row.status for row in rows]),
        error=np.array([row.error for row in rows]),
        until=np.array([row.until for row in rows], float),
        scalars={name: np.array([row.scalars[name] for row in rows], float) for name in first.scalars},
        traces={name: np.stack([row.traces[name] for row in rows]) for name in first.traces},
        logs={row.run: row.log for row in rows if row.log is not None},
    )


def joined(blocks: Sequence[Block]) -> Block:
    """Several blocks as one, in the order of runs; of a run that is there twice, once."""
    runs = np.concatenate([block.runs for block in blocks])
    _, order = np.unique(runs, return_index=True)

    def column(arrays: list[np.ndarray]) -> np.ndarray:
        whole: np.ndarray = np.concatenate(arrays)[order]
        return whole

    first = blocks[0]
    return Block(
        runs[order],
        {path: column([block.inputs[path] for block in blocks]) for path in first.inputs},
        column([block.seeds for block in blocks]),
        column([block.status for block in blocks]),
        column([block.error for block in blocks]),
        column([block.until for block in blocks]),
        {name: column([block.scalars[name] for block in blocks]) for name in first.scalars},
        {name: column([block.traces[name] for block in blocks]) for name in first.traces},
        {run: log for block in blocks for run, log in block.logs.items()},
    )


def packed(block: Block, about: Mapping[str, Any]) -> bytes:
    """A block as bytes; logs go to files of their own."""
    names = {"inputs": list(block.inputs), "scalars": list(block.scalars), "traces": list(block.traces)}
    arrays = {name: getattr(block, name) for name in ("runs", "seeds", "status", "error", "until")}
    for kind, known in names.items():
        arrays |= {f"{kind}_{i}": getattr(block, kind)[name] for i, name in enumerate(known)}
    arrays["about"] = np.frombuffer(json.dumps({**about, **names}).encode(), np.uint8)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def unpacked(content: Any, *, with_traces: bool = True) -> tuple[Block, dict[str, Any]]:
    """What `packed` has packed."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        about = json.loads(arrays["about"].tobytes())
        found = {
            kind: {name: arrays[f"{kind}_{i}"] for i, name in enumerate(about[kind])}
            for kind in ("inputs", "scalars", *(["traces"] if with_traces else []))
        }
        plain = {name: arrays[name] for name in ("runs", "seeds", "status", "error", "until")}
    block = Block(
        plain["runs"], found["inputs"], plain["seeds"], plain["status"], plain["error"], plain["until"],
        found["scalars"], found.get("traces", {}), {},
    )  # fmt: skip
    return block, about
