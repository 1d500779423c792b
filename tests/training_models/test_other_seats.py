"""A doctor and an examinee by the tutor's path: play, data set, SFT, reward, serving, and back to play."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from osler.core.attempts import REFUSED
from osler.models import wire
from osler.models.wire import body_of
from osler.stats.intervals import Estimate, wilson
from osler.store.store import open_store
from tests.training_models.chain import osler, served

FEW, FEWER = ("--max-turns", "5"), ("--max-turns", "3")
MOST: Final = 160
"""The tokens of an answer: the longest move of these scenarios takes 142."""


class Seat(NamedTuple):
    """A seat that is trained: how rows are played, the settings of SFT, how the served model plays, how it is
    rewarded, and the measure that the seat is known by."""

    rows: tuple[str, ...]
    settings: tuple[str, ...]
    play: tuple[str, ...]
    reward: tuple[str, ...]
    headline: str


SEATS: Final = {
    # The tenth scenario has pictures, which a base that only reads does not take.
    # A doctor's reward of single moves pays for concluding at once, so whole consultations are rewarded.
    "doctor": Seat(
        ("consult", "generated:40:1", *FEW),
        ("steps=60",),
        ("consult", "generated:12:99", *FEW, "--moves", "text"),
        ("--rollout", "round", "--reward", "outcome"),
        "correct",
    ),
    "examinee": Seat(
        ("scenario", "play", "library", "--limit", "9", *FEWER),
        ("steps=200", "batch=4", "per_device=4"),
        ("scenario", "play", "library", "--limit", "9", *FEWER),
        ("--reward", "net"),
        "net",
    ),
}
SMALL: Final = ("steps=3", "prompts=2", "mini_batch=2", "group=4", "per_device=8", "save_every=3")


class Figures(NamedTuple):
    """A model's play: its turns, how many first answers could be read, how many episodes there were and how
    they ended, the seat's measure, and the texts of the messages that it was sent."""

    turns: int
    valid: int
    episodes: int
    ended: dict[str, int]
    headline: float | None
    asked: frozenset[tuple[str, ...]]

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

    data: Path
    built: dict[str, Any]
    sft: dict[str, Any]
    grpo: dict[str, Any]
    stages: dict[str, Figures]


@contextmanager
def overheard() -> Iterator[list[tuple[str, ...]]]:
    """The texts of the messages of every request, as it leaves."""
    asked = list[tuple[str, ...]]()

    def watched(*given: Any, **more: Any) -> bytes:
        body = body_of(*given, **more)
        asked.append(tuple(_text(one["content"]) for one in json.loads(body)["messages"]))
        return body

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "body_of", watched)
        yield asked


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(one.get("text", "") for one in content)


def back_to_play(room: Path, seat: str, out: Path) -> Figures:
    """The served model in its seat, by the command that plays it."""
    store, toml = f"sqlite:///{room}/{out.name}.db", room / f"{out.name}.toml"
    model = (f"--{seat}", "model:trained", "--config", str(toml), "--temperature", "0")
    with served(out, toml, MOST), overheard() as asked:
        played = osler(*SEATS[seat].play, *model, "--store", store)
    valid = list[bool]()
    with open_store(store) as opened:
        for _, trace in opened.traces(opened.run(played["run"]).id):
            for row in trace.rows:
                if row.seat == seat:
                    valid.append(all(one["at"] != REFUSED for one in json.loads(row.attempts)))
    headline = played["measures"][SEATS[seat].headline]["value"]
    return Figures(len(valid), sum(valid), played["episodes"], played["ended"], headline, frozenset(asked))


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
    settings = [word for one in SEATS[seat].settings for word in ("--set", one)]
    found = osler("train", "sft", str(data), "--base", str(base), "--out", str(sft), *tiny, *settings)
    small = [word for one in (*SMALL, f"max_answer={MOST}") for word in ("--set", one)]
    words = ("train", "grpo", str(data), "--base", str(sft), "--out", str(policy), *tiny, *small)
    reward = (*SEATS[seat].reward, *(store if "round" in SEATS[seat].reward else ()))
    rewarded = osler(*words, *reward)
    stages = {one.name: back_to_play(place, seat, one) for one in (base, sft, policy)}
    for name, one in stages.items():
        print(f"{seat}, {name}: {one[:-1]}, readable {one.readable}, completed {one.completed}")
    print(f"{seat}: {built['samples']}, loss {found['loss_first']} to {found['loss_last']}, {rewarded}")
    return seat, Trained(data, built, found, rewarded, stages)


def test_a_trained_seat_is_served_and_plays(trained: tuple[str, Trained]) -> None:
    seat, made = trained
    before, after = made.stages["base"], made.stages["sft"]
    assert made.sft["loss_last"] < made.sft["loss_first"] / 2
    # Any words are a doctor's move, but an untrained base seldom concludes; an examinee's move is a JSON
    # object, of which it writes none.
    first, last = (one.completed if seat == "doctor" else one.readable for one in (before, after))
    assert last.low is not None
    assert first.high is not None
    assert last.low > first.high


def test_an_examinee_is_served_with_the_prompts_of_its_rows(trained: tuple[str, Trained]) -> None:
    """No schema is added to them in words, which it has never read."""
    from pyarrow import parquet

    seat, made = trained
    if seat == "doctor":
        pytest.skip("the cases of its rows are not those it is seated at")
    rows = parquet.read_table(made.data / "data" / "train-00000-of-00001.parquet").to_pylist()
    first = [row["messages"][:2] for row in rows if row["turn"] == 0]
    assert len(first) >= 5
    wanted = {tuple(json.loads(one)["content"][0]["text"] for one in chat) for chat in first}
    assert wanted <= {each[:2] for each in made.stages["sft"].asked}


def test_a_trained_seat_is_rewarded_by_its_own_reward(trained: tuple[str, Trained]) -> None:
    seat, made = trained
    assert made.grpo["answers"] == 3 * 2 * 4
    assert made.grpo["unscored"] == 0
    assert made.grpo["reward"] == {"doctor": "outcome", "examinee": "net"}[seat]
    assert made.stages["policy"].episodes == made.stages["sft"].episodes
