"""`osler train reward`: score stored turns by a reward, and run its hacking probes. Trains nothing."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Final, NamedTuple

import typer
from rich.table import Table

from osler.cli.judging import JudgedAtOnce
from osler.cli.model_options import takes_models
from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import add_row, command, plain, result, say
from osler.cli.train_options import RewardName, Theory, Weights, weights_of
from osler.errors import BadInput
from osler.judging.opening import JudgeModel
from osler.runs.judging import JudgeOptions, judge_model
from osler.runs.run import config_of, protocol_of
from osler.runs.seating import ModelOptions
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.training.reward.batch import AT_ONCE, Remembered, score_all
from osler.training.reward.controls import Controls, controls
from osler.training.reward.independence import RewardJudge, check_reward_judge
from osler.training.reward.opening import caution, controlled, open_reward
from osler.training.reward.outcome import Outcome, outcomes
from osler.training.reward.probes import PLAIN, Probed, run_probes
from osler.training.reward.score import Reward, RewardOptions, Score
from osler.training.reward.stored import Harvested, Stored, lines_of, rows_of, turns_of
from osler.training.reward.weighing import POLICIES
from osler.training.state import State
from osler.training.task import TrainedSeat, trained_seat

_NO_THINKING: Final = "no-thinking"
_STAND_INS: Final = (
    "No model judged: rules stand in for all but the form. They count words and say nothing of teaching."
)


class Scored(NamedTuple):
    """Scored turns or episodes, as JSON objects, with what is printed of them."""

    samples: list[dict[str, Any]]
    scores: list[Score]
    controls: Controls | None = None
    probes: Sequence[Probed] = ()


@command
@takes_models(plays=False)
def reward(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RUN|FILE",
            help="A run's name, a data set, or JSON lines with a state and a turn (`text`) each.",
        ),
    ],
    judge: Annotated[str, typer.Option(help="model:NAME of osler.toml; without one, rules stand in.")] = "",
    name: RewardName = "",
    veto: Annotated[str, typer.Option(help=f"The veto: {', '.join(POLICIES)}.")] = "floor",
    weight: Weights = None,
    theory: Theory = "construct",
    probes: Annotated[bool, typer.Option("--probes", help="Score the hacking probes too.")] = False,
    probe_states: Annotated[
        int, typer.Option(min=1, max=10_000, help="The states that the probes are written for.")
    ] = 20,
    seat: Annotated[str, typer.Option(help="The trained seat.  [default: the one under test]")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N turns.")] = None,
    concurrency: JudgedAtOnce = AT_ONCE,
    *,
    modelling: ModelOptions,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Score stored turns by a reward. Nothing is trained, and no player is asked again.

    Settings of models are the judge's, which is asked at temperature 0.
    """
    asking = JudgeOptions(judge, models=modelling, concurrency=concurrency).set() if judge else None
    if asking and not asking.endpoint:
        raise BadInput(f"{judge!r} is no model", where="--judge", hint="write model:NAME")
    options = RewardOptions(veto=veto, weights=weights_of(weight), theory=theory)
    file = Path(source)
    if file.exists():
        rows = rows_of(file, limit=limit) if file.is_dir() else lines_of(file, limit=limit)
        trained = _seat_of(rows.turns, file, seat)
        result, about = _of_turns(trained, name, options, asking, rows, probes, probe_states)
        about = {"source": str(file), **about}
    else:
        with open_store(store, create=False) as opened:
            reader = for_reader(opened, "data set")
            reader = for_reader(reader, "model judge") if asking else reader
            run = reader.run(source)
            trained = _of_form(trained_seat(protocol_of(run), seat), name)
            if asking:
                _check_judge(asking, run, reader, trained)
            opens = open_reward(trained, name, options)
            if isinstance(opens, Outcome):
                result, about = _of_episodes(run, reader, opens)
            else:
                turns = turns_of(run, reader, trained, limit=limit, pictures=asking is not None)
                result, about = _of_turns(trained, name, options, asking, turns, probes, probe_states)
        about = {"source": run.name, **about}
    if probes and not result.probes:
        raise BadInput("this reward has no probes", where="--probes", hint="name a reward of turns")
    _tell(result, about, asking, as_json)


