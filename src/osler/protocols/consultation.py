"""The consultation: a doctor asks, examines, orders tests and concludes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.cases.sources import open_source
from osler.core.episode import Cast
from osler.core.judge import Judge, Verdict
from osler.core.protocol import Protocol
from osler.core.role import MEMORY, Role, Wrapper
from osler.core.wrappers import candidate_wrappers
from osler.encounter.consultation import Consultation, conclusion_of
from osler.encounter.table import Table
from osler.encounter.trace import Outcome, Trace
from osler.judging.judge import GRADER, judge
from osler.judging.scores import judgement_json
from osler.players.experience.concluding import DOCTORS
from osler.players.experience.discuss import Discussion
from osler.players.experience.ensemble import Ensemble
from osler.players.wrappers.step_by_step import StepByStep
from osler.protocols.consultation_measures import MEASURES
from osler.seats.consultant import CONSULTANT
from osler.seats.consultation_events import CONSULTATION_WORDS
from osler.seats.describer import DESCRIBER
from osler.seats.doctor import DOCTOR
from osler.seats.examination import EXAMINATION
from osler.seats.order_events import ORDER_WORDS
from osler.seats.patient import PATIENT
from osler.seats.wording import Wording, noted
from osler.seats.wrapper_events import WRAPPER_WORDS
from osler.studies.build import BUILT_IN, RunConfig
from osler.studies.execute import Episode
from osler.studies.flaws import LOOKS_AT


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


def _concluded(trace: Trace) -> Iterator[Wording]:
    final = conclusion_of(trace)
    if final is None:
        return
    yield _concludes("diagnosis", str(final["diagnosis"]))
    if final.get("answer"):
        yield _concludes("answer", str(final["answer"]))
    if final.get("confidence") is not None:
        yield noted("confidence", f"{final['confidence']:.0%}")
    for kind in ("evidence", "plan"):
        yield from (_concludes(kind, str(entry)) for entry in final.get(kind) or ())
    if final.get("followup"):
        yield _concludes("follow-up", str(final["followup"]))


def _concludes(kind: str, text: str) -> Wording:
    return Wording("", kind, text, by="doctor")


def _judged(episode: Episode, trace: Trace) -> Verdict:
    found = judge(episode.case, trace, options_shown=episode.settings.options == "shown")
    return Verdict(found.grader, found.version, judgement_json(found))


COMPARED: Final = (
    "correct",
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

PROTOCOL: Final = Protocol(
    one="consultation",
    many="consultations",
    under_test="doctor",
    config=RunConfig,
    source=lambda config: open_source(config.cases, config.format),
    story=_story,
    words={**ORDER_WORDS, **WRAPPER_WORDS, **CONSULTATION_WORDS},
    conclusion=_concluded,
    roles=(
        Role(
            name="doctor",
            contracts=(DOCTOR,),
            players=BUILT_IN["doctor"],
            wrappers=(
                # Built-in doctors can conclude again too, so this wrapper needs no opinions.
                Wrapper("+cot", lambda doctor, _: StepByStep(doctor, DOCTORS)),
                *candidate_wrappers(DOCTORS),
                Wrapper("+ensemble", Ensemble, counted=True),
                Wrapper(
                    "+discuss",
                    Discussion,
                    counted=True,
                    unweighed="revisions where conclusions differ, two rounds at most",
                ),
            ),
            given={MEMORY: "has no memory to look into; add --memory NAME, see: osler memory list"},
        ),
        Role(name="patient", contracts=(PATIENT,), players=BUILT_IN["patient"]),
        Role(name="examination", contracts=(EXAMINATION,), players=BUILT_IN["examination"], person=False),
        Role(
            name="consultant",
            contracts=(CONSULTANT,),
            players=BUILT_IN["consultant"],
            optional=True,
            person=False,
        ),
        Role(
            name="describer",
            contracts=(DESCRIBER,),
            players=BUILT_IN["describer"],
            optional=True,
            person=False,
        ),
    ),
    model="osler.studies.model_cast:model_player",
    person="osler.studies.model_cast:person",
    summary="osler.studies.consultations:summary_of",
    after_play="osler.studies.consultations:after_play",
    debrief="osler.studies.consultations:debrief",
    checklists=True,
    probes=LOOKS_AT,
    audit="osler.studies.consultation_audit:ConsultationAudit",
    main=COMPARED[:6],
    compared=COMPARED,
    condition="osler.studies.study.learning:prepared",
    judges=(Judge(GRADER, _judged, (GRADER,)),),
    model_judge="osler.judging.model_judges:manager",
    measures=MEASURES,
    report="osler.studies.consultation_report:ConsultationParts",
)
