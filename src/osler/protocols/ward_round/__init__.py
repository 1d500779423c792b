"""The teaching ward round: a tutor, reviewed before it speaks, leads students through a case."""

from __future__ import annotations

from typing import Final

from osler.cases.sources import open_source
from osler.core.episode import Cast
from osler.core.judge import Judge, Verdict
from osler.core.protocol import Protocol
from osler.core.role import Role
from osler.core.table import Table
from osler.core.trace import Outcome, Trace
from osler.core.wrapper_events import WRAPPER_WORDS
from osler.players.wrappers.general import general_wrappers
from osler.protocols.shared.patient import PATIENT
from osler.protocols.ward_round.config import BUILT_IN, RoundConfig
from osler.protocols.ward_round.episode import RoundEpisode
from osler.protocols.ward_round.events import ROUND_WORDS
from osler.protocols.ward_round.judge.round_judgement import GRADER, judged
from osler.protocols.ward_round.measures import MEASURES, judgement
from osler.protocols.ward_round.replies import TUTORS
from osler.protocols.ward_round.seats import (
    EXPERT,
    SPECIALIST,
    SUPERVISOR,
    TUTOR,
    acting,
    analysing,
    examined,
)
from osler.protocols.ward_round.story import WardRound


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
    return judged(episode.case, trace, episode.plan).stored


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
    model="osler.protocols.ward_round.seating:model_player",
    person="osler.protocols.ward_round.seating:person",
    summary="osler.protocols.ward_round.summary:summary",
    exports={
        "transcripts": "osler.protocols.ward_round.export:transcripts",
        "sessions": "osler.protocols.ward_round.export:sessions",
    },
    judges=(Judge(GRADER, _judged, (GRADER,)),),
    model_judge="osler.protocols.ward_round.judge.by_model:teaching",
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
