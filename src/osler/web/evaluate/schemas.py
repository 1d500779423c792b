"""What the server and the browser say to each other about runs, episodes, requests and comparisons."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from osler.web.schemas import Page, ServerModel

RunKind = Literal["ordinary", "practice", "branch", "study"]
RunState = Literal["running", "done", "paused", "interrupted"]
MeasureKind = Literal["share", "gain", "mark", "count"]
Sort = Literal["ordinal", "case", "status", "minutes", "turns", "tests", "cost", "exchanges", "score"]
View = str
"""`doctor`, `patient`, `room`, `all`, or the name of a seat."""


# Runs


class RunLine(ServerModel):
    """One run in a list. `cast` names the player in each seat, `models` the model and host behind each
    endpoint, `holders` the processes that play it now, `branch_of` the episode and exchange it left
    ("RUN:N at K"). `created` is in seconds since 1970, UTC."""

    name: str
    protocol: str
    kind: RunKind
    status: RunState
    planned: int
    done: int
    player: str = Field(description="the player under test")
    cast: dict[str, str]
    models: dict[str, str]
    cases: str
    created: float
    holders: list[str]
    branch_of: str = ""


class Setting(ServerModel):
    """One line of a run's manifest, in words."""

    name: str
    value: str


class Count(ServerModel):
    """A value to filter by and how many episodes have it."""

    value: str
    count: int


class Band(ServerModel):
    """A band of scores, `low` included and `high` excluded (the last band includes it)."""

    low: float
    high: float
    count: int


class ScoreFacet(ServerModel):
    """A score to sort and filter by: `grader:name` is what `grader` takes. `words` is the measure's label
    where the protocol has one, `kind` its kind, "count" where it has none."""

    grader: str
    name: str
    words: str
    kind: MeasureKind
    count: int
    bands: list[Band]


class FailureFacet(ServerModel):
    """A failure tag to filter by, and how many of the scored episodes have it."""

    name: str
    words: str
    means: str
    count: int


class FailureFacets(ServerModel):
    """The failure tags of a run's `scored` episodes, those that any has. `too_many`: the run is too large to
    read every record at a look."""

    scored: int
    unscored: int
    tags: list[FailureFacet]
    too_many: bool = False


class Facets(ServerModel):
    """The facets by which a run's episodes can be filtered, each with its counts."""

    statuses: list[Count]
    cases: list[Count]
    scores: list[ScoreFacet]


class RunDetail(ServerModel):
    """One run: its line, its manifest in words, and the commands to play it again and to go on with it.
    `why` says why it stands still, if the server that played it knows. `here` says that this server is
    playing it."""

    run: RunLine
    setup: list[Setting]
    configuration: list[Setting]
    versions: list[Setting]
    notice: str
    reproduce: str
    resume: str
    here: bool = False
    why: str = ""


class Figure(ServerModel):
    """One measure of a run with its 95 % interval; `n` episodes were scored, `unscored` were not. `bounds`
    stand in for value and interval where too many are unscored."""

    name: str
    words: str
    means: str
    kind: MeasureKind
    better: Literal["more", "less", "neither"]
    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    bounds: tuple[float, float] | None = None


class SeatUse(ServerModel):
    """The usage of one seat at one endpoint; a count is `None` if the endpoint did not report it. `seconds`
    are those from request to answer, over all `answered` calls."""

    seat: str
    endpoint: str
    replies: int
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    retries: int | None
    faults: int | None
    seconds: float | None
    answered: int | None


class RunFigures(ServerModel):
    """A run's figures: how its episodes ended and why, every measure, what its models used. `label` says what
    they are evidence of."""

    run: str
    episodes: int
    exchanges: int
    ended: dict[str, int]
    because: dict[str, dict[str, int]]
    measures: list[Figure]
    use: list[SeatUse]
    cost: float | None
    label: str


# Words


class FoundPiece(ServerModel):
    """A part of a passage; `marked` if it was searched for."""

    text: str
    marked: bool


class FoundWords(ServerModel):
    """A line in which the words were found: in or after `exchange` (0: before the first), in the log item
    `item`. `seat` is whose words or act it is, or the kind of line if nobody's; `label` stands before it."""

    run: str
    protocol: str
    ordinal: int
    exchange: int
    item: str
    seat: str
    label: str
    passage: list[FoundPiece]


class FoundPage(Page[FoundWords]):
    """One page of lines, those of the newest run first. `reading` says that episodes are still being
    indexed: asked again, there may be more. A page may be empty although there is a next one."""

    reading: bool = False


# Episodes


class EpisodeLine(ServerModel):
    """One episode in a list. `score` is the value it is sorted or filtered by, else the headline's. `person`
    says that a person played in it. `failed_at` is the exchange that the tag filtered by rests on, and
    `failed_why` says why."""

    ordinal: int
    key: str
    case: str
    status: str
    reason: str
    turns: int
    tests: int
    minutes: int
    cost: int
    exchanges: int
    score: float | None
    started: float | None
    ended: float | None
    person: bool
    failed_at: int | None = None
    failed_why: str = ""


class EpisodePage(Page[EpisodeLine]):
    """One page of a run's episodes. `scored` names the score shown. `going` are those that have begun and not
    ended, on the first page only."""

    scored: str = ""
    going: list[EpisodeLine] = Field(default_factory=list)
