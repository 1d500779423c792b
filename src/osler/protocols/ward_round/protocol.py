"""The teaching ward round as a value: all that Osler asks of a protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from osler.cases.sources import open_cases
from osler.core.composite import Cast
from osler.core.contract import AnyContract
from osler.core.judge import Judge, ModelJudged, Verdict
from osler.core.lazy import Lazy
from osler.core.protocol import Protocol
from osler.core.role import Role
from osler.core.table import Table
from osler.core.trace import Outcome, Trace
from osler.core.wrapper_events import WRAPPER_WORDS
from osler.players.wrappers.general import general_wrappers
from osler.protocols.shared.patient import PATIENT
from osler.protocols.ward_round.casting import BUILT_IN, RoundCasting
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.episode import RoundEpisode
from osler.protocols.ward_round.events import ROUND_WORDS
from osler.protocols.ward_round.judge.round_judgement import GRADER, judged
from osler.protocols.ward_round.measures import MARKS, MEASURES, judgement
from osler.protocols.ward_round.players.patient import checked_round_patient
from osler.protocols.ward_round.replies import TUTORS
from osler.protocols.ward_round.reply_words import ROUND_REPLIES
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
from osler.text.languages import played_in


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
    language = played_in(episode.settings, episode.case)
    return judged(episode.case, trace, episode.plan, language).stored


MODELS: Final = "osler.protocols.ward_round.model.players"
_PATIENT_SCORE: Final[Lazy[Callable[..., object]]] = Lazy("osler.protocols.ward_round.patient_score:scored")


def _optional(contract: AnyContract, model: str) -> Role:
    return Role(
        contracts=(contract,),
        players=BUILT_IN[contract.seat],
        model=Lazy(f"{MODELS}:{model}"),
        optional=True,
        looks=contract is SPECIALIST,
        person=False,
        check=checked_round_patient if contract is PATIENT else None,
        scorecard=_PATIENT_SCORE if contract is PATIENT else None,
    )


PROTOCOL: Final = Protocol(
    one="ward round",
    many="ward rounds",
    staging=Lazy("osler.protocols.ward_round.staging:STAGING"),
    under_test="tutor",
    config=RoundConfig,
    source=open_cases,
    story=_story,
    words={**WRAPPER_WORDS, **ROUND_WORDS},
    reply_words=ROUND_REPLIES,
    roles=(
        Role(
            contracts=(TUTOR,),
            players=BUILT_IN["tutor"],
            model=Lazy(f"{MODELS}:ModelTutor"),
            default="socratic",
            looks=True,
            wrappers=general_wrappers(TUTORS),
        ),
        _optional(PATIENT, "ModelRoundPatient"),
        _optional(SPECIALIST, "ModelSpecialist"),
        _optional(SUPERVISOR, "ModelSupervisor"),
        _optional(EXPERT, "ModelExpert"),
        Role(
            name="student",
            contracts=(analysing("student_1"), acting("student_1"), examined("student_1")),
            players=BUILT_IN["student"],
            model=Lazy(f"{MODELS}:ModelStudent"),
            many=True,
            learns=True,
            looks=True,
        ),
    ),
    notes=Lazy("osler.protocols.ward_round.notes:RoundNoteTaker"),
    caveat="Students are simulated, and so is their gain; marks by proxy count words.",
    debriefing=Lazy("osler.protocols.ward_round.debriefing:debriefing"),
    failures=Lazy("osler.protocols.ward_round.failures:failures"),
    casting=RoundCasting,
    forms=Lazy("osler.protocols.ward_round.forms:FORMS"),
    exports={
        "transcripts": Lazy("osler.protocols.ward_round.export:transcripts"),
        "sessions": Lazy("osler.protocols.ward_round.export:sessions"),
    },
    judges=(Judge(GRADER, _judged, (GRADER,)),),
    model_judge=ModelJudged(Lazy("osler.protocols.ward_round.judge.by_model:teaching"), MARKS),
    transcript=Lazy("osler.protocols.ward_round.judge.transcripts:lines_said_aloud"),
    scale="teaching",
    measures=MEASURES,
    judgement=judgement,
    main=("learning_gain", "step_gain", "leak_rate", "ets_proxy", "msm_proxy", "mps_proxy"),
    compared=("learning_gain", "step_gain", "leak_rate", "ets_proxy", "msm_proxy"),
    training={"tutor": Lazy("osler.protocols.ward_round.training.seat:TUTOR_SEAT")},
    probes={
        "silent": "nothing",
        "parrot": "the patient's last words",
        "announcer": "the answer",
    },
    notice="Teaching with simulated patients and students: for education and research only.",
)
