"""What the server and the browser say to each other about the shelf, sittings and debriefs."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from osler.core.permitted import Use
from osler.web.schemas import BrowserModel, LogItem, Problem, ServerModel

Status = Literal["starting", "yours", "thinking", "paused", "ended"]
"""`starting`: being set up; `yours`: a question waits for this seat; `thinking`: another seat is asked;
`paused`: something outside failed, or the teacher stopped it (`pause` says which); `ended`."""


class ShelfCase(ServerModel):
    """A case as a learner may see it before playing: nothing on it gives the diagnosis away.

    `id` is opaque. `seats` are the seats a person may take. `in_progress` is this visitor's own unfinished
    sitting with it.
    """

    id: str
    protocol: str
    title: str
    complaint: str
    system: str
    level: str
    minutes: int
    skills: list[str]
    seats: list[str]
    distressing: bool
    in_progress: str | None = None


class Shelf(ServerModel):
    """All cases that may be practised, and the seats and words of each protocol."""

    cases: list[ShelfCase]
    going_on: list[SittingLine]
    ended: list[SittingLine] = Field(default_factory=list, description="the newest first")


class SittingLine(ServerModel):
    """One sitting in a list: this visitor's, or a room's learner's."""

    id: str
    title: str
    protocol: str
    seat: str
    status: Status
    turn: int


class Orderable(ServerModel):
    """Something that can be ordered by name: an examination, a laboratory test or an image. `also` are its
    other names, `within` the names of panels it is part of; `common` ones are offered before anything is
    written."""

    name: str
    kind: str
    also: list[str] = Field(default_factory=list)
    within: list[str] = Field(default_factory=list)
    common: bool = False


class SitDown(BrowserModel):
    """Take a seat in a new encounter. `case` is an opaque id of the shelf, or a library case's id.

    `players` names other players by seat ("baseline", "model:NAME"); `persona` is the patient's.
    """

    protocol: str = "consultation"
    case: str
    seat: str = ""
    persona: str = "plain"
    players: dict[str, str] = Field(default_factory=dict, max_length=20)
    uses: list[Use] = Field(default_factory=list)
    until: str = Field(default="", description="when `share` ends, YYYY-MM-DD", max_length=10)
    pseudonym: str = Field(default="", max_length=60)


class Permit(BrowserModel):
    """Permit uses of one's words in a sitting, in place of those permitted before; practice is always one."""

    uses: list[Use]
    until: str = Field(default="", description="when `share` ends, YYYY-MM-DD", max_length=10)


class SatDown(ServerModel):
    """A new sitting. `code` resumes it on another device."""

    id: str
    turn: int
    code: str


class ResumeByCode(BrowserModel):
    """Take over a sitting on this device by its code."""

    code: str = Field(max_length=40)


class RemainingLimits(ServerModel):
    """The remainder of each limit; `None` is unlimited."""

    turns: int | None = None
    tests: int | None = None
    minutes: int | None = None
    cost: int | None = None
    last_chance: bool = False


class WantedAct(ServerModel):
    """The act this seat is asked for, in the protocol's word ("doctor", "analyse", "guide", "exam"), and the
    JSON schema of the reply."""

    act: str
    reply: dict[str, Any]
    differential: bool = False


class Disclosure(ServerModel):
    """The disclosure that a learner reads before the first word: who plays each other seat, who marks, and
    which hosts, if any, receive the words."""

    plays: dict[str, str]
    marks: str
    hosts: list[str]
    uses: list[Use]
    consent: str = ""


class Clock(ServerModel):
    """A station clock in wall time, only where a teacher wants one. Times are seconds since 1970 (UTC)."""

    reading_ends: float
    bell: float
    ends: float
    now: float


