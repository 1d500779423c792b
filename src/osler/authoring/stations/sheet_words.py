"""The words of mark sheets: those at the head of columns, of domains, of totals, and of levels to tick."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from osler.authoring.scenarios.verbatim import says_nothing
from osler.text.marks import DIGITS, FIGURE, UNIT, figure, marks

HeadKind = Literal["item", "marks", "given", "level", "figure", "domain", "number", "critical", "comment", ""]

LEGEND: Final = re.compile(
    r"^\W{0,4}(?:\*{1,2}|asterisk|starred)[^a-z]{0,6}.{0,30}\b(?:critical|essential|must|mandatory)\b",
    re.IGNORECASE,
)
_NOT_ITEM: Final = re.compile(
    r"^\W*(?:examiner'?s? |assessor'?s? |patient'?s? |actor'?s? |sp'?s? )?(?:overall|global)\b.{0,25}\b(?:score|rating|judge?ment|mark|impression|grade|performance)\b"
    r"|\b(?:clear fail|borderline|clear pass)\b.*\b(?:fail|pass|borderline)\b|^\W*(?:pass(?:ing)? (?:mark|score)|cut[- ]?off|out of)\b"
    r"|^\W*(?:examiner|assessor|candidate|student|examinee)(?:'?s)? ?(?:name|no|number|id|signature|initials|comments?)\b|^\W*(?:comments?|signature|date|score|grade|feedback)\s*[:_]*\s*$"
    r"|^\W*(?:osce )?(?:station|case|scenario) ?(?:no\.?|number)? ?\d+\b|^\W*(?:mark(?:ing)?|score|scoring|assessment|check) ?-?(?:sheet|scheme|list|form)\W*$"
    r"|^\W*(?:please |kindly )?(?:tick|circle|award|give|score|mark|allocate)\b.{0,60}\b(?:marks?|points?|box|boxes|item|each|appropriate|if done)\b",
    re.IGNORECASE,
)  # fmt: skip
_TOTAL: Final = re.compile(
    rf"^\W*(?:(?:grand|station|section|page|overall|domain|final|max(?:imum)?|candidate'?s?|raw) ){{0,2}}(?:sub-? ?)?totals?\b"
    rf"|^\W*max(?:imum)?\.? (?:possible |available |total )?(?:marks?|score|points?)\b"
    rf"|^\W*(?:final|station|overall) (?:score|mark)s?\W*(?:{FIGURE})?\W*$",
    re.IGNORECASE,
)
_TOTAL_AFTER: Final = re.compile(
    rf"^(.{{1,40}}?)\W+(?:sub-? ?)?total(?: (?:marks?|score|points?))?\W*(?:/?\s*{FIGURE})?\W*$",
    re.IGNORECASE,
)
EXAMINEE: Final = re.compile(
    r"^(?:the )?(?:candidate|student|examinee|learner|trainee|doctor|resident|intern|participant)s?\s+"
    r"(?:should |must |will |can |is able to |is expected to |needs to |has to )?",
    re.IGNORECASE,
)
_DOMAIN: Final = re.compile(
    r"(?:(?:data|information) gathering|history(?:[- ]taking)?|(?:physical |clinical )?exam(?:ination)?|investigations?|tests|management|treatment|"
    r"communication(?: skills?)?(?: and .*)?|interpersonal.*|professionalism|diagnos[ie]s|introduction|opening|clos(?:ing|ure)|explanation|counsell?ing|"
    r"knowledge|safety|procedure|preparation|general|interpretation|assessment|initial assessment|airway|breathing|circulation|disability|exposure|"
    r"before|during|after|post-?procedure|pre-?procedure|empathy|structure|patient education|[a-z]+ (?:skills|domain)|domain .*|section .*|part .*)"
    r"(?: \(?\d+.*)?",
    re.IGNORECASE,
)
_WORDS_OF_HEADS: Final[tuple[tuple[HeadKind, str], ...]] = (
    (
        "number",
        r"#|n[o°º]|nos|s/n|s(?:l|r)?\.? ?nos?|(?:item|criterion|question|step|row|serial) ?(?:nos?|numbers?|#|id)|numbers?|q\.?|ref(?:erence)?|id",
    ),
    (
        "given",
        r"(?:marks?|scores?|points?) (?:given|awarded|obtained|achieved|earned|scored)|(?:awarded|obtained|achieved|earned|actual|candidate'?s?|student'?s?|your) (?:marks?|scores?|points?)|awarded|obtained|tick(?: if done)?|tick box|✓|✔|circle",
    ),
    (
        "marks",
        r"(?:(?:max(?:imum)?|full|total|allotted|available|possible|allocated|mark|score|point)\W{0,2})?(?:marks?|points?|scores?|weight(?:ing|age)?s?|pts|max(?:imum)?|values?|worth|allocation|marks available|(?:marks|points) possible)",
    ),
    (
        "critical",
        r"(?:critical|essential|mandatory|must|key|must[- ]do|must[- ]pass)(?: (?:item|action|step|criterion|point)s?)?",
    ),
    (
        "comment",
        r"(?:examiner'?s? |assessor'?s? )?(?:comments?|notes?|remarks?|feedback|guidance|initials|evidence|examples?|rationale|explanation|tips?)",
    ),
    (
        "domain",
        r"(?:domain|section|categor(?:y|ies)|area|competenc(?:y|ies)|theme|topic|skill area|component|part|phase|heading|group)s?",
    ),
    (
        "item",
        r"(?:(?:assessment|marking|performance|checklist|check-?list|observable|expected|key|required|specific|rating|evaluation|scoring|mark sheet|clinical) )?"
        r"(?:items?|criteri(?:on|a)|behaviou?rs?|actions?|tasks?|steps?|check-?lists?|descriptions?|descriptors?|skills?|elements?|statements?|performance|"
        r"points?(?= to)|objectives?|questions?|activit(?:y|ies)|indicators?|competenc(?:y|ies)|what (?:is|to) .{1,20}|things? .{1,20}|tasks? .{1,30}|skills? (?:assessed|tested))(?: (?:to (?:look for|cover|be .{1,15})|assessed|done|expected|of .{1,20}|description|text))?"
        r"|(?:the )?(?:candidate|student|examinee|learner|trainee)s?(?: .{1,30})?",
    ),
)  # fmt: skip
_HEADS: Final = tuple(
    (kind, re.compile(rf"\W*(?:{words})\W*", re.IGNORECASE)) for kind, words in _WORDS_OF_HEADS
)
_MARKS_OF: Final = re.compile(rf"\W*(?:{dict(_WORDS_OF_HEADS)['marks']})\b(.*)", re.IGNORECASE)
_MOST_FOR_EACH: Final = 3
_LEVEL: Final = re.compile(
    r"(?:(?:not|partly|partially|fully|well|poorly|very|completely|somewhat|mostly|not at all|clearly) )*"
    r"(?:yes|no|y|n|done|undone|met|unmet|attempted|partial|partly|partially|full|fully|adequate|inadequate|performed|observed|"
    r"complete|completed|incomplete|omitted|missed|none|absent|present|good|poor|fair|excellent|satisfactory|unsatisfactory|borderline|"
    r"pass|fail|competent|achieved|correct|incorrect|acceptable|unacceptable|demonstrated|seen|well|average|not|some|all|with help|prompted|"
    r"independently|needs (?:improvement|work)|clear pass|clear fail)(?: (?:done|met|attempted|performed|but .{1,20}|well|adequately))?",
    re.IGNORECASE,
)
_LEVEL_OF: Final = re.compile(rf"^\W*(?:({DIGITS})\W*)?([a-z][a-z' ]*?)?\W*({DIGITS})?\W*$", re.IGNORECASE)
_STEP: Final = re.compile(
    rf"(?:\(?({DIGITS})\)?(?: ?{UNIT})?(?:\s*[=:.)–-]\s*|\s+)(\D+)|(\D*[^\d\W])[\s(\[=:–-]+({DIGITS})(?: ?{UNIT})?\W*|({DIGITS}))",
    re.IGNORECASE,
)
_MOST_WORDS: Final = 6
_BOXES: Final = re.compile(r"[☐☑☒□▢❏❑○◯_]+|\[\s*\]")
_ACTS: Final = re.compile(r"^(?:[A-Z][a-z]+(?:s|es)\b(?! (?:is|are|was|were)\b)|\w+ed\b)")
_ORDERS: Final = re.compile(
    r"^(?:ask|take|check|examine|explain|give|measure|order|listen|wash|introduce|confirm|offer|call|refer|advise|discuss|assess|obtain|start|"
    r"identify|request|inspect|palpate|auscultate|summari[sz]e|establish|elicit|explore|perform|use|maintain|show|make|tell|record|monitor|"
    r"prescribe|administer|recogni[sz]e|state|describe|demonstrate|acknowledge|respond|arrange|ensure|avoid|provide|seek|thank|greet|position|"
    r"apply|clean|put|place|interpret|diagnose|consider|plan|manage|treat|look|feel|test|screen|rule|review|document)\b",
    re.IGNORECASE,
)


def about_marking(text: str) -> bool:
    """Whether a line is about marking itself: a total, a rating, an instruction, a legend."""
    return says_nothing(text) or total(text) or bool(_NOT_ITEM.search(text)) or bool(LEGEND.search(text))


def total(text: str) -> bool:
    """Whether a text names a total, of the sheet or of a part of it."""
    if _TOTAL.search(text):
        return True
    after = _TOTAL_AFTER.match(text)
    return after is not None and (domain(after[1]) or after[1].lower() in ("section", "station", "page"))


def domain(text: str) -> bool:
    """Whether a text is the name of a domain and nothing else."""
    return _DOMAIN.fullmatch(text.strip(" :.-")) is not None


def acts(text: str) -> bool:
    """Whether a text begins as an item does, with a verb in the third person, of the past, or an order."""
    bare = EXAMINEE.sub("", text)
    return bool(_ACTS.match(bare) or _ORDERS.match(bare))


def head_kind(text: str) -> HeadKind:
    """The kind of column under this heading; empty where its words are not known.

    `figure` is a bare figure: a level if it heads a column.
    """
    plain = " ".join(text.split())
    if not plain:
        return ""
    for kind, pattern in _HEADS:
        if pattern.fullmatch(plain) and not (kind == "number" and plain in ("No", "NO", "no")):
            return kind
    if (of := _MARKS_OF.fullmatch(plain)) and marks(of[1]) is not None:
        return "marks"
    if marks(plain) is not None and not re.search(r"[a-z]{2}", plain, re.IGNORECASE):
        return "figure"
    return "level" if _split_level(plain) is not None else ""


def level(text: str) -> float | None:
    """The marks of a level in the heading of its column: 2 of "Done 2", "2 = done", "2" and "Score (0-2)".

    "Score /14" is not the marks of one item.
    """
    plain = " ".join(text.split())
    if (of := _MARKS_OF.fullmatch(plain)) and (most := marks(of[1])) is not None:
        each = most <= _MOST_FOR_EACH or re.search(r"\beach\b|\b0\s*[-–/]", of[1], re.IGNORECASE)
        return most if each else None
    result = _split_level(plain)
    if result is None and not re.search(r"[a-z]{2}", plain, re.IGNORECASE):
        return marks(plain)
    return result[1] if result else None


def _split_level(text: str) -> tuple[str, float | None] | None:
    """The words and the figure of a level to tick; `None` if the text is none."""
    bare = " ".join(_BOXES.sub(" ", text).split())
    bare = re.sub(rf"\s*\b{UNIT}(?=\W*$)", "", bare, flags=re.IGNORECASE)
    hit = _LEVEL_OF.match(bare)
    if hit is None or (hit[1] and hit[3]):
        return None
    words = (hit[2] or "").strip()
    told = hit[1] or hit[3]
    if (words and not _LEVEL.fullmatch(words)) or not (words or told):
        return None
    return words, figure(told) if told else None


def steps_of(texts: Sequence[str]) -> dict[int, float]:
    """The places of cells that are the levels of one scale, whatever their words, and their marks: "Not performed
    (0)", "Performed = 1", or bare figures. They rise or fall by place, from 0, or from 1 where they are three."""
    result: dict[int, float] = {}
    for n, text in enumerate(texts):
        match = _STEP.fullmatch(" ".join(_BOXES.sub(" ", text).split()))
        if match and len((match[2] or match[3] or "").split()) <= _MOST_WORDS:
            value = figure(match[1] or match[4] or match[5])
            if value is not None:
                result[n] = value
    values = list(result.values())
    in_order = values in (sorted({*values}), sorted({*values}, reverse=True))
    least = min(values, default=9.0)
    return result if in_order and len(values) > 1 and (least == 0 or (least == 1 and len(values) > 2)) else {}


def seems_a_head(texts: Sequence[str]) -> bool:
    """Whether the cells of a row are the headings of columns, and not an item with its marks."""
    steps = steps_of(texts)
    kinds = ["level" if n in steps else head_kind(text) for n, text in enumerate(texts)]
    named = [kind for kind in kinds if kind not in ("", "figure", "level")]
    levels = kinds.count("level")
    strangers = [text for text, kind in zip(texts, kinds, strict=True) if not kind]
    if len(texts) < 2 or "figure" in kinds or any(acts(text) and len(text.split()) > 2 for text in strangers):
        return False
    if not strangers:
        return bool(named) or levels > 1
    strong = any(kind in ("marks", "given", "number", "comment") for kind in named) or levels > 1
    few = len(strangers) == 1 or (strong and len(strangers) == 2)
    return (
        few
        and bool(named or levels > 1)
        and all(len(text.split()) <= (6 if strong else 4) for text in strangers)
    )
