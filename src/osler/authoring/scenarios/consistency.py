"""Contradictions between roles, people whom no role plays, and figures that are not in the source. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from osler.authoring.scenarios.audit_finding import Finding, Kind, Severity, finding
from osler.authoring.scenarios.layout import PLAYED, ROLES, Material, Role
from osler.authoring.scenarios.markdown import plain_text

_AGE: Final = re.compile(
    r"\b(?P<a>\d{1,3})[- ]?(?P<u>year|yr|month|week|day)s?[- ]?old\b|\b(?P<b>\d{1,3}) ?y/?o\b"
    r"|\baged? *:? *(?P<c>\d{1,3})(?: *(?P<v>year|yr|month|week|day)s?)?\b(?! ?(?:mg|ml|%))",
    re.IGNORECASE,
)
_SEX_STATED: Final = re.compile(
    r"\b(?:year|month|week|day)s?[- ]?old[ ,]{1,2}(?:\w+ ){0,3}?"
    r"(?P<a>female|woman|lady|girl|male|man|gentleman|boy)\b"
    r"|\b(?:sex|gender)\W{1,4}(?P<b>female|male|f|m|woman|man)\b"
    r"|\by/?o (?P<c>female|male|f|m|woman|man)\b",
    re.IGNORECASE,
)
_FEMALE: Final = frozenset({"female", "woman", "lady", "girl", "f"})
_BETWEEN: Final = r"(?:\s*(?:\([A-Za-z0-9 ]{1,12}\))?\s*(?:is|was|of|=|:|-)?\s*){1,2}"
_VITALS: Final = {
    "blood pressure": re.compile(
        rf"\b(?:BP|blood pressure){_BETWEEN}(\d{{2,3}} ?/ ?\d{{2,3}})", re.IGNORECASE
    ),
    "heart rate": re.compile(rf"\b(?:HR|heart rate|pulse(?: rate)?){_BETWEEN}(\d{{2,3}})\b", re.IGNORECASE),
    "respiratory rate": re.compile(
        rf"\b(?:RR|resp(?:iratory|iration)?s?(?: rate)?|breathing rate){_BETWEEN}(\d{{1,3}})\b", re.IGNORECASE
    ),
    "oxygen saturation": re.compile(
        rf"\b(?:SpO2|SaO2|O2 sats?|sats?|(?:oxygen )?saturations?){_BETWEEN}(\d{{2,3}}) ?%?", re.IGNORECASE
    ),
    "temperature": re.compile(
        rf"\b(?:temp(?:erature)?|T){_BETWEEN}(\d{{2,3}}(?:[.,]\d{{1,2}})?) ?(?:°|º|C\b|F\b|degrees)",
        re.IGNORECASE,
    ),
}
# "To keep saturations 94-98 %", "aim for a BP of 120/80": what is wanted, not what was measured.
_WANTED: Final = re.compile(
    r"\b(?:keep|keeping|keeps|kept|maintain\w*|target\w*|aim\w*|titrat\w*|goals?|until|achiev\w*|reach\w*|desired|"
    r"ideal\w*|normal(?:ly)? range|"
    r"should be|to be|if|unless|once|when)\b[^.;:\n|]{0,50}$",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(r"\s?%?\s?(?:-|–|—|to)\s?\d{2,3}\b")
_TITLED: Final = re.compile(
    r"\b(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof)\b\.?|(?:Doctor|Nurse|Professor|Sister))\s+"
    r"((?:[A-Z][a-z'’-]+ ?){1,2})"
)
_NAMED: Final = re.compile(
    r"(?:^|\b)(?:[Nn]ame(?: is|:)|(?:I am|I'm|You are|you are|called|named))\s+"
    r"((?!(?:The|A|An|In|On|At|Not|No|Very|Your|Now|To)\b)[A-Z][a-z'’-]+(?: [A-Z][a-z'’-]+)?)"
)
_NUMBER: Final = re.compile(r"(?<![\w.,/])\d+(?:[.,]\d+)?(?:/\d+)?(?![\w/])")
# Months are kept apart from years: 18 months is not 18 years.
_DAYS: Final = {"year": 365, "yr": 365, "month": 30, "week": 7, "day": 1}


class QuotedFact(NamedTuple):
    """A fact and the quote that states it."""

    value: str
    quote: str


def ages(text: str) -> Iterator[QuotedFact]:
    """The ages in a text, as `34 year` or `8 month`, in order."""
    for match in _AGE.finditer(text):
        number = int(match["a"] or match["b"] or match["c"])
        unit = (match["u"] or match["v"] or "year").lower().replace("yr", "year")
        if number * _DAYS[unit] <= 125 * 365:
            yield QuotedFact(f"{number} {unit}", around(text, match.start(), match.end()))


def sexes(text: str) -> Iterator[QuotedFact]:
    """The sexes in a text, `female` or `male`, stated beside an age or under sex or gender."""
    for match in _SEX_STATED.finditer(text):
        word = (match["a"] or match["b"] or match["c"]).lower()
        yield QuotedFact("female" if word in _FEMALE else "male", around(text, match.start(), match.end()))


def vital_signs(text: str) -> Iterator[tuple[str, QuotedFact]]:
    """The measured vital signs in a text by name, with the figure as written except for spaces.

    A target ("to keep saturations 94-98 %") or a condition ("if the pulse is 40") is no measurement.
    """
    for name, pattern in _VITALS.items():
        for match in pattern.finditer(text):
            if _WANTED.search(text, max(0, match.start() - 80), match.start()):
                continue
            if name == "oxygen saturation" and _RANGE.match(text, match.end()):
                continue
            value = match[1].replace(" ", "").replace(",", ".")
            yield name, QuotedFact(value, around(text, match.start(), match.end()))


def people(text: str) -> Iterator[QuotedFact]:
    """The names of people in a text, after a title or an introduction."""
    for pattern in (_TITLED, _NAMED):
        for match in pattern.finditer(text):
            yield QuotedFact(match[1].strip(), around(text, match.start(), match.end()))


def numbers(text: str) -> Iterator[QuotedFact]:
    """The figures in a text of two digits or more, or with a decimal point, which a source must support."""
    for match in _NUMBER.finditer(text):
        if len(re.sub(r"\D", "", match[0])) > 1:
            yield QuotedFact(match[0].replace(",", "."), around(text, match.start(), match.end()))


def around(text: str, start: int, end: int, reach: int = 40) -> str:
    """The words around a match, cut at spaces and line ends."""
    left = text.rfind("\n", 0, start) + 1
    right = text.find("\n", end)
    right = len(text) if right < 0 else right
    if start - left > reach:
        left = max(left, text.find(" ", start - reach, start) + 1 or start)
    if right - end > reach:
        right = min(right, cut) if (cut := text.rfind(" ", end, end + reach)) > 0 else end
    return " ".join(text[left:right].split())


_ALIKE: Final = "make the roles tell the same, as the source has it"
# The controller's word on the patient takes precedence, then what the patient's player is told.
_FIRST: Final[tuple[Role, ...]] = ("environment_controller", "sp_actor", "examinee", "evaluator")


def contradictions(material: Material) -> Iterator[Finding]:
    """Ages, sexes and vital signs that differ between roles; and roles without material."""
    for role in ROLES:
        if not any(text.strip() for text in material[role].values()):
            yield _empty(role)
    yield from _first_told(material, "age", ages)
    yield from _first_told(material, "sex", sexes)
    yield from _vital_signs(material)


def _empty(role: Role) -> Finding:
    what = "the role has no material"
    if role == "evaluator":
        what = "the source holds no assessment, so there is no rubric"
    mend = f"put a Markdown file into {role}/ with what the role must know"
    return finding("empty_role", "serious", role, "", "", what, mend)


def no_items(material: Material, items: Sequence[str]) -> Iterator[Finding]:
    """An assessment from which no item could be extracted."""
    if not items and any(text.strip() for text in material["evaluator"].values()):
        what = "no item could be taken from the evaluator's material"
        mend = "make a list of them under a heading such as Checklist, or name a model that finds them"
        yield finding("no_items", "serious", "evaluator", "", "", what, mend)


def _first_told(
    material: Material, kind: Kind, read: Callable[[str], Iterator[QuotedFact]]
) -> Iterator[Finding]:
    """A role's first figure against the first role that has any: later ones may be about other people."""
    known: set[str] = set()
    holder: Role | None = None
    for role in _FIRST:
        pairs = [(name, fact) for name, text in material[role].items() for fact in read(plain_text(text))]
        if not pairs:
            continue
        if holder is None:
            holder, known = role, {fact.value for _, fact in pairs}
            continue
        name, fact = pairs[0]
        if fact.value not in known:
            what = f"{kind} {fact.value}; {holder} has {', '.join(sorted(known))}"
            yield finding(kind, "serious", role, name, fact.quote, what, _ALIKE)


