"""Measures: the figures a protocol is scored by, read from stored episodes and their judgements.

Summaries, comparisons, studies, reports and tables read a figure's name, words, kind and range from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from osler.encounter.trace import Trace

INF: Final = float("inf")
Kind = Literal["share", "gain", "mark", "count"]
"""A share lies between 0 and 1 and is shown in per cent; a gain is a ratio of sums that may be negative;
a mark stands on a scale; a count has no upper end."""


class Ratio(NamedTuple):
    """One episode's part of a ratio of sums: over many episodes the figure is sum(part) / sum(whole)."""

    part: float
    whole: float


class Scored(NamedTuple):
    """A stored episode as a measure sees it: its row, one grader's judgement as plain JSON (`None` where that
    grader has not judged it), and its trace, read from the store only if it is called for."""

    row: Any
    body: Mapping[str, Any] | None
    trace: Callable[[], Trace]


Value = float | Ratio | None
Reading = Callable[[Scored], Value]


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure: its `name` in JSON and on the command line, its `words` and what it `means`, its `kind` and
    where it can lie, which way is `better`, and how it is read from one episode (`None`: unscored).

    `judged` says that `of` needs a judgement; the others are counted from how the episode ended. `aliases`
    are other names it goes by on the command line and in studies.
    """

    name: str
    words: str
    means: str
    kind: Kind
    of: Reading
    least: float = 0.0
    most: float = INF
    better: Literal["more", "less", "neither"] = "more"
    judged: bool = True
    aliases: tuple[str, ...] = ()

    @property
    def spoken(self) -> str:
        """The name a reader knows it by: its first alias, where it has one."""
        return self.aliases[0] if self.aliases else self.name

    @property
    def share(self) -> bool:
        """Whether it lies between 0 and 1 and is shown in per cent."""
        return self.kind == "share"


def score(name: str) -> Reading:
    """Reads a judgement's score by its name: the `value` under `scores`."""

    def read(found: Scored) -> Value:
        scores = found.body["scores"] if found.body else {}
        value = scores.get(name, {}).get("value")
        return None if value is None else float(value)

    return read


def counted(name: str) -> Reading:
    """Reads a count of the outcome by its name; `minutes` and `exchanges` are there in every protocol."""

    def read(found: Scored) -> Value:
        if name in ("minutes", "exchanges"):
            return float(getattr(found.row, name))
        value = found.row.outcome.counts.get(name)
        return None if value is None else float(value)

    return read


def share_of(
    name: str,
    words: str,
    means: str,
    better: Literal["more", "less", "neither"] = "more",
    aliases: tuple[str, ...] = (),
) -> Measure:
    """A score between 0 and 1 of the judgement."""
    return Measure(name, words, means, "share", score(name), 0.0, 1.0, better, aliases=aliases)


def count_of(name: str, words: str, means: str) -> Measure:
    """A count of the outcome, which needs no judge."""
    return Measure(name, words, means, "count", counted(name), better="neither", judged=False)
