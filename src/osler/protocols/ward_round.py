"""The teaching ward round: a tutor, reviewed before it speaks, leads students through a case."""

from __future__ import annotations

from typing import Final

from osler.cases.sources import open_source
from osler.core.episode import Cast
from osler.core.judge import Judge, Verdict
from osler.core.protocol import Protocol
from osler.core.role import Role
from osler.core.wrappers import general_wrappers
from osler.encounter.table import Table
from osler.encounter.trace import Outcome, Trace
from osler.encounter.ward_round import WardRound
from osler.judging.teaching.record import GRADER, VERSION, anew
from osler.players.round.replies import TUTORS
from osler.protocols.ward_round_measures import MEASURES, judgement
from osler.seats.patient import PATIENT
from osler.seats.round_events import ROUND_WORDS
from osler.seats.ward_round import EXPERT, SPECIALIST, SUPERVISOR, TUTOR, acting, analysing, examined
from osler.seats.wrapper_events import WRAPPER_WORDS
from osler.studies.round_cast import BUILT_IN
from osler.studies.round_config import RoundConfig
from osler.studies.ward_round import RoundEpisode


async def _story(table: Table, episode: RoundEpisode, cast: Cast) -> Outcome:
    ward_round = WardRound(
        table,
        episode.case,
        episode.settings,
        episode.persona,
        episode.cohort,
        seated=tuple(cast),
        plan=episode.plan,
    )
    return await ward_round.play()


def _judged(episode: RoundEpisode, trace: Trace) -> Verdict:
    return Verdict(GRADER, VERSION, anew(episode.case, trace, episode.plan))


def _optional(name: str, contract: object) -> Role:
    return Role(name=name, contracts=(contract,), players=BUILT_IN[name], optional=True, person=False)  # type: ignore[arg-type]


PROTOCOL: Final = Protocol(
    one="ward round",
    many="ward rounds",
    under_test="tutor",
    config=RoundConfig,
    source=lambda config: open_source(config.cases, config.format),
    story=_story,
    words={**WRAPPER_WORDS, **ROUND_WORDS},
    roles=(
        Role(
            name="tutor",
            contracts=(TUTOR,),
            players=BUILT_IN["tutor"],
            default="socratic",
            wrappers=general_wrappers(TUTORS),
        ),
        _optional("patient", PATIENT),
        _optional("specialist", SPECIALIST),
        _optional("supervisor", SUPERVISOR),
        _optional("expert", EXPERT),
        Role(
            name="student",
            contracts=(analysing("student_1"), acting("student_1"), examined("student_1")),
            players=BUILT_IN["student"],
            many=True,
        ),
    ),
    model="osler.studies.round_models:model_player",
    person="osler.studies.round_models:person",
    summary="osler.studies.rounds:summary",
    exports={
        "transcripts": "osler.studies.round_export:transcripts",
        "sessions": "osler.studies.round_export:sessions",
    },
    judges=(Judge(GRADER, _judged, (GRADER,)),),
    model_judge="osler.judging.model_judges:teaching",
    measures=MEASURES,
    judgement=judgement,
    main=("learning_gain", "step_gain", "leak_rate", "ets_proxy", "msm_proxy", "mps_proxy"),
    compared=("learning_gain", "step_gain", "leak_rate", "ets_proxy", "msm_proxy"),
    probes={
        "silent": "nothing",
        "parrot": "the patient's last words",
        "announcer": "the answer",
    },
    notice="Teaching with simulated patients and students: for education and research only.",
)
