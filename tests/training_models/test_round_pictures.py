"""Whole rounds of cases with pictures: a policy that sees is shown them, at every turn and in the update."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from osler.protocols.ward_round.monologue import Thought, Turn, render
from osler.store.store import Store, open_store
from osler.training.batcher import Answer, TokenPrompt
from tests.training.dataset.playing import library, written
from tests.training.dataset.playing import played as stored
from tests.training.grpo.test_worlds import names_in
from tests.training_models.conftest import NO_PICTURES
from tests.training_models.policies import prepared
from tests.training_models.test_rounds import SHORT, FirstIsBest


class Seen(NamedTuple):
    """A stored round of a case with two pictures, its data set, and a tiny base that sees."""

    store: Store
    data: Path
    base: Path


@pytest.fixture(scope="module")
def seen(room: Path, torch: Any) -> Iterator[Seen]:
    from transformers.utils import is_torchvision_available

    from osler.training.backend.tiny_models import tiny

    if not is_torchvision_available():
        pytest.skip(NO_PICTURES)
    with open_store(room / "seen.db") as store:
        none: dict[str, Any] = dict.fromkeys(("specialist", "supervisor", "expert"), "none")
        stored(store, cases=library("paediatrics-01"), rounds=2, students=1, **none)
        written(store, ["one"], room / "seen", "parquet")
        tiny(room / "seen-base", vision=True, data=room / "seen")
        yield Seen(store, room / "seen", room / "seen-base")


class Looks:
    """An engine that says a turn with a thought about the images; its prompts are kept."""

    def __init__(self, words: Any) -> None:
        self.words, self.asked = words, list[TokenPrompt]()

    def __call__(self, asked: list[TokenPrompt]) -> list[Answer]:
        self.asked += asked
        found = []
        for n, one in enumerate(asked):
            names = names_in(self.words.tokenizer.decode(one.ids))
            each = tuple((name, f"{name} said something.") for name in names)
            thought = Thought("So far.", "Next.", each, "All.", "Two pictures.")
            text = render(Turn(thought, f"What do all of you see, in the {n}th of these rounds?"))
            found.append(Answer([*self.words.plain(text), self.words.end]))
        return found


def test_the_pictures_of_a_case_reach_every_turn_and_the_update(
    seen: Seen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from osler.training.backend import rollout
    from osler.training.backend.grpo import Way

    real, engines = rollout.engine, list[Looks]()

    def looks(trainer: Any, words: Any) -> Looks:
        engines.append(Looks(words))
        return engines[-1]

    monkeypatch.setattr(rollout, "engine", looks)
    ready = prepared(
        seen.data, seen.base, tmp_path / "out", FirstIsBest(), *SHORT, "steps=1", way=Way("round", seen.store)
    )
    trainer, words, met = ready.trainer, ready.words, []
    score = trainer._generate_and_score_completions

    def watched(inputs: Any) -> Any:
        met.append(score(inputs))
        return met[-1]

    trainer._generate_and_score_completions = watched
    trainer.train()
    (found,) = met
    for n, one in enumerate(ready.rounds.played):
        assert [said.valid for said in one.spoken.answers] == [True, True]
        assert len(one.spoken.pictures) == 2
        for at, (state, _) in enumerate(one.turns):
            # As a server renders the same history with its pictures, to the token.
            ids = words.asked(state.messages, one.spoken.pictures)
            assert ids == engines[0].asked[2 * at + n].ids
        served = words.prompts([one.turns[0][0].messages] * 2, [one.spoken.pictures] * 2)
        assert found["prompt_ids"].tolist() == served["input_ids"].tolist()
        assert found["pixel_values"].equal(served["pixel_values"])
    assert found["image_grid_thw"].shape[0] == 4
    # The trainer's own engine takes the same prompts, pictures and later turns included.
    answers = real(trainer, words)(engines[0].asked)
    assert [1 <= len(one.ids) <= 80 for one in answers] == [True] * 4
    pad = words.tokenizer.convert_tokens_to_ids("<|image_pad|>")
    assert pad not in trainer.generation_config.to_dict().get("eos_token_id", [])
    assert pad in trainer.generation_config.suppress_tokens


def test_a_base_that_does_not_see_plays_no_round_with_pictures(
    seen: Seen, base: Path, tmp_path: Path
) -> None:
    from osler.errors import BadInput
    from osler.training.backend.grpo import Way

    with pytest.raises(BadInput, match="pictures 1") as refused:
        prepared(seen.data, base, tmp_path / "out", FirstIsBest(), *SHORT, way=Way("round", seen.store))
    assert "takes" in refused.value.hint or "sees" in refused.value.hint
    assert not (tmp_path / "out").exists()
