"""The scorecard of a run's patient: how truly and how fully it spoke, and how far it kept to its part.

Every answer is read again from the record, beside what its speaker knew and what the doctor had said by then.
Which facts a question asks for is what the built-in patient hears in it, and which an answer tells is read by
`osler.reading.statements`; neither reader is free of error (`osler reading figures`), so the same figures of
the built-in patient or of a person stand beside a model's. What a player claims of itself counts for nothing.
Words that the table refused, and asked for anew, are read as well: they are what the player said.

A protocol says in a `Reading` how a request and the replies to it are a consultation with each of those who
speak; the figures are the same in all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from osler.core.contract import Request
from osler.core.events import Said
from osler.core.measure import Better, Measure
from osler.core.role import NOBODY
from osler.core.trace import ExchangeRow
from osler.errors import BadInput
from osler.protocols.shared.claimed_facts import told_by_words
from osler.protocols.shared.model.claims import sentences
from osler.protocols.shared.model.grounding import ungrounded
from osler.protocols.shared.patient import (
    PATIENT,
    PatientFact,
    PatientReply,
    PatientView,
    contradicted_by,
    doctor_said,
)
from osler.protocols.shared.players.patient import answer_of_kind
from osler.reports.scorecard import Scorecard
from osler.runs.rebuilt import RebuiltRequest, requests_of
from osler.runs.reread import recorded_of
from osler.runs.run import config_of, protocol_of
from osler.runs.stored_case import stored
from osler.stats.intervals import Estimate, mean_interval
from osler.store.permitted_store import for_reader
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store
from osler.text.in_role.faults import fault_in
from osler.text.named_answer import names_answer
from osler.text.topics import may_tell


def _share(name: str, words: str, means: str, better: Better = "more") -> Measure:
    return Measure(name, words, means, "share", lambda found: None, 0.0, 1.0, better)


def _count(name: str, words: str, means: str, better: Better = "less") -> Measure:
    return Measure(name, words, means, "count", lambda found: None, better=better)


FIGURES: Final = (
    _share("at_once", "at once", "answers taken at the first attempt"),
    _share("supported", "supported", "sentences that the patient's facts support"),
    _share("contradicted", "contradicted", "sentences that contradict them", "less"),
    _share("unsupported", "unsupported", "sentences that assert something beyond them", "less"),
    _share("asked_told", "asked, told", "facts asked for that the answer tells"),
    _share("asked_denied", "asked, denied", "facts asked for that the answer denies", "less"),
    _count("unasked_told", "unasked, told", "facts told in an answer that were not asked for, each"),
    _count(
        "told_early",
        "told early",
        "facts told before the condition for telling them was met, each attempt at an answer",
    ),
    _count(
        "key_fact_turn",
        "turn of a key fact",
        "the doctor's question at which a key fact was first told",
        "neither",
    ),
    _share(
        "names_diagnosis",
        "names the diagnosis",
        "answers that name the diagnosis before the doctor has",
        "less",
    ),
    _share("refusals", "refusals", "answers that refuse the part", "less"),
    _share("role_breaks", "out of the part", "answers out of the part", "less"),
    _share(
        "same_again",
        "same again",
        "questions put again in the same words that are answered with the same facts",
    ),
    _count("words", "words", "words in an answer", "neither"),
)
"""The figures in their order; they are read from answers, not from episodes."""
NOT_MADE: Final = "the request cannot be made again from the record"


class Part(NamedTuple):
    """One person's part of an exchange, as a consultation with them.

    `request` is as it met them, the question last; `asked` says whether it was put to them. `words` are what
    they said in each attempt at a reply, "" for nothing. `not_now` are facts of theirs that are not so yet;
    `given` is what they were told to say or feel besides, which supports their words.
    """

    request: Request[PatientView]
    words: tuple[str, ...]
    asked: bool = True
    not_now: tuple[PatientFact, ...] = ()
    given: tuple[str, ...] = ()


class Truth(NamedTuple):
    """The truth of a case: the ids of its key facts, and whether a text names its diagnosis (`None` where
    there is none to name)."""

    key: frozenset[str] = frozenset()
    named_in: Callable[[str], bool] | None = None


class Reading(NamedTuple):
    """The reading of a protocol's patient. `parts` takes a request and the parsed attempts at a reply to it;
    `unread` says why a view cannot be read, "" if it can."""

    parts: Callable[[Request[Any], Sequence[Any]], Iterable[Part]]
    truth: Callable[[Any], Truth]
    unread: Callable[[Any], str] = lambda view: ""


def consulted(request: Request[PatientView], replies: Sequence[PatientReply]) -> Iterator[Part]:
    """The part of the only one who speaks in a consultation; none where the doctor has said nothing."""
    if any(isinstance(one, Said) and one.by == "doctor" for one in request.feed):
        yield Part(request, tuple(one.answer for one in replies))


def truth_of_case(case: Any) -> Truth:
    """The truth of a case: the facts marked key, and its diagnosis if that is what it asks for."""
    key = frozenset(fact.id for fact in case.facts if fact.key)
    asks = case.task.kind == "diagnosis"
    return Truth(key, partial(_names, str(case.task.answer)) if asks else None)


def _names(answer: str, text: str) -> bool:
    return names_answer(text, answer)


CONSULTATION: Final = Reading(consulted, truth_of_case)


@dataclass
class Scores:
    """The values behind the figures, by case; and how many answers were read, and could not be, by reason."""

    answers: int = 0
    unread: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    values: dict[str, dict[str, list[float]]] = field(
        default_factory=lambda: {one.name: defaultdict(list) for one in FIGURES}
    )

    def add(self, case: str, name: str, *values: float) -> None:
        """Add values of a figure, from a case."""
        self.values[name][case] += values

    def figures(self) -> dict[str, Estimate]:
        """Every figure with its 95 % interval, clustered by case."""
        return {
            one.name: mean_interval(self.values[one.name], proportion=one.share).within(one.least, one.most)
            for one in FIGURES
        }


def patient_scores(run: RunInfo, store: Store, reading: Reading = CONSULTATION) -> Scorecard:
    """Score the patient of a run over all its encounters.

    Raises BadInput for a run whose protocol has no patient, or where nobody sat there.
    """
    store = for_reader(store, "comparison")
    protocol_of(run).role(PATIENT.seat)
    player = str(run.manifest["configuration"].get(PATIENT.seat) or NOBODY)
    if player == NOBODY:
        hint = "play it with --patient NAME"
        raise BadInput("nobody sits in the patient's seat of this run", where=run.name, hint=hint)
    scores, case_of = Scores(), stored(store, config_of(run).model)
    for row in store.episodes(run.id):
        _Encounter(row.case_hash, reading.truth(case_of(row.case_hash)), scores).read(
            _exchanges(run, store, row, reading, scores)
        )
    return Scorecard(
        PATIENT.seat, player, FIGURES, scores.figures(), scores.answers, dict(sorted(scores.unread.items()))
    )


class _Exchange(NamedTuple):
    """An exchange with the patient's seat: who answered in it, the number of attempts that were refused,
    and whether one was taken in the end."""

    parts: tuple[Part, ...]
    refused: int
    taken: bool


def _exchanges(
    run: RunInfo, store: Store, row: EpisodeRow, reading: Reading, scores: Scores
) -> Iterator[_Exchange]:
    """Yield the exchanges of an encounter in which somebody was to answer; those that cannot be read are
    counted."""
    rows = {one.n: one for one in store.recorded(run.id, row.ordinal) if one.seat == PATIENT.seat}
    (contract,) = protocol_of(run).role(PATIENT.seat).contracts
    for seen in requests_of(run, store, row.ordinal):
        if (exchange := rows.get(seen.n)) is None:
            continue
        if why := _why_unread(seen, contract.view, reading):
            scores.unread[why] += 1
            continue
        request: Request[Any] = Request(seen.view, tuple(one.item for one in seen.feed), "score")
        taken = exchange.reply != "null"
        attempts = [*_refused(exchange, contract.reply), *([exchange.reply] if taken else ())]
        parts = tuple(reading.parts(request, list(map(contract.reply.validate_json, attempts))))
        if parts:
            scores.answers += 1
            yield _Exchange(parts, len(attempts) - taken, taken)


def _why_unread(seen: RebuiltRequest, view: type[Any], reading: Reading) -> str:
    if not seen.proved or not isinstance(seen.view, view):
        return NOT_MADE
    return reading.unread(seen.view)


def _refused(exchange: ExchangeRow, reply: Any) -> Iterator[str]:
    """The refused attempts that are an answer in form, as JSON."""
    for one in recorded_of(exchange).refused:
        with suppress(ValidationError):
            reply.validate_json(one["reply"])
            yield one["reply"]


@dataclass
class _Encounter:
    """The reading of one encounter's answers, in order, into `scores`."""

    case: str
    truth: Truth
    scores: Scores
    told_before: set[str] = field(default_factory=set)
    told_in_time: set[str] = field(default_factory=set)
    by_question: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    def read(self, exchanges: Iterable[_Exchange]) -> None:
        """Add the values of its answers."""
        for one in exchanges:
            self.scores.add(self.case, "at_once", float(not one.refused))
            for part in one.parts:
                self._part(part, taken=one.taken)

    def _part(self, part: Part, *, taken: bool) -> None:
        view, before = part.request.view, doctor_said(part.request)
        question, attempts = before[-1], [text for text in part.words if text]
        heard = frozenset(answer_of_kind(part.request).reply.revealed_facts if part.asked else ())
        denied = {item for text in attempts for item in contradicted_by(text, view.facts)}
        self._add("asked_denied", *(float(item in denied) for item in heard))
        told = frozenset[str]()
        for text in attempts:
            self._sentences(text, part, before)
            self._role(text, view, before)
            told = frozenset(told_by_words(text, question, view.facts))
            self._early(told, text, part, before)
        if not taken:
            return
        text = part.words[-1]
        told = told if text else frozenset()
        self._add("asked_told", *(float(item in told) for item in heard))
        if text:
            self._told(told, heard, part, before)
            self._add("words", float(len(text.split())))

    def _told(self, told: frozenset[str], heard: frozenset[str], part: Part, before: Sequence[str]) -> None:
        """Add what an answer tells for the first time, and whether it tells the same as the last time."""
        new = told - self.told_before
        self.told_before |= told
        self._add("unasked_told", float(len(new - heard)))
        self._add("key_fact_turn", *(float(len(before)) for _ in new & self.truth.key))
        asked = (part.request.view.speaker, " ".join(before[-1].lower().split()))
        if asked in self.by_question:
            self._add("same_again", float(self.by_question[asked] == told))
        self.by_question[asked] = told

    def _early(self, told: frozenset[str], text: str, part: Part, before: Sequence[str]) -> None:
        """Add the number of facts that an attempt tells too early: what was told in private may be
        repeated."""
        shut = {fact.id for fact in part.request.view.facts if not may_tell(fact.told, before)}
        early = told & shut - self.told_in_time
        self.told_in_time |= told - early
        early |= told_too_soon(part.not_now, text, before[-1], part.request.view.facts)
        self._add("told_early", float(len(early)))

    def _sentences(self, text: str, part: Part, before: Sequence[str]) -> None:
        """Part the sentences of an attempt into supported, contradicted and unsupported ones."""
        view = part.request.view
        beyond = set(ungrounded(text, _with(view, part.given), before[-1], said=before))
        for sentence in sentences(text):
            against = bool(contradicted_by(sentence, view.facts))
            more = sentence in beyond and not against
            self._add("contradicted", float(against))
            self._add("unsupported", float(more))
            self._add("supported", float(not against and not more))

    def _role(self, text: str, view: PatientView, before: Sequence[str]) -> None:
        """Add whether an attempt stays in the part, and keeps the diagnosis to itself."""
        fault = fault_in(text, "patient" if view.speaker == "patient" else "companion")
        self._add("refusals", float(fault is not None and fault.cause == "refused"))
        self._add("role_breaks", float(fault is not None and fault.cause == "out_of_role"))
        named_in = self.truth.named_in
        if named_in is not None and not any(map(named_in, before)):
            self._add("names_diagnosis", float(named_in(text)))

    def _add(self, name: str, *values: float) -> None:
        self.scores.add(self.case, name, *values)


def told_too_soon(
    not_now: Sequence[PatientFact], text: str, question: str, facts: Sequence[PatientFact]
) -> frozenset[str]:
    """The facts that are not so yet and are told all the same. They are read beside those that are so,
    whose own wordings tell nothing else."""
    if not not_now:
        return frozenset()
    for wording in (one for fact in facts for one in (fact.spoken, fact.text) if one):
        text = text.replace(wording, " ")
    told = told_by_words(text, question, (*facts, *not_now)) if text.strip() else ()
    return frozenset(told) & {fact.id for fact in not_now}


def _with(view: PatientView, given: Sequence[str]) -> PatientView:
    """The view with what its speaker was told to say or feel, as far as it supports their words."""
    if not given:
        return view
    more = (PatientFact(id=f"given_{n}", topic="complaint", text=text) for n, text in enumerate(given))
    return view.model_copy(update={"facts": (*view.facts, *more)})
