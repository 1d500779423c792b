"""The debriefing of whoever has played a scenario, from the store: the report, and where to try again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.text import Text

from osler.cases.rubrics.model import Rubric
from osler.cases.scenarios.model import Scenario
from osler.core.summary import Debrief
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.contests import Contest, contests_in
from osler.judging.grader_notes import FORMATIVE, agreement_of
from osler.judging.rubric import lexical
from osler.judging.rubric.judgement import RubricJudgement, rubric_judgement_of, unscored
from osler.judging.rubric.published import final_evaluation
from osler.protocols.scenario.debrief import first_missed, scenario_report
from osler.protocols.scenario.judge import keyed
from osler.runs.stored_case import stored_scenarios
from osler.runs.totals import NOT_JUDGED
from osler.store.records import Judgement, RunInfo
from osler.store.store import Store


class Played(NamedTuple):
    """A stored episode with the built-in judge's judgement."""

    ordinal: int
    scenario: Scenario
    trace: Trace
    judgement: RubricJudgement
    contests: tuple[Contest, ...] = ()


def played_once(run: RunInfo, store: Store, ordinal: int | None = None) -> Played:
    """Return an ended episode of a run, the first if none is given. Raises BadInput if it has none."""
    found = next((one for one in store.records(run.id) if ordinal in (None, one[0].ordinal)), None)
    if found is None:
        raise BadInput("no such episode has been played", where=run.name, hint="osler show RUN:NUMBER")
    row, trace, judgements = found
    scenario = stored_scenarios(store)(row.case_hash)
    made = _among(judgements, _built_in(scenario), keyed.rubric_of(scenario))
    return Played(row.ordinal, scenario, trace, made, contests_in(one.body for one in judgements))


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
