"""Settings of models on the command line: recorded in full, told in words, kept on resuming, never a key."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from osler.errors import BadInput
from osler.models.config import config_of
from osler.models.settings import Setting, addressed, setting_of, temperatures, with_settings
from osler.store.store import open_store
from tests.cli.commands import KEY, configure, said, value
from tests.endpoints import running
from tests.protocols.scenario.playing import SMALL

Osler = Callable[..., Result]
ONE = ("library", "--limit=1", "--max-turns=3")
SECRET = "sk-live-0123456789abcdefghij"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running() as base_url:
        yield base_url


def manifest(run: str = "last") -> dict[str, Any]:
    with open_store("osler.db") as store:
        return store.run(run).manifest


# What is set


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("temperature=0.2", Setting("", "temperature", 0.2)),
        ("top_k=40", Setting("", "top_k", 40)),
        ("reasoning_effort=low", Setting("", "reasoning_effort", "low")),
        ("judge:temperature=0", Setting("judge", "temperature", 0)),
        ('chat_template_kwargs={"enable_thinking": false}', None),
        ("stop=a=b", Setting("", "stop", "a=b")),
        ("note=", Setting("", "note", "")),
        ("x=NaN", Setting("", "x", "NaN")),
    ],
)
def test_a_setting_is_json_where_it_parses_and_text_otherwise(text: str, wanted: Setting | None) -> None:
    found = setting_of(text)
    assert found == (wanted or Setting("", "chat_template_kwargs", {"enable_thinking": False}))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0.2", {"temperature": 0.2}),
        ("candidates=0.8,critic=0", {"temperature": 0.8, "critic_temperature": 0.0}),
        ("critic=0", {"critic_temperature": 0.0}),
    ],
)
def test_a_strategy_has_a_temperature_for_its_candidates_and_one_for_its_critic(
    text: str, wanted: dict[str, float]
) -> None:
    found = temperatures(text)
    assert {one.name: one.value for one in found} == wanted
    assert all(not one.endpoint for one in found)


@pytest.mark.parametrize(
    "text", ["warm", "2.1", "-1", "", "nan", "critic=3", "critics=0", "critic=0,critic=1", "0.2,critic=0"]
)
def test_what_is_no_temperature_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        temperatures(text)
    assert refused.value.where == "--temperature"
    assert "candidates=0.8,critic=0" in str(refused.value.hint)


@pytest.mark.parametrize("text", ["temperature", "=1", ":temperature=1", ""])
def test_what_is_no_setting_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="not a setting"):
        setting_of(text)


@pytest.mark.parametrize("text", [f"note={SECRET}", "api_key=abc", f"{SECRET}=1", f'a={{"b": "{SECRET}"}}'])
def test_what_looks_like_a_key_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(BadInput, match="looks like a key") as refused:
        setting_of(text)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("name", ["messages", "model", "stream", "response_format", "n", "seed", "tools"])
def test_what_osler_sets_itself_cannot_be_set(name: str) -> None:
    config = config_of({"endpoints": {"one": {"base_url": "http://x/v1", "model": "m"}}})
    with pytest.raises(BadInput, match=f"must not set {name}"):
        with_settings(config, {"one": {name: "x"}})


def test_a_setting_given_with_the_command_comes_before_that_of_the_file() -> None:
    table = {"base_url": "http://x/v1", "model": "m", "extra": {"temperature": 1, "top_k": 5}}
    config = with_settings(config_of({"endpoints": {"one": table}}), {"one": {"temperature": 0}})
    assert config.endpoint("one").extra == {"temperature": 0, "top_k": 5}
    with pytest.raises(BadInput, match="max_answer_tokens"):
        with_settings(config, {"one": {"max_answer_tokens": "many"}})


def test_a_setting_without_a_name_is_for_every_model_under_test() -> None:
    settings = [Setting("", "a", 1), Setting("other", "b", 2)]
    assert addressed(settings, ["x", "y", "x"]) == (
        Setting("x", "a", 1),
        Setting("y", "a", 1),
        Setting("other", "b", 2),
    )
    with pytest.raises(BadInput, match="no model is under test"):
        addressed(settings, [])


# What is recorded and said


def test_settings_reach_the_endpoint_and_are_recorded_in_words(osler: Osler, url: str) -> None:
    configure(url, price_in=1.0, price_out=1.0)
    flags = ("--temperature=0.25", "--reasoning-effort=low", "--max-answer-tokens=900", "--request=top_k=7")
    done = osler("consult", *ONE, "--doctor=model:fake", *flags, "--json")
    record = manifest()["endpoints"]["fake"]
    host = url.removeprefix("http://").removesuffix("/v1")
    assert (record["model"], record["host"]) == ("fake-model", host)
    wanted = {"temperature": 0.25, "reasoning_effort": "low", "max_answer_tokens": 900, "top_k": 7}
    assert record["settings"] == record["given"] == wanted
    found = value(done)
    assert found["endpoints"]["fake"]["settings"] == wanted
    assert found["endpoints"]["fake"]["served"]["models"] == ["fake-model"]
    shown = " ".join(osler("runs", "summary", "last").stdout.split())
    assert "fake-model at" in shown
    assert "temperature 0.25" in shown
    assert "reasoning effort low" in shown
    listed = value(osler("runs", "--json"))["runs"][0]
    assert "temperature 0.25" in listed["models"]["fake"]


def test_two_settings_are_two_players_and_resuming_keeps_them(osler: Osler, url: str) -> None:
    configure(url)
    keys = []
    for warmth in ("0", "1"):
        value(osler("consult", *ONE, "--doctor=model:fake", f"--temperature={warmth}", "--json"))
        with open_store("osler.db") as store:
            keys.append(next(store.episodes(store.run("last").id)).key)
    assert len(set(keys)) == 2
    assert osler("resume", "last").exit_code == 0, "the settings need not be given again"
    assert osler("resume", "last", "--temperature=1").exit_code == 0, "but may be"
    done = osler("resume", "last", "--temperature=0")
    assert done.exit_code == 1
    assert "was fake-model, temperature 1.0 when this run began and is fake-model, temperature 0.0" in said(
        done
    )


def test_the_critics_temperature_is_part_of_the_key_and_is_told_in_words(osler: Osler, url: str) -> None:
    configure(url)
    words = ("scenario", "play", str(SMALL), "--max-turns=1", "--examinee=model:fake+best-of:2")
    keys = []
    for warmth in ("0.8", "candidates=0.8,critic=0", "candidates=0.8,critic=0.5"):
        value(osler(*words, f"--temperature={warmth}", "--json"))
        with open_store("osler.db") as store:
            keys.append(next(store.episodes(store.run("last").id)).key)
    assert len(set(keys)) == 3
    assert manifest()["endpoints"]["fake"]["settings"] == {"temperature": 0.8, "critic_temperature": 0.5}
    told = " ".join(osler("runs", "summary", "last").stdout.split())
    assert "critic temperature 0.5" in told
    assert "temperature 0.8" in told
    assert osler("resume", "last").exit_code == 0
    Path("page.html").unlink(missing_ok=True)
    assert osler("report", "last", "--out=page.html").exit_code == 0
    assert "critic temperature 0.5" in Path("page.html").read_text()


def test_a_setting_is_refused_where_no_model_is_under_test_or_the_endpoint_is_unknown(
    osler: Osler, url: str
) -> None:
    configure(url)
    done = osler("consult", *ONE, "--doctor=baseline", "--temperature=1")
    assert done.exit_code == 1
    assert "no model is under test" in said(done)
    done = osler("consult", *ONE, "--doctor=model:fake", "--request=nobody:temperature=1")
    assert done.exit_code == 1
    assert "nobody" in said(done)
    assert not Path("osler.db").exists(), "nothing was begun"


@pytest.mark.parametrize(
    "words",
    [
        ("round", "library", "--limit=1", "--max-rounds=1", "--students=1", "--tutor=model:fake"),
        ("scenario", "play", "library", "--limit=1", "--max-turns=2", "--examinee=model:fake"),
        ("run", "consultation", "library", "--limit=1", "--seat=doctor=model:fake"),
    ],
)
def test_every_command_that_plays_takes_the_settings(osler: Osler, url: str, words: tuple[str, ...]) -> None:
    configure(url)
    value(osler(*words, "--temperature=0.5", "--request=top_k=3", "--keep-prompts", "--json"))
    found = manifest()
    assert found["endpoints"]["fake"]["settings"] == {"top_k": 3, "temperature": 0.5}
    assert found["keep_prompts"] is True


def test_no_key_is_in_the_manifest_or_in_a_whole_prompt_that_is_kept(osler: Osler, url: str) -> None:
    configure(url)
    value(osler("consult", *ONE, "--doctor=model:fake", "--keep-prompts", "--json"))
    with open_store("osler.db") as store:
        (first, *_) = store.calls(store.run("last").id)
    assert first.body["messages"][0]["role"] == "system"
    for path in Path().glob("osler.db*"):
        assert KEY.encode() not in path.read_bytes()
    told = json.dumps(manifest())
    assert "/v1" not in told, "the path of the address is not recorded"
    assert "Authorization" not in told


def test_a_budget_that_is_used_up_is_continued_by_its_present_name(osler: Osler, url: str) -> None:
    configure(url)
    done = osler("consult", *ONE, "--doctor=model:fake", "--token-budget=10")
    assert done.exit_code != 0
    assert "--token-budget" in said(done).partition("To continue:")[2]


@pytest.mark.parametrize("line", ["dataset build last --out data", "train serve nowhere"])
def test_commands_that_have_the_earlier_name_of_the_token_budget_keep_it(osler: Osler, line: str) -> None:
    done = osler(*line.split(), "--max-tokens", "4000")
    assert done.exit_code == 1  # there is no run, nor a folder
    assert "--token-budget" not in said(done)
    assert "No such option" not in said(done)


# The prompts


def test_show_prompts_tells_what_a_model_was_sent_and_answered(osler: Osler, url: str) -> None:
    configure(url)
    value(osler("consult", *ONE, "--doctor=model:fake", "--temperature=0.5", "--json"))
    Path("osler.toml").unlink()
    found = value(osler("show", "last:0", "--prompts", "--json"))
    assert "temperature 0.5" in found["models"]["fake"]
    first = found["exchanges"][0]
    assert {"n", "seat", "messages", "reply", "reasoning", "proved"} <= first.keys()
    assert (first["seat"], first["proved"]) == ("doctor", True)
    assert json.loads(first["reply"])["move"]["action"]
    shown = osler("show", "last:0", "--prompts").stdout
    assert shown.count(first["messages"][0]["text"].splitlines()[0]) == 1, "the rules are shown once"
    assert "as it was sent" in shown
    assert "messages as above" in shown


def test_a_terminal_is_safe_from_what_a_model_said(osler: Osler) -> None:
    hostile = {"move": {"action": "ASK", "question": "Well?\x1b]0;owned\x07"}}
    with running(script=[{"match": {"seat": "doctor"}, "reply": hostile}]) as base_url:
        configure(base_url)
        value(osler("consult", *ONE, "--doctor=model:fake", "--json"))
    shown = osler("show", "last:0", "--prompts").stdout
    assert "Well?" in shown
    assert "\x1b]" not in shown
    assert "\x07" not in shown


def test_an_episode_without_models_or_an_export_has_no_prompts_to_show(osler: Osler) -> None:
    value(osler("consult", *ONE, "--json"))
    assert "no model was asked" in osler("show", "last:0", "--prompts").stdout
    osler("export", "last", "--out", "e.jsonl")
    done = osler("show", "e.jsonl:0", "--prompts")
    assert done.exit_code == 1
    assert "holds no case" in said(done)


def test_a_report_names_the_model_and_its_settings_in_words(osler: Osler, url: str) -> None:
    configure(url)
    value(osler("consult", *ONE, "--doctor=model:fake", "--temperature=0.5", "--json"))
    assert osler("report", "last", "--out", "r.html", "--no-controls").exit_code == 0
    page = Path("r.html").read_text()
    assert "fake-model at 127.0.0.1" in page
    assert "temperature 0.5" in page
