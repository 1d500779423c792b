"""Summaries of runs of scenarios under one judge, the same after any number of sessions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from rich.text import Text

from osler.cases.rubrics.model import Rubric
from osler.cases.rubrics.near_duplicates import clusters
from osler.cases.scenarios.model import Scenario
from osler.core.summary import Debrief, Summary
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.contests import Contest, contests_in
from osler.judging.grader_notes import FORMATIVE, agreement_of
from osler.judging.rubric import lexical
from osler.judging.rubric.figures import Figures, Judged, figures, figures_by_competency
from osler.judging.rubric.judgement import RubricJudgement, rubric_judgement_of, unscored
from osler.judging.rubric.published import final_evaluation
from osler.protocols.scenario.debrief import first_missed, scenario_report
from osler.protocols.scenario.judge import keyed
from osler.protocols.scenario.summary_table import ScenarioSummary, scenario_table
from osler.runs.judged_episodes import Grader, judged_episodes
from osler.runs.stored_case import stored_scenarios
from osler.stats.intervals import Estimate, mean_interval, pass_power
from osler.store.records import Judgement, RunInfo
from osler.store.store import Store

NOT_JUDGED: Final = "not_judged"
UNSTATED: Final = "not stated"
_GROUPS: Final[Mapping[str, Callable[[Scenario], str | None]]] = {
    "specialty": lambda scenario: scenario.specialty,
    "urgency": lambda scenario: scenario.urgency,
    "case_shape": lambda scenario: scenario.case_shape,
}


class Scored(NamedTuple):
    """An episode's judgement, with its scenario and the cluster of its source case."""

    scenario: Scenario
    judged: Judged


class Played(NamedTuple):
    """A stored episode with the built-in judge's judgement."""

    ordinal: int
    scenario: Scenario
    trace: Trace
    judgement: RubricJudgement
    contests: tuple[Contest, ...] = ()


class _Read(NamedTuple):
    ended: Counter[str]
    exchanges: int
    scored: list[Scored]


def summarize_scenarios(
    run: RunInfo, store: Store, wall_s: float, grader: str | None = None
) -> ScenarioSummary:
    """Summarize a run by one grader's judgements; by the built-in judge's if none is named.

    An episode that this grader has not judged by the scenario's current rubric counts as unscored.
    """
    found = _read(run, store, grader)
    judged = [one.judged for one in found.scored]
    judgements = [one.judgement for one in judged]
    because = Counter(one.scores.net.reason for one in judgements if one.scores.completion.value is None)
    return ScenarioSummary(
        run=run.name,
        examinee=str(run.manifest["configuration"].get("examinee", "")),
        episodes=sum(found.ended.values()),
        ended=dict(sorted(found.ended.items())),
        whole=figures(judged),
        by_competency=figures_by_competency(judged),
        groups={name: _by(found.scored, of) for name, of in _GROUPS.items()},
        pass_k=passes(found.scored),
        agreement=agreement(found.scored),
        judge=", ".join(sorted({one.grader for one in judgements})),
        versions=sorted({one.version for one in judgements if one.version}),
        unscored_because=dict(sorted(because.items())),
        exchanges=found.exchanges,
        wall_s=round(wall_s, 3),
        reachable=_reachable([one.rubric for one in judgements]),
    )


def _reachable(rubrics: Sequence[Rubric]) -> float | None:
    """The completion, over all items, of a play without fault: no negative item holds, and of the levels of
    one thing only one does. `None` without items."""
    most = items = 0
    for rubric in rubrics:
        good = [item.traits for item in rubric.items if not item.traits.negative or item.traits.group]
        most += sum(not one.group for one in good) + len({one.group for one in good if one.group})
        items += len(rubric.items)
    return most / items if items else None


def played_once(run: RunInfo, store: Store, ordinal: int | None = None) -> Played:
    """Return an ended episode of a run, the first if none is given. Raises BadInput if it has none."""
    found = next((one for one in store.records(run.id) if ordinal in (None, one[0].ordinal)), None)
    if found is None:
        raise BadInput("no such episode has been played", where=run.name, hint="osler show RUN:NUMBER")
    row, trace, judgements = found
    scenario = stored_scenarios(store)(row.case_hash)
    made = _among(judgements, _built_in(scenario), keyed.rubric_of(scenario))
    return Played(row.ordinal, scenario, trace, made, contests_in(one.body for one in judgements))


def summary(run: RunInfo, store: Store, wall_s: float, grader: Grader | None = None) -> Summary:
    """Return the summary of a run, by the built-in judge if no grader is named."""
    found = summarize_scenarios(run, store, wall_s, grader.name if grader else None)
    return Summary(found.as_json(), lambda: scenario_table(found), found.label)


