"""A conversation has one voice, and it is shown pictures where it sees."""

from __future__ import annotations

from typing import Any

import pytest

from osler.adapters import Conversation, OpenPrompt, SyncEnv, World
from osler.errors import BadInput
from osler.protocols.consultation.config import RunConfig

ONE = RunConfig(cases="library", limit=1)


@pytest.mark.parametrize("patient", ["external", "person"])
def test_nobody_else_may_be_outside(patient: str) -> None:
    world = World(ONE.model_copy(update={"patient": patient}), ("doctor", "patient"))
    with pytest.raises(BadInput, match="only the doctor can be"):
        Conversation(world, 0)


@pytest.mark.parametrize("sees", [True, False])
def test_pictures_are_shown_where_they_are_seen(sees: bool) -> None:
    with SyncEnv(World(ONE), text=True, images=sees) as env:
        env.reset(0)
        env.step('{"action": "REQUEST_TEST", "test_name": "ECG"}')
        now: Any = env.step('{"action": "WAIT"}')
        assert isinstance(now, OpenPrompt)
    assert sum(len(message.images) for message in now.messages) == sees
