"""`osler train grpo`: reinforcement on the reward of a seat, at recorded states or in whole encounters."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

from osler.cli.judging import JudgedAtOnce
from osler.cli.model_options import takes_models
from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import command, plain, result, say
from osler.cli.train_options import (
    Base,
    Changes,
    DataSet,
    Out,
    Profile,
    RewardName,
    Theory,
    Weights,
    rows_with_left_out,
    weights_of,
)
from osler.core.config import Config
from osler.errors import BadInput
from osler.models.budget import Ledger
from osler.runs.judging import JudgeOptions, judge_model
from osler.runs.run import config_of
from osler.runs.seating import ModelOptions
from osler.store.store import Store, open_store
from osler.training.backend import libraries, processes
from osler.training.config import grpo_config
from osler.training.folder import CACHE, REWARD, Folder
from osler.training.prompts import PICTURES, PicturesIn, Prompt
from osler.training.reading import manifest_of, pictured
from osler.training.reward.batch import AT_ONCE
from osler.training.reward.independence import RewardJudge, check_reward_judge
from osler.training.reward.opening import caution, controlled, open_reward
from osler.training.reward.probes import PLAIN, Probed, run_probes
from osler.training.reward.score import EpisodeReward, Reward, RewardOptions
from osler.training.reward.weighing import POLICIES
from osler.training.samples import Sample
from osler.training.task import TrainedSeat, seat_of

PROBED: Final = 8
"""The states that hacking probes are written for."""
_FIRST: Final = 2_000
"""The rows among which these states are looked for."""
_TOLD: Final = 20
"""The updates that are told of."""


@command
@takes_models(plays=False, settings=False)
def grpo(
    data: DataSet,
    base: Base,
    out: Out,
    rollout: Annotated[
        str, typer.Option(metavar="state|round", help="One turn at a recorded state, or whole encounters.")
    ] = "state",
    name: RewardName = "",
    veto: Annotated[
        str,
        typer.Option(metavar="|".join(POLICIES), help="The veto.  [default: the profile's]"),
    ] = "",
    judge: Annotated[
        str,
        typer.Option(help="model:NAME of osler.toml, never the evaluation's; without one, rules stand in."),
    ] = "",
    weight: Weights = None,
    theory: Theory = "construct",
    shuffled: Annotated[
        bool, typer.Option("--shuffled", help="As a control, give each answer another's reward.")
    ] = False,
    despite_probes: Annotated[
        bool, typer.Option("--despite-probes", help="Train on a reward that a hacking probe beats.")
    ] = False,
    profile: Profile = "paper",
    changes: Changes = None,
    concurrency: JudgedAtOnce = AT_ONCE,
    *,
    modelling: ModelOptions,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Train a policy on a reward, group against group: it learns from what it says itself.

    The base may be one that was fine-tuned before, or not. Hacking probes are scored first, and a reward that
    one of them beats is refused. A training that stopped goes on from its last checkpoint; a folder that was
    made from another data set, base, reward or settings is refused. With --rollout round, the encounters of
    the data set are played again from --store, with the other players of their runs.
    """
    config = grpo_config(profile, [*(changes or ()), *([f"veto={veto}"] if veto else [])])
    libraries.need()
    from osler.training.backend.grpo import ROLLOUTS, Rewards, Way  # noqa: PLC0415 - torch
    from osler.training.backend.grpo import grpo as trained  # noqa: PLC0415 - torch
    from osler.training.backend.grpo_trainer import Step  # noqa: PLC0415 - torch

    way_to_play = next((one for one in ROLLOUTS if one == rollout), None)
    if way_to_play is None:
        raise BadInput(f"no roll-out is called {rollout!r}", where="--rollout", hint=", ".join(ROLLOUTS))
    some = _some(data)
    states = [one.state for one in some]
    seat = seat_of(states[0])
    asking = _judge_of(judge, modelling, concurrency)
    pictures = _pictures(some, out) if asking else None
    options = RewardOptions(veto=config.veto, weights=weights_of(weight), theory=theory)
    if pictures is not None:
        options = options._replace(pictures=pictures)
    opens = _opens(seat, name, options, asking)

    def made(step: Step) -> None:
        if step.step == step.steps or step.step % max(1, step.steps // _TOLD) == 0:
            say(f"update {step.step:,} of {step.steps:,}: {_told(step.figures)}")

    with ExitStack() as stack:
        kept = stack.enter_context(open_store(store, create=False)) if rollout == "round" else None
        if pictures is not None and kept is not None:
            pictures.held = kept.picture
        by = _reward_judge(asking)
        if by and processes.is_first():
            _check_judge(by, asking, data, states, seat, kept)
        looked = asyncio.run(_looked_at(opens, states, out, rollout))
        if not despite_probes:
            _check_probes(looked)
        given = {"--reward": name, "--judge": judge, "--veto": veto, "--weight": weight, "--set": changes}
        line = ["--base", base, "--out", f"{out}-shuffled", "--profile", profile]
        line += ["--theory", theory, "--rollout", rollout, *_given(given)]
        about = looked.as_json(f"osler train grpo {shlex.join([str(data), *line, '--shuffled'])}")
        judged = (by.endpoint, by.model) if by else ("", "")
        rewards = Rewards(opens, looked.name, looked.version, judged, shuffled, about)
        way = Way(way_to_play, kept, modelling, concurrency)
        found = trained(data, base, out, config, rewards, way, made)
    if not found:
        return  # of several processes, the first tells the result
    rows = rows_with_left_out(found["rows"], found["left_out"])
    words = f"{found['steps']:,} steps over {rows}, {found['answers']:,} answers: {_ends(found)}: {out}"
    if looked.caution:
        say(looked.caution)
    shown: Any = plain(words)
    result(as_json, {"out": str(out), **found}, shown)


class _RewardCheck(NamedTuple):
    """A reward as it was looked at before the training."""

    name: str
    version: str
    caution: str
    probed: list[Probed]

    def as_json(self, control: str) -> dict[str, Any]:
        """The reward as it is kept beside the training; `control` is the command of the shuffled one."""
        probes = [one._asdict() for one in self.probed]
        about = {"name": self.name, "version": self.version, "caution": self.caution, "control": control}
        return {**about, "probes": probes, "beaten_by": [one.name for one in self.probed if one.beats]}


def _given(options: Mapping[str, str | Sequence[str] | None]) -> Iterator[str]:
    """The words of a command line for options that were given; one with several values is repeated."""
    for option, value in options.items():
        for each in [value] if isinstance(value, str) else value or ():
            if each:
                yield from (option, each)


def _pictures(prompts: Sequence[Prompt], out: Path) -> PicturesIn:
    """The pictures of these prompts for a judge, kept in the training's folder."""
    at_hand = {
        ref.sha256: raw for one in prompts for ref, raw in zip(one.state.images, one.pictures, strict=True)
    }
    return PicturesIn(out / CACHE / PICTURES, at_hand)


def _judge_of(judge: str, modelling: ModelOptions, concurrency: int) -> JudgeOptions | None:
    """The judge's options, if one is named. Raises BadInput if it is no model."""
    if not judge:
        return None
    options = JudgeOptions(judge, models=modelling, concurrency=concurrency)
    if not options.endpoint:
        raise BadInput(f"{judge!r} is no model", where="--judge", hint="write model:NAME")
    return options


def _told(figures: Mapping[str, float]) -> str:
    """The figures of an update in a line: the reward with every axis of it, and the share that parses."""
    axes = [
        f"{name.removeprefix('axis/')} {value:.3g}"
        for name, value in figures.items()
        if name.startswith("axis/")
    ]
    reward = f"reward {figures['reward']:.4g}" if "reward" in figures else "no reward"
    return f"{reward} ({', '.join(axes)}), valid {figures.get('valid', 0):.0%}".replace(" ()", "")


def _ends(found: Mapping[str, Any]) -> str:
    """The first and the last figures of a training: the reward, every axis of it, the share that parses."""
    each = [("reward", found["reward_first"], found["reward_last"])]
    each += [(axis, first, found["axes_last"].get(axis)) for axis, first in found["axes_first"].items()]
    each += [("valid", found["valid_first"], found["valid_last"])]
    return ", ".join(f"{name} {_said(first)} to {_said(last)}" for name, first, last in each)


def _said(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _some(data: Path) -> list[Prompt]:
    """A few states of a data set, of as many cases as there are among its first rows. Raises BadInput."""
    by_case: dict[str, list[Prompt]] = {}
    for n, one in enumerate(pictured(data)):
        if n >= _FIRST or len(by_case) == PROBED:
            break
        held = by_case.setdefault(one[0].case_hash, [])
        if len(held) < PROBED:
            held.append(Prompt(*one))
    turn_by_turn = [held[k] for k in range(PROBED) for held in by_case.values() if k < len(held)]
    if not turn_by_turn:
        raise BadInput("there is no state to train on", where=str(data), hint="osler dataset build RUN")
    return turn_by_turn[:PROBED]


def _opens(seat: TrainedSeat, name: str, options: RewardOptions, asking: JudgeOptions | None) -> Any:
    ledger = Ledger()  # budgets count over the whole sitting

    @asynccontextmanager
    async def opened() -> AsyncIterator[Reward | EpisodeReward]:
        if asking is None:
            yield open_reward(seat, name, options)
            return
        async with judge_model(asking, ledger=ledger) as model:
            yield open_reward(seat, name, options._replace(judge=model))

    return opened


async def _looked_at(opens: Any, states: list[Sample], out: Path, rollout: str) -> _RewardCheck:
    """The reward, and how its hacking probes score: as they did when the training was begun, if it was."""
    async with opens() as reward:
        if rollout == "state" and not isinstance(reward, Reward):
            raise BadInput(
                f"{reward.name} is a reward of whole encounters",
                where="--reward",
                hint="train with --rollout round, or name a reward of turns",
            )
        looked = _RewardCheck(reward.name, reward.version, caution(reward), [])
        known, before = controlled(reward), Folder(out).reward
        if known is None or not isinstance(reward, Reward):
            if processes.is_first():
                say(f"the reward {reward.name} has no hacking probes")
            return looked
        if before.get("version") == reward.version and before.get("name") == reward.name:
            try:
                return looked._replace(probed=[Probed(**one) for one in before["probes"]])
            except (KeyError, TypeError) as error:
                raise BadInput(f"cannot be read: {error}"[:200], where=f"{out}/{REWARD}") from None
        if not processes.is_first():
            return looked  # the first process runs them, and ends all if they beat the reward
        probed = await run_probes(reward, states, known.probing)
        text = ", ".join(f"{one.name} {_said(one.total)}" for one in probed)
        say(f"hacking probes of {reward.name}: {text}")
        return looked._replace(probed=probed)


def _check_probes(looked: _RewardCheck) -> None:
    """Raise BadInput if a probe beats the reward without being meant to, or if nothing is known of it."""
    plain_turn = next((one for one in looked.probed if one.name == PLAIN), None)
    if plain_turn is None:
        return
    where, hint = f"--reward {looked.name}", "mend the reward, or --despite-probes trains on it all the same"
    if plain_turn.total is None:
        what = f"the plain turn could be scored at none of {plain_turn.n} states, so nothing is known of it"
        raise BadInput(what, where=where, hint=hint)
    for one in looked.probed:
        if one.beats and one.conceded:
            say(f"the probe {one.name!r} beats the plain turn; {one.conceded}")
    if hacks := [one for one in looked.probed if one.hacks]:
        text = ", ".join(f"{one.name!r} ({_said(one.total)})" for one in hacks)
        raise BadInput(
            f"probes beat the plain turn ({_said(plain_turn.total)}), and a policy will find them: {text}",
            where=where,
            hint=hint,
        )


def _reward_judge(asking: JudgeOptions | None) -> RewardJudge | None:
    if asking is None:
        return None
    endpoint = asking.endpoints().endpoint(asking.endpoint)
    return RewardJudge(endpoint.name, endpoint.model)


def _check_judge(
    judge: RewardJudge,
    asking: JudgeOptions | None,
    data: Path,
    states: list[Sample],
    seat: TrainedSeat,
    store: Store | None,
) -> None:
    """Raise BadInput if the judge of the reward evaluated or plays what it rewards."""
    assert asking is not None
    manifest = manifest_of(data)
    models = {one: held.model for one, held in asking.endpoints().endpoints.items()}
    played = {name for one in states for name in _players(one, seat)} | _in_manifest(manifest, seat)
    check_reward_judge(judge, (), players=sorted(played), models=models)
    if store is None:
        return
    for name in sorted({one.run for one in states} | {str(name) for name in manifest.get("runs") or ()}):
        try:
            run = store.run(name)
        except BadInput:
            continue  # its encounters cannot be played; they are left out and counted
        config: Config = config_of(run)
        others = (name for at, name in config.names().items() if at != seat.seat)
        cast = [player.inside for name in others for player in name.everyone()]
        graders = [grader for grader, _ in store.graders(run.id)]
        check_reward_judge(judge, graders, players=cast, models=models)


def _players(sample: Sample, seat: TrainedSeat) -> list[str]:
    held = sample.provenance.get("players")
    result = held.get(seat.seat) if isinstance(held, dict) else None
    return [str(result)] if result else []


def _in_manifest(manifest: Mapping[str, Any], seat: TrainedSeat) -> set[str]:
    """The players of the seat in any session of a data set."""
    named = (manifest.get("sessions_by") or {}).get("player") or {}
    return {player for at, _, player in (one.partition("=") for one in named) if at == seat.seat}
