"""The gates: pure rules that decide whether an action releases evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from osler.knowledge.formulary import Entry, formulary
from osler.knowledge.topics import may_tell
from osler.seats.examination import ExaminationReply, ExaminationView
from osler.seats.patient import PatientFact, PatientReply, Told, Unknown


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


def check_examination(reply: ExaminationReply, view: ExaminationView) -> None:
    """Raise ValueError if a reply returns a finding the case does not hold, or returns one on a mere
    guess."""
    known = {finding.id for finding in view.findings}
    if strange := [item for item in reply.findings if item not in known]:
        raise ValueError(f"the case holds no finding {strange[0][:40]!r}")
    if reply.match_type in ("exact", "alias") and not reply.findings:
        raise ValueError("an exact or alias match returns at least one finding")
    if reply.match_type in ("fuzzy", "none") and reply.findings:
        raise ValueError("a fuzzy match or none returns no finding")


def unlisted(
    entry: Entry,
    policy: Unknown,
    left_unwritten: Callable[[Entry], bool],
    age_years: float | None,
    sex: Literal["female", "male"] | None,
) -> str | None:
    """The result of an order that the case does not hold, under the run's policy; `None`: not obtained.

    `left_unwritten` says whether the case ought to have held it; such a finding is never reported as normal.
    Otherwise, under `standard`, an examination is normal and a test could not be obtained.
    """
    normal = policy == "normal" or (policy == "standard" and entry.kind == "examination")
    if not normal or left_unwritten(entry):
        return None
    return formulary().normal(entry, age_years, sex)
