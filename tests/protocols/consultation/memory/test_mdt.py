"""The consultant: called, always heard before a conclusion, or every few turns; one specialty or several."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.core.contract import Request
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.knowledge.conditions import knowledge, specialties
from osler.protocols.consultation.casting import ConsultationCasting
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.events import Advised
from osler.protocols.consultation.players.consultant import BaselineConsultant
from osler.protocols.consultation.seats import Advice, Ask, ConsultantView, Finalize
from osler.protocols.consultation.settings import Limits, Settings
from osler.protocols.consultation.wrappers.panel import Panel, together
from tests.prompts.seats import messages_of


@dataclass
class Plays:
    """Asks so many questions, then concludes; says so again each time it is asked."""

    questions: int
    name: str = "plays"
    durable: bool = False

    async def reply(self, request: Request[Any], /) -> BaseModel:
        asked = sum(isinstance(getattr(item, "reply", None), Ask) for item in request.feed)
        return Finalize(diagnosis="a cold") if asked >= self.questions else Ask(question="Fever?")


def consulted(doctor: Any, config: RunConfig, limits: Limits | None = None) -> Trace:
    settings = config.settings.model_copy(update={"limits": limits or Limits()})
    case = next(iter(open_source("library")))
    cast = {**ConsultationCasting(config).cast(case), "doctor": doctor}
    return asyncio.run(Episode(0, case, persona("plain"), settings, "0").play(cast))


def always(**more: Any) -> RunConfig:
    return RunConfig(consultant="baseline", settings=Settings(mdt="always", **more))


def test_on_demand_nobody_is_heard_who_was_not_called() -> None:
    trace = consulted(Plays(2), RunConfig(consultant="baseline"))
    assert trace.of(Advised) == []
    assert trace.outcome.counts["turns"] == 3


def test_always_the_consultant_is_heard_once_before_the_conclusion_is_taken_anew() -> None:
    trace = consulted(Plays(2), always())
    assert len(trace.of(Advised)) == 1
    assert trace.outcome.status == "completed"
    assert [reply["action"] for reply in trace.replies("doctor")] == ["ASK", "ASK", "FINALIZE", "FINALIZE"]


def test_every_few_turns_the_consultant_is_heard_too() -> None:
    config = RunConfig(consultant="baseline", settings=Settings(mdt_every=2))
    assert len(consulted(Plays(5), config).of(Advised)) == 2


def test_a_conclusion_in_the_last_turn_stands() -> None:
    trace = consulted(Plays(2), always(), Limits(max_turns=3))
    assert (trace.outcome.status, trace.of(Advised)) == ("completed", [])


@pytest.mark.parametrize(
    ("config", "why"),
    [
        (RunConfig(specialties=("cardiology",)), "there is no consultant"),
        (RunConfig(consultant="baseline", specialties=("witchcraft",)), "known: ENT, cardiology"),
        (RunConfig(settings=Settings(mdt="always")), "there is no consultant"),
    ],
)
def test_what_cannot_be_heard_is_refused(config: RunConfig, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        ConsultationCasting(config)


def test_specialists_are_asked_apart_and_answer_with_one_voice() -> None:
    config = always().model_copy(update={"specialties": ("cardiology", "surgery")})
    trace = consulted(Plays(1), config)
    (advised,) = trace.of(Advised)
    first, second = advised.note.splitlines()
    assert (first[:12], second[:9]) == ("Cardiology: ", "Surgery: ")
    inside = [row for row in trace.inner if row.seat == "consultant"]
    assert [row.path for row in inside] == ["1", "2"]
    assert len({row.request for row in inside}) == 2, "the specialty stands in the view"


def test_a_built_in_specialist_names_conditions_of_its_specialty_only() -> None:
    view = ConsultantView(
        door_note="Chest pain.",
        patient_opening="My chest hurts.",
        age_years=60,
        sex="male",
        task={"kind": "diagnosis", "question": "What is it?"},
    )
    names = {c.name: c.specialty for c in knowledge().conditions}
    for specialty in specialties():
        panel = Panel(BaselineConsultant(), (specialty,))
        (question,) = _questions(panel, Request(view, (), "w"))
        advice: Any = asyncio.run(question.player.reply(question.request))
        named = [name for name in names if name in advice.note]
        assert any(names[name] == specialty for name in named) or "Nothing of" in advice.note


def _questions(panel: Panel, request: Request[Any]) -> list[Any]:
    asked: list[Any] = []

    class Asking:
        async def ask_all(self, questions: Any) -> list[Any]:
            asked.extend(questions)
            return [Advice(note="-") for _ in questions]

        async def ask_once(self, question: Any) -> Any:
            return (await self.ask_all([question]))[0]

    asyncio.run(panel.compose(request, Asking()))
    return asked


def test_a_model_is_told_its_specialty() -> None:
    view = ConsultantView(
        door_note="Chest pain.",
        patient_opening="My chest hurts.",
        age_years=60,
        sex="male",
        task={"kind": "diagnosis", "question": "What is it?"},
    )
    (question,) = _questions(Panel(BaselineConsultant(), ("cardiology",)), Request(view, (), "w"))
    assert "a consultant in cardiology" in messages_of(question.request)[0].text
    assert "Speak from your specialty" not in messages_of(Request(view, (), "w"))[0].text


def test_together_asks_one_question_and_suggests_what_most_suggest() -> None:
    advice = [
        Advice(note="a" * 4000, diagnosis_suggestion="gout", recommend_finalize=True),
        Advice(note="b", next_question="Since when?", diagnosis_suggestion="heart attack"),
        Advice(note="c", next_question="Fever?", diagnosis_suggestion="myocardial infarction"),
    ]
    found = together(dict(zip(("x", "y", "z"), advice, strict=True)))
    assert (found.next_question, found.recommend_finalize) == ("Since when?", False)
    assert found.diagnosis_suggestion in ("heart attack", "myocardial infarction")
    assert len(found.note) <= 4000
