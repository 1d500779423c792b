"""Judging of stored episodes from their traces, in addition to earlier judgements, and a summary by judge.

A judge without a model judges every episode again; a model judge only those that its present version has not
judged yet.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from osler.core.episode import Episode
from osler.core.judge import Judge, ModelJudge
from osler.core.measure import Scored
from osler.core.trace import Trace
from osler.errors import InfrastructureFault, Status
from osler.judging.model.engine import held_in
from osler.judging.scores import UNSCORED
from osler.models.overhearing import overhearing
from osler.players.casting import casting_type
from osler.runs.endpoints import KEEP_PROMPTS
from osler.runs.judged_episodes import judged_episodes
from osler.runs.measured import Measured, clusters, estimates
from osler.runs.run import config_of, protocol_of, reopen
from osler.runs.stored_case import StoredCase, stored
from osler.stats.intervals import Estimate
from osler.store.permitted_store import for_reader
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store
from osler.text.languages import played_in

JUDGED_AT_ONCE: Final = 200
ASKED_AT_ONCE: Final = 16
NOT_JUDGED: Final = "not_judged"
Chosen = Callable[[EpisodeRow], bool]


def judge_again(run: RunInfo, store: Store, judge: Judge | None = None) -> int:
    """Judge every stored episode of a run again, by the protocol's first judge unless another is given.
    Returns how many.

    Raises BadInput while the run is being played.
    """
    store.check_unplayed(run.id)
    judge = judge or protocol_of(run).judges[0]
    count, set_up = 0, _set_up(run, store)
    traces = store.traces(run.id)
    while some := list(islice(traces, JUDGED_AT_ONCE)):
        there = [(row, trace) for row, trace in some if row.status is not Status.DELETED]
        pairs = [(row.ordinal, *judge.judge(set_up(row), trace)) for row, trace in there]
        store.put_judgements(run.id, pairs)
        count += len(pairs)
    return count


async def judge_run(
    run: RunInfo,
    store: Store,
    judge: ModelJudge,
    chosen: Chosen = lambda row: True,
    *,
    concurrency: int = ASKED_AT_ONCE,
    permitted: bool = False,
) -> int:
    """Have a model judge every chosen episode of a run that it has not judged yet, concurrently, storing each
    verdict as it comes, with the calls that are overheard (with their messages if the run keeps prompts).
    Returns how many.

    On an InfrastructureFault, finishes the episodes under way and then raises it; stored verdicts are kept,
    and judging again continues. Raises BadInput while the run is being played.

    A model reads what people said only with their permission, or `permitted`: they were told of this judge
    before they said a word, or it sends nothing anywhere. Raises NotPermitted.
    """
    store.check_unplayed(run.id)
    store = store if permitted else for_reader(store, "model judge")
    waiting = _waiting(run, store, judge, chosen)
    left_out = () if run.manifest.get(KEEP_PROMPTS) else ("messages",)
    faults: list[InfrastructureFault] = []
    count = 0

    async def work() -> None:
        nonlocal count
        while not faults and (result := next(waiting, None)) is not None:
            ordinal, episode, trace = result
            try:
                with overhearing() as calls, held_in(_language(episode)):
                    verdict = await judge.judge(episode, trace)
            except InfrastructureFault as fault:
                faults.append(fault)
                return
            kept = [{name: one[name] for name in one if name not in left_out} for one in calls]
            store.put_judgements(run.id, [(ordinal, *verdict)], kept)
            count += 1

    await asyncio.gather(*(work() for _ in range(concurrency)))
    if faults:
        raise faults[0]
    return count


async def judge_some(
    run: RunInfo, store: Store, judge: ModelJudge, most: int, chosen: Chosen = lambda row: True
) -> tuple[int, int]:
    """Ask a judge about the first `most` chosen episodes that it has not judged yet, and store nothing.
    Returns how many there are, and how many of them it was asked about."""
    there = asked = 0
    for _, episode, trace in _waiting(run, store, judge, chosen):
        if asked < most:
            with held_in(_language(episode)):
                await judge.judge(episode, trace)
            asked += 1
        there += 1
    return there, asked


def _language(episode: Episode) -> str:
    return played_in(getattr(episode, "settings", None), episode.case)


def _waiting(
    run: RunInfo, store: Store, judge: ModelJudge, chosen: Chosen
) -> Iterator[tuple[int, Episode, Trace]]:
    judged = store.judgements(run.id, earlier=True)
    done = {(found.ordinal, found.version) for found in judged if found.grader == judge.grader}
    set_up = _set_up(run, store)
    for row, trace in store.traces(run.id):
        if row.status is Status.DELETED:
            continue
        if chosen(row) and (row.ordinal, judge.version_of(episode := set_up(row))) not in done:
            yield row.ordinal, episode, trace


class Spoken(NamedTuple):
    """The summary of a judge's scores of a run: each score with its interval clustered by case, the counts of
    reasons for unscored ones, and the judge's names and versions in the store."""

    scores: dict[str, Estimate]
    unscored_because: dict[str, int]
    graders: tuple[str, ...]
    versions: tuple[str, ...]


