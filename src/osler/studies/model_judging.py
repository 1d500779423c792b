"""A language model judges a stored run. Apart from `runs`, because a model client takes long to import."""

from __future__ import annotations

from collections.abc import Callable

from osler.judging.model.batch import Episode, judge_all
from osler.judging.model.judgement import (
    MODEL_NAMES,
    ModelJudgement,
    model_judgement_json,
    model_judgement_of,
)
from osler.judging.model.manager import ManagerJudge
from osler.judging.statistics import ClusterSums, Estimate, ratio_intervals
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.build import RunConfig
from osler.studies.runs import config_as
from osler.studies.stored_case import stored_cases


async def judge_by_model(
    run: RunInfo, store: Store, judge: ManagerJudge, on_judged: Callable[[int], None] = lambda n: None
) -> int:
    """Have a model judge every stored episode that it has not judged yet. Returns how many.

    Raises InfrastructureFault; what was judged until then is kept, and judging again goes on.
    Raises BadInput while somebody plays the run.
    """
    store.check_unplayed(run.id)
    case_of, marks = stored_cases(store), (judge.grader, judge.version)
    done = {j.ordinal for j in store.judgements(run.id, earlier=True) if (j.grader, j.version) == marks}
    episodes = (
        Episode(row.ordinal, case_of(row.case_hash), trace)
        for row, trace in store.traces(run.id)
        if row.ordinal not in done
    )

    def keep(ordinal: int, found: ModelJudgement) -> None:
        store.put_judgements(run.id, [(ordinal, found.grader, found.version, model_judgement_json(found))])
        on_judged(ordinal)

    return await judge_all(judge, episodes, config_as(run, RunConfig).settings.options == "shown", keep)


def summarize_by_model(run: RunInfo, store: Store, judge: ManagerJudge) -> dict[str, Estimate]:
    """Each score of a model judge over the run, with its interval clustered by case."""
    case_of = {row.ordinal: row.case_hash for row in store.episodes(run.id)}
    sums = ClusterSums(len(MODEL_NAMES))
    for found in store.judgements(run.id):
        if (found.grader, found.version) == (judge.grader, judge.version):
            scores = model_judgement_of(found.body).scores
            sums.add(case_of[found.ordinal], [scores[name].value for name in MODEL_NAMES])
    totals, counts = sums.arrays()
    unscored = [sums.episodes - round(float(n)) for n in counts.sum(axis=0)]
    estimates = ratio_intervals(totals, counts, unscored, [True] * len(MODEL_NAMES))
    return dict(zip(MODEL_NAMES, estimates, strict=True))
