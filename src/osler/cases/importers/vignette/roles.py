"""Assigning a role to each clause of a vignette by rules: section cues, verbs, signs, numbers with units.

A clause without cues takes the role of its section. A clause's own cues outweigh its position, so that "He
says it hurts" is the patient's even inside an examination. The cues are in roles.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, NamedTuple, get_args

import yaml

from osler.cases.importers.vignette.clauses import Unit
from osler.cases.importers.vignette.orderable import gives_result
from osler.errors import BadInput

Role = Literal["opening", "history", "examination", "test", "management", "question", "withheld"]
"""The holder of a clause: everyone, the patient, the examination service (two roles), or none (three)."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)

_PERSON: Final = re.compile(
    r"\b(?:year|month|week|day|hour)s?[\s-]{0,2}old\b|\byo\b|\baged \d|\b(?:man|woman|boy|girl|male|"
    r"female|infants?|newborn|neonate|child|toddler|baby|patient|lady|gentleman|athlete|player|primigravid|"
    r"g\d ?p\d)\b|^\W{0,3}\d{1,2} ?[mf]\b",
    re.IGNORECASE,
)
_AGED: Final = re.compile(
    r"\b(?:year|month|week|day|hour)s?[\s\u2010-\u2013-]{0,2}old\b|\d ?yo\b|^\W{0,3}\d{1,2} ?[mf]\b",
    re.IGNORECASE,
)
# These are about a person, and so not a result by position alone.
_OF_A_PERSON: Final = re.compile(
    r"\W*(?:he|she|they|the (?:patient|child|boy|girl|man|woman))\b", re.IGNORECASE
)
_OTHERS: Final = re.compile(
    r"\b(?:researchers?|scientists?|investigators?|study|trial|experiment|cohort)\b", re.IGNORECASE
)
_COMES: Final = re.compile(
    r"\b(?:presents|presented|complain(?:s|ed|ing)|comes|came|brings?|brought)\b", re.IGNORECASE
)
_GOES_ON: Final = re.compile(r"\b(?:reveal(?:s|ed)|show(?:s|ed|n)|demonstrate[sd]?)\b", re.IGNORECASE)
_LEADS_IN: Final = re.compile(
    r"\W*(?:based on|given|considering|according to|in (?:view|light) of)\b", re.IGNORECASE
)
_LONGEST: Final = 1200
_FEW_WORDS: Final = 5
# Weights besides those of the cues: for a table row, for a test named with its result, for the section that a
# clause is in; and the threshold for a clear result whatever its position.
_ROW: Final = 3
_GIVEN: Final = 5
_STANDS_IN: Final = 2
_SURE: Final = 6


class Cue(NamedTuple):
    """A pattern that counts towards a role, and its weight."""

    role: Role
    weight: int
    pattern: re.Pattern[str]


@cache
def cues() -> tuple[Cue, ...]:
    """All cues of roles. Raises BadInput where the file names an unknown role."""
    result = []
    for entry in _source()["roles"]:
        if entry["role"] not in ROLES:
            raise BadInput(f"there is no role {entry['role']!r}", where="roles.yaml")
        result.append(Cue(entry["role"], int(entry["weight"]), _compiled(entry["cue"])))
    return tuple(result)


@cache
def _measured() -> re.Pattern[str]:
    return _compiled(_source()["measured"])


@cache
def _source() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("roles.yaml").read_text(encoding="utf-8")
    source: dict[str, Any] = yaml.safe_load(text)
    return source


def _compiled(cue: str) -> re.Pattern[str]:
    for name, part in _source()["parts"].items():
        cue = cue.replace(f"<{name}>", part)
    return re.compile(cue.replace("\n", ""), re.IGNORECASE)


