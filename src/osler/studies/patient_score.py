"""The scorecard of a run's patient: how truly and how fully it spoke, and how far it kept to its part.

Every answer is read again from the record, beside what its speaker knew and what the doctor had said by then.
Which facts a question asks for is what the built-in patient hears in it, and which an answer tells is read by
`osler.reading.statements`; neither reader is free of error (`osler reading figures`), so the same figures of
the built-in patient or of a person stand beside a model's. What a player claims of itself counts for nothing.
Words that the table refused, and asked for anew, are read as well: they are what the player said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from osler.core.contract import Request
from osler.core.events import Said
from osler.core.source import Source
from osler.core.trace import ExchangeRow
from osler.protocols.shared.claimed_facts import as_known
from osler.protocols.shared.model.claims import sentences
from osler.protocols.shared.model.grounding import ungrounded
from osler.protocols.shared.patient import (
    PatientFact,
    PatientReply,
    PatientView,
    contradicted_by,
    doctor_said,
)
from osler.protocols.shared.players.patient import answer_of_kind
from osler.reading.statements import told_in
from osler.runs.rebuilt import requests_of
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

FIGURES: Final[Mapping[str, str]] = {
    "at_once": "answers taken at the first attempt",
    "supported": "sentences that the patient's facts support",
    "contradicted": "sentences that contradict them",
    "unsupported": "sentences that assert something beyond them",
    "asked_told": "facts asked for that the answer tells",
    "asked_denied": "facts asked for that the answer denies",
    "unasked_told": "facts told in an answer that were not asked for, each",
    "told_early": "facts told before the condition for telling them was met, each answer",
    "key_fact_turn": "the doctor's question at which a key fact was first told",
    "names_diagnosis": "answers that name the diagnosis before the doctor has",
    "refusals": "answers that refuse the part",
    "role_breaks": "answers out of the part",
    "same_again": "questions put again in the same words that are answered with the same facts",
    "words": "words in an answer",
}
"""The figures in their order, in words; those that are shares first."""
_SHARES: Final = frozenset(FIGURES) - {"unasked_told", "told_early", "key_fact_turn", "words"}


class Answer(NamedTuple):
    """An answer with what it answered: `before` is everything the doctor had said, the question last, and
    `heard` are the facts that the built-in patient would have told. `refused` are attempts before it;
    `text` is empty if none was taken."""

    view: PatientView
    before: Sequence[str]
    text: str
    heard: frozenset[str]
    refused: tuple[str, ...] = ()

    @property
    def attempts(self) -> tuple[str, ...]:
        """All that was said in answer, the refused attempts first."""
        return (*self.refused, *([self.text] if self.text else ()))


@dataclass
class Scores:
    """The values behind the figures, by case; and how many answers were read, and could not be."""

    answers: int = 0
    unread: int = 0
    values: dict[str, dict[str, list[float]]] = field(
        default_factory=lambda: {name: defaultdict(list) for name in FIGURES}
    )

    def add(self, case: str, name: str, *values: float) -> None:
        """Add values of a figure, from a case."""
        self.values[name][case] += values

    def figures(self) -> dict[str, Estimate]:
        """Every figure with its 95 % interval, clustered by case."""
        return {
            name: mean_interval(values, proportion=name in _SHARES) for name, values in self.values.items()
        }


def patient_scores(run: RunInfo, store: Store, source: Source[Any] | None = None) -> Scores:
    """Score the patient of a run over all its encounters.

    Raises BadInput for a run whose protocol has no patient. `source` are its cases, if they are open already.
    """
    store = for_reader(store, "comparison")
    protocol_of(run).role("patient")
    scores, case_of = Scores(), stored(store, config_of(run).model)
    for row in store.episodes(run.id):
        answers = list(_answers(run, store, row, source, scores))
        _score(answers, row.case_hash, case_of(row.case_hash), scores)
    return scores


def _answers(
    run: RunInfo, store: Store, row: EpisodeRow, source: Source[Any] | None, scores: Scores
) -> Iterator[Answer]:
    """Yield the patient's answers in an encounter; those whose request cannot be made again are counted."""
    rows = {one.n: one for one in store.recorded(run.id, row.ordinal) if one.seat == "patient"}
    for seen in requests_of(run, store, row.ordinal, source):
        exchange = rows.get(seen.n)
        if exchange is None:
            continue
        if not seen.proved or not isinstance(seen.view, PatientView):
            scores.unread += 1
            continue
        request = Request(seen.view, tuple(one.item for one in seen.feed), "score")
        if not any(isinstance(one, Said) and one.by == "doctor" for one in request.feed):
            continue
        scores.answers += 1
        text = "" if exchange.reply == "null" else PatientReply.model_validate_json(exchange.reply).answer
        heard = frozenset(answer_of_kind(request).reply.revealed_facts)
        yield Answer(seen.view, tuple(doctor_said(request)), text, heard, tuple(_refused(exchange)))


