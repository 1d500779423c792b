"""Finding checklist items in a text by rule, without a model, and classifying them.

An item is a box to tick, a row of a table whose heading names what is to be done, or an entry under a heading
about assessment or of a competency, as our own exported packets have them ("PC: patient care"). After a line
that ends with a colon, the entries indented below it are part of the same item.

Its competency is the one with the most indicative words in the item and its heading, patient care where there
is none. On 931 published items this agrees with the published classification in 71 % (patient care for all
would agree in 50 %), so the results are for people to correct.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Final, NamedTuple

from osler.authoring.scenarios.markdown import Unit, units
from osler.authoring.scenarios.verbatim import says_nothing
from osler.cases.rubrics.model import COMPETENCIES, NAMES, Competency
from osler.cases.scenarios.prose import AGAINST

_HEADING_WEIGHT: Final = 3
# Word stems, or words with a space for a phrase; the first in the list wins a tie.
_TELLING: Final[dict[Competency, str]] = {
    "ICS": "introduc|greet|empath|listen|eye contact|open-ended|open ended|jargon|plain language|"
    "understandable|lay terms|rapport|summar|reassur|explains|explain |explained|acknowledg|communicat|"
    "body language|tone|silence|interrupt|teach-back|teach back|nonverbal|non-verbal|closed-loop|closed loop|"
    "addresses|encourag|validat|concerns|feelings|emotion|warning shot|checks understanding|verbaliz|"
    "invites questions|answers questions|handoff|handover|sbar|language|questions the patient",
    "PROF": "respect|professional|confidential|privacy|consent|apolog|honest|ethic|dignity|modesty|"
    "permission|nonjudgment|non-judgment|without judg|integrity|bias|culturally|drap|responsib",
    "SBP": "consult|refer|social work|pharmacist|case manage|call for help|calls for help|team|delegat|"
    "roles|resource|insurance|transfer|activate|notif|mobiliz|cost|follow-up|follow up|appointment|"
    "disposition|admit|icu|interpreter|community|report to|checklist|leader|communicates with ems|transport",
    "PBLI": "reflect|feedback|guideline|evidence-based|literature|self-assess|learning|looks up|debrief|"
    "improve|limits of|limitations|quality improvement|evidence",
    "MK": "diagnos|differential|recogni|identif|interpret|states|understand|knows|describe|discuss the|"
    "lists|rationale|pathophys|indication|contraindic|side effect|risk factor|causes|etiolog|names|"
    "demonstrates knowledge|correctly",
    "PC": "asks|ask |asked|history|examin|auscult|palpat|percuss|vital|order|administ|give|treat|perform|"
    "obtain|assess|monitor|iv |oxygen|intubat|dose|mg|ecg|ekg|x-ray|ct|labs|inspect|washes|hand hygiene|"
    "hands|elicits|inquire|checks|start|place|onset|medication|allerg|smok|family history",
}


@cache
def _pattern(competency: Competency) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{_TELLING[competency]})")


def named_in(heading: str) -> Competency | None:
    """The competency that a heading or a cell names, by its abbreviation or its name."""
    low = " ".join(heading.lower().replace("-", " ").split())
    for competency in COMPETENCIES:
        if re.search(rf"\b{competency}\b", heading) or NAMES[competency].replace("-", " ") in low:
            return competency
    return None


def competency_of(text: str, heading: str = "") -> Competency:
    """The competency of an item under a heading."""
    if competency := named_in(heading):
        return competency
    low, above = f"{text.lower()} ", f"{heading.lower()} "
    scores = {
        name: 2 * len(_pattern(name).findall(low))
        + _HEADING_WEIGHT * bool(_pattern(name).search(above))
        + (_HEADING_WEIGHT if _pattern(name).match(low) else 0)
        for name in _TELLING
    }
    best = max(scores.values())
    return next(name for name in _TELLING if scores[name] == best) if best else "PC"


_ABOUT: Final = re.compile(
    r"\b(?:check-? ?lists?|rubrics?|critical actions?|assessment (?:form|items?|tool|criteria)|"
    r"scor(?:e|ing)(?: sheet| form| guide)?|grading|marking|mark ?(?:sheets?|schemes?)|^assessment$|"
    r"evaluation (?:form|items?|tool|criteria)|"
    r"observable behaviou?rs?|performance (?:items?|criteria|checklist)|expected actions?)\b",
    re.IGNORECASE,
)
_AGAINST: Final = re.compile(rf"[,:(]?\s*{AGAINST}\)?\s*$", re.IGNORECASE)
_COMPETENCY: Final = re.compile(
    "|".join(
        rf"(?:{short}|(?i:{name})|{short}\W{{1,3}}(?i:{name})|(?i:{name}) \({short}\))\W*"
        for short, name in ((short, name.replace("-", "[- ]")) for short, name in NAMES.items())
    )
)
_ITEM_COLUMN: Final = re.compile(
    r"\b(?:items?|criteri(?:on|a)|behaviou?rs?|actions?|tasks?|steps?|checklist|descriptions?|skills?|elements?|"
    r"statements?|questions?|performance)\b",
    re.IGNORECASE,
)
_MARK_COLUMN: Final = re.compile(
    r"\b(?:done|not done|yes|no|scores?|points?|marks?|met|observed|performed|completed?|ratings?|comments?|"
    r"notes?|weight|initials)\b|[✓✔☐]",
    re.IGNORECASE,
)
_DOMAIN_COLUMN: Final = re.compile(r"\b(?:competenc(?:y|ies)|domains?|acgme|milestones?)\b", re.IGNORECASE)
_TOTAL: Final = re.compile(
    r"^\W*(?:sub-?)?totals?\b|^\W*(?:overall|global) (?:score|rating)\b", re.IGNORECASE
)


class Row(NamedTuple):
    """A row that is clearly an item.

    `heading` is the nearest above; `competency` is what its table says. `against` says whether it counts
    against the examinee where the text has headings for that, else it is `None`.
    """

    text: str
    line: int
    heading: str
    competency: Competency | None = None
    against: bool | None = None


def rows(text: str) -> Iterator[Row]:
    """The rows of a text that are clearly items, in order."""
    heading, about = "", False
    held = list(units(text))
    told_apart = any(_AGAINST.search(unit.text) for unit in held if unit.kind == "heading")
    at = 0
    while at < len(held):
        unit = held[at]
        if unit.kind == "heading":
            heading, about = unit.text, about_assessment(unit.text) or of_competency(unit.text)
        elif unit.kind == "line" and unit.text.endswith(":") and about_assessment(unit.text):
            heading, about = unit.text.rstrip(":"), True
        elif unit.kind == "cell":
            end = next((n for n in range(at, len(held)) if held[n].row != unit.row), len(held))
            yield from _of_table(held[at:end], heading)
            at = end
            continue
        elif unit.kind == "box" or (unit.kind == "entry" and about):
            details = _details(held, at)
            row = "\n".join([unit.text, *(u.text for u in details)])
            if not says_nothing(row) and not _TOTAL.match(row):
                against = _AGAINST.search(heading) is not None
                yield Row(row, unit.line, heading, against=against if told_apart else None)
            at += len(details)
        at += 1


def about_assessment(heading: str) -> bool:
    """Whether a heading announces an assessment."""
    return _ABOUT.search(heading) is not None


def of_competency(heading: str) -> bool:
    """Whether a heading is a competency and nothing else: its abbreviation, its name, or both."""
    return _COMPETENCY.fullmatch(_AGAINST.sub("", heading).strip()) is not None


def _details(held: Sequence[Unit], at: int) -> list[Unit]:
    """The details of an entry that ends with a colon: the more deeply indented entries below it."""
    unit = held[at]
    units: list[Unit] = []
    if unit.text.endswith(":"):
        for below in held[at + 1 :]:
            if below.kind not in ("entry", "box", "line") or below.indent <= unit.indent:
                break
            units.append(below)
    return units


def _item_column(names: Mapping[int, str], domain: int | None) -> int | None:
    """The column of a table's items by the columns' names: one that is not the `domain`, if there is one."""
    columns = [column for column, name in names.items() if _ITEM_COLUMN.search(name)]
    return next((column for column in columns if column != domain), columns[0] if columns else None)


def _of_table(cells: Sequence[Unit], heading: str) -> Iterator[Row]:
    by_line = [list(line) for _, line in groupby(cells, key=lambda cell: cell.line)]
    names = {cell.column: cell.text for cell in by_line[0]}
    domain = next((column for column, name in names.items() if _DOMAIN_COLUMN.search(name)), None)
    column = _item_column(names, domain)
    marked = any(_MARK_COLUMN.search(name) for name in names.values())
    if column is None or not (marked or domain is not None or about_assessment(heading)):
        return
    for line in by_line[1:]:
        row = {cell.column: cell for cell in line}
        if column in row and not says_nothing(row[column].text) and not _TOTAL.match(row[column].text):
            said = row[domain].text if domain is not None and domain in row else ""
            yield Row(row[column].text, row[column].line, heading, named_in(said))
