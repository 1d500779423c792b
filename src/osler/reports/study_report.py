"""What a report says of a study, read from the store and not yet drawn, and in which order it is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from osler.core.measure import Measure
from osler.reports.condition import ConditionSummary


class Comparison(NamedTuple):
    """`figure` of `condition` minus that of `against`, over `n_pairs` pairs of episodes in `cases` cases."""

    figure: str
    condition: str
    against: str
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    n_pairs: int
    cases: int
    unscored: int


class Factor(NamedTuple):
    """What a study varies, level by level; `numeric` where every level is a number."""

    name: str
    levels: tuple[str, ...]
    numeric: bool


class Condition(NamedTuple):
    """A condition as it was played. `levels` are its levels by factor, none for one that stands by itself;
    `cases` is how many cases it met, `differs` its configuration where not all conditions share it."""

    levels: dict[str, str]
    summary: ConditionSummary
    cases: int
    differs: dict[str, str]
    results_hash: str


class StudyReport(NamedTuple):
    """One study. Text in it is still that of others: whoever shows it makes it safe.

    `note` is what nobody may read the figures without, `declared` the figure that was declared for the
    primary comparison, which a stand-in may have replaced.
    `conditions` are those played so far, `waiting` the names of the others, `shared` the configuration that
    all of them have in common, with versions. `status` is `done` or says why not in `why`. `many` is the
    word for what was played, `measures` are by the names of figures, the headline first, and `main` names
    those of the first table.
    """

    name: str
    title: str
    question: str
    cases: str
    status: str
    why: str
    factors: tuple[Factor, ...]
    declared: str
    primary: Comparison
    contrasts: tuple[Comparison, ...]
    conditions: dict[str, Condition]
    waiting: tuple[str, ...]
    shared: dict[str, str]
    many: str
    measures: Mapping[str, Measure]
    main: tuple[str, ...]
    note: str = ""


class Block(NamedTuple):
    """Conditions that differ in one factor only, by their level of it; `title` says what they share."""

    title: str
    rows: tuple[tuple[str, str], ...]


def compared_factor(report: StudyReport) -> Factor | None:
    """The factor whose levels are ranked: the first that is named, such as the tutor, or else the first."""
    named = [factor for factor in report.factors if not factor.numeric]
    return next(iter(named or report.factors), None)


def blocks(report: StudyReport, factor: Factor | None) -> list[Block]:
    """The conditions in blocks of (level of `factor`, name of the condition); first what the factors cross,
    a block for each combination of the other factors' levels, then what stands by itself."""
    crossed: dict[str, list[tuple[str, str]]] = {}
    alone: list[tuple[str, str]] = []
    for name, condition in report.conditions.items():
        if factor is None or factor.name not in condition.levels:
            alone.append((name, name))
        else:
            others = (f"{key} {level}" for key, level in condition.levels.items() if key != factor.name)
            crossed.setdefault(", ".join(others), []).append((condition.levels[factor.name], name))
    found = [Block(title, tuple(rows)) for title, rows in crossed.items()]
    if alone:
        found.append(Block("other conditions" if found else "", tuple(alone)))
    return found


def ranked_by(report: StudyReport) -> str:
    """The figure that conditions are ranked by: that of the primary comparison where it is a gain or the
    headline, else the first of the first table."""
    headline, primary = next(iter(report.measures)), report.primary.figure
    return primary if primary == headline or report.measures[primary].kind == "gain" else report.main[0]


def figures_of(report: StudyReport) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The figures of the first table, and the further ones that were scored in some condition."""
    scored = {
        name for one in report.conditions.values() for name, each in one.summary.figures().items() if each.n
    }
    return report.main, tuple(name for name in report.measures if name in scored - {*report.main})


def ranked(report: StudyReport, rows: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """The rows by their gain, the highest first, as (place, level, condition); equal gains share a place, and
    what was not scored has none."""
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