def _seat_of(held: Sequence[Stored], file: Path, seat: str) -> TrainedSeat:
    kinds = {(one.state.protocol, one.state.seat) for one in held}
    if len(kinds) != 1:
        what = "there is no turn" if not kinds else "there are turns of several seats"
        raise BadInput(what, where=str(file), hint="give turns of one seat")
    ((protocol, own),) = kinds
    return trained_seat(protocol, seat or own)


def _of_form(seat: TrainedSeat, name: str) -> TrainedSeat:
    """The seat in the form of a reward's turns: without private thought if the reward has none."""
    return seat.without_thinking() if name == _NO_THINKING else seat


def _check_judge(asking: JudgeOptions, run: RunInfo, store: Store, seat: TrainedSeat) -> None:
    """Raise BadInput if the judge evaluates this run, or plays the seat that is to be rewarded."""
    config = asking.endpoints()
    endpoint = config.endpoint(asking.endpoint)
    name = config_of(run).names().get(seat.seat)
    check_reward_judge(
        RewardJudge(endpoint.name, endpoint.model),
        [grader for grader, _ in store.graders(run.id)],
        players=[player.inside for player in name.everyone()] if name else [],
        models={one: held.model for one, held in config.endpoints.items()},
    )


@asynccontextmanager
async def _judge(asking: JudgeOptions | None) -> AsyncIterator[JudgeModel | None]:
    if asking is None:
        yield None
        return
    async with judge_model(asking) as model:
        yield model


def _of_turns(
    seat: TrainedSeat,
    name: str,
    options: RewardOptions,
    asking: JudgeOptions | None,
    harvested: Harvested,
    probes: bool,
    probe_states: int,
) -> tuple[Scored, dict[str, Any]]:
    turns = harvested.turns
    if not turns:
        why = ", ".join(f"{count} {reason}" for reason, count in harvested.left_out.items())
        raise BadInput("there is no turn to score", hint=f"episodes left out: {why}" if why else "")

    async def run() -> tuple[Scored, dict[str, Any]]:
        async with _judge(asking) as model:
            opened = open_reward(seat, name, options._replace(judge=model, pictures=harvested.pictures))
            if not isinstance(opened, Reward):
                raise BadInput(f"{opened.name} is a reward of whole episodes of a run", where="--reward")
            at_once = asking.concurrency if asking else AT_ONCE
            scores = await score_all(
                Remembered(opened), [(one.state, one.text) for one in turns], at_once=at_once
            )
            result = controlled(opened)
            probed: Sequence[Probed] = ()
            beside: Controls | None = None
            if result is not None:
                leaks = [result.leaks(one.state, one.text) for one in turns]
                beside = controls(scores, [one.text for one in turns], leaks, key=opened.version)
                if probes:
                    states = _spread([one.state for one in turns], probe_states)
                    probed = await run_probes(Remembered(opened), states, result.probing, at_once=at_once)
            samples = [_sample(one, score) for one, score in zip(turns, scores, strict=True)]
            return Scored(samples, scores, beside, probed), _about(seat, opened, options, model)

    found, about = asyncio.run(run())
    return found, {**about, "left_out": harvested.left_out}


def _spread(states: Sequence[State], most: int) -> list[State]:
    """At most so many states, from as many cases as there are, in their order."""
    by_case: dict[str, list[int]] = {}
    for n, state in enumerate(states):
        by_case.setdefault(state.case_hash, []).append(n)
    turn_by_turn = sorted((k, n) for held in by_case.values() for k, n in enumerate(held))
    return [states[n] for n in sorted(n for _, n in turn_by_turn[:most])]


def _of_episodes(run: RunInfo, store: Store, reward: Outcome) -> tuple[Scored, dict[str, Any]]:
    ended = list(outcomes(run, store, reward, reward.measures))
    samples = [
        {"id": one.row.key, "episode": one.row.key, "status": str(one.row.status), **_as_json(one.score)}
        for one in ended
    ]
    about = {
        "protocol": protocol_of(run).name,
        "reward": reward.name,
        "version": reward.version,
        "caution": caution(reward),
    }
    return Scored(samples, [one.score for one in ended]), about


