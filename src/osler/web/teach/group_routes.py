"""Routes of rounds that several people share: seats, beginning, handing back, assessing, questions."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from osler.store.practice import PersonSitting
from osler.store.rooms import MemberRow
from osler.web.practise.routes import Desk
from osler.web.rights import Asking, needs
from osler.web.teach import assessing, group_seats, questionnaires
from osler.web.teach.access import joined_room
from osler.web.teach.board_routes import board
from osler.web.teach.group_rounds import begin_round, hand_back, sitting_in
from osler.web.teach.group_schemas import (
    Answers,
    AnswerTable,
    Assessed,
    Assesses,
    ChooseSeat,
    Groups,
    Questionnaire,
)
from osler.web.teach.hall import TEACHES, Hall, InHall, OwnRoom
from osler.web.teach.room import Opened
from osler.web.teach.schemas import RoomState
from osler.web.watch.hub import hub_of

router = APIRouter()
LEARNS = [needs("learn")]


async def _joined(room: str, hall: InHall, asking: Asking) -> tuple[Opened, MemberRow]:
    return await asyncio.to_thread(joined_room, hall.house, asking, room)


async def _own(id: str, desk: Desk, asking: Asking) -> PersonSitting:
    return await desk.taken(id, asking)


Joined = Annotated[tuple[Opened, MemberRow], Depends(_joined)]
OwnSitting = Annotated[PersonSitting, Depends(_own)]

# For learners


@router.get("/rooms/{room}/groups", dependencies=LEARNS)
async def room_groups(found: Joined, hall: InHall) -> Groups:
    """The groups of a room one has joined."""
    return await asyncio.to_thread(group_seats.groups_of, hall.house.store, *found)


@router.post("/rooms/{room}/seat", dependencies=LEARNS)
async def choose_seat(found: Joined, given: ChooseSeat, hall: InHall) -> Groups:
    """Choose a seat in a group. The first round begins once all its seats are taken."""
    room, member = found
    group = await asyncio.to_thread(group_seats.choose, hall.house.store, room, member, given)
    state = (await asyncio.to_thread(group_seats.states_of, hall.house.store, room))[group - 1]
    if state.status == "gathering" and all(seat.learner for seat in state.seats):
        await begin_round(hall.house, hall.sittings, hall.shelf, room, group, first=True)
    return await _changed(hall, room, member)


@router.delete("/rooms/{room}/seat", dependencies=LEARNS)
async def leave_seat(found: Joined, hall: InHall) -> Groups:
    """Leave one's seat, before a round or between two."""
    await asyncio.to_thread(group_seats.leave, hall.house.store, *found)
    return await _changed(hall, *found)


@router.get("/rooms/{room}/groups/{group}/assess", dependencies=LEARNS)
async def assess_round(found: Joined, group: int, hall: InHall) -> Assessed:
    """Everything in the latest round of a group, for a learner who assesses."""
    return await asyncio.to_thread(assessing.assessed_by, hall.house.store, *found, group)


@router.get("/rooms/{room}/groups/{group}/follow", dependencies=LEARNS)
async def follow_round(found: Joined, group: int, hall: InHall) -> Assessed:
    """The open lines of the latest round of a group, if the room lets others follow."""
    return await asyncio.to_thread(assessing.followed, hall.house.store, *found, group)


@router.post("/sittings/{id}/hand-back", status_code=204, dependencies=LEARNS)
async def hand_seat_back(taken: OwnSitting, hall: InHall) -> Response:
    """Give one's seat to a built-in player for the rest of the round."""
    await hand_back(hall.house, hall.sittings, taken)
    return Response(status_code=204)


@router.get("/sittings/{id}/questions", dependencies=LEARNS)
async def round_questions(taken: OwnSitting, hall: InHall) -> Questionnaire:
    """The questionnaire after a round, with what one has answered."""
    return await asyncio.to_thread(questionnaires.questionnaire, hall.house.store, taken)


@router.put("/sittings/{id}/questions", dependencies=LEARNS)
async def answer_questions(taken: OwnSitting, given: Answers, hall: InHall) -> Questionnaire:
    """Answer the questionnaire; answered again, the answers are replaced."""
    questions = await asyncio.to_thread(questionnaires.answer, hall.house.store, taken, given)
    hall.sittings.tell(taken)
    return questions


# For the teacher


@router.post("/rooms/{room}/groups/{group}/begin", dependencies=TEACHES)
async def begin_next_round(found: OwnRoom, group: int, hall: InHall) -> RoomState:
    """Begin a group's next round; a seat that nobody has taken is played here."""
    await begin_round(hall.house, hall.sittings, hall.shelf, found, group)
    return await board(hall, found)


@router.post("/rooms/{room}/hand-back/{sitting}", dependencies=TEACHES)
async def hand_back_for(found: OwnRoom, sitting: str, hall: InHall) -> RoomState:
    """Give the seat of somebody who does not return to a built-in player for the rest of the round."""
    person_sitting = await asyncio.to_thread(sitting_in, hall.house, found, sitting)
    await hand_back(hall.house, hall.sittings, person_sitting)
    return await board(hall, found)


@router.put("/rooms/{room}/learners/{learner}/assesses", dependencies=TEACHES)
async def let_assess(found: OwnRoom, learner: str, given: Assesses, hall: InHall) -> RoomState:
    """Let a learner without a seat assess, or no longer."""
    await asyncio.to_thread(assessing.name_assessor, hall.house.store, found, learner, given.on)
    _tell(hall, found)
    return await board(hall, found)


@router.get("/rooms/{room}/assess/{sitting}", dependencies=TEACHES)
async def assess_sitting(found: OwnRoom, sitting: str, hall: InHall) -> Assessed:
    """Everything in a round, drafts and reviews too, if all who sit in it permit the teacher to read."""
    return await asyncio.to_thread(assessing.assessed, hall.house.store, found, sitting)


@router.get("/rooms/{room}/answers", dependencies=TEACHES)
async def room_answers(found: OwnRoom, hall: InHall) -> AnswerTable:
    """The answers to the questionnaires of the room's rounds."""
    return await asyncio.to_thread(questionnaires.answer_table, hall.house.store, found)


@router.get("/rooms/{room}/answers.csv", response_class=Response, dependencies=TEACHES)
async def room_answers_csv(found: OwnRoom, hall: InHall) -> Response:
    """The answers as a table for a spreadsheet."""
    table = await asyncio.to_thread(questionnaires.answer_table, hall.house.store, found)
    disposition = {"content-disposition": 'attachment; filename="answers.csv"'}
    return Response(questionnaires.as_csv(table), media_type="text/csv; charset=utf-8", headers=disposition)


def _tell(hall: Hall, room: Opened) -> None:
    hub_of(hall.house).changed(f"room:{room.row.id}")


async def _changed(hall: Hall, room: Opened, member: MemberRow) -> Groups:
    _tell(hall, room)
    return await asyncio.to_thread(group_seats.groups_of, hall.house.store, room, member)
