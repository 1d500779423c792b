"""A ward round's replies as text, for the seat that gave them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from osler.core.events import Seat
from osler.core.wording import DONE, ReplyWords, Wording, noted, said
from osler.protocols.shared.patient import PatientReply
from osler.protocols.ward_round.seats import (
    Action,
    Analysis,
    ExamReply,
    Explanations,
    FactCheck,
    Guidance,
    SafetyCheck,
)

_THOUGHT: Final = re.compile(
    r"<think_(?P<about>\w+)(?: student_id=\"(?P<name>[^\"<>]*)\")?>(?P<words>.*?)</think_(?P=about)>",
    re.DOTALL,
)
_ABOUT: Final = {
    "history": "the round so far",
    "question": "the question",
    "group": "the group",
    "image": "the pictures",
}


def _thought(monologue: str) -> Iterator[Wording]:
    """Word a tutor's thought block by block; whatever stands outside the blocks is kept as it is."""
    end = 0
    for block in _THOUGHT.finditer(monologue):
        if between := monologue[end : block.start()].strip():
            yield noted("thinks", between)
        about = block["name"] or _ABOUT.get(block["about"], block["about"].replace("_", " "))
        yield noted(f"thinks of {about}", block["words"].strip())
        end = block.end()
    if rest := monologue[end:].strip():
        yield noted("thinks", rest)


def _guided(reply: Guidance, seat: Seat) -> Iterator[Wording]:
    yield said(seat, reply.guidance)
    yield from _thought(reply.internal_monologue)
    if reply.covered_steps:
        yield noted("covered", _steps(reply.covered_steps))


def _steps(numbers: Sequence[int]) -> str:
    return f"step{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _acted(reply: Action, seat: Seat) -> Iterator[Wording]:
    if reply.query_for_patient:
        yield said(seat, reply.query_for_patient, to="the patient")
    if reply.query_for_expert:
        yield said(seat, reply.query_for_expert, to="the expert", public=False)
    if not (reply.query_for_patient or reply.query_for_expert):
        yield Wording("", DONE, "asks nothing", seat)


def _examined(reply: ExamReply, seat: Seat) -> Iterator[Wording]:
    return (noted("answers", f"{_item(item)}: {answer}") for item, answer in reply.answers.items())


def _item(ident: str) -> str:
    """An exam item by its id, in words: "the case", "step 2", "another patient, question 1"."""
    kind, _, number = ident.partition("-")
    return {"case": "the case", "sibling": f"another patient, question {number}"}.get(
        kind, ident.replace("-", " ")
    )


def _explained(reply: Explanations, seat: Seat) -> Iterator[Wording]:
    return (said(seat, each.explanation, public=False) for each in reply.explanations if each.explanation)


def _checked(reply: FactCheck, seat: Seat) -> Iterator[Wording]:
    verdict = "right" if reply.is_correct else "wrong"
    yield said(seat, f"The draft is {verdict}{_why(reply.feedback)}", public=False)
    if reply.covered_steps:
        yield noted("confirmed", _steps(reply.covered_steps))


def _vetted(reply: SafetyCheck, seat: Seat) -> Wording:
    verdict = "safe" if reply.is_safe else f"not safe ({reply.issue_category})"
    return said(seat, f"The draft is {verdict}{_why(reply.feedback_and_suggestion)}", public=False)


def _why(feedback: str) -> str:
    return f": {feedback}" if feedback else ""


ROUND_REPLIES: Final[ReplyWords] = {
    Analysis: lambda reply, seat: said(seat, reply.analysis_for_teacher, to="the tutor"),
    Action: _acted,
    ExamReply: _examined,
    FactCheck: _checked,
    SafetyCheck: _vetted,
    Explanations: _explained,
    Guidance: _guided,
    PatientReply: lambda reply, seat: said(seat, reply.answer),
}
"""The wordings of replies in a ward round."""
