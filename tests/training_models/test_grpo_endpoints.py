"""Endpoints in the loop of a training: as the judge of its reward, and in the other seats of its rounds."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.errors import Status
from osler.runs.seating import ModelOptions
from osler.store.store import open_store
from osler.testing.endpoint import running
from osler.training.folder import Folder
from tests.training.dataset.playing import written as built
from tests.training_models.policies import many, prepared
from tests.training_models.scripted import generate
from tests.training_models.test_round_pictures import Looks
from tests.training_models.test_rounds import SHORT, FirstIsBest

CONFIG = '[endpoints.m]\nbase_url = "{url}"\nmodel = "{model}"\n'
ITEMS = {"structure": ("IS-2", "IS-3"), "analysis": ("AQ-1", "AQ-2"), "safety": ("CS-1", "CS-2")}
MARKS = [
    {
        "match": {"schema_name": f"reward_{axis}"},
        "reply": {name: {"quote": "", "why": "", "score": 1} for name in names},
    }
    for axis, names in ITEMS.items()
]
UNREADABLE = {"match": {"anywhere": "Ben, where does the pain go"}, "reply": "I cannot say."}
SETTINGS = ("steps=4", "prompts=4", "mini_batch=4", "group=4", "per_device=16", "save_every=4")


class Asked(NamedTuple):
    """The answers that an endpoint gave, in all and by seat, and its faults."""

    answers: int
    seats: dict[str, int]
    faults: int


def asked_of(url: str) -> Asked:
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/stats", timeout=30) as got:
        found: dict[str, Any] = json.loads(got.read())
    seats = {name: one["requests"] for name, one in found["seats"].items()}
    return Asked(found["answers"]["requests"], seats, sum(found["faults"].values()))


def configured(folder: Path, url: str, model: str = "big") -> Path:
    (folder / "osler.toml").write_text(CONFIG.format(url=url, model=model))
    return folder / "osler.toml"


def groups(lines: Sequence[dict[str, Any]], size: int) -> list[Sequence[dict[str, Any]]]:
    return [lines[at : at + size] for at in range(0, len(lines), size)]


def test_a_judge_with_a_fifth_of_faults_masks_groups_and_never_gives_0(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trl import GRPOTrainer

    monkeypatch.setattr(GRPOTrainer, "_generate_single_turn", generate)
    data, out = many(tmp_path / "data"), tmp_path / "out"
    faults = {"rate": 0.2, "kinds": {"bad-json": 1, "empty": 1, "schema-violation": 1}}
    with running(script=[UNREADABLE, *MARKS], faults=faults) as url:
        line = f"train grpo {data} --base {base} --out {out} --profile tiny --judge model:m --json"
        config = ("--config", str(configured(tmp_path, url)))
        settings = [word for one in SETTINGS for word in ("--set", one)]
        done = CliRunner().invoke(app, [*line.split(), *config, *settings])
        asked = asked_of(url)
    assert done.exit_code == 0, done.output
    assert asked.faults > 0.1 * asked.answers > 5
    found = json.loads(done.stdout.splitlines()[-1])
    lines = [json.loads(one) for one in (out / "samples.jsonl").read_text().splitlines()]
    assert len(lines) == 64 == found["answers"]
    masked = 0
    for group in groups(lines, 4):
        assert len({one["prompt"] for one in group}) == 1
        for one in group:
            # The score of each answer is its own: form by rule, and 1 for each of six items by the judge.
            unread = one["valid"] and "Ben" in one["text"]
            assert (one["total"] is None) == (one["unscored"] is not None)
            if one["unscored"] is None:
                assert one["total"] == (8 if one["valid"] else -9)
            assert not unread or one["unscored"] == "judge_incomplete"
        lost = any(one["unscored"] for one in group)
        assert [one["given"] for one in group] == [None if lost else one["total"] for one in group]
        masked += lost
    assert 0 < masked < 16
    assert found["unscored"] == sum(one["total"] is None for one in lines) > 0
    assert found["masked"] == 4 * masked
    log = Folder(out).log()
    assert sum(line["masked_groups"] for line in log) / 4 == pytest.approx(masked / 16)
    assert any(call["text"] for one in lines for call in one["calls"]), "the judge's own words are kept"
    assert found["caution"] == ""


def test_endpoints_sit_in_the_other_seats_of_a_policys_rounds(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from osler.training.backend import rollout
    from osler.training.backend.grpo import Way
    from osler.training.backend.tiny_models import tiny

    monkeypatch.chdir(tmp_path)
    with running() as url:
        config = configured(tmp_path, url)
        place = f"sqlite:///{tmp_path}/rounds.db"
        line = "round generated:1:3 --max-rounds 2 --students 1 --student model:m --patient model:m --json"
        none = "--specialist none --supervisor none --expert none"
        played = CliRunner().invoke(
            app, [*line.split(), *none.split(), "--config", str(config), "--store", place]
        )
        assert played.exit_code == 0, played.output
        before = asked_of(url)
        with open_store(place) as store:
            run = json.loads(played.stdout)["run"]
            built(store, [run], tmp_path / "data", "parquet")
            tiny(tmp_path / "base", data=tmp_path / "data")
            way = Way("round", store, ModelOptions(config=config))
            changes = (*SHORT, "group=3", "per_device=3", "steps=2")
            ready = prepared(
                tmp_path / "data", tmp_path / "base", tmp_path / "out", FirstIsBest(), *changes, way=way
            )
            monkeypatch.setattr(rollout, "engine", lambda trainer, words: Looks(words))
            ready.trainer.train()
            assert ready.rounds is not None
            last = ready.rounds.played
            after = asked_of(url)
    # Two steps of three encounters of two rounds; in each the student is asked, and the patient by it.
    for seat in ("student", "patient"):
        assert after.seats[seat] - before.seats[seat] >= 2 * 3 * 2
    assert ready.rounds.ledger.total.calls == after.answers - before.answers
    assert {one.status for one in last} <= {
        Status.COMPLETED,
        Status.OUT_OF_TURNS,
    }
    for one in last:
        assert [said.valid for said in one.spoken.answers] == [True, True]
        assert "I would look at the chart again" in str(one.turns[1][0].messages), "the endpoint's words"
    lines = list(ready.rewarding.samples)
    assert [one["given"] for one in lines] == [1.0, 0.0, 0.0] * 2
