"""What the server and the browser say to each other about runs that are compared."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from osler.studies.case_matrix import Show, State
from osler.web.evaluate.schemas import Count, Figure, MeasureKind, RunLine
from osler.web.schemas import Page, ServerModel

Outcome = Literal[
    "better", "worse", "tie", "differs", "bounds", "no interval", "nothing in common", "refused"
]
"""How the second run of a pair stands to the first by the primary score."""
Axis = Literal["money", "tokens", "seconds"]


class SetUpLine(ServerModel):
    """A setting in which compared runs differ, with each run's value ("" where it has none)."""

    group: str
    name: str
    values: list[str]


class ScoreGap(ServerModel):
    """The paired difference of a score, second minus first, as `osler compare` gives it. `words` has it in
    words; `p_holm` is p adjusted for the other differences of its family."""

    score: str
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    first_mean: float | None
    second_mean: float | None
    n_pairs: int
    cases: int
    unscored: int
    bounds: tuple[float, float] | None
    method: str


class RunPair(ServerModel):
    """Two compared runs, by their places. `sentence` says which is better by the primary score and by how
    much, or that they are not told apart. A pair that is `refused`, with reasons, has no scores. `unpaired`
    counts episodes of worlds that only one of them played."""

    first: int
    second: int
    outcome: Outcome
    sentence: str
    refused: list[str]
    unpaired: int
    scores: list[ScoreGap]


class RunRank(ServerModel):
    """A run's place by the primary score, 1 is best, with its 95 % interval."""

    rank: int | None
    low: int | None
    high: int | None


class PassPower(ServerModel):
    """The probability that `k` repeats of a case are all right, by run, over `n` cases."""

    run: int
    k: int
    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int


class ScoreChoice(ServerModel):
    """A score that may be compared."""

    name: str
    words: str


class RunsCompared(ServerModel):
    """Compared runs, the baseline first. `set_up` is what differs between them, `alike` counts the settings
    that do not. `figures` are each run's own measures over all its episodes, the primary score first; `pairs`
    every two runs. `command` shows the same figures in a terminal."""

    runs: list[RunLine]
    set_up: list[SetUpLine]
    alike: int
    judge: str
    figures: list[list[Figure]]
    pairs: list[RunPair]
    ranks: list[RunRank]
    passes: list[PassPower]
    adjusted: str
    choices: list[ScoreChoice]
    anchor: str
    label: str
    command: str


class MatrixCell(ServerModel):
    """A run in a case: its mean `value` over the `scored` of its `played` episodes, of which `right` are
    right, and in how many worlds it is `better` or `worse` than the baseline."""

    state: State
    value: float | None
    played: int
    scored: int
    unscored: int
    right: int
    better: int
    worse: int


class MatrixRow(ServerModel):
    """A case with a cell for each run, the baseline first. `points` are the mean of its episodes' cost."""

    case: str
    hash: str
    specialty: str
    worlds: int
    points: float
    cells: list[MatrixCell]


class PointsBand(ServerModel):
    """A quarter of the cases by the mean cost of their episodes, ends included."""

    low: float
    high: float


class ShowCount(ServerModel):
    """The number of cases of one choice of what to show."""

    show: Show
    count: int


class MatrixPage(Page[MatrixRow]):
    """One page of the cases. `right_or_wrong` says that every score is right or wrong. What there is to
    filter by comes with the first page only."""

    right_or_wrong: bool
    score: str
    kind: MeasureKind
    shows: list[ShowCount] = Field(default_factory=list)
    specialties: list[Count] = Field(default_factory=list)
    endings: list[Count] = Field(default_factory=list)
    bands: list[PointsBand] = Field(default_factory=list)


class WorldPlace(ServerModel):
    """A run in a world: the episode's number, `None` if it was not played, and how it went."""

    ordinal: int | None
    state: State
    value: float | None
    ending: str
    points: int


class WorldRow(ServerModel):
    """A world of a case in words, with each run's place in it."""

    world: str
    runs: list[WorldPlace]


class CaseWorlds(ServerModel):
    """The worlds of a case, of many only the first; `total` counts them all."""

    case: str
    hash: str
    total: int
    worlds: list[WorldRow]


class RunCost(ServerModel):
    """Spending of a run's models beside its primary score; its judge is not counted. Each figure is per
    episode, but `seconds_a_call` per answered call; one that the endpoint did not report is `None`. `priced`
    is false where the price of a model is not known, so that `money` is `None` and never 0; `models` is false
    where no language model took part. `frontier` are the axes on which no other run is dominant."""

    run: int
    episodes: int
    value: float | None
    low: float | None
    high: float | None
    models: bool
    priced: bool
    money: float | None
    tokens_in: float | None
    tokens_out: float | None
    tokens: float | None
    seconds: float | None
    seconds_a_call: float | None
    frontier: list[Axis]


class RunCosts(ServerModel):
    """The costs of compared runs, in their order. Runs that must not be compared with the baseline are on no
    frontier."""

    score: str
    kind: MeasureKind
    runs: list[RunCost]
