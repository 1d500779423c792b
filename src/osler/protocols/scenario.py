"""The standardized-patient scenario: an examinee acts in explicit states and is judged by a frozen rubric."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.cases.sources import Source
from osler.core.episode import Cast
from osler.core.judge import Judge, Verdict
from osler.core.protocol import Protocol
from osler.core.role import Role
from osler.core.wrappers import general_wrappers
from osler.encounter.scenario import ScenarioEncounter
from osler.encounter.table import Table
from osler.encounter.trace import Outcome, Trace
from osler.judging.rubric import keyed, lexical
from osler.judging.rubric.of_episodes import by_words, stored
from osler.players.scenario.replies import EXAMINEES
from osler.protocols.scenario_measures import MEASURES, clusters, judgement
from osler.seats.order_events import ORDER_WORDS
from osler.seats.scenario import CONTROLLER, EXAMINEE, PATIENT_SEAT
from osler.seats.scenario_events import SCENARIO_WORDS
from osler.seats.wrapper_events import WRAPPER_WORDS
from osler.studies.scenario import ScenarioEpisode
from osler.studies.scenario_cast import BUILT_IN
from osler.studies.scenario_config import ScenarioConfig


def _source(config: ScenarioConfig) -> Source[Scenario]:
    rubrics = Path(config.rubrics) if config.rubrics else None
    return open_scenarios(config.cases, config.format, rubrics=rubrics)


async def _story(table: Table, episode: ScenarioEpisode, cast: Cast) -> Outcome:
    return await ScenarioEncounter(table, episode.case, episode.settings, episode.persona).play()


def _judged(episode: ScenarioEpisode, trace: Trace) -> Verdict:
    return stored(keyed.judge_scenario(episode.case, trace))


def _judged_by_words(episode: ScenarioEpisode, trace: Trace) -> Verdict:
    return by_words(keyed.rubric_of(episode.case), trace, episode.protocol)


PROTOCOL: Final = Protocol(
    one="scenario",
    many="scenarios",
    under_test="examinee",
    config=ScenarioConfig,
    source=_source,
    story=_story,
    words={**ORDER_WORDS, **WRAPPER_WORDS, **SCENARIO_WORDS},
    roles=(
        Role(
            name="examinee",
            contracts=(EXAMINEE,),
            players=BUILT_IN["examinee"],
            wrappers=general_wrappers(EXAMINEES),
            alone=frozenset({"person", "external", "oracle", "scripted"}),
        ),
        Role(name="patient", contracts=(PATIENT_SEAT,), players=BUILT_IN["patient"], person=False),
        Role(name="controller", contracts=(CONTROLLER,), players=BUILT_IN["controller"], person=False),
    ),
    model="osler.studies.scenario_models:model_player",
    person="osler.studies.scenario_models:person",
    summary="osler.studies.scenarios:summary",
    debrief="osler.studies.scenarios:debrief",
    checklists=True,
    main=("net", "completion_macro", "completion_micro", "critical", "harm"),
    exports={"medsp1000": "osler.studies.scenario_export:medsp1000"},
    judges=(
        Judge("keyed", _judged, (keyed.GRADER, lexical.GRADER)),
        Judge("lexical", _judged_by_words, (lexical.GRADER,)),
    ),
    model_judge="osler.judging.model_judges:by_own_rubric",
    probes={"null": "nothing", "repeat-everything": "what it is shown", "opening-only": "the opening"},
    measures=MEASURES,
    judgement=judgement,
    clusters=clusters,
    case="scenario",
    reading="osler scenario lint",
    notice="Simulated patients: for education and research only. Not medical advice.",
)
