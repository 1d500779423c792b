"""Statements about a child as a parent says them, where that is safe."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from osler.text.first_person import (
    CLINICIANS,
    HE,
    NOUN_LONG,
    SENTENCES,
    SHE,
    SUBJECT,
    THEY,
    cut_back,
)
from osler.text.tokens import sentence

_REPORTER: Final = re.compile(
    r"^(?:(?:the|his|her|their|a)\s+)?(?:patient['’]s\s+|(?:boy|girl|child|infant|baby)['’]s\s+)?"
    r"(?:mother|father|parents?|mom|mum|dad|guardian|caregiver)\s+(?:(?:also|has|have|then|first)\s+){0,2}"
    r"(?P<how>reports?|reported|states?|stated|says?|said|notes?|noted|noticed|mentions?|mentioned|"
    r"describes?|adds?|"
    r"den(?:y|ies|ied))\b\s*(?:that\s+)?(?:any\s+)?",
    re.I,
)
_CHILD: Final = re.compile(
    r"\b(?:the (?:patient|boy|girl|child|infant|baby|newborn|neonate|toddler)|"
    r"patient)(?P<own>['’]s)?(?=\W|$)",
    re.I,
)
_PARENTS: Final = re.compile(
    r"\b(?:mother|father|parents?|mom|mum|dad|guardian|caregiver|maternal|paternal)\b", re.I
)
_HAS: Final = re.compile(
    r"^(?:also\s+|currently\s+)?(?:is|was|has|had|does|did|takes|took|eats|sleeps|attends|lives|goes|"
    r"drinks|plays|"
    r"developed|began|started|stopped|receives|received|weighs|walks|uses|used)\b",
    re.I,
)


@lru_cache(maxsize=20_000)
def in_carers_words(text: str) -> str | None:
    """A statement about a child as a parent says it; `None` where it tells of a parent or is a note's."""
    turned = [_carers(part) for part in SENTENCES.split(text.strip())]
    carers_words = " ".join(sentence(part) for part in turned if part)
    if any(part is None for part in turned) or not carers_words or CLINICIANS.search(carers_words):
        return None
    return carers_words


_WORRIED: Final = re.compile(
    r"^(?:(?:she|he|they) (?:is|are|was|were) (?:worried|concerned)(?: that| about)?|(?:his|her|their) "
    r")\s*",
    re.I,
)


@lru_cache(maxsize=20_000)
def as_childs_complaint(phrase: str) -> str:
    """A child's complaint as a parent names it, cut before what tells of a parent; empty if none is left."""
    long = NOUN_LONG.match(phrase.strip())
    if long:
        what = as_childs_complaint(long["what"])
        return f"{what}, for {re.sub('[- ]', ' ', long[1])}s now" if what else ""
    phrase = _CHILD.sub(
        lambda match: "my child's" if match["own"] else "my child",
        _WORRIED.sub("", _REPORTER.sub("", phrase)),
    )
    return cut_back(phrase, lambda said: None if _PARENTS.search(said) or CLINICIANS.search(said) else said)


_ANYBODYS_REPORT: Final = re.compile(
    r"^(?:(?:the|his|her|their|a)\s+)?(?:patient['’]s\s+|(?:man|woman)['’]s\s+)?(?P<who>[\w-]+)\s+(?:(?:also|has|have|then|first|further)\s+){0,2}"
    r"(?P<how>reports?|reported|states?|stated|says?|said|notes?|noted|mentions?|mentioned|adds?|added|"
    r"recalls?|recalled|den(?:y|ies|ied))\b\s*(?:that\s+)?(?:any\s+)?",
    re.I,
)
_RELATIONS: Final = {
    "child": ("son", "daughter", "children"), "relative": ("family",), "carer": ("caregiver", "caretaker"),
    "neighbour": ("neighbor",), "nurse": ("nurses", "staff"), "ambulance crew": ("paramedics", "ems", "crew"),
    "witness": ("witnesses",), "colleague": ("coworker", "co-worker"),
}  # fmt: skip


def as_anothers_complaint(phrase: str, speaker: str) -> str:
    """A patient's complaint as one names it who speaks for them, cut before what tells of the speaker."""
    own = _own_report(phrase, speaker)
    return cut_back(own, lambda said: None if _tells_of(said, speaker) or CLINICIANS.search(said) else said)


def in_companions_words(text: str, speaker: str) -> str | None:
    """A statement about a patient as one says it who speaks for them; `None` where it tells of the speaker in
    the third person, or is a note's."""
    result = " ".join(sentence(_own_report(part, speaker)) for part in SENTENCES.split(text.strip()) if part)
    return None if not result or CLINICIANS.search(result) or _tells_of(result, speaker) else result


def _own_report(text: str, speaker: str) -> str:
    """A statement without "his wife reports that", where the wife speaks."""
    reporter = _ANYBODYS_REPORT.match(text)
    if not reporter or reporter["who"].lower().rstrip("s") not in _called(speaker):
        return text
    rest = text[reporter.end() :]
    rest = f"no {rest}" if reporter["how"].lower().startswith("den") else rest
    return rest[:1].upper() + rest[1:] if text[:1].isupper() else rest


def _tells_of(text: str, speaker: str) -> bool:
    called = "|".join(_called(speaker))
    return re.search(rf"\b(?:his|her|their|the|a|an)\s(?:\w+\s)?(?:{called})s?\b", text, re.I) is not None


def _called(speaker: str) -> tuple[str, ...]:
    return (speaker, *_RELATIONS.get(speaker, ()))


def _carers(statement: str) -> str | None:
    reporter = _REPORTER.match(statement)
    if reporter:
        rest = statement[reporter.end() :]
        if reporter["how"].lower().startswith("describe") and re.search(r"\bas\b", rest):
            return None
        how = reporter["how"].lower()
        lead = "no " if how.startswith("den") else "I noticed " if how == "noticed" else ""
        own = (
            SHE
            if re.search(r"mo(?:ther|m)|mum", reporter[0], re.I)
            else HE
            if "ather" in reporter[0]
            else THEY
        )
        if own.search(rest):
            return None  # the one who reports, or the child?
        statement = lead + rest
    denies = re.match(rf"(?:{SUBJECT}\s+)?(?:denies|denied)(?: any| having)?\s+", statement, re.I)
    if denies:
        statement = f"no {statement[denies.end() :]}"
    statement = _CHILD.sub(lambda match: "my child's" if match["own"] else "my child", statement)
    statement = re.sub(r"\bwith (?:(?:his|her|both|the|their) )*parents\b", "with us", statement, flags=re.I)
    if _HAS.match(statement):
        statement = f"my child {statement[:1].lower()}{statement[1:]}"
    return None if _PARENTS.search(statement) else statement
