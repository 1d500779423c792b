"""The summary of a run of scenarios: completion, net score, critical items, harm, and each competency.

Every figure has its interval, the number of episodes scored and unscored, and the number of clusters of
source cases that they come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final, NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.cases.rubrics.model import COMPETENCIES, Competency
from osler.judging.rubric.figures import Figure, Figures, figures_json
from osler.reports.cells import number, without_interval
from osler.stats.intervals import Estimate
from osler.text.hostile import safe

LABEL: Final = (
    "Built-in players and judges are baselines that go by words; what they score checks the instrument and is"
    " no evidence about medicine. For education and research only."
)
ORACLE: Final = "oracle"
PRIVILEGED: Final = (
    "The oracle is privileged: given the script, it shows that a scenario can be played, and is not compared"
    " with the others."
)
_SHOWN: Final = ("completion_micro", "completion_macro", "net", "critical", "harm")
_GROUPS: Final = ("specialty", "urgency", "case_shape")


class ScenarioSummary(NamedTuple):
    """The results of a run of scenarios under one judge.

    `groups` has figures by specialty, urgency and case shape; `pass_k` (pass^k) maps k to the chance that k
    repeats of a scenario all get every critical item right (its `n` counts scenarios); `agreement` is the
    share of repeats that agree with an item's most common verdict. `wall_s` is wall-clock seconds.
    `reachable` is the completion of a play without fault, which has none of the negative items.
    """

    run: str
    examinee: str
    episodes: int
    ended: Mapping[str, int]
    whole: Figures
    by_competency: Mapping[Competency, Figures]
    groups: Mapping[str, Mapping[str, Figures]]
    pass_k: Mapping[int, Estimate]
    agreement: Estimate | None
    judge: str
    versions: Sequence[str]
    unscored_because: Mapping[str, int]
    exchanges: int
    wall_s: float
    reachable: float | None = None
    label: str = LABEL

    def as_json(self) -> dict[str, object]:
        """Return the summary as plain JSON."""
        return {
            "run": self.run,
            "examinee": self.examinee,
            "episodes": self.episodes,
            "ended": dict(self.ended),
            **figures_json(self.whole),
            "by_competency": {name: figures_json(found) for name, found in self.by_competency.items()},
            **{
                f"by_{group}": {name: figures_json(found) for name, found in held.items()}
                for group, held in self.groups.items()
            },
            "pass_k": {str(k): asdict(found) for k, found in self.pass_k.items()},
            "agreement": asdict(self.agreement) if self.agreement else None,
            "judge": self.judge,
            "versions": list(self.versions),
            "unscored_because": dict(self.unscored_because),
            "exchanges": self.exchanges,
            "wall_s": self.wall_s,
            "completion_reachable": self.reachable,
            "label": self.label,
        }


def scenario_table(summary: ScenarioSummary) -> RenderableType:
    """Return a terminal table of one examinee's figures."""
    table = _table("figure", "value", "95 % interval", "episodes", "unscored", "clusters")
    for name in _SHOWN:
        _row(table, name.replace("_", " "), getattr(summary.whole, name))
    for competency in COMPETENCIES:
        _row(table, f"{competency} net", summary.by_competency[competency].net)
    alone = 0
    for group in _GROUPS:
        for value, found in summary.groups[group].items():
            if found.net.clusters > 1:
                _row(table, f"{value} net", found.net)
            else:
                alone += 1
    ended = ", ".join(f"{count:,} {status}" for status, count in summary.ended.items())
    lines: list[RenderableType] = [
        Text(f"Run {safe(summary.run)}: {summary.episodes:,} episodes of {safe(summary.examinee)} ({ended})"),
        Text(f"{summary.exchanges:,} exchanges; this session took {summary.wall_s:,.1f} s"),
        Text(f"Judged by {safe(summary.judge)} {_versions(summary.versions)}", end="\n\n"),
        table,
        *map(Text, without_interval(getattr(summary.whole, name) for name in _SHOWN)),
    ]
    if alone:
        lines.append(Text(f"{alone} groups of a single cluster are left out; --json has them."))
    return Group(
        *lines,
        *_reachable([summary]),
        *_repeats(summary),
        *_missing(summary),
        Text(summary.label, "italic"),
    )


