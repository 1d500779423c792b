"""The sets of cases and the named judge of `osler study run`, and its results as JSON and as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.console import RenderableType
from rich.text import Text

from osler.cli.output import say
from osler.core.config import Config
from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.errors import BadInput, InfrastructureFault
from osler.reports.study_table import conditions_table, contrasts_table, experts_table, sets_table
from osler.runs.judged_episodes import Grader
from osler.runs.judging import JudgeOptions, check_judge, judge_by_name
from osler.runs.seating import ModelOptions
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.study.comparing import Marked
from osler.studies.study.design import Study
from osler.studies.study.means import Figures
from osler.studies.study.running import StudyResult, main_measures
from osler.text.hostile import safe

PRIMARY: Final = "Primary endpoint, pre-specified; * means p below 0.05"
SECONDARY: Final = "Secondary endpoints; * means p below 0.05, Holm-adjusted over all of them"
MEANS: Final = "Means by {factor}, over {others}: from the episodes, each counted once"
_WIDE: Final = 6
"""Columns that a table of conditions may have; with more, two tables are printed, the first of `_MOST`."""
_MOST: Final = 4
_NAMED: Final = re.compile(r"([\w .+-]{1,40})=(.+)", re.DOTALL)
_OWN: Final = re.compile(r"(.+),(format|images)=([^,]+)", re.DOTALL)


class SetOfCases(NamedTuple):
    """A set of cases of a study: the source, and its own `format` and `images` if it has any."""

    cases: str
    own: dict[str, str]


def sets_named(given: Sequence[str], study: Study) -> dict[str, SetOfCases]:
    """The sets of cases by name: those given as [NAME=]CASES[,format=FORMAT][,images=DIR], else the study's,
    else the library. Raises BadInput for two of one name."""
    if not given:
        return {name: _set_of(text) for name, text in (study.sets or {"library": "library"}).items()}
    result: dict[str, SetOfCases] = {}
    for text in given:
        match = None if Path(text).exists() else _NAMED.fullmatch(text)
        one = _set_of(match[2] if match else text)
        name = match[1].strip() if match else Path(one.cases).stem or one.cases
        if name in result:
            hint = "give each its name: --cases NAME=CASES"
            raise BadInput(f"two sets of cases are called {name!r}", where="--cases", hint=hint)
        result[name] = one
    return result


def _set_of(text: str) -> SetOfCases:
    """A set from its text; what stands after the source are its own options."""
    own: dict[str, str] = {}
    while not Path(text).exists() and (match := _OWN.fullmatch(text)):
        text, own = match[1], {match[2]: match[3].strip(), **own}
    return SetOfCases(text, own)


class StudyJudge:
    """The named judge of a study: it judges each run as it is done, and remembers what scores it gives."""

    def __init__(self, options: JudgeOptions, models: ModelOptions, store: Store) -> None:
        self.scores: tuple[Measure, ...] = ()
        self.marked: dict[str, Marked] = {}
        self._options, self._models, self._store = options, models, store

    def marks(self, wanted: Sequence[Config]) -> bool:
        """Whether the runs need judging after they are played. Raises BadInput as `check_judge` does."""
        self._options = self._options._replace(models=self._models, with_players=True)
        return check_judge(self._options, wanted)

    def mark(self, run: RunInfo) -> Marked:
        """Judge what is not judged yet of a run. Raises InfrastructureFault; judging can then be
        continued."""
        try:
            result = judge_by_name(run, self._store, self._options, say)
        except InfrastructureFault:
            say("Judgements so far are kept; run the same command again to continue.")
            raise
        self.scores = tuple(result.judge.scores)
        self.marked[run.name] = Marked(result.grader or Grader(self._options.name), self.scores)
        return self.marked[run.name]


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
        figures = {name: summary.figures() for name, summary in found.conditions.items()}
        spread = {name: summary.sd for name, summary in found.conditions.items()}
        main = main_measures(self.study, self.marks)
        marks = [one for one in self.marks if one.spoken in found.marks]
        marks.sort(key=lambda one: main.index(one) if one in main else len(main))
        own = [one for one in main if one not in self.marks]
        groups = [own[:_MOST], own[_MOST:]] if len(own) > _WIDE else [own]
        groups = [marks, *groups] if main and main[0] in marks else [*groups, marks]
        for columns in filter(None, groups):
            of_one = {n: f for n, f in figures.items() if columns[0].spoken in f}
            yield conditions_table(of_one, columns, spread)
        for name in found.conditions if found.data_sets else ():
            one = found.data_sets.get(name)
            yield Text(safe(f"{name}: trained on {one.words if one else 'no data set that is named'}"))
        for factor, levels in found.means.items():
            there = [one for one in (*own, *marks) if all(one.spoken in each for each in levels.values())]
            if there:
                others = " and ".join(name for name in found.means if name != factor)
                yield Text(safe(MEANS.format(factor=factor, others=others)), "bold")
                yield conditions_table(levels, there[:_MOST])
        yield from (experts_table(item.in_words) for item in found.experts)
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
