"""The debriefing of an ended sitting: the protocol's records in words, with the moments to jump to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from osler.core.debriefing import Debriefing as Records
from osler.core.debriefing import Entry as Remark
from osler.core.debriefing import Kind, Person
from osler.core.permitted import people_in
from osler.judging.grader_notes import FORMATIVE
from osler.judging.person_sheet import marker, marks_in, sheet_of
from osler.knowledge.help_lines import help_lines
from osler.reports.debriefing import entry_words, in_words, moment_words
from osler.runs import run as runs
from osler.runs.debriefing import Debriefed
from osler.runs.debriefing import debriefed as debriefed_of
from osler.runs.stored_case import stored as stored_case
from osler.store.practice import PersonSitting
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.text.hostile import safe
from osler.web.practise.clocks import CLOCK
from osler.web.practise.encounter import GROUP
from osler.web.practise.schemas import Again, Contested, Debriefing, Entry, Moment, Section
from osler.web.practise.state import ENDED, readings_of
from osler.web.schemas import LogItem

_LONGEST = 80
TO_CONTEST: Final = " Say below what you did that is not marked; a teacher can look."
_Group = tuple[str, Kind]
_MET: Final[_Group] = ("met", "good")
_NOT_MET: Final[_Group] = ("not met", "missed")
_AGAINST: Final[_Group] = ("counts against you", "unsafe")


def debriefing(sitting: PersonSitting, run: RunInfo, store: Store, log: Sequence[LogItem]) -> Debriefing:
    """The debriefing of one sitting; `log` is what its seat was told and said."""
    debriefed = debriefed_of(run, store, sitting.ordinal, sitting.seat)
    result, person = debriefed.debriefing, debriefed.debriefing.person
    may_again = _may_begin_again(sitting, run)
    entries = _Entries(debriefed, log, may_again=may_again)
    turns = {item.n: number for number, item in enumerate((one for one in log if one.reply), 1)}
    outcome = ENDED.get(str(debriefed.row.status), str(debriefed.row.status))
    return Debriefing(
        sentence=in_words(result.sentence, person) or outcome or "It was played to its end.",
        use=FORMATIVE,
        examiner=in_words(result.examiner, person) + (TO_CONTEST if result.contestable else ""),
        outcome=outcome,
        scores=dict(result.scores),
        moments=[_moment(one, person, turns, entries.place(one)) for one in result.moments],
        next_time=[in_words(one, person) for one in result.next_time],
        sections=[
            *_by_persons(run, store, debriefed),
            *(
                Section(
                    heading=in_words(part.heading, person),
                    kind=part.kind,
                    entries=[entries.entry(one) for one in part.entries],
                )
                for part in result.sections
            ),
        ],
        again=_again(result, len(debriefed.trace.rows)) if may_again else [],
        log=list(log),
        readings=readings_of(sitting),
        help=list(help_lines()) if sitting.distressing else [],
    )


def _may_begin_again(sitting: PersonSitting, run: RunInfo) -> bool:
    """Whether this person may begin again from an earlier moment: they sat alone in the seat under test,
    without a station clock."""
    alone = len(people_in(run.manifest)) < 2 and GROUP not in sitting.more
    return alone and runs.protocol_of(run).under_test == sitting.seat and CLOCK not in sitting.more


class _Entries:
    """The remarks of a debriefing as entries: where each stands in the log, whether it may be contested or
    was, and whether one may begin again there."""

    def __init__(self, debriefed: Debriefed, log: Sequence[LogItem], *, may_again: bool) -> None:
        self._person = debriefed.debriefing.person
        self._contests = {one.item: one for one in debriefed.contests}
        self._log = {item.id for item in log}
        self._may_again = may_again

    def place(self, one: Remark) -> str | None:
        """The item of the log that a remark is about, if this seat has it."""
        id = f"{one.exchange}.0"
        return id if one.exchange and id in self._log else None

    def entry(self, one: Remark) -> Entry:
        """A remark as an entry."""
        contest = self._contests.get(one.item)
        return Entry(
            text="\n".join(
                (entry_words(one, self._person), *(in_words(each, self._person) for each in one.details))
            ),
            item=one.item if one.contestable else None,
            at=self.place(one),
            again=one.keep if self._may_again else None,
            contested=Contested(**contest._asdict()) if contest is not None else None,
        )


def _moment(one: Remark, person: Person, turns: Mapping[int, int], at: str | None) -> Moment:
    quote, effect = moment_words(one, person)
    return Moment(turn=turns.get(one.exchange, 0), quote=quote, effect=effect, at=at)


def _by_persons(run: RunInfo, store: Store, ended: Debriefed) -> Iterator[Section]:
    """The marks that a teacher gave by the sheet: how many items are met, then each with the comment."""
    bodies = [one.body for one in ended.judgements if marker(one.grader)]
    if not bodies:
        return
    sheet = sheet_of(stored_case(store, runs.protocol_of(run).config.model)(ended.row.case_hash))
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


def _again(found: Records, exchanges: int) -> list[Again]:
    """List the points to begin again from: each moment, and the start."""
    points = {0: "From the beginning"}
    for one in found.moments:
        if one.keep is not None and 0 < one.keep <= exchanges:
            quote, effect = moment_words(one, found.person)
            points.setdefault(one.keep, (quote or effect)[:_LONGEST])
    return [Again(keep=keep, label=label) for keep, label in sorted(points.items())]
