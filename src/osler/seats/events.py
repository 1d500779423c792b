"""The events of an episode: what can happen, as small frozen records.

An event is told to some seats (`to`) and kept in the trace by all. Times are simulated minutes since the
encounter began. A reader of old traces needs nothing but this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from osler.seats.pictures import Picture

Seat = Literal[
    "doctor",
    "patient",
    "examination",
    "consultant",
    "describer",
    "tutor",
    "specialist",
    "supervisor",
    "expert",
    "student_1",
    "student_2",
    "student_3",
    "student_4",
    "student_5",
    "student_6",
    "student_7",
    "student_8",
    "student_9",
    "student_10",
    "examinee",
    "controller",
]
Visibility = Literal["student&patient", "teacher&student", "teacher", "teacher_private", "student"]
"""Who may read a line of the ward round; `osler.encounter.visibility` says which seats these are."""
NOT_VALID: Final = "Not a valid move"
"""How the notice of a refused move begins."""


class Frozen(BaseModel):
    """Base of every record that is written down: immutable, and it refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some fields replaced; what was worked out from the old ones is not taken along."""
        copied = super().model_copy(update=update, deep=deep)
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied


def json_of(record: BaseModel, *, defaults: bool = True) -> str:
    """A record as JSON text, with or without what is at its default; `model_dump_json` at half the cost."""
    return record.__pydantic_serializer__.to_json(record, exclude_defaults=not defaults).decode()


class View(Frozen):
    """Base of every view: what a seat knows before the first word."""

    @cached_property
    def text(self) -> str:
        """The view as JSON text; what a request's hash begins with."""
        return self.model_dump_json()


class _Event(Frozen):
    minute: int = Field(ge=0, description="simulated minutes since the encounter began")
    to: tuple[Seat, ...] = ()
    kind: str

    @property
    def line(self) -> str:
        """The event as JSON text, what is at its default left out."""
        return f'{{"kind":"{self.kind}",{json_of(self, defaults=False)[1:]}'


class Placed(_Event):
    """A place exists. Screens draw it; nobody is told."""

    kind: Literal["place"] = "place"
    place: str


class Moved(_Event):
    """Somebody goes to a place."""

    kind: Literal["move"] = "move"
    who: str
    place: str


class VisitBegan(_Event):
    """A visit begins; the first is number 1."""

    kind: Literal["visit"] = "visit"
    visit: int


class TurnBegan(_Event):
    """The doctor's turn, and what is left of each limit (`None`: unlimited)."""

    kind: Literal["turn"] = "turn"
    turn: int
    turns_left: int
    tests_left: int | None = None
    minutes_left: int | None = None
    cost_left: int | None = None
    differential_wanted: bool = False
    last_chance: bool = False


class Said(_Event):
    """Words spoken aloud."""

    kind: Literal["said"] = "said"
    by: Seat
    text: str


class Ordered(_Event):
    """The doctor asks for a test or an examination, in the doctor's own words."""

    kind: Literal["order"] = "order"
    order: int
    name: str


class Taken(_Event):
    """An order was accepted; its result will be ready at `ready_minute`."""

    kind: Literal["taken"] = "taken"
    order: int
    name: str
    ready_minute: int


class Resulted(_Event):
    """A result reaches the doctor, or why there is none (`returned=False`). A `picture` is for eyes."""

    kind: Literal["result"] = "result"
    order: int
    name: str
    returned: bool
    text: str
    picture: Picture | None = None


class Pictured(_Event):
    """A picture is laid before the describer, under the name it was ordered by."""

    kind: Literal["picture"] = "picture"
    order: int
    name: str
    picture: Picture


class ConsultAsked(_Event):
    """The attending's own state, laid before the consultant."""

    kind: Literal["consult"] = "consult"
    question: str
    working_diagnoses: tuple[WorkingDiagnosis, ...] = ()


class Advised(_Event):
    """What the consultant said. The decision stays with the doctor."""

    kind: Literal["advice"] = "advice"
    note: str
    next_question: str | None = None
    recommend_finalize: bool = False
    diagnosis_suggestion: str | None = None


class Recalled(_Event):
    """Cards of a memory laid before the doctor: hints from earlier patients, no facts about this one."""

    kind: Literal["recalled"] = "recalled"
    cards: tuple[Hint, ...]


class Corrected(_Event):
    """Told before a second attempt at a patient: what was concluded first and was wrong, and, where the
    feedback says so, what is right."""

    kind: Literal["corrected"] = "corrected"
    wrong: str = ""
    right: str = ""


How = Literal[
    "step by step", "vote", "conclude", "discuss", "choose", "advise", "approve", "synthesize", "revise"
]


class Reconsidered(_Event):
    """Told to whoever sits inside a composite player, before a conclusion or a move: how to go about it, and
    by whose words (candidates, colleagues' opinions)."""

    kind: Literal["reconsider"] = "reconsider"
    how: How
    texts: tuple[str, ...] = ()


class Leaning(_Event):
    """A bias that a player is to have, for the study of biases: `text` for a model, `target` the diagnosis it
    leans to, and what the built-in doctor does about it (`osler.knowledge.biases.Does`)."""

    kind: Literal["leaning"] = "leaning"
    text: str
    target: str
    leans: float = 0.0
    settles: float | None = None
    doubts: float = 0.0


class Registered(_Event):
    """What the registration form says of the patient beyond age and sex: one trait and its value."""

    kind: Literal["registered"] = "registered"
    trait: str
    value: str
    text: str


