"""Follow-up: where the patient goes, that they are told when to come back or whom to call, and the warnings.

All are matched by words, each a part of the score. A disposition is one of a few kinds of place, or is named
in its own words ("same-day crisis team"). A warning counts if plan or follow-up name one of its findings, or
enough of its words; "back if worse" alone is the advice to come back and names no warning.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from osler.cases.model import Case
from osler.core.measure import Need
from osler.judging.scores import NO_ANSWER, QUOTE, Score
from osler.protocols.consultation.judge.follow_up_due import PLACES, Alarm, FollowUp, follow_up_of
from osler.protocols.consultation.judge.reading import Reading
from osler.protocols.consultation.judge.scoring import MISSING, share
from osler.text.findings_in_text import mentions
from osler.text.lexical_similarity import stems
from osler.text.refusal import refused, refuses

_HALF: Final = 0.5
_LONGEST: Final = 8000
_OR: Final = re.compile(r"\bor\b|/")


class FollowUpPart(NamedTuple):
    """A part of the follow-up: its id among the parts of its case, what it is, and the words that name it, ""
    if none were recognized."""

    id: str
    what: str
    quote: str = ""


_COMES_BACK: Final = re.compile(
    r"\b(?:samaritans|help ?lines?|crisis line|hot ?line|999|911|112|111|988|000)\b|safety[- ]?net"
    r"|\b(?:back|return\w*|come|re-?attend|call|ring|phone|contact|seek|go to|tell|a&e"
    r"|emergency)\b[^.;]{0,40}"
    r"\b(?:if|when|should|in case|for|with|any ?time)\b"
    r"|\b(?:if|should|in case)\b[^.;]{0,60}\b(?:back|return|come|call|ring|phone|contact|seek|go to|a&e"
    r"|emergency|hospital)\b"
)
_WHEN_BACK: Final = "when to come back, or whom to call"
_EVERYDAY: Final = stems(
    "come back call ring tell return once day same soon if with the for any staff nurse ambulance"
    " emergency department hospital again home after before until then us them at first next week weeks"
    " days early go going new more than feel felt seek help seen may within without your you she her he his"
    " him patient under team"
)
"""Words of every warning and disposition, which tell none apart."""
_ENOUGH: Final = 2


def _followed_up(wanted: FollowUp | None, reading: Reading) -> Score:
    """The share of the parts of the follow-up that plan and follow-up name between them."""
    parts = follow_up_parts(wanted, reading)
    if not parts:
        return MISSING
    if reading.final is None:
        return Score(0.0, NO_ANSWER)
    quotes = [part.quote for part in parts if part.quote]
    return Score(len(quotes) / len(parts), "", tuple(dict.fromkeys(quotes)))


def follow_up_parts(wanted: FollowUp | None, reading: Reading) -> list[FollowUpPart]:
    """The parts of the follow-up that a case expects, each with the words that name it; [] if it expects
    none."""
    if wanted is None or not (wanted.warnings or wanted.place):
        return []
    final = reading.final or {}
    told = str(final.get("followup") or "")[:_LONGEST]
    acts = [act for act in (told, *(str(entry)[:_LONGEST] for entry in final.get("plan") or ())) if act]
    parts = [FollowUpPart("follow_up_place", wanted.where, _where(wanted, acts))] if wanted.place else []
    if wanted.warnings:
        back = next((act for act in acts if _COMES_BACK.search(act.lower())), "")
        parts.append(FollowUpPart("follow_up_back", _WHEN_BACK, back[:QUOTE]))
    warnings = enumerate(wanted.warnings, 1)
    return [*parts, *(FollowUpPart(f"follow_up_{n}", one.text, _warned(one, acts)) for n, one in warnings)]


def _where(wanted: FollowUp, acts: list[str]) -> str:
    """The words that send the patient where the case does; "" if none do."""
    placed = next((act for act in acts if _named(act)), "")
    if placed and _sent_to(placed) == wanted.place:
        return placed[:QUOTE]
    needed = wanted.said - _EVERYDAY
    own = [act for act in acts if needed and len(stems(act) & needed) >= min(_ENOUGH, len(needed))]
    return next((act[:QUOTE] for act in own if not _named(act) and not refuses(act.lower())), "")


def _warned(alarm: Alarm, acts: list[str]) -> str:
    """The words that name a warning; "" if none do."""
    telling = alarm.words - _EVERYDAY
    for act in acts:
        words = stems(act)
        shared = len(words & telling)
        if (
            mentions(act).keys() & alarm.findings
            or len(words & alarm.words) >= _HALF * len(alarm.words)
            or (telling and shared >= min(_ENOUGH, len(telling)))
        ):
            return act[:QUOTE]
    return ""


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
        for place, words in PLACES.items()
        for match in words.finditer(low)
        if not refused(low, match.start(), match.end())
    )


def _expected(case: Case) -> bool:
    follow_up = follow_up_of(case)
    return follow_up is not None and bool(follow_up.place or follow_up.warnings)


EXPECTED: Final = Need("a disposition or warnings to come back for, in its management", _expected)
SCORES: Final = (
    share(
        "follow_up",
        "follow-up",
        "share of the disposition and the safety net's warnings that were named",
        lambda seen: _followed_up(seen.gold.follow_up, seen.reading),
        missed=lambda seen: (
            part.what for part in follow_up_parts(seen.gold.follow_up, seen.reading) if not part.quote
        ),
        needs=EXPECTED,
    ),
)
