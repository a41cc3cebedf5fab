"""How much a file asks MuJoCo to make, found out before it is made.

A few numbers in a file multiply: a `count` of 2,000,000,000 is ten letters long, and MuJoCo makes copies until the
memory is full. It makes some of them in a time that grows with the square of their number, and cannot be stopped. So
the text is looked through first, as MuJoCo's own reader would, which takes more than XML allows.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cardan.errors import MechanismError

MOST_COPIES = 20_000  # elements that all <replicate> of a file make; some ten seconds
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"""<\s*(/?)([A-Za-z_][\w.-]*)((?:"[^"]*"|'[^']*'|[^>"'])*?)(/?)>""")
_ATTRIBUTE = re.compile(r"""([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_OTHER_FILES = ("include", "model")  # elements that name one
_MOST_FILES = 200


class _Size(NamedTuple):
    """Attributes of an element whose numbers are multiplied, what their product counts, and how many there may be."""

    element: str
    attributes: tuple[str, ...]
    counts: str
    most: int


_USERS = ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
_SIZES = (
    _Size("composite", ("count",), "bodies", 2_000),
    _Size("flexcomp", ("count",), "points", 20_000),
    _Size("hfield", ("nrow", "ncol"), "heights", 4_000_000),
    _Size("texture", ("width", "height"), "pixels", 32_000_000),
    _Size("size", ("nkey",), "keyframes", 100_000),
    _Size("size", ("nuserdata",), "numbers", 1_000_000),
    *(_Size("size", (f"nuser_{name}",), "numbers each", 1_000) for name in _USERS),
)


class _Tag(NamedTuple):
    """A tag of a file: `</name>` where it ends an element, `<name/>` where it is all of one."""

    name: str
    attributes: dict[str, str]
    line: int
    is_end: bool
    is_whole: bool


def check_extent(text: str, source: str, folder: Path | None) -> None:
    """Raise unless MuJoCo can be expected to make all that the text of a file asks for.

    Args:
        text: The text.
        source: What errors call it.
        folder: What files that it includes are relative to.
    """
    _Count(source, folder or Path()).add(text, source, 1)


class _Count:
    """Of elements that are made by copying, over a file and all that it includes."""

    def __init__(self, source: str, folder: Path) -> None:
        self._source, self._folder = source, folder
        self._copies, self._files = 0, 0

    def add(self, text: str, source: str, times: int) -> None:
        """Count what a text makes that is itself taken so many times."""
        replicates: list[tuple[_Tag, int]] = []  # those that are open, each with how often all it holds is made
        for tag in _tags(text):
            if tag.is_end:
                if tag.name == "replicate" and replicates:
                    replicates.pop()
                continue
            made = replicates[-1][1] if replicates else times
            if tag.name == "replicate":
                # one that is empty is worked through as well
                made *= max(1, _whole_number(tag.attributes.get("count", "1")))
                if not tag.is_whole:
                    replicates.append((tag, made))
            self._check_size(tag, source)
            self._copies += made if made > 1 else 0
            if self._copies > MOST_COPIES:
                self._refuse(replicates[-1][0] if replicates else tag, source)
            if tag.name in _OTHER_FILES and "file" in tag.attributes:
                self._add_file(tag.attributes["file"], made)

    def _add_file(self, name: str, times: int) -> None:
        self._files += 1
        path = self._folder / name
        if self._files <= _MOST_FILES and "\0" not in name and path.is_file():
            self.add(path.read_text(encoding="utf-8", errors="replace"), str(path), times)

    def _check_size(self, tag: _Tag, source: str) -> None:
        for size in _SIZES:
            if tag.name != size.element or not any(name in tag.attributes for name in size.attributes):
                continue
            words = [word for name in size.attributes for word in tag.attributes.get(name, "").split()]
            count = math.prod(max(1, _whole_number(word)) for word in words)
            if count > size.most:
                written = " ".join(f'{n}="{tag.attributes[n]}"' for n in size.attributes if n in tag.attributes)
                raise MechanismError(
                    f"`{source}`: <{size.element} {written}> in line {tag.line} asks for {count:,} {size.counts}.\n"
                    f"  At most {size.most:,} are made. Lower the number."
                )

    def _refuse(self, tag: _Tag, source: str) -> None:
        count = tag.attributes.get("count", "")
        raise MechanismError(
            f'`{source}`: with <replicate count="{count}"> in line {tag.line}, the file makes {self._copies:,} '
            "elements by copying.\n"
            f"  At most {MOST_COPIES:,} are made. Lower the count, or that of a <replicate> around it."
        )


def _tags(text: str) -> Iterator[_Tag]:
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    line, at = 1, 0
    for found in _TAG.finditer(text):
        line, at = line + text.count("\n", at, found.start()), found.start()
        attributes = {name: double or single for name, double, single in _ATTRIBUTE.findall(found[3])}
        yield _Tag(found[2], attributes, line, bool(found[1]), bool(found[4]))


def _whole_number(word: str) -> int:
    """The number that a word begins with, as C's `strtol` reads it; 0 where there is none."""
    digits = re.match(r"\s*\+?(\d{1,30})", word)
    return int(digits[1]) if digits else 0