class Noticed(_Event):
    """The table speaks to a seat: a limit, a move that was not valid, the last chance."""

    kind: Literal["notice"] = "notice"
    text: str


class Released(_Event):
    """A ledger entry: evidence became available. Nobody is told; judges and screens read it.

    `item` is the case's own id of a fact or finding, or the order's name where the case holds nothing.
    `provenance` is `case`, `policy:normal` or `synthetic`.
    """

    kind: Literal["released"] = "released"
    item: str
    provenance: Literal["case", "policy:normal", "synthetic"] = "case"
    gate: Literal["asked", "volunteered", "ordered"] = "asked"


class RoundBegan(_Event):
    """A teaching round begins; the first is number 1."""

    kind: Literal["round"] = "round"
    round: int
    rounds_left: int


class Line(_Event):
    """One line of the ward round's talk, and who may read it. `speaker` is the name it is spoken under.

    A seat is not told its own line: it has its own reply.
    """

    kind: Literal["line"] = "line"
    part: Literal["statement", "analysis", "draft", "guidance", "question", "query", "explanation"]
    by: Seat
    speaker: str
    visibility: Visibility
    text: str


class Wanted(_Event):
    """What a seat is asked to do now."""

    kind: Literal["wanted"] = "wanted"
    act: Literal["analyse", "guide", "revise", "review", "act", "answer", "exam"]


class Reviewed(_Event):
    """A reviewer's verdict on the tutor's draft. `issue` is the kind of fault, empty where it is approved."""

    kind: Literal["review"] = "review"
    by: Seat
    approved: bool
    issue: str = ""
    feedback: str = ""
    visibility: Visibility = "teacher"


class Unguided(_Event):
    """No draft was approved: the students get no guidance in this round, and this is why."""

    kind: Literal["unguided"] = "unguided"
    reason: str
    visibility: Visibility = "teacher"


class ExamSet(_Event):
    """A student sits an exam alone; nobody else is told of it."""

    kind: Literal["exam"] = "exam"
    when: Literal["before", "after"]
    items: tuple[ExamItem, ...]
    visibility: Visibility = "student"


class Spoke(_Event):
    """Somebody in a scenario says something aloud. `who` is the name they are known by, `by` who voices them.

    A seat is not told its own words, but for those that the script gives to one of its people.
    """

    kind: Literal["spoke"] = "spoke"
    by: Seat
    who: str
    text: str


class Acted(_Event):
    """What the examinee does in a turn, in the examinee's own words; `eos`: all that is due here is done."""

    kind: Literal["acted"] = "acted"
    actions: tuple[str, ...] = ()
    eos: bool = False


class Assessed(_Event):
    """What became of one act: the declared action it was understood as, empty where it is none."""

    kind: Literal["assessed"] = "assessed"
    raw: str
    action: str = ""
    status: Literal["executed", "pending", "unsupported"]
    rationale: str = ""


class Happened(_Event):
    """Something the examinee can perceive: the script's on entering a state, or what the controller adds."""

    kind: Literal["happened"] = "happened"
    text: str
    source: Literal["state", "controller"]


class Observed(_Event):
    """How the patient looks and, where somebody measures, the vital signs by name."""

    kind: Literal["observed"] = "observed"
    status: str
    vitals: dict[str, str] = Field(default_factory=dict)


class StateEntered(_Event):
    """The scenario is in this state from now on; `progress` counts the states entered, from 0."""

    kind: Literal["state"] = "state"
    state: str
    progress: int
    why: Literal["opening", "end_of_state", "action", "time"]


class Present(_Event):
    """Somebody comes or goes. `evidence` says what in the script or in the encounter brings them."""

    kind: Literal["present"] = "present"
    who: str
    role: str
    here: bool
    evidence: str = ""


class Cue(_Event):
    """How the patient's people feel from now on, for whoever plays them. `holds` are the ids of the facts
    that are so at times, and now; `silent` those of the people who cannot speak."""

    kind: Literal["cue"] = "cue"
    text: str = ""
    holds: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()


class Ended(_Event):
    """The encounter is over; `status` is one of `osler.errors.Status`."""

    kind: Literal["ended"] = "ended"
    status: str
    reason: str


class Hint(Frozen):
    """One card as it is shown. `told`, `found` and `diagnosis` are the parts of `text` that a player without
    a model goes by: what earlier patients said, what was found, what it was."""

    text: str
    diagnosis: str = ""
    told: str = ""
    found: str = ""


class WorkingDiagnosis(Frozen):
    """One line of a differential. `confidence` is a probability between 0 and 1, or `None` if not given."""

    name: str = Field(min_length=1, max_length=300)
    confidence: float | None = Field(default=None, ge=0, le=1)


class ExamItem(Frozen):
    """A question of an exam. `options` maps a key such as "A" to its text; without any, words are wanted."""

    id: str
    question: str
    options: dict[str, str] | None = None


Event = Annotated[
    Placed
    | Moved
    | VisitBegan
    | TurnBegan
    | Said
    | Ordered
    | Taken
    | Resulted
    | Pictured
    | ConsultAsked
    | Advised
    | Recalled
    | Corrected
    | Reconsidered
    | Leaning
    | Registered
    | Noticed
    | Released
    | RoundBegan
    | Line
    | Wanted
    | Reviewed
    | Unguided
    | ExamSet
    | Spoke
    | Acted
    | Assessed
    | Happened
    | Observed
    | StateEntered
    | Present
    | Cue
    | Ended,
    Field(discriminator="kind"),
]
EVENTS: TypeAdapter[tuple[Event, ...]] = TypeAdapter(tuple[Event, ...])
