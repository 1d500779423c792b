"""A standardized-patient scenario: people, states and transitions, the effects of actions, a rubric.

Frozen and content-hashed like a case. Either its course is explicit (`states`), so that rules decide what
happens, or it is a packet of prose for each role (`packet`), which only model seats can play. Minutes are
simulated. Rules for speech (`said`) are those of `osler.text.said_rules`; the names of acts (`terms`) are
written in the plain part of the same language (`osler.text.act_rules`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from hashlib import blake2b
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from osler.cases.model import Sex, Source
from osler.cases.reviews import Review
from osler.cases.rubrics.model import Competency, Rubric, Traits, items_of
from osler.cases.shelf import Shelf
from osler.core.events import Frozen
from osler.core.pictures import Picture
from osler.knowledge.vocabulary import PATIENT_ID, PersonId, Role, Told, Topic
from osler.text.act_rules import rule
from osler.text.said_rules import said_rule

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
RuleInWords = Annotated[str, AfterValidator(lambda text: rule(text).text)]
RuleForSpeech = Annotated[str, AfterValidator(lambda text: said_rule(text).text)]


class Evidence(Frozen):
    """One way of showing an item. All the conditions it names must hold.

    `did`: all these actions were done; `before`: each of them before this one was (or without it); `within`:
    minutes from the beginning, or from entering the state `since`. `said`: rules for the parts of what is to
    be said, all met by what the examinee said or wrote as an act, each in any turn (`in_state`: while in one
    of these states), or all in one turn (`together`). `not_did`: none of these was ever done.
    """

    did: tuple[Id, ...] = ()
    before: Id | None = None
    within: int | None = Field(default=None, ge=0)
    since: Id | None = None
    said: tuple[RuleForSpeech, ...] = ()
    together: bool = False
    in_state: tuple[Id, ...] = ()
    not_did: tuple[Id, ...] = ()

    @model_validator(mode="after")
    def _shows_something(self) -> Self:
        if not (self.did or self.said):
            raise ValueError("evidence needs did or said: what was left undone shows nothing")
        return self


class RubricLine(Frozen):
    """An item of the rubric, with the evidence for a built-in judge and a model answer that shows it.

    `shown_by`: any one suffices. `say` and `do` are what a perfect examinee says and does for it in the state
    `when`; `do` are ids of actions. `by_ear`: a matter of empathy, rapport or tone, which rules may find said
    and never find lacking; it may have no evidence at all, and is then left to a person.
    """

    competency: Competency
    text: str
    traits: Traits = Traits()
    shown_by: tuple[Evidence, ...] = ()
    when: Id | None = None
    say: str = ""
    do: tuple[Id, ...] = ()
    by_ear: bool = False

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        if not (self.shown_by or self.by_ear):
            raise ValueError("an item needs shown_by, or by_ear: true if a person is to judge it")
        return self


SCHEMA_VERSION: Final = 1
RUBRIC_VERSION: Final = "v1"
Urgency = Literal["emergency", "urgent", "routine"]
Vitals = dict[str, str]
"""Vital signs by name, with units: {"heart rate": "118/min", "blood pressure": "84/50 mmHg"}."""


class Trigger(Frozen):
    """The condition for a person to come or go: entering a state, an action done, or minutes passed.

    Minutes count from the beginning. Any one that is given suffices.
    """

    states: tuple[Id, ...] = ()
    did: tuple[Id, ...] = ()
    after: int | None = Field(default=None, ge=1)


class Person(Frozen):
    """A person in the scenario. The patient's id is `patient`.

    `about` is known to all; `speaks` is false for a patient who cannot (a baby, the unconscious).
    """

    id: PersonId
    name: str
    role: Role
    about: str = ""
    speaks: bool = True
    here: bool = True
    enters: Trigger | None = None
    leaves: Trigger | None = None


class Knows(Frozen):
    """A fact that a person can tell, like a case's fact. With `states`, it holds only in those."""

    id: Id
    who: PersonId = PATIENT_ID
    topic: Topic
    text: str
    spoken: str | None = None
    told: Told = "asked"
    absent: bool = False
    states: tuple[Id, ...] = ()


class ScriptLine(Frozen):
    """A scripted line for a person."""

    who: PersonId
    words: str


class Transition(Frozen):
    """A transition to another state, open when all its conditions hold.

    `eos`: the examinee ends the state; one that names nothing done or said is taken only where no other
    transition of the state waits for that, and something was done or said. `did`: all these actions have been
    done. `after`: this many minutes have passed in this state. `unless`: closed once any of these has been
    done. `said`: each of these rules was met by what the examinee said in this state.
    """

    to: Id
    eos: bool = False
    did: tuple[Id, ...] = ()
    said: tuple[RuleForSpeech, ...] = Field(default=(), exclude_if=lambda said: not said)
    after: int | None = Field(default=None, ge=1)
    unless: tuple[Id, ...] = ()

    @model_validator(mode="after")
    def _waits_for_something(self) -> Self:
        if not (self.eos or self.did or self.after or self.said):
            raise ValueError("a transition needs eos, did, said or after")
        return self


