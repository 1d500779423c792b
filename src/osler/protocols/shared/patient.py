"""The patient's seat, which knows its own facts and nothing else, and speaks for itself or through a carer.

Beside its contract: the gate that its replies must pass, and the event that begins its visit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field, TypeAdapter

from osler.core.contract import Contract, Request
from osler.core.events import Event, Frozen, Said, View
from osler.knowledge.vocabulary import Persona, Told, Topic, Unknown
from osler.text.topics import may_tell


class VisitBegan(Event):
    """A visit begins; the first is number 1."""

    kind: Literal["visit"] = "visit"
    visit: int


class PatientFact(Frozen):
    """A fact the speaker can tell. `spoken` is their own wording, `text` the plain statement.

    `absent` marks an explicit negative. `told` is the disclosure condition: volunteered, when asked, or only
    in private, once normalized, or once confidentiality is assured.
    """

    id: str
    topic: Topic
    text: str
    spoken: str | None = None
    told: Told = "asked"
    absent: bool = False


class PatientView(View):
    """The view of the patient's seat.

    `unknown` is the run's policy for questions the case does not answer. `unsure_of` lists symptoms that may
    be neither affirmed nor denied under `standard`, because the case ought to have mentioned them.
    """

    speaker: str
    persona: Persona
    age_years: float | None
    sex: Literal["female", "male"] | None
    opening: str
    facts: tuple[PatientFact, ...]
    unknown: Unknown
    unsure_of: tuple[str, ...] = ()


class PatientReply(Frozen):
    """An answer; `revealed_facts` are the ids of the facts it tells."""

    answer: str = Field(min_length=1, max_length=8000)
    revealed_facts: tuple[str, ...] = ()
    unanswered_reason: Literal["none", "not_in_patient_view", "unclear_question"] = "none"


PatientTurn = Request[PatientView]

PATIENT: Contract[PatientView, PatientReply] = Contract("patient", PatientView, TypeAdapter(PatientReply))


def question_of(request: PatientTurn) -> str:
    """The doctor's latest words."""
    return next(item.text for item in reversed(request.feed) if type(item) is Said and item.by == "doctor")


def check_patient(
    reply: PatientReply,
    told: Mapping[str, Told],
    kept_back: Sequence[PatientFact],
    doctor_said: Sequence[str],
) -> None:
    """Raise ValueError if a reply reveals a fact that is not in the view or whose gate is shut.

    `told` maps the id of each fact of the view to its disclosure condition; `kept_back` are the conditional
    facts, whose words must not be spoken before the condition is met, whatever the reply declares.
    """
    for fact in kept_back:
        if (fact.spoken or fact.text) in reply.answer and not may_tell(fact.told, doctor_said):
            raise ValueError(f"fact {fact.id} may not be told yet")
    for item in reply.revealed_facts:
        if item not in told:
            raise ValueError(f"this patient has no fact {item[:40]!r}")
        if not may_tell(told[item], doctor_said):
            raise ValueError(f"fact {item} may not be told yet")
