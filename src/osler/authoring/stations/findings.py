"""What examination and tests show, and the vital signs, read from a station's findings.

A finding is a row of a table, "Name: result", "Name shows ..." or a known test's name before its value. Its name
is looked up in the formulary for the other names under which it may be asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from osler.authoring.scenarios.consistency import vital_signs
from osler.authoring.stations.lines import Place, SourceLine
from osler.knowledge.formulary import Entry, formulary
from osler.knowledge.vocabulary import FindingKind
from osler.text.act_rules import stems
from osler.text.tokens import sentences

_UNITS: Final = {
    "blood pressure": "{} mmHg",
    "heart rate": "{}/min",
    "respiratory rate": "{}/min",
    "oxygen saturation": "{} %",
    "temperature": "{} °C",
}
_ON: Final = re.compile(
    r"^\s*%?\s*,?\s*\(?((?:on|in) (?:room )?(?:air|\d+ ?L[^,.;)]{0,25}oxygen|oxygen))\b", re.IGNORECASE
)
_FAHRENHEIT: Final = re.compile(r"^\s*(?:°|º)?\s*(?:degrees )?F\b")
_CELSIUS_AFTER: Final = re.compile(r"^[^|;]{0,6}F\W{1,4}(\d{2}(?:[.,]\d)?)\s*(?:°|º)?\s*C")
_SIGN: Final = {
    "Vital signs": "",
    "Temperature": "temperature",
    "Pulse": "heart rate",
    "Blood pressure": "blood pressure",
    "Respiratory rate": "respiratory rate",
    "Oxygen saturation": "oxygen saturation",
}
"""The vital sign that an entry of the formulary measures; "" for all of them."""
_LABEL: Final = re.compile(r"^([^:]{2,70}?)\s*(?::|\s[–—=-]|\s=)\s+(\S.*)$", re.DOTALL)
_SHOWS: Final = re.compile(
    r"^((?:(?:a|an|the|his|her|on|12-lead)\s+)?[\w /()'’&+-]{2,50}?)\s+(?:shows?|showed|reveals?|revealed|demonstrates?|confirms?|reads?|"
    r"is|are|was|were)\s+(\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_HEADS: Final = re.compile(
    r"\W*(?:tests?|investigations?|parameters?|results?|findings?|values?|examinations?|systems?|reference(?: range| interval)?|normal(?: range| values?)?|"
    r"range|units?|signs?|observations?|vitals?|vital signs?|component|study|area|name|comments?|what .*|if .*|region|body system|element|baseline|initial)\W*",
    re.IGNORECASE,
)
_NO_RESULT: Final = re.compile(
    r"(?:\w+ )?(?:diagnos[ie]s|differentials?|summary|answer|learning)\b", re.IGNORECASE
)
"""Labels of what nobody can order."""
_REFERENCE: Final = re.compile(r"\b(?:reference|normal|range)\b", re.IGNORECASE)
_EXAMINING: Final = "examine | examines | examination | exam | listen | look | inspect | check | feel | palpate | percuss | auscultate | assess | test | measure | see"
_EXAM_WORDS: Final = re.compile(
    r"\b(?:physical|examination|exam|inspection|palpation|auscultation|percussion|listen to the|look at the|inspect the|assessment|system|findings?|status|sign)\b",
    re.IGNORECASE,
)
_PLAIN: Final = frozenset(
    "gas general physical clinical sugar tests test other on of the and a both normal".split()
)
_MOST_WORDS: Final = 6


class Finding(NamedTuple):
    """A result: its name as written, the formulary's entry if known, and where it stands."""

    name: str
    result: str
    kind: FindingKind
    entry: Entry | None
    place: Place


class Findings(NamedTuple):
    """The vital signs by name, with units, the findings, and the lines that could not be read."""

    vitals: dict[str, str]
    found: tuple[Finding, ...]
    unread: tuple[SourceLine, ...]


def findings(lines: Sequence[SourceLine]) -> Findings:
    """Read the findings among the lines of that part, in order. Pure."""
    vitals: dict[str, str] = {}
    found: list[Finding] = []
    unread: list[SourceLine] = []
    head: tuple[str, ...] = ()
    for line in lines:
        if _is_head(line):
            head = line.cells
            continue
        here = vitals_in(line.text)
        vitals |= {sign: value for sign, value in here.items() if sign not in vitals}
        name, result = _parted(line, head)
        entry = entry_of(name)
        vital = _SIGN.get(entry.name) if entry is not None else None
        if _is_of_vitals(line, vital, here):
            others = [one for one in sentences(line.text) if one.strip() and not vitals_in(one)]
            unread += [line._replace(text=one.strip()) for one in others if line.kind != "row"]
            continue
        if vital is not None:  # a vital sign in a form of its own: "BP lying 142/80, standing 108/64"
            result = line.text
        if not name and (of_heading := _named(line.under)):
            name, result, entry = of_heading, line.text, entry_of(of_heading)
        if not name or _NO_RESULT.match(name):
            unread.append(line)
            continue
        kind: FindingKind = entry.kind if entry else _kind(name, line.under)
        found.append(Finding(name, result, kind, entry, line.place))
    return Findings(vitals, tuple(found), tuple(unread))


def _is_head(line: SourceLine) -> bool:
    return (
        line.kind == "row"
        and len(line.cells) > 1
        and all(_HEADS.fullmatch(cell) for cell in line.cells if cell)
    )