class SittingState(ServerModel):
    """The whole state of a sitting, as its seat may know it. `ticket` names the open question; `notice` says
    why the last reply was refused. `view` is what the seat knew before the encounter began."""

    id: str
    code: str
    protocol: str
    seat: str
    title: str
    status: Status
    turn: int
    ticket: str | None
    notice: str
    wanted: WantedAct | None
    view: dict[str, Any]
    feed: list[LogItem]
    left: RemainingLimits
    thinking: list[str] = Field(description="the seats that are asked now, if others think")
    clock: Clock | None
    pause: Problem | None
    disclosure: Disclosure
    distressing: bool
    room: str | None
    door: str = Field(default="", description="the code of its room, which leads back to the room's cases")
    changed: str = Field(default="", description="what the teacher changed since it began, in words")
    ending: str = Field(default="", description="how it ended, in words")
    withheld: str = Field(default="", description="why its debrief cannot be read yet, in words")
    unread: list[str] = Field(
        default_factory=list, description="ids of results whose report waits for this person's own reading"
    )
    readings: dict[str, str] = Field(
        default_factory=dict, description="this person's own readings of pictures, by log item"
    )


class Move(BrowserModel):
    """A reply to the question named by `ticket`: the seat's own reply, such as
    `{"action": "ASK", "question": ".."}`."""

    ticket: str = Field(max_length=20)
    move: dict[str, Any]


class Accepted(ServerModel):
    """The reply was taken."""

    ticket: str


class Concern(ServerModel):
    """Something to confirm before a reply is sent.

    `order`: the words sound like an order, `instead` is the reply that places it. `distress`: the words may
    be about the person, not the case. `early`: the patient should not tell this fact yet. `contradicts`: the
    case has it otherwise. `wait`: nothing is due, so waiting ends the visit. `conclude`: it is final.
    """

    kind: Literal["order", "distress", "early", "contradicts", "wait", "conclude"]
    text: str
    instead: dict[str, Any] | None = None
    blocks: bool = False


class Reading(BrowserModel):
    """A learner's own reading of a trace or an image, before its report is shown."""

    item: str = Field(max_length=20)
    words: str = Field(min_length=1, max_length=4000)


class Moment(ServerModel):
    """A moment of the debrief: the words, what they did, and the log item to jump to."""

    turn: int
    quote: str
    effect: str
    at: str | None


class Contested(ServerModel):
    """ "I did that": the learner's words, and the teacher's answer ("" while it waits) with who gave it."""

    item: str
    text: str
    words: str
    answer: str = ""
    comment: str = ""
    by: str = ""


class Entry(ServerModel):
    """One entry of a debrief. `item` can be contested; `at` is the log item that it quotes, and `again` the
    number of exchanges to keep to try it again from here."""

    text: str
    item: str | None = None
    at: str | None = None
    again: int | None = None
    contested: Contested | None = None


class Section(ServerModel):
    """A heading of the debrief with its entries. `kind` chooses the look: what went well, what was missed."""

    heading: str
    kind: Literal["score", "good", "missed", "unsafe", "talk", "lesson", "other"]
    entries: list[Entry]


class Again(ServerModel):
    """A point to begin again from: how many exchanges are kept, and the words there."""

    keep: int
    label: str


class Debriefing(ServerModel):
    """The debrief of an ended sitting. `use` says what the marks may be used for; `examiner` who marked."""

    sentence: str
    use: str
    examiner: str
    outcome: str
    scores: dict[str, Any]
    moments: list[Moment]
    next_time: list[str]
    sections: list[Section]
    again: list[Again]
    log: list[LogItem]
    readings: dict[str, str] = Field(description="the learner's own readings of pictures, by log item")
    help: list[str] = Field(default_factory=list, description="where to find help, after a distressing case")


class Contest(BrowserModel):
    """Say that a thing marked as missed was done, in the learner's own words."""

    item: str = Field(max_length=200)
    words: str = Field(min_length=1, max_length=600)


class FromHere(BrowserModel):
    """Sit down again in the same encounter, keeping its first `keep` exchanges."""

    keep: int = Field(ge=0)


Shelf.model_rebuild()
