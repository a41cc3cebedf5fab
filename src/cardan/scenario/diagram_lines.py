"""Where everything stands in the block diagram of a scenario, and how its lines run.

Lines run in the channels between columns, in the corridors between rows and through empty cells of the grid, so that
none can cross a box. Text stands at the two ends of a channel, where only its own line runs.
"""

from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

from cardan.scenario.diagram_layout import (
    LABEL_SIZE,
    PITCH,
    TEXT_SIZE,
    TITLE_SIZE,
    Box,
    End,
    Grid,
    Net,
    Point,
    delay_text,
    place,
    rate_text,
    stub_text,
    text_width,
)
from cardan.scenario.scenario import Scenario

# [px] distances
MARGIN, TITLE_HEIGHT, LANE_GAP, LANE_PAD, LANE_STRIP = 16.0, 30.0, 10.0, 14.0, 26.0
TRACK, ROW_PAD, BUS_PAD, CHANNEL_PAD, TIP, ARROW, STUB = 10.0, 12.0, 6.0, 10.0, 7.0, 8.0, 14.0

# [px] the detour that is worth one crossing less
_CROSSING = 100.0


class Lane(NamedTuple):
    """The background of the parts that run at one rate.

    Attributes:
        period: [ns] Of its tasks; 0 for models.
        y: [px] Its upper edge.
        height: [px]
    """

    period: int
    y: float
    height: float


class Levels(NamedTuple):
    """[px] The upper edges of rows and corridors, the lanes, and where the last one ends."""

    rows: list[float]
    corridors: list[float]
    lanes: list[Lane]
    end: float


class Diagram(NamedTuple):
    """Everything at its place, and the size [px] of the whole."""

    boxes: dict[str, Box]
    nets: list[Net]
    lanes: list[Lane]
    width: float
    height: float


class Wire(NamedTuple):
    """A stretch of a net that needs a track of its own, beside others.

    Attributes:
        low: Where it begins along its track.
        high: Where it ends.
        before: Where it is joined from the side of the first track.
        after: Where it is joined from the side of the last track.
    """

    low: float
    high: float
    before: list[float]
    after: list[float]


def lay_out(scenario: Scenario) -> Diagram:
    """The diagram of a scenario."""
    grid = place(scenario)
    # two nets that meet in a channel at one height cannot always pass each other: the box ahead of them then moves
    moved: set[str] = set()
    while True:
        _align(grid, moved)
        levels = _settle_heights(grid)
        tracks, in_the_way = _settle_channels(grid, levels)
        if in_the_way <= moved:
            break
        moved |= in_the_way
    width = _settle_widths(grid, tracks)
    for net in grid.nets:
        _draw_lines(net, grid, levels)
    width = max(width, text_width(scenario.name, TITLE_SIZE, bold=True) + 2.0 * MARGIN)
    return Diagram(grid.boxes, grid.nets, levels.lanes, width, levels.end + MARGIN)


# ---- heights ---------------------------------------------------------------------------------------------------------


def _align(grid: Grid, moved: set[str]) -> None:
    """Put each box level with what feeds it from the box on its left, or else with the top of its row."""
    for row in grid.rows:
        row[0].offset = 0.0
        for left, box in pairwise(row):
            sources = [(port, connection.source) for port, connection in box.placed.inputs.items()]
            straight = [
                left.offset + left.depth(source.name) - box.depth(port)
                for port, source in sources
                if source and source.part == left.name
            ]
            box.offset = straight[0] if straight else 0.0
            if box.name in moved and (left.offset + left.header - box.offset - box.header) % PITCH == 0.0:
                box.offset += PITCH / 2.0
        highest = min(box.offset for box in row)
        for box in row:
            box.offset -= highest


def _settle_heights(grid: Grid) -> Levels:
    """Choose how each net passes columns, and put rows, corridors and lanes below one another."""
    levels = _stack(grid, {})
    _choose_levels(grid)
    _choose_corridors(grid, levels)
    tracks: dict[int, int] = {}
    for corridor in sorted({net.corridor for net in grid.nets} - {-1}):
        members = [net for net in grid.nets if net.corridor == corridor]
        places = arrange([_corridor_wire(_joined(net, grid), levels.corridors[corridor]) for net in members], 0.0)
        for net, track in zip(members, places, strict=True):
            net.track = track
        tracks[corridor] = max(places) + 1
    return _stack(grid, tracks)


