"""The results of a room: a row a sitting, averages with intervals, and a table for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from osler.judging.grader_notes import FORMATIVE, note_line
from osler.runs.run import protocol_of
from osler.text.safe_csv import table_text
from osler.web.house import House
from osler.web.practise.sittings import Sittings
from osler.web.teach.desk import MarkedSitting, marks_shown, seen_in, standing, tests, turns_of
from osler.web.teach.figures import RULES, SHEET, averages
from osler.web.teach.room import SUBSTITUTES, Opened
from osler.web.teach.schemas import Results, Row

_HEADS: Final = tuple(
    (
        "learner,case,status,turns,minutes,marked by,figure,value,at most,why unscored or a range,"
        "extra time in %,others played"
    ).split(",")
)


def results_of(house: House, sittings: Sittings, room: Opened) -> Results:
    """The results of a room. Sittings whose learners do not permit it are counted, and not shown."""
    marked_sittings = list(seen_in(house.store, room))
    shown = [one for one in marked_sittings if one.permits]
    ended = [(protocol_of(one.run), one.found) for one in shown if one.found and tests(one.taken)]
    marks = (mark for one in shown for mark in marks_shown(room, one))
    models = {mark.by for mark in marks if mark.by != RULES and mark.name != SHEET}
    return Results(
        name=room.plan.name,
        clock=room.plan.clock,
        use=FORMATIVE,
        note=note_line(models) if models else "",
        rows=[_row(house, sittings, room, one) for one in shown],
        averages=averages(ended),
        hidden=len(marked_sittings) - len(shown),
    )


def as_csv(results: Results) -> str:
    """The results as CSV. Every cell is escaped, so that none is taken for a formula."""
    return table_text(_lines(results))


def _row(house: House, sittings: Sittings, room: Opened, one: MarkedSitting) -> Row:
    doing, _ = standing(sittings, one)
    return Row(
        sitting=one.taken.id,
        pseudonym=one.member.pseudonym,
        extra=one.member.extra,
        title=one.taken.title,
        real=room.real(one.taken),
        status=doing,
        turns=turns_of(house.store, one),
        minutes=one.found.row.minutes if one.found else 0,
        substitutes=str(one.taken.more.get(SUBSTITUTES, "")),
        marks=marks_shown(room, one),
        second=list(one.found.second) if one.found and tests(one.taken) else [],
        unmarked="" if tests(one.taken) else f"marks are of the {protocol_of(one.run).under_test}",
    )


def _lines(results: Results) -> Iterator[Sequence[str]]:
    yield _HEADS
    for row in results.rows:
        start = [row.pseudonym, row.title, row.status, str(row.turns), str(row.minutes)]
        end = [str(row.extra), row.substitutes]
        marks = [*row.marks, *row.second]
        for mark in marks:
            yield [*start, mark.by, mark.words, _plain(mark.value), _plain(mark.most), mark.why, *end]
        if not marks:
            yield [*start, "", "", "", "", "", *end]
    yield [results.note or f"Marks are {results.use}."]


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
