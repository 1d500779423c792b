"""`osler train reward` on stored rounds, data sets and files: without training, without torch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from tests.endpoints import running
from tests.protocols.ward_round.training.states import perfect, state_of, text_of


def osler(*words: str) -> Any:
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


def told(*words: str) -> dict[str, Any]:
    done = osler("train", "reward", *words, "--json")
    assert done.exit_code == 0, done.output
    value: dict[str, Any] = json.loads(done.stdout)
    return value


class Played(NamedTuple):
    """A store with a run of each protocol."""

    store: str
    runs: dict[str, str]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    place = f"sqlite:///{tmp_path_factory.mktemp('reward')}/runs.db"
    runs: dict[str, str] = {}
    for name, words in {
        "rounds": ("round", "library", "--limit", "2", "--students", "2", "--max-rounds", "2"),
        "talks": ("consult", "library", "--limit", "1"),
        "stations": ("scenario", "play", "library", "--limit", "1"),
    }.items():
        done = osler(*words, "--store", place, "--json")
        assert done.exit_code == 0, done.output
        runs[name] = json.loads(done.stdout)["run"]
    return Played(place, runs)


@pytest.fixture
def turns(tmp_path: Path) -> Path:
    file = tmp_path / "turns.jsonl"
    texts = [text_of(perfect()), "no tags"]
    rows = [{**state_of(ident=f"s{n}").model_dump(mode="json"), "text": text} for n, text in enumerate(texts)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_stored_rounds_are_scored_and_probed(played: Played) -> None:
    found = told(played.runs["rounds"], "--probes", "--store", played.store)
    assert found["n"] == len(found["samples"]) == 4
    assert {"id", "total", "vetoed", "axes", "items", "unscored"} <= found["samples"][0].keys()
    assert set(found["samples"][0]["axes"]) == {"structure", "analysis", "safety"}
    assert found["probes"][0]["name"] == "plain turn"
    assert found["beaten_by"] == []
    assert found["judge"] is None
    assert found["controls"]["leak"] == 0


@pytest.mark.parametrize("reward", ["rule", "vanilla", "gain", "no-thinking"])
def test_every_reward_works_on_stored_rounds(played: Played, reward: str) -> None:
    found = told(played.runs["rounds"], "--reward", reward, "--probes", "--store", played.store)
    assert (found["reward"], found["n"]) == (reward, 4)
    assert found["scored"] == 4


@pytest.mark.parametrize(
    ("run", "reward"),
    [("rounds", "outcome"), ("talks", "outcome"), ("talks", ""), ("stations", ""), ("stations", "outcome")],
)
def test_doctor_and_examinee_and_whole_episodes_too(played: Played, run: str, reward: str) -> None:
    found = told(played.runs[run], "--store", played.store, *(("--reward", reward) if reward else ()))
    assert found["n"] == len(found["samples"]) > 0
    assert all((one["total"] is None) == bool(one["unscored"]) for one in found["samples"])


def test_a_file_of_turns(turns: Path) -> None:
    found = told(str(turns), "--veto", "paper")
    assert [one["total"] for one in found["samples"]] == [14, -15]
    assert found["vetoed"] == 1
    assert told(str(turns), "--weight", "AQ-1=2")["samples"][0]["total"] == 16
    assert told(str(turns), "--limit", "1")["n"] == 1


def test_people_read_tables_and_that_rules_stood_in(turns: Path) -> None:
    done = osler("train", "reward", str(turns), "--probes")
    assert done.exit_code == 0
    assert "stand in" in done.stderr
    for word in ("structure", "leak", "plain turn", "praise only"):
        assert word in done.stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--veto", "soft"), "floor"),
        (("--reward", "joy"), "rubric"),
        (("--weight", "AQ-1"), "AQ-1"),
        (("--weight", "AQ-1=heavy"), "no weight"),
        (("--weight", "XX=1"), "no item"),
        (("--reward", "gain", "--theory", "osmosis"), "novice"),
        (("--judge", "lexical"), "model:NAME"),
        (("--reward", "outcome"), "whole episodes"),
        (("--veto", "paper", "--weight", "AQ-1=9"), "--veto floor"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(turns: Path, words: tuple[str, ...], why: str) -> None:
    done = osler("train", "reward", str(turns), *words)
    assert done.exit_code == 1
    assert why in " ".join(done.output.split())


@pytest.mark.parametrize("line", ["", "[]", "{}", '{"text": "x"}', "nonsense", '{"text": "x", "id": 3}'])
def test_a_file_that_is_none_is_refused_by_its_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "turns.jsonl"
    file.write_text(line + "\n", encoding="utf-8")
    done = osler("train", "reward", str(file))
    assert done.exit_code == 1
    assert "turns.jsonl" in "".join(done.output.split())


CONFIG = """
[endpoints.{name}]
base_url = "{url}"
model = "{model}"
"""
REPLIES = [
    {
        "match": {"schema_name": f"reward_{axis}"},
        "reply": {name: {"quote": "", "why": "", "score": 1} for name in names},
    }
    for axis, names in {
        "structure": ("IS-2", "IS-3"),
        "analysis": ("AQ-1", "AQ-2"),
        "safety": ("CS-1", "CS-2"),
    }.items()
]


def test_a_model_judges_and_a_judge_that_fails_masks(turns: Path, tmp_path: Path) -> None:
    config = tmp_path / "osler.toml"
    with running(script=REPLIES) as url:
        config.write_text(CONFIG.format(name="j", url=url, model="big"), encoding="utf-8")
        found = told(str(turns), "--judge", "model:j", "--config", str(config))
        assert [one["total"] for one in found["samples"]] == [2 + 6, -9]
        assert found["judge"] == {"endpoint": "j", "model": "big"}
    with running(script=[{"reply": "I cannot say."}]) as url:
        config.write_text(CONFIG.format(name="j", url=url, model="big"), encoding="utf-8")
        found = told(str(turns), "--judge", "model:j", "--config", str(config))
        assert [one["total"] for one in found["samples"]] == [None, -9]
        assert found["unscored"] == {"judge_incomplete": 1}


def test_the_judge_of_an_evaluation_gives_no_reward(played: Played, tmp_path: Path) -> None:
    config = tmp_path / "osler.toml"
    marks = [{"match": {"schema_name": "mark"}, "reply": "no mark"}]
    with running(script=[*marks, *REPLIES]) as url:
        config.write_text(
            CONFIG.format(name="j", url=url, model="big") + CONFIG.format(name="k", url=url, model="big"),
            encoding="utf-8",
        )
        run, at = played.runs["rounds"], ("--config", str(config), "--store", played.store)
        judged = osler("judge", "run", run, "--judge", "model:j", *at)
        assert judged.exit_code == 0, judged.output
        for name in ("j", "k"):
            done = osler("train", "reward", run, "--judge", f"model:{name}", *at)
            assert done.exit_code == 1
            assert "cannot judge the evaluation" in " ".join(done.output.split())


def test_a_judge_that_gave_a_reward_evaluates_nothing_of_it(played: Played, tmp_path: Path) -> None:
    """The endpoint of a trained model says who rewarded it, and every command that judges asks."""
    config = tmp_path / "osler.toml"
    url = "http://127.0.0.1:9/v1"
    trained = CONFIG.format(name="trained", url=url, model="tutor-7b") + 'rewarded_by = ["big"]\n'
    config.write_text(trained + CONFIG.format(name="j", url=url, model="big"), encoding="utf-8")
    words = ("round", "library", "--limit", "1", "--tutor", "model:trained", "--moves", "text")
    at = ("--config", str(config), "--store", played.store)
    done = osler(*words, "--judge", "model:j", *at)
    assert done.exit_code == 1
    assert "judged the reward that trained was trained on" in " ".join(done.output.split())


def test_nothing_of_it_imports_torch(turns: Path) -> None:
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom osler.cli.main import app\n"
        f"done = CliRunner().invoke(app, ['train', 'reward', {str(turns)!r}, '--probes', '--json'])\n"
        "assert done.exit_code == 0, done.output\n"
        "assert not {'torch', 'transformers', 'trl'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
