"""What is private is struck out of a text, and prose stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from osler.cases.sources import open_source
from osler.models.config import Endpoint
from osler.models.redaction import HIDDEN, Redaction

KEY = "Zq7-recognizable-9Xw4-key"
ENVIRON = {"MY_KEY": KEY, "OTHER": "pW2-8fKq-11zz-Lm3", "USER": "florencen", "HF_TOKEN": "token-of-a-hub"}


@pytest.fixture
def redaction(monkeypatch: pytest.MonkeyPatch) -> Redaction:
    monkeypatch.setattr(Path, "home", lambda: Path("/srv/people/florencen"))
    endpoint = Endpoint(
        name="mine",
        base_url="https://llm.ward.example:8443/tenants/seven/v1",
        model="m",
        key_env="MY_KEY",
        headers={"api-key": "env:OTHER"},
        proxy="http://proxy.ward.example:3128",
    )
    return Redaction(endpoint, ENVIRON)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"key {KEY}.", f"key {HIDDEN}."),
        ("key Zq7-recogn...-key.", f"key {HIDDEN}"),
        ("sent pW2-8fKq-11zz-Lm3", f"sent {HIDDEN}"),
        ("token-of-a-hub", HIDDEN),
        ("sk-abcdefghijklmnop", HIDDEN),
        ("https://llm.ward.example:8443/tenants/seven/v1/models", f"{HIDDEN}/models"),
        ("llm.ward.example refused", f"{HIDDEN} refused"),
        ("by proxy.ward.example:3128", f"by {HIDDEN}"),
        ("10.1.2.3:8000 refused", f"{HIDDEN} refused"),
        ("/data/ward7/models/llama-3", f"{HIDDEN}/llama-3"),
        ("C:\\Users\\Ann\\models", f"{HIDDEN}\\models"),
        ("in /home/ann/x", f"in {HIDDEN}/x"),
        ("Florencen said", f"{HIDDEN} said"),
        ("endpoint mine: auth", "endpoint NAME: auth"),
        ("[endpoints.mine] and model:mine", "[endpoints.NAME] and model:NAME"),
        ("the pain is mine", "the pain is mine"),
        ("140/90 mmHg, 5 mg/kg/day and/or </think>", "140/90 mmHg, 5 mg/kg/day and/or </think>"),
    ],
)  # fmt: skip
def test_a_text(redaction: Redaction, text: str, left: str) -> None:
    assert redaction.text(text) == left


def test_every_text_of_a_value_is_redacted(redaction: Redaction) -> None:
    value = {"a": [KEY, {"b": KEY, KEY: 1}], "n": 2, "none": None}
    assert redaction.value(value) == {"a": [HIDDEN, {"b": HIDDEN, HIDDEN: 1}], "n": 2, "none": None}


def test_the_library_stays_as_it_is(redaction: Redaction) -> None:
    changed = [
        text
        for case in open_source("library")
        for text in texts(case.model_dump(mode="json"))
        if redaction.text(text) != text and "://" not in text  # addresses of sources are struck, too
    ]
    assert not changed


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one)
