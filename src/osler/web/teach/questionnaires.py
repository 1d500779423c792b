"""The questionnaire after a shared round: its questions, a person's answers, and the teacher's table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from typing import Any, Final

from osler.errors import BadInput, Stale
from osler.store import practice
from osler.store.practice import PersonSitting
from osler.store.rooms import Rooms
from osler.store.store import Store
from osler.studies.people.answers import Answer, Mean, means
from osler.studies.rating.scales import Scale, ScaleItem, load_scale
from osler.text.hostile import safe
from osler.text.safe_csv import table_text
from osler.web.practise.beginning import LEFT
from osler.web.practise.encounter import GROUP
from osler.web.problems import NotFound
from osler.web.teach.disclosure import TUTOR
from osler.web.teach.group_schemas import AnswerRow, Answers, AnswerTable, Ask, MeanAnswer, Questionnaire
from osler.web.teach.room import ROOM_CASE, Opened
from osler.web.teach.rounds import round_of

SCALE: Final = "learner"
ANSWERS: Final = "answers"
"""The key under which a sitting keeps its person's answers."""


@cache
def _scale() -> Scale:
    return load_scale(SCALE)


def questionnaire(store: Store, sitting: PersonSitting) -> Questionnaire:
    """The questionnaire of a person who sat in a shared round that has ended. Raises NotFound for another
    sitting, and Stale before the end."""
    _check_ended(store, sitting)
    scale, given = _scale(), sitting.more.get(ANSWERS) or {}
    marks = given.get("marks", {})
    return Questionnaire(
        title=scale.title,
        guide=scale.guide,
        questions=[
            Ask(id=one.id, asks=one.asks, least=one.first, levels=list(one.levels), given=marks.get(one.id))
            for one in scale.items
        ],
        comment=str(given.get("comment", "")),
        answered=bool(given),
        tutor=sitting.seat == TUTOR,
    )


def answer(store: Store, sitting: PersonSitting, answers: Answers) -> Questionnaire:
    """Keep a person's answers, in place of those before. Raises BadInput for a question or a mark that there
    is not."""
    _check_ended(store, sitting)
    scale = _scale()
    items = {one.id: one for one in scale.items}
    for id, mark in answers.marks.items():
        if id not in items:
            raise BadInput(f"nobody asked {id[:40]!r}", where="marks", hint=", ".join(items))
        least, most = _reach(items[id])
        if mark is not None and not least <= mark <= most:
            raise BadInput(f"{mark} is no mark of this question", where=id, hint=f"{least} to {most}")
    marks = {id: answers.marks.get(id) for id in items}
    kept = {"marks": marks, "comment": safe(answers.comment).strip(), "scale": scale.full_version}
    return questionnaire(store, practice.change(store, sitting.id, more={ANSWERS: kept}))


def _reach(item: ScaleItem) -> tuple[int, int]:
    return item.first, item.first + item.top


def _check_ended(store: Store, sitting: PersonSitting) -> None:
    if GROUP not in sitting.more or sitting.stopped == LEFT:
        raise NotFound("nothing is asked after this encounter", where="questions")
    if store.ended(sitting.run, sitting.ordinal) is None:
        raise Stale("the round has not ended yet", hint="answer once it has")


def answer_table(store: Store, room: Opened) -> AnswerTable:
    """The answers of a room's rounds that have ended."""
    members = {member.visitor: member for member in Rooms(store).members(room.row.id)}
    sittings = practice.sittings_in(store, room.row.id)
    there = [one for one in sittings if GROUP in one.more and one.owner in members]
    stayed = sorted((one for one in there if one.stopped != LEFT), key=_order)
    ended = [one for one in stayed if store.ended(one.run, one.ordinal) is not None]
    answers = [_answer(one, members[one.owner].id) for one in ended if one.seat != TUTOR]
    return AnswerTable(
        items={one.id: one.asks for one in _scale().items},
        rows=[_row(one, members[one.owner].pseudonym) for one in ended],
        tutors=_means(answers, lambda one: one.tutor),
        periods=_means(sorted(answers, key=lambda one: one.period), lambda one: f"round {one.period}"),
        left=len(there) - len(stayed),
    )


def _order(sitting: PersonSitting) -> tuple[int, int, str]:
    return int(sitting.more[GROUP]), round_of(sitting.more), sitting.seat


def _marks(sitting: PersonSitting) -> dict[str, int | None]:
    return dict((sitting.more.get(ANSWERS) or {}).get("marks", {}))


def _row(sitting: PersonSitting, pseudonym: str) -> AnswerRow:
    given: dict[str, Any] = sitting.more.get(ANSWERS) or {}
    return AnswerRow(
        pseudonym=pseudonym,
        group=int(sitting.more[GROUP]),
        period=round_of(sitting.more),
        tutor=str(sitting.more.get(TUTOR, "")),
        title=sitting.title,
        seat=sitting.seat,
        answered=bool(given),
        marks=_marks(sitting),
        comment=str(given.get("comment", "")),
    )


def _answer(sitting: PersonSitting, person: str) -> Answer:
    tutor, case = str(sitting.more.get(TUTOR, "")), str(sitting.more.get(ROOM_CASE, ""))
    return Answer(person, case, tutor, round_of(sitting.more), _marks(sitting))


def _means(answers: Sequence[Answer], by: Callable[[Answer], Hashable]) -> list[MeanAnswer]:
    reach = {one.id: _reach(one) for one in _scale().items}
    return [_mean(one) for one in means(answers, reach, by)]


def _mean(one: Mean) -> MeanAnswer:
    result = one.found
    return MeanAnswer(
        of=str(one.of),
        item=one.item,
        value=result.value,
        low=result.low,
        high=result.high,
        n=result.n,
        unanswered=result.unscored,
        people=one.people,
        cases=one.cases,
    )


def as_csv(table: AnswerTable) -> str:
    """The rows as CSV, an answer each. Every cell is escaped, so that none is taken for a formula."""
    return table_text(_lines(table))


def _lines(table: AnswerTable) -> Iterator[Sequence[str]]:
    yield ["learner", "group", "round", "tutor", "case", "seat", *table.items, "comment", "answered"]
    for row in table.rows:
        marks = (row.marks.get(item) for item in table.items)
        yield [
            row.pseudonym,
            str(row.group),
            str(row.period),
            row.tutor,
            row.title,
            row.seat,
            *("" if mark is None else str(mark) for mark in marks),
            row.comment,
            "yes" if row.answered else "no",
        ]
