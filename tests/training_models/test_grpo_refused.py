"""A reward that cannot be trusted, or does not fit the data set, is refused before anything is trained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from osler.cli import train_grpo
from osler.cli.main import app
from osler.protocols.ward_round.training.of_tutor import OfTutor
from osler.protocols.ward_round.training.probes import TutorProbes
from osler.training.reward.score import Score
from tests.training.grpo.states import data_set, sample
from tests.training_models.policies import SMALL, many

SETTINGS = [word for one in (*SMALL, "steps=1", "save_every=1", "max_answer=8") for word in ("--set", one)]


def trains(data: Path, base: Path, out: Path, *words: str) -> Result:
    line = f"train grpo {data} --base {base} --out {out} --profile tiny --json"
    return CliRunner().invoke(app, [*line.split(), *SETTINGS, *words])


def refused(done: Result, out: Path, *words: str) -> None:
    assert done.exit_code == 1, done.output
    said = " ".join(done.output.split())
    assert all(word in said for word in words), said
    assert not out.exists(), "nothing was begun"


class Longer(OfTutor):
    """The more words, the better."""

    name, version = "longer", "1"
    asked = 0

    async def score(self, state: Any, text: str, /) -> Score:
        type(self).asked += 1
        return Score(float(len(text.split())))


class Meant(Longer):
    concedes = dict.fromkeys(TutorProbes().probes, "meant so: words are all")
    version = "2"


class Silent(Longer):
    async def score(self, state: Any, text: str, /) -> Score:
        return Score(None, unscored="unreadable")


def opening(monkeypatch: pytest.MonkeyPatch, reward: Any) -> None:
    monkeypatch.setattr(train_grpo, "open_reward", lambda *given: reward)


def test_a_reward_that_a_probe_beats_is_refused_unless_one_insists(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = many(tmp_path / "data"), tmp_path / "out"
    opening(monkeypatch, Longer())
    refused(trains(data, base, out), out, "'50 questions'", "plain turn", "--despite-probes")
    done = trains(data, base, out, "--despite-probes")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout.splitlines()[-1])
    assert "50 questions" in found["beaten_by"]
    kept = json.loads((out / "reward.json").read_text())
    assert {one["name"]: one["beats"] for one in kept["probes"]}["50 questions"]
    before = Longer.asked
    assert trains(data, base, out, "--despite-probes").exit_code == 0
    assert Longer.asked == before, "the probes of a training that was begun are known"


def test_a_probe_that_a_reward_means_to_score_high_is_told_of_and_trained_on(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening(monkeypatch, Meant())
    done = trains(many(tmp_path / "data"), base, tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "meant so: words are all" in done.stderr


def test_a_reward_that_scores_nothing_is_refused(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening(monkeypatch, Silent())
    out = tmp_path / "out"
    refused(trains(many(tmp_path / "data"), base, out), out, "scored at none of 8 states")


def test_a_reward_of_another_form_than_the_data_set_is_refused(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    refused(
        trains(many(tmp_path / "data"), base, out, "--reward", "no-thinking"),
        out,
        "have a private thought",
        "name rubric",
    )
    context = {**sample(0).context, "thinking": False}
    silent = data_set(tmp_path / "silent", [sample(n, context=context) for n in range(8)])
    refused(trains(silent, base, out, "--reward", "rubric"), out, "no private thought", "name no-thinking")
    done = trains(silent, base, out, "--reward", "no-thinking")
    assert done.exit_code == 0, done.output


def test_a_reward_of_encounters_is_refused_at_states(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    refused(trains(many(tmp_path / "d"), base, out, "--reward", "outcome"), out, "--rollout round")
