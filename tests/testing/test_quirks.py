"""Each peculiarity of a server or a model ends a consultation, or pauses the run, as this table says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from osler.models.config import Config, config_of
from osler.testing.endpoint import running
from osler.testing.quirk_schemas import strict_fault
from osler.testing.quirks import QUIRKS, REFUSAL
from tests.testing.playing import played

FILTERED: Final = ("filtered", "filtered-prompt", "filtered-gemini", "filtered-bare", "filtered-bedrock")
TOO_LONG: Final = ("openai", "vllm", "anthropic", "sglang", "ollama", "llamacpp")
KEY: Final = "Zq7-recognizable-9Xw4-key"
DONE: Final = ("completed", "")
PLAYED: Final = (
    "none retry-after retry-after-ms bad-gateway error-in-200 slow gzip max-tokens-renamed limit-too-high "
    "no-seed no-schema no-format format-ignored strict-schema no-bounds gemini-schema no-system-role "
    "think think-unopened harmony fenced parts reasoning-too reasoning-only tool-call-only json-array "
    "python-quotes no-usage float-usage "
    "no-route bare-refusal anthropic anthropic-layer "
    "gemini openrouter bedrock azure-v1 llama.cpp ollama vllm sglang"
)
CAUSES: Final = {
    **dict.fromkeys(("empty", "null"), "empty"),
    **dict.fromkeys(("reasoning-without-answer", "thought-cut", "reasoning-cut"), "thought_only"),
    "cut": "truncated",
    **dict.fromkeys(("refusal", "refusal-field", "refusal-reason"), "refused"),
    **dict.fromkeys(FILTERED, "filtered"),
    **{f"context-{name}": "context" for name in TOO_LONG},
}
"""The cause that is recorded of every answer that could not be used."""
EXPECTED: Final[dict[str, tuple[str, str]]] = {
    **dict.fromkeys(PLAYED.split(), DONE),
    "wrong-key": ("paused", r"auth: HTTP 401 .*\[hidden\].*key_env"),
    "wrong-key-in-part": ("paused", r"auth: HTTP 401 .*\[hidden\].*key_env"),
    "wrong-model-openai": ("paused", "wrong model: HTTP 404 The model `m` does not exist"),
    "wrong-model-ollama": ("paused", 'wrong model: HTTP 404 model "m" not found'),
    "wrong-model-vllm": ("paused", "wrong model: HTTP 404 The model `m` does not exist"),
    "azure-classic": ("paused", "wrong address: HTTP 404 Resource not found"),
    "redirect": ("paused", "wrong address: HTTP 301"),
    "html-page": ("paused", "bad body: the answer is no JSON"),
    "garbage": ("paused", "bad body: the answer is no JSON"),
    "sse": ("paused", "bad body: the answer is no JSON"),
    "huge": ("paused", "bad body: an answer of more than"),
    "rate-limit": ("paused", "rate limited: HTTP 429"),
    "quota": ("paused", "quota: HTTP 429.*no credit left"),
    "overloaded": ("paused", "server error: HTTP 529"),
    "timeout": ("paused", "timeout: no answer in time"),
    "reset": ("paused", "connection: "),
    "mid-body": ("paused", "truncated: the answer ended early"),
    "no-temperature": ("paused", "bad request: HTTP 400 Unsupported value: 'temperature'"),
    "empty": ("invalid_play", "empty: no text"),
    "null": ("invalid_play", "empty: no text"),
    "reasoning-without-answer": ("invalid_play", "nothing but reasoning; switch"),
    "cut": ("invalid_play", "cut at the length limit"),
    "thought-cut": ("invalid_play", "cut at the length limit"),
    "reasoning-cut": (
        "invalid_play",
        "nothing but thought, cut at the length limit; raise max_answer_tokens",
    ),
    "refusal-field": ("invalid_play", "refused: I'm sorry, but I can't"),
    "refusal": ("invalid_play", "it holds no whole JSON object"),
    "refusal-reason": ("invalid_play", "refused: the model declined"),
    **dict.fromkeys(FILTERED, ("invalid_play", "filtered")),
    **{f"context-{name}": ("out_of_budget", "too long: HTTP 400") for name in TOO_LONG},
}
MORE: Final[dict[str, dict[str, Any]]] = {
    "timeout": {"timeout_s": 0.2},
    "no-temperature": {"extra": {"temperature": 0.7}},
    "anthropic": {"kind": "anthropic"},
}


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with running() as url:
        yield url.removesuffix("/v1")


def configured(base_url: str, **more: Any) -> Config:
    table = {"base_url": base_url, "model": "m", "key_env": "QUIRKS_KEY", **more}
    return config_of({"endpoints": {"fake": table}})


def test_every_quirk_has_an_end() -> None:
    assert set(EXPECTED) == set(QUIRKS)
    assert len(QUIRKS) >= 50
    assert all(quirk.what for quirk in QUIRKS.values())


@pytest.mark.parametrize("name", EXPECTED)
def test_a_quirk_ends_as_the_table_says(name: str, root: str, tmp_path: Path) -> None:
    status, words = EXPECTED[name]
    found = configured(f"{root}/quirks/{name}/v1", **MORE.get(name, {}))
    ended = played(found, "fake", tmp_path, {"QUIRKS_KEY": KEY})
    assert ended.status == status, ended
    assert re.search(words, ended.why), ended.why
    refused = {one.get("cause") for one in ended.attempts if one["at"] == "refused"}
    assert refused == {CAUSES[name]} if name in CAUSES else not refused
    assert KEY not in str(ended)
    assert KEY[:8] not in ended.why


def test_a_refusal_in_prose_is_kept_in_the_record(root: str, tmp_path: Path) -> None:
    found = configured(f"{root}/quirks/refusal/v1")
    ended = played(found, "fake", tmp_path, {"QUIRKS_KEY": KEY})
    refused = [one for one in ended.attempts if one["at"] == "refused"]
    assert [one["reply"] for one in refused] == [REFUSAL] * 3


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "array", "items": {"type": "string"}}, 'type: "object"'),
        ({"type": "object", "properties": {}, "required": []}, "additionalProperties"),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "required": [],
                "additionalProperties": False,
            },
            "required",
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "string", "maxLength": 3}},
                "required": ["a"],
                "additionalProperties": False,
            },
            "'maxLength' is not permitted",
        ),
    ],
)
def test_what_strict_mode_refuses_is_refused(schema: dict[str, Any], words: str) -> None:
    assert words in str(strict_fault(schema))
