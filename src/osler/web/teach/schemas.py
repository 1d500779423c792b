"""What the server and the browser say to each other about rooms: a teacher's side, and a learner's."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from osler.core.permitted import Use
from osler.web.practise.schemas import Clock, Disclosure, Status
from osler.web.schemas import BrowserModel, LogItem, Problem, ServerModel
from osler.web.teach.group_schemas import GroupPlan, GroupState, Together

Sees = Literal["live", "after", "results"]
"""What a teacher may see of those who permit it: the words as they fall, the words once the encounter has
ended, or results alone."""


class StationClock(BrowserModel):
    """A station clock, in wall time: reading time, minutes, and the bell before the end."""

    reading_s: int = Field(default=60, ge=0, le=1800)
    minutes: int = Field(default=8, ge=1, le=240)
    bell_s: int = Field(default=120, ge=0, le=3600)


class RoomCase(BrowserModel):
    """A case of a room: an opaque id of the shelf, or a library case's id. `seat` is the learner's; empty,
    it is the one that learners usually take."""

    protocol: str = Field(default="consultation", max_length=60)
    case: str = Field(min_length=1, max_length=200)
    seat: str = Field(default="", max_length=60)


class Ceiling(BrowserModel):
    """The most that a room's models may use; a limit that is left out does not apply."""

    tokens: int | None = Field(default=None, ge=1)
    money: float | None = Field(default=None, gt=0)


class RoomPlan(BrowserModel):
    """The plan of a room. `players` names players by seat ("baseline", "model:NAME"), those left out are
    built in; `marks` are "rules", "person" and "model:NAME"; `asks` are the uses that learners are asked
    for."""

    name: str = Field(min_length=1, max_length=80)
    cases: list[RoomCase] = Field(min_length=1, max_length=40)
    players: dict[str, str] = Field(default_factory=dict, max_length=20)
    persona: str = Field(default="plain", max_length=60)
    marks: list[str] = Field(default_factory=lambda: ["rules"], min_length=1, max_length=4)
    clock: StationClock | None = None
    asks: list[Use] = Field(default_factory=lambda: list[Use](("practice", "teacher")))
    share_until: float | None = Field(default=None, description="the last instant of the use `share`")
    consent: str = Field(default="", max_length=4000)
    sees: Sees = "live"
    held_back: bool = Field(default=False, description="whether debriefs wait for their release")
    ceiling: Ceiling = Ceiling()
    group: GroupPlan | None = None


class NewRoom(RoomPlan):
    """Open a room. It closes by itself after `hours`."""

    hours: float = Field(default=24, gt=0, le=24 * 90)


class RoomChange(BrowserModel):
    """Change a room: only what is given."""

    name: str | None = Field(default=None, min_length=1, max_length=80)
    open: bool | None = None
    hours: float | None = Field(default=None, gt=0, le=24 * 90, description="from now on")
    sees: Literal["after", "results"] | None = Field(
        default=None, description="less than before; nobody agreed to more"
    )
    held_back: bool | None = Field(default=None, description="false releases the debriefs")
    ceiling: Ceiling | None = None


class TryModel(BrowserModel):
    """Let a model take one real turn in a seat."""

    model: str = Field(pattern=r"^model:[^+\s]+$", max_length=120)
    protocol: str = Field(default="consultation", max_length=60)
    seat: str = Field(default="patient", max_length=60)


class Trial(ServerModel):
    """One real turn of a model: what it said, or what is wrong and what to do. The price of a sitting is an
    estimate: `basis` says from what; `None` where prices or token counts are not known."""

    model: str
    seat: str
    ok: bool
    said: str
    what: str = Field(description="what is wrong, or how it was asked")
    mend: str
    host: str
    seconds: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    sitting_tokens: int | None
    sitting_price: float | None
    basis: str


class CaseInRoom(ServerModel):
    """A case of a room. `id` opens it, `title` gives nothing away; `real` is for the teacher alone."""

    id: str
    protocol: str
    seat: str
    title: str
    complaint: str
    minutes: int
    distressing: bool
    real: str = ""


