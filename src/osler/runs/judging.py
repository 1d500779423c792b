"""Judging a stored run by the judge of a given name, for the command line and for `osler.judge`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

from osler.core.config import Config
from osler.core.judge import PORTION, Judge, ModelJudge
from osler.core.permitted import MARKER
from osler.errors import BadInput
from osler.judging.model.independence import check_independent
from osler.judging.named import BUILT_IN_JUDGE, endpoint_of, judge_named
from osler.judging.opening import JudgeModel, OpensJudge
from osler.models.budget import Estimate, Ledger, cost_of, estimate
from osler.models.config import Config as Endpoints
from osler.models.faults import Fault, Kind, ModelAnswerError
from osler.models.settings import addressed
from osler.models.types import Completion, CompletionRequest, Validate
from osler.runs.dry_run import Forecast
from osler.runs.endpoints import record_of
from osler.runs.judged_episodes import Grader
from osler.runs.rejudging import ASKED_AT_ONCE, Chosen, judge_again, judge_run, judge_some
from osler.runs.run import config_of, protocol_of
from osler.runs.seating import ModelOptions, open_models
from osler.runs.usage import Used, joined, judge_usage, usage
from osler.store.records import RunInfo
from osler.store.store import Store

WEIGHED: Final = 20
"""The number of episodes from which the cost of judging is estimated."""


class JudgeOptions(NamedTuple):
    """The name of a judge. For a model: how often it is asked about an episode, the rubric items per request,
    whether it may have played in the run, how it is opened, how many episodes are judged at once, and whether
    its budgets include what the players of the run used."""

    name: str = BUILT_IN_JUDGE
    repeats: int = 1
    batch: int = PORTION
    same_endpoint_allowed: bool = False
    models: ModelOptions = ModelOptions()
    concurrency: int = ASKED_AT_ONCE
    with_players: bool = False

    @property
    def endpoint(self) -> str:
        """The name of the judge's endpoint, "" if it has none."""
        return endpoint_of(self.name)

    def set(self) -> JudgeOptions:
        """The same, with settings that name no endpoint given to the judge. Raises BadInput if it is no
        model."""
        settings = addressed(self.models.settings, [self.endpoint] if self.endpoint else [])
        return self._replace(models=self.models._replace(settings=settings))

    def endpoints(self) -> Endpoints:
        """Load the configured endpoints. Raises BadInput."""
        return self.models.endpoints()


class Judged(NamedTuple):
    """A judged run: the judge, the number of episodes judged now, and the name its judgements are stored
    under (`None`: it is the protocol's first judge). `warning` says that it is a player of the run too; `by`
    is the record of a model judge's endpoint (see `osler.runs.endpoints`), `used` what its judgements of this
    run took."""

    judge: Judge | ModelJudge
    judged: int
    grader: Grader | None
    warning: str | None = None
    by: dict[str, Any] | None = None
    used: Used | None = None


def check_judge(options: JudgeOptions, configs: Sequence[Config]) -> bool:
    """Whether runs of these configurations need judging after they are played: false for the judge that
    already judges them during play.

    Raises BadInput for an unknown judge, an endpoint that is not configured, and a model that would judge
    a run it plays in.
    """
    protocol = configs[0].plays
    result = judge_named(options.name, protocol)
    if not isinstance(result, Judge):
        for config in configs:
            check_independence(options, config)
    return result is not protocol.judges[0]


def check_independence(options: JudgeOptions, config: Config) -> str | None:
    """Return a warning if a model judges a run it plays in. Raises BadInput if that is not allowed, and for
    an endpoint that is not configured."""
    result = options.endpoints()
    endpoint = result.endpoint(options.endpoint).name
    models = {name: one.model for name, one in result.endpoints.items()}
    rewarded = {name: one.rewarded_by for name, one in result.endpoints.items()}
    return check_independent(endpoint, config.everyone(), options.same_endpoint_allowed, models, rewarded)


def judge_by_name(
    run: RunInfo, store: Store, options: JudgeOptions, on_warning: Callable[[str], object] = lambda text: None
) -> Judged:
    """Judge a stored run; `on_warning` is told at once if the judge also plays in it.

    Raises BadInput for a run without an ended episode and as `check_judge` does, and InfrastructureFault,
    after which judging can be continued.
    """
    protocol, warning = protocol_of(run), None
    check_some_ended(run, store)
    result = judge_named(options.name, protocol)
    by, used = None, None
    if isinstance(result, Judge):
        judge: Judge | ModelJudge = result
        count, names = judge_again(run, store, result), result.graders
    else:
        if warning := check_independence(options, config_of(run)):
            on_warning(warning)
        count, judge = asyncio.run(_asked(run, store, options, result))
        names = (judge.grader,)
        by, used = judged_by(options), used_by_judge(run, store, options, judge.grader)
    stored = {name for name, _ in store.graders(run.id)}
    grader = next((name for name in names if name in stored), names[0])
    own = None if result is protocol.judges[0] else Grader(grader)
    return Judged(judge, count, own, warning, by, used)


