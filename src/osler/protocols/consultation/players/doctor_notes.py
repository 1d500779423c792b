"""The built-in doctor's notes: everything heard, asked, ordered and advised, as a list of small steps.

Steps are the doctor's memory of the encounter, made afresh from each request. They hold no clock and no
limits, so equal steps mean equal knowledge of the patient, whoever else is in the room.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from pydantic import BaseModel

from osler.core.contract import OwnReply
from osler.core.events import NOT_VALID, Noticed, Said, TurnBegan
from osler.core.order_events import Resulted, Taken
from osler.core.wrapper_events import Leaning
from osler.knowledge.vocabulary import Topic
from osler.protocols.consultation.events import Advised, Presented
from osler.protocols.consultation.seats import Ask, CallMdt, DoctorTurn, RequestTest
from osler.text.findings_in_text import finding, mentions
from osler.text.topics import topics_of_question

_UNSURE: Final = re.compile(
    r"\b(?:not sure|don't (?:know|remember|recall)|can't (?:remember|recall|say)|no idea|couldn't say"
    r"|what you mean|another way|unsure)\b"
)
_NO: Final = re.compile(
    r"^\W*(?:no\b|nope\b|not\b|never\b|none\b|nothing\b|(?:i|he|she)'(?:ve|s) (?:not|never)\b"
    r"|(?:i|he|she|they|we|it) (?:(?:do|does|did|was|is|has|have|had)(?:n't| not)|never)\b)"
)
_YES: Final = re.compile(
    r"^\W*(?:yes\b|yeah\b|yep\b|yup\b|i (?:do|have|did|am)\b|(?:he|she) (?:does|has|did|is)\b"
    r"|sometimes\b|often\b|occasionally\b|a (?:bit|little)\b)"
)
_NORMAL: Final = re.compile(
    r"\b(?:normal|unremarkable|negative|nil|none|clear|within (?:the )?(?:normal|reference)|nothing abnormal"
    r"|no abnormalit(?:y|ies)|not detected)\b"
)
_POSITIVE: Final = re.compile(r"^\W*(?:positive|detected|reactive|abnormal|present)\b")
UNCLEAR: Final = "full name"
# These topics are about the past, not the present complaint: a rash that a drug once caused is no rash now.
_BACKGROUND: Final[frozenset[Topic]] = frozenset({"allergies", "past_medical", "past_surgical", "family"})
_TODAY: Final[frozenset[Topic]] = frozenset(
    {"complaint", "course", "character", "modifiers", "associated", "systems"}
)


What = Literal["heard", "asked", "ordered", "pending", "result", "refused", "called", "advised", "leaning"]
Step = tuple[What, str, str]
"""One step: its kind, the question or order it belongs to, and the words. A plain tuple, since many are made
and hashed. In a `result` or `pending` step the words begin with the result's own name."""
SEPARATOR: Final = "\x1f"


class Notes(NamedTuple):
    """The steps, the current turn, and whether a move was just refused."""

    steps: tuple[Step, ...]
    turn: TurnBegan
    refused: bool


def take_notes(request: DoctorTurn) -> Notes:
    """Read the notes off a request in one pass, oldest event first.

    Events are distinguished by `type(...) is`: a failing `isinstance` on a pydantic model takes five times as
    long.
    """
    steps: list[Step] = [("heard", "", request.view.door_note)]
    orders: list[str] = []
    asked, turn, refused = "", None, False
    for item in request.feed:
        if type(item) is OwnReply:
            reply, asked = item.reply, ""
            if type(reply) is Ask:
                asked = reply.question
                steps.append(("asked", asked, ""))
            else:
                _note_other(reply, steps, orders)
        elif type(item) is Said:
            if item.by == "patient":
                steps.append(("heard", asked, item.text))
        elif type(item) is TurnBegan:
            turn, refused = item, False
        elif type(item) is Resulted:
            words = f"{item.name}{SEPARATOR}{item.text}"
            steps.append(("result" if item.returned else "refused", _ordered(orders, item), words))
        elif type(item) is Taken:
            steps.append(("pending", _ordered(orders, item), f"{item.name}{SEPARATOR}"))
        elif type(item) is Presented:
            steps.append(("heard", "", item.text))
        elif type(item) is Advised:
            steps.append(("advised", item.diagnosis_suggestion or "", item.next_question or ""))
        elif type(item) is Leaning:
            steps.append(("leaning", item.target, f"{item.leans} {item.settles or 0} {item.doubts}"))
        elif type(item) is Noticed:
            refused = refused or item.text.startswith(NOT_VALID)
    if turn is None:
        raise ValueError("the request announces no turn")
    return Notes(tuple(steps), turn, refused)


def _ordered(orders: list[str], item: Resulted | Taken) -> str:
    """The doctor's own words for an order; results carry the examination service's name for it."""
    return orders[item.order - 1] if 0 < item.order <= len(orders) else item.name


def _note_other(reply: BaseModel, steps: list[Step], orders: list[str]) -> None:
    """Note one of the doctor's own moves other than a question to the patient."""
    if type(reply) is RequestTest:
        orders.append(reply.test_name)
        steps.append(("ordered", reply.test_name, ""))
    elif type(reply) is CallMdt:
        steps.append(("called", "", ""))


@lru_cache(maxsize=8192)
def read_answer(text: str, asked: str | None, question: str = "") -> tuple[tuple[str, bool], ...]:
    """The findings that an answer to `question` affirms or denies. `asked` is the finding asked for, if any:
    a bare "yes" or "no" answers it. An answer about the past, allergies or the family says nothing about
    present symptoms other than one asked for."""
    result = dict(mentions(text))
    topics = topics_of_question(question)
    if not _BACKGROUND.isdisjoint(topics) and _TODAY.isdisjoint(topics):
        result = {id: told for id, told in result.items() if id == asked or _is_history(id, topics)}
    if asked is not None and asked not in result:
        lowered = text.lower().replace("’", "'")
        if not _UNSURE.search(lowered):
            if _NO.search(lowered):
                result[asked] = False
            elif _YES.search(lowered):
                result[asked] = True
    return tuple(result.items())


def _is_history(id: str, topics: tuple[Topic, ...]) -> bool:
    """Whether a finding is history; if only the family was asked about, whether it is family history."""
    told = finding(id)
    if told.kind != "history":
        return False
    return topics != ("family",) or "family" in topics_of_question(told.request)


@lru_cache(maxsize=8192)
def read_result(name: str, text: str, sought: tuple[str, ...]) -> tuple[tuple[str, bool], ...]:
    """The findings that a result affirms or denies; `sought` are those it was ordered for.

    The result's name may be needed to read a bare value ("2.1 (high)"); it is used for sought findings only.
    A result said to be normal denies the sought findings that it does not mention.
    """
    result = dict(mentions(text))
    if not any(item in result for item in sought):
        result.update((k, v) for k, v in mentions(f"{name}: {text}").items() if k in sought)
    lowered = text.lower()
    if not any(item in result for item in sought) and len(sought) == 1 and _POSITIVE.search(lowered):
        result[sought[0]] = True
    if _NORMAL.search(lowered) and not any(result.values()):
        for item in sought:
            result.setdefault(item, False)
    return tuple(result.items())