def spoken(run: RunInfo, store: Store, judge: Judge | ModelJudge) -> Spoken:
    """Summarize a judge's judgements of a run: those by a model judge's present version, or any other judge's
    last ones."""
    own = tuple(measure for measure in protocol_of(run).measures if measure.judged)
    measures = judge.scores or own
    rows, because = list[Measured](), Counter[str]()
    graders, versions = set[str](), set[str]()
    verdict_of, cluster_of = _verdicts(run, store, judge), clusters(run, store)
    for row, judgements in judged_episodes(run, store, earlier=not isinstance(judge, Judge)):
        verdict = verdict_of(row, judgements)
        body = from_json(verdict.body) if verdict else None
        scored = Scored(row, body, lambda ordinal=row.ordinal: store.trace(run.id, ordinal))  # type: ignore[misc]
        spoilt = row.status in UNSCORED
        values = tuple(None if spoilt else measure.of(scored) for measure in measures)
        for measure, value in zip(measures, values, strict=True):
            if value is None:
                held = body["scores"].get(measure.name, {}) if body else {"reason": NOT_JUDGED}
                because[held.get("reason") or (str(row.status) if spoilt else "not_scored")] += 1
        if verdict:
            graders.add(verdict.grader)
            versions.add(verdict.version)
        rows.append(Measured(row, values, verdict.version if verdict else "", cluster_of(row.case_hash)))
    return Spoken(
        estimates(rows, measures),
        dict(sorted(because.items())),
        tuple(sorted(graders)),
        tuple(sorted(versions)),
    )


def _verdicts(
    run: RunInfo, store: Store, judge: Judge | ModelJudge
) -> Callable[[EpisodeRow, Sequence[Judgement]], Judgement | None]:
    if isinstance(judge, Judge):
        graders = judge.graders
        return lambda row, found: next(
            (one for grader in graders for one in found if one.grader == grader), None
        )
    set_up, model_judge = _set_up(run, store), judge

    def matching(row: EpisodeRow, found: Sequence[Judgement]) -> Judgement | None:
        wanted = (model_judge.grader, model_judge.version_of(set_up(row)))
        return next((one for one in found if (one.grader, one.version) == wanted), None)

    return matching


def episode_of(run: RunInfo, store: Store) -> Callable[[int, Any], Episode]:
    """Return a function that sets up a stored episode again, from its ordinal and case.

    The run's cases are read again only if an episode needs a case other than its own, which is not in its
    trace; that raises BadInput if they are gone or have changed.
    """
    config = config_of(run)
    again = reopen(run, store)[1] if casting_type(config).needs_other_cases(config) else None
    return lambda ordinal, case: config.episode(ordinal, case, again or StoredCase(config.cases, case))


def _set_up(run: RunInfo, store: Store) -> Callable[[EpisodeRow], Episode]:
    case_of: Callable[[str], Any] = stored(store, config_of(run).model)
    again = episode_of(run, store)
    return lambda row: again(row.ordinal, case_of(row.case_hash))
