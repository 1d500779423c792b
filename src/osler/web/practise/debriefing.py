"""The debriefing of an ended sitting: what the protocol's feedback says, with the moments to jump to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from osler.core.events import Seat
from osler.core.lazy import load
from osler.core.measure import Measure
from osler.core.permitted import people_in
from osler.core.summary import Feedback, Kind, Part, Remark
from osler.judging.contests import Contest as StoredContest
from osler.judging.grader_notes import FORMATIVE
from osler.judging.person_sheet import marker, marks_in, sheet_of
from osler.knowledge.help_lines import help_lines
from osler.runs import run as runs
from osler.runs.stored_case import stored as stored_case
from osler.store.practice import Taken
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store
from osler.text.hostile import safe
from osler.web.practise.clocks import CLOCK
from osler.web.practise.encounter import GROUP
from osler.web.practise.schemas import Again, Contested, Debriefing, Entry, Moment, Section
from osler.web.practise.state import ENDED, readings_of
from osler.web.schemas import LogItem

_LONGEST = 80
_Group = tuple[str, Kind]
_MET: Final[_Group] = ("met", "good")
_NOT_MET: Final[_Group] = ("not met", "missed")
_AGAINST: Final[_Group] = ("counts against you", "unsafe")


def feedback_of(run: RunInfo, store: Store, ordinal: int, seat: Seat) -> Feedback:
    """The feedback of a run's protocol to a seat; of a protocol that has none, the scores of its first
    judge."""
    protocol = runs.protocol_of(run)
    if protocol.feedback is not None:
        several = {"seat": seat} if len(people_in(run.manifest)) > 1 else {}
        return load(protocol.feedback)(run, store, ordinal, **several)
    row, _, judgements = store.record(run.id, ordinal)
    made_by = protocol.judges[0].graders
    bodies = (json.loads(one.body) for one in judgements if one.grader in made_by)
    scores = {name: score["value"] for body in bodies for name, score in body.get("scores", {}).items()}
    figures = (Remark(_figure(one, scores[one.name])) for one in protocol.measures if one.name in scores)
    parts = (Part("Your score", "score", tuple(figures)),) if scores else ()
    told = ENDED.get(str(row.status)) or "It was played to its end."
    return Feedback(told, protocol.notice, scores=scores, parts=parts)


def _figure(measure: Measure, value: float | None) -> str:
    if value is None:
        return f"{measure.words}: not scored"
    return f"{measure.words}: {value:.0%}" if measure.share else f"{measure.words}: {value:g}"


def debriefing(taken: Taken, run: RunInfo, store: Store, log: Sequence[LogItem]) -> Debriefing:
    """The debriefing of one sitting; `log` is what its seat was told and said."""
    row, trace, judgements = store.record(run.id, taken.ordinal)
    found = feedback_of(run, store, taken.ordinal, taken.seat)
    contests = {one.item: one for one in found.contests}
    said = {item.id for item in log}
    alone = len(people_in(run.manifest)) < 2 and GROUP not in taken.more
    may_again = alone and runs.protocol_of(run).under_test == taken.seat and CLOCK not in taken.more

    def at(remark: Remark) -> str | None:
        id = f"{remark.exchange}.0"
        return id if remark.exchange and id in said else None

    def entry(remark: Remark) -> Entry:
        against = contests.get(remark.item) if remark.item else None
        return Entry(
            text=remark.text,
            item=remark.item or None,
            at=at(remark),
            again=remark.keep if may_again else None,
            contested=_contested(against) if against else None,
        )

    turns = {item.n: number for number, item in enumerate((one for one in log if one.reply), 1)}
    return Debriefing(
        sentence=found.sentence,
        use=FORMATIVE,
        examiner=found.examiner,
        outcome=ENDED.get(str(row.status), str(row.status)),
        scores=dict(found.scores),
        moments=[
            Moment(turn=turns.get(one.exchange, 0), quote=one.quote, effect=one.text, at=at(one))
            for one in found.moments
        ],
        next_time=list(found.next_time),
        sections=[
            *_by_persons(run, store, row, judgements),
            *(
                Section(heading=part.heading, kind=part.kind, entries=[entry(one) for one in part.remarks])
                for part in found.parts
            ),
        ],
        again=_again(found, len(trace.rows)) if may_again else [],
        log=list(log),
        readings=readings_of(taken),
        help=list(help_lines()) if taken.distressing else [],
    )


def _by_persons(
    run: RunInfo, store: Store, row: EpisodeRow, judgements: Sequence[Judgement]
) -> Iterator[Section]:
    """The marks that a teacher gave by the sheet: how many items are met, then each with the comment."""
    bodies = [one.body for one in judgements if marker(one.grader)]
    if not bodies:
        return
    sheet = sheet_of(stored_case(store, runs.protocol_of(run).config.model)(row.case_hash))
    for by, judged in marks_in(bodies, sheet).items():
        wanted = [item for item in sheet.items if not item.traits.negative]
        marked = [item for item in wanted if judged.by_id[item.id].holds is not None]
        met = sum(judged.by_id[item.id].holds is True for item in marked)
        told = f"{met} of {len(marked)} items met"
        if left := len(wanted) - len(marked):
            told += f"; {left} left open"
        yield Section(heading=f"Marked by {by}", kind="score", entries=[Entry(text=f"{told}.")])
        groups: dict[_Group, list[Entry]] = {_MET: [], _NOT_MET: [], _AGAINST: []}
        for item in sheet.items:
            verdict = judged.by_id[item.id]
            if verdict.holds is None or (item.traits.negative and not verdict.holds):
                continue
            group = _AGAINST if item.traits.negative else _MET if verdict.holds else _NOT_MET
            text = f"{item.text} - {verdict.why}" if verdict.why else item.text
            groups[group].append(Entry(text=safe(text)))
        for (words, kind), entries in groups.items():
            if entries:
                yield Section(heading=f"{by}: {words}", kind=kind, entries=entries)


def _again(found: Feedback, exchanges: int) -> list[Again]:
    """Where to begin again: at each moment, and from the start."""
    points = {0: "From the beginning"}
    for one in found.moments:
        if one.keep is not None and 0 < one.keep <= exchanges:
            points.setdefault(one.keep, one.quote[:_LONGEST] or one.text[:_LONGEST])
    return [Again(keep=keep, label=label) for keep, label in sorted(points.items())]


def _contested(one: StoredContest) -> Contested:
    return Contested(**one._asdict())
