"""What the server and the browser say to each other about one episode: its judgements, its exchanges, and
two of them side by side."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from osler.web.evaluate.schemas import EpisodeLine, MeasureKind, RunKind, RunState, View
from osler.web.schemas import LogItem, ServerModel, TextLine


class Quote(ServerModel):
    """Words that a judgement quotes, and the log items they stand in (empty if they are in none). `of_case`
    says that they are the case's own words for something that never came out."""

    words: str
    at: list[str]
    of_case: bool = False


class Verdict(ServerModel):
    """One criterion of a judgement: what was judged, the verdict in words, and the quotes it rests on."""

    name: str
    words: str
    verdict: str
    points: float | None = None
    note: str = ""
    quotes: list[Quote] = Field(default_factory=list)


class Score(ServerModel):
    """One score: a value, or `None` with the reason."""

    name: str
    words: str
    kind: MeasureKind
    value: float | None
    reason: str = ""
    quotes: list[Quote] = Field(default_factory=list)


class Judged(ServerModel):
    """One grader's judgement of an episode. `judged` is in seconds since 1970, UTC. `body` is the whole
    of it."""

    grader: str
    version: str
    label: str
    scores: list[Score]
    verdicts: list[Verdict]
    body: dict[str, Any]


class SeatLine(ServerModel):
    """A seat of an episode: who sits there, and which views show what it saw."""

    seat: str
    player: str
    model: str
    person: bool


class EpisodeDetail(ServerModel):
    """One episode. `title` is what a recorded example is called. `ended` is false while it is played; `views`
    are those this visitor may ask for, and `hidden` says in words why the others are withheld. `uses` is what
    the person in it permits, `None` without a person; `unsaved` says in words why it cannot be saved as a
    file, and who could permit it. `previous` and `following` are the episodes beside it in the run."""

    run: str
    protocol: str
    line: EpisodeLine
    kind: RunKind
    title: str
    seats: list[SeatLine]
    under_test: str
    branch_of: str
    kept: int = Field(description="how many of its first exchanges a branch took from its parent")
    views: list[View]
    hidden: str
    uses: list[str] | None
    unsaved: str
    judgements: list[Judged]
    ending: str
    ended: bool
    previous: int | None
    following: int | None
    reproduce: str


class ExchangeLine(ServerModel):
    """One exchange without its texts. `act` is the reply's action, if it has one, else the protocol's word
    for what was asked; `words` is the beginning of what was said. `inner` counts the exchanges inside it."""

    n: int
    seat: str
    act: str
    words: str
    minute: int
    bytes: int
    tokens: int | None
    retries: int
    refused: int
    inner: int


class PromptMessage(ServerModel):
    """One message of a prompt. `new` is false for those already sent with the seat's call before."""

    role: str
    text: str
    new: bool
    pictures: int = 0


class Call(ServerModel):
    """One call to a model for an exchange, or for the inner one at `path`. `proved` says whether the messages
    are what was sent (`None`: no hash of that is stored). Messages are `None` if they cannot be built."""

    path: str
    call: int
    endpoint: str
    model: str
    host: str
    messages: list[PromptMessage] | None
    proved: bool | None
    reply: str
    reasoning: str
    outcome: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    seconds: float | None
    tries: int


class Attempt(ServerModel):
    """A reply that was refused: where (player, form, rule or model), why, and the words."""

    at: str
    why: str
    said: str


class InnerExchange(ServerModel):
    """An exchange inside another: what a composite player asked a player within it."""

    path: str
    seat: str
    player: str
    reply: Any
    attempts: list[Attempt]


class Proof(ServerModel):
    """Whether the request shown is the one that was put: its stored hash, and the reason where it is not."""

    proved: bool
    hash: str
    why: str = ""


class ExchangeDetail(ServerModel):
    """One request as its seat saw it, and its reply: `view` is what the seat knew before the encounter,
    `feed` what it had been told and had said, in order, and `wanted` the form of the reply."""

    n: int
    seat: str
    player: str
    act: str
    minute: int
    view: dict[str, Any]
    feed: list[LogItem]
    wanted: dict[str, Any] | None
    reply: dict[str, Any] | None
    lines: list[TextLine]
    refused: list[Attempt]
    calls: list[Call]
    inner: list[InnerExchange]
    proof: Proof
    previous: int | None = Field(description="the exchange of the same seat before it")
    following: int | None


# Two episodes side by side


class Side(ServerModel):
    """One of two episodes that are compared. `state` is its run's: an episode that has not ended may be
    played, or stand still."""

    run: str
    ordinal: int
    case: str
    player: str
    status: str
    state: RunState
    exchanges: int


class Beside(ServerModel):
    """One row of a comparison: the exchange of each side (`None`: it has none there), and its lines. `same`
    rows have the same seat, the same request and the same reply on both sides."""

    a: ExchangeLine | None
    b: ExchangeLine | None
    a_lines: list[TextLine]
    b_lines: list[TextLine]
    same: bool


class ScorePair(ServerModel):
    """One measure of both episodes, and the second minus the first."""

    name: str
    words: str
    kind: Literal["share", "gain", "mark", "count"]
    better: Literal["more", "less", "neither"]
    a: float | None
    b: float | None
    difference: float | None


class Compared(ServerModel):
    """Two episodes side by side. `same_world` says whether both were played in one world, and `world` says it
    in words; `first_difference` is the number of the first row that differs, counted from 0. `refused` are
    the reasons why their scores are no fair comparison; then no difference is given. `under_test` is the seat
    that is compared."""

    a: Side
    b: Side
    under_test: str
    same_world: bool
    world: str
    rows: list[Beside]
    first_difference: int | None
    scores: list[ScorePair]
    differs: dict[str, list[str]]
    refused: list[str]