def debrief(run: RunInfo, store: Store, ordinal: int | None = None) -> Debrief:
    """Return the debriefing of a person who has played one scenario: the report, and where to try again."""
    episode = played_once(run, store, ordinal)
    point = first_missed(episode.scenario, episode.trace, episode.judgement)
    of = f"{run.name}:{episode.ordinal}"
    told = scenario_report(episode.scenario, episode.trace, episode.judgement, episode.contests, of)
    contest = f'To say that you did one of these: osler marks contest {of} ITEM "your words"'
    shown: tuple[Any, ...] = (told, Text(contest))
    value: dict[str, Any] = {
        "episode": of,
        "items": final_evaluation(episode.judgement, ""),
        **_marks(episode),
    }
    if point:
        again = f"osler branch {run.name}:{episode.ordinal} --at {point.keep}"
        value["branch"] = {"item": point.item.text, "keep": point.keep, "command": again}
        shown = (*shown, Text(f'Try again where "{point.item.text}" was due:\n  {again}'))
    return Debrief(value, shown)


def _marks(episode: Played) -> dict[str, Any]:
    """The states of an episode's items and the range of its scores, for `--json`."""
    made = episode.judgement
    states = {
        item.text: verdict.open or ("met" if verdict.holds else "not_met")
        for item, verdict in zip(made.rubric.items, made.verdicts, strict=True)
    }
    low, high = made.scores.net.value, made.highest.net.value
    return {
        "use": FORMATIVE,
        "grader": made.grader,
        "grader_agreement": agreement_of(made.grader),
        "states": states,
        "net_range": {"at_least": low, "at_most": high},
    }


def passes(scored: Sequence[Scored]) -> dict[int, Estimate]:
    """Return pass^k by k: the chance that k repeats of a scenario all get every critical item right; empty
    without repeats."""
    tries: dict[str, list[float]] = defaultdict(list)
    for one in scored:
        if (value := one.judged.judgement.scores.critical.value) is not None:
            tries[one.scenario.id].append(value)
    counts = {key: (round(sum(values)), len(values)) for key, values in tries.items()}
    most = max((n for _, n in counts.values()), default=0)
    return {k: pass_power(counts, k) for k in range(1, most + 1)} if most > 1 else {}


def agreement(scored: Sequence[Scored]) -> Estimate | None:
    """Return the mean share of repeats that agree with an item's modal verdict; `None` without repeats."""
    repeats: dict[tuple[str, str], list[RubricJudgement]] = defaultdict(list)
    for one in scored:
        if one.judged.judgement.scores.completion.value is not None:
            repeats[one.judged.cluster, one.scenario.id].append(one.judged.judgement)
    values: dict[str, list[float]] = defaultdict(list)
    for (cluster, _), judgements in sorted(repeats.items(), key=lambda entry: entry[0]):
        if len(judgements) > 1:
            for verdicts in zip(*(each.verdicts for each in judgements), strict=True):
                commonest = Counter(verdict.holds for verdict in verdicts).most_common(1)[0][1]
                values[cluster].append(commonest / len(judgements))
    return mean_interval(values, proportion=True) if values else None


def _read(run: RunInfo, store: Store, named: str | None) -> _Read:
    scenario_of = stored_scenarios(store)
    ended: Counter[str] = Counter()
    exchanges = 0
    found: list[tuple[Scenario, RubricJudgement]] = []
    for row, judgements in judged_episodes(run, store, earlier=True):
        scenario = scenario_of(row.case_hash)
        ended[str(row.status)] += 1
        exchanges += row.exchanges
        grader = named or _built_in(scenario)
        found.append((scenario, _among(judgements, grader, keyed.rubric_of(scenario))))
    rubrics = {judgement.rubric.key: judgement.rubric for _, judgement in found}
    cluster_of = clusters(rubrics.values())
    scored = [Scored(each, Judged(cluster_of[made.rubric.key], made)) for each, made in found]
    return _Read(ended, exchanges, scored)


def _built_in(scenario: Scenario) -> str:
    return keyed.GRADER if scenario.rubric else lexical.GRADER


def _among(judgements: Sequence[Judgement], grader: str, rubric: Rubric) -> RubricJudgement:
    """Return the grader's last judgement by this rubric; without one, everything is unscored."""
    for each in reversed(judgements):
        if each.grader == grader:
            try:
                return rubric_judgement_of(each.body, rubric)
            except ValueError:  # by another rubric, or by an Osler that kept it otherwise
                continue
    return RubricJudgement(grader, "", rubric, unscored(rubric, NOT_JUDGED))


def _by(scored: Sequence[Scored], of: Callable[[Scenario], str | None]) -> dict[str, Figures]:
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in scored:
        groups[of(one.scenario) or UNSTATED].append(one.judged)
    return {name: figures(groups[name]) for name in sorted(groups)}
