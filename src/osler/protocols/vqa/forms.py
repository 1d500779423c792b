"""A person's form as the candidate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.core.contract import OwnReply
from osler.core.events import Event
from osler.players.external import Pending
from osler.players.person import Form, Forms, Talk, common_lines
from osler.protocols.vqa.events import QuestionAsked
from osler.protocols.vqa.seats import Answer, CandidateView


def _lines(item: Event | OwnReply) -> Iterator[str]:
    if isinstance(item, QuestionAsked):
        yield item.question
        yield from (f"  {letter}  {text}" for letter, text in item.options.items())
    elif isinstance(item, OwnReply) and isinstance(item.reply, Answer):
        yield f"You: {item.reply.text}"
    else:
        yield from common_lines(item)


def _briefing(view: CandidateView) -> list[str]:
    return [f"The question comes with {view.withheld} pictures that are not shown."] if view.withheld else []


async def _answer(pending: Pending, talk: Talk) -> Answer:
    return Answer(text=await talk.said("answer> ", needed=True))


FORMS: Final[Forms] = {
    CandidateView: Form(
        help="Answer with the letter of one option. /quit stops here; the run can be resumed.",
        briefing=_briefing,
        words=_lines,
        read=_answer,
        pictures=lambda view: ((f"Picture {at}", one) for at, one in enumerate(view.pictures, 1)),
    )
}
