"""The standardized-patient scenario: an examinee acts in explicit states and is judged by a frozen rubric."""

from __future__ import annotations

from typing import Final

from osler.core.episode import Cast
from osler.core.judge import Judge, Verdict
from osler.core.measure import share_of
from osler.core.protocol import Protocol
from osler.core.role import Role, Wrapper
from osler.encounter.scenario import ScenarioEncounter
from osler.encounter.table import Table
from osler.encounter.trace import Outcome, Trace
from osler.judging.rubric import keyed, lexical
from osler.judging.rubric.judgement import rubric_judgement_json
from osler.judging.rubric.keyed import judge_scenario
from osler.players.scenario.strategies.best_of import BestOf
from osler.players.scenario.strategies.consistency import SelfConsistency
from osler.players.scenario.strategies.panel import ExpertPanel
from osler.seats.scenario import CONTROLLER, EXAMINEE, PATIENT_SEAT
from osler.studies.scenario import ScenarioEpisode
from osler.studies.scenario_cast import BUILT_IN
from osler.studies.scenario_config import ScenarioConfig


async def _story(table: Table, episode: ScenarioEpisode, cast: Cast) -> Outcome:
    return await ScenarioEncounter(table, episode.case, episode.settings, episode.persona).play()


def _judged(episode: ScenarioEpisode, trace: Trace) -> Verdict:
    found = judge_scenario(episode.case, trace)
    return Verdict(found.grader, found.version, rubric_judgement_json(found))


PROTOCOL: Final = Protocol(
    one="scenario",
    many="scenarios",
    under_test="examinee",
    config=ScenarioConfig,
    source=lambda config: config.opened(),
    story=_story,
    roles=(
        Role(
            name="examinee",
            contracts=(EXAMINEE,),
            players=BUILT_IN["examinee"],
            wrappers=(
                Wrapper("+best-of", BestOf, counted=True, opinions=True),
                Wrapper("+panel", ExpertPanel, counted=True, opinions=True),
                Wrapper("+self-consistency", SelfConsistency, counted=True),
            ),
            alone=frozenset({"person", "external", "oracle", "scripted"}),
            mute=frozenset({"baseline", "null", "repeat-everything", "opening-only"}),
        ),
        Role(name="patient", contracts=(PATIENT_SEAT,), players=BUILT_IN["patient"], person=False),
        Role(name="controller", contracts=(CONTROLLER,), players=BUILT_IN["controller"], person=False),
    ),
    model="osler.studies.scenario_models:model_player",
    person="osler.studies.scenario_models:person",
    summary="osler.studies.scenarios:summary",
    debrief="osler.studies.scenarios:debrief",
    checklists=True,
    judges=(Judge("keyed", _judged, (keyed.GRADER, lexical.GRADER)),),
    measures=(share_of("net", "net score", "net score of the rubric's items"),),
    case="scenario",
    reading="osler scenario lint",
    notice="Simulated patients: for education and research only. Not medical advice.",
)
