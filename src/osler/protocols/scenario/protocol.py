"""The standardized-patient scenario as a value: all that Osler asks of a protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from osler.cases.importers.images import Images
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.core.composite import Cast
from osler.core.judge import Judge, ModelJudged, Verdict
from osler.core.lazy import Lazy
from osler.core.order_events import ORDER_WORDS
from osler.core.protocol import Protocol
from osler.core.role import EXTERNAL, PERSON, Role
from osler.core.source import Source
from osler.core.table import Table
from osler.core.trace import Outcome, Trace
from osler.core.wrapper_events import WRAPPER_WORDS
from osler.judging.rubric import lexical
from osler.judging.rubric.of_episodes import by_words
from osler.players.wrappers.general import general_wrappers
from osler.protocols.scenario.casting import BUILT_IN, ScenarioCasting
from osler.protocols.scenario.claim_checks import checked_controller, checked_patient_seat
from osler.protocols.scenario.config import ScenarioConfig, ScenarioEpisode
from osler.protocols.scenario.events import SCENARIO_WORDS
from osler.protocols.scenario.judge import keyed
from osler.protocols.scenario.measures import GROUPS, MEASURES, clusters, judgement
from osler.protocols.scenario.replies import EXAMINEES
from osler.protocols.scenario.reply_words import SCENARIO_REPLIES
from osler.protocols.scenario.seats import CONTROLLER, EXAMINEE, PATIENT_SEAT
from osler.protocols.scenario.story import ScenarioEncounter
from osler.text.languages import played_in


def _source(config: ScenarioConfig) -> Source[Scenario]:
    rubrics = Path(config.rubrics) if config.rubrics else None
    images = Images(config.images, without=config.without_images)
    return open_scenarios(config.cases, config.format, rubrics=rubrics, images=images)


async def _story(table: Table, episode: ScenarioEpisode, cast: Cast) -> Outcome:
    return await ScenarioEncounter(table, episode.case, episode.settings, episode.persona).play()


def _judged(episode: ScenarioEpisode, trace: Trace) -> Verdict:
    return keyed.judge_scenario(episode.case, trace, played_in(episode.settings, episode.case)).stored


def _judged_by_words(episode: ScenarioEpisode, trace: Trace) -> Verdict:
    language = played_in(episode.settings, episode.case)
    return by_words(keyed.rubric_of(episode.case), trace, episode.protocol, language)


MODELS: Final = "osler.protocols.scenario.model.players"
PROTOCOL: Final = Protocol(
    one="scenario",
    many="scenarios",
    staging=Lazy("osler.protocols.scenario.staging:STAGING"),
    under_test="examinee",
    config=ScenarioConfig,
    source=_source,
    story=_story,
    words={**ORDER_WORDS, **WRAPPER_WORDS, **SCENARIO_WORDS},
    reply_words=SCENARIO_REPLIES,
    roles=(
        Role(
            contracts=(EXAMINEE,),
            players=BUILT_IN["examinee"],
            model=Lazy(f"{MODELS}:ModelExaminee"),
            looks=True,
            wrappers=general_wrappers(EXAMINEES),
            alone=frozenset({PERSON, EXTERNAL, "oracle", "scripted"}),
        ),
        Role(
            contracts=(PATIENT_SEAT,),
            players=BUILT_IN["patient"],
            model=Lazy(f"{MODELS}:ModelPatientSeat"),
            person=False,
            check=checked_patient_seat,
            scorecard=Lazy("osler.protocols.scenario.patient_score:scored"),
        ),
        Role(
            contracts=(CONTROLLER,),
            players=BUILT_IN["controller"],
            model=Lazy(f"{MODELS}:ModelController"),
            person=False,
            check=checked_controller,
        ),
    ),
    groups=GROUPS,
    notes=Lazy("osler.protocols.scenario.notes:ScenarioNoteTaker"),
    debriefing=Lazy("osler.protocols.scenario.debriefing:debriefing"),
    failures=Lazy("osler.protocols.scenario.failures:failures"),
    casting=ScenarioCasting,
    forms=Lazy("osler.protocols.scenario.forms:FORMS"),
    checklists=True,
    main=("net", "completion_macro", "completion_micro", "critical", "harm"),
    exports={"medsp1000": Lazy("osler.protocols.scenario.export:medsp1000")},
    judges=(
        Judge("keyed", _judged, (keyed.GRADER, lexical.GRADER)),
        Judge("lexical", _judged_by_words, (lexical.GRADER,)),
    ),
    model_judge=ModelJudged(Lazy("osler.protocols.scenario.judge.by_model:by_own_rubric")),
    training={"examinee": Lazy("osler.protocols.scenario.training.seat:EXAMINEE_SEAT")},
    probes={"null": "nothing", "repeat-everything": "what it is shown", "opening-only": "the opening"},
    transcript=Lazy("osler.judging.rubric.of_episodes:examined"),
    scale="rubric",
    measures=MEASURES,
    judgement=judgement,
    clusters=clusters,
    case="scenario",
    reading="osler scenario lint",
    notice="Simulated patients: for education and research only. Not medical advice.",
)
