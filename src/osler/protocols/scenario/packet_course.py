"""The course of a scenario given only as a packet of prose: the controller narrates it, the engine counts.

A packet declares no durations, so speech takes a minute and so does each act that is done. The controller's
claims about the course have been checked before (`rules.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from osler.core.events import Event, Seat
from osler.knowledge.vocabulary import PATIENT_ID
from osler.protocols.scenario.course import EVERYBODY, Step
from osler.protocols.scenario.events import Assessed, Happened, Observed, Present, StateEntered
from osler.protocols.scenario.seats import ControllerReply, ExamineeMove

ACT_MINUTES: Final = 1


@dataclass(slots=True)
class PacketCourse:
    """The current state of such a scenario. `here` maps each person present to the seat that voices them."""

    minute: int = 0
    label: str = ""
    progress: int = 0
    status: str = ""
    over: bool = False
    here: dict[str, Seat] = field(default_factory=lambda: {PATIENT_ID: "patient"})

    def begin(self) -> list[Step]:
        """Return the steps of the opening; the materials tell the rest."""
        return [
            Step(0, StateEntered, (), {"state": "", "progress": 0, "why": "opening"}),
            Step(0, Present, ("patient", "controller"), _present(PATIENT_ID, "patient", True)),
        ]

    def turn(self, move: ExamineeMove, reply: ControllerReply) -> list[Step]:
        """Play a turn as the controller narrates it. Every turn takes at least a minute."""
        began, steps = self.minute, list[Step]()
        self.minute += bool(move.speak.strip())
        for said in reply.action_assessments:
            self.minute += ACT_MINUTES * (said.status == "executed")
            what = {"raw": said.raw, "action": said.interpreted_action, "status": said.status}
            steps.append(self._step(Assessed, rationale=said.rationale, **what))
        self.minute = max(self.minute, began + 1)
        steps += [
            self._step(Happened, "examinee", text=text, source="controller")
            for text in (*reply.feedback, *reply.events)
        ]
        if reply.progress_index is not None and reply.progress_index != self.progress:
            self.progress = reply.progress_index
            entered = {"state": reply.state_label, "progress": self.progress, "why": "end_of_state"}
            steps.append(self._step(StateEntered, **entered))
        self.label = reply.state_label or self.label
        if reply.patient_status not in ("", self.status):
            self.status = reply.patient_status
            steps.append(self._step(Observed, "examinee", status=self.status))
        self.over = reply.should_end
        return steps

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

    def _step(self, kind: type[Event], *to: Seat, **what: Any) -> Step:
        return Step(self.minute, kind, to, what)


def _present(who: str, role: str, here: bool) -> dict[str, Any]:
    return {"who": who, "role": role, "here": here}
