"""Policies trained with TRL: its numbers are the formulas', and a training can be gone on with."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.errors import BadInput
from osler.training.folder import Folder
from osler.training.reward.opening import open_reward
from tests.training.grpo import oracle
from tests.training_models.conftest import trained
from tests.training_models.policies import (
    ARMS,
    SEAT,
    SMALL,
    Arm,
    Faulty,
    Unscored,
    bandit,
    forms,
    policy,
    prepared,
    rewards,
)


@pytest.fixture(scope="module")
def half(room: Path) -> tuple[Path, Path]:
    """States, and a tiny model after a short fine-tuning: some of its turns parse."""
    from osler.training.backend.tiny_models import tiny

    data = forms(room / "forms")
    tiny(room / "forms-base", data=data)
    sft = ("steps=60", "batch=8", "per_device=8", "learning_rate=0.002")
    trained(data, room / "forms-base", room / "forms-sft", *sft)
    return data, room / "forms-sft"


@pytest.fixture(scope="module")
def arms(room: Path) -> tuple[Path, Path]:
    """One state, and a tiny model that answers it with one of eight words."""
    from osler.training.backend.tiny_models import tiny

    data = bandit(room / "arms")
    tiny(room / "arms-base", data=data)
    sft = ("steps=40", "batch=8", "per_device=8", "learning_rate=0.001")
    trained(data, room / "arms-base", room / "arms-sft", *sft)
    return data, room / "arms-sft"


@pytest.mark.parametrize("kind", ["grpo", "bnpo", "dr_grpo", "dapo"])
@pytest.mark.parametrize(("dual", "kl"), [(None, "plain"), (3.0, "plain"), (3.0, "corrected")])
def test_the_loss_is_that_of_the_formulas(
    kind: str, dual: float | None, kl: str, half: tuple[Path, Path], tmp_path: Path, torch: Any
) -> None:
    data, base = half
    changes = [
        f"loss={kind}",
        "beta=0.04",
        "epsilon_high=0.3",
        f"kl={kl}",
        *([f"dual_clip={dual}"] if dual else []),
    ]
    trainer = prepared(data, base, tmp_path / "out", Arm(), *changes).trainer
    model = trainer.model.double().train()
    dice = np.random.default_rng(7)
    ids = torch.tensor(dice.integers(10, 300, size=(8, 12)))
    mask = torch.tensor(np.arange(7) < dice.integers(1, 8, size=(8, 1))).long()
    own = torch.tensor(dice.integers(0, 2, size=(8, 7)))
    own[:, 0] = 1
    with torch.no_grad():
        whole = torch.cat([torch.ones(8, 5).long(), mask], dim=1)
        places = (whole.cumsum(-1) - 1).clamp(min=0)
        logits = model(input_ids=ids, attention_mask=whole, position_ids=places).logits[:, 4:-1]
        logp = logits.log_softmax(-1).gather(2, ids[:, 5:, None])[:, :, 0].numpy()
    old, ref = logp - dice.normal(size=logp.shape), logp + dice.normal(size=logp.shape) / 3
    adv = oracle.advantages(dice.normal(size=8), 4)
    given = {
        **{"prompt_ids": ids[:, :5], "prompt_mask": torch.ones(8, 5).long(), "completion_ids": ids[:, 5:]},
        **{"completion_mask": mask, "tool_mask": own, "advantages": torch.tensor(adv)},
        **{"old_per_token_logps": torch.tensor(old), "ref_per_token_logps": torch.tensor(ref)},
        "num_items_in_batch": (mask * own).sum(),
    }
    trainer.current_gradient_accumulation_steps = 1
    found = float(trainer._compute_loss(model, given).detach())
    clips: dict[str, Any] = {"low": 0.2, "high": 0.3, "dual": dual}
    each = oracle.token_losses(logp, old, ref, adv, **clips, beta=0.04, corrected=kl == "corrected")
    wanted = oracle.loss(kind, each, (mask * own).numpy().astype(float), 80)
    assert found == pytest.approx(wanted, abs=1e-6)
    assert abs(wanted) > 1e-3


def test_advantages_prompts_and_rewards_are_what_we_gave(half: tuple[Path, Path], tmp_path: Path) -> None:
    data, base = half
    ready = prepared(
        data, base, tmp_path / "out", Faulty(), "steps=2", "prompts=4", "mini_batch=4", "per_device=16"
    )
    trainer, met = ready.trainer, []
    score = trainer._generate_and_score_completions

    def watched(inputs: Any) -> Any:
        found = score(inputs)
        met.append((found, [one["place"] for one in inputs]))
        return found

    trainer._generate_and_score_completions = watched
    trainer.train()
    lines = list(ready.rewarding.samples)
    assert len(lines) == 32
    assert any(one["given"] is None for one in lines)
    for step, (found, places) in enumerate(met):
        own = lines[16 * step : 16 * (step + 1)]
        given = [np.nan if one["given"] is None else one["given"] for one in own]
        wanted = oracle.advantages(given, 4, eps=1e-4)
        assert found["advantages"].numpy() == pytest.approx(wanted, abs=1e-5)
        for n, place in enumerate(places):
            state = ready.prompts[place].state
            assert own[n]["prompt"] == state.id
            asked = found["prompt_ids"][n][found["prompt_mask"][n].bool()].tolist()
            assert asked == ready.words.asked(state.messages)
            said = found["completion_ids"][n][found["completion_mask"][n].bool()].tolist()
            assert own[n]["text"] == ready.words.said(said)


@pytest.mark.parametrize("what", ["all unscored", "all equal"])
def test_what_teaches_nothing_leaves_the_weights(what: str, half: tuple[Path, Path], tmp_path: Path) -> None:
    from osler.training.backend.models import weights_hash
    from osler.training.folder import servable

    data, base = half
    reward = Unscored() if what == "all unscored" else Arm("never said")
    found = policy(data, base, tmp_path / "out", reward, "steps=2")
    assert found["weights_hash"] == weights_hash(servable(base))
    assert (found["masked"], found["unscored"]) == ((16, 16) if what == "all unscored" else (0, 0))
    assert (tmp_path / "out" / "merged" / "config.json").is_file()


def test_nothing_is_learnt_between_two_steps_that_teach(half: tuple[Path, Path], tmp_path: Path) -> None:
    """A step without any difference in reward moves nothing, whatever the optimizer remembers."""
    data, base = half
    ready = prepared(data, base, tmp_path / "out", Faulty(), "steps=3")
    model, seen = ready.trainer.model, []
    real = ready.rewarding.states

    def second_is_level(batch: Any, states: Any, said: Any) -> Any:
        seen.append([one.detach().clone() for one in model.parameters()])
        found = real(batch, states, said)
        return (
            found._replace(given=[1.0] * len(said), void=True)
            if batch.step == 2
            else found._replace(given=[1.0, 0.0] * 4)
        )

    object.__setattr__(ready.rewarding, "states", second_is_level)
    ready.trainer.train()
    first, second, third = seen
    assert not all(a.equal(b) for a, b in zip(first, second, strict=True))
    assert all(a.equal(b) for a, b in zip(second, third, strict=True))


def test_a_training_that_was_killed_goes_on_to_the_same_weights(
    half: tuple[Path, Path], tmp_path: Path
) -> None:
    data, base = half
    changes = ("steps=6", 'weights="lora"', "beta=0.02", "temperature=1.2", "max_answer=50")
    whole = policy(data, base, tmp_path / "whole", Faulty(), *changes)
    out = tmp_path / "killed"

    def killed(step: Any) -> None:
        if step.step == 5:
            os.kill(os.getpid(), signal.SIGKILL)

    if (child := os.fork()) == 0:
        policy(data, base, out, Faulty(), *changes, made=killed)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    lost = (out / "samples.jsonl").read_bytes()
    assert json.loads(lost.splitlines()[-1])["step"] == 5
    again = policy(data, base, out, Faulty(), *changes)
    assert again["resumed_from"] == 3
    same = [name for name in whole if name not in ("resumed_from", "wall_s")]
    assert {name: again[name] for name in same} == {name: whole[name] for name in same}
    assert 0 < again["unscored"] < 48
    assert (out / "samples.jsonl").read_bytes() == (tmp_path / "whole" / "samples.jsonl").read_bytes()


def test_a_folder_is_gone_on_with_by_the_same_alone(half: tuple[Path, Path], tmp_path: Path) -> None:
    data, base = half
    out = tmp_path / "out"
    policy(data, base, out, Arm(), "steps=1", "save_every=1")
    with pytest.raises(BadInput, match="another reward"):
        policy(data, base, out, Arm("Ben"), "steps=1", "save_every=1")
    with pytest.raises(BadInput, match="another reward"):
        policy(data, base, out, rewards(Arm(), shuffle=True), "steps=1", "save_every=1")
    with pytest.raises(BadInput, match="another settings"):
        policy(data, base, out, Arm(), "steps=2", "save_every=1")
    with pytest.raises(BadInput, match="another base"):
        policy(data, base.parent / "forms-base", out, Arm(), "steps=1", "save_every=1")
    other = forms(tmp_path / "forms")
    lines = (other / "rows" / "single_train.jsonl").read_text().replace("chest pain", "back pain")
    (other / "rows" / "single_train.jsonl").write_text(lines)
    with pytest.raises(BadInput, match="another data set"):
        policy(other, base, out, Arm(), "steps=1", "save_every=1")


def test_answers_that_cannot_be_shared_are_refused(half: tuple[Path, Path], tmp_path: Path) -> None:
    data, base = half
    with pytest.raises(BadInput, match="cannot be shared"):
        policy(data, base, tmp_path / "out", Arm(), "per_device=3")
    assert not (tmp_path / "out").exists()


BANDIT = (
    *("prompts=1", "mini_batch=1", "group=32", "per_device=32", "max_answer=2"),
    *("steps=50", "learning_rate=5e-5"),
)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_bandit_is_learnt(seed: int, arms: tuple[Path, Path], tmp_path: Path) -> None:
    data, base = arms
    found = policy(data, base, tmp_path / "out", Arm(), *BANDIT, "save_every=50", f"seed={seed}")
    assert found["reward_first"] < 0.6
    assert share(data, tmp_path / "out" / "merged", ARMS[2]) > 0.95


def test_validation_states_are_rewarded_as_those_of_training(arms: tuple[Path, Path], tmp_path: Path) -> None:
    """And the weights that are kept are the best by that reward."""
    data, base = tmp_path / "data", arms[1]
    shutil.copytree(arms[0], data)
    shutil.copy(data / "rows" / "single_train.jsonl", data / "rows" / "single_validation.jsonl")
    found = policy(
        data, base, tmp_path / "out", Arm(), *BANDIT, "save_every=25", "answered=1", 'kept_by="reward"'
    )
    looked = {
        line["step"]: line["validation/reward"]
        for line in Folder(tmp_path / "out").log()
        if "validation/reward" in line
    }
    assert set(looked.values()) <= {0.0, 1.0}, "the rule gives a single word less"
    assert looked[found["kept_step"]] == 1.0
    assert share(data, tmp_path / "out" / "merged", ARMS[2]) > 0.5


def test_with_shuffled_rewards_it_is_not(arms: tuple[Path, Path], tmp_path: Path) -> None:
    data, base = arms
    given = rewards(Arm(), shuffle=True)
    found = policy(data, base, tmp_path / "out", given, *BANDIT, "steps=15", "save_every=15")
    assert found["reward_last"] < 0.6
    assert share(data, tmp_path / "out" / "merged", ARMS[2]) < 0.6


def share(data: Path, model: Path, word: str) -> float:
    """The probability of a word as the whole answer to the data set's first state."""
    import torch

    from osler.training.backend import models
    from osler.training.backend.rollout import Words
    from osler.training.reading import rows

    words, policy = Words(models.processor_of(model)), models.load(model, "fp32")
    asked = words.asked(next(rows(data)).messages)
    said = [*words.plain(word), words.end]
    with torch.no_grad():
        logits = policy(input_ids=torch.tensor([asked + said])).logits[0].log_softmax(-1)
    each = [logits[len(asked) - 1 + n, one] for n, one in enumerate(said)]
    return float(sum(each).exp())


