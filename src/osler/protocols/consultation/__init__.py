"""The consultation: a doctor asks, examines, orders tests and concludes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.cases.sources import open_source
from osler.core.episode import Cast
from osler.core.judge import Judge, Verdict
from osler.core.order_events import ORDER_WORDS
from osler.core.protocol import Protocol
from osler.core.role import MEMORY, Role, Wrapper
from osler.core.table import Table
from osler.core.trace import Outcome, Trace
from osler.core.wording import Wording, noted
from osler.core.wrapper_events import WRAPPER_WORDS
from osler.judging.scores import GRADER, judgement_json
from osler.players.wrappers.general import StepByStep, candidate_wrappers
from osler.protocols.consultation.case_set_defects import LOOKS_AT
from osler.protocols.consultation.config import BUILT_IN, RunConfig
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.events import CONSULTATION_WORDS
from osler.protocols.consultation.judge.built_in import judge
from osler.protocols.consultation.measures import MEASURES
from osler.protocols.consultation.seats import CONSULTANT, DESCRIBER, DOCTOR, EXAMINATION
from osler.protocols.consultation.story import Consultation, conclusion_of
from osler.protocols.consultation.wrappers.concluding import DOCTORS
from osler.protocols.consultation.wrappers.discuss import Discussion
from osler.protocols.consultation.wrappers.vote import Ensemble
from osler.protocols.shared.patient import PATIENT


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
    model="osler.protocols.consultation.seating:model_player",
    person="osler.protocols.consultation.seating:person",
    summary="osler.protocols.consultation.summary:summary_of",
    after_play="osler.protocols.consultation.summary:after_play",
    debrief="osler.protocols.consultation.summary:debrief",
    checklists=True,
    probes=LOOKS_AT,
    audit="osler.protocols.consultation.audit:ConsultationAudit",
    main=COMPARED[:6],
    compared=COMPARED,
    condition="osler.protocols.consultation.memory.study_condition:prepared",
    judges=(Judge(GRADER, _judged, (GRADER,)),),
    model_judge="osler.protocols.consultation.judge.opening:manager",
    measures=MEASURES,
    report="osler.protocols.consultation.report:ConsultationParts",
)