def roles_of(units: Sequence[Unit]) -> tuple[Role, ...]:
    """The role of each unit, in order. Without a person, everything but the question is the opening."""
    first = next((unit.sentence for unit in units if _PERSON.search(unit.text) and not asks(unit.text)), None)
    if first is None or any(_OTHERS.search(unit.text) for unit in units if unit.sentence <= first):
        return tuple("question" if asks(unit.text) else "opening" for unit in units)
    roles: list[Role] = []
    section: Role = "history"
    sentence = -1
    for unit in units:
        before = roles[-1] if unit.sentence == sentence else None
        role = _role(unit, section, before, opens=unit.sentence <= first)
        sentence = unit.sentence
        roles.append(role)
        section = role if role in ("history", "examination", "test") else section
    roles = list(_whole_questions(units, roles))
    if "opening" not in roles:
        roles[next(place for place, unit in enumerate(units) if unit.sentence == first)] = "opening"
    return tuple(roles)


def _whole_questions(units: Sequence[Unit], roles: Sequence[Role]) -> Iterator[Role]:
    """The roles, with each question made whole: "Based on this result, which ... in a patient who ...?"."""
    asking = {unit.sentence for unit, role in zip(units, roles, strict=True) if role == "question"}
    for unit, role in zip(units, roles, strict=True):
        part = unit.sentence in asking and (_LEADS_IN.match(unit.text) or not _sure(_weights(unit.text)))
        yield "question" if part else role


def asks(text: str) -> bool:
    """Whether a clause is a question, or lists its choices."""
    return _weights(text).get("question", 0) > 0


def measured(text: str) -> bool:
    """Whether a text gives a laboratory value or a vital sign as a number, which no patient recites."""
    return _measured().search(text) is not None


def first_measured(text: str) -> int | None:
    """The position in a text where such a number begins."""
    match = _measured().search(text)
    return match.start() if match else None


def result_role(text: str) -> Role | None:
    """The role of a sentence among results, examination or test; `None` where it has no cue."""
    weights = _weights(text)
    examined, tested = weights.get("examination", 0), weights.get("test", 0)
    if examined == tested == 0:
        return None
    return "test" if tested > examined else "examination"


def _weights(text: str) -> dict[Role, int]:
    weights: dict[Role, int] = {}
    for role, weight, cue in cues():
        if cue.search(text[:_LONGEST]) or (role == "question" and cue.search(text[-_LONGEST:])):
            weights[role] = weights.get(role, 0) + weight
    if gives_result(text):
        weights["test"] = weights.get("test", 0) + _GIVEN
    return weights


def _sure(weights: dict[Role, int]) -> bool:
    """Whether a clause is clearly a result, whatever its position."""
    return max(weights.get("examination", 0), weights.get("test", 0)) >= _SURE


def _is_opening(unit: Unit, section: Role, weights: dict[Role, int]) -> bool:
    """Whether the first unit of a vignette says who comes and why, and not yet what was found."""
    if _COMES.search(unit.text) or _AGED.search(unit.text):
        return True
    carried = section in ("examination", "test") and not weights.get("history")
    return not (carried or _sure(weights))


def _role(unit: Unit, section: Role, before: Role | None, *, opens: bool) -> Role:
    """The role of a unit in a `section`; `before` is that of the unit before it in the same sentence."""
    weights = _weights(unit.text)
    if weights.get("question"):
        return "question"
    if opens and _is_opening(unit, section, weights):
        return "opening"
    tells = _sure(weights) or measured(unit.text)
    if before and not tells and (not weights or len(unit.text.split()) < _FEW_WORDS):
        return before
    if unit.row and section != "examination":
        weights["test"] = weights.get("test", 0) + _ROW
    if section == "test" and "test" not in weights and _OF_A_PERSON.match(unit.text):
        section = "history"
    weights[section] = weights.get(section, 0) + _STANDS_IN
    if section != "history" and _GOES_ON.search(unit.text):
        weights[section] += _STANDS_IN
    if measured(unit.text):
        weights["history"] = 0
        weights["test"] = weights.get("test", 0) + 1
    role = max(weights, key=lambda role: (weights[role], role == section))
    return "opening" if opens and role in ("history", "management") else role
