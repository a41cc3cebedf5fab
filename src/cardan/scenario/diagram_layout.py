"""In which column and row of its block diagram each part of a scenario stands.

A column is a step along the flow of messages. Rows are grouped into lanes: one for the models, and one for each period
of tasks.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from math import ceil, isqrt
from typing import NamedTuple

from cardan.errors import MissingExtra
from cardan.scenario.clock import seconds
from cardan.scenario.diagram_mechanism import diagram_parts
from cardan.scenario.placed import Placed
from cardan.scenario.scenario import Scenario

End = tuple[str, str]  # part, port
Point = tuple[float, float]

# [px] sizes of text
NAME_SIZE, TEXT_SIZE, LABEL_SIZE, TITLE_SIZE = 13.0, 11.0, 10.0, 15.0

# [px] ports are half pitches apart wherever they are in one row, so two of them are level or well apart
PITCH = 22.0
HEADER = {"model": 44.0, "task": 55.0}
FOOT = 5.0

_NARROW, _SLIM, _WIDE = frozenset("ijl.,:;'|!"), frozenset("frtI()[]/- "), frozenset("mwMW@%")


@dataclass(eq=False)
class Box:
    """A part in the diagram.

    Attributes:
        placed: The part.
        lane: Index of its lane.
        column: Index of its column.
        row: Index of its row, counted over all lanes.
        offset: [px] How far below the top of its row it begins.
        x: [px] Its left edge.
        y: [px] Its upper edge.
        width: [px]
    """

    placed: Placed
    lane: int
    column: int = 0
    row: int = 0
    offset: float = 0.0
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0

    @property
    def name(self) -> str:
        return self.placed.name

    @property
    def header(self) -> float:
        """[px] From its upper edge to where its ports begin."""
        return HEADER[self.placed.contract.kind]

    @property
    def height(self) -> float:
        """[px]"""
        contract = self.placed.contract
        return self.header + PITCH * max(len(contract.inputs), len(contract.outputs)) + FOOT

    def depth(self, port: str) -> float:
        """[px] From its upper edge to a port."""
        contract = self.placed.contract
        ports = list(contract.inputs if port in contract.inputs else contract.outputs)
        return self.header + PITCH * (ports.index(port) + 0.5)

    def port_y(self, port: str) -> float:
        """[px] The height of a port in the diagram."""
        return self.y + self.depth(port)

    def least_width(self) -> float:
        """[px] What its text needs."""
        contract = self.placed.contract
        lines = [contract.label, rate_text(self.placed.period, self.placed.offset) if self.placed.is_task else ""]
        sides = [[text_width(port, TEXT_SIZE) for port in ports] for ports in (contract.inputs, contract.outputs)]
        return max(
            text_width(self.name, NAME_SIZE, bold=True) + 20.0,
            *[text_width(line, TEXT_SIZE) + 20.0 for line in lines],
            sum(max(side, default=0.0) for side in sides) + 36.0,
        )


@dataclass(eq=False)
class Net:
    """An output and everything that reads it. Its lines share one way past the columns, at one height.

    Attributes:
        source: The output.
        targets: The inputs.
        level: The port at whose height it runs past columns, where that is free.
        corridor: The corridor in which it runs past columns otherwise, or -1.
        track: Its place in that corridor.
        turns: [px] Where it runs up or down, by channel; none where it enters and leaves a channel at one height.
        lines: The corners on the way from the output to each input.
    """

    source: End
    targets: list[End]
    level: End | None = None
    corridor: int = -1
    track: int = 0
    turns: dict[int, float] = field(default_factory=dict)
    lines: dict[End, list[Point]] = field(default_factory=dict)


class Grid(NamedTuple):
    """The parts in columns and rows.

    Attributes:
        periods: [ns] Of each lane; 0 for that of the models.
        boxes: All parts by name.
        rows: The same, by row and then by column.
        nets: The messages between them.
        columns: How many there are.
    """

    periods: list[int]
    boxes: dict[str, Box]
    rows: list[list[Box]]
    nets: list[Net]
    columns: int


def place(scenario: Scenario) -> Grid:
    """The grid of a scenario."""
    parts = diagram_parts(scenario)
    periods = sorted({placed.period for placed in parts.values()})
    boxes = {name: Box(placed, periods.index(placed.period)) for name, placed in parts.items()}
    readers: dict[End, list[End]] = defaultdict(list)
    for placed in parts.values():
        for port in placed.contract.inputs:
            connection = placed.inputs.get(port)
            if connection and connection.source:
                readers[connection.source.part, connection.source.name].append((placed.name, port))
    nets = [Net(source, targets) for source, targets in readers.items()]

    pairs = _forward_pairs(boxes, nets)
    order = _find_columns(boxes, pairs)
    count = _find_rows(boxes, pairs, order)
    rows = [
        sorted((box for box in boxes.values() if box.row == row), key=lambda box: box.column) for row in range(count)
    ]
    return Grid(periods, boxes, rows, nets, max((box.column + 1 for box in boxes.values()), default=0))


# ---- text ------------------------------------------------------------------------------------------------------------


def text_width(text: str, size: float, bold: bool = False) -> float:
    """[px] At least what `text` takes in any of the usual sans-serif fonts."""
    em = 0.0
    for character in text:
        if character in _NARROW:
            em += 0.36
        elif character in _SLIM:
            em += 0.45
        elif character in _WIDE or not character.isascii():
            em += 1.0
        else:
            em += 0.8 if character.isupper() else 0.65
    return float(ceil(em * size * (1.12 if bold else 1.0)))


def rate_text(period: int, offset: int = 0) -> str:
    """How often something runs; `period` [ns] is 0 for a model."""
    if not period:
        return "every stage"
    return f"every {seconds(period):.9g} s" + (f" from {seconds(offset):.9g} s" if offset else "")


def stub_text(placed: Placed, port: str) -> str:
    """What an input carries that no part feeds, in a word or two; nothing for one that is fed."""
    connection = placed.inputs.get(port)
    if connection is not None:
        return "" if connection.source else "constant"
    declared = placed.contract.inputs[port]
    if not declared.has_default:
        return "not connected"
    return "nothing" if declared.default is None else "default"


def delay_text(placed: Placed, port: str) -> str:
    """The delay of what feeds an input, or nothing."""
    connection = placed.inputs.get(port)
    return f"delay {connection.delay}" if connection and connection.delay else ""


# ---- columns and rows ------------------------------------------------------------------------------------------------


def _forward_pairs(boxes: dict[str, Box], nets: list[Net]) -> list[tuple[str, str]]:
    """Pairs of parts of which the first feeds the second, without those that would close a loop."""
    names = list(boxes)
    edges = []
    for net in nets:
        source = net.source[0]
        for part, port in net.targets:
            placed = boxes[part].placed
            methods = placed.contract.methods
            passes = placed.is_task or any(port in methods[output].arguments for output in placed.contract.outputs)
            # a loop is best cut at a delay, at a state, or where it leads back to a part added earlier
            is_cut = (placed.inputs[port].delay > 0, not passes, names.index(source) > names.index(part))
            edges.append((is_cut, source, part))
    followers: dict[str, list[str]] = {name: [] for name in names}
    pairs = []
    for _, before, after in sorted(edges, key=lambda edge: edge[0]):
        if before not in _reached(after, followers) and after not in followers[before]:
            followers[before].append(after)
            pairs.append((before, after))
    return pairs


def _reached(start: str, followers: dict[str, list[str]]) -> set[str]:
    reached = {start}
    waiting = [start]
    while waiting:
        new = [name for name in followers[waiting.pop()] if name not in reached]
        reached.update(new)
        waiting += new
    return reached


def _find_columns(boxes: dict[str, Box], pairs: list[tuple[str, str]]) -> dict[str, tuple[int, float]]:
    """Set the column of every box. Returns in which order those of one column are best stacked."""
    beside: dict[str, list[str]] = {name: [] for name in boxes}
    for before, after in pairs:
        beside[before].append(after)
        beside[after].append(before)

    # parts that are connected by any way are ranked together
    order: dict[str, tuple[int, float]] = {}
    columns = 0
    for number, first in enumerate(boxes):
        if first in order:
            continue
        members = _reached(first, beside)
        for name, (column, across) in _ranked([boxes[name] for name in boxes if name in members], pairs).items():
            boxes[name].column = column
            order[name] = (number, across) if beside[name] else (len(boxes), number)
            columns = max(columns, column + 1)

    # those that are connected to nothing fill up the columns of their lane
    alone = [boxes[name] for name in boxes if not beside[name]]
    columns = max(columns, isqrt(max(len(alone) - 1, 0)) + 1)
    filled: dict[tuple[int, int], int] = defaultdict(int)
    for name in boxes:
        filled[boxes[name].lane, boxes[name].column] += bool(beside[name])
    for box in alone:
        box.column = min(range(columns), key=lambda column: (filled[box.lane, column], column))
        filled[box.lane, box.column] += 1
    return order


def _ranked(boxes: list[Box], pairs: list[tuple[str, str]]) -> dict[str, tuple[int, float]]:
    """The column of each of a connected group of boxes, and where across the flow it is best placed."""
    try:
        from grandalf.graphs import Edge, Vertex, graph_core
        from grandalf.layouts import SugiyamaLayout, VertexViewer
    except ImportError as error:
        raise MissingExtra(
            "Drawing needs the package grandalf.\n  Install it with `pip install cardan[draw]`."
        ) from error

    vertices = {box.name: Vertex(box.name) for box in boxes}
    for box in boxes:
        vertices[box.name].view = VertexViewer(w=box.height, h=box.least_width())
    edges = [Edge(vertices[before], vertices[after]) for before, after in pairs if before in vertices]
    layout = SugiyamaLayout(graph_core(list(vertices.values()), edges))
    layout.init_all(inverted_edges=[], optimize=True)
    layout.draw(8)
    return {name: (layout.grx[vertex].rank, vertex.view.xy[0]) for name, vertex in vertices.items()}


def _find_rows(boxes: dict[str, Box], pairs: list[tuple[str, str]], order: dict[str, tuple[int, float]]) -> int:
    """Set the row of every box. Returns how many there are."""
    feeding: dict[str, list[Box]] = defaultdict(list)
    for before, after in pairs:
        feeding[after].append(boxes[before])
    top = 0
    for lane in sorted({box.lane for box in boxes.values()}):
        stacks: dict[int, list[Box]] = defaultdict(list)
        for box in boxes.values():
            if box.lane == lane:
                stacks[box.column].append(box)
        count = max(len(stack) for stack in stacks.values())
        for column in sorted(stacks):
            stack = sorted(stacks[column], key=lambda box: order[box.name])
            free = 0
            for position, box in enumerate(stack):
                # beside the nearest part of its lane that feeds it, as far as the others leave room
                near = [other for other in feeding[box.name] if other.lane == lane]
                wanted = max(near, key=lambda other: other.column).row - top if near else position
                row = min(max(wanted, free), count - len(stack) + position)
                box.row, free = top + row, row + 1
        top += count
    return top
