"""The patient's seat as a language model reads it: its prompt, its facts, and what it may tell later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pydantic import BaseModel

from osler.core.contract import OwnReply
from osler.core.events import Event, Said, View
from osler.knowledge.findings import finding
from osler.knowledge.vocabulary import NO_ANSWER, NOBODY, Persona
from osler.players.model.event_text import SHARED_LINES
from osler.players.model.neutral_names import Names
from osler.players.model.schemas import closed
from osler.players.model.seat import ModelSeat, Moves
from osler.protocols.shared.model.facts import OPEN, fact_lines, who
from osler.protocols.shared.model.schemas import FACTS, PATIENT_ANSWER, PATIENT_STATEMENT
from osler.protocols.shared.patient import PatientFact, PatientReply, PatientView, VisitBegan
from osler.text.hostile import block, neutral
from osler.text.topics import assurances

_MAY_TELL: Final = "After these words you feel able to tell this as well, if you are asked about it:"

_KEPT_BACK: Final[Mapping[str, str]] = {
    "sexual": "your sexual life and relationships",
    "drugs": "drug use",
    "alcohol": "how much you drink",
    "tobacco": "smoking",
    "mood": "your mood and state of mind",
    "home": "how things are at home",
    "gynaecological": "periods, pregnancy and contraception",
    "past_medical": "some of your past illnesses",
    "concerns": "what you are most afraid of",
}


_ABOUT: Final[Mapping[str, str]] = {
    "complaint": "how it began",
    "course": "when and how it began and went on",
    "character": "what exactly it is like",
    "modifiers": "what makes it better or worse",
    "associated": "what else goes with it",
    "systems": "what else is wrong",
    "past_medical": "illnesses before this one",
    "past_surgical": "operations",
    "medications": "medicines",
    "family": "illness in the family",
    "home": "how things are at home",
    "gynaecological": "periods, pregnancy and contraception",
    "birth": "birth and development",
    "immunization": "vaccinations",
    "sexual": "sexual life",
    "other": "anything else in the notes",
}


class _Facts(NamedTuple):
    """The facts a patient withholds until given an assurance."""

    facts: tuple[PatientFact, ...]
    names: Names

    def after(self, event: Event) -> tuple[_Facts, list[str]]:
        """Return the facts still withheld after an event, and the prompt lines that release the others."""
        if not (self.facts and isinstance(event, Said) and event.by == "doctor"):
            return self, []
        met = assurances(event.text)
        now = [fact for fact in self.facts if fact.told in met]
        if not now:
            return self, []
        facts = self._replace(facts=tuple(fact for fact in self.facts if fact.told not in met))
        return facts, [_MAY_TELL, fact_lines(now, self.names)]


_SILENT: Final = (
    f'You cannot speak, and nobody is there who does for you: whatever is said, your answer is "{NO_ANSWER}".'
)


def _manner(persona: Persona) -> str:
    """Return the persona's manner of speaking; "" for the plain one, who speaks as anybody does."""
    return "" if persona.name == "plain" else persona.manner


def _kept_back(view: PatientView) -> _Facts:
    return _Facts(tuple(fact for fact in view.facts if fact.told not in OPEN), fact_names(view))


def fact_names(view: PatientView) -> Names:
    """The neutral names of the facts."""
    return Names(FACTS, tuple(fact.id for fact in view.facts))


def _own_answer(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    assert isinstance(reply, PatientReply)
    assert isinstance(view, PatientView)
    match reply.unanswered_reason:
        case "not_in_patient_view":
            return closed("NOT_IN_MY_FACTS", answer=reply.answer)
        case "unclear_question":
            return closed("DID_NOT_UNDERSTAND", answer=reply.answer)
    if not reply.revealed_facts:
        return closed("SMALL_TALK", answer=reply.answer)
    names = fact_names(view)
    return closed("ANSWER", facts=[names.name(one) for one in reply.revealed_facts], answer=reply.answer)


def _patient(view: PatientView, moves: Moves) -> dict[str, object]:
    gated = [fact for fact in view.facts if fact.told not in OPEN]
    kept_back = dict.fromkeys(_KEPT_BACK.get(fact.topic, "some private matters") for fact in gated)
    return {
        "speaker": "patient" if view.speaker == NOBODY else view.speaker,
        "who": who(view.age_years, view.sex),
        "identity": neutral(view.identity.in_words) if view.identity else "",
        "own_name": neutral(view.identity.speaker or "") if view.identity else "",
        "manner": _SILENT if view.speaker == NOBODY else _manner(view.persona),
        "unknown": view.unknown,
        "unsure": [
            *(finding(name).name.lower() for name in view.unsure_of),
            *(_ABOUT.get(topic, topic.replace("_", " ")) for topic in view.unsure_topics),
        ],
        "kept_back": list(kept_back),
        "opening": view.opening,
        "facts": fact_lines((fact for fact in view.facts if fact.told in OPEN), fact_names(view)),
    }


def said_line(event: Said) -> str:
    """Words of the doctor or the patient, as a block."""
    return block("doctor_says" if event.by == "doctor" else "patient_says", event.text)


def visit_line(event: VisitBegan) -> str:
    """The beginning of a visit."""
    return f"Visit {event.visit} begins, minute {event.minute}."


PATIENT_SEAT: Final = ModelSeat(
    template="osler.protocols.shared:prompts/patient.jinja",
    lines={**SHARED_LINES, Said: said_line, VisitBegan: visit_line},
    values=_patient,
    own=_own_answer,
    form=lambda view: PATIENT_STATEMENT if view.tells_all else PATIENT_ANSWER,
    kept_back=_kept_back,
)
