"""Export of a run of scenarios as folders for other tools, one per episode, each written atomically."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from osler.cases.scenarios.model import Scenario
from osler.core.summary import Exported
from osler.core.trace import Trace
from osler.files import write_folder
from osler.judging.grader_notes import FORMATIVE, agreement_of
from osler.judging.rubric.judgement import RubricJudgement, rubric_judgement_of
from osler.judging.rubric.published import FILE, final_evaluation
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.judge.keyed import rubric_of
from osler.protocols.scenario.published import (
    ACTIONS,
    MANIFEST,
    TRANSCRIPT,
    TURNS,
    action_history,
    run_manifest,
    transcript,
    turns,
)
from osler.runs.judged_episodes import judged_episodes
from osler.runs.run import config_as
from osler.runs.stored_case import stored_scenarios
from osler.store.permitted_store import for_reader
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store

_SEATS: Final[dict[str, str]] = {"patient": "sp", "controller": "environment"}
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")


def medsp1000(run: RunInfo, store: Store, out: Path) -> Exported:
    """Write a run in the published format, a folder; see `export_published`."""
    episodes, scored = export_published(run, store, out)
    lacks = f"{episodes - scored} episodes have no score, and no {FILE}" if scored < episodes else ""
    return Exported(episodes, lacks)


def export_published(run: RunInfo, store: Store, out: Path) -> tuple[int, int]:
    """Write every ended episode to `out/<run>/<case>_<scenario>_<ordinal>/`. Return their number, and how
    many of them have a score.

    A folder with the same contents is left as it is. Raises BadInput if a folder has other contents, the run
    is not of scenarios, or the folder cannot be written.
    """
    store = for_reader(store, "published export")
    scenario_of, config = stored_scenarios(store), config_as(run, ScenarioConfig)
    models = {_SEATS.get(seat, seat): name for seat, name in config.players().items()}
    episodes = scored = 0
    # Traces and judgements come in the order of their ordinals.
    for (row, trace), (_, judgements) in zip(store.traces(run.id), judged_episodes(run, store), strict=True):
        scenario = scenario_of(row.case_hash)
        files = _files(scenario, row, trace, judgements, run, models)
        name = f"{scenario.case_id}_{scenario.scenario}_{row.ordinal}"
        write_folder(out / _UNSAFE.sub("_", run.name) / _UNSAFE.sub("_", name), files)
        episodes += 1
        scored += FILE in files
    return episodes, scored


def _files(
    scenario: Scenario,
    row: EpisodeRow,
    trace: Trace,
    judgements: Sequence[Judgement],
    run: RunInfo,
    models: dict[str, str],
) -> dict[str, str]:
    judged = _last(judgements, scenario)
    # The time the episode ended, so that the same run is written in the same bytes.
    when = datetime.fromtimestamp(row.ended or 0, UTC).isoformat(timespec="seconds")
    score = final_evaluation(judged, when) if judged else None
    by = {"judge": judged.model or judged.grader} if judged else {}
    if score and judged:
        score |= {"_use": FORMATIVE, "_grader_agreement": agreement_of(judged.grader)}
    manifest = run_manifest(scenario, trace, f"{run.name}-{row.ordinal}", {**models, **by}, score)
    values: dict[str, Any] = {
        TRANSCRIPT: transcript(scenario, trace),
        TURNS: turns(scenario, trace),
        ACTIONS: action_history(scenario, trace),
        MANIFEST: {**manifest, "episode": row.key},
        **({FILE: score} if score else {}),
    }
    return {name: json.dumps(held, ensure_ascii=False, indent=2) + "\n" for name, held in values.items()}


def _last(judgements: Sequence[Judgement], scenario: Scenario) -> RubricJudgement | None:
    """Return the last judgement by the scenario's rubric, from any grader."""
    return next(_by_rubric(judgements, scenario), None)


def _by_rubric(judgements: Sequence[Judgement], scenario: Scenario) -> Iterator[RubricJudgement]:
    rubric = rubric_of(scenario)
    for one in reversed(judgements):
        try:
            yield rubric_judgement_of(one.body, rubric)
        except ValueError:  # of another kind, or by another rubric
            continue
