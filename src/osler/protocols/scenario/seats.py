"""The seats of a standardized-patient scenario: the examinee, the patient with companions, the controller.

After MedSP1000's closed loop. The examinee speaks and acts; the patient's seat hears the speech and sees who
is present, never the acts, their results, or the names of states; the controller knows the script and rules
on each act. The protocol decides which of its words are accepted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from osler.core.contract import Contract
from osler.core.events import Frozen, View
from osler.knowledge.vocabulary import VOICED_BY_PATIENT, Identity, Persona, PersonId, Role, Unknown
from osler.protocols.shared.patient import PatientFact

Words = Annotated[str, Field(min_length=1, max_length=4000)]

ActionStatus = Literal["executed", "pending", "unsupported"]


class PersonView(Frozen):
    """A person of the scenario, as known to all. `name` is their display name as a speaker."""

    id: PersonId
    name: str
    role: Role
    about: str = ""
    speaks: bool = True


class ExamineeView(View):
    """The examinee's view: the station's instructions and the information at the door.

    `whole_case` is the content of the whole script, in the static arm only. It never contains an id or a
    label of the source.
    """

    instructions: str
    setting: str
    opening: str
    people: tuple[PersonView, ...]
    max_turns: int
    whole_case: str | None = None


class SpokenFact(Frozen):
    """A fact and the person who can tell it. With `at_times`, it holds only while a `Cue` names it."""

    who: PersonId
    fact: PatientFact
    at_times: bool = False


class PatientSeatView(View):
    """The view of the patient's seat: its people and the facts each of them knows, or the actor's packet.

    `speaker` answers if no one is addressed by name. `unknown` is as in the consultation.
    """

    people: tuple[PersonView, ...]
    speaker: PersonId
    age_years: float | None
    sex: Literal["female", "male"] | None
    persona: Persona
    facts: tuple[SpokenFact, ...] = ()
    unknown: Unknown = "standard"
    identities: dict[PersonId, Identity] = Field(default_factory=dict)
    packet: str | None = None


class StateView(Frozen):
    """A state as the controller knows it. `ends` says whether the encounter may end here."""

    id: str
    label: str
    status: str
    ends: bool


class ActionView(Frozen):
    """A declared action. `terms` are the rules of `osler.text.act_rules` that recognize it in words; where it
    has none, `what` and the sentences `says` do.

    `unclear`: it leaves out what is needed; `harmful`: doing it harms the patient; `exact`: it is done only
    with the dose and the route of `what`.
    """

    id: str
    what: str
    terms: tuple[str, ...]
    says: tuple[str, ...] = Field(default=(), exclude_if=lambda says: not says)
    states: tuple[str, ...] = ()
    unclear: bool = Field(default=False, exclude_if=lambda unclear: not unclear)
    harmful: bool = Field(default=False, exclude_if=lambda harmful: not harmful)
    exact: bool = Field(default=False, exclude_if=lambda exact: not exact)


class ControllerView(View):
    """The controller's view: the script's states, actions and people, or the controller's packet."""

    people: tuple[PersonView, ...]
    states: tuple[StateView, ...] = ()
    actions: tuple[ActionView, ...] = ()
    packet: str | None = None


class ExamineeMove(Frozen):
    """One turn: speech in `speak` alone, everything done in `actions` alone. `eos` (end of state): all that
    is due in the present situation is done."""

    speak: Annotated[str, Field(max_length=8000)] = ""
    actions: tuple[Annotated[str, Field(min_length=1, max_length=1000)], ...] = Field(
        default=(), max_length=40
    )
    eos: bool = False


class Spoken(Frozen):
    """Words of one person; `who` is an id of the view's people, or a name where only a packet tells."""

    who: Annotated[str, Field(min_length=1, max_length=80)]
    words: Words


class PatientSeatReply(Frozen):
    """What the patient and their people say; nothing, where nobody has anything to say.

    `revealed_facts` are ids of the facts told. `actors_present` maps who is there to the evidence for it.
    `claimed` are the facts that the seat says it tells, where its words were read.
    """

    speak: tuple[Spoken, ...] = Field(default=(), max_length=12)
    revealed_facts: tuple[str, ...] = ()
    claimed: tuple[str, ...] | None = Field(default=None, exclude_if=lambda claimed: claimed is None)
    actors_present: dict[str, str] = Field(default_factory=dict)


class Assessment(Frozen):
    """What an act of the examinee is understood as. `interpreted_action` is a declared action's id, or words
    where only a packet tells, or empty."""

    raw: str
    interpreted_action: Annotated[str, Field(max_length=1000)] = ""
    status: ActionStatus
    rationale: Annotated[str, Field(max_length=2000)] = ""


class ControllerReply(Frozen):
    """What becomes of a turn. `feedback` and `events` are declarative and never hint at the next step.

    Every act of the turn has one assessment, in order; where one wording holds several acts, one for each,
    `raw` being its part of the wording. `progress_index` counts states from 0, and `state_label` is the id
    (in a packet: a label) of the state after this turn. A script's course is the engine's to work out: there
    both may be left out, and must agree with it where they are given. `team` is what the team says.
    `refused` are the actions that it took acts for whose words cannot mean them, where these were read.
    """

    action_assessments: tuple[Assessment, ...] = ()
    feedback: tuple[Words, ...] = Field(default=(), max_length=40)
    events: tuple[Words, ...] = Field(default=(), max_length=40)
    team: tuple[Spoken, ...] = Field(default=(), max_length=12)
    actors_present: dict[str, str] = Field(default_factory=dict)
    patient_status: Annotated[str, Field(max_length=4000)] = ""
    progress_index: int | None = Field(default=None, ge=0, le=1000)
    state_label: Annotated[str, Field(max_length=200)] = ""
    should_end: bool = False
    completion_reason: Annotated[str, Field(max_length=1000)] = ""
    refused: tuple[str, ...] | None = Field(default=None, exclude_if=lambda refused: refused is None)


EXAMINEE: Contract[ExamineeView, ExamineeMove] = Contract("examinee", ExamineeView, TypeAdapter(ExamineeMove))

PATIENT_SEAT: Contract[PatientSeatView, PatientSeatReply] = Contract(
    "patient", PatientSeatView, TypeAdapter(PatientSeatReply)
)

CONTROLLER: Contract[ControllerView, ControllerReply] = Contract(
    "controller", ControllerView, TypeAdapter(ControllerReply)
)


def alone(who: str, here: Collection[str], people: Iterable[tuple[str, Role]]) -> bool:
    """Whether a person can be spoken with in private: no one else voiced by the patient's seat is present.
    `people` are (id, role)."""
    return not any(one in here and one != who for one, role in people if role in VOICED_BY_PATIENT)
