"""A scenario's replies as text, for the seat that gave them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.core.events import Seat
from osler.core.wording import DONE, ReplyWords, Wording, noted, said
from osler.protocols.scenario.seats import ControllerReply, ExamineeMove, PatientSeatReply


def _moved(move: ExamineeMove, seat: Seat) -> Iterator[Wording]:
    if move.speak:
        yield said(seat, move.speak)
    for act in move.actions:
        yield Wording("", DONE, act, seat)
    if move.eos:
        yield noted("done", "all that is due for now is done")


def _answered(reply: PatientSeatReply, seat: Seat) -> Iterator[Wording]:
    return (said(seat, one.words, who=one.who) for one in reply.speak)


_BECOMES: Final = {
    "executed": "it is done",
    "pending": "it is begun",
    "unsupported": "it cannot be done here",
}


def _ruled(reply: ControllerReply, seat: Seat) -> Iterator[Wording]:
    """Word a ruling: what every act is taken for and becomes, then what happens and who is heard."""
    for act in reply.action_assessments:
        meant = act.interpreted_action.replace("_", " ")
        is_other = not set(meant.lower().split()) <= set(act.raw.lower().split())
        taken = f", taken as \u201c{meant}\u201d" if is_other else ""
        why = f" ({act.rationale})" if act.rationale else ""
        yield noted("rules", f"\u201c{act.raw}\u201d{taken}: {_BECOMES[act.status]}{why}")
    for kind, texts in (("feedback", reply.feedback), ("event", reply.events)):
        yield from (noted(kind, text) for text in texts)
    yield from (said(seat, one.words, who=one.who, public=False) for one in reply.team)
    for who, evidence in reply.actors_present.items():
        yield noted("people", f"{who} is here: {evidence}" if evidence else f"{who} is here")
    if reply.patient_status:
        yield noted("patient", reply.patient_status)
    if reply.state_label:
        yield noted("state", reply.state_label.replace("_", " "))
    if reply.should_end:
        yield noted("ends", reply.completion_reason or "the encounter ends here")


SCENARIO_REPLIES: Final[ReplyWords] = {
    ControllerReply: _ruled,
    ExamineeMove: _moved,
    PatientSeatReply: _answered,
}
"""The wordings of replies in a scenario."""
