"""Judges: what says, from the trace and after the end, how an episode went.

An installed package brings its own by the entry-point group `osler.judges` (`osler.judging.named`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from pydantic_core import to_json

from osler.core.measure import Measure
from osler.encounter.trace import Trace


class Verdict(NamedTuple):
    """A judgement as it is stored: who judged, which version of it, and `body`, JSON text that holds at least
    `grader`, `version` and `scores` ({name: {value, reason, evidence}}; a value of null says why)."""

    grader: str
    version: str
    body: str


def verdict(grader: str, version: str, scores: Mapping[str, Any]) -> Verdict:
    """The verdict with these scores, each a mapping with `value`, `reason` and `evidence`."""
    body = {"grader": grader, "version": version, "scores": scores}
    return Verdict(grader, version, to_json(body).decode())


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge without a model, by the name it has on the command line. It never fails an episode: what it
    cannot score is `None` with a reason. `version` changes whenever it may judge otherwise."""

    name: str
    judge: Callable[[Any, Trace], Verdict]
    """From an episode (`osler.core.episode.Episode`) and its trace to the verdict."""
    graders: tuple[str, ...]
    """The names its verdicts are stored under; most judges have one."""
    scores: tuple[Measure, ...] = ()
    """The scores that each of its verdicts holds; none are named where they are its protocol's measures."""
    protocols: tuple[str, ...] = ()
    """Of a judge that a package brings: the names of the protocols whose episodes it judges."""


class ModelJudge(Protocol):
    """A judge that asks a language model. `version_of` is what a judgement of this episode is stored under,
    so that one that is there already is not asked for again."""

    @property
    def grader(self) -> str:
        """The name its verdicts are stored under."""
        ...

    @property
    def scores(self) -> tuple[Measure, ...]:
        """The scores that each of its verdicts holds; empty where they are its protocol's measures."""
        ...

    def version_of(self, episode: Any, /) -> str:
        """What changes whenever it may judge this episode otherwise."""
        ...

    async def judge(self, episode: Any, trace: Trace, /) -> Verdict:
        """The verdict. Raises InfrastructureFault, and nothing else."""
        ...


class JudgeModel(NamedTuple):
    """What a model judge is opened with: the client, what is configured of its endpoint, how often the model
    is asked, and how many items at a time."""

    client: Any
    endpoint: Any
    repeats: int = 1
    batch: int = 25


OpensJudge = Callable[[JudgeModel], ModelJudge]
