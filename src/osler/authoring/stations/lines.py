"""The lines of a station's papers, each with its part and its place (file, heading, line).

A heading is one of Markdown, a bold line, a line in capitals, or a short line that ends with a colon or names
a part; the text after "Label:" may stand on the same line. Tables keep their cells. Lines that a PDF has broken
are joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath
from typing import Final, Literal, NamedTuple

from osler.authoring.scenarios.layout import CALLED
from osler.authoring.scenarios.markdown import Unit, units
from osler.authoring.stations.headings import Part, heading, plain_heading

_OF_ROLE: Final[dict[str, Part]] = {
    "examinee": "candidate",
    "sp_actor": "actor",
    "environment_controller": "findings",
    "evaluator": "marks",
}
_BOLD: Final = re.compile(r"\s*(?:>\s*)?(\*\*|__)(?=\S)[^*_]{1,120}(?<=\S)\1\s*:?\s*")
_BOLD_LABEL: Final = re.compile(r"^\s*(?:[-*+•]\s+)?(?:\*\*|__)[^*_]{1,60}?:?(?:\*\*|__)\s*:?\s+\S")
_LABEL: Final = re.compile(r"^([^:.?!\"“]{2,60}?)\s*:\s+(\S.*)$")
_LEVELS: Final = re.compile(r"\s*(#{1,6})\s")
_ENDS: Final = re.compile(r"[.?!:;\"”)\]]\s*$")
_LONG: Final = 50
_STRONGEST, _BY_LOOK = 1, 7
"""Levels of headings: those of Markdown are 1 to 6, others stand below them."""
_INSIDE: Final[frozenset[Part]] = frozenset({"actor", "marks", "errors", "examiner"})
"""The parts whose paragraphs may be headed "History" or "Examination"."""

Kind = Literal["line", "entry", "box", "row"]


class Place(NamedTuple):
    """A place in the source: the file, the heading above, and the line."""

    file: str
    heading: str
    line: int

    def __str__(self) -> str:
        under = f', under "{self.heading}"' if self.heading else ""
        return f"{self.file}{under}, line {self.line}"


class SourceLine(NamedTuple):
    """A line, a list entry or a table's row. `under` is the nearest heading, `label` the words before a colon
    that head the line itself; `table` numbers the table, from 1, and `merged` the columns of a row that have the
    text of the cell above, with which they are merged."""

    text: str
    kind: Kind
    part: Part
    place: Place
    under: str = ""
    cells: tuple[str, ...] = ()
    table: int = 0
    merged: frozenset[int] = frozenset()


class _At(NamedTuple):
    part: Part
    level: int
    under: str


def lines_of(name: str, text: str) -> list[SourceLine]:
    """The lines of one file in order. `name` is its path; folders and names that say a role set the part."""
    return list(_lines(name, text))


def _lines(name: str, text: str) -> Iterator[SourceLine]:
    path = PurePosixPath(name)
    role = next((CALLED[one.lower()] for one in path.parts[:-1] if one.lower() in CALLED), None)
    named = heading(re.sub(r"[_-]+", " ", path.stem))
    part: Part = _OF_ROLE[role] if role else named.part if named and named.strong else "about"
    at = _At(part, _STRONGEST if part != "about" else 0, "")
    raw = text.splitlines()
    table = last_row = 0
    for line in _joined(_by_line(text), raw):
        first = line[0]
        if first.kind == "cell":
            table += first.row != last_row
            last_row = first.row
            cells = _cells(line)
            own = [unit.text for unit in line if not unit.merged]
            result = _heading_row(cells, at.part) if len(own) == len(line) else None
            if result is not None:
                at = _after(at, result[0], _BY_LOOK)
                if not result[1]:
                    continue
                yield SourceLine(result[1], "line", at.part, Place(name, at.under, first.line), at.under)
                continue
            merged = frozenset(unit.column for unit in line if unit.merged)
            place = Place(name, at.under, first.line)
            yield SourceLine(": ".join(own), "row", at.part, place, at.under, cells, table, merged)
            continue
        last_row = 0
        label, rest, level = _split(first, raw[first.line - 1])
        if label:
            at = _after(at, label, level)
            if at.part == "about" and heading(label) is None:
                yield SourceLine(label, "line", "about", Place(name, "", first.line))
        if rest:
            kind: Kind = first.kind if first.kind in ("entry", "box") else "line"
            yield SourceLine(rest, kind, at.part, Place(name, at.under, first.line), at.under)


def _by_line(text: str) -> Iterator[list[Unit]]:
    return (list(each) for _, each in groupby(units(text), key=lambda unit: unit.line))


def _joined(lines: Iterator[list[Unit]], raw: Sequence[str]) -> Iterator[list[Unit]]:
    """The same, with the pieces of a broken sentence joined to its first line."""
    units: list[Unit] | None = None
    end = 0
    for line in lines:
        one = line[0]
        if units is not None and one.line == end + 1 and _goes_on(units[0], one, raw):
            units = [units[0]._replace(text=f"{units[0].text} {one.text}")]
        else:
            if units is not None:
                yield units
            units = line
        end = one.line
    if units is not None:
        yield units


def _goes_on(before: Unit, one: Unit, raw: Sequence[str]) -> bool:
    if (
        one.kind != "line"
        or before.kind not in ("line", "entry", "box")
        or _BOLD.fullmatch(raw[one.line - 1])
    ):
        return False
    if _is_heading(before.text, raw[before.line - 1]) or _is_heading(one.text, raw[one.line - 1]):
        return False
    last = raw[one.line - 2].strip()
    return not _ENDS.search(last) and (
        one.text[:1].islower() or (len(last) >= _LONG and before.kind == "line")
    )


def _cells(line: Sequence[Unit]) -> tuple[str, ...]:
    cells = [""] * (max(unit.column for unit in line) + 1)
    for unit in line:
        cells[unit.column] = unit.text
    return tuple(cells)


def _heading_row(cells: Sequence[str], part: Part) -> tuple[str, str] | None:
    """The heading and the text of a row that is laid out as a part: "Candidate instructions | You are ...".

    Alone in a row of a mark sheet, "Results" heads its items.
    """
    filled = [cell for cell in cells if cell]
    result = heading(filled[0]) if filled else None
    if result is None or not result.strong or result.part == "about" or len(filled) > 2:
        return None
    if len(filled) == 1:
        if part in ("marks", "errors") and result.part not in ("marks", "errors"):
            return None
        return (filled[0], "") if len(cells) <= 2 else None
    return (filled[0], filled[1]) if len(filled[1].split()) > 6 and result.part != "findings" else None


def _split(unit: Unit, raw: str) -> tuple[str, str, int]:
    """The heading of a line, the text after it, and the heading's level."""
    text = unit.text
    if unit.kind == "heading":
        match = _LEVELS.match(raw)
        return text, "", len(match[1]) if match else _STRONGEST
    if unit.kind == "line" and _is_heading(text, raw):
        return text.rstrip(": "), "", _BY_LOOK
    label = _LABEL.match(text)
    if label and (result := heading(label[1])) and result.part != "about":
        # "ECG: sinus rhythm" in a list is a finding, not the heading of a part.
        inline = unit.kind == "line" and (result.strong or bool(_BOLD_LABEL.match(raw)))
        if inline and result.part not in ("findings", "debrief"):
            return label[1], label[2], _BY_LOOK
    return "", text, 0


