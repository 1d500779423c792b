"""A study's results as JSON and as printed tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.reports.study_table import (
    conditions_table,
    contrasts_table,
    experts_table,
    scorecard_tables,
    sets_table,
)
from osler.studies.study.checkpoints import in_words
from osler.studies.study.design import Study
from osler.studies.study.means import Figures
from osler.studies.study.running import StudyResult, main_measures
from osler.text.hostile import safe

PRIMARY: Final = "Primary endpoint, pre-specified; * means p below 0.05"
SECONDARY: Final = "Secondary endpoints; * means p below 0.05, Holm-adjusted over all of them"
MEANS: Final = "Means by {factor}, over {others}: from the episodes, each counted once"
_WIDE: Final = 5
"""Columns that a table of conditions may have; with more, two tables are printed, the first of `_MOST`."""
_MOST: Final = 4


@dataclass(frozen=True)
class StudyShown:
    """A study's results, on one set of cases or several; `marks` are the measures its judge gave, `over_sets`
    each condition's figures over the episodes of all sets."""

    study: Study
    marks: tuple[Measure, ...]
    over_sets: Mapping[str, Figures]

    @property
    def protocol(self) -> Protocol:
        """The protocol that was played, with the study's measures."""
        return self.study.plays

    def value(self, results: Mapping[str, StudyResult], sets: int) -> dict[str, Any]:
        """The results as JSON: those of the only set, or of each set by its name."""
        if sets == 1:
            (only,) = results.values()
            return only.as_json()
        means = {
            name: {figure: asdict(one) for figure, one in figures.items()}
            for name, figures in self.over_sets.items()
        }
        return {
            "sets": {name: found.as_json() for name, found in results.items()},
            **({"means": means} if means else {}),
        }

    def tables(self, results: Mapping[str, StudyResult]) -> Iterator[RenderableType]:
        """The results as tables; of several sets first the conditions by sets."""
        first = next(iter(results.values()))
        yield Text(f"{safe(first.title)}: {safe(first.question)}")
        if first.note:
            yield Text(safe(first.note), "italic")
        if len(results) > 1:
            yield from self._by_sets(results)
        for name, result in results.items():
            if len(results) > 1:
                yield Text(safe(f"\n{name}: {result.cases}"), "bold")
            yield from self._of_one(result)
        yield from (Text(line) for line in dict.fromkeys(one.human_anchor.line for one in results.values()))
        labels = [summary.label for summary in first.conditions.values()]
        yield Text(" ".join(labels[:1]), "italic")

    def _of_one(self, found: StudyResult) -> Iterator[RenderableType]:
        measures = {one.spoken: one for one in (*self.protocol.measures, *self.marks)}
        main = main_measures(self.study, self.marks)
        own = [one for one in main if one not in self.marks]
        marks = [one for one in self.marks if one.spoken in found.marks]
        marks.sort(key=lambda one: main.index(one) if one in main else len(main))
        groups = [own[:_MOST], own[_MOST:]] if len(own) > _WIDE else [own]
        yield from _conditions(found, [marks, *groups] if main and main[0] in marks else [*groups, marks])
        yield from _data_sets(found)
        yield from (Text(safe(f"{name}: {one}")) for name, one in in_words(found.checkpoints).items())
        yield from _means(found, [*own, *marks])
        yield from (experts_table(item.in_words) for item in found.experts)
        if found.scorecards:
            yield from scorecard_tables(found.scorecards)
        yield contrasts_table([found.primary], PRIMARY, measures)
        yield contrasts_table(found.contrasts, SECONDARY, measures)

    def _by_sets(self, results: Mapping[str, StudyResult]) -> Iterator[RenderableType]:
        sets = {name: found.conditions for name, found in results.items()}
        primary = {found.primary.figure for found in results.values()}
        chosen = (
            {one.spoken for one in main_measures(self.study, self.marks)} if self.study.figures else set()
        )
        yield Text("Conditions by sets of cases. Each set has its own primary comparison, below.", "bold")
        for measure in (*self.protocol.measures, *self.marks):
            if measure.spoken in primary | chosen or measure in self.marks:
                yield sets_table(measure, sets, self.over_sets)


def _conditions(found: StudyResult, groups: Sequence[Sequence[Measure]]) -> Iterator[RenderableType]:
    """Yield a table of the conditions for each group of measures."""
    figures = {name: summary.figures() for name, summary in found.conditions.items()}
    spread = {name: summary.sd for name, summary in found.conditions.items()}
    for columns in filter(None, groups):
        of_one = {name: one for name, one in figures.items() if columns[0].spoken in one}
        yield conditions_table(of_one, columns, spread)


def _data_sets(found: StudyResult) -> Iterator[RenderableType]:
    """Yield a line for each condition on what its player was trained on, if any names a data set."""
    for name in found.conditions if found.data_sets else ():
        one = found.data_sets.get(name)
        yield Text(safe(f"{name}: trained on {one.words if one else 'no data set that is named'}"))


def _means(found: StudyResult, measures: Sequence[Measure]) -> Iterator[RenderableType]:
    """Yield a table of the means by each factor, of the first measures that all its levels have."""
    for factor, levels in found.means.items():
        there = [one for one in measures if all(one.spoken in each for each in levels.values())]
        if there:
            others = " and ".join(name for name in found.means if name != factor)
            yield Text(safe(MEANS.format(factor=factor, others=others)), "bold")
            yield conditions_table(levels, there[:_MOST])