class RoomLine(ServerModel):
    """A room in a list of the teacher's."""

    id: str
    name: str
    code: str
    open: bool
    created: float
    expires: float | None
    learners: int


class Room(ServerModel):
    """A room as its teacher sees it. `path` is the address that learners open, without the host."""

    id: str
    name: str
    code: str
    path: str
    open: bool
    created: float
    expires: float | None
    cases: list[CaseInRoom]
    players: dict[str, str]
    persona: str
    marks: list[str]
    clock: StationClock | None
    asks: list[Use]
    share_until: float | None
    consent: str
    sees: Sees
    held_back: bool
    ceiling: Ceiling
    group: GroupPlan | None
    disclosure: Disclosure
    trials: list[Trial] = Field(description="the real turns its models took before it opened")


class JoinPage(ServerModel):
    """The page before a learner's first word. `joined` is the learner's own place, if there is one."""

    room: str
    name: str
    open: bool
    expires: float | None
    cases: list[CaseInRoom]
    disclosure: Disclosure
    kept: list[str] = Field(description="what is kept, how long, and who sees it; one sentence each")
    asks: list[Use]
    share_until: float | None
    sees: Sees
    held_back: bool
    clock: StationClock | None
    together: Together | None = None
    joined: Joined | None = None


class Join(BrowserModel):
    """Join a room under a pseudonym. `uses` are those permitted; practice always is."""

    pseudonym: str = Field(min_length=1, max_length=60)
    uses: list[Use] = Field(default_factory=list)


class Joined(ServerModel):
    """A learner's place in a room, and the learner's latest sitting with each case, by case. `used_up` are
    the cases that the learner may not begin any more unless the teacher lets them, for a clock runs."""

    room: str
    pseudonym: str
    uses: list[Use]
    sittings: dict[str, OwnSitting] = Field(default_factory=dict)
    used_up: list[str] = Field(default_factory=list)


class OwnSitting(ServerModel):
    """A learner's own sitting with a case of a room. `marked_by` names who has marked it."""

    id: str
    status: Literal["going_on", "stopped", "ended", "marked"]
    marked_by: list[str] = Field(default_factory=list)


class Begin(BrowserModel):
    """Sit down with one of the room's cases."""

    case: str = Field(min_length=1, max_length=200)


class Begun(ServerModel):
    """The learner's sitting."""

    sitting: str


class ExtraTime(BrowserModel):
    """More time for one learner, in per cent of the station's minutes and reading time."""

    per_cent: int = Field(ge=0, le=300)


class Mark(ServerModel):
    """A figure of a sitting. `value` is `None` if it is unscored; `most` is the upper end where a rule left
    something open; `why` says either, the latter beside the first figure alone. `share` figures are shown in
    per cent."""

    name: str
    words: str
    by: str
    value: float | None
    most: float | None = None
    why: str = ""
    share: bool = True


class SittingInRoom(ServerModel):
    """A learner's sitting, as far as its teacher may know. `hidden` says why the teacher cannot read the
    words, `unshared` why a class cannot be shown them; each is empty if they can."""

    id: str
    case: str
    title: str
    real: str
    protocol: str
    seat: str
    status: Status
    turns: int
    minutes: int
    pause: Problem | None
    clock: Clock | None
    marks: list[Mark]
    contests: int
    substitutes: str = Field(description="who plays since the teacher let others go on, in words")
    may_mark: bool = Field(description="whether it has ended, and its learner permits a person's marks")
    hidden: str
    unshared: str


class Learner(ServerModel):
    """A learner of a room, by pseudonym. `id` is the teacher's handle on them. `deleted` says that they have
    deleted an encounter; `used_up` are the cases that they may not begin any more unless the teacher lets
    them, for a clock runs."""

    id: str
    pseudonym: str
    joined: float
    uses: list[Use]
    extra: int
    deleted: bool
    used_up: list[str]
    assesses: bool
    sittings: list[SittingInRoom]


