"""Lexical claim extraction: the named things, time spans, numbers and proper names that a sentence affirms.

Everything here is lexical and conservative: a denied, doubted or asked statement affirms nothing.
Pure functions; the patterns are linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import resources
from typing import Final, NamedTuple

import yaml

from osler.knowledge.conditions import knowledge
from osler.text.phrases import Phrases, words

_SENTENCE: Final = re.compile(r"[^.!?;\n]+(?:\.(?=\d)[^.!?;\n]+)*[.!?;\n]*")
# A new clause ends the scope of a negation: "I don't smoke, but I drink", "no cough, and my leg hurts".
_CLAUSE: Final = re.compile(
    r"\b(?:but|however|although|though|except|apart from|then|yet|because|since|until|so)\b"
    r"|(?:,|\band\b)\s+(?=(?:i|i'm|i've|i'd|he|he's|she|she's|it|it's|my|his|her|we|we've|they|there|there's|yes|only)\b)",
    re.IGNORECASE,
)
_DENIES: Final = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|deny|denies|denied|cannot|unsure|doubt|hardly)\b"
    r"|n't\b|\b(?:don|doesn|didn|can|couldn|won|haven|hasn|isn|wasn|aren)t\b|\bfree of\b|\bstopped\b",
    re.IGNORECASE,
)
_DRUG_ENDING: Final = re.compile(
    r"\b(?!april\b|cyprus\b)[a-z]{3,20}(?:cillin|mycin|cycline|floxacin|prazole|sartan|statin|dipine|olol|azepam|azolam"
    r"|oxetine|triptan|gliptin|gliflozin|xaban|parin|profen|coxib|tidine|conazole|vir|mab|pril|thiazide|setron)\b"
)
_NAME: Final = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}\b")
_NO_NAMES: Final = frozenset(
    "doctor doc dr nurse mr mrs miss god lord jesus christ christmas easter yes no well oh okay english"
    "".split()
)


class Claim(NamedTuple):
    """A thing that a text names, under a key shared by all its names, and whether it is affirmed."""

    key: str
    shown: str
    affirmed: bool


def sentences(text: str) -> list[str]:
    """Split a text into sentences, keeping their punctuation; a decimal point does not end a sentence."""
    return [found for raw in _SENTENCE.findall(text) if (found := raw.strip())]


@lru_cache(maxsize=20_000)
def claims(text: str) -> tuple[Claim, ...]:
    """The things a text names, each affirmed unless its clause negates it before that point or is a
    question."""
    return tuple(claim for sentence in sentences(text.replace("’", "'")) for claim in _in_sentence(sentence))


@lru_cache(maxsize=4096)
def illnesses(text: str) -> frozenset[str]:
    """The keys of the illnesses that a text names, affirmed or not."""
    return frozenset(claim.key for claim in claims(text) if claim.key.startswith("illness:"))


def _in_sentence(sentence: str) -> Iterator[Claim]:
    asked = sentence.rstrip().endswith("?")
    for clause in _CLAUSE.split(sentence):
        denial = _DENIES.search(clause)
        before = clause if denial is None else clause[: denial.start()]
        for key, shown in _named(before):
            yield Claim(key, shown, not asked)
        if denial is not None:
            for key, shown in _named(clause[denial.start() :]):
                yield Claim(key, shown, affirmed=False)


def _named(clause: str) -> Iterator[tuple[str, str]]:
    said = words(clause)
    for start, end, key in _lexicon().find(said):
        yield key, " ".join(said[start:end])
    for match in _DRUG_ENDING.finditer(clause.lower()):
        yield from ((key, match[0]) for key in (_lexicon_key(match[0]) or f"drug:{match[0]}",))
    for match in _NAME.finditer(clause):
        name = match[0].lower()
        if name not in _NO_NAMES and name.removesuffix("s") not in CALENDAR and not _lexicon_key(name):
            yield f"name:{name}", match[0]


@lru_cache(maxsize=4096)
def _lexicon_key(name: str) -> str | None:
    result = _lexicon().find(words(name))
    return result[0].label if result else None


@cache
def _lexicon() -> Phrases[str]:
    source: dict[str, str] = yaml.safe_load(
        resources.files("osler.protocols.shared.model").joinpath("claims.yaml").read_text(encoding="utf-8")
    )
    pairs: dict[tuple[str, ...], tuple[str, str]] = {}
    for group, entries in source.items():
        for entry in entries.split(";"):
            names = [name.strip() for name in entry.split(",") if name.strip()]
            for name in names:
                pairs.setdefault(words(name), (name, f"{group}:{names[0]}"))
    for condition in knowledge().conditions:
        for name in (condition.name, *condition.synonyms):
            # Two letters are too often something else ("I was ms. Smith", "pe teacher").
            if len(name) > 2 and words(name):
                pairs.setdefault(words(name), (name, f"illness:{condition.id}"))
    return Phrases((name.replace("|", " "), key) for name, key in pairs.values())


# Amounts of time and numbers

_UNITS: Final = {
    "second": 1 / 60,
    "minute": 1,
    "min": 1,
    "hour": 60,
    "hr": 60,
    "day": 1440,
    "night": 1440,
    "evening": 1440,
    "morning": 1440,
    "week": 10080,
    "fortnight": 20160,
    "month": 43800,
    "year": 525600,
    "yr": 525600,
    "decade": 5256000,
}
_SMALL: Final = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen".split(),
        range(20),
        strict=True,
    )
)
_TENS: Final = dict(
    zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True)
)
CALENDAR: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february april june july august "
    "september october november december".split()
)
_WHEN: Final = re.compile(
    r"\b(?:(yesterday|last (?:night|week|month|year|summer|winter|spring|autumn))"
    rf"|({'|'.join(sorted(CALENDAR))})s?)\b"
)
_AMOUNT: Final = re.compile(r"\d+(?:[.,:/]\d+)*|[a-z]+(?:-[a-z]+)?")
_BETWEEN: Final = frozenset({"more", "full", "whole", "good", "long", "or", "odd"})
_VAGUE: Final = {"couple": (2, 3), "few": (2, 7), "several": (2, 12), "some": (2, 12)}


class Amounts(NamedTuple):
    """The amounts in a text: numbers other than durations (`numbers`) and all numbers (`counts`); `spans` of
    time in minutes, each as the (shortest, longest) that the words allow; and days and dates (`when`)."""

    numbers: frozenset[float]
    counts: frozenset[float]
    spans: tuple[tuple[float, float], ...]
    when: frozenset[str]


@lru_cache(maxsize=20_000)
def amounts(text: str) -> Amounts:
    """Extract every number and time span from a text, however written: "2 weeks", "a fortnight"."""
    lower = text.lower()
    tokens = _AMOUNT.findall(lower.replace("-year", " year"))
    numbers, counts, spans = set[float](), set[float](), list[tuple[float, float]]()
    at = 0
    while at < len(tokens):
        value, size = _number(tokens, at)
        if value is None:
            if (unit := _unit(tokens[at])) and (range_ := _unnumbered(tokens, at)):
                spans.append((range_[0] * unit, range_[1] * unit))
            at += 1
            continue
        at += size
        unit_at = at + (at < len(tokens) and tokens[at] in _BETWEEN)
        unit = _unit(tokens[unit_at]) if unit_at < len(tokens) else None
        if unit:
            spans.append((value * unit, value * unit))
        elif value != 1:  # "one" is mostly a pronoun
            numbers.add(value)
        counts.add(value)
    when = frozenset(time or date for time, date in _WHEN.findall(lower))
    return Amounts(frozenset(numbers), frozenset(counts), tuple(spans), when)


def _number(tokens: list[str], at: int) -> tuple[float | None, int]:
    """Parse the number that begins at token `at`; return it (or `None`) and its length in tokens."""
    token = tokens[at]
    if token[0].isdigit():
        plain = token.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+", token) else token
        try:
            return float(plain), 1
        except ValueError:  # a pair such as 120/80, or a time of day: its digits joined into one number
            return float(re.sub(r"\D", "", token)[:15]), 1
    tens, _, ones = token.partition("-")
    if tens in _TENS and (not ones or ones in _SMALL):
        value = float(_TENS[tens] + _SMALL.get(ones, 0))
        if not ones and at + 1 < len(tokens) and 0 < _SMALL.get(tokens[at + 1], 0) < 10:
            return value + _SMALL[tokens[at + 1]], 2
        return value, 1
    if token in _SMALL:
        return float(_SMALL[token]), 1
    if token in ("hundred", "thousand", "dozen"):
        return {"hundred": 100.0, "thousand": 1000.0, "dozen": 12.0}[token], 1
    return None, 1


def _unit(token: str) -> float | None:
    return _UNITS.get(token) or _UNITS.get(token.removesuffix("s"))


def _unnumbered(tokens: list[str], at: int) -> tuple[int, int] | None:
    """The range of multiples of the unit at `at` that "a", "a few", "a couple of" or "several" stands for."""
    if tokens[at].startswith("fortnight"):
        return 1, 1
    for back in (1, 2):
        if at >= back and (word := tokens[at - back]) in _VAGUE:
            return _VAGUE[word]
    return (1, 1) if at and tokens[at - 1] in ("a", "an") else None