def _vital_signs(material: Material) -> Iterator[Finding]:
    """Vital signs that match none of the controller's figures, of which a state may change any."""
    known: dict[str, set[str]] = {}
    for text in material["environment_controller"].values():
        for sign, fact in vital_signs(plain_text(text)):
            known.setdefault(sign, set()).add(fact.value)
    for role in ROLES:
        if role == "environment_controller":
            continue
        for name, text in material[role].items():
            for sign, fact in vital_signs(plain_text(text)):
                if sign in known and fact.value not in known[sign]:
                    there = ", ".join(sorted(known[sign]))
                    what = f"{sign} {fact.value}; environment_controller has {there}"
                    yield finding("vital_sign", "serious", role, name, fact.quote, what, _ALIKE)


def unplayed(material: Material) -> Iterator[Finding]:
    """People named by only one role; worse where no role that plays people knows them."""
    named: dict[str, dict[Role, tuple[str, QuotedFact]]] = {}
    for role in ROLES:
        for name, text in material[role].items():
            for fact in people(plain_text(text)):
                named.setdefault(fact.value.split()[-1].casefold(), {}).setdefault(role, (name, fact))
    everything = {
        role: " ".join(plain_text(text).casefold() for text in material[role].values()) for role in ROLES
    }
    for key, roles in sorted(named.items()):
        if any(key in everything[role] for role in ROLES if role not in roles):
            continue
        if len(roles) > 1:
            continue
        ((role, (name, fact)),) = roles.items()
        played = role in PLAYED[1:]
        what = f"{fact.value} is named here only"
        if not played:
            what += ", so nobody plays them"
        mend = "tell the other roles of them, or leave them out"
        yield finding("one_role_only", "minor" if played else "moderate", role, name, fact.quote, what, mend)


def not_in_source(material: Material, source: Sequence[str]) -> Iterator[Finding]:
    """Figures in the played roles that are not in the source: a model may have made them up."""
    values = {fact.value for text in source for fact in numbers(plain_text(text))}
    vital = {fact.value for text in source for _, fact in vital_signs(plain_text(text))}
    for role in PLAYED:
        for name, text in material[role].items():
            signs = [fact for _, fact in vital_signs(plain_text(text))]
            for fact in numbers(plain_text(text)):
                if fact.value in values | vital:
                    continue
                is_sign = any(fact.value == sign.value for sign in signs)
                what = f"{fact.value} does not stand in the source"
                mend = "take it from the source, or have a clinician agree to it"
                severity: Severity = "moderate" if is_sign else "minor"
                yield finding("not_in_source", severity, role, name, fact.quote, what, mend)
