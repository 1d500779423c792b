"""Follow-up: a score for naming the disposition and the safety-net warnings in the conclusion.

Both are matched by words. A disposition is one of a few kinds of place; a warning counts if the follow-up
names one of its findings or half of its words.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from osler.cases.model import Case
from osler.judging.scores import NO_ANSWER, NOT_IN_CASE, QUOTE, Score
from osler.protocols.consultation.judge.reading import Reading
from osler.text.findings_in_text import mentions
from osler.text.lexical_similarity import stems
from osler.text.refusal import refused

_HALF: Final = 0.5
_LONGEST: Final = 8000
_PLACES: Final = {
    "stay": r"admi(?:t\w*|ssion)|in[- ]?patient|wards?|theatre|operating room|resuscitation"
    r"|(?:intensive|high|coronary) (?:care|dependency)|icu|hdu|itu|ccu|catheter laboratory|cath lab|keep in"
    r"|stays?|transfer\w*|(?:hospital|monitored|renal|toxicology) bed|monitored|majors|bays?|(?:\w+ )?unit",
    # A place, not a phrase that merely contains its word: an illness caught there, a drug taken there.
    "home": r"(?<!nursing )(?<!care )home(?! (?:medic\w+|oxygen|drugs?|insulin|treatments?|visits?|resident))"
    r"|discharged|discharge (?:home|today|with|from|to)|out[- ]?patients?|clinic|ambulatory"
    r"|community(?!-acquired| acquired)",
    "sent": r"ambulance|emergency department|a&e|same[- ]day (?:referral|assessment|review)"
    r"|refer(?:red|ral)?",
}
_OR: Final = re.compile(r"\bor\b|/")
_WORDS: Final = {place: re.compile(rf"(?<!\w)(?:{words})(?!\w)") for place, words in _PLACES.items()}


class Alarm(NamedTuple):
    """A safety-net warning: its words, and the findings it warns of."""

    words: frozenset[str]
    findings: frozenset[str]


class FollowUp(NamedTuple):
    """The follow-up a case expects. `place` is `None` if its disposition names no known place."""

    place: str | None
    warnings: tuple[Alarm, ...]


def follow_up_of(case: Case) -> FollowUp | None:
    """The follow-up that a case expects; `None` if it has no management."""
    plan = case.management
    if plan is None:
        return None
    warnings = (Alarm(stems(text), frozenset(mentions(text))) for text in plan.safety_net)
    return FollowUp(_place(plan.disposition), tuple(warning for warning in warnings if warning.words))


def followed_up(wanted: FollowUp | None, reading: Reading) -> Score:
    """The share of the disposition and the warnings that plan and follow-up name between them."""
    of = 0 if wanted is None else len(wanted.warnings) + (wanted.place is not None)
    if wanted is None or not of:
        return Score(None, NOT_IN_CASE)
    if reading.final is None:
        return Score(0.0, NO_ANSWER)
    told = str(reading.final.get("followup") or "")[:_LONGEST]
    acts = [told, *(str(entry)[:_LONGEST] for entry in reading.final.get("plan") or ())]
    quotes = []
    where = next((act for act in acts if _named(act)), "")
    goes = wanted.place is not None and _sent_to(where) == wanted.place
    if goes:
        quotes.append(where[:QUOTE])
    words, findings = stems(told), mentions(told).keys()
    named = [
        warning
        for warning in wanted.warnings
        if findings & warning.findings or len(words & warning.words) >= _HALF * len(warning.words)
    ]
    if named:
        quotes.append(told[:QUOTE])
    return Score((len(named) + goes) / of, "", tuple(dict.fromkeys(quotes)))


def _place(text: str) -> str | None:
    """The kind of place that a disposition names first; a referral counts if no place is named."""
    found = {place: match.start() for place, words in _WORDS.items() if (match := words.search(text.lower()))}
    named = [place for place in found if place != "sent"] or list(found)
    return min(named, key=lambda place: found[place]) if named else None


def _sent_to(text: str) -> str | None:
    """The kind of place that a plan names first and does not negate; `None` if it leaves the choice open
    ("admit or discharge home"), which would be right for every case."""
    named = _named(text)
    kinds = [place for _, place in named if place != "sent"] or [place for _, place in named]
    if len({*kinds}) > 1:
        first, second = (next(at for at, kind in named if kind == place) for place in dict.fromkeys(kinds))
        if _OR.search(text.lower(), min(first, second), max(first, second)):
            return None
    return kinds[0] if kinds else None


def _named(text: str) -> list[tuple[int, str]]:
    """The offsets and kinds of places named in a text, in order, negated ones left out."""
    low = text.lower()
    return sorted(
        (match.start(), place)
        for place, words in _WORDS.items()
        for match in words.finditer(low)
        if not refused(low, match.start(), match.end())
    )
