"""The patient's seat, which knows its own facts and nothing else, and speaks for itself or through a carer.

Beside its contract: the disclosure of its facts in an encounter, and the event that begins its visit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field, TypeAdapter

from osler.core.contract import Contract, Request
from osler.core.events import Event, Frozen, Released, Said, View
from osler.core.table import Table
from osler.knowledge.vocabulary import Identity, Persona, Told, Topic, Unknown
from osler.protocols.shared.claim_counts import ClaimCounts
from osler.text.contradiction import Statement, contradicted
from osler.text.disclosure_conditions import Secrecy, secrecy
from osler.text.stance import expanded, states
from osler.text.tokens import lowered, sentences
from osler.text.topics import may_tell


class VisitBegan(Event):
    """A visit begins; the first is number 1."""

    seen = ("visit",)
    kind: Literal["visit"] = "visit"
    visit: int


class Assured(Event):
    """The doctor spoke of confidentiality: `promised` without a limit, which no doctor can keep, or
    `limited`, as is right. No seat is told; judges and debriefs read it."""

    kind: Literal["assured"] = "assured"
    how: Secrecy
    text: str


class Contradicted(Event):
    """The patient's words contradict a fact of the case; they are kept as said, the fact is not booked."""

    kind: Literal["contradicted"] = "contradicted"
    item: str
    text: str


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
    be neither affirmed nor denied under `standard`, because the case ought to have mentioned them or its test
    results speak of them. `noticed` lists symptoms that no fact tells but an examination of the case shows:
    they are never denied. `identity` is told to whoever asks for it. With `tells_all` the speaker is asked
    once, and tells everything.
    `unsure_topics` are subjects of which the notes say something that the speaker does not tell.
    """

    speaker: str
    persona: Persona
    age_years: float | None
    sex: Literal["female", "male"] | None
    opening: str
    facts: tuple[PatientFact, ...]
    unknown: Unknown
    unsure_of: tuple[str, ...] = ()
    noticed: tuple[str, ...] = ()
    unsure_topics: tuple[Topic, ...] = Field(default=(), exclude_if=lambda topics: not topics)
    identity: Identity | None = None
    tells_all: bool = Field(default=False, exclude_if=lambda tells: not tells)


class PatientReply(Frozen):
    """An answer; `revealed_facts` are the ids of the facts it tells. `claimed` are those that its speaker
    says it tells, where its words were read and the claim was not taken for them."""

    answer: str = Field(min_length=1, max_length=8000)
    revealed_facts: tuple[str, ...] = ()
    claimed: tuple[str, ...] | None = Field(default=None, exclude_if=lambda claimed: claimed is None)
    unanswered_reason: Literal["none", "not_in_patient_view", "unclear_question"] = "none"


PatientTurn = Request[PatientView]

AnswerKind = Literal[
    "fact",  # tells what the facts hold
    "denial",  # says no, by a fact's absence or by the policy for unknowns
    "dont_know",  # cannot say
    "not_understood",  # asks for the question to be put another way
    "permission",  # consents, or refuses consent
    "acknowledge",  # greets, thanks, takes note
    "emotion",  # shows what they feel
    "decline",  # would rather not say
    "confirm",  # agrees with what was said back to them
    "correct",  # puts right what was said back to them
]
"""The kind of an answer, as a reader would call it; for a compound question, that of its first part."""

PATIENT: Contract[PatientView, PatientReply] = Contract("patient", PatientView, TypeAdapter(PatientReply))


def question_of(request: PatientTurn) -> str:
    """The doctor's latest words."""
    return next(item.text for item in reversed(request.feed) if type(item) is Said and item.by == "doctor")


def doctor_said(request: PatientTurn) -> list[str]:
    """Everything the doctor has said to the patient so far."""
    return [item.text for item in request.feed if type(item) is Said and item.by == "doctor"]


def stated(fact: PatientFact) -> Statement:
    """A fact as a statement to compare with others."""
    return Statement(fact.id, fact.topic, f"{fact.text} . {fact.spoken or ''}", fact.absent)


def contradicted_by(answer: str, facts: Sequence[PatientFact]) -> tuple[str, ...]:
    """The ids of the facts that a patient's answer contradicts, at most one for each sentence; one that only
    asks contradicts nothing."""
    known = [stated(fact) for fact in facts]
    contradicteds = (contradicted(one, known) for one in sentences(answer) if states(expanded(lowered(one))))
    return tuple(dict.fromkeys(item for item in contradicteds if item))


@dataclass(slots=True)
class Disclosure:
    """The disclosure of a patient's facts in one encounter: `heard` is everything said to the patient so far,
    `told` the ids of the facts told."""

    view: PatientView
    heard: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    counts: ClaimCounts = field(default_factory=ClaimCounts)

    def check(self, reply: PatientReply) -> None:
        """Raise ValueError if a reply reveals a fact that is not in the view or whose gate is shut.

        The words of a conditional fact must not be spoken before its condition is met, whatever the reply
        declares.
        """
        facts = {fact.id: fact for fact in self.view.facts}
        for fact in self.view.facts:
            kept_back = fact.told not in ("asked", "volunteered")
            if kept_back and (fact.spoken or fact.text) in reply.answer and not self._may_tell(fact):
                raise ValueError(f"fact {fact.id} may not be told yet")
        for item in reply.revealed_facts:
            if item not in facts:
                raise ValueError(f"this patient has no fact {item[:40]!r}")
            if not self._may_tell(facts[item]):
                raise ValueError(f"fact {item} may not be told yet")

    def release(self, reply: PatientReply, table: Table) -> None:
        """Record the facts that a reply tells for the first time; and, for the debrief, what was promised,
        and what the patient said against the case."""
        self.counts.facts(reply.claimed, reply.revealed_facts)
        if self.heard and (how := secrecy(self.heard[-1])):
            table.tell(Assured, how=how, text=self.heard[-1])
        if not reply.revealed_facts:
            for item in contradicted_by(reply.answer, self.view.facts):
                table.tell(Contradicted, item=item, text=reply.answer)
        volunteered = {fact.id for fact in self.view.facts if fact.told == "volunteered"}
        for item in reply.revealed_facts:
            if item not in self.told:
                self.told.add(item)
                gate = "volunteered" if item in volunteered else "asked"
                table.tell(Released, item=item, provenance="case", gate=gate)

    def _may_tell(self, fact: PatientFact) -> bool:
        return may_tell(fact.told, self.heard)
