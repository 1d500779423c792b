"""Ward rounds written in the published forms: transcripts, and sessions as evaluation takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from osler.cases.model import Case
from osler.encounter.trace import Trace
from osler.judging.teaching.published import record_of
from osler.judging.teaching.transcripts import session_of_trace, transcript_of
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.rejudging import episode_of
from osler.studies.stored_case import stored_cases
from osler.studies.ward_round import RoundEpisode

_Written = Callable[[Case, Trace, Any], dict[str, Any]]


def _transcript(case: Case, trace: Trace, episode: RoundEpisode) -> dict[str, Any]:
    students = [student.model_dump(mode="json") for student in episode.cohort]
    return transcript_of(case, trace, persona=episode.persona.model_dump(mode="json"), students=students)


def _session(case: Case, trace: Trace, episode: RoundEpisode) -> dict[str, Any]:
    return record_of(session_of_trace(case, trace, episode.plan))


FORMS: Final[dict[str, _Written]] = {"transcripts": _transcript, "sessions": _session}


def published(run: RunInfo, store: Store, form: str) -> Iterator[dict[str, Any]]:
    """Every ended ward round of a run, in order. `form` is one of `FORMS`."""
    set_up, case_of = episode_of(run, store), stored_cases(store)
    for row, trace in store.traces(run.id):
        case = case_of(row.case_hash)
        yield FORMS[form](case, trace, set_up(row.ordinal, case))
