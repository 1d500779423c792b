"""Rubric judging of stored episodes, each by the frozen rubric of its case, summarized over source cases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from osler.cases.rubrics.model import Rubric
from osler.cases.rubrics.near_duplicates import clusters
from osler.errors import BadInput
from osler.judging.rubric.figures import Judged
from osler.judging.rubric.judgement import RubricJudge, rubric_judgement_of
from osler.judging.rubric.lexical import GRADER as LEXICAL
from osler.judging.rubric.of_episodes import ByRubric
from osler.runs.judged_episodes import judged_episodes
from osler.runs.rejudging import ASKED_AT_ONCE, judge_run
from osler.runs.run import protocol_of
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store

RubricOf = Callable[[str], Rubric | None]


class StoredJudgement(NamedTuple):
    """A stored judgement with its episode."""

    episode: EpisodeRow
    judged: Judged


def rubric_of_each(rubrics: Sequence[Rubric], any_case: bool) -> RubricOf:
    """Return a lookup from case id to rubric; a scenario's id is `case/scenario`, as its rubric's key.

    With `any_case` the only rubric serves every case. Raises BadInput if there is not exactly one; the lookup
    raises it for a case with several rubrics.
    """
    if any_case:
        if len(rubrics) != 1:
            raise BadInput(f"there are {len(rubrics)} rubrics", where="--any-case", hint="name one file")
        return lambda case_id: rubrics[0]
    by_key = {rubric.key: rubric for rubric in rubrics}
    by_case: dict[str, list[Rubric]] = defaultdict(list)
    for rubric in rubrics:
        by_case[rubric.case_id].append(rubric)

    def of(case_id: str) -> Rubric | None:
        held = by_case.get(case_id, [])
        if case_id in by_key or not held:
            return by_key.get(case_id)
        if len(held) > 1:
            names = ", ".join(rubric.scenario for rubric in held[:5])
            raise BadInput(
                f"case {case_id} has {len(held)} rubrics ({names})", hint="name the one file that is meant"
            )
        return held[0]

    return of


async def judge_by_rubric(
    run: RunInfo,
    store: Store,
    judge: RubricJudge,
    rubric_of: RubricOf,
    *,
    concurrency: int = ASKED_AT_ONCE,
) -> int:
    """Judge every stored episode whose case has a rubric, and that is not judged yet. Returns how many.

    Raises InfrastructureFault; what was judged until then is kept, and judging again continues. Raises
    BadInput while the run is being played, and if its protocol is not judged by rubrics.
    """
    episodes = of_episodes(run, judge, rubric_of)
    return await judge_run(
        run,
        store,
        episodes,
        lambda row: rubric_of(row.case_id) is not None,
        concurrency=concurrency,
        permitted=judge.grader == LEXICAL,
    )


def of_episodes(run: RunInfo, judge: RubricJudge, rubric_of: RubricOf) -> ByRubric:
    """A rubric judge as a judge of a run's episodes. Raises BadInput if its protocol is not judged by
    rubrics."""
    if not protocol_of(run).checklists:
        raise BadInput(f"no rubric is made for {protocol_of(run).many}", where=run.name)

    def rubric_for(episode: Any) -> Rubric:
        rubric = rubric_of(episode.case.id)
        assert rubric is not None, "only episodes with a rubric are chosen"
        return rubric

    return ByRubric(judge, rubric_for)


def judged_by_rubric(
    run: RunInfo,
    store: Store,
    judge: RubricJudge,
    rubrics: Sequence[Rubric],
    rubric_of: RubricOf,
    any_case: bool,
) -> tuple[list[StoredJudgement], int]:
    """Return this judge's judgements of a run by these rubrics, and the number of episodes without a rubric.

    Clusters are source cases, those with near-duplicate rubrics joined; with `any_case` they are the cases
    played, because sharing the rubric says nothing about them.
    """
    cluster_of = clusters(rubrics)
    result, without = [], 0
    for row, rows in judged_episodes(run, store, earlier=True):
        rubric = rubric_of(row.case_id)
        if rubric is None:
            without += 1
            continue
        wanted = (judge.grader, judge.version(rubric))
        body = next((one.body for one in rows if (one.grader, one.version) == wanted), None)
        if body is not None:
            cluster = row.case_id if any_case else cluster_of[rubric.key]
            result.append(StoredJudgement(row, Judged(cluster, rubric_judgement_of(body, rubric))))
    return result, without