class RoomState(ServerModel):
    """A room at this moment. `used` is what its models have used so far."""

    open: bool
    learners: list[Learner]
    left: int = Field(description="how many have left the room; nothing else is kept of them")
    groups: list[GroupState]
    waiting: int = Field(description="contested marks that wait for an answer")
    held: bool = Field(description="whether the teacher holds all encounters")
    used_tokens: int
    used_money: float | None
    now: float


class Hold(BrowserModel):
    """Hold encounters, with words for the learners; `sitting` empty for all of them."""

    sitting: str = Field(default="", max_length=60)
    words: str = Field(default="", max_length=300)


class Release(BrowserModel):
    """Let encounters go on; `sitting` empty for all of them. With `players`, others sit in those seats from
    here, and the learner is told."""

    sitting: str = Field(default="", max_length=60)
    players: dict[str, str] = Field(default_factory=dict, max_length=20)


class ReadableEncounter(ServerModel):
    """An encounter to be read: what was said and done openly. `unshared` says why it is for the teacher's
    own eyes, and is empty if a class may see it."""

    sitting: str
    pseudonym: str
    title: str
    seat: str
    status: Status
    turn: int
    unshared: str
    log: list[LogItem]


class Question(ServerModel):
    """A contested mark in the queue."""

    sitting: str
    pseudonym: str
    title: str
    item: str
    text: str
    words: str
    answer: Literal["", "accept", "refuse"]
    comment: str
    by: str


class Answer(BrowserModel):
    """A teacher's answer to a contested mark. Without a name in `by`, it is that of "your teacher"."""

    sitting: str = Field(max_length=60)
    item: str = Field(max_length=200)
    answer: Literal["accept", "refuse"]
    comment: str = Field(default="", max_length=600)
    by: str = Field(default="", max_length=60)


class Row(ServerModel):
    """One sitting in the table of results; `second` are the figures with what the teacher accepted, `extra`
    is the learner's extra time, in per cent, `substitutes` says who played since others went on, `unmarked`
    why no rule and no model marks it."""

    sitting: str
    pseudonym: str
    extra: int
    title: str
    real: str
    status: Status
    turns: int
    minutes: int
    substitutes: str
    marks: list[Mark]
    second: list[Mark]
    unmarked: str = ""


class Average(ServerModel):
    """A figure over the room's sittings with one protocol. `most` is the upper end where rules left something
    open, as of a single sitting. The interval is 95 %, clustered by case; `None` where it cannot be had."""

    protocol: str
    name: str
    words: str
    value: float | None
    most: float | None = None
    low: float | None
    high: float | None
    n: int
    unscored: int
    share: bool


class Results(ServerModel):
    """The results of a room. `use` says what they may be used for; `hidden` counts sittings whose learners
    keep their results to themselves."""

    name: str
    clock: StationClock | None
    use: str
    note: str
    rows: list[Row]
    averages: list[Average]
    hidden: int


class SheetItem(ServerModel):
    """An item of a marking sheet; `met` is the person's mark so far. `rules` is the verdict by rule, "" where
    there is none; it is told only of items that this person has marked, so that the sheet is marked blind."""

    id: str
    text: str
    competency: str
    critical: bool
    against: bool = Field(description="whether it counts against the learner if it holds")
    met: bool | None
    comment: str
    rules: Literal["", "done", "not done", "could not tell"]


class Sheet(ServerModel):
    """A marking sheet beside a transcript. `by` is the person who marks."""

    sitting: str
    pseudonym: str
    title: str
    seat: str
    by: str
    items: list[SheetItem]
    score: Mark | None
    log: list[LogItem]


class MarkedItem(BrowserModel):
    """A person's mark of one item."""

    id: str = Field(max_length=200)
    met: bool | None
    comment: str = Field(default="", max_length=600)


class Marked(BrowserModel):
    """A person's marks of a sitting; given again, they replace that person's earlier ones."""

    by: str = Field(min_length=1, max_length=60)
    items: list[MarkedItem] = Field(max_length=400)


JoinPage.model_rebuild()
