"""The state machine of a scenario with explicit states: the effects of acts, ends of state and elapsed time.

Side effects are limited to its own fields, so a turn can be worked out on a copy; it returns the steps to be
told. The clock advances from one due event to the next: a result, a transition, a person coming or leaving.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

from osler.cases.scenarios.model import Action, Person, Scenario, ScriptLine, State, Transition, Trigger
from osler.core.events import Event, Released, Seat
from osler.core.order_events import Resulted, Taken
from osler.core.pictures import Picture
from osler.knowledge.order_names import PICTURES, words
from osler.knowledge.vocabulary import VOICED_BY_PATIENT, FindingKind
from osler.protocols.scenario.events import Assessed, Cue, Happened, Observed, Present, Spoke, StateEntered
from osler.protocols.scenario.seats import Assessment, ExamineeMove
from osler.text.said_rules import heard_in

DONE: Final = "Done."
NOTHING: Final = "Nothing was done: not recognized. Say or type it another way."
AWAITED: Final = "Something is still awaited before this can move on"
NOT_NOW: Final = "This cannot be done now."
NOT_YET: Final = "This has not been done yet."
Why = Literal["opening", "end_of_state", "action", "time"]


class Step(NamedTuple):
    """An event to be told to some seats, at a simulated minute."""

    minute: int
    kind: Callable[..., Event]
    to: tuple[Seat, ...]
    what: dict[str, Any]


class _Due(NamedTuple):
    ready: int
    order: int
    name: str
    item: str
    text: str
    picture: Picture | None
    finding_kind: str


@dataclass(slots=True)
class Course:
    """The current state of a scenario. Call `begin` once, then `turn` for each turn of the examinee.

    `done` maps each completed action to the minute of its first time, and `here` holds the ids of the people
    present. `over` is set when the script ends the scenario. With `tells_kind`, whoever ends a state too
    early is told what kind of thing is still awaited.
    """

    scenario: Scenario
    tells_kind: bool = False
    minute: int = 0
    state: str = ""
    since: int = 0
    progress: int = -1
    over: bool = False
    done: dict[str, int] = field(default_factory=dict)
    here: frozenset[str] = frozenset()
    _waiting: tuple[_Due, ...] = ()
    _orders: int = 0
    _monitored: bool = False
    _moved: bool = False
    _heard: tuple[str, ...] = ()
    _active: bool = False
    _steps: list[Step] = field(default_factory=list)

    def copy(self) -> Course:
        """Return an independent copy, for working out a turn without taking it."""
        return replace(self, done=dict(self.done), _steps=[])

    def begin(self) -> list[Step]:
        """Return the steps of the opening: the people present, and the first state."""
        return self.begin_at(self.scenario.states[0].id)

    def begin_at(self, state: str) -> list[Step]:
        """Return the steps of an opening in any state, as if nothing had happened before."""
        for person in self.scenario.people:
            if person.here:
                self._comes(person, True, "here from the beginning")
        self._enter(self.scenario.states_by_id[state], "opening")
        return self._taken()

    def turn(self, move: ExamineeMove, assessments: Sequence[Assessment]) -> list[Step]:
        """Play a turn: a minute for speech, the acts in their order, at most one change of state.

        Every turn takes at least a minute.
        """
        began, self._moved = self.minute, False
        self._move_on()  # a transition that opened in the turn before, after another was taken
        if move.speak.strip() or not move.actions:
            self._pass(1)
        if move.speak.strip():
            self._heard, self._active = (*self._heard, move.speak), True
            self._move_on()
        for each in assessments:
            self._resolve(each)
        if self.minute == began:
            self._pass(1)
        if move.eos and not self._moved and not self._move_on(eos=True):
            self.over = self.over or self._state.ends == "eos"
            if not self.over:
                self._tell(Happened, "examinee", "controller", text=self._awaited(), source="state")
        return self._taken()

    @property
    def tests(self) -> int:
        """The number of declared tests that have been done."""
        return sum(self.scenario.actions_by_id[each].kind == "test" for each in self.done)

    @property
    def _state(self) -> State:
        return self.scenario.states_by_id[self.state]

    # Acts

    def _resolve(self, said: Assessment) -> None:
        self._orders += 1
        action = self.scenario.actions_by_id.get(said.interpreted_action)
        if action is None or said.status == "unsupported":
            self._assessed(said, "", "unsupported")
            self._report(said.raw, NOTHING, returned=False)
        elif said.status == "pending":
            self._assessed(said, action.id, "pending")
            self._report(said.raw, NOT_YET, returned=False)
        elif not self.allows(action):
            self._assessed(said, action.id, "pending")
            self._report(said.raw, action.refused or NOT_NOW, returned=False)
        else:
            self._do(action, said)

    def allows(self, action: Action) -> bool:
        """Whether an action is possible in this state, its prerequisites being done."""
        there = not action.states or self.state in action.states
        return there and all(need in self.done for need in action.needs)

    def _do(self, action: Action, said: Assessment) -> None:
        self._pass(action.minutes)
        self.done.setdefault(action.id, self.minute)
        self._active = True
        self._assessed(said, action.id, "executed")
        self._triggered(lambda trigger: action.id in trigger.did, "after what was done")
        text = action.by_state.get(self.state, action.result) or ("" if action.monitors else DONE)
        ready, kind = self.minute + action.turnaround, finding_kind_of(action)
        due = _Due(ready, self._orders, said.raw, action.id, text, action.picture, kind)
        if action.turnaround:
            self._waiting = tuple(sorted((*self._waiting, due), key=lambda one: one[:2]))
            what = {"order": due.order, "name": due.name, "ready_minute": ready, "finding_kind": kind}
            self._tell(Taken, "examinee", "controller", **what)
        elif text:
            self._result(due)
        if action.monitors:
            self._monitored = True
            self._observe()
        self._speak(action.lines)
        self._move_on()

    def _assessed(self, said: Assessment, action: str, status: str) -> None:
        # The controller knows its own assessment; it only learns of one that the script overrules.
        to: tuple[Seat, ...] = () if status == said.status else ("controller",)
        self._tell(Assessed, *to, raw=said.raw, action=action, status=status, rationale=said.rationale)

    def _result(self, due: _Due) -> None:
        self._tell(Released, item=due.item, provenance="case", gate="ordered")
        self._report(due.name, due.text, order=due.order, picture=due.picture, finding_kind=due.finding_kind)

    def _report(self, name: str, text: str, *, returned: bool = True, **what: Any) -> None:
        what = {"order": self._orders, **what}
        self._tell(Resulted, "examinee", "controller", name=name, text=text, returned=returned, **what)

    # Time

    def _pass(self, minutes: int) -> None:
        """Advance the clock; whatever falls due on the way happens at its minute."""
        until = self.minute + minutes
        while (at := min(self._due(), default=until + 1)) <= until:
            self.minute = max(self.minute, at)
            self._fall_due()
        self.minute = until

    def _due(self) -> Iterable[int]:
        """The minutes at which something is due, unless something else happens first."""
        yield from (one.ready for one in self._waiting)
        if not self._moved:
            yield from (self.since + (way.after or 0) for way in self._state.transitions if self._timed(way))
        for person in self.scenario.people:
            for trigger in (person.enters, person.leaves):
                if trigger and trigger.after is not None and trigger.after > self.minute:
                    yield trigger.after

    def _timed(self, way: Transition) -> bool:
        return way.after is not None and not way.eos and self._open(way, ever=True)

    def _fall_due(self) -> None:
        ready = [one for one in self._waiting if one.ready <= self.minute]
        self._waiting = self._waiting[len(ready) :]
        for one in ready:
            self._result(one)
        self._triggered(lambda trigger: trigger.after == self.minute, "as time passes")
        self._move_on()

    # States

    def _move_on(self, *, eos: bool = False) -> bool:
        """Take the first open transition, at most one a turn; return whether one was taken."""
        way = next((way for way in self._state.transitions if self._open(way, eos=eos)), None)
        if self._moved or way is None:
            return False
        self._moved = True
        why: Why = "end_of_state" if way.eos else "action" if way.did else "time"
        self._enter(self.scenario.states_by_id[way.to], why)
        return True

    def _open(self, way: Transition, *, eos: bool = False, ever: bool = False) -> bool:
        """Whether a transition is open now; with `ever`, whether time alone will open it."""
        long_enough = ever or way.after is None or self.minute - self.since >= way.after
        done = all(each in self.done for each in way.did) and not any(
            each in self.done for each in way.unless
        )
        rows = all(self._said(wanted) for wanted in way.said)
        ended = not way.eos or (eos and self._ends(way))
        return ended and long_enough and done and rows

    def _awaited(self) -> str:
        """Say of what kind it is that the end of this state waits for, and never what: that is the examinee's
        to find. A way that harm opens is nothing to wait for."""
        if not self.tells_kind:
            return f"{AWAITED}."
        harmful = {action.id for action in self.scenario.actions if action.harmful}
        ways = [way for way in self._state.transitions if harmful.isdisjoint(way.did)]
        kinds = []
        if any(each not in self.done for way in ways for each in way.did):
            kinds.append("something to be done")
        if any(not self._said(words) for way in ways for words in way.said):
            kinds.append("something to be said")
        if self._waiting:
            kinds.append("a result that is under way")
        return f"{AWAITED}: {', or '.join(kinds)}." if kinds else f"{AWAITED}."

    def _said(self, wanted: str) -> bool:
        """Whether words that a transition waits for were said in this state."""
        return any(heard_in(words, wanted) for words in self._heard)

    def _ends(self, way: Transition) -> bool:
        """Whether ending the state may take a transition: it names what has to be done or said for it, or
        else nothing is awaited here, and something was done or said."""
        if way.did or way.said:
            return True
        harmful = {action.id for action in self.scenario.actions if action.harmful}
        awaited = any(other.said or set(other.did) - harmful for other in self._state.transitions)
        return self._active and not awaited

    def _enter(self, state: State, why: Why) -> None:
        self.state, self.since, self.progress = state.id, self.minute, self.progress + 1
        self._heard, self._active = (), False
        self._tell(StateEntered, "controller", state=state.id, progress=self.progress, why=why)
        self._triggered(lambda trigger: state.id in trigger.states, "as things change")
        holds = tuple(knows.id for knows in self.scenario.knows if state.id in knows.states)
        self._tell(Cue, "patient", text=state.cue, holds=holds, silent=state.silent)
        for text in state.events:
            self._tell(Happened, "examinee", "controller", text=text, source="state")
        self._observe()
        self._speak(state.lines)
        self.over = self.over or state.ends == "entry"

    def _observe(self) -> None:
        vitals = self._state.vitals if self._monitored else {}
        self._tell(Observed, "examinee", "controller", status=self._state.status, vitals=vitals)

    # People

    def _triggered(self, met: Callable[[Trigger], bool], evidence: str) -> None:
        for person in self.scenario.people:
            if person.enters and person.id not in self.here and met(person.enters):
                self._comes(person, True, evidence)
            elif person.leaves and person.id in self.here and met(person.leaves):
                self._comes(person, False, evidence)

    def _comes(self, person: Person, here: bool, evidence: str) -> None:
        self.here = self.here | {person.id} if here else self.here - {person.id}
        # The examinee's view already says who is there from the beginning.
        to: tuple[Seat, ...] = ("patient", "controller") if self.progress < 0 else EVERYBODY
        self._tell(Present, *to, who=person.name, role=person.role, here=here, evidence=evidence)

    def _speak(self, lines: Iterable[ScriptLine]) -> None:
        for line in lines:
            person = self.scenario.people_by_id[line.who]
            if person.id in self.here:
                by = "patient" if person.role in VOICED_BY_PATIENT else "controller"
                self._tell(Spoke, *EVERYBODY, by=by, who=person.name, text=line.words)

    # Telling

    def _tell(self, kind: Callable[..., Event], *to: Seat, **what: Any) -> None:
        self._steps.append(Step(self.minute, kind, to, what))

    def _taken(self) -> list[Step]:
        steps, self._steps = self._steps, []
        return steps


EVERYBODY: Final[tuple[Seat, ...]] = ("examinee", "patient", "controller")


def finding_kind_of(action: Action) -> FindingKind | Literal[""]:
    """The kind of finding that an action brings, by its plain wording; empty if it brings none."""
    match action.kind:
        case "examination":
            return "examination"
        case "test":
            return "test" if PICTURES.isdisjoint(words(action.what)) else "image"
    return ""
