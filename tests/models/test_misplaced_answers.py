"""Answers outside the content, counts in odd forms, and what an endpoint says of itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from osler.models.faults import Fault, Kind, of_status
from osler.models.wire import Reply, read_reply, usage_of
from tests.models.endpoint import answer_body

OBJECT = '{"action": "WAIT"}'
CALLED = [{"type": "function", "function": {"name": "doctor_move", "arguments": OBJECT}}]


def read(content: object, *, objects: bool = True, **message: Any) -> Reply | Fault:
    return read_reply(json.dumps(answer_body(content, **message)).encode(), objects=objects)


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"tool_calls": CALLED}, "tool_call"),
        ({"tool_calls": [{"function": {"arguments": {"action": "WAIT"}}}]}, "tool_call"),
        ({"function_call": {"name": "x", "arguments": OBJECT}}, "tool_call"),
        ({"reasoning_content": f"I should wait.\n{OBJECT}"}, "reasoning"),
        ({"reasoning": f"```json\n{OBJECT}\n```"}, "reasoning"),
        ({"thinking": OBJECT}, "reasoning"),
    ],
)
def test_an_answer_in_another_place_is_read_and_its_place_recorded(message: Any, place: str) -> None:
    for content in (None, "", " \n"):
        found = read(content, **message)
        assert isinstance(found, Reply)
        assert found.found_in == place
        assert "WAIT" in found.text


@pytest.mark.parametrize(
    ("message", "kind", "words"),
    [
        ({"tool_calls": CALLED * 2}, Kind.EMPTY, "tool parser"),
        ({"reasoning_content": f"{OBJECT} would do, but no."}, Kind.THOUGHT_ONLY, "reasoning parser"),
        ({"reasoning_content": OBJECT, "finish": "length"}, Kind.LENGTH, "raise max_answer_tokens"),
        ({"tool_calls": "none"}, Kind.EMPTY, "no text"),
        ({"tool_calls": [None, {"function": None}]}, Kind.EMPTY, "no text"),
        ({"refusal": "I cannot.", "reasoning": OBJECT}, Kind.REFUSED, "I cannot"),
    ],
)
def test_a_draft_or_several_calls_are_no_answer(message: Any, kind: Kind, words: str) -> None:
    found = read(None, **message)
    assert isinstance(found, Fault)
    assert found.kind == kind
    assert words in found.detail


def test_content_comes_first_and_plain_words_are_looked_for_nowhere_else() -> None:
    found = read("{}", tool_calls=CALLED, reasoning_content=OBJECT)
    assert isinstance(found, Reply)
    assert (found.text, found.found_in, found.reasoning) == ("{}", "content", OBJECT)
    assert isinstance(read(None, objects=False, tool_calls=CALLED), Fault)


def test_whole_numbers_with_a_point_are_counts_and_a_price_is_kept() -> None:
    usage = usage_of({"prompt_tokens": 12.0, "completion_tokens": 3.5, "cost": 0.25})
    assert (usage.prompt_tokens, usage.completion_tokens, usage.cost) == (12, None, 0.25)
    assert usage_of({"prompt_tokens": True, "cost": "free"}) == usage_of({})


def test_a_provider_and_a_fingerprint_are_kept() -> None:
    body = {**answer_body("x"), "provider": "Somewhere", "system_fingerprint": "fp_1"}
    found = read_reply(json.dumps(body).encode())
    assert isinstance(found, Reply)
    assert found.served_by == "Somewhere fp_1"


def test_an_error_in_a_list_is_read() -> None:
    inner = {"code": 400, "message": "Unknown name $defs at 'generation_config'", "status": "INVALID"}
    fault = of_status(400, json.dumps([{"error": inner}]).encode(), None)
    assert fault.kind is Kind.BAD_REQUEST
    assert fault.detail == "HTTP 400 Unknown name $defs at 'generation_config'"
    assert of_status(400, b"[]", None).kind is Kind.BAD_REQUEST
