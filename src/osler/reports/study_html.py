"""The report of a study as one self-contained HTML file, without scripts or network requests.

The same stored study gives the same bytes: there is no timestamp in it. All untrusted text is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from osler.core.measure import Measure
from osler.core.summary import LABEL
from osler.reports import plots, study_plots
from osler.reports.cells import Cell, cell
from osler.reports.page import page_template
from osler.reports.study_figures import difference_of, no_interval, p_value, value_of
from osler.reports.study_pictures import difference_axis, line_pictures, radar_pictures, value_axis
from osler.reports.study_plots import MOST_SERIES, Dot
from osler.reports.study_report import (
    Condition,
    Contrast,
    Factor,
    RatedItem,
    StudyReport,
    blocks,
    compared_factor,
    figures_of,
    ranked,
    ranked_by,
)
from osler.stats.cluster_t import FEWEST
from osler.stats.intervals import Estimate, too_few_scored

CLEAR: Final = 0.05
"""The significance level: p is Holm-adjusted over all comparisons tested."""
_FEWEST: Final = 2
"""Fewer conditions than this have no order."""


class ForestLine(NamedTuple):
    """A line of a forest plot: its label and note, its picture, and its figure as text."""

    label: str
    note: str
    plot: Markup
    cell: Cell
    clear: bool


class Group(NamedTuple):
    """Forest plot lines that share an axis."""

    title: str
    axis: Markup
    lines: tuple[ForestLine, ...]


class Rows(NamedTuple):
    """A row group of a table: rows of cells under a title, which may be empty."""

    title: str
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


def study_html(report: StudyReport) -> str:
    """Return the HTML page of a study."""
    compared = compared_factor(report)
    main, further = figures_of(report)
    cards = list(report.scorecards.values())
    labels = dict.fromkeys(one.summary.label for one in report.conditions.values())
    return page_template("study.html.j2").render(
        report=report,
        compared=compared,
        primary=_primary(report),
        stands_in=_stands_in(report),
        ranked_by=report.measures[ranked_by(report)].words,
        reading=_reading(report),
        tested=sum(one.p_holm is not None for one in report.contrasts),
        rankings=_rankings(report, compared),
        tables=[
            ("", _words(report, main), _tables(report, compared, main)),
            ("Further figures", _words(report, further), _tables(report, compared, further)),
            *_means(report, main),
            *((item.title, [*item.raters, "all ratings"], [_rated(item)]) for item in report.rated),
            *_scorecards(report),
        ],
        lines=line_pictures(report),
        radars=radar_pictures(report),
        contrasts=_contrasts(report),
        meanings=[
            *((report.measures[name].words, report.measures[name].means) for name in (*main, *further)),
            *((one.words, one.means) for card in cards[:1] for one in card.measures),
        ],
        marked=any(report.measures[name].kind == "mark" for name in main),
        averaged=any(report.measures[name].averages for name in main),
        reviewed=any(
            one.summary.rejected or one.summary.unguided_rounds for one in report.conditions.values()
        ),
        graders=sorted({one.summary.grader for one in report.conditions.values()}),
        mark=plots.mark,
        most=MOST_SERIES,
        fewest=FEWEST,
        what=report.many,
        label=" ".join(labels) or LABEL,
    )


def in_words(one: Contrast, measure: Measure, many: str) -> str:
    """Return a comparison as a sentence: the difference, its interval, and the numbers it rests on."""
    what = f"{measure.words} of {one.condition} minus that of {one.against}"
    rest = f"over {one.n_pairs:,} pairs of {many} in {one.cases:,} cases, {one.unscored:,} unscored"
    if one.value is None:
        return f"{what}: no value, {rest}."
    reach = (
        f"95 % interval {_reach(one, measure)}" if one.low is not None else no_interval(one.value, one.cases)
    )
    p = f"p\N{NO-BREAK SPACE}{p_value(one.p)}"
    return f"{what}: {difference_of(measure, one.value)}, {reach}, {rest}, {p}."


def _reading(report: StudyReport) -> str:
    """Return the interpretation of the primary comparison: what it shows and what it does not."""
    one = report.primary
    if one.value is None:
        unplayed = {one.condition, one.against} - report.conditions.keys()
        return "It has not been played yet." if unplayed else "There was nothing to compare."
    if too_few_scored(one.n_pairs, one.unscored):
        return "More than 5 % of the pairs are unscored, so nothing is concluded from it."
    if one.low is None or one.high is None:
        return "Without an interval nothing is concluded from it."
    if one.low > 0 or one.high < 0:
        side = "above" if one.low > 0 else "below"
        return f"The whole interval lies {side} 0: the two differ, for cases like these and these players."
    return (
        f"The interval covers 0: these {report.many} do not tell the two apart. That is no proof that"
        " they are equal."
    )


def _stands_in(report: StudyReport) -> str:
    """Return the note to show if a figure other than the declared one is compared."""
    if report.primary.figure == report.declared:
        return ""
    declared, taken = (report.measures[name].words for name in (report.declared, report.primary.figure))
    return (
        f"The declared figure was {declared}, with {taken} in its place where most cases hold no question for"
        " it, as is the case here."
        " Which of the two is used depends on the cases, not on the results."
    )


def _primary(report: StudyReport) -> tuple[str, Group]:
    one = report.primary
    measure = report.measures[one.figure]
    sentence = in_words(one, measure, report.many)
    return sentence[0].upper() + sentence[1:], _group(measure, [one], "")


def _contrasts(report: StudyReport) -> list[Group]:
    """Return the secondary comparisons, grouped by figure."""
    figures = dict.fromkeys(one.figure for one in report.contrasts)
    return [
        _group(
            report.measures[figure],
            [one for one in report.contrasts if one.figure == figure],
            "Holm's p",
        )
        for figure in figures
    ]


def _group(measure: Measure, found: Sequence[Contrast], p_name: str) -> Group:
    axis = difference_axis(measure, [end for one in found for end in (one.value, one.low, one.high)])
    lines = [
        ForestLine(
            one.condition,
            f"minus {one.against}",
            study_plots.difference(Dot(one.value, one.low, one.high), axis),
            _difference_cell(one, measure, p_name),
            one.p_holm is not None and one.p_holm < CLEAR,
        )
        for one in found
    ]
    title = measure.words + (", in percentage points" if measure.share else "")
    return Group(title, study_plots.difference_axis(axis), tuple(lines))


def _difference_cell(one: Contrast, measure: Measure, p_name: str) -> Cell:
    reach = _reach(one, measure) if one.low is not None else no_interval(one.value, one.cases)
    counts = f"{one.n_pairs:,} pairs" + (f", {one.unscored:,} not" if one.unscored else "")
    p = f"{p_name} {p_value(one.p_holm)}" if p_name else f"p {p_value(one.p)}"
    return Cell(difference_of(measure, one.value), reach, f"{counts}; {p}")


def _rankings(report: StudyReport, compared: Factor | None) -> list[Group]:
    """Return the conditions ranked by gain, a group for each combination of the other factors' levels."""
    levels = compared.levels if compared and len(compared.levels) <= MOST_SERIES else ()
    figure = ranked_by(report)
    measure = report.measures[figure]
    gains = [one.figure(measure) for one in report.conditions.values()]
    axis = value_axis(measure, [end for gain in gains for end in (gain.value, gain.low, gain.high)])
    groups = []
    for block in blocks(report, compared):
        if len(block.rows) < _FEWEST:
            continue
        lines = []
        for place, level, name in ranked(report, block.rows):
            condition = report.conditions[name]
            gain = condition.figure(measure)
            mark = levels.index(level) if level in levels else 0
            plot = study_plots.difference(Dot(gain.value, gain.low, gain.high), axis, mark)
            text = f"{compared.name} {level}" if compared and compared.numeric else level
            lines.append(ForestLine(f"{place} {text}", "", plot, _cell(condition, measure), False))
        groups.append(Group(block.title, study_plots.difference_axis(axis), tuple(lines)))
    return groups


