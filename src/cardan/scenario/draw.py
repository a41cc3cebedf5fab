"""The block diagram of a scenario as an SVG file."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from cardan.errors import SettingError
from cardan.files import not_written, written_whole
from cardan.scenario.diagram_layout import (
    LABEL_SIZE,
    NAME_SIZE,
    TEXT_SIZE,
    TITLE_SIZE,
    Box,
    Net,
    Point,
    delay_text,
    rate_text,
    stub_text,
)
from cardan.scenario.diagram_lines import ARROW, LANE_STRIP, MARGIN, STUB, TIP, Diagram, lay_out
from cardan.scenario.scenario import Scenario

_FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_INK, _MUTED, _LINE, _INPUT, _OUTPUT = "#1d2530", "#79838f", "#46525f", "#2b6cb0", "#dd7a1b"
_PANEL = {"model": "#edf1f6", "task": "#f1f5ea"}
_HEAD = {"model": "#d3e0ee", "task": "#dbe8c9"}
_EDGE = {"model": "#4a6785", "task": "#5f7d3c"}
_RADIUS = 5.0  # [px] of corners

# what XML 1.0 cannot contain
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def draw(scenario: Scenario, path: Path) -> Path:
    """Write the block diagram of parts and messages to `path`."""
    if path.suffix.lower() != ".svg":
        raise SettingError(f"The diagram cannot be written to {path}.\n  Use a name that ends in '.svg'.")
    if not path.parent.is_dir():
        raise SettingError(
            f"The diagram cannot be written to {path}: there is no folder {path.parent}.\n  Make the folder first."
        )
    root = _svg(scenario, lay_out(scenario))
    ET.indent(root)
    try:
        with written_whole(path) as unfinished:
            unfinished.write_text(ET.tostring(root, encoding="unicode") + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise SettingError(not_written("The diagram", path, error)) from error
    return path


def _svg(scenario: Scenario, diagram: Diagram) -> ET.Element:
    width, height = _number(diagram.width), _number(diagram.height)
    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "width": width, "height": height})
    root.set("viewBox", f"0 0 {width} {height}")
    root.set("font-family", _FONTS)
    _add(root, "title").text = _NOT_XML.sub("\ufffd", scenario.name)
    _add(root, "rect", width=diagram.width, height=diagram.height, fill="#ffffff")
    _text(root, MARGIN, MARGIN + 12.0, scenario.name, TITLE_SIZE, weight="bold")
    _draw_lanes(root, diagram)
    for net in diagram.nets:
        _draw_net(root, net, diagram)
    for box in diagram.boxes.values():
        _draw_box(root, box)
    return root


def _draw_lanes(root: ET.Element, diagram: Diagram) -> None:
    for lane in diagram.lanes:
        kind = "task" if lane.period else "model"
        group = _add(root, "g", kind=f"lane {kind}s")
        width = diagram.width - 2.0 * MARGIN
        _add(group, "rect", x=MARGIN, y=lane.y, width=width, height=lane.height, rx=6.0, fill=_PANEL[kind])
        x, y = MARGIN + LANE_STRIP / 2.0 + 4.0, lane.y + lane.height / 2.0
        title = _text(group, x, y, rate_text(lane.period), TEXT_SIZE, "middle", _EDGE[kind], "bold")
        title.set("transform", f"rotate(-90 {_numbers((x, y))})")


def _draw_box(root: ET.Element, box: Box) -> None:
    placed, contract = box.placed, box.placed.contract
    edge = _EDGE[contract.kind]
    group = _add(root, "g", kind=f"part {contract.kind}")
    group.set("data-part", box.name)
    _add(group, "rect", x=box.x, y=box.y, width=box.width, height=box.height, fill="#ffffff", stroke=edge)
    head = box.header - 4.0
    _add(group, "rect", x=box.x, y=box.y, width=box.width, height=head, fill=_HEAD[contract.kind], stroke=edge)
    middle = box.x + box.width / 2.0
    _text(group, middle, box.y + 17.0, box.name, NAME_SIZE, "middle", weight="bold")
    _text(group, middle, box.y + 32.0, contract.label, TEXT_SIZE, "middle")
    if placed.is_task:
        _text(group, middle, box.y + 45.0, rate_text(placed.period, placed.offset), TEXT_SIZE, "middle", edge)

    for port in contract.inputs:
        y = box.port_y(port)
        _triangle(group, "input", (box.x, y), TIP, 4.0, _INPUT)
        _text(group, box.x + 12.0, y + 4.0, port, TEXT_SIZE)
        stub = stub_text(placed, port)
        if stub:
            _add(group, "path", kind="stub", d=_path([(box.x - STUB, y), (box.x, y)], []), stroke=_MUTED)
            _text(group, box.x - STUB - 4.0, y + 3.5, stub, LABEL_SIZE, "end", _MUTED)
    for port in contract.outputs:
        y = box.port_y(port)
        _triangle(group, "output", (box.x + box.width, y), TIP, 4.0, _OUTPUT)
        _text(group, box.x + box.width - 6.0, y + 4.0, port, TEXT_SIZE, "end")


def _draw_net(root: ET.Element, net: Net, diagram: Diagram) -> None:
    part, port = net.source
    group = _add(root, "g", kind="message")
    group.set("data-source", f"{part}.{port}")
    branches = _branches(list(net.lines.values()))
    drawn: set[Point] = set()
    # what several lines share is drawn once, and not dashed if one of them has no delay
    delays = {end: delay_text(diagram.boxes[end[0]].placed, end[1]) for end in net.lines}
    for end in sorted(net.lines, key=lambda end: bool(delays[end])):
        corners = _divided(net.lines[end], branches)
        shared = [index for index, corner in enumerate(corners) if corner in drawn]
        drawn.update(corners)
        x, y = corners[-1]
        way = [*corners[max(shared, default=0) : -1], (x - ARROW + 2.0, y)]
        line = _add(group, "path", kind="line", d=_path(way, branches), stroke=_LINE, fill="none")
        line.set("data-target", ".".join(end))
        if delays[end]:
            line.set("stroke-dasharray", "5 3")
            _text(group, x - ARROW, y - 4.0, delays[end], LABEL_SIZE, "end", _LINE)
        _triangle(group, "arrow", (x - ARROW, y), ARROW, 3.0, _LINE)
    for x, y in branches:
        _add(group, "circle", cx=x, cy=y, r=2.3, fill=_LINE)
    x, y = next(iter(net.lines.values()))[0]
    message = diagram.boxes[part].placed.contract.outputs[port].__name__
    _text(group, x + 3.0, y - 4.0, message, LABEL_SIZE, fill=_LINE)


# ---- lines -----------------------------------------------------------------------------------------------------------


def _branches(lines: list[list[Point]]) -> list[Point]:
    """The corners at which the lines of a net part."""
    segments = [segment for line in lines for segment in pairwise(line)]
    found: dict[Point, None] = {}
    for corner in [corner for line in lines for corner in line[1:-1]]:
        passing = [segment for segment in segments if _is_between(corner, *segment)]
        ways = {_direction(corner, end) for segment in passing for end in segment if end != corner}
        if len(ways) > 2:
            found[corner] = None
    return list(found)


def _divided(line: list[Point], branches: list[Point]) -> list[Point]:
    """A line with the branches it passes among its corners."""
    divided = line[:1]
    for start, end in pairwise(line):
        passed = [branch for branch in branches if branch not in (start, end) and _is_between(branch, start, end)]
        divided += sorted(passed, key=lambda branch: abs(branch[0] - start[0]) + abs(branch[1] - start[1]))
        divided.append(end)
    return divided


def _is_between(point: Point, start: Point, end: Point) -> bool:
    return all(min(start[axis], end[axis]) <= point[axis] <= max(start[axis], end[axis]) for axis in (0, 1))


def _direction(start: Point, end: Point) -> tuple[bool, bool, bool, bool]:
    return end[0] > start[0], end[0] < start[0], end[1] > start[1], end[1] < start[1]


def _path(corners: list[Point], sharp: list[Point]) -> str:
    """A line through `corners` as SVG writes it; those that are not `sharp` are rounded."""
    steps = [f"M {_numbers(corners[0])}"]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        if corner in sharp:
            steps.append(f"L {_numbers(corner)}")
        else:
            start, end = _towards(corner, before), _towards(corner, after)
            steps.append(f"L {_numbers(start)} Q {_numbers(corner)} {_numbers(end)}")
    return " ".join([*steps, f"L {_numbers(corners[-1])}"])


def _towards(start: Point, end: Point) -> Point:
    """The point one radius from `start`, but at most half of the way."""
    share = min(_RADIUS / (abs(end[0] - start[0]) + abs(end[1] - start[1])), 0.5)
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


# ---- elements --------------------------------------------------------------------------------------------------------


def _triangle(parent: ET.Element, kind: str, base: Point, length: float, half: float, fill: str) -> None:
    """A triangle that points to the right, from the middle of its base."""
    x, y = base
    points = [x, y - half, x + length, y, x, y + half]
    _add(parent, "polygon", kind=kind, points=_numbers(points), fill=fill)


def _text(
    parent: ET.Element,
    x: float,
    y: float,
    text: str,
    size: float,
    anchor: str = "start",
    fill: str = _INK,
    weight: str = "normal",
) -> ET.Element:
    element = _add(parent, "text", x=x, y=y, fill=fill)
    element.attrib |= {"font-size": _number(size), "font-weight": weight, "text-anchor": anchor}
    element.text = _NOT_XML.sub("\ufffd", text)
    return element


def _add(parent: ET.Element, tag: str, kind: str = "", **attributes: float | str) -> ET.Element:
    element = ET.SubElement(parent, tag, {"class": kind} if kind else {})
    for name, value in attributes.items():
        element.set(name, value if isinstance(value, str) else _number(value))
    return element


def _numbers(values: Iterable[float]) -> str:
    return " ".join(map(_number, values))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
