"""`osler trial`: every seat of a fake endpoint is tried, limits hold, and nothing private is written."""

from __future__ import annotations

import base64
import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner, Result

from osler.cli.check_result import Check
from osler.cli.main import app
from osler.cli.trial import Trial
from osler.models.calls import SERVERS_DEFAULT
from osler.models.config import Endpoint
from osler.models.types import TEMPERATURE
from osler.runs.seating import ModelOptions
from osler.runs.trial_figures import percentile
from osler.runs.trial_plan import Speed
from osler.store.store import open_store
from tests.endpoints import running

KEY: Final = "Zq7-recognizable-9Xw4-key"
USER: Final = "florencen"
SENT: Final = ("figures.md", "figures.json", "trace.jsonl")
EVERY_SEAT: Final = {
    *(("consultation", name) for name in ("doctor", "patient", "examination", "consultant", "judge")),
    *(("ward_round", name) for name in ("tutor", "student", "patient", "specialist", "supervisor", "expert")),
    *(("scenario", name) for name in ("examinee", "patient", "controller", "judge")),
    ("ward_round", "judge"),
}
Try = Callable[..., Result]


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with running() as url:
        yield url.removesuffix("/v1")


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Try:
    """`trial(url, "--minutes", "5")` tries the endpoint `mine` in a folder of its own."""
    home = tmp_path / "home" / USER
    home.mkdir(parents=True)
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USER", USER)
    monkeypatch.setenv("MY_KEY", KEY)
    for name in ("OSLER_CONFIG", "OSLER_STORE"):
        monkeypatch.delenv(name, raising=False)

    def run(url: str, *words: str) -> Result:
        prices = "price_in = 1.0\nprice_out = 2.0\nextra = {top_k = 7}"
        Path("osler.toml").write_text(
            f'[endpoints.mine]\nbase_url = "{url}"\nmodel = "m"\nkey_env = "MY_KEY"\n{prices}\n'
        )
        return CliRunner().invoke(app, ["trial", "mine", *words], catch_exceptions=False)

    return run


def figures(folder: str = "trial-mine") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(folder, "figures.json").read_text())
    return found


def test_every_seat_is_tried_and_its_figures_are_written(trial: Try, root: str) -> None:
    done = trial(f"{root}/v1", "--no-store")
    assert done.exit_code == 0, done.output
    assert {path.name for path in Path("trial-mine").iterdir()} == set(SENT)
    found = figures()
    assert [step["status"] for step in found["steps"]] == ["done"] * 9
    assert [len(step["episodes"]) for step in found["steps"] if "episodes" in step] == [2, 1, 1, 1]
    seats = {(one["protocol"], one["seat"]): one for one in found["seats"]}
    assert seats.keys() == EVERY_SEAT
    for one in seats.values():
        assert one["turns"] == one["valid_at_first_try"] + one["repaired"] + one["unanswered"] > 0
        assert one["rungs"] == {"json_schema": one["calls"]}
        assert one["latency_median_s"] <= one["latency_p90_s"]
        assert one["cut"] == one["refused"] == one["out_of_role"] == 0
        assert one["generated_median"] > 0
    assert found["left_out"] == []
    assert found["settings"] == {"top_k": 7}
    assert found["cost"] == pytest.approx(sum(one["cost"] for one in found["seats"]))
    calls = [json.loads(line) for line in Path("trial-mine", "trace.jsonl").read_text().splitlines()]
    assert len(calls) == sum(one["calls"] for one in found["seats"])
    assert all(call["messages"] and call["text"] for call in calls)
    sampling = [call["sampling"] for call in calls]
    assert {one["temperature"] for one in sampling} == {TEMPERATURE}
    assert {one["top_p"] for one in sampling} == {SERVERS_DEFAULT}
    assert all(isinstance(call["sampling"]["seed"], int) for call in calls if call["seat"] != "judge")
    assert f"| {found['steps'][-1]['step']} | done |" in Path("trial-mine", "figures.md").read_text()
    again = trial(f"{root}/v1")
    assert again.exit_code == 1, "a folder with results is not overwritten"


def test_what_an_endpoint_echoes_of_its_user_is_struck_out(trial: Try) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://localhost:{port}/v1"
    private = [KEY, KEY[:10], base64.b64encode(KEY.encode()).decode(), url, f"localhost:{port}", USER]
    private += [str(Path.cwd()), "/data/ward7/models", "192.0.2.7", "ann@hospital.example"]
    said = f"{'; '.join(private)}; since when?"
    rule = {"match": {"seat": "doctor"}, "reply": said}
    with running(port, script=[rule]):
        done = trial(url)
    assert done.exit_code == 0, done.output
    assert (Path("trial-mine") / "osler.db").is_file()
    assert "since when?" in Path("trial-mine", "trace.jsonl").read_text()
    for text in (*(Path("trial-mine", name).read_text() for name in SENT), done.stdout):
        assert not [one for one in [*private, "localhost", "MY_KEY"] if one in text]
        assert not re.search(r"\bmine\b", text), "the endpoint's name"


