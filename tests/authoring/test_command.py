"""`osler cases write` against the fake endpoint: one JSON object, exit codes, readable refusals, no key."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from osler.authoring.writing import Wish
from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.cli.author import case_id, write
from tests.authoring.drafts import draft
from tests.endpoints import running

KEY = "sk-live-0123456789abcdefghijklmnopqrstuvwxyz"
LEAKING = draft(first_words="I think I have pneumonia.")
SCRIPT: list[dict[str, Any]] = [
    {"match": {"model": "writer"}, "reply": draft()},
    {"match": {"model": "mender", "nth": 1}, "reply": LEAKING},
    {"match": {"model": "mender"}, "reply": draft()},
    {"match": {"model": "leaker"}, "reply": LEAKING},
    {"match": {"model": "chatter"}, "reply": "I would rather talk about the weather."},
    {"match": {"model": "locked"}, "status": 401, "reply": f"Incorrect API key provided: {KEY}"},
    {"match": {"model": "oldish", "format": "json_schema"}, "status": 400, "reply": "no json_schema here"},
    {"match": {"model": "oldish"}, "reply": f"Here you are:\n```json\n{json.dumps(draft())}\n```"},
]
MODELS = ("writer", "mender", "leaker", "chatter", "locked", "oldish", "unscripted")
Write = Callable[..., Result]
app = typer.Typer(pretty_exceptions_enable=False)
app.command("write")(write)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(script=SCRIPT) as base_url:
        yield base_url


@pytest.fixture
def cases_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> Write:
    """`cases_write("writer", "--n", "2")` writes into ./made with that model."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OSLER_CONFIG", raising=False)
    monkeypatch.setenv("MY_API_KEY", KEY)
    table = '[endpoints.{0}]\nbase_url = "{1}"\nmodel = "{0}"\nkey_env = "MY_API_KEY"\n'
    Path("osler.toml").write_text("".join(table.format(model, url) for model in MODELS))

    def run(model: str, *words: str) -> Result:
        return CliRunner().invoke(app, ["--model", model, "--out", "made", *words], catch_exceptions=False)

    return run


def value(done: Result) -> dict[str, Any]:
    assert KEY not in done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 1, "standard output holds one JSON object and nothing else"
    found: dict[str, Any] = json.loads(lines[0])
    assert set(found) == {"written", "kept", "rejected", "reasons", "files", "usage"}
    return found


def cases() -> list[Case]:
    return list(open_source("made"))


def test_cases_are_written_and_can_be_read(cases_write: Write) -> None:
    done = cases_write("writer", "--n", "3", "--seed", "5", "--specialty", "respiratory", "--json")
    told = value(done)
    assert done.exit_code == 0
    assert (told["written"], told["rejected"], told["reasons"]) == (3, 0, [])
    assert len(set(told["files"])) == 3
    assert told["usage"]["calls"] == 3
    assert told["usage"]["prompt_tokens"] > 0
    assert told["usage"]["cost"] is None, "no price is known, which is not 0"
    assert {case.specialty for case in cases()} == {"respiratory"}
    records = sorted(case.provenance.record.rpartition(" ")[2] for case in cases())
    assert records == ["5", "6", "7"], "each case has a seed of its own"
    assert all(case.id.removeprefix("made-").isalpha() for case in cases()), "an id hints at nothing"


def test_the_same_command_again_asks_for_nothing(cases_write: Write) -> None:
    first = value(cases_write("writer", "--n", "2", "--json"))
    again = value(cases_write("writer", "--n", "2", "--json"))
    assert (again["written"], again["kept"], again["usage"]["calls"]) == (0, 2, 0)
    assert again["files"] == first["files"]
    assert value(cases_write("writer", "--n", "3", "--json"))["written"] == 1


def test_a_leak_is_mended(cases_write: Write) -> None:
    told = value(cases_write("mender", "--json"))
    assert (told["written"], told["usage"]["calls"]) == (1, 2)
    assert "pneumonia" not in cases()[0].opening.words


def test_an_endpoint_without_schemas_is_used_all_the_same(cases_write: Write) -> None:
    assert value(cases_write("oldish", "--json"))["written"] == 1


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("leaker", "no sound case in 4 attempts; the last: first_words: names the answer (Pneumonia)"),
        ("chatter", "the model gave no case: unparsable"),
        ("unscripted", "no sound case in 4 attempts; the last: history: has"),
        ("locked", "endpoint locked: auth"),
    ],
)
def test_what_is_never_a_case_is_refused_in_words(cases_write: Write, model: str, reason: str) -> None:
    done = cases_write(model, "--json")
    told = value(done)
    assert done.exit_code == 1
    assert (told["written"], told["rejected"], told["files"]) == (0, 1, [])
    assert reason in told["reasons"][0]["reason"]
    assert not Path("made").exists()
    assert "Traceback" not in done.stderr


HOSTILE = "../../etc/passwd</wish>\x1b]0;x\x07{{ 7*7 }}\u202e"


def test_a_hostile_wish_reaches_no_path_and_no_terminal(cases_write: Write) -> None:
    done = cases_write("writer", "--specialty", HOSTILE, "--diagnosis", HOSTILE, "--setting", HOSTILE)
    assert done.exit_code == 1, "the model wrote another diagnosis than the one asked for"
    assert not any(mark in done.stdout + done.stderr for mark in ("\x1b", "\u202e", "\x07"))
    done = cases_write("writer", "--specialty", HOSTILE)
    assert done.exit_code == 0
    (case,) = cases()
    assert case.specialty == "../../etc/passwd</wish> ]0;x {{ 7*7 }}"
    assert {path.name for path in Path.cwd().iterdir()} == {"made", "osler.toml"}
    assert {path.name for path in Path("made").iterdir()} == {f"{case.id}.yaml"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--sex", "other"), "--sex: Input should be 'female' or 'male'"),
        (("--difficulty", "nightmare"), "--difficulty"),
        (("--age", "-3"), "--age"),
        (("--specialty", " "), "--specialty: says nothing"),
        (("--config", "nowhere.toml"), "nowhere.toml: cannot be read"),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused(cases_write: Write, words: tuple[str, ...], told: str) -> None:
    done = cases_write("writer", *words)
    assert done.exit_code == 1
    assert told in " ".join(done.stderr.split())


def test_a_budget_stops_and_says_which(cases_write: Write) -> None:
    done = cases_write("writer", "--token-budget", "100", "--json")
    assert done.exit_code == 1
    assert "tokens budget" in value(done)["reasons"][0]["reason"]
    done = cases_write("writer", "--max-money", "1")
    assert "a money limit needs prices" in " ".join(done.stderr.split())


def test_an_endpoint_that_is_not_configured_is_named(cases_write: Write) -> None:
    done = cases_write("writr")
    assert done.exit_code == 1
    assert "did you mean writer?" in " ".join(done.stderr.split())


def test_a_key_that_is_not_set_is_said_once(cases_write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_API_KEY")
    done = cases_write("writer", "--n", "3")
    assert done.exit_code == 1
    assert done.stderr.count("MY_API_KEY is not set") == 1


def test_an_id_depends_on_model_wish_and_seed() -> None:
    wishes = (Wish(), Wish(age=3))
    ids = {case_id(model, wish, seed) for model in ("a", "b") for wish in wishes for seed in (0, 1)}
    assert len(ids) == 8
