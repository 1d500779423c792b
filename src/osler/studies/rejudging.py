"""Stored episodes judged anew from their traces, beside what was judged before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from osler.cases.model import Case
from osler.encounter.trace import Trace
from osler.judging.judge import GRADER, judge
from osler.judging.scores import Judgement, judgement_json, judgement_of
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.rounds import episode_of
from osler.studies.runs import config_of, is_of_rounds
from osler.studies.stored_case import stored_cases

JUDGED_AT_ONCE = 200


def judge_again(run: RunInfo, store: Store) -> int:
    """Judge every stored episode of a run anew from its trace. Returns how many.

    Raises BadInput while somebody plays the run.
    """
    store.check_unplayed(run.id)
    judged_anew = _by_rounds(run, store) if is_of_rounds(run) else _by_consultations(run)
    case_of, count = stored_cases(store), 0
    traces = store.traces(run.id)
    while some := list(islice(traces, JUDGED_AT_ONCE)):
        found = [
            (row.ordinal, *judged_anew(row.ordinal, case_of(row.case_hash), trace)) for row, trace in some
        ]
        store.put_judgements(run.id, found)
        count += len(found)
    return count


_Anew = Callable[[int, Case, Trace], tuple[str, str, str]]


def _by_consultations(run: RunInfo) -> _Anew:
    shown = options_shown(run)

    def anew(ordinal: int, case: Case, trace: Trace) -> tuple[str, str, str]:
        found = judge(case, trace, shown)
        return found.grader, found.version, judgement_json(found)

    return anew


def _by_rounds(run: RunInfo, store: Store) -> _Anew:
    set_up = episode_of(run, store)
    return lambda ordinal, case, trace: set_up(ordinal, case).judged(trace)


def options_shown(run: RunInfo) -> bool:
    """Whether the run showed a case's options to its doctor."""
    return config_of(run).settings.options == "shown"


def judged(run: RunInfo, store: Store) -> Iterator[tuple[int, Trace, Judgement]]:
    """Each ended episode of a run with its trace and the built-in judge's judgement."""
    for episode, trace, judgements in store.records(run.id):
        for found in judgements:
            if found.grader == GRADER:
                yield episode.ordinal, trace, judgement_of(found.body)