def _refused(exchange: ExchangeRow) -> Iterator[str]:
    """The words of refused attempts, of those that are an answer in form."""
    for one in recorded_of(exchange).refused:
        with suppress(ValidationError):
            yield PatientReply.model_validate_json(one["reply"]).answer


def _score(answers: Sequence[Answer], cluster: str, case: Any, scores: Scores) -> None:
    """Add the values of one encounter's answers."""
    told_before, by_words = set[str](), dict[str, frozenset[str]]()
    key = frozenset(fact.id for fact in getattr(case, "facts", ()) if fact.key)
    diagnosis = _diagnosis_of(case)
    for turn, one in enumerate(answers, 1):
        told = frozenset(told_in(one.text, one.before[-1], [as_known(fact) for fact in one.view.facts]))
        denied = frozenset(item for text in one.attempts for item in contradicted_by(text, one.view.facts))
        told -= frozenset(contradicted_by(one.text, one.view.facts))
        scores.add(cluster, "at_once", float(not one.refused))
        scores.add(cluster, "asked_denied", *(float(item in denied) for item in one.heard))
        for text in one.attempts:
            _score_sentences(text, one, cluster, scores)
            _score_part(text, one, cluster, diagnosis, scores)
        if not one.text:
            continue
        scores.add(cluster, "words", float(len(one.text.split())))
        scores.add(cluster, "asked_told", *(float(item in told) for item in one.heard))
        scores.add(cluster, "unasked_told", float(len(told - one.heard - told_before)))
        scores.add(cluster, "told_early", float(len(_early(one, told))))
        scores.add(cluster, "key_fact_turn", *(float(turn) for item in told & key if item not in told_before))
        question = " ".join(one.before[-1].lower().split())
        if question in by_words:
            scores.add(cluster, "same_again", float(by_words[question] == told))
        by_words[question] = told
        told_before |= told


def _score_sentences(text: str, one: Answer, cluster: str, scores: Scores) -> None:
    """Part the sentences of an attempt at an answer into supported, contradicted and unsupported ones."""
    beyond = set(ungrounded(text, one.view, one.before[-1], said=one.before))
    for sentence in sentences(text):
        against = bool(contradicted_by(sentence, one.view.facts))
        more = sentence in beyond and not against
        scores.add(cluster, "contradicted", float(against))
        scores.add(cluster, "unsupported", float(more))
        scores.add(cluster, "supported", float(not against and not more))


def _score_part(text: str, one: Answer, cluster: str, diagnosis: str, scores: Scores) -> None:
    """Add whether an attempt at an answer stays in the part, and keeps the diagnosis to itself."""
    fault = fault_in(text, "patient" if one.view.speaker == "patient" else "companion")
    scores.add(cluster, "refusals", float(fault is not None and fault.cause == "refused"))
    scores.add(cluster, "role_breaks", float(fault is not None and fault.cause == "out_of_role"))
    if diagnosis and not any(names_answer(line, diagnosis) for line in one.before):
        scores.add(cluster, "names_diagnosis", float(names_answer(text, diagnosis)))


def _early(one: Answer, told: frozenset[str]) -> list[PatientFact]:
    return [fact for fact in one.view.facts if fact.id in told and not may_tell(fact.told, one.before)]


def _diagnosis_of(case: Any) -> str:
    """The diagnosis that a case asks for; empty if it asks for something else."""
    task = getattr(case, "task", None)
    return str(task.answer) if task is not None and task.kind == "diagnosis" else ""
