"""Judging a stored run by the judge of a given name, for the command line and for `osler.judge`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from osler.core.config import Config
from osler.core.judge import Judge, JudgeModel, ModelJudge, OpensJudge
from osler.errors import BadInput
from osler.judging.model.independence import check_independent
from osler.judging.named import BUILT_IN_JUDGE, endpoint_of, judge_named
from osler.models.config import configured
from osler.runs.judged_episodes import Grader
from osler.runs.rejudging import judge_again, judge_run
from osler.runs.run import config_of, protocol_of
from osler.runs.seating import open_models
from osler.store.records import RunInfo
from osler.store.store import Store

BATCH: Final = 25


class JudgeOptions(NamedTuple):
    """The name of a judge. For a model: how often it is asked about an episode, the rubric items per request,
    whether it may have played in the run, and the osler.toml (`None` for the usual places)."""

    name: str = BUILT_IN_JUDGE
    repeats: int = 1
    batch: int = BATCH
    same_endpoint_allowed: bool = False
    config: Path | None = None


class Judged(NamedTuple):
    """A judged run: the judge, the number of episodes judged now, and the name its judgements are stored
    under (`None`: it is the protocol's first judge). `warning` says that it is a player of the run too."""

    judge: Judge | ModelJudge
    judged: int
    grader: Grader | None
    warning: str | None = None


def check_judge(options: JudgeOptions, wanted: Sequence[Config]) -> bool:
    """Whether runs of these configurations need judging after they are played: false for the judge that
    already judges them during play.

    Raises BadInput for an unknown judge, an endpoint that is not configured, and a model that would judge
    a run it plays in.
    """
    protocol = wanted[0].plays
    found = judge_named(options.name, protocol)
    if not isinstance(found, Judge):
        for config in wanted:
            check_independence(options, config)
    return found is not protocol.judges[0]


def check_independence(options: JudgeOptions, config: Config) -> str | None:
    """Return a warning if a model judges a run it plays in. Raises BadInput if that is not allowed, and for
    an endpoint that is not configured."""
    found = configured(options.config)
    endpoint = found.endpoint(endpoint_of(options.name)).name
    models = {name: one.model for name, one in found.endpoints.items()}
    return check_independent(endpoint, config.insides().values(), options.same_endpoint_allowed, models)


def judge_by_name(
    run: RunInfo, store: Store, options: JudgeOptions, on_warning: Callable[[str], object] = lambda text: None
) -> Judged:
    """Judge a stored run; `on_warning` is told at once if the judge also plays in it.

    Raises BadInput for a run without an ended episode and as `check_judge` does, and InfrastructureFault,
    after which judging can be continued.
    """
    protocol, warning = protocol_of(run), None
    if next(store.episodes(run.id), None) is None:
        raise BadInput("the run has no ended episode to judge", where=run.name)
    found = judge_named(options.name, protocol)
    if isinstance(found, Judge):
        judge: Judge | ModelJudge = found
        count, names = judge_again(run, store, found), found.graders
    else:
        if warning := check_independence(options, config_of(run)):
            on_warning(warning)
        count, judge = asyncio.run(_asked(run, store, options, found))
        names = (judge.grader,)
    stored = {name for name, _ in store.graders(run.id)}
    grader = next((name for name in names if name in stored), names[0])
    return Judged(judge, count, None if found is protocol.judges[0] else Grader(grader), warning)


async def _asked(
    run: RunInfo, store: Store, options: JudgeOptions, opens: OpensJudge
) -> tuple[int, ModelJudge]:
    name, found = endpoint_of(options.name), configured(options.config)
    async with open_models([f"model:{name}"], found) as models:
        model = JudgeModel(models.client(name), found.endpoint(name), options.repeats, options.batch)
        judge = opens(model)
        return await judge_run(run, store, judge), judge
