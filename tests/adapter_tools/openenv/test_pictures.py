"""Pictures reach a policy that sees as the image parts of its messages, and no other policy."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from osler.adapters.openenv import Encounters
from osler.errors import BadInput
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.settings import Settings
from tests.adapter_tools.openenv.serving import in_order, served

ECG = in_order('{"action": "REQUEST_TEST", "test_name": "ECG"}', '{"action": "WAIT"}')
CONFIG = RunConfig(cases="library", limit=1, moves="json")
SHOWN = CONFIG.model_copy(update={"settings": Settings(pictures="shown")})


def parts(config: RunConfig, *, sees: bool) -> list[dict[str, Any]]:
    """The parts of all messages once an ECG has come."""
    with served(config, sees=sees) as server, server.client() as env:
        result = env.reset(row=0)
        for _ in range(2):
            said = sum(one["role"] == "assistant" for one in result.observation.messages)
            result = env.step(ECG(said, result.observation.messages))
        contents = [one["content"] for one in result.observation.messages]
    return [part for content in contents if isinstance(content, list) for part in content]


@pytest.mark.parametrize("config", [CONFIG, SHOWN], ids=["reported", "shown"])
def test_a_policy_that_sees_is_sent_the_picture_after_its_words(config: RunConfig) -> None:
    text, picture = parts(config, sees=True)
    assert text["type"] == "text"
    assert "Electrocardiogram" in text["text"]
    head, _, data = picture["image_url"]["url"].partition(",")
    assert (picture["type"], head) == ("image_url", "data:image/png;base64")
    assert base64.b64decode(data).startswith(b"\x89PNG")


def test_one_that_does_not_see_is_told_the_report() -> None:
    assert parts(CONFIG, sees=False) == []


def test_pictures_without_reports_are_refused_for_one_that_does_not_see() -> None:
    with pytest.raises(BadInput, match="cannot see pictures"):
        Encounters(SHOWN)