def _tables(report: StudyReport, compared: Factor | None, figures: Sequence[str]) -> list[Rows]:
    return [
        Rows(
            block.title,
            tuple(
                (level, tuple(_cell(report.conditions[name], report.measures[figure]) for figure in figures))
                for level, name in block.rows
            ),
        )
        for block in blocks(report, compared)
    ]


def _means(report: StudyReport, figures: Sequence[str]) -> list[tuple[str, list[str], list[Rows]]]:
    """Return the table of each factor's levels over the other factors, if the study has several factors."""
    shown = [
        name for name in figures if all(name in one for by in report.means.values() for one in by.values())
    ]
    cases = max((one.cases for one in report.conditions.values()), default=0)
    parts = [
        Rows(
            factor,
            tuple(
                (level, tuple(_of(found[name], report.measures[name], cases) for name in shown))
                for level, found in levels.items()
            ),
        )
        for factor, levels in report.means.items()
    ]
    return (
        [("Means over the other factors, each episode counted once", _words(report, shown), parts)]
        if parts
        else []
    )


def _rated(item: RatedItem) -> Rows:
    """Return the ratings of the conditions, a column for each rater and one for all ratings."""
    rows = []
    for name, by_rater in item.means.items():
        result = [*(by_rater.get(rater) for rater in item.raters), item.everyone.get(name)]
        cells = [Cell("-", "", "not rated") if one is None else cell(one, item.share) for one in result]
        rows.append((name, tuple(cells)))
    return Rows("", tuple(rows))


def _scorecards(report: StudyReport) -> list[tuple[str, list[str], list[Rows]]]:
    """Return the scorecards of the conditions, a row each."""
    cards = report.scorecards
    if not cards:
        return []
    first = next(iter(cards.values()))
    rows = tuple(
        (
            name,
            tuple(_of(card.figures[one.name], one, report.conditions[name].cases) for one in card.measures),
        )
        for name, card in cards.items()
    )
    title = f"Scorecard of the {first.seat}, from its own answers"
    return [(title, [one.words for one in first.measures], [Rows("", rows)])]


def _cell(condition: Condition, measure: Measure) -> Cell:
    cell = _of(condition.figure(measure), measure, condition.cases)
    if (sd := condition.summary.sd.get(measure.spoken)) is not None:
        return cell._replace(counts=f"{cell.counts}; SD over repeats {value_of(measure, sd)}")
    return cell


def _of(found: Estimate, measure: Measure, cases: int) -> Cell:
    if found.low is None or found.high is None:
        reach = no_interval(found.value, cases)
    else:
        reach = f"{value_of(measure, found.low)} to {value_of(measure, found.high)}"
    counts = f"n {found.n:,}" + (f", {found.unscored:,} unscored" if found.unscored else "")
    return Cell(value_of(measure, found.value), reach, counts)


def _reach(one: Contrast, measure: Measure) -> str:
    return f"{difference_of(measure, one.low)} to {difference_of(measure, one.high)}"


def _words(report: StudyReport, figures: Sequence[str]) -> list[str]:
    return [report.measures[figure].words for figure in figures]
