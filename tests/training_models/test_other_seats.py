"""A doctor and an examinee by the tutor's path: play, data set, SFT, reward, serving, and back to play."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from osler.core.attempts import REFUSED
from osler.stats.intervals import Estimate, wilson
from osler.store.store import open_store
from tests.training_models.chain import osler, served

SHORT: Final = ("--max-turns", "5")


class Seat(NamedTuple):
    """A seat that is trained: how rows are played, how the served model plays, and how it is rewarded."""

    rows: tuple[str, ...]
    play: tuple[str, ...]
    reward: tuple[str, ...]
    headline: str


SEATS: Final = {
    # The tenth scenario has pictures, which a base that only reads does not take.
    # A doctor's reward of single moves pays for concluding at once, so whole consultations are rewarded.
    "doctor": Seat(
        ("consult", "generated:40:1", *SHORT),
        ("consult", "generated:12:99", *SHORT, "--moves", "text"),
        ("--rollout", "round", "--reward", "outcome"),
        "correct",
    ),
    "examinee": Seat(
        ("scenario", "play", "library", "--limit", "9", *SHORT),
        ("scenario", "play", "library", "--limit", "6", *SHORT),
        ("--reward", "net"),
        "net",
    ),
}
SMALL: Final = ("steps=3", "prompts=2", "mini_batch=2", "group=4", "per_device=8", "save_every=3")


class Figures(NamedTuple):
    """A model's play: its turns, how many first answers could be read, how many episodes there were and how
    they ended, and the measure that the seat is known by."""

    turns: int
    valid: int
    episodes: int
    ended: dict[str, int]
    headline: float | None

    @property
    def readable(self) -> Estimate:
        """The share of first answers that could be read."""
        return wilson(self.valid, self.turns)

    @property
    def completed(self) -> Estimate:
        """The share of episodes that the model itself brought to their end."""
        return wilson(self.ended.get("completed", 0), self.episodes)


class Trained(NamedTuple):
    """A seat's data set, its trainings, and the play of each stage."""

    built: dict[str, Any]
    sft: dict[str, Any]
    grpo: dict[str, Any]
    stages: dict[str, Figures]


def back_to_play(room: Path, seat: str, out: Path) -> Figures:
    """The served model in its seat, by the command that plays it."""
    store, toml = f"sqlite:///{room}/{out.name}.db", room / f"{out.name}.toml"
    model = (f"--{seat}", "model:trained", "--config", str(toml), "--temperature", "0")
    with served(out, toml):
        played = osler(*SEATS[seat].play, *model, "--store", store)
    valid = list[bool]()
    with open_store(store) as opened:
        for _, trace in opened.traces(opened.run(played["run"]).id):
            for row in trace.rows:
                if row.seat == seat:
                    valid.append(all(one["at"] != REFUSED for one in json.loads(row.attempts)))
    headline = played["measures"][SEATS[seat].headline]["value"]
    return Figures(len(valid), sum(valid), played["episodes"], played["ended"], headline)


@pytest.fixture(scope="module", params=SEATS)
def trained(request: pytest.FixtureRequest, room: Path) -> tuple[str, Trained]:
    """A seat's whole chain, by the commands that a lab runs."""
    seat, place = request.param, room / request.param
    place.mkdir()
    data, base, sft, policy = (place / name for name in ("data", "base", "sft", "policy"))
    store = ("--store", f"sqlite:///{place}/rows.db")
    run = osler(*SEATS[seat].rows, *store)["run"]
    shares = ("--kind", "single", "--validation", "0", "--test", "0")
    built = osler("dataset", "build", run, "--seat", seat, "--out", str(data), *shares, *store)
    osler("train", "tiny", str(base), "--data", str(data))
    tiny = ("--profile", "tiny")
    found = osler(
        "train", "sft", str(data), "--base", str(base), "--out", str(sft), *tiny, "--set", "steps=60"
    )
    small = [word for one in (*SMALL, "max_answer=160") for word in ("--set", one)]
    words = ("train", "grpo", str(data), "--base", str(sft), "--out", str(policy), *tiny, *small)
    reward = (*SEATS[seat].reward, *(store if "round" in SEATS[seat].reward else ()))
    rewarded = osler(*words, *reward)
    stages = {one.name: back_to_play(place, seat, one) for one in (base, sft, policy)}
    for name, one in stages.items():
        print(f"{seat}, {name}: {one}, readable {one.readable}, completed {one.completed}")
    print(f"{seat}: {built['samples']}, loss {found['loss_first']} to {found['loss_last']}, {rewarded}")
    return seat, Trained(built, found, rewarded, stages)


def test_a_trained_seat_is_served_and_plays(trained: tuple[str, Trained]) -> None:
    seat, made = trained
    before, after = made.stages["base"], made.stages["sft"]
    assert made.sft["loss_last"] < made.sft["loss_first"] / 2
    # Any words are a doctor's move, but an untrained base never concludes; an examinee's move is a JSON
    # object, of which it writes none.
    shares = [one.completed if seat == "doctor" else one.readable for one in (before, after)]
    assert shares[0].value == 0
    assert shares[1].low is not None
    assert shares[1].low > 0.5


def test_a_trained_seat_is_rewarded_by_its_own_reward(trained: tuple[str, Trained]) -> None:
    seat, made = trained
    assert made.grpo["answers"] == 3 * 2 * 4
    assert made.grpo["unscored"] == 0
    assert made.grpo["reward"] == {"doctor": "outcome", "examinee": "net"}[seat]
    assert made.stages["policy"].episodes == made.stages["sft"].episodes
