"""`osler check` plays a real turn of each seat: what came is shown, and no silent endpoint is green."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from osler.cli import check as checking
from osler.cli.check import check
from osler.cli.check_result import Check as OneCheck
from tests.endpoints import running

KEY = "Zq7-recognizable-9Xw4-key"
Checks = dict[str, dict[str, Any]]
Run = Callable[..., Checks]
app = typer.Typer(pretty_exceptions_enable=False)
app.command("check")(check)


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with running() as url:
        yield url.removesuffix("/v1")


@pytest.fixture
def checked(root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`checked("gzip", "--seats", "doctor")`: the checks of an endpoint with that quirk, by name."""
    monkeypatch.chdir(tmp_path)
    for name in ("OSLER_CONFIG", "OSLER_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MY_API_KEY", KEY)
    sound = OneCheck(name="library", ok=True, what="stands in for the library")
    monkeypatch.setattr(checking, "library_check", lambda: sound)

    def run(quirk: str, *words: str, lines: str = "") -> Checks:
        url = f"{root}/quirks/{quirk}/v1"
        table = f'[endpoints.mine]\nbase_url = "{url}"\nmodel = "m"\nkey_env = "MY_API_KEY"\n{lines}'
        Path("osler.toml").write_text(table)
        done = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
        assert KEY not in done.stdout + done.stderr
        assert done.exit_code in (0, 1), done.stderr
        value = json.loads(done.stdout)
        assert value["ok"] == (done.exit_code == 0)
        return {one["name"].removeprefix("endpoint mine: "): one for one in value["checks"]}

    return run


def test_every_seat_takes_a_real_turn_and_its_words_are_shown(checked: Run) -> None:
    found = checked("none", "--seats", "all")
    seats = [name.removeprefix("as ") for name in found if name.startswith("as ")]
    forms = "doctor patient examination judge tutor specialist supervisor expert student examinee controller"
    assert seats == [*forms.split(), "candidate"]
    assert found["as candidate"]["ok"], "it answers in plain words"
    for seat in forms.split():
        one = found[f"as {seat}"]
        assert one["ok"], one
        assert "asked by a JSON schema (" in one["what"]
        assert "it said: {" in one["what"]
        assert len(one["what"]) < 400


def test_seats_take_a_turn_by_another_api(checked: Run) -> None:
    # All but the judge: how many verdicts it owes is a bound, which this API is not sent, and a server that
    # fills a schema without a thought then gives one.
    seats = (
        "doctor patient examination tutor specialist supervisor expert student examinee controller".split()
    )
    found = checked("anthropic", "--seats", ",".join(seats), lines='kind = "anthropic"')
    assert not [one for one in found.values() if not one["ok"]]
    assert "json_object" not in found, "there is none to try"
    for seat in seats:
        assert "asked by a JSON schema (" in found[f"as {seat}"]["what"]
    told = checked("refusal-field", "--seats", "doctor", lines='kind = "anthropic"')["as doctor"]
    assert "refused: general_harms: I'm sorry" in told["what"]
    assert "choose another model" in told["mend"]


def test_the_default_seats_are_those_under_test_and_the_patient(checked: Run) -> None:
    assert [name for name in checked("none") if name.startswith("as ")] == [
        "as doctor",
        "as patient",
        "as tutor",
        "as examinee",
        "as candidate",
    ]


@pytest.mark.parametrize(
    ("quirk", "how"),
    [
        ("tool-call-only", "a JSON schema, read from its tool call"),
        ("reasoning-only", "a JSON schema, read from its reasoning"),
        ("gemini-schema", "JSON mode, the schema in the prompt"),
        ("no-format", "plain text, the schema in the prompt"),
        ("no-system-role", "a JSON schema"),
        ("think", "a JSON schema"),
    ],
)
def test_the_form_that_a_run_would_use_is_shown(checked: Run, quirk: str, how: str) -> None:
    one = checked(quirk, "--seats", "doctor")["as doctor"]
    assert one["ok"]
    assert f"asked by {how} (" in one["what"]


@pytest.mark.parametrize(
    ("quirk", "what", "mend"),
    [
        ("reasoning-without-answer", "nothing but reasoning", "without its reasoning parser"),
        ("empty", "empty: no text", "endpoint's own log"),
        ("null", "it said: nothing", "endpoint's own log"),
        ("refusal", "I can't provide medical advice", "choose another model"),
        ("refusal-field", "I can't provide medical advice", "choose another model"),
        ("cut", "cut at the length limit", "raise max_answer_tokens in [endpoints.mine]"),
        ("reasoning-cut", "nothing but thought", "raise max_answer_tokens in [endpoints.mine]"),
        ("filtered", "filtered", "content filter"),
        ("filtered-prompt", "filtered", "content filter"),
    ],
)
def test_an_endpoint_without_a_usable_word_is_never_green(
    checked: Run, quirk: str, what: str, mend: str
) -> None:
    for declared in ("", "[endpoints.mine.capabilities]\njson_schema = false\njson_object = false"):
        found = checked(quirk, "--seats", "doctor,patient", lines=declared)
        for seat in ("doctor", "patient"):
            one = found[f"as {seat}"]
            assert not one["ok"]
            assert what in one["what"]
            assert mend in one["mend"]


@pytest.mark.parametrize("quirk", ["wrong-model-openai", "wrong-model-ollama", "wrong-model-vllm"])
def test_a_wrong_model_is_answered_with_those_there_are(checked: Run, quirk: str) -> None:
    one = checked(quirk)["answers"]
    assert not one["ok"]
    assert "fake-model" in one["mend"]


def test_a_seat_that_there_is_not_is_refused(checked: Run) -> None:
    with pytest.raises(json.JSONDecodeError):
        checked("none", "--seats", "nurse")


def test_a_header_that_is_not_set_is_named(checked: Run) -> None:
    one = checked("none", lines='headers = {api-key = "env:NOT_SET_AT_ALL"}')["key"]
    assert "NOT_SET_AT_ALL is not set" in one["what"]
