"""The course of a scenario given only as a packet of prose: the controller narrates it, the engine counts.

A packet declares no durations, so speech takes a minute and so does each act that is done. The controller's
claims about the course have been checked before (`rules.py`). The actor is handed what anybody in the room
would notice of it (`portrayal.py`), so that a scripted collapse is played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from osler.core.events import Event, Seat
from osler.knowledge.vocabulary import PATIENT_ID
from osler.protocols.scenario.course import EVERYBODY, Step
from osler.protocols.scenario.events import Assessed, Cue, Happened, Observed, Present, StateEntered
from osler.protocols.scenario.portrayal import SPEECHLESS, portrayed, sentences, silent_now
from osler.protocols.scenario.seats import ControllerReply, ExamineeMove

ACT_MINUTES: Final = 1
_TELLING: Final = 3
"""The minimum number of words of a result that is recognized in other texts; shorter ones recur by chance."""


@dataclass(slots=True)
class PacketCourse:
    """The current state of such a scenario. `here` maps each person present to the seat that voices them.

    `secret` are texts that no actor may be handed, such as the rubric's items. `silent`: the patient cannot
    speak now.
    """

    secret: tuple[str, ...] = ()
    minute: int = 0
    label: str = ""
    progress: int = 0
    status: str = ""
    silent: bool = False
    over: bool = False
    here: dict[str, Seat] = field(default_factory=lambda: {PATIENT_ID: "patient"})

    def begin(self) -> list[Step]:
        """Return the steps of the opening; the materials tell the rest."""
        return [
            Step(0, StateEntered, (), {"state": "", "progress": 0, "why": "opening"}),
            Step(0, Present, EVERYBODY, _present(PATIENT_ID, "patient", True)),
        ]

    def opening(self, reply: ControllerReply) -> list[Step]:
        """Return the steps of the opening as the controller narrates it; it takes no time."""
        self.label = reply.state_label
        return [*self._happened(reply), *self._looks(reply)]

    def turn(self, move: ExamineeMove, reply: ControllerReply) -> list[Step]:
        """Play a turn as the controller narrates it. Every turn takes at least a minute."""
        began, steps = self.minute, list[Step]()
        self.minute += bool(move.speak.strip())
        for said in reply.action_assessments:
            self.minute += ACT_MINUTES * (said.status == "executed")
            what = {"raw": said.raw, "action": said.interpreted_action, "status": said.status}
            steps.append(self._step(Assessed, rationale=said.rationale, **what))
        self.minute = max(self.minute, began + 1)
        steps += self._happened(reply)
        if reply.progress_index is not None and reply.progress_index != self.progress:
            self.progress = reply.progress_index
            entered = {"state": reply.state_label, "progress": self.progress, "why": "end_of_state"}
            steps.append(self._step(StateEntered, **entered))
        looks = self._looks(reply)
        self.label = reply.state_label or self.label
        self.over = reply.should_end
        return [*steps, *looks]

    def seen(self, seat: Seat, actors: Mapping[str, str], role: str) -> list[Step]:
        """Update who is present among the people a seat voices: those it lists, or no change if it lists no
        one."""
        if not actors:
            return []
        steps = []
        for who in (*actors, *(one for one, by in self.here.items() if by == seat)):
            here = who in actors
            if here != (who in self.here):
                steps.append(self._step(Present, *EVERYBODY, **_present(who, role, here)))
        others = {who: by for who, by in self.here.items() if by != seat}
        self.here = {**others, **dict.fromkeys(actors, seat)}
        return steps

    def _happened(self, reply: ControllerReply) -> Iterator[Step]:
        for text in (*reply.feedback, *reply.events):
            yield self._step(Happened, "examinee", text=text, source="controller")

    def _looks(self, reply: ControllerReply) -> list[Step]:
        """Return how the patient looks now, to the examinee, and how it is, to the actor."""
        changed = reply.patient_status if reply.patient_status != self.status else ""
        steps = []
        if changed:
            self.status = changed
            steps.append(self._step(Observed, "examinee", status=self.status))
        before, self.silent = self.silent, silent_now(self.silent, changed, reply.events)
        words = portrayed((changed, *reply.events), self._kept_back(reply))
        if self.silent and (words or not before):
            words = f"{words} {SPEECHLESS}".strip()
        if words or self.silent != before:
            silent = (PATIENT_ID,) if self.silent else ()
            steps.append(self._step(Cue, "patient", text=words, silent=silent))
        return steps

    def _kept_back(self, reply: ControllerReply) -> Iterator[str]:
        """Yield the texts to keep from the actor: labels, acts and their readings, results, the rubric."""
        yield from (self.label, reply.state_label, reply.completion_reason, *self.secret)
        for said in reply.action_assessments:
            yield from (said.raw, said.interpreted_action, said.rationale)
        for text in reply.feedback:
            yield from (one for one in sentences(text) if len(one.split()) >= _TELLING)

    def _step(self, kind: type[Event], *to: Seat, **what: Any) -> Step:
        return Step(self.minute, kind, to, what)


def _present(who: str, role: str, here: bool) -> dict[str, Any]:
    return {"who": who, "role": role, "here": here}