def _stack(grid: Grid, tracks: dict[int, int]) -> Levels:
    """Put the rows of each lane below one another, with a corridor above and below each."""
    levels = Levels([], [], [], 0.0)
    y = MARGIN + TITLE_HEIGHT
    for lane, period in enumerate(grid.periods):
        depths = [max(box.offset + box.height for box in row) for row in grid.rows if row[0].lane == lane]
        counts = [tracks.get(len(levels.corridors) + index, 0) for index in range(len(depths) + 1)]
        pads = [ROW_PAD if 0 < index < len(depths) else BUS_PAD * (count > 0) for index, count in enumerate(counts)]
        needed = sum(depths) + 2.0 * sum(pads) + TRACK * sum(counts)
        height = max(needed, text_width(rate_text(period), TEXT_SIZE, bold=True)) + 2.0 * LANE_PAD
        levels.lanes.append(Lane(period, y, height))
        inner = y + (height - needed) / 2.0
        for pad, count, depth in zip(pads, counts, [*depths, 0.0], strict=True):
            levels.corridors.append(inner + pad)
            inner += 2.0 * pad + TRACK * count
            levels.rows.append(inner)
            inner += depth
        levels.rows.pop()
        y += height + LANE_GAP
    for row, top in zip(grid.rows, levels.rows, strict=True):
        for box in row:
            box.y = top + box.offset
    return levels._replace(end=y - LANE_GAP)


def _joined(net: Net, grid: Grid) -> dict[int, list[float]]:
    """[px] The heights of the ports that a net joins, by channel; the source comes first in the channel behind it."""
    source = grid.boxes[net.source[0]]
    joined = {source.column + 1: [source.port_y(net.source[1])]}
    for part, port in net.targets:
        joined.setdefault(grid.boxes[part].column, []).append(grid.boxes[part].port_y(port))
    return joined


def _choose_levels(grid: Grid) -> None:
    """Let nets pass columns at the height of one of their own ports, where no box and no other net is in the way."""
    taken: dict[int, list[tuple[float, int, int]]] = defaultdict(list)
    for net in grid.nets:
        channels = _joined(net, grid)
        first, last = min(channels), max(channels)
        net.level, net.corridor = None, -1
        for end in [net.source, *net.targets] if first < last else []:
            box = grid.boxes[end[0]]
            height = box.port_y(end[1])
            in_the_way = any(first <= other.column < last for other in grid.rows[box.row])
            in_use = any(y == height and first <= right and left <= last for y, left, right in taken[box.row])
            if not in_the_way and not in_use:
                net.level = end
                taken[box.row].append((height, first, last))
                break


def _choose_corridors(grid: Grid, levels: Levels) -> None:
    """Let the other nets that pass columns take the corridor in which they are short and cross little."""
    spans: list[tuple[int, float, float]] = []
    waiting = []
    for net in grid.nets:
        joined = _joined(net, grid)
        if len(joined) > 1 and net.level is None:
            waiting.append((net, joined))
        own = [] if net.level is None else [grid.boxes[net.level[0]].port_y(net.level[1])]
        spans += [(channel, min(heights + own), max(heights + own)) for channel, heights in joined.items()]
    for net, joined in waiting:
        ends = [height for heights in joined.values() for height in heights]
        between = [(low, high) for channel, low, high in spans if min(joined) < channel < max(joined)]
        costs = [
            sum(abs(y - end) for end in ends) + _CROSSING * sum(low < y < high for low, high in between)
            for y in levels.corridors
        ]
        net.corridor = costs.index(min(costs))
        own = [levels.corridors[net.corridor]]
        spans += [(channel, min(heights + own), max(heights + own)) for channel, heights in joined.items()]


def _corridor_wire(joined: dict[int, list[float]], y: float) -> Wire:
    above = [float(channel) for channel, heights in joined.items() if min(heights) < y]
    below = [float(channel) for channel, heights in joined.items() if max(heights) > y]
    return Wire(min(joined), max(joined), above, below)


# ---- tracks ----------------------------------------------------------------------------------------------------------


def _bus_y(net: Net, grid: Grid, levels: Levels) -> float | None:
    """[px] The height at which a net passes columns, if it does."""
    if net.level is not None:
        return grid.boxes[net.level[0]].port_y(net.level[1])
    return levels.corridors[net.corridor] + TRACK * (net.track + 0.5) if net.corridor >= 0 else None


def _settle_channels(grid: Grid, levels: Levels) -> tuple[list[int], set[str]]:
    """Put what runs up or down in each channel on tracks. Returns how many there are, and boxes that must move."""
    tracks: list[int] = []
    in_the_way: set[str] = set()
    for channel in range(grid.columns + 1):
        found = [(net, _channel_wire(net, channel, grid, levels)) for net in grid.nets]
        used = [(net, wire) for net, wire in found if wire and wire.low < wire.high]
        wires = [wire for _, wire in used]
        places = arrange(wires, 8.0)
        for net in grid.nets:
            net.turns.pop(channel, None)
        for (net, _), track in zip(used, places, strict=True):
            net.turns[channel] = float(track)
        tracks.append(max(places, default=-1) + 1)

        for earlier, first in zip(places, wires, strict=True):
            for later, second in zip(places, wires, strict=True):
                for height in set(first.after) & set(second.before) if earlier < later else ():
                    row = max(index for index, top in enumerate(levels.rows) if top <= height)
                    in_the_way.add(next(box.name for box in grid.rows[row] if box.column >= channel))
    return tracks, in_the_way


