"""`osler check`: what is wrong is said in plain words with how to mend it, and no key is shown."""

from __future__ import annotations

import json
import re
import socket
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from osler.cli import check as checking
from osler.cli.check import check
from osler.cli.check_result import Check as OneCheck
from osler.store.store import open_store
from osler.testing.cases import small_case
from tests.endpoints import running

KEY = "sk-live-0123456789abcdefghijklmnopqrstuvwxyz"
SCRIPT: list[dict[str, Any]] = [
    {"match": {"model": "absent"}, "status": 404, "reply": "The model `absent` does not exist."},
    {"match": {"model": "broken"}, "status": 500, "reply": "out of memory"},
    {"match": {"model": "locked"}, "status": 401, "reply": f"Incorrect API key provided: {KEY}"},
    {"match": {"model": "lost"}, "status": 404, "reply": "page not found"},
    {
        "match": {"model": "plain", "format": "json_schema"},
        "status": 400,
        "reply": "response_format json_schema is not supported",
    },
    {"match": {"model": "loose", "format": "json_schema"}, "reply": "Yes, quite ready."},
    {"match": {"model": "thinker", "schema_name": "ready"}, "reply": "Hm", "finish_reason": "length"},
    {"match": {"model": "unlimited", "format": "text", "nth": 1}, "status": 400, "reply": "max_tokens: 16+"},
]
Check = Callable[..., Result]
app = typer.Typer(pretty_exceptions_enable=False)
app.command("check")(check)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(script=SCRIPT) as base_url:
        yield base_url


