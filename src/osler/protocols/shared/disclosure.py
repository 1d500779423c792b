"""The disclosure gate: which facts a patient's reply may tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from osler.knowledge.vocabulary import Told
from osler.protocols.shared.patient import PatientFact, PatientReply
from osler.text.topics import may_tell


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
