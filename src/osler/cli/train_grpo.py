"""`osler train grpo`: reinforcement on the reward of a seat, at recorded states or in whole encounters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from osler.cli.judging import JudgedAtOnce
from osler.cli.model_options import takes_models
from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import command, plain, result, say
from osler.cli.train_models import DataSet
from osler.core.config import Config
from osler.errors import BadInput
from osler.runs.judging import JudgeOptions, judge_model
from osler.runs.run import config_of
from osler.runs.seating import ModelOptions
from osler.store.store import Store, open_store
from osler.training.backend import libraries
from osler.training.config import PROFILES, grpo_config
from osler.training.reading import pictured, rows
from osler.training.reward.batch import AT_ONCE
from osler.training.reward.independence import RewardJudge, check_reward_judge
from osler.training.reward.opening import controlled, open_reward
from osler.training.reward.probes import PLAIN, Probed, run_probes
from osler.training.reward.score import EpisodeReward, Reward, RewardOptions
from osler.training.reward.weighing import POLICIES
from osler.training.samples import Sample
from osler.training.task import TrainedSeat, trained_seat

PROBED: Final = 8
"""The states that hacking probes are written for."""
_FIRST: Final = 2_000
"""The rows among which these states are looked for."""


@command
@takes_models(plays=False, settings=False)
def grpo(
    data: DataSet,
    base: Annotated[
        str,
        typer.Option(
            metavar="MODEL", help="The base: a folder, a training's OUT, or OWNER/NAME of a public one."
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="The folder for weights, log and result; the same command goes on with it.")
    ],
    rollout: Annotated[
        str, typer.Option(metavar="state|round", help="One turn at a recorded state, or whole encounters.")
    ] = "state",
    name: Annotated[
        str,
        typer.Option(
            "--reward",
            help="A tutor's: rubric, rule, vanilla, gain, no-thinking; of whole encounters: outcome.",
        ),
    ] = "",
    veto: Annotated[
        str,
        typer.Option(metavar="|".join(POLICIES), help="The veto.  [default: the profile's]"),
    ] = "",
    judge: Annotated[
        str,
        typer.Option(help="model:NAME of osler.toml, never the evaluation's; without one, rules stand in."),
    ] = "",
    weight: Annotated[
        list[str] | None,
        typer.Option(metavar="ITEM=W", help="An item's weight, 1 unless given. May be repeated."),
    ] = None,
    theory: Annotated[
        str, typer.Option(help="The theory of learning of a gain: construct, telling or novice.")
    ] = "construct",
    shuffled: Annotated[
        bool, typer.Option("--shuffled", help="As a control, give each answer another's reward.")
    ] = False,
    profile: Annotated[
        str, typer.Option(metavar="|".join(PROFILES), help="The settings to begin from.")
    ] = "paper",
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting, such as steps=20 or group=8; may be given several times.",
            show_default=False,
        ),
    ] = None,
    concurrency: JudgedAtOnce = AT_ONCE,
    *,
    modelling: ModelOptions,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Train a policy on a reward, group against group: it learns from what it says itself.

    The base may be one that was fine-tuned before, or not. Hacking probes are scored first, and stand in the
    report. A training that stopped goes on from its last checkpoint; a folder that was made from another data
    set, base, reward or settings is refused. With --rollout round, the encounters of the data set are played
    again from --store, with the other players of their runs.
    """
    config = grpo_config(profile, [*(changes or ()), *([f"veto={veto}"] if veto else [])])
    libraries.need()
    from osler.training.backend.grpo import ROLLOUTS, Rewards, Step, Way  # noqa: PLC0415 - torch
    from osler.training.backend.grpo import grpo as trained  # noqa: PLC0415 - torch

    found_rollout = next((one for one in ROLLOUTS if one == rollout), None)
    if found_rollout is None:
        raise BadInput(f"no roll-out is called {rollout!r}", where="--rollout", hint=", ".join(ROLLOUTS))
    states = _some(data)
    seat = trained_seat(states[0].protocol, states[0].seat)
    if states[0].context.get("thinking") is False:
        seat = seat.without_thinking()
    asking = JudgeOptions(judge, models=modelling, concurrency=concurrency) if judge else None
    if asking and not asking.endpoint:
        raise BadInput(f"{judge!r} is no model", where="--judge", hint="write model:NAME")
    options = RewardOptions(veto=config.veto, weights=dict(map(_weight, weight or ())), theory=theory)
    if asking:
        options = options._replace(pictures=_pictures(data))
    opens = _opens(seat, name, options, asking)
    reward, probed = asyncio.run(_looked_at(opens, states))
    by = _reward_judge(asking)
    rewards = Rewards(
        opens, reward.name, reward.version, (by.endpoint, by.model) if by else ("", ""), shuffled
    )
    for one in probed:
        if one.beats:
            say(f"warning: the probe {one.name!r} beats the plain turn, and a policy will find it")

    def made(step: Step) -> None:
        if step.step == step.steps or step.step % max(1, step.steps // 20) == 0:
            mean = step.figures.get("reward")
            told = "no reward" if mean is None else f"reward {mean:.4g}"
            say(f"update {step.step:,} of {step.steps:,}: {told}, valid {step.figures.get('valid', 0):.0%}")

    with ExitStack() as stack:
        kept = stack.enter_context(open_store(store, create=False)) if rollout == "round" else None
        if by:
            _check_judge(by, asking, states, seat, kept)
        about = {
            "reward": reward.name,
            "probes": {one.name: one.total for one in probed},
            "beaten_by": [one.name for one in probed if one.beats],
        }
        way = Way(found_rollout, kept, modelling)
        found = trained(data, base, out, config, rewards, way, made, about)
    if not found:
        return  # of several processes, the first tells the result
    words = (
        f"{found['steps']:,} steps, {found['answers']:,} answers: reward {_said(found['reward_first'])} to"
        f" {_said(found['reward_last'])}, valid {_said(found['valid_first'])} to {_said(found['valid_last'])}"
    )
    result(as_json, {"out": str(out), **found}, _line(f"{words}: {out}"))


def _line(words: str) -> Any:
    return plain(words)


def _said(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _some(data: Path) -> list[Sample]:
    """A few states of a data set, of as many cases as there are among its first rows. Raises BadInput."""
    by_case: dict[str, list[Sample]] = {}
    for n, one in enumerate(rows(data)):
        if n >= _FIRST:
            break
        held = by_case.setdefault(one.case_hash, [])
        if len(held) < PROBED:
            held.append(one)
    turn_by_turn = [held[k] for k in range(PROBED) for held in by_case.values() if k < len(held)]
    if not turn_by_turn:
        raise BadInput("there is no state to train on", where=str(data), hint="osler dataset build RUN")
    return turn_by_turn[:PROBED]


def _pictures(data: Path) -> dict[str, bytes]:
    """The pictures of the states, for a judge with eyes."""
    return {
        ref.sha256: raw
        for one, pictures in pictured(data)
        for ref, raw in zip(one.images, pictures, strict=True)
    }


def _weight(text: str) -> tuple[str, float]:
    item, sign, value = text.partition("=")
    try:
        return item.strip(), float(value) if sign else float("nan")
    except ValueError:
        raise BadInput(f"{text[:40]!r} is no weight", where="--weight", hint="write ITEM=NUMBER") from None


def _opens(seat: TrainedSeat, name: str, options: RewardOptions, asking: JudgeOptions | None) -> Any:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Reward | EpisodeReward]:
        if asking is None:
            yield open_reward(seat, name, options)
            return
        async with judge_model(asking) as model:
            yield open_reward(seat, name, options._replace(judge=model))

    return opened


async def _looked_at(opens: Any, states: Sequence[Sample]) -> tuple[Reward | EpisodeReward, list[Probed]]:
    """The reward, and how its hacking probes score."""
    async with opens() as reward:
        found = controlled(reward)
        if found is None or not isinstance(reward, Reward):
            return reward, []
        probed = await run_probes(reward, states, found.probing)
        say(f"hacking probes of {reward.name}: " + ", ".join(_probe(one) for one in probed))
        return reward, [one for one in probed if one.name != PLAIN or one.total is not None]


def _probe(one: Probed) -> str:
    return f"{one.name} {_said(one.total)}"


def _reward_judge(asking: JudgeOptions | None) -> RewardJudge | None:
    if asking is None:
        return None
    endpoint = asking.endpoints().endpoint(asking.endpoint)
    return RewardJudge(endpoint.name, endpoint.model)


def _check_judge(
    judge: RewardJudge,
    asking: JudgeOptions | None,
    states: Sequence[Sample],
    seat: TrainedSeat,
    store: Store | None,
) -> None:
    """Raise BadInput if the judge of the reward evaluated or plays what it rewards."""
    assert asking is not None
    models = {one: held.model for one, held in asking.endpoints().endpoints.items()}
    played = {name for one in states for name in _players(one, seat)}
    check_reward_judge(judge, (), players=sorted(played), models=models)
    if store is None:
        return
    for name in sorted({one.run for one in states}):
        run = store.run(name)
        config: Config = config_of(run)
        cast = [player for at, player in config.insides().items() if at != seat.seat]
        graders = [grader for grader, _ in store.graders(run.id)]
        check_reward_judge(judge, graders, players=cast, models=models)


def _players(sample: Sample, seat: TrainedSeat) -> list[str]:
    held = sample.provenance.get("players")
    found = held.get(seat.seat) if isinstance(held, dict) else None
    return [str(found)] if found else []