def test_a_model_that_only_thinks_gives_a_page_of_faults(trial: Try, root: str) -> None:
    done = trial(f"{root}/quirks/reasoning-without-answer/v1")
    assert done.exit_code == 0, done.output
    doctor = next(one for one in figures()["seats"] if one["seat"] == "doctor")
    assert doctor["valid_at_first_try"] == doctor["repaired"] == 0
    assert doctor["refused_attempts"] == {"thought_only": doctor["calls"]}
    ends = figures()["steps"][1]["episodes"]
    assert [(one["status"], one["cause"]) for one in ends] == [("invalid_play", "thought_only")] * 2


@pytest.mark.parametrize("quirk", ["wrong-key", "wrong-model-vllm"])
def test_an_endpoint_that_cannot_be_used_is_told_and_not_played(trial: Try, root: str, quirk: str) -> None:
    done = trial(f"{root}/quirks/{quirk}/v1")
    assert done.exit_code == 3
    assert {step["status"] for step in figures()["steps"][1:]} == {"not begun"}
    for name in SENT:
        assert KEY not in Path("trial-mine", name).read_text()


def test_a_slow_model_is_tried_in_every_seat_and_what_is_left_out_is_told(
    trial: Try, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(*_: object) -> Speed:
        return Speed(2000.0, 200.0)

    monkeypatch.setattr("osler.cli.trial_check.speed_of", slow)
    done = trial(f"{root}/v1", "--minutes", "0.5")
    found = figures()
    trace = Path("trial-mine", "trace.jsonl").read_text().splitlines()
    order = [json.loads(line)["seat"] for line in trace[:16]]
    assert order[0] == "expert", "the shortest prompt first"
    assert order[-1] == "judge"
    turns = [one for one in found["check"] if one["name"].startswith("as ")]
    assert len(turns) == 16
    assert {(one["protocol"], one["seat"]) for one in found["seats"] if one["turns"]} >= EVERY_SEAT
    assert any("turns of the check" in one for one in found["left_out"])
    assert any(one.startswith("doctor: ") for one in found["left_out"])
    assert "## Left out" in Path("trial-mine", "figures.md").read_text()
    assert done.exit_code in (0, 3)


def test_an_interrupted_check_keeps_the_turns_it_took(
    trial: Try, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(name: str, *_: object) -> Check:
        if name == "as examination":
            raise KeyboardInterrupt
        return Check(name=name, ok=True, what="")

    monkeypatch.setattr("osler.cli.trial_check.check_of", stop)
    done = trial(f"{root}/v1")
    assert done.exit_code == 130
    calls = [json.loads(line) for line in Path("trial-mine", "trace.jsonl").read_text().splitlines()]
    assert [call["seat"] for call in calls] == ["doctor", "patient", "examination"]
    assert [one["seat"] for one in figures()["seats"]] == ["doctor", "patient", "examination"]
    assert [one["name"] for one in figures()["check"][-2:]] == ["as doctor", "as patient"]
    assert figures()["steps"][0]["status"] == "interrupted"


def test_answers_cut_at_their_limit_are_counted(trial: Try, root: str) -> None:
    trial(f"{root}/quirks/cut/v1")
    doctor = next(one for one in figures()["seats"] if one["seat"] == "doctor")
    assert doctor["cut"] == doctor["calls"] == doctor["refused_attempts"]["truncated"] > 0


def test_the_money_is_a_limit(trial: Try, root: str) -> None:
    done = trial(f"{root}/v1", "--max-money", "0.02")
    assert done.exit_code == 3
    assert 0 < figures()["cost"] <= 0.02
    assert figures()["steps"][0]["status"] == "done"
    assert {"paused", "not begun"} & {step["status"] for step in figures()["steps"][1:]}


def test_nothing_is_begun_when_the_minutes_are_over(tmp_path: Path, root: str) -> None:
    endpoint = Endpoint(name="mine", base_url=f"{root}/v1", model="m")
    with open_store(tmp_path / "s.db") as store:
        tried = Trial(endpoint, store, ModelOptions(keep_prompts=True), 0.0)
        tried.play()
        assert {step["why"] for step in tried.figures()["steps"]} == {"the minutes are over"}
        assert not list(tried.trace())


def test_an_estimate_asks_nothing(trial: Try) -> None:
    done = trial("http://127.0.0.1:9/v1", "--dry-run", "--json")
    value = json.loads(done.stdout)
    assert value["cost"] == pytest.approx(
        (value["prompt_tokens"] + 2 * value["completion_tokens"]) / 1e6, abs=1e-3
    )
    assert not Path("trial-mine").exists()


@pytest.mark.parametrize(("percent", "value"), [(50, 3.0), (90, 5.0), (1, 1.0), (100, 5.0)])
def test_a_percentile_is_one_of_the_values(percent: int, value: float) -> None:
    assert percentile([5.0, 1.0, 4.0, 2.0, 3.0], percent) == value
    assert percentile([], percent) is None
