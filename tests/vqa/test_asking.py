"""Models: one call for each item, read, kept, gone on with; faults are never wrong answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.endpoints import running
from tests.vqa.made_up import figures, medxpertqa, paint, vqa, write

N = 12


def config(folder: Path, url: str, *, eyes: bool = True) -> Path:
    path = folder / "osler.toml"
    path.write_text(
        f'[endpoints.tiny]\nbase_url = "{url}"\nmodel = "tiny"\ntimeout_s = 5\n'
        f"[endpoints.tiny.capabilities]\nimages = {str(eyes).lower()}\n"
    )
    return path


@pytest.fixture
def made(tmp_path: Path) -> list[str | Path]:
    rows = medxpertqa(N)
    return [
        write(tmp_path, rows),
        "--format",
        "medxpertqa",
        "--images",
        paint(tmp_path, rows),
        "--model",
        "tiny",
    ]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, path.read_text().splitlines()[1:])


def test_a_model_is_asked_once_for_each_item_and_read(made: list[str | Path], tmp_path: Path) -> None:
    script: list[dict[str, Any]] = [
        {"match": {"contains": "(3)"}, "reply": "A or B"},
        {"match": {"contains": "(4)"}, "reply": "Thinking of A.\n\nAnswer: B", "finish_reason": "length"},
        {"reply": "It may be A. On reflection not.\n\n**Answer: B**"},
    ]
    with running(script=script) as url:
        found = figures(*made, "--config", config(tmp_path, url), "--out", tmp_path / "kept")
    assert found["usage"]["vqa"]["tiny"]["calls"] == N
    assert found["accuracy"]["n"] == N
    assert found["accuracy"]["unanswered"] == 2
    assert found["accuracy"]["faults"] == 0
    assert found["unanswered"] == {"several letters": 1, "cut": 1}
    assert found["letters"] == {"B": 1.0}
    assert found["player"] == {"name": "tiny", "kind": "model", "model": "tiny", "settings": {}}
    assert found["by_position"]["B"]["value"] > 0
    kept = list(lines(tmp_path / "kept" / "tiny.jsonl"))
    assert [line["row"] for line in kept] == list(range(1, N + 1))
    assert all(line["given"] == 1 for line in kept if not line["why"])


def test_a_refused_request_is_a_fault_and_no_wrong_answer(made: list[str | Path], tmp_path: Path) -> None:
    script: list[dict[str, Any]] = [
        {"match": {"contains": "(3)"}, "status": 400, "reply": "this picture cannot be processed"},
        {"reply": "A"},
    ]
    words = [*made, "--out", tmp_path / "kept"]
    with running(script=script) as url:
        found = figures(*words, "--config", config(tmp_path, url))
    assert (found["accuracy"]["n"], found["accuracy"]["faults"]) == (N - 1, 1)
    assert found["faults"] == {"bad request": 1}
    assert found["accuracy"]["unanswered"] == 0
    right = round(found["accuracy"]["value"] * (N - 1))
    low, high = found["accuracy"]["bounds"]
    assert (low, high) == (pytest.approx(right / N, abs=1e-6), pytest.approx((right + 1) / N, abs=1e-6))
    with running(script=[{"reply": "A"}]) as url:
        again = figures(*words, "--config", config(tmp_path, url))
        assert again["faults"] == {"bad request": 1}
        assert "usage" not in again, "nothing is asked again unasked"
        mended = figures(*words, "--config", config(tmp_path, url), "--retry-failed")
    assert (mended["accuracy"]["n"], mended["faults"]) == (N, {})
    assert mended["usage"]["vqa"]["tiny"]["calls"] == 1
    assert len(list(lines(tmp_path / "kept" / "tiny.jsonl"))) == N


def test_refusals_of_the_model_itself_are_unanswered(made: list[str | Path], tmp_path: Path) -> None:
    faults = {"rate": 1.0, "kinds": {"refused": 1.0}}
    with running(faults=faults) as url:
        found = figures(*made, "--config", config(tmp_path, url))
    assert (found["accuracy"]["value"], found["accuracy"]["unanswered"]) == (0.0, N)
    assert found["faults"] == {}
    assert set(found["unanswered"]) <= {"refused", "declined"}


def test_where_every_request_is_refused_the_run_pauses_and_keeps_no_faults(
    made: list[str | Path], tmp_path: Path
) -> None:
    words = [*made, "--out", tmp_path / "kept"]
    with running(script=[{"status": 400, "reply": "no pictures here"}]) as url:
        done = vqa(*words, "--config", config(tmp_path, url), "--json")
    assert done.exit_code == 3
    told = json.loads(done.stdout)
    assert (told["status"], told["done"], told["planned"]) == ("paused", 0, N)
    assert list(lines(tmp_path / "kept" / "tiny.jsonl")) == []
    with running(script=[{"reply": "A"}]) as url:
        assert figures(*words, "--config", config(tmp_path, url))["accuracy"]["n"] == N


def test_an_endpoint_that_is_down_pauses_the_run(made: list[str | Path], tmp_path: Path) -> None:
    done = vqa(*made, "--config", config(tmp_path, "http://127.0.0.1:9/v1"), "--request", "seed_of=1")
    assert done.exit_code == 3
    assert "nothing is kept without --out" in done.stderr


def test_a_model_without_eyes_is_not_asked_about_pictures(made: list[str | Path], tmp_path: Path) -> None:
    with running(script=[{"reply": "A"}]) as url:
        done = vqa(*made, "--config", config(tmp_path, url, eyes=False))
        assert done.exit_code == 1
        assert "not declared to see" in done.stderr
        assert "images = true" in done.stderr
        text = write(tmp_path, medxpertqa(4, pictures=0), "text.jsonl")
        found = figures(text, *made[1:], "--config", config(tmp_path, url, eyes=False))
    assert found["accuracy"]["n"] == 4


def test_another_model_or_other_settings_do_not_go_on_with_the_answers(
    made: list[str | Path], tmp_path: Path
) -> None:
    words = [*made, "--out", tmp_path / "kept"]
    with running(script=[{"reply": "A"}]) as url:
        path = config(tmp_path, url)
        figures(*words, "--config", path)
        done = vqa(*words, "--config", path, "--temperature", "0.5")
        assert done.exit_code == 1
        assert "the model or its settings have changed" in done.stderr
        path.write_text(path.read_text().replace('model = "tiny"', 'model = "other"'))
        assert "the model or its settings have changed" in vqa(*words, "--config", path).stderr


def test_a_budget_pauses_and_the_same_command_goes_on(made: list[str | Path], tmp_path: Path) -> None:
    words = [*made, "--out", tmp_path / "kept", "--concurrency", "1"]
    with running(script=[{"reply": "A"}]) as url:
        path = config(tmp_path, url)
        done = vqa(*words, "--config", path, "--token-budget", "6000", "--json")
        assert done.exit_code == 3
        first = json.loads(done.stdout)["done"]
        assert 0 < first < N
        found = figures(*words, "--config", path)
    assert found["usage"]["vqa"]["tiny"]["calls"] == N - first
