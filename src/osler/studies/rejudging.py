"""Stored episodes judged anew from their traces, beside what was judged before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from osler.encounter.trace import Trace
from osler.judging.judge import GRADER
from osler.judging.scores import Judgement, judgement_of
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.config import AnyEpisode
from osler.studies.rounds import episode_of
from osler.studies.runs import any_config_of, config_of, is_of_rounds
from osler.studies.stored_case import StoredCase, stored

JUDGED_AT_ONCE = 200


def judge_again(run: RunInfo, store: Store) -> int:
    """Judge every stored episode of a run anew from its trace. Returns how many.

    Raises BadInput while somebody plays the run.
    """
    store.check_unplayed(run.id)
    case_of, count = stored(store, any_config_of(run).model), 0
    set_up = _set_up(run, store)
    traces = store.traces(run.id)
    while some := list(islice(traces, JUDGED_AT_ONCE)):
        found = [
            (row.ordinal, *set_up(row.ordinal, case_of(row.case_hash)).judged(trace)) for row, trace in some
        ]
        store.put_judgements(run.id, found)
        count += len(found)
    return count


def _set_up(run: RunInfo, store: Store) -> Callable[[int, Any], AnyEpisode]:
    """How a stored episode was set up, by its ordinal and case."""
    if is_of_rounds(run):
        return episode_of(run, store)
    config = any_config_of(run)
    return lambda ordinal, case: config.episode(ordinal, case, StoredCase(config.cases, case))


def options_shown(run: RunInfo) -> bool:
    """Whether the run showed a case's options to its doctor."""
    return config_of(run).settings.options == "shown"


def judged(run: RunInfo, store: Store) -> Iterator[tuple[int, Trace, Judgement]]:
    """Each ended episode of a run with its trace and the built-in judge's judgement."""
    for episode, trace, judgements in store.records(run.id):
        for found in judgements:
            if found.grader == GRADER:
                yield episode.ordinal, trace, judgement_of(found.body)