def _is_heading(text: str, raw: str) -> bool:
    words = text.split()
    if not words or len(words) > 12:
        return False
    if _BOLD.fullmatch(raw):
        return True
    if len(words) > 8:
        return text.isupper()
    result = heading(text)
    named = (
        result is not None and not text.endswith((".", "?", "!")) and (result.strong or text.endswith(":"))
    )
    capitals = text.isupper() and len(re.sub(r"[^A-Z]", "", text)) > 3
    return named or capitals or (text.endswith(":") and len(words) <= 8)


def _after(at: _At, text: str, level: int) -> _At:
    """The part after a heading."""
    result = heading(text)
    under = text.rstrip(": ")
    if result is None:
        # A heading that we do not know ends a part only where it stands as high as the part's own.
        ends = level <= at.level and level < _BY_LOOK and at.part != "about" and plain_heading(text) != ""
        inside = at.part in ("marks", "errors", "actor", "findings") and level >= at.level
        return _At("unplaced", level, under) if ends and not inside else at._replace(under=under)
    if result.strong and not (result.part == "about" and at.part != "about"):
        if (
            result.part in ("findings", "candidate", "actor")
            and at.part in ("marks", "errors")
            and level > at.level
        ):
            return at._replace(under=under)
        return _At(result.part, level, under)
    if at.part in _INSIDE and (level > at.level or level == _BY_LOOK or at.part in ("marks", "errors")):
        return at._replace(under=under)
    if result.part == "background" and at.part == "actor":
        return at._replace(under=under)
    return _At(result.part, level, under)