class State(Frozen):
    """A state. `label` is for educators and the controller; `status` is the patient's visible condition.

    `events` happen on entering it, `lines` are then said, `cue` tells the patient's player how they feel, and
    `silent` are those who cannot speak. The first open transition of `transitions` is taken as soon as it is
    open, one a turn. `ends`: `no`; `eos`, the examinee's `eos` ends the encounter here where no transition
    takes it; `entry`, it ends with the turn in which this state is reached.
    """

    id: Id
    label: str
    status: str
    vitals: Vitals = Field(default_factory=dict)
    events: tuple[str, ...] = ()
    lines: tuple[ScriptLine, ...] = ()
    cue: str = ""
    silent: tuple[PersonId, ...] = ()
    ends: Literal["no", "eos", "entry"] = "no"
    transitions: tuple[Transition, ...] = ()


class Action(Frozen):
    """An action that the script answers. `what` is a plain wording of it, and `says` are other sentences that
    order it; or else `terms` are rules for its names, and must recognize `what`.

    `result` is told when it is done (in a state of `by_state`, that text instead), after `minutes` of work
    plus `turnaround` minutes of waiting. `needs`: actions that must be done before, else `refused` is told
    and it is not done. `states`: it can be done only in these, elsewhere `refused`. `monitors`: from then on
    the vital signs are visible. `lines` are said when it is done. `harmful`: doing it harms this patient.
    `said`: speech that is itself the act, in whatever mood ("would you wait outside?"). `unclear`: an order
    that leaves out what is needed; when it is said aloud, it is read back and nothing is done. `exact`: an
    order must state the dose and the route of `what`, in any words; another or none is read back, not done.
    """

    id: Id
    what: str
    terms: tuple[RuleInWords, ...] = ()
    says: tuple[str, ...] = Field(default=(), exclude_if=lambda says: not says)
    kind: Literal["examination", "test", "treatment", "communication", "safety", "call"]
    minutes: int = Field(default=1, ge=0)
    turnaround: int = Field(default=0, ge=0)
    result: str = ""
    by_state: dict[Id, str] = Field(default_factory=dict)
    picture: Picture | None = None
    needs: tuple[Id, ...] = ()
    states: tuple[Id, ...] = ()
    refused: str = ""
    monitors: bool = False
    lines: tuple[ScriptLine, ...] = ()
    harmful: bool = False
    said: tuple[RuleForSpeech, ...] = Field(default=(), exclude_if=lambda said: not said)
    unclear: bool = Field(default=False, exclude_if=lambda unclear: not unclear)
    exact: bool = Field(default=False, exclude_if=lambda exact: not exact)

    @model_validator(mode="after")
    def _is_recognized_in_one_way(self) -> Self:
        if self.terms and self.says:
            raise ValueError("an action is recognized by its terms or by what it says, not by both")
        return self


PacketRole = Literal["examinee", "sp_actor", "environment_controller", "evaluator"]


class PacketFile(Frozen):
    """The character range in a role's prose that came from one of its files, kept for writing it back."""

    role: PacketRole
    name: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Packet(Frozen):
    """A packet of prose: the text for each role, as Markdown; `evaluator` is for judges alone.

    The names of its `files` are shown to no one: they may give away the answer.
    """

    examinee: str
    sp_actor: str
    environment_controller: str
    evaluator: str
    files: tuple[PacketFile, ...] = ()