@pytest.fixture
def osler_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """`osler_check("--offline")` runs the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OSLER_CONFIG", raising=False)
    monkeypatch.delenv("OSLER_STORE", raising=False)
    monkeypatch.setenv("MY_API_KEY", KEY)
    # Linting the library takes most of a second, and one test is enough for it.
    sound = OneCheck(name="library", ok=True, what="stands in for the library")
    monkeypatch.setattr(checking, "library_check", lambda: sound)
    return lambda *words: CliRunner().invoke(app, list(words), catch_exceptions=False)


def configure(url: str, model: str, *lines: str) -> None:
    text = "\n".join(["[endpoints.mine]", f'base_url = "{url}"', f'model = "{model}"', *lines])
    Path("osler.toml").write_text(text)


def found(done: Result) -> dict[str, dict[str, Any]]:
    """The checks by name; the exit code must agree with them, and no key may stand anywhere."""
    assert KEY not in done.stdout + done.stderr
    assert KEY[8:20] not in done.stdout + done.stderr
    value = json.loads(done.stdout)
    assert set(value) == {"ok", "checks", "plugins"}
    assert all(set(one) == {"name", "ok", "what", "mend"} for one in value["checks"])
    assert value["ok"] == all(one["ok"] for one in value["checks"]) == (done.exit_code == 0)
    assert all(one["mend"] for one in value["checks"] if not one["ok"]), "whatever is wrong can be mended"
    return {one["name"]: one for one in value["checks"]}


def test_without_anything_configured_all_is_well_and_nothing_is_created(osler_check: Check) -> None:
    done = osler_check("--json")
    assert done.exit_code == 0
    checks = found(done)
    assert set(checks) == {"python", "packages", "knowledge", "library", "store", "disk", "config"}
    assert "built-in players" in checks["config"]["what"]
    assert "will be created" in checks["store"]["what"]
    assert not list(Path.cwd().iterdir())


def test_a_good_endpoint_is_well(osler_check: Check, url: str) -> None:
    configure(url, "good", 'key_env = "MY_API_KEY"', "price_in = 1", "price_out = 2")
    checks = found(osler_check("--json"))
    mine = {name.removeprefix("endpoint mine: "): one for name, one in checks.items() if "mine" in name}
    tried = [f"as {seat}" for seat in ("doctor", "patient", "tutor", "examinee", "candidate")]
    assert list(mine) == ["key", "prices", "answers", "json_schema", "json_object", "speed", *tried]
    assert all(one["ok"] for one in mine.values())
    assert mine["key"]["what"] == "MY_API_KEY is set"
    assert mine["prices"]["what"] == "are set"
    assert " s" in mine["answers"]["what"], "latency is told"
    assert re.fullmatch(r"reads .*\d and writes .*\d tokens a second", mine["speed"]["what"])


@pytest.mark.parametrize(
    ("model", "check", "what", "mend"),
    [
        ("absent", "answers", "does not serve the model, asked for absent", "it serves: fake-model"),
        ("broken", "answers", "answers with a server error", "endpoint's own log"),
        ("locked", "answers", "refuses the key", "key_env"),
        ("lost", "answers", "has nothing at this address", "/v1"),
        ("plain", "json_schema", "is refused", "json_schema = false under [endpoints.mine.capabilities]"),
        ("loose", "json_schema", "not honoured", "json_schema = false"),
    ],
)
def test_what_is_wrong_with_an_endpoint_is_said(
    osler_check: Check, url: str, model: str, check: str, what: str, mend: str
) -> None:
    configure(url, model, 'key_env = "MY_API_KEY"')
    done = osler_check("--json")
    assert done.exit_code == 1
    wrong = {name: one for name, one in found(done).items() if not one["ok"]}
    assert list(wrong) == [f"endpoint mine: {check}"]
    (one,) = wrong.values()
    assert what in one["what"]
    assert mend in one["mend"]


def test_what_is_mended_as_told_is_well(osler_check: Check, url: str) -> None:
    configure(url, "plain", "[endpoints.mine.capabilities]", "json_schema = false")
    checks = found(osler_check("--json"))
    assert checks["endpoint mine: json_object"]["ok"]
    assert "endpoint mine: json_schema" not in checks


@pytest.mark.parametrize("model", ["thinker", "unlimited"])
def test_a_limit_too_small_for_a_model_is_no_mistake_of_it(osler_check: Check, url: str, model: str) -> None:
    configure(url, model)
    assert osler_check("--json").exit_code == 0


def test_an_endpoint_without_objects_is_read_as_text(osler_check: Check, url: str) -> None:
    configure(url, "good", "[endpoints.mine.capabilities]", "json_schema = false", "json_object = false")
    assert "plain text" in found(osler_check("--json"))["endpoint mine: objects"]["what"]


def test_an_endpoint_that_is_down(osler_check: Check) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    configure(f"http://127.0.0.1:{port}/v1", "any")
    one = found(osler_check("--json"))["endpoint mine: answers"]
    assert not one["ok"]
    assert "cannot be reached" in one["what"]
    assert "is the endpoint up" in one["mend"]


def test_a_key_that_is_not_set_is_not_asked_with(osler_check: Check, url: str) -> None:
    configure(url, "good", 'key_env = "MY_OTHER_KEY"')
    checks = found(osler_check("--json"))
    assert "MY_OTHER_KEY is not set" in checks["endpoint mine: key"]["what"]
    assert "export MY_OTHER_KEY=" in checks["endpoint mine: key"]["mend"]
    assert "endpoint mine: answers" not in checks


def test_offline_asks_nobody(osler_check: Check) -> None:
    configure("http://models.invalid/v1", "any")
    checks = found(osler_check("--offline", "--json"))
    assert "endpoint mine: answers" not in checks
    assert checks["endpoint mine: key"]["ok"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f'[endpoints.mine]\nbase_url = "http://x/v1"\nmodel = "m"\nkey = "{KEY}"', "looks like a key"),
        ('[endpoints.mine]\nbase_url = "http://x/v1"', "endpoints.mine.model is missing"),
        ('[endpoints.mine]\nbase_url = "http://x/v1"\nmodel = "m"\nmax_inflight = 3', "unknown field"),
        ("[endpoints", "is not valid TOML"),
    ],
)
def test_a_configuration_that_cannot_be_read(osler_check: Check, text: str, what: str) -> None:
    Path("osler.toml").write_text(text)
    one = found(osler_check("--json"))["config"]
    assert not one["ok"]
    assert what in one["what"]


def test_a_configuration_that_is_not_there(osler_check: Check) -> None:
    assert not found(osler_check("--config", "nowhere.toml", "--json"))["config"]["ok"]


def test_a_store_that_is_there_is_opened_and_not_changed(osler_check: Check, tmp_path: Path) -> None:
    open_store(tmp_path / "kept.db").close()
    before = (tmp_path / "kept.db").read_bytes()
    assert "0 runs" in found(osler_check("--store", "kept.db", "--json"))["store"]["what"]
    assert (tmp_path / "kept.db").read_bytes() == before


def _other_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE music (title TEXT)")
    connection.close()


@pytest.mark.parametrize(
    ("store", "what"),
    [
        ("text.db", "this is not an Osler store"),
        ("other.db", "holds something else"),
        ("no/folder/osler.db", "there is no folder"),
        ("oracle://here", "oracle is not supported"),
        ("sqlite://", "would be lost"),
    ],
)
def test_a_store_that_cannot_be_used(osler_check: Check, tmp_path: Path, store: str, what: str) -> None:
    (tmp_path / "text.db").write_text("not a database, however long it is" * 50)
    _other_database(tmp_path / "other.db")
    one = found(osler_check("--store", store, "--json"))["store"]
    assert not one["ok"]
    assert what in one["what"]


def test_a_store_that_somebody_writes_to_is_said_to_be(
    osler_check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "STORE_WAIT_S", "0")
    open_store(tmp_path / "held.db").close()
    holder = sqlite3.connect(tmp_path / "held.db", isolation_level=None)
    try:
        holder.execute("BEGIN IMMEDIATE")
        one = found(osler_check("--store", "held.db", "--json"))["store"]
    finally:
        holder.close()
    assert "another program is writing to it" in one["what"]


def test_a_password_of_a_store_is_not_shown(osler_check: Check) -> None:
    done = osler_check("--store", f"postgresql://me:{KEY}@127.0.0.1:1/osler", "--json")
    one = found(done)["store"]
    assert not one["ok"]
    assert "postgresql://me@127.0.0.1:1/osler" in one["what"]


def test_the_library_is_linted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checking.library_check().ok
    leaking = small_case(provenance=small_case().provenance.model_copy(update={"author": None}))
    monkeypatch.setattr(checking, "open_source", lambda spec: [leaking])
    one = checking.library_check()
    assert not one.ok
    assert "names no author" in one.what


def test_too_little_room_is_said(osler_check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "ENOUGH_DISK", 10**18)
    assert "free some space" in found(osler_check("--json"))["disk"]["mend"]


def test_a_damaged_installation_is_said(osler_check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ValueError("line 3 of formulary.yaml")

    monkeypatch.setattr(checking, "formulary", broken)
    monkeypatch.setattr(checking, "requires", lambda name: ["rich>=1", "nowhere-to-be-found>=2", "x; extra"])
    checks = found(osler_check("--json"))
    assert "line 3 of formulary.yaml" in checks["knowledge"]["what"]
    assert checks["packages"]["what"] == "not installed: nowhere-to-be-found"


def test_a_person_reads_a_table(osler_check: Check, url: str) -> None:
    configure(url, "locked", 'key_env = "MY_API_KEY"')
    done = osler_check()
    assert done.exit_code == 1
    shown = " ".join(done.stdout.split())
    assert "FIX" in shown
    assert "refuses the key" in shown
    assert KEY not in shown + done.stderr
