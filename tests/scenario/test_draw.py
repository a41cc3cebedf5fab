"""The block diagram of a scenario: complete, readable, and the same every time."""

import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

import cardan as cd
from cardan.errors import MissingExtra, SettingError
from cardan.scenario.diagram_layout import text_width
from cardan.scenario.diagram_lines import Wire, arrange
from parts import Count, Gain, Lag, Number, Ramp, Relay

SVG = "{http://www.w3.org/2000/svg}"


class MixOutputs(NamedTuple):
    total: Number
    difference: Number


@cd.task
class Mix(NamedTuple):
    """Several inputs and outputs, of which some may stay unconnected."""

    def step(self, first: Number, second: Number = Number(1.0), third: Number = Number(2.0)) -> MixOutputs:
        return MixOutputs(Number(first.value + second.value + third.value), Number(first.value - second.value))


class Seen(NamedTuple):
    """What a reader of the diagram sees: rectangles are (left, top, right, bottom), lines have two ends."""

    size: tuple[float, float]
    boxes: dict[str, tuple[float, ...]]
    lines: list[tuple[str, str, list[tuple[float, float]]]]
    branches: dict[str, list[tuple[float, float]]]
    texts: list[tuple[str, tuple[float, ...]]]

    @property
    def segments(self):
        return [(source, segment) for source, _, points in self.lines for segment in pairwise(points)]


def look(path: Path) -> Seen:
    root = ET.parse(path).getroot()
    seen = Seen((float(root.get("width")), float(root.get("height"))), {}, [], {}, [])
    for group in root.iter(f"{SVG}g"):
        if group.get("data-part"):
            x, y, width, height = numbers(group.find(f"{SVG}rect"), "x", "y", "width", "height")
            seen.boxes[group.get("data-part")] = (x, y, x + width, y + height)
        elif group.get("data-source"):
            circles = [numbers(circle, "cx", "cy") for circle in group.findall(f"{SVG}circle")]
            seen.branches[group.get("data-source")] = circles
        for line in group.findall(f"{SVG}path"):
            values = [float(number) for number in re.findall(r"-?[\d.]+", line.get("d"))]
            points = list(zip(values[::2], values[1::2], strict=True))
            seen.lines.append((group.get("data-source", "stub"), line.get("data-target", ""), points))
    for text in root.iter(f"{SVG}text"):
        seen.texts.append((text.text, text_area(text)))
    return seen


def numbers(element: ET.Element, *names: str) -> tuple[float, ...]:
    return tuple(float(element.get(name)) for name in names)


def text_area(text: ET.Element) -> tuple[float, ...]:
    x, y, size = numbers(text, "x", "y", "font-size")
    width = text_width(text.text, size, text.get("font-weight") == "bold")
    if text.get("transform"):
        return (x - 0.76 * size, y - width / 2, x + 0.24 * size, y + width / 2)
    left = x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor")]
    return (left, y - 0.76 * size, left + width, y + 0.24 * size)


