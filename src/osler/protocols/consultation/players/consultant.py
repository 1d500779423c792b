"""The built-in consultant: weighs the same notes as the built-in doctor, and advises. Orders nothing.

It answers what it is asked. Only a request for its opinion is answered with a differential; asked whether to
refer, admit, treat or test, it says so where the notes bear it out, and else that it cannot tell.

A consultant of a named specialty looks only at that specialty's conditions: it names those, and suggests one
if it is likely among all conditions. A specialty is no more than this filter; it adds no knowledge.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from osler.core.events import Said
from osler.core.order_events import Resulted
from osler.knowledge.conditions import Knowledge, knowledge
from osler.protocols.consultation.events import ConsultAsked
from osler.protocols.consultation.players.consultant_question import ConsultantQuestion, asked_of_consultant
from osler.protocols.consultation.players.doctor_belief import Belief, Sex, Tables, believe, gains, tables
from osler.protocols.consultation.players.doctor_notes import SEPARATOR, Step
from osler.protocols.consultation.seats import Advice, ConsultRequest, SpecialistView

_SURE: Final = 0.85
_SUGGEST: Final = 0.3
_WORTH_IT: Final = 0.02
_THEIRS: Final = 0.4
_GRAVE: Final = 0.3
"""The probability of a specialty's conditions to call it, and of dangerous ones to keep a patient."""
_FOR_AN_OPINION: Final = ConsultantQuestion("opinion")
_CANNOT: Final = "I cannot answer that from here. Ask me what I would weigh, if you want my opinion."
_GET: Final = "What do the vital signs and the examination show? Decide on these, and call again."


class BaselineConsultant:
    """The built-in consultant: names the three likeliest conditions with reasons, at most one question, and
    whether to conclude."""

    name: Final = "baseline"
    durable: Final = False

    def __init__(self, knowing: Knowledge | None = None) -> None:
        self._knowing = knowing

    async def reply(self, request: ConsultRequest) -> Advice:
        """Advise on the evidence revealed so far: a pure function of the request."""
        view = request.view
        options = tuple(view.task.options.values()) if view.task.options else ()
        specialty = view.specialty if isinstance(view, SpecialistView) else ""
        knowing = self._knowing or knowledge()
        questions = [item.question for item in request.feed if isinstance(item, ConsultAsked)]
        return _advise(
            knowing,
            view.age_years,
            view.sex,
            options,
            _steps(request),
            specialty,
            asked_of_consultant(questions[-1] if questions else "", knowing),
        )


def _steps(request: ConsultRequest) -> tuple[Step, ...]:
    steps: list[Step] = [("heard", "", request.view.door_note)]
    asked = ""
    for item in request.feed:
        if isinstance(item, Said) and item.by == "doctor":
            asked = item.text
            steps.append(("asked", asked, ""))
        elif isinstance(item, Said):
            steps.append(("heard", asked, item.text))
        elif isinstance(item, Resulted) and item.returned:
            steps.append(("result", item.name, f"{item.name}{SEPARATOR}{item.text}"))
    return tuple(steps)


@lru_cache(maxsize=2048)
def _advise(
    knowing: Knowledge,
    age: float | None,
    sex: Sex | None,
    options: tuple[str, ...],
    steps: tuple[Step, ...],
    specialty: str,
    asked: ConsultantQuestion = _FOR_AN_OPINION,
) -> Advice:
    of = tables(knowing)
    belief = believe(of, age, sex, options, steps)
    if asked.kind != "opinion":
        return Advice(note=_answer(of, belief, asked), next_question=None)
    rows = [row for row in belief.ranked if specialty in ("", knowing.conditions[row].specialty)][:3]
    if not rows:
        return Advice(note=f"Nothing of {specialty} is likely here.", next_question=_question(of, belief))
    sure = float(belief.posterior[rows[0]])
    reasons = "; ".join(f"{knowing.conditions[row].name} ({_reason(of, belief, row)})" for row in rows)
    finished = sure >= _SURE and belief.story.results > 0
    return Advice(
        note=f"I would weigh, in this order: {reasons}.",
        next_question=None if finished else _question(of, belief),
        recommend_finalize=finished,
        diagnosis_suggestion=knowing.conditions[rows[0]].name if sure >= _SUGGEST else None,
    )


def _answer(of: Tables, belief: Belief, question: ConsultantQuestion) -> str:
    """The answer to a question other than for an opinion; it names no diagnosis that was not asked about."""
    conditions, chances = of.knowing.conditions, belief.posterior
    if question.kind == "diagnosis":
        row = of.knowing.find(question.about)
        fits = "" if row is None else _reason(of, belief, row)
        return f"{question.about}: {fits}. Say what would settle it, and get that." if fits else _CANNOT
    if question.kind == "refer":
        theirs = sum(float(chances[i]) for i, one in enumerate(conditions) if one.specialty == question.about)
        if theirs >= _THEIRS:
            return "Yes, call them now; have the vital signs and your question ready."
        return f"I cannot tell yet from what I have heard. {_GET}"
    if question.kind == "admit":
        grave = sum(float(chances[i]) for i, one in enumerate(conditions) if one.must_not_miss)
        if grave >= _GRAVE and belief.story.known:
            return "I would not send this patient home: something dangerous is not ruled out."
        return f"I cannot tell from what I have heard. {_GET}"
    if question.kind == "treat":
        return "I cannot advise on drugs and doses here. Go by your guideline and the allergies, and say why."
    if question.kind == "test":
        return "Order it if its result would change what you do next; I cannot decide that for you."
    return _CANNOT


def _reason(of: Tables, belief: Belief, row: int) -> str:
    """The two present findings that most favour a condition, in words."""
    present = [i for i, is_present in belief.story.known.items() if is_present]
    lift = of.lift[row]
    best = sorted((i for i in present if lift[i] > 1.5), key=lambda i: -lift[i])[:2]
    names = [of.knowing.findings[i].name for i in best]
    return f"for it: {' and '.join(names).lower()}" if names else "little speaks for it yet"


def _question(of: Tables, belief: Belief) -> str | None:
    """The question with the highest expected information gain, or `None` if none is worth asking."""
    rates = np.where(of.is_ask, gains(of, belief), 0)
    best = int(rates.argmax())
    return of.actions[best].words if rates[best] >= _WORTH_IT else None
