"""The follow-up that a case expects: a place, and the warnings to come back for."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from osler.cases.model import Case
from osler.text.findings_in_text import mentions
from osler.text.lexical_similarity import stems

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
PLACES: Final = {place: re.compile(rf"(?<!\w)(?:{words})(?!\w)") for place, words in _PLACES.items()}


_FIRST_CLAUSE: Final = re.compile(r"[.;:,]|\bthen\b|\bor\b")


class Alarm(NamedTuple):
    """A safety-net warning: its text, its words, and the findings it warns of."""

    text: str
    words: frozenset[str]
    findings: frozenset[str]


class FollowUp(NamedTuple):
    """The follow-up a case expects. `place` is `None` if its disposition names no known place; `said` are the
    words of the disposition's first clause, `where` the disposition itself."""

    place: str | None
    warnings: tuple[Alarm, ...]
    said: frozenset[str] = frozenset()
    where: str = ""


def follow_up_of(case: Case) -> FollowUp | None:
    """The follow-up that a case expects; `None` if it has no management."""
    plan = case.management
    if plan is None:
        return None
    warnings = tuple(
        Alarm(text, words, frozenset(mentions(text))) for text in plan.safety_net if (words := stems(text))
    )
    first = next((part for part in _FIRST_CLAUSE.split(plan.disposition) if part.strip()), "")
    return FollowUp(place_in(plan.disposition), warnings, stems(first), plan.disposition)


def place_in(text: str) -> str | None:
    """The kind of place that a disposition names first; a referral counts if no place is named."""
    result = {
        place: match.start() for place, words in PLACES.items() if (match := words.search(text.lower()))
    }
    places = [place for place in result if place != "sent"] or list(result)
    return min(places, key=lambda place: result[place]) if places else None
