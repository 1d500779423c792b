"""Whole rounds as roll-outs with the tokens of a real template, and their update by TRL."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.factory import Factory
from osler.core.role import Seating
from osler.players.casting import players_of
from osler.store.store import Store, open_store
from osler.training.batcher import Answer, TokenPrompt
from osler.training.reward.opening import open_reward
from osler.training.reward.score import Score
from osler.training.state import State, text_of
from osler.training.world import World, Worlds, others, play_all
from tests.training.dataset.playing import written as built
from tests.training.grpo.test_worlds import names_in
from tests.training.grpo.worlds import played, turn
from tests.training_models.policies import SEAT, prepared


class Rounds(NamedTuple):
    """Stored rounds of one student, their data set, and a tiny base of its words."""

    store: Store
    data: Path
    base: Path


@pytest.fixture(scope="module")
def rounds(room: Path) -> Iterator[Rounds]:
    from osler.training.backend.tiny_models import tiny

    with open_store(room / "rounds-grpo.db") as store:
        played(store, rounds=3, students=1)
        built(store, ["one"], room / "rounds-grpo", "parquet")
        tiny(room / "rounds-grpo-base", data=room / "rounds-grpo")
        yield Rounds(store, room / "rounds-grpo", room / "rounds-grpo-base")


class Scripted:
    """An engine that says a turn which parses, with the place of its prompt in it, by a base's own tokens."""

    def __init__(self, words: Any) -> None:
        self.words = words

    def says(self, n: int, prompt: str) -> str:
        return turn(names_in(prompt), f"What do all of you make of this, in the {n}th of these rounds?")

    def __call__(self, prompts: list[TokenPrompt]) -> list[Answer]:
        said = [self.says(n, self.words.tokenizer.decode(one.ids)) for n, one in enumerate(prompts)]
        return [Answer([*self.words.plain(one), self.words.end]) for one in said]


def more(world: World) -> Mapping[str, Factory]:
    return players_of(Seating(others(world.config, SEAT)))


def test_the_decoded_masks_hold_the_policys_words_and_nothing_else(rounds: Rounds) -> None:
    from osler.training.backend import models
    from osler.training.backend.rollout import Words

    words = Words(models.processor_of(rounds.base))
    run = rounds.store.run("one")
    keys = [one.key for one in rounds.store.episodes(run.id)]
    (world, *_) = Worlds(run, rounds.store, keys, SEAT).values()
    engine = Scripted(words)
    (found, _), _ = asyncio.run(play_all([world, world], words, engine, 8000, more))
    spoken = found.spoken
    answer = engine.says(0, words.tokenizer.decode(spoken.prompt))
    runs = [(kind, words.tokenizer.decode(ids)) for kind, ids in _ids(spoken.ids, spoken.mask)]
    later = [state.messages[-1] for state, _ in found.turns[1:]]
    wanted = [(1, f"{answer}<|im_end|>")]
    for message in later:
        told = f"\n<|im_start|>user\n{text_of(message)}<|im_end|>\n<|im_start|>assistant\n"
        wanted += [(0, told), (1, f"{answer}<|im_end|>")]
    assert runs == wanted
    assert len(runs) == 5
    # What is trained is what a server is given for the same history, to the token.
    own = len(engine([TokenPrompt(spoken.prompt)])[0].ids)
    for n, (state, _) in enumerate(found.turns):
        ends = [at for at, one in enumerate(spoken.mask) if one and (at == 0 or not spoken.mask[at - 1])]
        assert words.asked(state.messages) == spoken.prompt + spoken.ids[: ends[n]]
    assert spoken.mask.count(1) == 3 * own


def _ids(ids: list[int], mask: list[int]) -> Iterator[tuple[int, list[int]]]:
    start = 0
    for at in range(1, len(mask) + 1):
        if at == len(mask) or mask[at] != mask[start]:
            yield mask[start], ids[start:at]
            start = at


class FirstIsBest:
    """1 for what the first of a group says, 0 for the others."""

    name, version = "first", "1"

    async def score(self, state: State, text: str, /) -> Score:
        return Score(float("the 0th" in text))


SHORT = ("prompts=1", "mini_batch=1", "group=2", "per_device=2", "save_every=1")


def test_trl_learns_from_the_policys_words_alone(
    rounds: Rounds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from osler.training.backend import rollout
    from osler.training.backend.grpo import Way

    way = Way("round", rounds.store)
    ready = prepared(rounds.data, rounds.base, tmp_path / "out", FirstIsBest(), *SHORT, "steps=2", way=way)
    monkeypatch.setattr(rollout, "engine", lambda trainer, words: Scripted(words))
    trainer, met = ready.trainer, []
    score = trainer._generate_and_score_completions

    def watched(inputs: Any) -> Any:
        found = score(inputs)
        met.append((found, ready.rounds.played))
        return found

    trainer._generate_and_score_completions = watched
    before = [one.detach().clone() for one in trainer.model.parameters()]
    trainer.train()
    assert len(met) == 2
    for found, attempts in met:
        for n, one in enumerate(attempts):
            own = found["completion_mask"][n].bool()
            assert found["completion_ids"][n][own].tolist() == one.spoken.ids
            assert found["tool_mask"][n][own].tolist() == one.spoken.mask
            assert found["prompt_ids"][n][found["prompt_mask"][n].bool()].tolist() == one.spoken.prompt
        assert found["advantages"].tolist() == pytest.approx([0.7071, -0.7071], abs=1e-3)
    assert not all(a.equal(b) for a, b in zip(before, trainer.model.parameters(), strict=True))
    lines = list(ready.rewarding.samples)
    assert [(one["step"], one["k"], one["given"]) for one in lines] == [
        (1, 0, 1.0), (1, 1, 0.0), (2, 0, 1.0), (2, 1, 0.0),
    ]  # fmt: skip
    assert lines[0]["tokens"] == sum(met[0][1][0].spoken.mask)
    assert lines[0]["text"].count("of these rounds?") == 3


def test_rounds_that_a_policy_breaks_off_get_the_lowest_outcome(rounds: Rounds, tmp_path: Path) -> None:
    from osler.training.backend.grpo import Way

    way, reward = Way("round", rounds.store), open_reward(SEAT, "outcome")
    changes = (*SHORT, "steps=1", "max_answer=6")
    ready = prepared(rounds.data, rounds.base, tmp_path / "out", reward, *changes, way=way)
    ready.trainer.train()
    lines = list(ready.rewarding.samples)
    assert [one["total"] for one in lines] == [-3.0, -3.0]
    assert not any(one["valid"] for one in lines)
    (line,) = ready.folder.log()
    assert line["zero_spread"] == 1.0
    assert line["length"] == 6


def test_the_command_plays_the_data_sets_rounds_again(rounds: Rounds, room: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    changes = (*SHORT, "steps=1", "max_answer=6", 'weights="all"')
    small = [word for one in changes for word in ("--set", one)]
    words = ["train", "grpo", str(rounds.data), "--base", str(rounds.base), "--out", out, "--profile", "tiny"]
    store = ["--rollout", "round", "--store", str(room / "rounds-grpo.db")]
    gain = ["--reward", "gain", "--theory", "telling", "--json"]
    done = CliRunner().invoke(app, [*words, *small, *store, *gain])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["steps"], found["answers"], found["rows"]) == (1, 2, 2)
    assert set(found["axes_last"]) == {"construct", "telling", "novice"}
    assert found["reward_last"] == -1
    refused = CliRunner().invoke(app, [*words, *small, "--reward", "outcome"])
    assert refused.exit_code != 0
