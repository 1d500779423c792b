"""The built-in consultant: weighs the same notes as the built-in doctor, and advises. Orders nothing.

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
from osler.protocols.consultation.players.doctor_belief import Belief, Sex, Tables, believe, gains, tables
from osler.protocols.consultation.players.doctor_notes import SEPARATOR, Step
from osler.protocols.consultation.seats import Advice, ConsultRequest, SpecialistView

_SURE: Final = 0.85
_SUGGEST: Final = 0.3
_WORTH_IT: Final = 0.02


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
        return _advise(
            self._knowing or knowledge(), view.age_years, view.sex, options, _steps(request), specialty
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
) -> Advice:
    of = tables(knowing)
    belief = believe(of, age, sex, options, steps)
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