def _about(
    seat: TrainedSeat, reward: Reward, options: RewardOptions, model: JudgeModel | None
) -> dict[str, Any]:
    endpoint = model.endpoint if model else None
    return {
        "protocol": seat.protocol,
        "seat": seat.seat,
        "reward": reward.name,
        "version": reward.version,
        "caution": caution(reward),
        "veto": options.veto,
        "weights": dict(options.weights),
        "theory": options.theory,
        "judge": None if endpoint is None else {"endpoint": endpoint.name, "model": endpoint.model},
    }


def _sample(one: Stored, score: Score) -> dict[str, Any]:
    state = one.state
    place = {"id": state.id, "episode": state.episode, "turn": state.turn, "accepted": one.accepted}
    return {**place, **_as_json(score)}


def _as_json(score: Score) -> dict[str, Any]:
    return {
        "total": score.total,
        "vetoed": score.vetoed,
        "axes": dict(score.axes),
        "items": dict(score.items),
        "unscored": score.unscored,
        "quotes": dict(score.quotes),
    }


def _tell(found: Scored, about: dict[str, Any], asking: JudgeOptions | None, as_json: bool) -> None:
    beaten = [one.name for one in found.probes if one.beats]
    value = {**about, **_figures(found), "beaten_by": beaten}
    if asking is None and about["reward"] in ("rubric", "vanilla", _NO_THINKING):
        say(_STAND_INS)
    if about["caution"]:
        say(about["caution"])
    if beaten:
        say(f"This reward is beaten by {', '.join(beaten)}: a policy will find that.")
    for one in found.probes:
        if one.beats and one.conceded:
            say(f"{one.name}: {one.conceded}")
    result(as_json, value, *_tables(found, value))


def _figures(found: Scored) -> dict[str, Any]:
    """The scores in numbers: how many, their means, the controls and the probes."""
    totals = [score.total for score in found.scores if score.total is not None]
    axes = dict.fromkeys(axis for score in found.scores for axis in score.axes)
    return {
        "n": len(found.scores),
        "scored": len(totals),
        "unscored": dict(Counter(score.unscored for score in found.scores if score.unscored)),
        "vetoed": sum(score.vetoed for score in found.scores),
        "mean": fmean(totals) if totals else None,
        "axes": {
            axis: fmean(score.axes[axis] for score in found.scores if axis in score.axes) for axis in axes
        },
        "samples": found.samples,
        "controls": found.controls.as_json() if found.controls else None,
        "probes": [one._asdict() for one in found.probes],
    }


def _tables(found: Scored, value: dict[str, Any]) -> list[Any]:
    reward = Table("part", "mean", title=f"{value['reward']} over {value['n']} samples")
    add_row(reward, "total", _number(value["mean"]))
    for axis, mean in value["axes"].items():
        add_row(reward, axis, _number(mean))
    add_row(reward, "vetoed", str(value["vetoed"]))
    for why, count in value["unscored"].items():
        add_row(reward, f"unscored: {why}", str(count))
    shown: list[Any] = [reward]
    if beside := found.controls:
        table = Table("control", "value", "with the reward", "shuffled, within", title="Controls")
        add_row(table, "leak", _number(beside.leak), _number(beside.with_leak), _number(beside.shuffled_leak))
        add_row(
            table,
            "words",
            _number(beside.words),
            _number(beside.with_words),
            _number(beside.shuffled_words),
        )
        shown.append(table)
    if found.probes:
        table = Table("probe", "total", "vetoed", "unscored", "above", title="Hacking probes")
        for one in found.probes:
            above = "" if one.name == PLAIN else f"{one.above} of {one.n}"
            add_row(table, one.name, _number(one.total), str(one.vetoed), str(one.unscored), above)
        shown.append(table)
    if not found.scores:
        shown.append(plain("There is nothing to score."))
    return shown


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"
