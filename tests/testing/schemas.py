"""Reply schemas to try the endpoint on: every consultation seat's own, and turns of a conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from osler.core.contract import Contract
from osler.protocols.consultation.seats import CONSULTANT, DOCTOR, EXAMINATION
from osler.protocols.shared.patient import PATIENT

# Any: contracts of four different views and replies in one table.
CONTRACTS: Mapping[str, Contract[Any, Any]] = {
    contract.seat: contract for contract in (DOCTOR, PATIENT, EXAMINATION, CONSULTANT)
}


def chat(
    *said: str, model: str = "fake-model", schema: Mapping[str, object] | None = None, **more: object
) -> dict[str, object]:
    """A chat request: `said` is a system message, then user and assistant in turn."""
    roles = ("system", *(("user", "assistant") * len(said)))
    messages = [{"role": role, "content": text} for role, text in zip(roles, said, strict=False)]
    request: dict[str, object] = {"model": model, "messages": messages, **more}
    if schema is not None:
        named = {"name": "reply", "schema": schema}
        request["response_format"] = {"type": "json_schema", "json_schema": named}
    return request


def content_of(answer: Mapping[str, Any]) -> str:
    """The words of the first choice."""
    text: str = answer["choices"][0]["message"]["content"]
    return text


def body_of(request: Mapping[str, object]) -> bytes:
    """A request as it goes over the wire."""
    return json.dumps(request).encode()


def turns(count: int) -> Sequence[str]:
    """Instructions, `count` answered messages, and one that awaits its answer."""
    said = ["You are taking part."]
    for _ in range(count):
        said += ["Go on.", "So far."]
    return (*said, "Now?")
