"""What the server says to the browser about studies, cards, ratings and judges."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from osler.reports.printed import Part
from osler.web.evaluate.schemas import Figure, RunState
from osler.web.schemas import ServerModel


class ResultLine(ServerModel):
    """A record of a study, or a card of the benchmark; `written` is in seconds since 1970, UTC."""

    id: str
    kind: Literal["study", "card"]
    title: str
    about: str
    written: float


class Unread(ServerModel):
    """A file that is there and cannot be shown, and why."""

    name: str
    why: str


class ResultList(ServerModel):
    """The records in the folders of the server. `folders` counts them: without one there can be nothing."""

    items: list[ResultLine]
    unread: list[Unread]
    folders: int


class Cell(ServerModel):
    """A condition of a study on a set of cases, and its run; `run` is empty, and `status` `None`, if it is
    not in this store, or not for this visitor."""

    condition: str
    cases: str
    run: str
    status: RunState | None
    done: int
    planned: int


class ResultPage(ServerModel):
    """A study or a card: its figures as a terminal prints them, and the runs of a study."""

    line: ResultLine
    notes: list[str]
    parts: list[Part]
    cells: list[Cell]


class StudyHere(ServerModel):
    """A study whose runs are in this store, by its name, with its conditions as far as they have begun."""

    name: str
    cells: list[Cell]


class RatingSet(ServerModel):
    """Ratings of one batch on one scale: the runs they are of, and how many episodes each rater has rated.
    `why` says why no agreement can be shown."""

    scale: str
    batch: str
    runs: list[str]
    protocol: str
    raters: dict[str, int]
    why: str = ""


class RatingPage(ServerModel):
    """The agreement of raters with each other and with judges, as a terminal prints it, and their
    progress: `rated` of `episodes` that could be, `shared` by two or more."""

    scale: str
    runs: list[str]
    episodes: int
    rated: int
    shared: int
    raters: dict[str, int]
    parts: list[Part]


class Judge(ServerModel):
    """A judge of a run, its versions, and how many episodes it has judged."""

    name: str
    versions: list[str]
    episodes: int


class JudgedRun(ServerModel):
    """A run and its judges."""

    run: str
    protocol: str
    done: int
    judges: list[Judge]


class ByJudge(ServerModel):
    """The measures of a run that are judged, under one judge."""

    judge: Judge
    measures: list[Figure]


class JudgedPage(ServerModel):
    """A run under each of its judges, and the judges compared as a terminal prints it; `alone` says why there
    is no comparison."""

    run: JudgedRun
    judges: list[ByJudge]
    parts: list[Part] = Field(description="empty without a comparison")
    alone: str
