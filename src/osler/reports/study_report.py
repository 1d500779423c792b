"""The contents of a study's report, read from the store but not yet drawn, and their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pydantic import Field

from osler.core.events import Frozen
from osler.core.measure import Measure
from osler.reports.scorecard import Scorecard
from osler.stats.intervals import Estimate
from osler.stats.paired import UNRESAMPLED, Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast(Difference):
    """The difference in `figure`, `condition` minus `against`, over the worlds scored in both. `p_holm` is
    adjusted over all secondary contrasts; the primary one has none."""

    figure: str
    condition: str
    against: str

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON; the `method` of the interval is named where many cases changed it."""
        named = {"method": self.method} if self.method == UNRESAMPLED else {}
        return {name: getattr(self, name) for name in _CONTRAST} | named


_CONTRAST: Final = (
    *("figure", "condition", "against", "value", "low", "high"),
    *("p", "p_holm", "n_pairs", "cases", "unscored"),
)
"""The fields of a contrast that are stated in JSON."""


class ConditionSummary(Frozen):
    """The results of a condition's run. `found` maps a measure's spoken name to its value and interval.

    `sd` is the standard deviation of a figure over the run's repeats, if there are several. `rejected`
    counts drafts that a protocol's reviewers rejected, by "reviewer: kind of fault".
    """

    run: str
    episodes: int
    ended: dict[str, int]
    found: dict[str, Estimate]
    sd: dict[str, float] = Field(default_factory=dict, exclude_if=lambda found: not found)
    exchanges: int
    grader: str
    label: str
    rejected: dict[str, int] = Field(default_factory=dict)
    unguided_rounds: int = 0
    wall_s: float = 0.0

    def figures(self) -> dict[str, Estimate]:
        """Return every measure with its interval, by name."""
        return self.found

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON, with each measure also as a top-level key."""
        value = self.model_dump(mode="json")
        return {**value["found"], **value}


class Factor(NamedTuple):
    """A factor of the study's design with its levels; `numeric` if every level is a number."""

    name: str
    levels: tuple[str, ...]
    numeric: bool


class Condition(NamedTuple):
    """A condition as it was played. `levels` are its levels by factor, empty for one outside the factorial
    design; `cases` is its number of cases, `differs` the configuration that not all conditions share."""

    levels: dict[str, str]
    summary: ConditionSummary
    cases: int
    differs: dict[str, str]
    results_hash: str

    def figure(self, measure: Measure) -> Estimate:
        """Return its figure of a measure, clipped to the measure's range."""
        return self.summary.figures()[measure.spoken].within(measure.least, measure.most)


class RatedItem(NamedTuple):
    """An item that people rated, in words: the mean of each rater by condition, and that of all ratings."""

    title: str
    share: bool
    means: Mapping[str, Mapping[str, Estimate]]
    everyone: Mapping[str, Estimate]

    @property
    def raters(self) -> tuple[str, ...]:
        """Return everyone who rated it, sorted."""
        return tuple(sorted({rater for each in self.means.values() for rater in each}))


class StudyReport(NamedTuple):
    """The report of one study. Its text is untrusted: the caller must sanitize it before showing it.

    `note` is a caveat that must be shown with the figures, `human_anchor` says which ratings by people the
    judge's scores rest on; `declared` is the figure declared for the primary
    comparison, which a stand-in may have replaced.
    `conditions` are those played so far, `waiting` the names of the others, `shared` the configuration that
    all of them have in common, with versions. `status` is `done`, or `why` gives the reason it is not. `many`
    is the plural word for what was played, `measures` maps figures' names to measures, the headline first,
    and `main` names those of the first table. `means` are figures by factor and level, over the other
    factors, `rated` the items that people rated, and `scorecards` those of a seat's players by condition.
    """

    name: str
    title: str
    question: str
    cases: str
    status: str
    why: str
    factors: tuple[Factor, ...]
    declared: str
    primary: Contrast
    contrasts: tuple[Contrast, ...]
    conditions: dict[str, Condition]
    waiting: tuple[str, ...]
    shared: dict[str, str]
    many: str
    measures: Mapping[str, Measure]
    main: tuple[str, ...]
    note: str = ""
    human_anchor: str = ""
    means: Mapping[str, Mapping[str, Mapping[str, Estimate]]] = {}
    rated: tuple[RatedItem, ...] = ()
    scorecards: Mapping[str, Scorecard] = {}


class Block(NamedTuple):
    """A block of conditions that differ in one factor only, by level; `title` says what they share."""

    title: str
    rows: tuple[tuple[str, str], ...]


def compared_factor(report: StudyReport) -> Factor | None:
    """Return the factor whose levels are ranked: the first that is not numeric, such as the tutor, else the
    first."""
    named = [factor for factor in report.factors if not factor.numeric]
    return next(iter(named or report.factors), None)


def blocks(report: StudyReport, factor: Factor | None) -> list[Block]:
    """Return the conditions in blocks of (level of `factor`, condition name): first one block for each
    combination of the other factors' levels, then the conditions outside the factorial design."""
    crossed: dict[str, list[tuple[str, str]]] = {}
    alone: list[tuple[str, str]] = []
    for name, condition in report.conditions.items():
        if factor is None or factor.name not in condition.levels:
            alone.append((name, name))
        else:
            others = (f"{key} {level}" for key, level in condition.levels.items() if key != factor.name)
            crossed.setdefault(", ".join(others), []).append((condition.levels[factor.name], name))
    result = [Block(title, tuple(rows)) for title, rows in crossed.items()]
    if alone:
        result.append(Block("other conditions" if result else "", tuple(alone)))
    return result


def ranked_by(report: StudyReport) -> str:
    """Return the figure that conditions are ranked by: that of the primary comparison if it is a gain, the
    headline, or one of the first table of which more is better; else the first of that table."""
    headline, primary = next(iter(report.measures)), report.primary.figure
    measure = report.measures[primary]
    shown = primary in report.main and measure.better == "more"
    return primary if primary == headline or measure.kind == "gain" or shown else report.main[0]


def figures_of(report: StudyReport) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the figures of the first table, and the further ones that were scored in some condition."""
    scored = {
        name for one in report.conditions.values() for name, each in one.summary.figures().items() if each.n
    }
    return report.main, tuple(name for name in report.measures if name in scored - {*report.main})


def ranked(report: StudyReport, rows: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield the rows as (rank, level, condition), highest gain first. Equal gains share a rank; a row that is
    unscored has none."""
    figure = ranked_by(report)
    gains = {name: report.conditions[name].summary.figures()[figure].value for _, name in rows}
    scored = sorted((value for value in gains.values() if value is not None), reverse=True)

    def place(name: str) -> int:
        value = gains[name]
        return len(scored) if value is None else scored.index(value)

    for level, name in sorted(rows, key=lambda row: place(row[1])):
        value = gains[name]
        shared = "=" if value is not None and scored.count(value) > 1 else ""
        yield ("-" if value is None else f"{place(name) + 1}{shared}", level, name)
