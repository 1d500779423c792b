"""Write-back: the cards that judged consultations, with a second attempt where wrong, leave in a memory.

    first attempt right                a medical record: the whole case
    wrong, right at the second         an experience record: the insight alone, linked to the second episode
    wrong again, or unscored           nothing
    no feedback (`none`)               a medical record marked unverified

Cards that were given count as used: one whose diagnosis the doctor concluded with helped if that was right
and harmed if it was wrong; the effect of the others is unknown. With the feedback `none` all are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from osler.knowledge.conditions import name_key
from osler.memory.buffers import Past, Reflect, first_attempt, medical_record, second_attempt
from osler.memory.card import Card, Origin, Scope, age_band
from osler.memory.collection import Memory
from osler.memory.deidentify import identifiers_of
from osler.memory.record import Record
from osler.memory.summary import insight_of, summary_of
from osler.protocols.consultation.memory.episodes_to_lessons import Experience
from osler.protocols.consultation.memory.retrieval import source_for

Relabel = Callable[[str], str]


class Attempted(NamedTuple):
    """A case consulted once, and if that was wrong once more; at `position` of the stream, in a run.
    `summary` is by a model, "" for the built-in one."""

    first: Experience
    second: Experience | None
    run: str
    position: int
    summary: str = ""

    @property
    def again(self) -> Record | None:
        """The record of the second attempt: where that thought over the first, the first's under the second's
        diagnosis."""
        if self.second is None:
            return None
        if self.second.reflected:
            return self.first.record._replace(diagnosis=self.second.record.diagnosis)
        return self.second.record


def write_back(memory: Memory, attempted: Sequence[Attempted], cards: Iterable[Card]) -> Memory:
    """Return the memory with its cards' uses counted, cards that keep doing harm retired, and the new cards
    added, up to its capacity."""
    for one in attempted:
        memory = _after_use(memory, one.first)
    return memory.without_harmful().with_cards(cards)


def card_of(one: Attempted, relabel: Relabel | None = None) -> Card | None:
    """Return the card that a case leaves, if any. With `relabel`, under another diagnosis: a control."""
    first, second = one.first, one.second
    feedback = first.told
    if relabel:
        feedback = feedback._replace(answer=_under(relabel, feedback.answer or first.record.diagnosis))
    # A model's summary names the diagnosis it was told.
    summary = one.summary if not relabel else ""
    card = first_attempt(_past(one, first), feedback, summary or _summary(first, feedback.answer))
    if not isinstance(card, Reflect):
        return card
    record = one.again
    if second is None or record is None:
        return None
    feedback, reason = second.told, second.reason
    if relabel:
        answer = _under(relabel, feedback.answer or record.diagnosis)
        feedback, record, reason = feedback._replace(answer=answer), record._replace(diagnosis=answer), ""
    past = _past(one, second)._replace(record=record)
    return second_attempt(past, feedback, insight_of(first.record, record, reason))


def gold_card(one: Attempted, gold: str) -> Card:
    """Return the card of an oracle memory: the whole case under its right diagnosis. A control."""
    best = one.second or one.first
    past = _past(one, best)._replace(record=one.again or one.first.record)
    return medical_record(past, "gold", "right", gold, summary_of(past.record, gold))


def permuted(names: Iterable[tuple[str, str]]) -> Relabel:
    """Return a permutation of diagnoses, given as (specialty, name): the sorted list rotated by half its
    length, so that similar diagnoses are not swapped for each other. A lone name stays."""
    by_key = {name_key(name): (specialty, name) for specialty, name in names}
    ordered = [name for _, name in sorted(by_key.values())]
    half = len(ordered) // 2
    other = {name_key(name): ordered[(at + half) % len(ordered)] for at, name in enumerate(ordered)}

    def relabel(name: str) -> str:
        # A diagnosis outside the study is mapped to one of the study's, so that it is wrong as well.
        return other.get(name_key(name), ordered[len(name) % len(ordered)] if ordered else name)

    return relabel


def _under(relabel: Relabel, name: str | None) -> str | None:
    return None if name is None else relabel(name)


def _summary(one: Experience, answer: str | None) -> str:
    return summary_of(one.record, answer or one.record.diagnosis)


def _past(one: Attempted, attempt: Experience) -> Past:
    case = attempt.case
    origin = Origin(
        **source_for(case).model_dump(), episode=attempt.episode.key, run=one.run, position=one.position
    )
    scope = Scope(specialty=case.specialty, age=age_band(case.age_years), sex=case.sex, task=case.task.kind)
    return Past(attempt.record, origin, scope, identifiers_of(case))


def _after_use(memory: Memory, first: Experience) -> Memory:
    correct, concluded = first.told.correct, name_key(first.record.diagnosis or "")
    followed, others = list[str](), list[str]()
    for name in first.given:
        card = memory.cards.get(name)
        if card is not None:
            (followed if name_key(card.diagnosis) == concluded else others).append(name)
    return memory.after_use(followed, correct).after_use(others, None)
