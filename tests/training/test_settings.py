"""The settings of a training: profiles, changes, hashes, and what is refused."""

from __future__ import annotations

from math import ceil

import pytest

from osler.errors import BadInput
from osler.training.config import PROFILES, grpo_config, sft_config


def test_the_paper_s_settings() -> None:
    sft = sft_config("paper")
    assert (sft.weights, sft.rank, sft.learning_rate, sft.warmup) == ("lora", 8, 1e-4, 0.1)
    assert (sft.epochs, sft.batch, sft.max_tokens, sft.precision) == (3.0, 16, 8000, "bf16")
    assert sft.pixels == 262_144
    # training-needs.md, section 4: 48,484 samples make about 9,090 updates
    assert sft.updates(48_484) == pytest.approx(9_090, abs=5)
    assert [sft.accumulation(devices) for devices in (1, 2, 4)] == [16, 8, 4]
    grpo = grpo_config("paper")
    assert (grpo.steps, grpo.prompts, grpo.group, grpo.mini_batch) == (150, 64, 5, 64)
    assert (grpo.beta, grpo.epsilon, grpo.epsilon_high, grpo.dual_clip) == (0.01, 0.2, 0.2, None)
    assert (grpo.ratio, grpo.max_prompt, grpo.max_answer, grpo.veto) == ("sequence", 4096, 2048, "paper")


def test_the_released_settings_differ_where_the_code_does() -> None:
    assert sft_config("released").row_weights == "published"
    grpo = grpo_config("released")
    assert (grpo.epsilon_high, grpo.dual_clip, grpo.ratio) == (0.3, 3.0, "token")
    assert (grpo.max_prompt, grpo.max_answer, grpo.pixels) == (5120, 4096, 4_194_304)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_change_changes_the_hash(profile: str) -> None:
    for of, change in ((sft_config, "rank=32"), (grpo_config, "beta=0.5")):
        assert of(profile).hash == of(profile).hash
        assert of(profile, [change]).hash != of(profile).hash


@pytest.mark.parametrize(
    "change",
    ["rank=0", "rank=1.5", "rank=eight", "ranks=8", "rank", "profile=tiny", "learning_rate=NaN", "batch=7 "],
)
def test_a_setting_that_cannot_be_is_refused(change: str) -> None:
    with pytest.raises(BadInput) as refused:
        sft_config("paper", [change, "per_device=2"])
    assert refused.value.where == "--set"


def test_a_profile_that_is_unknown_is_refused() -> None:
    with pytest.raises(BadInput, match="no profile 'papers'"):
        sft_config("papers")


def test_updates_of_whole_epochs() -> None:
    config = sft_config("paper", ["batch=8", "epochs=2"])
    assert [config.updates(rows) for rows in (1, 8, 9, 17)] == [2, 2, 4, 6]
    assert config.warmup_steps(95) == ceil(9.5)
    assert sft_config("paper", ["steps=7"]).updates(1_000) == 7
    with pytest.raises(BadInput, match="cannot be shared by 3 devices"):
        config.accumulation(3)


def test_a_checkpoint_never_lies_among_answers_that_are_not_used_yet() -> None:
    with pytest.raises(BadInput, match="multiple of 4"):
        grpo_config("paper", ["prompts=64", "mini_batch=32", "iterations=2", "save_every=10"])
    config = grpo_config("paper", ["prompts=64", "mini_batch=32", "iterations=2", "save_every=8"])
    assert config.updates_per_step == 4
