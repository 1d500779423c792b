"""Measures: the metrics a protocol is scored by, computed from stored episodes and their judgements.

Summaries, comparisons, studies, reports and tables take a metric's name, wording, kind and range from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

from osler.core.events import Json
from osler.core.source import AnyCase
from osler.core.trace import Trace

INF: Final = float("inf")
ROUNDING: Final = 1e-9
"""The most that a sum of shares may lack of 1, by rounding."""
Kind = Literal["share", "gain", "mark", "count"]
"""A share lies between 0 and 1 and is shown in per cent; a gain is a ratio of sums that may be negative;
a mark is a point on a scale; a count has no upper bound."""


class Ratio(NamedTuple):
    """One episode's contribution to a ratio of sums: over many episodes it is sum(part) / sum(whole).

    >>> pairs = [osler.Ratio(1, 4), osler.Ratio(2, 2)]
    >>> sum(pair.part for pair in pairs) / sum(pair.whole for pair in pairs)
    0.5
    """

    part: float
    whole: float


NOTHING: Final = Ratio(0.0, 0.0)
"""The value (compared by identity) of an episode with nothing to score, because its case lacks what the
measure is about. Such an episode counts as neither scored nor unscored."""


def _no_case() -> AnyCase:
    return None


class Scored(NamedTuple):
    """A stored episode as a measure sees it: its row, one grader's judgement as plain JSON (`None` if that
    grader has not judged it), its trace, loaded lazily from the store, the judgement as parsed by the
    protocol (`Protocol.judgement`), and its case, loaded lazily too."""

    row: Any
    body: Json | None
    trace: Callable[[], Trace]
    judgement: Any = None
    case: Callable[[], AnyCase] = _no_case


Value = float | Ratio | None
Reading = Callable[[Scored], Value]
Missed = Callable[[Scored], Iterable[str]]


def plain_value(value: Value) -> float | None:
    """The value of a single episode as a number; `None` if it is unscored or there was nothing to score."""
    if isinstance(value, Ratio):
        return value.part / value.whole if value.whole > 0 else None
    return value


class Grouping(NamedTuple):
    """A way of parting a run's episodes, so that the headline is also given for each part: the `name` of what
    they are parted by, the part an episode is `of` ("" for none), and what guessing would score in it, if
    that is known (`chance`)."""

    name: str
    of: Callable[[Scored], str]
    chance: Reading | None = None


class Need(NamedTuple):
    """The part of a case without which a measure is unscored: its `words`, and whether a case has it
    (`met`)."""

    words: str
    met: Callable[[AnyCase], bool]


Better = Literal["more", "less", "neither"]
Estimated = Literal["proportion", "mean", "per success"]
"""The kind of confidence interval: of a proportion, of a mean or ratio, or of the cost per success, whose
`whole` counts the successes."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric: its name, label, meaning, kind and range, and how it is computed from one episode.

    `name` is its name in JSON and on the command line, `words` its label, `means` its meaning; `least` and
    `most` bound it, `better` is the direction that is better, and `of` reads its value from one episode
    (`None`: unscored).

    `judged` measures need a judgement; the others are counted from the episode's outcome, or, if `traced`,
    from its trace, which is slow, so the summary at the end of every run leaves those out. `aliases` are its
    other names on the command line and in studies. Unless `estimated` says otherwise, a share is estimated as
    a proportion and everything else as a mean.

        >>> net = osler.Measure("net", "net score", "points won less points lost", "gain", osler.score("net"))
        >>> net.interval, net.better, net.judged
        ('mean', 'more', True)
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
    """Whether it is a ratio of sums over episodes, so that `of` returns a `Ratio`."""
    needs: Need | None = None
    """The part of a case that it needs, `None` if any case will do."""
    averages: bool = False
    """Whether it is the mean of other measures."""
    beside: bool = False
    """Whether it stands beside the headline wherever that is shown."""
    missed: Missed | None = None
    """The rule that names the items which keep an episode from its full value; without it, those that the
    judgement stores with its score."""
    itemless: str = ""
    """Why there are no such items, where there are none."""

    @property
    def spoken(self) -> str:
        """The name shown to readers: its first alias if it has one."""
        return self.aliases[0] if self.aliases else self.name

    @property
    def share(self) -> bool:
        """Whether it lies between 0 and 1 and is shown in per cent."""
        return self.kind == "share"

    def falls_short(self, value: float | None) -> bool:
        """Whether a value is not the best there can be; a count has none that is the best, unless it is
        better the less it is."""
        if value is None or self.better == "neither":
            return False
        if self.better == "less":
            return value > self.least + ROUNDING
        return value < self.most - ROUNDING < INF

    @property
    def interval(self) -> Estimated:
        """The kind of its confidence interval."""
        return self.estimated or ("proportion" if self.share else "mean")


def with_needs(measures: Iterable[Measure], needs: Mapping[str, Need]) -> tuple[Measure, ...]:
    """The measures, each with the need of its name. Raises KeyError for a need of no measure."""
    result = tuple(replace(measure, needs=needs.get(measure.name)) for measure in measures)
    if strange := sorted(needs.keys() - {measure.name for measure in result}):
        raise KeyError(f"no measure is called {strange[0]!r}")
    return result


def missed_by(measure: Measure, found: Scored) -> tuple[str, ...]:
    """The items that keep an episode from the full value of a measure, in words; none at the full value."""
    if not measure.falls_short(plain_value(measure.of(found))):
        return ()
    if measure.missed is not None:
        return tuple(dict.fromkeys(measure.missed(found)))
    stored = (found.body or {}).get("scores", {}).get(measure.name, {})
    return tuple(stored.get("missed", ()))


def score(name: str) -> Reading:
    """Return a reader of one score of the judgement: the `value` stored under `scores` by that name.

    >>> from osler.core.measure import Scored
    >>> judgement = {"scores": {"brief": {"value": 1}}}
    >>> osler.score("brief")(Scored(row=None, body=judgement, trace=None))
    1.0
    """

    def read(found: Scored) -> Value:
        scores = (found.body or {}).get("scores", {})
        value = scores.get(name, {}).get("value")
        return None if value is None else float(value)

    return read


def counted(name: str) -> Reading:
    """A reader of one of the outcome's counts; every protocol has `minutes` and `exchanges`."""

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
    beside: bool = False,
    missed: Missed | None = None,
) -> Measure:
    """Build a measure that is a score between 0 and 1 of the judgement, read by name unless `of` is given.

    The other parameters are the fields of `Measure`.

        >>> brief = osler.share_of("brief", "brief", "share of encounters with at most 50 words")
        >>> brief.kind, brief.most, brief.interval
        ('share', 1.0, 'proportion')
    """
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
        beside=beside,
        missed=missed,
    )


def tally_of(name: str, words: str, means: str, better: Better = "neither") -> Measure:
    """A measure that is a count among the judgement's scores."""
    return Measure(name, words, means, "count", score(name), better=better)


def count_of(name: str, words: str, means: str, better: Better = "neither") -> Measure:
    """Build a measure that is one of the outcome's counts and needs no judge.

    >>> tests = osler.count_of("tests", "tests", "number of tests ordered", better="less")
    >>> tests.kind, tests.judged, tests.better
    ('count', False, 'less')
    """
    return Measure(name, words, means, "count", counted(name), better=better, judged=False)