def overlaps(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def area(segment) -> tuple[float, ...]:
    """The rectangle around a line, widened so that one which only just touches is found."""
    (x1, y1), (x2, y2) = segment
    return (min(x1, x2) - 0.1, min(y1, y2) - 0.1, max(x1, x2) + 0.1, max(y1, y2) + 0.1)


def loop() -> cd.Scenario:
    """Two rates, a loop through a task, a task that reads itself, a constant, a default, and a part that is alone."""
    scn = cd.Scenario("loop")
    plant = scn.add(Lag(), name="plant")
    sensor = scn.add(Gain(), name="sensor", source=plant.signal)
    filter_ = scn.add(Mix(), name="filter", every=0.1, first=sensor.signal, third=Number(3.0))
    control = scn.add(Mix(), name="control", every=0.5, first=filter_.total, second=filter_.difference)
    scn.connect(control.total, control.third, delay=2)
    scn.connect(control.total, plant.source, delay=1)
    scn.add(Ramp(), name="alone")
    scn.add(Mix(), name="listening", every=0.5, first=filter_.total)
    return scn


def tangle(seed: int, count: int = 60) -> cd.Scenario:
    """Parts of all kinds, connected at random, forwards and backwards."""
    rng = random.Random(seed)
    scn = cd.Scenario(f"tangle {seed}")
    kinds = [Ramp, Gain, Lag, Count, Relay, Mix]
    handles = []
    for i in range(count):
        kind = rng.choice(kinds)
        every = rng.choice([0.1, 0.5, 2.0]) if kind in (Count, Relay, Mix) else None
        handles.append(scn.add(kind(), name=f"part_{i}", every=every))
    for i, handle in enumerate(handles):
        placed = scn.parts[handle.name]
        for port in placed.contract.inputs:
            other = handles[rng.randrange(count) if rng.random() < 0.3 else max(0, i - rng.randint(1, 6))]
            output = rng.choice(list(scn.parts[other.name].contract.outputs))
            delay = rng.randint(0, 2) if placed.is_task else 0
            if rng.random() < 0.8:
                scn.connect(getattr(other, output), getattr(handle, port), delay=delay)
    return scn


def chain(count: int) -> cd.Scenario:
    scn = cd.Scenario("chain")
    part = scn.add(Ramp())
    for i in range(count):
        part = scn.add(Gain(), name=f"gain_{i}", source=part.signal)
    return scn


def islands(count: int) -> cd.Scenario:
    scn = cd.Scenario("islands")
    for i in range(count):
        scn.add(Lag(), name=f"lag_{i}")
    return scn


SCENARIOS = {
    "empty": lambda: cd.Scenario("empty"),
    "one part": lambda: islands(1),
    "islands": lambda: islands(60),
    "chain": lambda: chain(60),
    "loop": loop,
    **{f"tangle {seed}": lambda seed=seed: tangle(seed) for seed in range(6)},
}


@pytest.fixture(params=SCENARIOS, scope="module")
def seen(request, tmp_path_factory) -> Seen:
    return look(SCENARIOS[request.param]().draw(tmp_path_factory.mktemp("draw") / "diagram.svg"))


# ---- what it shows ---------------------------------------------------------------------------------------------------


def test_every_part_and_port_appears_in_the_diagram(tmp_path):
    scn = loop()
    root = ET.parse(scn.draw(tmp_path / "diagram.svg")).getroot()
    groups = {group.get("data-part"): group for group in root.iter(f"{SVG}g") if group.get("data-part")}
    assert list(groups) == list(scn.parts)
    for name, placed in scn.parts.items():
        texts = [text.text for text in groups[name].iter(f"{SVG}text")]
        assert {name, placed.contract.label, *placed.contract.inputs, *placed.contract.outputs} <= set(texts)
        marks = [mark.get("class") for mark in groups[name].iter(f"{SVG}polygon")]
        assert marks.count("input") == len(placed.contract.inputs)
        assert marks.count("output") == len(placed.contract.outputs)


def test_every_connection_is_a_line_from_its_output_to_its_input(tmp_path):
    scn = loop()
    seen = look(scn.draw(tmp_path / "diagram.svg"))
    wanted = {
        (connection.source.path, f"{placed.name}.{port}")
        for placed in scn.parts.values()
        for port, connection in placed.inputs.items()
        if connection.source
    }
    lines = [line for line in seen.lines if line[1]]
    assert {(source, target) for source, target, _ in lines} == wanted
    assert len(lines) == len(wanted)
    for source, target, points in lines:
        sender, reader = (seen.boxes[path.split(".")[0]] for path in (source, target))
        begins_at_output = points[0][0] == sender[2] + 7.0 and sender[1] < points[0][1] < sender[3]
        assert begins_at_output or points[0] in seen.branches[source]
        assert 0.0 < reader[0] - points[-1][0] < 8.0
        assert reader[1] < points[-1][1] < reader[3]


def test_messages_delays_rates_and_unconnected_inputs_are_written(tmp_path):
    texts = [text for text, _ in look(loop().draw(tmp_path / "diagram.svg")).texts]
    for text in ("loop", "Number", "delay 1", "delay 2", "constant", "default", "every stage"):
        assert text in texts
    # the title of the lane and one line in each of its two tasks
    assert texts.count("every 0.5 s") == 3


def test_an_input_that_still_needs_a_source_is_marked(tmp_path):
    scn = cd.Scenario()
    scn.add(Gain())
    assert "not connected" in [text for text, _ in look(scn.draw(tmp_path / "diagram.svg")).texts]


def test_an_offset_is_written_beside_the_period(tmp_path):
    scn = cd.Scenario()
    scn.add(Count(), every=0.5, offset=0.25)
    assert "every 0.5 s from 0.25 s" in [text for text, _ in look(scn.draw(tmp_path / "diagram.svg")).texts]


def test_parts_of_one_rate_share_a_lane(tmp_path):
    scn = loop()
    root = ET.parse(scn.draw(tmp_path / "diagram.svg")).getroot()
    lanes = [group for group in root.iter(f"{SVG}g") if group.get("class").startswith("lane")]
    assert [lane.find(f"{SVG}text").text for lane in lanes] == ["every stage", "every 0.1 s", "every 0.5 s"]
    assert [lane.get("class") for lane in lanes] == ["lane models", "lane tasks", "lane tasks"]
    boxes = look(tmp_path / "diagram.svg").boxes
    for lane, period in zip(lanes, (0, 100_000_000, 500_000_000), strict=True):
        top, height = numbers(lane.find(f"{SVG}rect"), "y", "height")
        inside = {name for name, box in boxes.items() if top < box[1] and box[3] < top + height}
        assert inside == {name for name, placed in scn.parts.items() if placed.period == period}


def test_messages_flow_from_left_to_right_except_where_a_loop_closes(tmp_path):
    boxes = look(loop().draw(tmp_path / "diagram.svg")).boxes
    assert boxes["plant"][2] < boxes["sensor"][0] < boxes["filter"][0] < boxes["control"][0]


# ---- that it can be read ---------------------------------------------------------------------------------------------


def test_boxes_do_not_overlap(seen):
    assert not [names for names in combinations(seen.boxes, 2) if overlaps(*(seen.boxes[name] for name in names))]


def test_lines_do_not_pass_through_boxes(seen):
    for source, segment in seen.segments:
        x1, y1, x2, y2 = area(segment)
        # the stub of a constant input touches its own box
        assert not [name for name, box in seen.boxes.items() if overlaps((x1, y1, x2 - 0.2, y2), box)], source


def test_lines_do_not_pass_through_text(seen):
    for source, segment in seen.segments:
        assert not [text for text, place in seen.texts if overlaps(area(segment), place)], source


def test_lines_of_different_messages_never_lie_on_one_another(seen):
    level = [(source, *area(segment)) for source, segment in seen.segments if segment[0][1] == segment[1][1]]
    upright = [(source, *area(segment)) for source, segment in seen.segments if segment[0][0] == segment[1][0]]
    for lines in (level, upright):
        assert not [(a[0], b[0]) for a, b in combinations(lines, 2) if a[0] != b[0] and overlaps(a[1:], b[1:])]


def test_text_stays_clear_of_other_text_and_inside_the_diagram(seen):
    assert not [(a[0], b[0]) for a, b in combinations(seen.texts, 2) if overlaps(a[1], b[1])]
    for text, (left, top, right, bottom) in seen.texts:
        assert left >= 0.0 and top >= 0.0 and right <= seen.size[0] and bottom <= seen.size[1], text


def test_text_stays_inside_its_box(tmp_path):
    scn = cd.Scenario()
    scn.add(Mix(), name="a_part_with_a_name_that_is_MUCH_longer_than_its_class", every=0.123456789)
    seen = look(scn.draw(tmp_path / "diagram.svg"))
    (box,) = seen.boxes.values()
    for text, place in seen.texts:
        if overlaps(place, box):
            assert box[0] < place[0] and place[2] < box[2], text


def test_wires_are_arranged_so_that_they_do_not_cross_where_that_can_be():
    # each comes from the left and leaves to the right further down
    inner, outer = Wire(20.0, 30.0, [20.0], [30.0]), Wire(10.0, 25.0, [10.0], [25.0])
    assert arrange([inner, outer], 0.0) == [0, 1]
    assert arrange([outer, inner], 0.0) == [1, 0]
    assert arrange([inner, Wire(50.0, 60.0, [50.0], [60.0])], 8.0) == [0, 0]


# ---- the file --------------------------------------------------------------------------------------------------------


def test_the_same_scenario_gives_the_same_bytes(tmp_path):
    first, second = (tangle(3).draw(tmp_path / name).read_bytes() for name in ("a.svg", "b.svg"))
    assert first == second


def test_the_diagram_does_not_depend_on_the_order_of_sets(tmp_path):
    here = Path(__file__)
    code = f"import sys; sys.path[:0] = {[str(here.parent), str(here.parents[1])]!r}; import test_draw as t; "
    code += "t.tangle(3).draw(sys.argv[1]); t.islands(9).draw(sys.argv[2])"
    files = []
    for seed in ("1", "2"):
        names = [str(tmp_path / f"{name}{seed}.svg") for name in ("tangle", "islands")]
        subprocess.run([sys.executable, "-c", code, *names], check=True, env=os.environ | {"PYTHONHASHSEED": seed})
        files.append([Path(name).read_bytes() for name in names])
    assert files[0] == files[1]


def test_names_are_escaped(tmp_path):
    scn = cd.Scenario('a < b & "c" > \x00 d')
    scn.add(Ramp())
    root = ET.parse(scn.draw(tmp_path / "diagram.svg")).getroot()
    assert root.find(f"{SVG}title").text == 'a < b & "c" > \ufffd d'
    assert root.find(f"{SVG}text").text == 'a < b & "c" > \ufffd d'


def test_the_file_has_a_size_and_a_white_background(tmp_path):
    root = ET.parse(loop().draw(tmp_path / "diagram.svg")).getroot()
    width, height = root.get("width"), root.get("height")
    assert root.get("viewBox") == f"0 0 {width} {height}"
    background = root.find(f"{SVG}rect")
    assert (background.get("width"), background.get("height"), background.get("fill")) == (width, height, "#ffffff")


def test_drawing_returns_the_path_and_leaves_the_scenario_open(tmp_path):
    scn = loop()
    path = scn.draw(str(tmp_path / "diagram.SVG"))
    assert path == tmp_path / "diagram.SVG" and path.exists()
    scn.add(Ramp(), name="another")


def test_another_kind_of_file_is_refused(tmp_path):
    path = tmp_path / "diagram.png"
    with pytest.raises(SettingError) as error:
        loop().draw(path)
    assert str(error.value) == f"The diagram cannot be written to {path}.\n  Use a name that ends in '.svg'."
    assert not path.exists()


def test_a_missing_folder_is_named(tmp_path):
    path = tmp_path / "missing" / "diagram.svg"
    with pytest.raises(SettingError) as error:
        loop().draw(path)
    assert str(error.value) == (
        f"The diagram cannot be written to {path}: there is no folder {path.parent}.\n  Make the folder first."
    )


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    path = tmp_path / "diagram.svg"
    path.mkdir()
    with pytest.raises(SettingError, match=re.escape(f"The diagram cannot be written to {path}: ")):
        loop().draw(path)


def test_without_grandalf_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "grandalf.graphs", None)
    with pytest.raises(MissingExtra) as error:
        loop().draw(tmp_path / "diagram.svg")
    assert str(error.value) == "Drawing needs the package grandalf.\n  Install it with `pip install cardan[draw]`."
    assert not (tmp_path / "diagram.svg").exists()


def test_the_services_of_a_mechanism_stand_in_the_diagram(tmp_path):
    from cardan import messages

    mechanism = cd.Mechanism("sat")
    bus = mechanism.add_body("bus", joint=cd.Free(), mass=1.0, inertia_B=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    scn = cd.Scenario("sat", mechanism=mechanism)
    scn.connect(messages.BodyWrench(), bus.wrench)
    scn.connect(messages.BodyWrench(), bus.wrench)
    text = scn.draw(tmp_path / "sat.svg").read_text()
    for word in (
        "sat kinematics",
        "ForwardKinematics",
        "sat dynamics",
        "ForwardDynamics",
        "bus.wrench",
        "bus.wrench (2)",
    ):
        assert word in text
