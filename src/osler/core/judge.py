"""Judges: score an episode from its trace after it has ended.

Installed packages add judges through the entry-point group `osler.judges` (`osler.judging.named`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, NamedTuple, Protocol

from pydantic_core import to_json
from typing_extensions import TypeVar

from osler.core.events import Json
from osler.core.lazy import OrLazy
from osler.core.measure import Measure
from osler.core.trace import Trace

EpisodeT = TypeVar("EpisodeT", default=Any)
"""The type of a protocol's episodes."""


JudgedT = TypeVar("JudgedT", contravariant=True, default=Any)


class Verdict(NamedTuple):
    """A judgement as it is stored: the grader, its version, and the body as JSON text.

    `body` holds at least `grader`, `version` and `scores` ({name: {value, reason, evidence}}; `reason`
    explains a null value, and `missed`, where there is anything, names the items that keep it from its full
    value).

        >>> brief = {"value": None, "reason": "nothing was said", "evidence": []}
        >>> import json
        >>> json.loads(osler.verdict("brevity", "1", {"brief": brief}).body)["scores"]["brief"]["reason"]
        'nothing was said'
    """

    grader: str
    version: str
    body: str


def verdict(
    grader: str,
    version: str,
    scores: Json,
    *,
    of: Json | None = None,
    **parts: object,
) -> Verdict:
    """Build a verdict from scores, each with a `value`, `reason`, `evidence` and perhaps `missed`.

    A score is a mapping with these keys, or an object with these fields. `of` is what was judged, before the
    scores; `parts` follow them. Both are plain data.

        >>> brief = {"value": 1.0, "reason": "9 words"}
        >>> osler.verdict("brevity", "1", {"brief": brief}).body
        '{"grader":"brevity","version":"1","scores":{"brief":{"value":1.0,"reason":"9 words"}}}'
    """
    plain = {name: _plain(one) for name, one in scores.items()}
    body = {"grader": grader, "version": version, **(of or {}), "scores": plain, **parts}
    return Verdict(grader, version, to_json(body).decode())


def _plain(score: object) -> object:
    """A score as a mapping, without an empty `missed`."""
    if isinstance(score, Mapping):
        return score
    names = ("value", "reason", "evidence", "missed")
    fields = {name: getattr(score, name) for name in names if hasattr(score, name)}
    return fields if fields.get("missed") else {n: v for n, v in fields.items() if n != "missed"}


def version_of(number: str, **decides: object) -> str:
    """Return a grader's version: a number kept beside the judge, and a hash of what decides its verdicts.

    The hash covers the data, prompts and settings in `decides`. Source code is not part of it: moving or
    rewording code changes no version. A change to how a judge asks or decides must increment the number.

        >>> osler.version_of("1", prompt="Is it brief?")
        '1-e3a52d4b97e1'
    """
    return f"{number}-{blake2b(to_json(decides), digest_size=6).hexdigest()}"


@dataclass(frozen=True)
class Judge(Generic[EpisodeT]):
    """A judge that needs no model, under its command-line name.

    It never fails an episode: a score that it cannot give is `None` with a reason. Its version changes
    whenever its judgements may change.

        >>> def judged(episode, trace):
        ...     words = sum(len(event.text.split()) for event in trace.of(osler.Said))
        ...     brief = {"value": float(words <= 50), "reason": f"{words} words", "evidence": []}
        ...     return osler.verdict("brevity", "1", {"brief": brief})
        >>> osler.Judge("brevity", judged, graders=("brevity",)).name
        'brevity'
    """

    name: str
    judge: Callable[[EpisodeT, Trace], Verdict]
    """Maps an episode (`osler.core.episode.Episode`) and its trace to the verdict."""
    graders: tuple[str, ...]
    """The names its verdicts are stored under; most judges have one."""
    scores: tuple[Measure, ...] = ()
    """The scores in each of its verdicts; left empty where they are the protocol's own measures."""
    protocols: tuple[str, ...] = ()
    """For a judge from an installed package: the names of the protocols whose episodes it judges."""


class ModelJudge(Protocol[JudgedT]):
    """A judge that asks a language model. Judgements are stored under `version_of`, so that an episode that
    already has one is not judged again."""

    @property
    def grader(self) -> str:
        """The name its verdicts are stored under."""
        ...

    @property
    def scores(self) -> tuple[Measure, ...]:
        """The scores in each of its verdicts; empty where they are the protocol's own measures."""
        ...

    def version_of(self, episode: JudgedT, /) -> str:
        """The version string for this episode; it changes whenever the judgement may change."""
        ...

    async def judge(self, episode: JudgedT, trace: Trace, /) -> Verdict:
        """Judge an episode. Raises InfrastructureFault, and nothing else."""
        ...


class ModelJudged(NamedTuple):
    """The judging of a protocol by a model: what opens its judge, from an `osler.judging.opening.JudgeModel`,
    and the measures in its verdicts, where they are not the protocol's own."""

    opens: OrLazy[Callable[..., ModelJudge]]
    marks: tuple[Measure, ...] = ()


PORTION = 8
"""The items that a model is asked about at once: 1,200 tokens of answer, at 150 for the longest verdict (two
quotes and a reason of 160 characters each, its names and signs)."""