def test_more_of_its_turns_parse_by_a_reward_of_form(half: tuple[Path, Path], tmp_path: Path) -> None:
    data, base = half
    rule = open_reward(SEAT, "rule")
    how = ("prompts=4", "mini_batch=4", "group=8", "per_device=32", "learning_rate=1e-4")
    found = policy(data, base, tmp_path / "out", rule, *how, "steps=40", "save_every=40")
    before = Folder(tmp_path / "out").log()[0]["valid"]
    assert 0.02 < before < 0.6
    assert found["valid_last"] > 0.8
    assert found["reward_last"] == pytest.approx(found["valid_last"])
    assert found["axes_last"]["form"] == pytest.approx(found["valid_last"])


def test_the_command(half: tuple[Path, Path], tmp_path: Path) -> None:
    data, base = half
    out = str(tmp_path / "out")
    small = [word for one in (*SMALL, "steps=2", "save_every=2") for word in ("--set", one)]
    words = ["train", "grpo", str(data), "--base", str(base), "--out", out, "--profile", "tiny", *small]
    done = CliRunner().invoke(app, [*words, "--reward", "rubric", "--veto", "paper", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["steps"] == 2
    assert found["vetoed"] > 0
    assert found["unscored"] == 0
    assert found["reward_first"] >= -15
    assert found["probes"]["empty"] == -15
    assert len(found["weights_hash"]) == 32
    refused = CliRunner().invoke(app, [*words, "--reward", "rubric", "--veto", "floor"])
    assert refused.exit_code != 0
    assert "another settings" in refused.output
    page = tmp_path / "report.html"
    assert CliRunner().invoke(app, ["train", "report", out, "--out", str(page)]).exit_code == 0
    shown = page.read_text()
    assert "Share of answers with a veto" in shown
    assert "Hacking probes of out" in shown
    assert f"--out {out}-shuffled" in shown, "the command of the control is told"
