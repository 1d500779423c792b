"""Stored episodes judged anew from their traces by a judge without a model, beside what was judged before."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from osler.core.episode import Episode
from osler.core.judge import Judge
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.runs import config_of, protocol_of, reopen
from osler.studies.stored_case import StoredCase, stored

JUDGED_AT_ONCE = 200


def judge_again(run: RunInfo, store: Store, judge: Judge | None = None) -> int:
    """Judge every stored episode of a run anew, by the protocol's first judge unless another is given.
    Returns how many.

    Raises BadInput while somebody plays the run.
    """
    store.check_unplayed(run.id)
    judge = judge or protocol_of(run).judges[0]
    case_of, count = stored(store, config_of(run).model), 0
    set_up = episode_of(run, store)
    traces = store.traces(run.id)
    while some := list(islice(traces, JUDGED_AT_ONCE)):
        found = [
            (row.ordinal, *judge.judge(set_up(row.ordinal, case_of(row.case_hash)), trace))
            for row, trace in some
        ]
        store.put_judgements(run.id, found)
        count += len(found)
    return count


def episode_of(run: RunInfo, store: Store) -> Callable[[int, Any], Episode]:
    """How a stored episode was set up, by its ordinal and case.

    The run's cases are read again only where an episode needs another case than its own, which no trace
    holds; that raises BadInput where they are gone or have changed.
    """
    config = config_of(run)
    again = reopen(run, store)[1] if config.needs_other_cases() else None
    return lambda ordinal, case: config.episode(ordinal, case, again or StoredCase(config.cases, case))
