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


NOTHING: Final = Ratio(0.0, 0.0)
"""The very value of an episode that has nothing to score: its case lacks what the measure is about. It is
neither scored nor unscored."""


class Scored(NamedTuple):
    """A stored episode as a measure sees it: its row, one grader's judgement as plain JSON (`None` where that
    grader has not judged it), its trace, read from the store only if it is called for, and what the protocol
    reads the judgement as (`Protocol.judgement`)."""

    row: Any
    body: Mapping[str, Any] | None
    trace: Callable[[], Trace]
    judgement: Any = None


Value = float | Ratio | None
Reading = Callable[[Scored], Value]


def plain_value(value: Value) -> float | None:
    """What one episode comes to by itself; `None` where it is unscored, or there was nothing to score."""
    if isinstance(value, Ratio):
        return value.part / value.whole if value.whole > 0 else None
    return value


Better = Literal["more", "less", "neither"]
Estimated = Literal["proportion", "mean", "per success"]
"""How its interval is made: as that of a proportion, of any mean or ratio, or of what a success costs, whose
`whole` counts the successes."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure: its `name` in JSON and on the command line, its `words` and what it `means`, its `kind` and
    where it can lie, which way is `better`, and how it is read from one episode (`None`: unscored).

    `judged` says that `of` needs a judgement; the others are counted from how the episode ended, or where
    `traced` from its trace, which takes long: what sums up every run as it ends leaves those out. `aliases`
    are other names it goes by on the command line and in studies. A share is `estimated` as a proportion and
    all else as a mean unless it says otherwise.
    """

    name: str
    words: str
    means: str
    kind: Kind
    of: Reading
    least: float = 0.0
    most: float = INF
    better: Better = "more"
    judged: bool = True
    traced: bool = False
    aliases: tuple[str, ...] = ()
    estimated: Estimated | None = None
    ratio: bool = False
    """Whether it is a ratio of sums over episodes, and `of` gives a `Ratio`."""

    @property
    def spoken(self) -> str:
        """The name a reader knows it by: its first alias, where it has one."""
        return self.aliases[0] if self.aliases else self.name

    @property
    def share(self) -> bool:
        """Whether it lies between 0 and 1 and is shown in per cent."""
        return self.kind == "share"

    @property
    def interval(self) -> Estimated:
        """How its interval is made."""
        return self.estimated or ("proportion" if self.share else "mean")


def score(name: str) -> Reading:
    """Reads a judgement's score by its name: the `value` under `scores`."""

    def read(found: Scored) -> Value:
        scores = (found.body or {}).get("scores", {})
        value = scores.get(name, {}).get("value")
        return None if value is None else float(value)

    return read


def counted(name: str) -> Reading:
    """Reads a count of the outcome by its name; `minutes` and `exchanges` are there in every protocol."""

    def read(found: Scored) -> Value:
        if name in ("minutes", "exchanges"):
            return float(getattr(found.row, name))
        value = found.row.counts.get(name)
        return None if value is None else float(value)

    return read


def share_of(
    name: str,
    words: str,
    means: str,
    better: Better = "more",
    *,
    of: Reading | None = None,
    aliases: tuple[str, ...] = (),
    estimated: Estimated | None = None,
    ratio: bool = False,
) -> Measure:
    """A score between 0 and 1 of the judgement, by its name unless `of` reads it."""
    read = of or score(name)
    return Measure(
        name,
        words,
        means,
        "share",
        read,
        0.0,
        1.0,
        better,
        aliases=aliases,
        estimated=estimated,
        ratio=ratio,
    )


def tally_of(name: str, words: str, means: str, better: Better = "neither") -> Measure:
    """A score of the judgement that counts something."""
    return Measure(name, words, means, "count", score(name), better=better)


def count_of(name: str, words: str, means: str, better: Better = "neither") -> Measure:
    """A count of the outcome, which needs no judge."""
    return Measure(name, words, means, "count", counted(name), better=better, judged=False)
