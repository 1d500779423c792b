"""The items of a mark sheet, with their marks, and what is critical or counts against the examinee.

An item is an entry, a line or a table's row of a part that is a mark sheet. Marks stand in brackets, after a
dash or in a column; rows without marks that name a domain ("History") are headings of those below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from osler.authoring.scenarios.checklists import competency_of
from osler.authoring.scenarios.verbatim import says_nothing
from osler.authoring.stations.lines import Line, Place
from osler.cases.rubrics.model import Competency

_FIGURE: Final = r"(1/2|\d{1,3}(?:\.\d)?|½|one|two|three|four|five)"
_UNIT: Final = r"(?:marks?|points?|pts?\.?|m)"
_MARKS: Final = (
    # (2) [2] (2 marks) (0-2) (0/1/2) (max 3) (/2) (+2); (1 each, max 3) gives the most
    re.compile(
        rf"\s*[(\[]\s*(?:max(?:imum)?\.?:?|up to|total:?|out of|/|\+|0\s*[-–/]\s*(?:1\s*[-–/]\s*)?)?\s*{_FIGURE}\s*(?:{_UNIT})?"
        rf"\s*(?:max(?:imum)?|each(?:,? (?:max(?:imum)?|up to)\.? ?(\d{{1,2}})(?: {_UNIT})?)?)?\s*[)\]]\s*\.?\s*$",
        re.IGNORECASE,
    ),
    re.compile(rf"\s*[-–—:,.=]?\s*\b{_FIGURE}\s*(?:marks?|points?|pts?\.?)\s*(each)?\.?\s*$", re.IGNORECASE),
    re.compile(rf"\s+/\s*{_FIGURE}\s*$", re.IGNORECASE),
    re.compile(r"\s*(?:\.{3,}|…|_{2,}|\t)\s*/?\s*(\d{1,2})\s*$"),
)  # fmt: skip
_BARE: Final = re.compile(r"\s(\d(?:\.5)?)(?:\s*(?:marks?|points?))?\s*$", re.IGNORECASE)
"""A figure at the end: marks if most lines of a list have one."""
_MINUS: Final = re.compile(rf"\s*[(\[]\s*[-–−]\s*{_FIGURE}\s*(?:{_UNIT})?\s*[)\]]\s*\.?\s*$", re.IGNORECASE)
_WORDS: Final = {"one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "½": 0.5, "1/2": 0.5}
_CRITICAL: Final = re.compile(
    r"\s*[(\[]\s*(?:this is )?(?:a )?(?:critical|essential|mandatory|must[- ]do|must pass|must|key|pass/fail|crit\.?|c)"
    r"(?: (?:item|action|step|point))?\s*[)\]]\s*|^\s*(?:critical(?: action| step| item)?|essential|mandatory)\s*[:–-]\s+"
    r"|\s*[-–—]\s*(?:critical|essential|mandatory)(?: (?:item|action|step))?\s*$|\s*\*{1,2}\s*$",
    re.IGNORECASE,
)
_STAR: Final = re.compile(r"\*{1,2}\s*$")
_LEGEND: Final = re.compile(
    r"^\W{0,4}(?:\*{1,2}|asterisk|starred)[^a-z]{0,6}.{0,30}\b(?:critical|essential|must|mandatory)\b",
    re.IGNORECASE,
)
_NOT_ITEM: Final = re.compile(
    r"^\W*(?:sub-?)?totals?\b|^\W*(?:examiner'?s? |assessor'?s? |patient'?s? |actor'?s? |sp'?s? )?(?:overall|global)\b.{0,25}\b(?:score|rating|judge?ment|mark|impression|grade|performance)\b"
    r"|\b(?:clear fail|borderline|clear pass)\b.*\b(?:fail|pass|borderline)\b|^\W*(?:pass(?:ing)? (?:mark|score)|cut[- ]?off|max(?:imum)? (?:marks?|score)|out of)\b"
    r"|^\W*(?:examiner|assessor|candidate|student|examinee)(?:'?s)? ?(?:name|no|number|id|signature|initials|comments?)\b|^\W*(?:comments?|signature|date|score|grade|feedback)\s*[:_]*\s*$"
    r"|^\W*(?:please |kindly )?(?:tick|circle|award|give|score|mark|allocate)\b.{0,60}\b(?:marks?|points?|box|boxes|item|each|appropriate|if done)\b",
    re.IGNORECASE,
)  # fmt: skip
_EXAMINEE: Final = re.compile(
    r"^(?:the )?(?:candidate|student|examinee|learner|trainee|doctor|resident|intern|participant)s?\s+"
    r"(?:should |must |will |can |is able to |is expected to |needs to |has to )?",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(
    r"\b(?:items?|criteri(?:on|a)|behaviou?rs?|actions?|tasks?|steps?|checklist|descriptions?|skills?|elements?|"
    r"statements?|performance|points? to (?:look for|cover)|key points?|the candidate|the student|competenc(?:y|ies))\b",
    re.IGNORECASE,
)  # fmt: skip
_MARK: Final = re.compile(
    r"^\W*(?:(?:max(?:imum)?|full|total|allotted|available)\W{0,2})?(?:marks?|points?|scores?|weight(?:ing|age)?|pts|max(?:imum)?)\b(?!.*\b(?:given|awarded|obtained|scored)\b)",
    re.IGNORECASE,
)
_IMPORTANT: Final = re.compile(r"\b(?:critical|essential|mandatory|must)\b", re.IGNORECASE)
_TICKS: Final = re.compile(
    r"^\W*(?:yes|no|done|not done|y|n|met|not met|attempted|partial(?:ly)?(?: done)?|fully(?: done)?|adequate|inadequate|"
    r"performed|observed|completed?|(?:marks?|scores?|points?) (?:given|awarded|obtained|scored)|comments?|notes?|remarks?|initials|0|1|2|3|tick|#|s\.? ?no\.?|sl\.? ?no\.?|nos?\.?|sr\.? ?no\.?|item no\.?|number)?\W*$|[✓✔☐]",
    re.IGNORECASE,
)
_YES: Final = re.compile(
    r"^\W*(?:y|yes|x|c|crit\w*|essential|mandatory|must|true|✓|✔|\*+)\W*$", re.IGNORECASE
)
_SMALL: Final = re.compile(
    rf"^\s*[/+]?\s*(?:0\s*[-–/]\s*(?:1\s*[-–/]\s*)?)?{_FIGURE}\s*(?:{_UNIT})?\s*$", re.IGNORECASE
)
_DOMAIN: Final = re.compile(
    r"(?:(?:data|information) gathering|history(?:[- ]taking)?|(?:physical |clinical )?exam(?:ination)?|investigations?|tests|management|treatment|"
    r"communication(?: skills?)?(?: and .*)?|interpersonal.*|professionalism|diagnos[ie]s|introduction|opening|clos(?:ing|ure)|explanation|counsell?ing|"
    r"knowledge|safety|procedure|preparation|general|interpretation|assessment|initial assessment|airway|breathing|circulation|disability|exposure|"
    r"before|during|after|post-?procedure|pre-?procedure|empathy|structure|patient education|[a-z]+ (?:skills|domain)|domain .*|section .*|part .*)"
    r"(?: \(?\d+.*)?",
    re.IGNORECASE,
)


class Item(NamedTuple):
    """An item of the mark sheet as it stands there, without its marks.

    `marks` are those written, or `None`; `under` is its heading.
    """

    text: str
    marks: float | None
    critical: bool
    negative: bool
    competency: Competency
    under: str
    place: Place


class Sheet(NamedTuple):
    """The items, and the lines of the sheet that are about marking itself (totals, ratings)."""

    items: tuple[Item, ...]
    about_marking: tuple[Line, ...]


def sheet(lines: Sequence[Line]) -> Sheet:
    """The items among the lines of mark sheets (parts `marks` and `errors`), in order. Pure."""
    starred = any(_LEGEND.search(line.text) for line in lines)
    items: list[Item] = []
    about: list[Line] = []
    for table, group in groupby(lines, key=lambda line: (line.place.file, line.table)):
        rows = list(group)
        for line, item in _of_table(rows, starred) if table[1] else _of_list(rows, starred):
            if item is None:
                about.append(line)
            else:
                items.append(item)
    return Sheet(tuple(items), tuple(about))


def _of_list(lines: Sequence[Line], starred: bool) -> Iterator[tuple[Line, Item | None]]:
    listed = any(line.kind in ("entry", "box") for line in lines)
    marked = any(_marks(line.text)[1] is not None for line in lines)
    bare = sum(bool(_BARE.search(line.text)) for line in lines) > len(lines) / 2
    for line in lines:
        if (
            bare
            and _marks(line.text)[1] is None
            and (figure := _BARE.search(line.text))
            and not _about_marking(line.text)
        ):
            yield line, _item(line, line.text[: figure.start()], float(figure[1]), False, line.under, starred)
        elif _about_marking(line.text):
            yield line, None
        elif (
            line.kind == "line"
            and (listed or marked)
            and _marks(line.text)[1] is None
            and not _acts(line.text)
        ):
            yield line, None  # an introduction or a remark between the items
        else:
            yield line, _item(line, line.text, None, False, line.under, starred)


def _of_table(rows: Sequence[Line], starred: bool) -> Iterator[tuple[Line, Item | None]]:
    wide = max(len(row.cells) for row in rows)
    cells = [(*row.cells, *[""] * (wide - len(row.cells))) for row in rows]
    head = cells[0]
    column = _item_column(cells)
    marks = [n for n in range(wide) if n != column and _MARK.search(head[n])]
    important = [n for n in range(wide) if n != column and _IMPORTANT.search(head[n]) and n not in marks]
    others = [n for n in range(wide) if n != column]
    named = bool(marks or important) or (
        wide > 1 and all(_TICKS.match(head[n]) or _ITEM.search(head[n]) for n in others)
    )
    first = named and (any(head[n] for n in others))
    if not marks:
        marks = [n for n in others if _figures(cells[1 if first else 0 :], n)]
    under = rows[0].under
    if first and not _ITEM.search(head[column]) and head[column]:
        under = head[column]
    for number, (row, line) in enumerate(zip(cells, rows, strict=True)):
        text = row[column]
        if (number == 0 and first) or not text:
            yield line, None
            continue
        given = next((value for n in marks if (value := _figure(row[n])) is not None), None)
        if _about_marking(text):
            yield line, None
        elif given is None and _is_domain(row, column, text):
            under = text
            yield line, None
        else:
            yes = any(_YES.match(row[n]) for n in important)
            yield line, _item(line, text, given, yes, under, starred)


def _item_column(cells: Sequence[Sequence[str]]) -> int:
    """The column of the items: that with most words."""
    wide = len(cells[0])
    lengths = [sum(len(row[n].split()) for row in cells) for n in range(wide)]
    named = [n for n in range(wide) if _ITEM.search(cells[0][n]) and lengths[n] > len(cells)]
    best = max(range(wide), key=lambda n: lengths[n])
    return best if best in named or not named or lengths[best] > 2 * lengths[named[0]] else named[0]


def _figures(cells: Sequence[Sequence[str]], column: int) -> bool:
    """Whether a column without a heading holds marks: small figures, and not just the numbers of the rows."""
    found = [_figure(row[column]) for row in cells if row[column]]
    if not found or any(value is None or value > 20 for value in found):
        return False
    return found != [float(n) for n in range(1, len(found) + 1)] or (column > 0 and len(found) < 2)


def _is_domain(row: Sequence[str], column: int, text: str) -> bool:
    """Whether a row is a heading inside the table: the words of a domain, and nothing else in it."""
    alone = not any(cell for n, cell in enumerate(row) if n != column and not _TICKS.match(cell))
    return alone and (_DOMAIN.fullmatch(text.strip(" :")) is not None or text.isupper() or text.endswith(":"))


def _figure(text: str) -> float | None:
    match = _SMALL.match(text)
    return _value(match[1]) if match else None


def _value(text: str) -> float:
    low = text.lower()
    return _WORDS[low] if low in _WORDS else float(low)


def _about_marking(text: str) -> bool:
    return says_nothing(text) or bool(_NOT_ITEM.search(text)) or bool(_LEGEND.search(text))


def _acts(text: str) -> bool:
    """Whether a line begins as an item does, with a verb in the third person or an order."""
    return bool(
        re.match(r"^(?:[A-Z][a-z]+(?:s|es)\b(?! (?:is|are|was|were)\b)|\w+ed\b)", _EXAMINEE.sub("", text))
    )


def _marks(text: str) -> tuple[str, float | None]:
    for pattern in _MARKS:
        if match := pattern.search(text):
            most = match.group(2) if pattern.groups > 1 else None
            value = _value(most) if most and most.isdigit() else _value(match[1])
            return text[: match.start()].rstrip(" -–—:,."), value
    return text, None


def _item(line: Line, text: str, given: float | None, critical: bool, under: str, starred: bool) -> Item:
    negative = line.part == "errors"
    if match := _MINUS.search(text):
        negative, given, text = True, _value(match[1]), text[: match.start()]
    elif given is not None and given < 0:
        negative, given = True, -given
    marks = given
    for _ in range(3):
        star = _STAR.search(text)
        if (match := _CRITICAL.search(text)) and (starred or not star or match.start() < star.start()):
            critical = True
            text = f"{text[: match.start()]} {text[match.end() :]}".strip()
        shorter, found = _marks(text)
        if found is not None:
            text, marks = shorter, found if marks is None else marks
    text = _STAR.sub("", " ".join(text.split())).strip(" ;,")
    bare = _EXAMINEE.sub("", text) or text
    shown = bare[:1].upper() + bare[1:]
    return Item(shown, marks, critical, negative, competency_of(shown, under), under, line.place)
