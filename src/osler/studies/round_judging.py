"""A language model marks a stored run of ward rounds on ETS, MSM and MPS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pydantic_core import from_json

from osler.cases.model import Case, TeachingPlan
from osler.encounter.trace import Trace
from osler.judging.judge import UNSCORED
from osler.judging.model.batch import Episode, judge_all
from osler.judging.model.cost import Cost
from osler.judging.scores import Score
from osler.judging.statistics import Estimate, mean_interval
from osler.judging.teaching.judge import Marked, TeachingJudge, teaching_judgement_json
from osler.judging.teaching.scales import scales
from osler.judging.teaching.transcripts import session_of_trace
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.rejudging import episode_of
from osler.studies.stored_case import stored_cases


class _OfRounds:
    """Puts a trace before a teaching judge. A round that the simulation spoilt is not marked."""

    def __init__(self, judge: TeachingJudge, plans: Mapping[str, TeachingPlan]) -> None:
        self._judge, self._plans = judge, plans

    async def judge(self, case: Case, trace: Trace, options_shown: bool, /) -> dict[str, Marked]:
        """The marks by scale."""
        if trace.outcome.status in UNSCORED:
            unscored = Score(None, str(trace.outcome.status))
            return dict.fromkeys(scales(), Marked(unscored, (), None, Cost(), ()))
        return await self._judge.judge(session_of_trace(case, trace, self._plans.get(case.content_hash)))


async def mark_by_model(run: RunInfo, store: Store, judge: TeachingJudge) -> int:
    """Have a model mark every stored ward round that it has not marked yet. Returns how many.

    Raises InfrastructureFault; what was marked until then is kept, and marking again goes on.
    Raises BadInput while somebody plays the run.
    """
    store.check_unplayed(run.id)
    set_up = episode_of(run, store)
    case_of, marks = stored_cases(store), (judge.grader, judge.version)
    done = {j.ordinal for j in store.judgements(run.id, earlier=True) if (j.grader, j.version) == marks}
    plans = {
        row.case_hash: plan
        for row in store.episodes(run.id)
        if (plan := getattr(set_up(row.ordinal, case_of(row.case_hash)), "plan", None))
    }
    episodes = (
        Episode(row.ordinal, case_of(row.case_hash), trace)
        for row, trace in store.traces(run.id)
        if row.ordinal not in done
    )

    def keep(ordinal: int, found: dict[str, Marked]) -> None:
        body = teaching_judgement_json(judge.grader, judge.version, found)
        store.put_judgements(run.id, [(ordinal, judge.grader, judge.version, body)])

    return await judge_all(_OfRounds(judge, plans), episodes, False, keep)


def summarize_marks(
    run: RunInfo, store: Store, grader: str, version: str
) -> tuple[dict[str, Estimate], dict[str, int]]:
    """Each scale's mean over the run, clustered by case, and how often what left a mark out."""
    because: Counter[str] = Counter()
    case_of = {row.ordinal: row.case_hash for row in store.episodes(run.id)}
    values: dict[str, dict[str, list[float]]] = {name: {} for name in scales()}
    unscored = dict.fromkeys(values, 0)
    for found in store.judgements(run.id, earlier=True):
        if (found.grader, found.version) != (grader, version):
            continue
        scores = from_json(found.body)["scores"]
        for name, by_case in values.items():
            mark = scores[name]["value"]
            if mark is None:
                unscored[name] += 1
                because[str(scores[name]["reason"])] += 1
            else:
                by_case.setdefault(case_of[found.ordinal], []).append(float(mark))
    means = {name: mean_interval(by_case, unscored[name]) for name, by_case in values.items()}
    return means, dict(sorted(because.items()))
