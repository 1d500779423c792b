"""A consultation's replies as text, for the seat that gave them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.core.events import Seat
from osler.core.wording import DONE, ReplyWords, Wording, noted, said
from osler.protocols.consultation.seats import (
    Advice,
    Ask,
    CallMdt,
    Description,
    DoctorReply,
    ExaminationReply,
    Finalize,
    RequestTest,
    Wait,
    WrittenText,
)
from osler.protocols.shared.patient import PatientReply


def _moved(move: DoctorReply, seat: Seat) -> Iterator[Wording]:
    match move:
        case Ask(question=question):
            yield said(seat, question)
        case RequestTest(test_name=name):
            yield Wording("", "order", name, seat)
        case CallMdt(question=question):
            yield said(seat, question or "What do you advise?", to="the consultant")
        case Wait():
            yield Wording("", DONE, "waits", seat)
        case Finalize():
            yield from _concluded(move, seat)
    if move.working_diagnoses:
        yield noted("thinks of", "; ".join(each.name for each in move.working_diagnoses))
    for reason in move.rationale:
        yield noted("reasons", reason)


def _concluded(move: Finalize, seat: Seat) -> Iterator[Wording]:
    option = f"{move.answer}: " if move.answer else ""
    yield Wording("", "concludes", f"{option}{move.diagnosis}", seat)
    for kind, texts in (("evidence", move.evidence), ("plan", move.plan), ("follow-up", (move.followup,))):
        for text in texts:
            if text:
                yield Wording("", kind, text, seat)


def _advised(advice: Advice, seat: Seat) -> Wording:
    parts = (advice.note, advice.next_question, advice.diagnosis_suggestion)
    return said(seat, " ".join(part for part in parts if part))


def _looked_up(reply: ExaminationReply, seat: Seat) -> Iterator[Wording]:
    """Word what an order is taken for: the names of tests, never the case's ids."""
    if reply.matched_test_name:
        near = "; it is to be named in full" if reply.match_type == "fuzzy" else ""
        yield noted("understood", f"{reply.matched_test_name}{near}")
    for name in reply.unheld:
        yield noted("understood", f"{name}, of which the case says nothing")
    for part in reply.unclear:
        yield noted("not understood", part)
    if reply.reason:
        yield noted("reasons", reply.reason)
    if reply.match_type == "none" and not (reply.unheld or reply.unclear or reply.reason):
        yield noted("not understood", "the case holds nothing of this name")


CONSULTATION_REPLIES: Final[ReplyWords] = {
    **dict.fromkeys((Ask, RequestTest, CallMdt, Wait, Finalize), _moved),
    Advice: _advised,
    Description: lambda reply, seat: said(seat, reply.text),
    ExaminationReply: _looked_up,
    WrittenText: lambda reply, seat: said(seat, reply.text),
    PatientReply: lambda reply, seat: said(seat, reply.answer),
}
"""The wordings of replies in a consultation."""
