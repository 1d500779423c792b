"""Routes of a teacher's marks: the queue of contested items, and the marking sheet."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from osler.errors import NotAllowed
from osler.judging.contests import Contest
from osler.web.rights import Asking
from osler.web.teach.desk import MarkedSitting, hidden, one_seen, seen_in
from osler.web.teach.figures import net_of
from osler.web.teach.hall import TEACHES, Hall, InHall, OwnRoom
from osler.web.teach.judging import ModelMarks
from osler.web.teach.marking import answer, mark, sheet_items
from osler.web.teach.room import Opened
from osler.web.teach.room_view import room_view
from osler.web.teach.schemas import Answer, Marked, Question, Sheet

router = APIRouter(dependencies=TEACHES)


@router.get("/rooms/{room}/contests")
def contested_marks(found: OwnRoom, hall: InHall) -> list[Question]:
    """The contested marks of a room, those that wait first."""
    questions = [
        _question(one, contest)
        for one in seen_in(hall.house.store, found)
        if one.permits and one.found
        for contest in one.found.contests
    ]
    return sorted(questions, key=lambda one: one.answer != "")


@router.post("/rooms/{room}/contests")
def answer_contest(found: OwnRoom, given: Answer, hall: InHall) -> Question:
    """Accept or refuse what was contested. The verdict stays; what is accepted makes a second figure."""
    one = _permitted(found, hall, given.sitting)
    answered = _question(one, answer(hall.house.store, one.taken, given))
    hall.sittings.tell(one.taken)  # the learner may be reading the debrief now
    return answered


@router.get("/rooms/{room}/sheet/{sitting}")
async def marking_sheet(found: OwnRoom, sitting: str, hall: InHall, by: str = "") -> Sheet:
    """The marking sheet of an ended sitting beside its transcript, with this person's marks so far."""
    return await asyncio.to_thread(_sheet, found, hall, sitting, by)


@router.put("/rooms/{room}/sheet/{sitting}")
async def mark_by_sheet(found: OwnRoom, sitting: str, given: Marked, hall: InHall) -> Sheet:
    """Keep a person's marks, as a judgement of their own beside the others."""

    def kept() -> Sheet:
        one = _permitted(found, hall, sitting)
        mark(hall.house.store, one.taken, given)
        hall.sittings.tell(one.taken)
        return _sheet(found, hall, sitting, given.by)

    return await asyncio.to_thread(kept)


@router.post("/rooms/{room}/models/{sitting}")
async def mark_by_models(found: OwnRoom, sitting: str, hall: InHall, asking: Asking) -> list[str]:
    """Have an ended sitting marked by the room's models once more, where they have not. Answers, in words,
    why any of them could not."""
    one = await asyncio.to_thread(_permitted, found, hall, sitting)
    return await hall.house.long_work.run(asking.id, lambda: ModelMarks(hall.house).judge(one.taken))


def _permitted(found: Opened, hall: Hall, sitting: str) -> MarkedSitting:
    one = one_seen(hall.house.store, found, sitting)
    if not one.permits:
        raise NotAllowed(hidden(found, one), where="encounter", hint="ask the learner")
    return one


def _sheet(found: Opened, hall: Hall, sitting: str, by: str) -> Sheet:
    one = _permitted(found, hall, sitting)
    items, judged = sheet_items(hall.house.store, one.taken, by)
    return Sheet(
        sitting=sitting,
        pseudonym=one.member.pseudonym,
        title=one.taken.title,
        seat=one.taken.seat,
        by=by,
        items=items,
        score=None if judged is None else net_of(judged, by),
        log=[] if hidden(found, one) else room_view(hall.house.store, one.run, one.taken.ordinal),
    )


def _question(one: MarkedSitting, contest: Contest) -> Question:
    return Question(
        sitting=one.taken.id,
        pseudonym=one.member.pseudonym,
        title=one.taken.title,
        **{name: getattr(contest, name) for name in ("item", "text", "words", "answer", "comment", "by")},
    )