def _is_of_vitals(line: SourceLine, vital: str | None, here: Mapping[str, str]) -> bool:
    """Whether a line tells vital signs and nothing else; `vital`: the one that it names, "" for all of them."""
    if vital is None:
        return len(here) > 1 and _mostly_figures(line.text, here)
    return vital in here or (vital == "" and bool(here))


def vitals_in(text: str) -> dict[str, str]:
    """The measured vital signs in a text, by name, with units."""
    vitals: dict[str, str] = {}
    for name, fact in vital_signs(text):
        if name in vitals:
            continue
        value = fact.value
        after = text[end:] if (end := _end_of(text, name, value)) else ""
        if name == "temperature" and _FAHRENHEIT.match(after):
            celsius = _CELSIUS_AFTER.match(after)
            value = celsius[1] if celsius else f"{(float(value) - 32) / 1.8:.1f}"
        shown = _UNITS[name].format(value)
        if name == "oxygen saturation" and (on := _ON.match(after)):
            shown = f"{shown} {on[1].lower()}"
        vitals[name] = shown
    return vitals


def _end_of(text: str, name: str, value: str) -> int:
    """The place after a vital sign's figure in the text."""
    first = {
        "oxygen saturation": r"(?:sats?|saturations?|o2|spo2|sao2)\b",
        "temperature": r"\b(?:temp\w*|t)\b",
    }.get(name, "")
    figure = re.escape(value).replace(r"\.", "[.,]").replace("/", r" ?/ ?")
    match = re.search(rf"{first}[^\d]{{0,40}}?{figure}", text, re.IGNORECASE)
    return match.end() if match else 0


def _mostly_figures(text: str, here: Iterable[str]) -> bool:
    return len(re.findall(r"[A-Za-z]{3,}", text)) <= 6 * len(list(here))


def _parted(line: SourceLine, head: Sequence[str]) -> tuple[str, str]:
    """A finding's name and result; no name where none can be told."""
    cells = [(n, cell) for n, cell in enumerate(line.cells) if cell]
    if line.kind == "row" and len(cells) > 1:
        (_, name), *rest = cells
        parts = [
            f"({head[n].lower().strip(' :')} {cell})"
            if n < len(head) and _REFERENCE.search(head[n])
            else cell
            for n, cell in rest
        ]
        return name.rstrip(" :"), " ".join(parts)
    text = line.text
    if (match := _LABEL.match(text)) and len(match[1].split()) <= _MOST_WORDS + 2:
        return match[1], match[2]
    if (match := _SHOWS.match(text)) and len(match[1].split()) <= _MOST_WORDS:
        name = re.sub(r"^(?:a|an|the|his|her) ", "", match[1], flags=re.IGNORECASE)
        if entry_of(name) is not None:
            return name, text
    words = text.split()
    for count in range(min(_MOST_WORDS, len(words) - 1), 0, -1):
        name = " ".join(words[:count]).rstrip(",.;")
        if entry_of(name) is not None:
            return name, " ".join(words[count:])
    return "", text


def _named(heading: str) -> str:
    """The name that a heading gives to lines without one, if it is that of an examination or a test."""
    bare = re.sub(r"\s*\([^)]*\)|\b(?:findings|results)\b", "", heading, flags=re.IGNORECASE).strip()
    return bare if bare and entry_of(bare) is not None else ""


@lru_cache(maxsize=2048)
def entry_of(name: str) -> Entry | None:
    """The formulary's entry of a test or an examination, by a name as teachers write it."""
    bare = re.sub(r"\s*\([^)]*\)", "", name).strip(" :.-*")
    for one in (
        name,
        bare,
        re.sub(
            r"^(?:12[- ]lead|initial|repeat|urgent|serum|plasma|bedside|capillary) ",
            "",
            bare,
            flags=re.IGNORECASE,
        ),
    ):
        if one and (entry := formulary().find(one)) is not None:
            return entry
    return None


def _kind(name: str, under: str) -> FindingKind:
    if re.search(r"x-?ray|\bct\b|mri|scan|ultrasound|imaging|radiograph|\bcxr\b|echo", name, re.IGNORECASE):
        return "image"
    if re.search(r"exam|inspection|palpation|auscultation|\bsigns?\b", f"{name} {under}", re.IGNORECASE):
        return "examination"
    return "test"


def terms_for(name: str, kind: FindingKind, entry: Entry | None) -> tuple[str, ...]:
    """The rules by which an order for a finding is recognized."""
    aliases = [name]
    if entry is not None:
        aliases += [entry.name] if entry.grouped else [entry.name, *entry.aliases]
    named = dict.fromkeys(alias.replace("&", "and").replace("|", " ").replace("!", "") for alias in aliases)
    whole = [one for one in named if stems(one) and one.lower() not in _PLAIN]
    if kind != "examination":
        return (" | ".join(whole),) if whole else ()
    sites = dict.fromkeys(" ".join(_EXAM_WORDS.sub(" ", one).split()).lower() for one in named)
    where = [one for one in sites if stems(one) and one not in _PLAIN]
    looked = [one for one in whole if _EXAM_WORDS.search(one) or one.lower().endswith(("scopy", "metry"))]
    rules = [f"{_EXAMINING} & {' | '.join(where)}"] if where else []
    return (*rules, *([" | ".join(looked)] if looked else []))
