"""The director: a fold over what a view was told, item by item, into a choreography.

Nothing that comes later changes what was directed before, so the choreography of a log that grows is the same
as that of the whole log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from osler.choreography.cues import (
    PLAIN,
    Bear,
    Come,
    Cue,
    Earn,
    Go,
    Handler,
    Open,
    Participant,
    Pass,
    Pin,
    Rest,
    Say,
    Show,
    Spoken,
    Staging,
    State,
    Tell,
    Unpin,
    ViewedEvent,
    Vitals,
)
from osler.choreography.floors import Lane
from osler.choreography.plan import Plan, our_plan
from osler.choreography.reading import LONG_WAIT, reading, span, waiting
from osler.choreography.scene import Bubble, Caption, Card, Choreography, Lock, Monitor, Scene
from osler.choreography.shared import EVENTS, LINES
from osler.choreography.stage import Stage
from osler.text.hostile import safe

OPENING: Final = "0.0"
"""The id of the scene before the first item."""
_SAID, _DOES = "said", "does"
INSIDE: Final = "inside"
"""The kind of a line that a player inside another gave before the seat replied."""
VOTES: Final = "votes"
"""The kind of a line that counts their votes."""
_CAPTIONS: Final[Mapping[str, str]] = {
    "notice": "notice",
    "seen": "seen",
    "happens": "happens",
    "ended": "end",
    "registered": "form",
}
_SHOWN_ELSEWHERE: Final = frozenset({"result", "no result", "turn", "order", "picture", "recalls"})
"""Kinds of lines that take no caption, since a card, a slip or a gauge shows them."""
_ACT_MS: Final = 900


class Director:
    """Makes the choreography of one view of an episode, `key`, from the items it is given in order.

    `known` are the people that the view tells of before the first item; `lane` says which of the plan's rooms
    and slots it has; without one it has the plan for itself, and its rooms are drawn by lot from the key.
    """

    def __init__(
        self,
        key: str,
        view: str,
        staging: Staging = PLAIN,
        plan: Plan | None = None,
        known: Iterable[Participant] = (),
        lane: Lane | None = None,
    ) -> None:
        self._key, self._view, self._staging = key, view, staging
        self._stage = Stage(plan or our_plan(), key, staging, known, lane)
        self._minute = 0
        self._scenes: list[Scene] = []
        self._bubbles: list[Bubble] = []
        self._cards: list[Card] = []
        self._locks: list[Lock] = []
        self._captions: list[Caption] = []
        self._monitors: list[Monitor] = []
        self._who: list[str] = []
        self._what: list[str] = []
        if staging.opening:
            self._scene(ViewedEvent(OPENING, 0, 0), staging.opening)

    def add(self, items: Iterable[ViewedEvent]) -> None:
        """Direct the next items of the log."""
        for item in items:
            handler = self._handler(item)
            cues = list(handler(item, self._state)) if handler else []
            if item.lines and not any(isinstance(cue, Say) for cue in cues):
                cues.append(Say())
            for gate in item.gates:
                cues += (
                    Open(gate.text, gate.shut),
                    Tell(f"a lock {'shuts' if gate.shut else 'opens'}: {gate.text}"),
                )
            if item.event is not None and not item.lines and not any(isinstance(cue, Tell) for cue in cues):
                cues.append(Tell(item.kind))
            if cues:
                self._scene(item, cues)

    def made(self) -> Choreography:
        """The choreography of all that was directed so far."""
        return Choreography(
            self._stage.plan.name,
            self._key,
            self._view,
            self._stage.now,
            dict(self._stage.actors()),
            tuple(self._scenes),
            tuple(self._bubbles),
            tuple(self._cards),
            tuple(self._stage.slips),
            tuple(self._locks),
            tuple(self._captions),
            tuple(self._monitors),
        )

    @property
    def _state(self) -> State:
        return self._stage

    def _handler(self, item: ViewedEvent) -> Handler | None:
        if item.event is not None:
            return self._staging.events.get(item.kind) or EVENTS.get(item.kind)
        kind = item.lines[0].kind if item.lines else ""
        return self._staging.lines.get(kind) or LINES.get(kind)

    def _scene(self, item: ViewedEvent, cues: Iterable[Cue]) -> None:
        stage, given = self._stage, list(cues)
        t0, since = stage.now, self._minute
        self._who, self._what = [], []
        stage.moves.clear()
        if not any(isinstance(cue, Pass) for cue in given):
            given.insert(0, Pass())
        for cue in given:
            self._do(cue, item)
        stage.settle()
        walked = [f"({safe(who)} to {room})" for who, room in stage.moves]
        who = tuple(dict.fromkeys((*self._who, *(one for one, _ in stage.moves))))
        where = stage.title_of(who[0]) if who else stage.room(self._staging.room).title
        what = "\n".join((*self._what, *walked))
        at = (t0, stage.now, since, self._minute)
        self._scenes.append(Scene(item.id, item.n, item.kind or "opening", *at, who, where, what, item.mark))

    def _do(self, cue: Cue, item: ViewedEvent) -> None:
        stage = self._stage
        if isinstance(cue, Go):
            self._go(cue, item)
            return
        if isinstance(cue, Come):
            stage.know(Participant(cue.who, cue.name, cue.role))
            stage.enter(cue.who)
            return
        stage.settle()
        now = stage.now
        match cue:
            case Bear():
                stage.bear(cue.who, cue.strain)
            case Say():
                self._say(item)
            case Pin():
                stage.pin(Pin(cue.order, safe(cue.name), cue.due), item.id, self._minute)
            case Unpin():
                stage.unpin(Unpin(cue.order, safe(cue.name), safe(cue.stamped)))
            case Earn():
                words = (safe(cue.title), safe(cue.text))
                card = Card(now, item.id, self._minute, cue.kind, *words, cue.order, item.picture)
                self._cards.append(card)
                stage.now += reading(cue.text, private=True)
            case Open():
                self._locks.append(Lock(now, item.id, safe(cue.text), cue.shut))
                stage.now += _ACT_MS
            case Show():
                self._caption(item, cue.kind, cue.text, cue.ms)
            case Vitals():
                vitals = {safe(name): safe(value) for name, value in cue.vitals.items()}
                self._monitors.append(Monitor(now, item.id, vitals))
            case Tell():
                self._what.append(safe(cue.text))
            case Pass():
                self._pass(item)
            case Rest():
                stage.now += cue.ms

    def _go(self, cue: Go, item: ViewedEvent) -> None:
        if not self._stage.knows(cue.room):
            self._stage.settle()
            self._caption(item, "sign", cue.room, _ACT_MS)
        if not self._stage.room_of(cue.who):
            self._who.append(cue.who)
        self._stage.go(cue.who, cue.room, cue.slot)

    def _pass(self, item: ViewedEvent) -> None:
        # A log's minutes never go back; one that did would not turn the clock back here.
        minutes = max(0, item.minute - self._minute)
        if minutes >= LONG_WAIT:
            for way in self._staging.waits:
                if self._stage.room_of(way.who) not in ("", "home"):
                    self._stage.go(way.who, way.room, way.slot)
            self._stage.settle()
            self._caption(item, "time", f"{span(minutes)} later", waiting(minutes))
            self._what.append(f"{span(minutes)} later:")
        self._minute += minutes

    def _caption(self, item: ViewedEvent, kind: str, text: str, ms: int) -> None:
        stage, now = self._stage, self._stage.now
        room = stage.room(self._staging.room).name
        self._captions.append(Caption(now, now + ms, item.id, kind, room, safe(text)))  # type: ignore[arg-type]
        stage.now += ms

    def _say(self, item: ViewedEvent) -> None:
        thoughts, inside = list[Spoken](), [line for line in item.lines if line.kind == INSIDE]
        if inside:
            self._thought(item, inside)
        for line in item.lines:
            self._what.append(f"{safe(line.label)}: {safe(line.text)}")
            if line.kind == VOTES:
                self._caption(item, "note", line.text, reading(line.text, private=True))
            elif line.kind == INSIDE:
                continue
            elif line.kind in (_SAID, _DOES) and (line.by or item.seat):
                self._bubble(item, line, line.by or item.seat)
            elif item.seat:
                thoughts.append(line)
            elif line.by:
                self._bubble(item, line, line.by)
            elif line.kind not in _SHOWN_ELSEWHERE:
                kind = _CAPTIONS.get(line.kind, "note")
                self._caption(item, kind, line.text, reading(line.text, private=True))
        if thoughts:
            self._thought(item, thoughts)

    def _thought(self, item: ViewedEvent, lines: Sequence[Spoken]) -> None:
        text = "\n".join(f"{line.label}: {line.text}" for line in lines)
        is_public = any(line.public for line in lines)
        self._bubble(item, Spoken(item.seat, "thought", text, item.seat, is_public), item.seat)

    def _bubble(self, item: ViewedEvent, line: Spoken, by: str) -> None:
        stage = self._stage
        who = self._speaker(line, by)
        stage.enter(who)
        if line.speaker not in (by, line.kind, who) and line.kind == _SAID:
            stage.know(Participant(who, line.speaker))
        is_open = line.kind == _SAID and line.public
        if is_open and who not in self._staging.apart and stage.room_of(who) != stage.part(who).room:
            stage.take_place(who)
        stage.settle()
        now, kind = stage.now, line.kind if line.kind in (_SAID, _DOES) else "thought"
        length = _ACT_MS if kind == _DOES else reading(line.text, private=kind == "thought")
        words = (safe(line.text), safe(line.to), not line.public)
        self._bubbles.append(Bubble(now, now + length, item.id, who, kind, *words))  # type: ignore[arg-type]
        self._who.append(who)
        stage.now += length

    def _speaker(self, line: Spoken, by: str) -> str:
        """The actor of a line: a seat, or one of the people that a seat speaks for."""
        if by not in self._staging.voices or line.kind != _SAID or line.speaker == by:
            return by
        return self._stage.named(line.speaker)


def direct(
    items: Iterable[ViewedEvent],
    key: str,
    view: str,
    staging: Staging = PLAIN,
    plan: Plan | None = None,
    known: Iterable[Participant] = (),
    lane: Lane | None = None,
) -> Choreography:
    """Make the choreography of a log, as one view of the episode `key` has it."""
    director = Director(key, view, staging, plan, known, lane)
    director.add(items)
    return director.made()
