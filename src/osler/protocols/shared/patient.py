"""The patient's seat: knows its own facts and nothing else; speaks for itself or through a carer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, TypeAdapter

from osler.core.contract import Contract, Request
from osler.core.events import Frozen, Said, View
from osler.knowledge.vocabulary import Persona, Told, Topic, Unknown


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
