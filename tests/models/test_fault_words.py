"""Refusals and stops of many services, read for what they are."""

from __future__ import annotations

import json

import pytest

from osler.models.faults import Fault, Kind, of_status, unexplained
from osler.models.wire import Reply, read_reply

BARE = "Request contains an invalid argument."
NOBODY = "No endpoints found that can handle the requested parameters."
POLICY = "The prompt triggered the content management policy"


def refused(status: int, message: str, code: object = None) -> Fault:
    body = json.dumps({"error": {"message": message, "code": code}})
    return of_status(status, body.encode(), None)


def stopped(finish: str, message: object = None) -> Fault | Reply:
    choice = {"index": 0, "finish_reason": finish, **({} if message is None else {"message": message})}
    return read_reply(json.dumps({"choices": [choice]}).encode())


@pytest.mark.parametrize(
    ("fault", "kind", "about_the_form"),
    [
        (refused(404, NOBODY, 404), Kind.BAD_REQUEST, True),
        (refused(404, "No endpoints found that support tool use."), Kind.BAD_REQUEST, True),
        (refused(404, "No endpoints found for meta/llama-9."), Kind.WRONG_MODEL, False),
        (refused(404, "No endpoints found matching your data policy."), Kind.BAD_REQUEST, False),
        (refused(404, "No endpoints available matching your guardrail"), Kind.BAD_REQUEST, False),
        (refused(404, "Not Found"), Kind.WRONG_ADDRESS, False),
        (refused(400, BARE), Kind.BAD_REQUEST, True),
        (refused(400, ""), Kind.BAD_REQUEST, True),
        (refused(400, "Invalid schema: 'maxLength' is not permitted"), Kind.BAD_REQUEST, True),
        (refused(400, "Unrecognized request argument: seed"), Kind.BAD_REQUEST, False),
        (refused(400, "max_tokens is too large"), Kind.BAD_REQUEST, False),
        (refused(400, "`temperature` is deprecated for this model."), Kind.BAD_REQUEST, False),
        (refused(400, "Invalid image_url"), Kind.BAD_REQUEST, False),
        (refused(400, "System role not supported"), Kind.BAD_REQUEST, False),
        (refused(400, POLICY, "content_filter"), Kind.FILTERED, False),
        (refused(401, BARE), Kind.AUTH, False),
    ],
)
def test_a_refusal_is_about_the_form_unless_it_names_something_else(
    fault: Fault, kind: Kind, about_the_form: bool
) -> None:
    assert (fault.kind, unexplained(fault)) == (kind, about_the_form)


@pytest.mark.parametrize(
    "reason",
    [
        "content_filter",
        "content_filter: PROHIBITED_CONTENT",
        "content_filter: SAFETY",
        "content_filtered",
        "SAFETY",
        "PROHIBITED_CONTENT",
        "SPII",
        "BLOCKLIST",
        "RECITATION",
        "IMAGE_SAFETY",
        "guardrail_intervened",
    ],
)
def test_a_filtered_answer_is_known_by_how_its_reason_begins(reason: str) -> None:
    for message in (None, {"content": None}, {"content": ""}, {"content": '{"action": "A'}):
        found = stopped(reason, message)
        assert isinstance(found, Fault)
        assert found.kind is Kind.FILTERED
        assert reason in found.detail


def test_a_refusal_is_known_by_its_reason_and_by_its_field() -> None:
    for found in (stopped("refusal", {"content": "Sorry."}), stopped("stop", {"refusal": "Sorry."})):
        assert isinstance(found, Fault)
        assert found.kind is Kind.REFUSED


def test_a_blocked_prompt_is_filtered() -> None:
    body = {"promptFeedback": {"blockReason": "SAFETY"}, "choices": []}
    found = read_reply(json.dumps(body).encode())
    assert isinstance(found, Fault)
    assert (found.kind, "SAFETY" in found.detail) == (Kind.FILTERED, True)


def test_a_full_context_and_a_cut_answer_are_told_apart() -> None:
    full = stopped("model_context_window_exceeded", {"content": "{}"})
    assert isinstance(full, Fault)
    assert full.kind is Kind.TOO_LONG
    for reason in ("length", "max_tokens", "MAX_TOKENS"):
        cut = stopped(reason, {"content": "{"})
        assert isinstance(cut, Reply)
        assert cut.finish_reason == "length"


@pytest.mark.parametrize("reason", ["stop", "STOP", "end_turn", "tool_calls", "stop_sequence"])
def test_an_ordinary_end_is_an_answer(reason: str) -> None:
    assert isinstance(stopped(reason, {"content": "Hello"}), Reply)
