"""Export of ward rounds in the published formats: transcripts, and sessions for evaluation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from osler.cases.importers.medtutor_record import source_id
from osler.cases.model import Case
from osler.core.summary import Exported
from osler.core.trace import Trace
from osler.files import whole_file
from osler.protocols.ward_round.episode import RoundEpisode
from osler.protocols.ward_round.judge.published import record_of
from osler.protocols.ward_round.judge.transcripts import session_of_trace, transcript_of
from osler.protocols.ward_round.published_setup import (
    agent_log,
    patient_persona,
    selected_case,
    selected_student,
)
from osler.protocols.ward_round.seats import student_seats
from osler.runs.rejudging import episode_of
from osler.runs.stored_case import stored_cases
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store

_Form = Callable[[Case, Trace, Any], dict[str, Any]]


def _transcript(case: Case, trace: Trace, episode: RoundEpisode) -> dict[str, Any]:
    transcript = transcript_of(
        trace,
        case=selected_case(case),
        persona=patient_persona(case, episode.persona),
        students=[selected_student(student) for student in episode.cohort],
    )
    seats = student_seats(len(episode.cohort))
    names = {seat: student.name for seat, student in zip(seats, episode.cohort, strict=True)}
    return {**transcript, "agent_log": agent_log(trace, names)}


def _session(case: Case, trace: Trace, episode: RoundEpisode) -> dict[str, Any]:
    session = session_of_trace(case, trace, episode.plan)
    return record_of(session.model_copy(update={"id": source_id(case)}))


def transcripts(run: RunInfo, store: Store, out: Path) -> Exported:
    """Write every ended ward round as a transcript, in order."""
    return _write(run, store, out, _transcript)


def sessions(run: RunInfo, store: Store, out: Path) -> Exported:
    """Write every ended ward round as a session for evaluation, in order."""
    return _write(run, store, out, _session)


def _write(run: RunInfo, store: Store, out: Path, form: _Form) -> Exported:
    store = for_reader(store, "published export")
    set_up, case_of = episode_of(run, store), stored_cases(store)
    records = []
    for row, trace in store.traces(run.id):
        case = case_of(row.case_hash)
        records.append(form(case, trace, set_up(row.ordinal, case)))
    with whole_file(out, private=True) as partial:
        partial.write_text(f"{json.dumps(records, ensure_ascii=False, indent=1)}\n", encoding="utf-8")
    return Exported(len(records))
