"""The consultation as a value: all that Osler asks of a protocol."""

from __future__ import annotations

from typing import Final

from osler.cases.sources import open_cases
from osler.core.composite import Cast
from osler.core.judge import Judge, ModelJudged, Verdict
from osler.core.lazy import Lazy
from osler.core.order_events import ORDER_WORDS
from osler.core.protocol import Protocol
from osler.core.role import MEMORY, Role, Wrapper
from osler.core.table import Table
from osler.core.trace import Outcome, Trace
from osler.core.wrapper_events import WRAPPER_WORDS
from osler.judging.scores import GRADER
from osler.players.wrappers.general import StepByStep, candidate_wrappers
from osler.protocols.consultation.case_set_defects import LOOKS_AT
from osler.protocols.consultation.casting import BUILT_IN, ConsultationCasting
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.events import CONSULTATION_WORDS
from osler.protocols.consultation.judge.built_in import judge
from osler.protocols.consultation.judge.other_languages import in_language
from osler.protocols.consultation.measures import BY_KIND, MARKS, MEASURES
from osler.protocols.consultation.possible_results import checked_examination
from osler.protocols.consultation.replies import DOCTORS
from osler.protocols.consultation.reply_words import CONSULTATION_REPLIES
from osler.protocols.consultation.seats import (
    CONSULTANT,
    DESCRIBER,
    DOCTOR,
    EXAMINATION,
    SUMMARIZER,
    SYNTHESIZER,
)
from osler.protocols.consultation.story import Consultation, conclusion_words
from osler.protocols.consultation.wrappers.ensemble import Discussion, Ensemble
from osler.protocols.shared.claimed_facts import checked_patient
from osler.protocols.shared.patient import PATIENT
from osler.protocols.shared.players.ears import EARS
from osler.text.languages import played_in


async def _story(table: Table, episode: Episode, cast: Cast) -> Outcome:
    consultation = Consultation(
        table,
        episode.case,
        episode.settings,
        episode.persona,
        has_consultant="consultant" in cast,
        has_describer="describer" in cast,
    )
    return await consultation.play()


def _judged(episode: Episode, trace: Trace) -> Verdict:
    judgement = judge(episode.seen_case(), trace, options_shown=episode.settings.options == "shown")
    return in_language(judgement, played_in(episode.settings, episode.case)).stored


COMPARED: Final = (
    "correct",
    "supported",
    "concluded_without_evidence",
    "turns",
    "questions",
    "tests",
    "fact_coverage",
    "finding_coverage",
    "premature_closure",
    "calls",
    "tokens",
)
"""The measures on which studies compare doctors: correctness, process and effort."""

MODELS: Final = "osler.protocols.consultation.model.players"
PROTOCOL: Final = Protocol(
    one="consultation",
    many="consultations",
    staging=Lazy("osler.protocols.consultation.staging:STAGING"),
    under_test="doctor",
    config=RunConfig,
    source=open_cases,
    story=_story,
    words={**ORDER_WORDS, **WRAPPER_WORDS, **CONSULTATION_WORDS},
    reply_words=CONSULTATION_REPLIES,
    conclusion=conclusion_words,
    roles=(
        Role(
            contracts=(DOCTOR,),
            players=BUILT_IN["doctor"],
            model=Lazy(f"{MODELS}:ModelDoctor"),
            looks=True,
            wrappers=(
                # Built-in doctors can conclude again too, so this wrapper needs no opinions.
                Wrapper("+cot", lambda doctor, _: StepByStep(doctor, DOCTORS)),
                *candidate_wrappers(DOCTORS),
                Wrapper("+ensemble", Ensemble, counted=True, team=Ensemble),
                Wrapper(
                    "+discuss",
                    Discussion,
                    counted=True,
                    team=Discussion,
                    unweighed="revisions where conclusions differ, two rounds at most",
                ),
            ),
            given={MEMORY: "has no memory to look into; add --memory NAME, see: osler memory list"},
        ),
        Role(
            contracts=(PATIENT,),
            players=BUILT_IN["patient"],
            model=Lazy(f"{MODELS}:ConsultedPatient"),
            person_check=Lazy(f"{MODELS}:person_as_patient"),
            wrappers=(EARS,),
            check=checked_patient,
            scorecard=Lazy("osler.protocols.shared.patient_score:patient_scores"),
        ),
        Role(
            contracts=(EXAMINATION,),
            players=BUILT_IN["examination"],
            model=Lazy(f"{MODELS}:ModelExamination"),
            person=False,
            check=checked_examination,
        ),
        Role(
            contracts=(CONSULTANT,),
            players=BUILT_IN["consultant"],
            model=Lazy(f"{MODELS}:ModelConsultant"),
            optional=True,
            looks=True,
            person=False,
        ),
        Role(
            contracts=(DESCRIBER,),
            players=BUILT_IN["describer"],
            model=Lazy(f"{MODELS}:ModelDescriber"),
            describes=True,
            optional=True,
            looks=True,
            person=False,
        ),
        Role(
            contracts=(SUMMARIZER,),
            players=BUILT_IN["summarizer"],
            model=Lazy(f"{MODELS}:ModelSummarizer"),
            optional=True,
            person=False,
        ),
        Role(
            contracts=(SYNTHESIZER,),
            players=BUILT_IN["synthesizer"],
            model=Lazy(f"{MODELS}:ModelSynthesizer"),
            optional=True,
            person=False,
        ),
    ),
    groups=(BY_KIND,),
    notes=Lazy("osler.protocols.consultation.notes:ConsultationNoteTaker"),
    after_play=Lazy("osler.protocols.consultation.memory.retrieval_log:after_play"),
    debriefing=Lazy("osler.protocols.consultation.debriefing:debriefing"),
    failures=Lazy("osler.protocols.consultation.failures:failures"),
    casting=ConsultationCasting,
    forms=Lazy("osler.protocols.consultation.forms:FORMS"),
    checklists=True,
    training={"doctor": Lazy("osler.protocols.consultation.training.seat:DOCTOR")},
    probes=LOOKS_AT,
    audit=Lazy("osler.protocols.consultation.audit:ConsultationAudit"),
    main=COMPARED[:8],
    compared=COMPARED,
    condition=Lazy("osler.protocols.consultation.memory.study_condition:prepared"),
    judges=(Judge(GRADER, _judged, (GRADER,)),),
    model_judge=ModelJudged(Lazy("osler.protocols.consultation.judge.manager:manager"), MARKS),
    scale="manager",
    measures=MEASURES,
    report=Lazy("osler.protocols.consultation.report:ConsultationParts"),
)