class ScenarioProvenance(Frozen):
    """The provenance of a scenario."""

    origin: str
    author: str | None = None
    licence: str | None = None
    written: str | None = None
    sources: tuple[Source, ...] = ()
    reviewed_by: str | None = None
    reviews: tuple[Review, ...] = Field(default=(), exclude_if=lambda reviews: not reviews)
    content_warnings: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class Scenario(Frozen):
    """One scenario. `case_id`, `scenario`, `title` and every id and label are never shown to the examinee.

    `shelf` is its learner-safe label.

    `case_id` names the source case: scenarios and rubrics of one case are one cluster. `instructions` tell
    the examinee their role and task, `opening` what is seen and heard at the door. `body_part` is the part of
    the body that is ill or hurt, for counts.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    case_id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    scenario: str = Field(default="scenario1", pattern=r"^[A-Za-z0-9][A-Za-z0-9._ -]{0,99}$")
    title: str | None = None
    specialty: str | None = None
    urgency: Urgency | None = None
    case_shape: str | None = None
    setting: str = ""
    age_years: float | None = Field(default=None, ge=0, le=130)
    sex: Sex | None = None
    body_part: str | None = Field(default=None, exclude_if=lambda part: part is None)
    instructions: str
    opening: str = ""
    max_turns: int = Field(default=12, ge=1, le=100)
    people: tuple[Person, ...] = ()
    knows: tuple[Knows, ...] = ()
    states: tuple[State, ...] = ()
    actions: tuple[Action, ...] = ()
    rubric: tuple[RubricLine, ...] = ()
    frozen_rubric: Rubric | None = None
    packet: Packet | None = None
    debrief: tuple[str, ...] = ()
    shelf: Shelf | None = Field(default=None, exclude_if=lambda shelf: shelf is None)
    provenance: ScenarioProvenance

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if bool(self.states) == (self.packet is not None):
            raise ValueError("a scenario has either states or a packet")
        if self.rubric and self.frozen_rubric:
            raise ValueError("a scenario has its own rubric or an imported one, not both")
        for what, result in (
            ("people", [person.id for person in self.people]),
            ("people, names", [person.name for person in self.people]),
            ("states", [state.id for state in self.states]),
            ("actions", [action.id for action in self.actions]),
            ("knows", [known.id for known in self.knows]),
        ):
            if doubled := sorted(i for i, times in Counter(result).items() if times > 1):
                raise ValueError(f"{what}: used twice: {', '.join(doubled)}")
        for what, named, known in self._references():
            if strange := sorted(set(named) - known):
                raise ValueError(f"{what}: there is no {', '.join(strange)}")
        return self

    def _references(self) -> Iterable[tuple[str, Iterable[str], set[str]]]:
        people = {person.id for person in self.people}
        states = {state.id for state in self.states}
        actions = {action.id for action in self.actions}
        for person in self.people:
            for trigger in (person.enters, person.leaves):
                if trigger:
                    yield f"people {person.id}: states", trigger.states, states
                    yield f"people {person.id}: did", trigger.did, actions
        for knows in self.knows:
            yield f"knows {knows.id}: who", (knows.who,), people
            yield f"knows {knows.id}: states", knows.states, states
        for state in self.states:
            where = f"states {state.id}"
            yield f"{where}: lines, silent", (*(line.who for line in state.lines), *state.silent), people
            for way in state.transitions:
                yield f"{where}: to", (way.to,), states
                yield f"{where}: did, unless", (*way.did, *way.unless), actions
        for action in self.actions:
            where = f"actions {action.id}"
            yield f"{where}: needs", action.needs, actions
            yield f"{where}: states", (*action.states, *action.by_state), states
            yield f"{where}: lines", (line.who for line in action.lines), people
        for number, item in enumerate(self.rubric, start=1):
            where = f"rubric {number}"
            yield f"{where}: when", (item.when,) if item.when else (), states
            yield f"{where}: do", item.do, actions
            for evidence in item.shown_by:
                before = (evidence.before,) if evidence.before else ()
                yield f"{where}: did, before, not_did", (*evidence.did, *before, *evidence.not_did), actions
                since = (evidence.since,) if evidence.since else ()
                yield f"{where}: since, in_state", (*since, *evidence.in_state), states

    @property
    def id(self) -> str:
        """The id `case/scenario`, as used by subsets and rubrics."""
        return f"{self.case_id}/{self.scenario}"

    @cached_property
    def content_hash(self) -> str:
        """32 hex digits over everything the scenario says (blake2b of its canonical JSON)."""
        return blake2b(self.model_dump_json().encode(), digest_size=16).hexdigest()

    @cached_property
    def items(self) -> Rubric | None:
        """The frozen rubric that judges the scenario: its own lines as a rubric, or the imported one."""
        if not self.rubric:
            return self.frozen_rubric
        items = items_of((line.competency, line.text) for line in self.rubric)
        rubric_items = [
            item.model_copy(update={"traits": line.traits})
            for item, line in zip(items, self.rubric, strict=True)
        ]
        return Rubric(
            case_id=self.case_id,
            scenario=self.scenario,
            version=RUBRIC_VERSION,
            items=tuple(rubric_items),
            layout=(),
        )

    @cached_property
    def states_by_id(self) -> dict[str, State]:
        """The states by their ids, the initial one first."""
        return {state.id: state for state in self.states}

    @cached_property
    def actions_by_id(self) -> dict[str, Action]:
        """The declared actions by their ids."""
        return {action.id: action for action in self.actions}

    @cached_property
    def people_by_id(self) -> dict[str, Person]:
        """The people by their ids."""
        return {person.id: person for person in self.people}