def side_by_side(summaries: Sequence[ScenarioSummary]) -> RenderableType:
    """Return a table of several examinees on the same worlds, one column each."""
    table = _table("figure", *(summary.examinee for summary in summaries))
    rows = {name.replace("_", " "): [getattr(each.whole, name) for each in summaries] for name in _SHOWN}
    rows |= {f"{one} net": [each.by_competency[one].net for each in summaries] for one in COMPETENCIES}
    for name, found in rows.items():
        if any(figure.n or figure.unscored for figure in found):
            table.add_row(name, *map(_brief, found))
    counts = {
        "episodes": [f"{each.episodes:,}" for each in summaries],
        "unscored": [f"{each.whole.net.unscored:,}" for each in summaries],
        "clusters": [f"{each.whole.net.clusters:,}" for each in summaries],
    }
    for name, cells in counts.items():
        table.add_row(name, *cells)
    judges = ", ".join(dict.fromkeys(summary.judge for summary in summaries))
    played: tuple[Text, ...] = tuple(
        Text(f"{safe(each.examinee)}: run {safe(each.run)}, {each.wall_s:,.1f} s") for each in summaries
    )
    if any(each.examinee == ORACLE for each in summaries):
        played = (*played, Text(PRIVILEGED))
    return Group(
        table,
        *played,
        *_reachable(summaries),
        Text(f"Judged by {safe(judges)}"),
        Text(summaries[0].label, "italic"),
    )


def _table(*columns: str) -> Table:
    table = Table()
    for place, column in enumerate(columns):
        table.add_column(Text(safe(column)), justify="right" if place else "left")
    return table


def _row(table: Table, name: str, figure: Figure) -> None:
    if figure.n or figure.unscored:
        value, reach = _cells(figure)
        counts = (f"{figure.n:,}", f"{figure.unscored:,}", f"{figure.clusters:,}")
        table.add_row(*(Text(cell) for cell in (safe(name), value, reach, *counts)))


def _cells(figure: Figure) -> tuple[str, str]:
    """Format a value and its interval; bounds instead of both if too many episodes are unscored."""
    if figure.bounds:
        return "-", f"bounds {number(figure.bounds[0], True)} to {number(figure.bounds[1], True)}"
    if figure.low is None or figure.high is None:
        return number(figure.value, True), "no interval"
    return number(figure.value, True), f"{number(figure.low, True)} to {number(figure.high, True)}"


def _versions(versions: Sequence[str]) -> str:
    """Return the first version and the number of others; there are several because a judge's version depends
    on the scenario too."""
    more = f" and {len(versions) - 1} more" if len(versions) > 1 else ""
    return f"{safe(versions[0])}{more}" if versions else ""


def _brief(figure: Figure) -> str:
    value, reach = _cells(figure)
    return f"{value}\n{reach}" if figure.n or figure.unscored else "-"


def _reachable(summaries: Sequence[ScenarioSummary]) -> list[Text]:
    """Say how far completion can get, where items that count against the examinee keep it below 100 %."""
    most = max((each.reachable for each in summaries if each.reachable is not None), default=1.0)
    if most >= 1:
        return []
    return [
        Text(
            "Completion counts items that speak against the examinee like all others, as published: a play"
            f" without fault reaches {number(most, True)} of it here, and 100 % net."
        )
    ]


def _repeats(summary: ScenarioSummary) -> list[Text]:
    if summary.agreement is None:
        return []
    passes = ", ".join(f"pass^{k} {number(found.value, True)}" for k, found in summary.pass_k.items())
    agreed = number(summary.agreement.value, True)
    return [Text(f"Over repeats: {passes} (every critical item right); verdicts agree in {agreed}")]


def _missing(summary: ScenarioSummary) -> list[Text]:
    because = ", ".join(f"{count:,} {reason}" for reason, count in summary.unscored_because.items())
    return [Text(f"Unscored: {safe(because)}")] if because else []
