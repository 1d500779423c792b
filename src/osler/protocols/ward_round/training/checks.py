"""The hard filters of a tutor's turn, each a rule with a name: a turn that breaks one is no target.

names           its thoughts name the students of this round, and its words nobody of another group
leak            it does not say the answer, nor a step's point, before a student did
asks            it asks at least one question, and not one student alone
conduct         it breaks no rule of conduct
contradiction   it says nothing of the patient that the case denies
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from osler.cases.answers import announces_the_answer, names_the_answer
from osler.cases.personas.library import students
from osler.core.contract import Request
from osler.protocols.ward_round.events import RoundLine
from osler.protocols.ward_round.players.reviewers import contradictions
from osler.protocols.ward_round.seats import Guidance, TutorView
from osler.protocols.ward_round.views import specialist_view
from osler.text.conduct_rules import breach
from osler.text.key_points import says
from osler.text.tokens import sentences
from osler.training.task import Filter, Turn

NAMED: Final = re.compile(r'student_id="([^"]*)"')
_GROUP: Final = re.compile(
    r"\b(?:all|both|each|any|either|some|none) of (?:you|us)|\byou (?:all|both)\b"
    r"|\b(?:every|any|some)(?:one|body)\b|\b(?:the|this|your) (?:group|team|others?|rest)\b"
    r"|\btogether\b|\blet['’]?s\b|\bwe\b|\bus\b|\bothers\b",
    re.IGNORECASE,
)


def _names(turn: Turn) -> str:
    """A name of nobody here."""
    reply, view = _of(turn)
    for name in _others(view.students):
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", reply.guidance) and not _known(name, turn):
            return f"nobody here is called {name}"
    return ""


@lru_cache(maxsize=64)
def _others(here: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({one.student_id for one in students()} - set(here)))


def _known(name: str, turn: Turn) -> bool:
    """Whether a name was spoken of before, by the case or by somebody."""
    request: Request[TutorView] = turn.put.request
    texts = (item.text for item in request.feed if isinstance(item, RoundLine))
    return any(name in text for text in (request.view.text, *texts))


def _leak(turn: Turn) -> str:
    """The answer, or a step's point, before a student said it."""
    reply, view = _of(turn)
    case, said = turn.played.case, list(_said(turn))
    if announces_the_answer(case, reply.guidance) and not any(names_the_answer(case, one) for one in said):
        return f"it names the answer, which no student has: {view.answer}"
    text = " ".join(one for one in sentences(reply.guidance) if not one.rstrip().endswith("?"))
    for step in view.steps:
        if says(text, step.summary) and not any(says(one, step.summary) for one in said):
            return f"it says the point of step {step.number}, which no student has made"
    return ""


def _asks(turn: Turn) -> str:
    """No question, or one to a single student of several."""
    reply, view = _of(turn)
    if "?" not in reply.guidance:
        return "it asks no question"
    if len(view.students) < 2 or _GROUP.search(reply.guidance):
        return ""
    named = [name for name in view.students if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", reply.guidance)]
    return f"it speaks to {named[0]} alone" if len(named) == 1 else ""


def _conduct(turn: Turn) -> str:
    """A breach of a rule of conduct."""
    result = breach(_of(turn)[0].guidance)
    return f"{result.category}: {result.quote}" if result else ""


def _contradiction(turn: Turn) -> str:
    """A statement that the case contradicts."""
    return next(contradictions(_of(turn)[0].guidance, specialist_view(turn.played.case)), "")


FILTERS: Final[Mapping[str, Filter]] = MappingProxyType(
    {
        "names": _names,
        "leak": _leak,
        "asks": _asks,
        "conduct": _conduct,
        "contradiction": _contradiction,
    }
)


def _of(turn: Turn) -> tuple[Guidance, TutorView]:
    assert isinstance(turn.reply, Guidance)
    view: TutorView = turn.put.request.view
    return turn.reply, view


def _said(turn: Turn) -> Iterator[str]:
    """The students' words that the tutor was told before this turn."""
    request: Request[TutorView] = turn.put.request
    for item in request.feed:
        if isinstance(item, RoundLine) and item.by.startswith("student_"):
            yield item.text