def check_some_ended(run: RunInfo, store: Store) -> None:
    """Raise BadInput if no episode of a run has ended."""
    if next(store.episodes(run.id), None) is None:
        raise BadInput("the run has no ended episode to judge", where=run.name)


def judged_by(options: JudgeOptions) -> dict[str, Any]:
    """The record of a model judge: its endpoint's name, model, host and settings."""
    record = record_of(options.endpoints().endpoint(options.endpoint), {})
    return {"endpoint": options.endpoint, **{name: record[name] for name in ("model", "host", "settings")}}


def used_by_judge(run: RunInfo, store: Store, options: JudgeOptions, grader: str) -> Used:
    """The usage of a model judge for a run, now and before."""
    return judge_usage(store, run.id, grader, options.endpoints())


@asynccontextmanager
async def judge_model(
    options: JudgeOptions, used: Used | None = None, *, weigh: bool = False, ledger: Ledger | None = None
) -> AsyncIterator[JudgeModel]:
    """Open the model of a judge, its calls overheard; its budgets include what was `used` before, or what
    stands in a `ledger` that is kept from one opening to the next. With `weigh` it is a `Weigher`, and
    nothing is sent."""
    result = options.endpoints()
    endpoint = result.endpoint(options.endpoint)
    if weigh:
        yield JudgeModel(Weigher(), endpoint, options.repeats, options.batch)
        return
    async with open_models([f"model:{options.endpoint}"], result, options.models, used, ledger) as models:
        yield JudgeModel(models.client(options.endpoint), endpoint, options.repeats, options.batch)


class Weigher:
    """A client that sends nothing: it adds up the estimates of what it is asked, and gives no answer."""

    def __init__(self) -> None:
        self.calls, self.prompt, self.completion = 0, 0, 0

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """Add one request. Always raises ModelAnswerError."""
        weighed = estimate(request)
        self.calls += 1
        self.prompt += weighed.prompt
        self.completion += weighed.completion
        raise ModelAnswerError(Fault(Kind.EMPTY, "nothing was sent"))

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Raise NotImplementedError: no judge uses embeddings."""
        raise NotImplementedError


async def _asked(
    run: RunInfo, store: Store, options: JudgeOptions, opens: OpensJudge
) -> tuple[int, ModelJudge]:
    async with judge_model(options, weigh=True) as model:
        used = used_before(run, store, options, opens(model).grader)
    async with judge_model(options, used) as model:
        judge = opens(model)
        told = run.manifest.get(MARKER) == options.name
        count = await judge_run(run, store, judge, concurrency=options.concurrency, permitted=told)
        return count, judge


def used_before(run: RunInfo, store: Store, options: JudgeOptions, grader: str) -> Used:
    """The usage that counts towards the budgets of a judge before it begins."""
    players = usage(store, run.id, options.endpoints()) if options.with_players else {}
    return joined((players, used_by_judge(run, store, options, grader)))


# The cost of judging, before it begins


def judging_forecast(
    run: RunInfo,
    store: Store,
    options: JudgeOptions,
    opens: OpensJudge | None = None,
    chosen: Chosen = lambda row: True,
) -> tuple[int, Forecast]:
    """Return the number of episodes that a model judge has not judged yet, and an estimate for them; nothing
    is sent. A second question about quotes that are not found is not in it.

    Raises BadInput for a judge that is no model.
    """
    result = opens or judge_named(options.name, protocol_of(run))
    if isinstance(result, Judge):
        raise BadInput(f"the judge {options.name} asks no model", where="--dry-run", hint="it costs nothing")

    async def weighed() -> tuple[int, int, Any]:
        async with judge_model(options, weigh=True) as model:
            there, asked = await judge_some(run, store, result(model), WEIGHED, chosen)
            return there, asked, model.client

    there, asked, client = asyncio.run(weighed())
    calls, prompt, completion = (
        round(amount * there / max(1, asked)) for amount in (client.calls, client.prompt, client.completion)
    )
    cost = cost_of(Estimate(prompt, completion), options.endpoints().endpoint(options.endpoint))
    return there, Forecast(calls, prompt, completion, None if cost is None else round(cost, 4))