def _channel_wire(net: Net, channel: int, grid: Grid, levels: Levels) -> Wire | None:
    joined = _joined(net, grid)
    if channel not in joined:
        return None
    heights = joined[channel]
    is_behind_source = channel == grid.boxes[net.source[0]].column + 1
    before, after = (heights[:1], heights[1:]) if is_behind_source else ([], heights[:])
    bus = _bus_y(net, grid, levels)
    if bus is not None:
        before += [bus] if min(joined) < channel else []
        after += [bus] if channel < max(joined) else []
    return Wire(min(before + after), max(before + after), before, after)


def arrange(wires: list[Wire], margin: float) -> list[int]:
    """A track for each of the wires that run beside each other, with few crossings; distant ones share a track."""
    cost = [[_crossings(first, second) for second in wires] for first in wires]
    order = list(range(len(wires)))
    for _ in range(4):
        for wire in range(len(wires)):
            # move it to where it crosses the others least
            order.remove(wire)
            costs = [0.0]
            for other in order:
                costs.append(costs[-1] + cost[other][wire] - cost[wire][other])
            order.insert(costs.index(min(costs)), wire)
    tracks = [0] * len(wires)
    for position, wire in enumerate(order):
        low, high = wires[wire].low - margin, wires[wire].high + margin
        beside = [other for other in order[:position] if wires[other].low <= high and low <= wires[other].high]
        tracks[wire] = max((tracks[other] + 1 for other in beside), default=0)
    return tracks


def _crossings(first: Wire, second: Wire) -> float:
    """How often two wires cross if `first` has the earlier track; to lie on one another is as bad as many crossings."""
    crossings = sum(second.low < place < second.high for place in first.after)
    crossings += sum(first.low < place < first.high for place in second.before)
    return crossings + 1000.0 * len(set(first.after) & set(second.before))


# ---- widths and lines ------------------------------------------------------------------------------------------------


def _settle_widths(grid: Grid, tracks: list[int]) -> float:
    """[px] Put channels and columns beside one another. Returns where the last one ends."""
    read = {net.source for net in grid.nets}
    x = MARGIN + LANE_STRIP
    for channel, count in enumerate(tracks):
        behind = [box for box in grid.boxes.values() if box.column == channel - 1]
        ahead = [box for box in grid.boxes.values() if box.column == channel]
        x += max((_label_room(box, read) for box in behind), default=0.0) + CHANNEL_PAD
        for net in grid.nets:
            if channel in net.turns:
                net.turns[channel] = x + TRACK * net.turns[channel]
        x += TRACK * max(count - 1, 0) + CHANNEL_PAD
        x += max((_stub_room(box) for box in ahead), default=0.0)
        width = max((box.least_width() for box in ahead), default=0.0)
        for box in ahead:
            box.x, box.width = x, width
        x += width
    return x + MARGIN


def _label_room(box: Box, read: set[End]) -> float:
    """[px] What the names of messages need behind a box."""
    outputs = box.placed.contract.outputs
    labels = [text_width(outputs[port].__name__, LABEL_SIZE) for port in outputs if (box.name, port) in read]
    return TIP + max(labels, default=0.0)


def _stub_room(box: Box) -> float:
    """[px] What arrows, delays and constant inputs need in front of a box."""
    rooms = [0.0]
    for port in box.placed.contract.inputs:
        stub = stub_text(box.placed, port)
        rooms.append(ARROW + text_width(delay_text(box.placed, port), LABEL_SIZE))
        rooms.append(STUB + 4.0 + text_width(stub, LABEL_SIZE) if stub else 0.0)
    return max(rooms)


def _draw_lines(net: Net, grid: Grid, levels: Levels) -> None:
    """Find the corners of the lines of a net."""
    source = grid.boxes[net.source[0]]
    start = (source.x + source.width + TIP, source.port_y(net.source[1]))
    for part, port in net.targets:
        target = grid.boxes[part]
        end = (target.x, target.port_y(port))
        leave = net.turns.get(source.column + 1, start[0])
        arrive = net.turns.get(target.column, end[0])
        corners = [start, (leave, start[1])]
        if target.column != source.column + 1:
            bus = _bus_y(net, grid, levels)
            assert bus is not None
            corners += [(leave, bus), (arrive, bus), (arrive, end[1])]
        else:
            corners += [(leave, end[1])]
        net.lines[part, port] = _simplified([*corners, end])


def _simplified(corners: list[Point]) -> list[Point]:
    """The corners without those at which the line goes straight on."""
    kept = corners[:1]
    for corner, following in pairwise(corners[1:]):
        if not any(kept[-1][axis] == corner[axis] == following[axis] for axis in (0, 1)):
            kept.append(corner)
    return [*kept, corners[-1]]
