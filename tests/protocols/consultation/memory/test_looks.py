"""The look at the conclusion, and the reflection over a record: what the doctor is shown, and what stands."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from pydantic import BaseModel

from osler.cases.sources import open_source
from osler.core.composite import InnerQuestion, answer_of
from osler.core.contract import NoUsableReply, OwnReply, ReplyWithUsage, Request
from osler.core.events import Said, TurnBegan
from osler.core.wrapper_events import Corrected, Hint, Recalled, Reconsidered
from osler.errors import BadInput
from osler.players.casting import casting_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.events import WorkingDiagnosis
from osler.protocols.consultation.memory.episodes_to_lessons import feed_of
from osler.protocols.consultation.memory.memory_config import MemoryUse, memory_use
from osler.protocols.consultation.seats import Ask, Finalize
from osler.protocols.consultation.settings import LOOKS
from osler.protocols.consultation.wrappers.ensemble import Ensemble
from osler.protocols.consultation.wrappers.interventions import Lesson, SecondAttempt
from osler.protocols.consultation.wrappers.looks import looks
from osler.protocols.consultation.wrappers.memory import (
    MEMORY,
    Remembering,
    RetrievalQuery,
    RetrievedCard,
    cards_given,
)
from tests.prompts.seats import messages_of
from tests.protocols.consultation.memory.test_doctors import REQUEST, Asking, Minded, composed, says

SOURCE = "generated:3:2"
CASE = next(iter(open_source(SOURCE)))


class AtTheTable(Asking):
    """Takes notes and costs off an answer before it is read, as the table does."""

    async def ask_all(self, asked: Sequence[InnerQuestion]) -> list[BaseModel | NoUsableReply]:
        said = [await answer_of(one.player, one.request, self) for one in asked]
        return [one.reply if isinstance(one, ReplyWithUsage) else one for one in said]


class Deck:
    """Deals one card more at every search that asks for something new."""

    name = "deck"

    def __init__(self, *cards: str) -> None:
        self.cards, self.asked = cards, list[RetrievalQuery]()

    async def __call__(self, seen: RetrievalQuery, /) -> Sequence[RetrievedCard]:
        if seen not in self.asked:
            self.asked.append(seen)
        many = self.asked.index(seen) + 1
        return [RetrievedCard(name, Hint(text=f"card {name}")) for name in self.cards[:many]]


def cards_in(request: Request[Any]) -> list[str]:
    return [card.text for item in request.feed if isinstance(item, Recalled) for card in item.cards]


def answered(doctor: Any, request: Request[Any] = REQUEST) -> ReplyWithUsage:
    said = composed(doctor, request)
    assert isinstance(said, ReplyWithUsage)
    return said


def concludes(request: Request[Any]) -> Finalize:
    return says("Gout" if "card b" in cards_in(request) else "Sprain")


def test_who_is_ready_to_conclude_is_shown_what_comes_to_mind_and_concludes_again() -> None:
    doctor = Minded(concludes)
    said = answered(Remembering(doctor, Deck("a", "b"), ("start", "conclusion")))
    assert said.reply == says("Gout")
    first, second = doctor.seen
    assert (cards_in(first), cards_in(second)) == (["card a"], ["card a", "card b"])
    assert cards_given(said.noted) == ("a", "b")
    assert [item.how for item in second.feed if isinstance(item, Reconsidered)] == ["recall"]
    before, after = messages_of(first), messages_of(second)
    assert after[: len(before)] == before, "what a model reads only grows"
    assert "brings to mind" in after[-1].text


def test_the_conclusion_alone_is_medagentsims_only_look() -> None:
    doctor = Minded(lambda request: Ask(question="Since when?"))
    deck = Deck("a")
    assert composed(Remembering(doctor, deck, ("conclusion",))) == Ask(question="Since when?")
    assert deck.asked == []
    doctor = Minded(concludes)
    assert cards_given(answered(Remembering(doctor, deck, ("conclusion",))).noted) == ("a",)
    assert [cards_in(request) for request in doctor.seen] == [[], ["card a"]]


def test_the_first_conclusion_stands_if_nothing_new_comes_to_mind_or_no_second_is_given() -> None:
    doctor = Minded(concludes)
    assert answered(Remembering(doctor, Deck("a"), ("start", "conclusion"))).reply == says("Sprain")
    assert len(doctor.seen) == 1
    stuck = Minded(lambda request: Ask(question="?") if cards_in(request) else says("Sprain"))
    assert answered(Remembering(stuck, Deck("a"), ("conclusion",))).reply == says("Sprain")


def test_the_search_at_the_conclusion_knows_what_was_thought_of() -> None:
    working = (WorkingDiagnosis(name="Gout"), WorkingDiagnosis(name="Sepsis"))
    deck = Deck("a")
    answered(Remembering(Minded(lambda request: says("Sprain", working_diagnoses=working)), deck, LOOKS))
    assert deck.asked[-1].thought == "Sprain; Gout; Sepsis"


def test_where_a_conclusion_is_asked_for_the_look_comes_before_it_and_nobody_is_asked_twice() -> None:
    last = TurnBegan(minute=5, turn=9, turns_left=0, last_chance=True)
    doctor = Minded(concludes)
    answered(Remembering(doctor, Deck("a"), ("conclusion",)), REQUEST._replace(feed=(last,)))
    assert [cards_in(request) for request in doctor.seen] == [["card a"]]

    voting = Minded(concludes)
    ensemble = Ensemble(Remembering(voting, Deck("a", "b"), ("conclusion",)), 3)
    found: Any = asyncio.run(ensemble.compose(REQUEST, AtTheTable()))
    assert found.diagnosis
    votes = [request for request in voting.seen if "/" in request.world]
    assert len(votes) == 2, "each of the others is asked once"
    assert all(cards_in(request) for request in votes)


def test_cards_of_an_earlier_conclusion_keep_their_place() -> None:
    """A consultant may be heard before a first conclusion counts; the doctor then goes on."""
    turn = TurnBegan(minute=9, turn=2, turns_left=3)
    feed = (*REQUEST.feed, OwnReply(says("Sprain")), Said(minute=9, by="patient", text="More."), turn)
    doctor = Minded(lambda request: Ask(question="And?"))
    composed(Remembering(doctor, Deck("a", "b"), LOOKS), REQUEST._replace(feed=feed))
    (request,) = doctor.seen
    kinds = [type(item).__name__ for item in request.feed]
    assert kinds == ["TurnBegan", "Recalled", "OwnReply", "Recalled", "Said", "TurnBegan"]
    assert [at for at, _ in looks(feed[:2], LOOKS)] == [0, 1]


def test_a_doctor_that_costs_something_is_recorded_at_each_step() -> None:
    asked: list[Any] = []

    class Noting(Asking):
        async def ask_all(self, questions: Any) -> Any:
            asked.extend(questions)
            return await super().ask_all(questions)

    doctor = Minded(concludes, durable=True)
    remembering = Remembering(doctor, Deck("a"), ("conclusion",))
    said: Any = asyncio.run(remembering.compose(REQUEST, Noting()))
    assert said.reply == says("Sprain")
    assert len(asked) == 2
    with pytest.raises(NoUsableReply):
        asyncio.run(Remembering(Minded(lambda r: Finalize.model_validate({}), durable=True), Deck(), LOOKS)
                    .compose(REQUEST, Noting()))  # fmt: skip


def test_every_look_of_a_played_encounter_is_written_down() -> None:
    config = RunConfig(cases=SOURCE)
    doctor = Remembering(casting_of(config).cast(CASE)["doctor"], Deck(*"abcdefgh"), LOOKS)
    cast = {**casting_of(config).cast(CASE), "doctor": doctor}
    trace = asyncio.run(config.episode(0, CASE, open_source(SOURCE)).play(cast))
    final = [row for row in trace.rows if row.seat == "doctor"][-1]
    assert f'"{MEMORY}"' in final.attempts


@pytest.mark.parametrize("given", [{"looks": ["never"]}, {"looks": []}, {"embedder": "fake", "by": "nearest"},
                                   {"embedder": "model:x", "by": "lexical"}])  # fmt: skip
def test_a_search_that_cannot_be_is_refused_in_words(given: dict[str, Any]) -> None:
    with pytest.raises(
        BadInput, match=next(iter(given)) if "embedder" not in given else "embedder|model:NAME"
    ):
        memory_use(given, "memory")
    assert memory_use({}, "memory").looks == LOOKS
    assert MemoryUse().searched == '{"k":4,"by":"lexical","threshold":0.4,"position":2147483647}', (
        "a run that was begun keeps its keys"
    )


# Reflection


class Kept(Minded):
    """A doctor that asks twice and concludes."""


def mind(request: Request[Any]) -> BaseModel:
    own = sum(isinstance(item, OwnReply) for item in request.feed)
    return says("Sprain") if own == 2 else Ask(question=f"What else? {own}")


def test_the_record_thought_over_is_what_the_doctor_was_told_and_said() -> None:
    config = RunConfig(cases=SOURCE)
    doctor = Kept(mind)
    cast = {**casting_of(config).cast(CASE), "doctor": doctor}
    trace = asyncio.run(config.episode(0, CASE, open_source(SOURCE)).play(cast))
    feed = feed_of(trace)
    for earlier, later in pairwise([*(request.feed for request in doctor.seen), feed]):
        assert later[: len(earlier)] == earlier
    assert [item.reply for item in feed if isinstance(item, OwnReply)][-1] == says("Sprain")


def test_who_thinks_over_the_record_can_only_conclude() -> None:
    record = (*REQUEST.feed, Said(minute=1, by="patient", text="It hurts."), OwnReply(says("Sprain")))
    lesson = Lesson("e1", "Sprain", "", record)
    doctor = Minded(lambda request: says("Gout"), durable=True)
    assert composed(SecondAttempt(doctor, lesson)).diagnosis == "Gout"
    (request,) = doctor.seen
    assert request.feed[: len(record)] == record
    (told,) = request.feed[len(record) :]
    assert isinstance(told, Corrected)
    assert (told.wrong, told.right, told.anew) == ("Sprain", "", False)
    assert "Think over" in messages_of(request)[-1].text
    asking = Minded(lambda request: Ask(question="What else?"), durable=True)
    with pytest.raises(NoUsableReply, match="conclude"):
        composed(SecondAttempt(asking, lesson))
    assert (
        SecondAttempt(doctor, lesson).fingerprint
        != SecondAttempt(doctor, lesson._replace(record=None)).fingerprint
    )
