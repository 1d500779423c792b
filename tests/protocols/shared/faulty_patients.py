"""Patients who misbehave in every fourth answer, and doctors who ask eight questions: for the scorecard.

Each misbehaves at the first attempt alone, so that the table, which refuses some of it, can go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from osler.cases.personas import persona
from osler.core.contract import OwnReply, Request
from osler.core.events import NOT_VALID, Noticed, Said
from osler.core.factory import PlayerRequest
from osler.knowledge.findings import finding
from osler.protocols.consultation.seats import Ask, Finalize
from osler.protocols.scenario.events import Spoke
from osler.protocols.scenario.players.patient import BaselinePatientSeat
from osler.protocols.scenario.seats import (
    ExamineeMove,
    ExamineeView,
    PatientSeatReply,
    PatientSeatView,
    Spoken,
)
from osler.protocols.shared.claimed_facts import told_by_words
from osler.protocols.shared.patient import PatientFact, PatientReply, PatientView, contradicted_by
from osler.protocols.shared.players.patient import BaselinePatient, replayed
from osler.text.findings_in_text import mentions

EVERY = 4
QUESTIONS = 8
GREETING = "Good morning."
Wrong = Callable[[Any, Sequence[PatientFact], int], str]
"""What is said instead, from the case, the facts of the usual speaker and the number of the question."""


class Faulty:
    """The built-in patient, with other words in every fourth answer."""

    durable = False

    def __init__(self, name: str, case: Any, wrong: Wrong, *, adds: bool = False) -> None:
        self.name, self._case, self._wrong, self._adds = name, case, wrong, adds

    async def reply(self, request: Request[Any]) -> Any:
        """Answer as the built-in patient, or otherwise."""
        seat = isinstance(request.view, PatientSeatView)
        inner: Any = BaselinePatientSeat() if seat else BaselinePatient()
        honest = await inner.reply(request)
        n = sum(_asks(item) for item in request.feed)
        again = isinstance(request.feed[-1], Noticed) and request.feed[-1].text.startswith(NOT_VALID)
        if n % EVERY or again:
            return honest
        words = self._wrong(self._case, own_facts(request.view), n)
        if not words:
            return honest
        if seat:
            said = " ".join(each.words for each in honest.speak) if self._adds else ""
            speak = Spoken(who=request.view.speaker, words=f"{said} {words}".strip())
            return PatientSeatReply(speak=(speak,))
        return PatientReply(answer=f"{honest.answer} {words}" if self._adds else words)


def _asks(item: Any) -> bool:
    return (isinstance(item, Said) and item.by == "doctor") or (
        isinstance(item, Spoke) and item.by == "examinee"
    )


def own_facts(view: Any) -> list[PatientFact]:
    """The facts of whoever usually speaks that hold at all times."""
    if isinstance(view, PatientSeatView):
        return [each.fact for each in view.facts if each.who == view.speaker and not each.at_times]
    return list(view.facts)


def facts_of(case: Any) -> list[PatientFact]:
    """The patient's facts that hold at all times, of a case or a scenario."""
    known = getattr(case, "knows", None) or case.facts
    return [
        PatientFact(
            id=one.id, topic=one.topic, text=one.text, spoken=one.spoken, told=one.told, absent=one.absent
        )
        for one in known
        if getattr(one, "who", "patient") == "patient" and not getattr(one, "states", ())
    ]


def deniable(case: Any) -> str:
    """A finding that the built-in patient tells if it is asked for, and that can be denied; "" without
    one."""
    return _deniable(tuple(facts_of(case)))


@cache
def _deniable(facts: tuple[PatientFact, ...]) -> str:
    plain = persona("plain")
    view = PatientView(
        speaker="patient",
        persona=plain,
        age_years=None,
        sex=None,
        opening="I don't feel well.",
        facts=facts,
        unknown="standard",
    )
    for fact in facts:
        for name, present in mentions(fact.text).items():
            words = finding(name).name
            if not present or fact.absent or contradicted_by(f"I have no {words}.", facts) != (fact.id,):
                continue
            question = f"Do you have any {words}?"
            reply = replayed(view, (), question)[1]
            if {fact.id} == {*reply.revealed_facts} <= {*told_by_words(reply.answer, question, facts)}:
                return words
    return ""


def kept_back(facts: Iterable[PatientFact]) -> PatientFact | None:
    """A fact that may not be told to whoever asks."""
    return next((fact for fact in facts if fact.told not in ("asked", "volunteered")), None)


def _denied(case: Any, facts: Sequence[PatientFact], n: int) -> str:
    return f"No. I have no {deniable(case)}." if deniable(case) else ""


def _unasked(case: Any, facts: Sequence[PatientFact], n: int) -> str:
    others = [fact for fact in facts if fact.told == "asked"]
    fact = others[n // EVERY - 1]
    return fact.spoken or fact.text


def _another(case: Any, facts: Sequence[PatientFact], n: int) -> str:
    return _unasked(case, facts[::-1], n)


def _early(case: Any, facts: Sequence[PatientFact], n: int) -> str:
    fact = kept_back(facts)
    return "" if fact is None else fact.spoken or fact.text


def diagnosis_of(case: Any) -> str:
    """What the case is about, in words that a patient may take up."""
    return "anaphylaxis" if hasattr(case, "knows") else str(case.task.answer)


def refusing(asked: PlayerRequest) -> Faulty:
    """Refuses."""
    words = "I'm sorry, but I can't help with that request."
    return Faulty("refusing", asked.case, lambda *_: words)


def breaking(asked: PlayerRequest) -> Faulty:
    """Speaks as a language model."""
    return Faulty("breaking", asked.case, lambda *_: "As an AI language model, I feel nothing.")


def diagnosing(asked: PlayerRequest) -> Faulty:
    """Names the diagnosis."""
    return Faulty("diagnosing", asked.case, lambda case, *_: f"I think I have {diagnosis_of(case)}.")


def denying(asked: PlayerRequest) -> Faulty:
    """Denies what it has."""
    return Faulty("denying", asked.case, _denied)


def over_telling(asked: PlayerRequest) -> Faulty:
    """Tells a fact that was not asked for."""
    return Faulty("over-telling", asked.case, _unasked, adds=True)


def leaking(asked: PlayerRequest) -> Faulty:
    """Tells a fact that is to be kept back."""
    return Faulty("leaking", asked.case, _early, adds=True)


def changing(asked: PlayerRequest) -> Faulty:
    """Answers otherwise than before."""
    return Faulty("changing", asked.case, _another)


class Asking:
    """A doctor, or an examinee, who puts one question eight times."""

    name = "asking"
    durable = False

    def __init__(self, question: str) -> None:
        self._question = question

    async def reply(self, request: Request[Any]) -> Any:
        """Ask, or conclude."""
        n = sum(isinstance(item, OwnReply) for item in request.feed)
        if isinstance(request.view, ExamineeView):
            return ExamineeMove(speak=self._question) if n < QUESTIONS else ExamineeMove(eos=True)
        return Ask(question=self._question) if n < QUESTIONS else Finalize(diagnosis="unknown")


def greets(asked: PlayerRequest) -> Asking:
    """Asks for nothing."""
    return Asking(GREETING)


def asks(asked: PlayerRequest) -> Asking:
    """Asks for the fact that is denied."""
    wanted = deniable(asked.case)
    return Asking(f"Do you have any {wanted}?" if wanted else GREETING)
