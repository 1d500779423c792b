"""A teacher's marks: the answers to what learners contest, and a sheet filled in beside a transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from pydantic_core import from_json

from osler.errors import BadInput
from osler.judging.contests import Contest, answered, contests_in, stored
from osler.judging.person_sheet import Mark, marked, marks_in, sheet_of
from osler.judging.rubric.judgement import RubricJudgement
from osler.runs.debriefing import items_of
from osler.runs.run import protocol_of
from osler.runs.stored_case import stored as stored_case
from osler.store.practice import PersonSitting
from osler.store.records import EpisodeRow, Judgement
from osler.store.store import Store
from osler.web.teach.schemas import Answer, Marked, SheetItem

ByRules = Literal["", "done", "not done", "could not tell"]
YOUR_TEACHER: Final = "your teacher"
"""Who answers what is contested, if the teacher gives no name."""


def answer(store: Store, taken: PersonSitting, given: Answer) -> Contest:
    """Keep a teacher's answer to an item, contested or not. Raises BadInput for an item that there is not."""
    row, judgements = _must_have_ended(store, taken)
    bodies = [one.body for one in judgements]
    items = items_of(store.info(taken.run), store, taken.ordinal, taken.seat)
    before = contests_in(bodies)
    text = items.get(given.item) or next((one.text for one in before if one.item == given.item), None)
    if text is None:
        raise BadInput("there is no such item", where=given.item[:40], hint="load the queue again")
    by = given.by.strip() or YOUR_TEACHER
    kept = answered(before, given.item, text, given.answer, given.comment, by)
    store.put_judgements(taken.run, [(row.ordinal, *stored(kept))])
    return next(one for one in kept if one.item == given.item)


def sheet_items(
    store: Store, taken: PersonSitting, by: str
) -> tuple[list[SheetItem], RubricJudgement | None]:
    """The sheet of a sitting with this person's marks so far, and their judgement if there is one."""
    row, judgements = _must_have_ended(store, taken)
    sheet = sheet_of(stored_case(store, protocol_of(store.info(taken.run)).config.model)(row.case_hash))
    own = marks_in((one.body for one in judgements), sheet).get(by)
    rules: dict[str, ByRules] = dict(_by_rules(judgements))
    verdicts = own.by_id if own else {}
    items = [
        SheetItem(
            id=item.id,
            text=item.text,
            competency=item.competency,
            critical=item.traits.critical,
            against=item.traits.negative,
            met=verdicts[item.id].holds if item.id in verdicts else None,
            comment=verdicts[item.id].why if item.id in verdicts else "",
            rules=rules.get(item.id, "")
            if item.id in verdicts and verdicts[item.id].holds is not None
            else "",
        )
        for item in sheet.items
    ]
    return items, own


def mark(store: Store, taken: PersonSitting, given: Marked) -> RubricJudgement:
    """Keep a person's marks as a judgement of their own. Raises BadInput for an item that there is not, and
    if no item is marked."""
    row, _ = _must_have_ended(store, taken)
    sheet = sheet_of(stored_case(store, protocol_of(store.info(taken.run)).config.model)(row.case_hash))
    judged = marked(sheet, given.by, {one.id: Mark(one.met, one.comment) for one in given.items})
    store.put_judgements(taken.run, [(row.ordinal, *judged.stored)])
    return judged


def _by_rules(judgements: Sequence[Judgement]) -> Iterator[tuple[str, ByRules]]:
    """The verdicts of the examiner by rule on the items that it has."""
    for one in judgements:
        body = from_json(one.body)
        if one.grader.startswith("rubric:") and not body.get("model"):
            yield from ((str(item["id"]), _verdict(item)) for item in body.get("items", ()))


def _verdict(item: Mapping[str, Any]) -> ByRules:
    if item.get("holds"):
        return "done"
    return "could not tell" if item.get("open") or item.get("holds") is None else "not done"


def _must_have_ended(store: Store, taken: PersonSitting) -> tuple[EpisodeRow, Sequence[Judgement]]:
    row = next(store.episodes(taken.run), None)
    if row is None:
        raise BadInput("this encounter has not ended", hint="mark it when it has")
    return row, store.record(taken.run, row.ordinal)[2]
