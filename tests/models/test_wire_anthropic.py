"""Anthropic's own messages: what is sent, what is read, and how a documented endpoint takes it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from osler.errors import BadInput
from osler.models.client import EndpointClient
from osler.models.config import Endpoint, config_of
from osler.models.faults import EndpointFault, Kind, ModelAnswerError
from osler.models.open_models import Models
from osler.models.secret import Secret
from osler.models.types import Completion, CompletionRequest, Image, Message, Output, Sampling, Usage
from osler.testing.endpoint import FakeEndpoint
from tests.models.endpoint import KEY, Behaviour, client_of, request_of, sends, serving

RULES = "You are the doctor. " * 400


class Move(BaseModel):
    """A form with bounds of every sort."""

    model_config = ConfigDict(extra="forbid")
    note: str = Field(max_length=300)
    score: int = Field(ge=0, le=9)
    ids: list[str] = Field(min_length=1, max_length=5)


MOVE = TypeAdapter(Move)
OUTPUT = Output.of(MOVE, "move")
GOOD = '{"note": "n", "score": 3, "ids": ["F01"]}'
USED = {
    "input_tokens": 10,
    "cache_read_input_tokens": 60,
    "cache_creation_input_tokens": 30,
    "output_tokens": 20,
}


def answer(*blocks: object, stop: str = "end_turn", **more: object) -> Behaviour:
    """A message with these blocks; a text stands for a block of it."""
    content = [{"type": "text", "text": one} if isinstance(one, str) else one for one in blocks]
    body = {"type": "message", "model": "claude-9", "content": content, "stop_reason": stop, "usage": USED}
    return sends(json.dumps({**body, **more}))


def refuses(status: int, kind: str, message: str) -> Behaviour:
    return sends(json.dumps({"type": "error", "error": {"type": kind, "message": message}}), status)


def asked(
    *script: Behaviour, request: CompletionRequest | None = None, **settings: Any
) -> tuple[Completion, list[dict[str, Any]], list[dict[str, str]]]:
    """Ask once for a move, unless another request is given; the answer, the bodies and the headers sent."""

    async def go() -> tuple[Completion, list[dict[str, Any]], list[dict[str, str]]]:
        async with serving(*script) as served, client_of(served.url, kind="anthropic", **settings) as client:
            wanted = request or request_of("Rules.", "Begin.", output=OUTPUT, seed=3)
            validate = MOVE.validate_python if wanted.output else None
            done = await client.complete(wanted, validate=validate)
            return done, served.bodies, served.headers

    return asyncio.run(go())


def fault_of(*script: Behaviour, **more: Any) -> tuple[Kind, str]:
    with pytest.raises((ModelAnswerError, EndpointFault)) as caught:
        asked(*script, **more)
    assert isinstance(caught.value, ModelAnswerError | EndpointFault)
    return caught.value.kind, str(caught.value)


# What is sent


def test_a_request_is_written_as_the_api_documents_it() -> None:
    done, [body], [headers] = asked(answer(GOOD))
    named = {name.lower(): value for name, value in headers.items()}
    assert (named["x-api-key"], named["anthropic-version"]) == (KEY, "2023-06-01")
    assert "authorization" not in named
    assert body["system"] == [{"type": "text", "text": "Rules.", "cache_control": {"type": "ephemeral"}}]
    [turn] = body["messages"]
    marked = {"type": "text", "text": "Begin.", "cache_control": {"type": "ephemeral"}}
    assert turn == {"role": "user", "content": [marked]}
    form = body["output_config"]["format"]
    assert form["type"] == "json_schema"
    assert form["schema"]["properties"]["ids"] == {
        "items": {"type": "string"},
        "minItems": 1,
        "title": "Ids",
        "type": "array",
    }
    assert not {"maxLength", "maximum", "minimum", "maxItems"} & set(json.dumps(form).split('"'))
    assert body["max_tokens"] > 0
    assert not {"seed", "temperature", "response_format"} & body.keys()
    assert done.parsed == Move(note="n", score=3, ids=["F01"])


def test_roles_alternate_and_words_that_are_none_are_left_out() -> None:
    picture = Image.of(b"GIF89a")
    said = [("system", "S"), ("assistant", "Hello"), ("user", "a"), ("user", "b"), ("assistant", " ")]
    messages = [Message(role, text) for role, text in said]  # type: ignore[arg-type]
    messages.append(Message("user", "c", (picture,)))
    _, [body], _ = asked(
        answer("ok"), request=CompletionRequest(tuple(messages)), capabilities={"images": True}
    )
    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]
    *texts, shown = body["messages"][-1]["content"]
    assert [block["text"] for block in texts] == ["a", "b", "c"]
    assert shown["source"] == {"type": "base64", "media_type": "image/gif", "data": picture.data}
    assert "cache_control" in shown


def test_pictures_go_only_where_they_are_declared_to_be_seen() -> None:
    picture = Image.of(b"GIF89a")
    request = CompletionRequest((Message("user", "c", (picture,)),))
    kind, _ = fault_of(answer("ok"), request=request)
    assert kind is Kind.BAD_REQUEST


def test_thought_has_an_allowance_of_its_own_and_further_settings_stay_beside_the_form() -> None:
    thinking = {"type": "enabled", "budget_tokens": 2048}
    extra = {"thinking": thinking, "output_config": {"effort": "low"}}
    request = request_of(output=OUTPUT, sampling=Sampling(max_tokens=100, stop=("END",)))
    _, [body], _ = asked(answer(GOOD), request=request, extra=extra)
    assert (body["thinking"], body["max_tokens"]) == (thinking, 2148)
    assert body["output_config"].keys() == {"effort", "format"}
    assert body["stop_sequences"] == ["END"]


def test_a_limit_and_sampling_that_a_model_refuses_are_given_up() -> None:
    too_long = "max_tokens: 4096 > 2000, which is the maximum allowed number of output tokens for claude-1"
    script = (
        refuses(400, "invalid_request_error", "`temperature` is deprecated for this model."),
        refuses(400, "invalid_request_error", too_long),
        answer(GOOD),
    )
    request = request_of(output=OUTPUT, sampling=Sampling(temperature=0.5, max_tokens=4096))
    done, bodies, _ = asked(*script, request=request)
    assert [body.get("temperature") for body in bodies] == [0.5, None, None]
    assert [body["max_tokens"] for body in bodies] == [4096, 4096, 2000]
    assert done.parsed


def test_a_temperature_that_the_settings_ask_for_is_not_dropped_in_silence() -> None:
    words = "`temperature` is deprecated for this model."
    kind, said = fault_of(refuses(400, "invalid_request_error", words), extra={"temperature": 0.5})
    assert kind is Kind.BAD_REQUEST
    assert words in said


def test_a_form_that_is_too_complex_goes_into_the_prompt() -> None:
    words = "output_config.format.schema: Invalid schema: The compiled grammar is too large"
    done, bodies, _ = asked(refuses(400, "invalid_request_error", words), answer(GOOD))
    assert "output_config" not in bodies[-1]
    assert done.rung == "text", "there is no JSON mode without a schema"
    assert "maxLength" in bodies[-1]["system"][0]["text"], "the prompt keeps every bound"


# What is read


def test_thought_usage_and_the_model_are_read() -> None:
    thought = {"type": "thinking", "thinking": "Chest pain.", "signature": "x"}
    done, _, _ = asked(answer(thought, GOOD))
    assert done.reasoning == "Chest pain."
    assert (done.model, done.finish_reason) == ("claude-9", "stop")
    assert done.usage == Usage(prompt_tokens=100, completion_tokens=20, cached_tokens=60)


def test_a_count_that_is_missing_is_unknown() -> None:
    done, _, _ = asked(answer(GOOD, usage={"output_tokens": 5}))
    assert done.usage == Usage(completion_tokens=5)
    done, _, _ = asked(answer(GOOD, usage={"input_tokens": 7, "cache_read_input_tokens": None}))
    assert done.usage == Usage(prompt_tokens=7)


def test_the_input_of_a_tool_is_the_answer_where_there_is_no_text() -> None:
    used = {"type": "tool_use", "id": "t", "name": "move", "input": json.loads(GOOD)}
    done, _, _ = asked(answer(used, stop="tool_use"))
    assert (done.found_in, done.parsed) == ("tool_call", Move(note="n", score=3, ids=["F01"]))


@pytest.mark.parametrize(
    ("behaviour", "kind", "words"),
    [
        (
            answer(stop="refusal", stop_details={"type": "refusal", "category": "bio", "explanation": "No."}),
            Kind.REFUSED,
            "bio: No.",
        ),
        (answer(GOOD, stop="refusal", stop_details=None), Kind.REFUSED, "declined"),
        (answer(GOOD[:9], stop="max_tokens"), Kind.LENGTH, "cut at the length limit"),
        (answer(GOOD, stop="model_context_window_exceeded"), Kind.TOO_LONG, "context"),
        (answer({"type": "thinking", "thinking": "Hm."}), Kind.THOUGHT_ONLY, "nothing but reasoning"),
        (answer({"type": "thinking", "thinking": "Hm."}, stop="max_tokens"), Kind.LENGTH, "raise max_answer"),
        (answer(), Kind.EMPTY, "no text"),
        (answer(stop="pause_turn"), Kind.EMPTY, "no text"),
        (sends('{"type": "message"}'), Kind.BAD_BODY, "no content"),
        (refuses(401, "authentication_error", "invalid x-api-key"), Kind.AUTH, "invalid x-api-key"),
        (refuses(403, "permission_error", "not yours"), Kind.AUTH, "not yours"),
        (refuses(404, "not_found_error", "model: claude-0"), Kind.WRONG_MODEL, "claude-0"),
        (refuses(404, "not_found_error", "Not Found"), Kind.WRONG_ADDRESS, "Not Found"),
        (refuses(413, "request_too_large", "Request exceeds the maximum size"), Kind.TOO_LONG, "maximum"),
        (
            refuses(400, "invalid_request_error", "prompt is too long: 9 tokens > 8"),
            Kind.TOO_LONG,
            "too long",
        ),
        (refuses(400, "invalid_request_error", "Your credit balance is too low"), Kind.QUOTA, "credit"),
        (refuses(429, "rate_limit_error", "slow down"), Kind.RATE_LIMITED, "slow down"),
        (refuses(529, "overloaded_error", "Overloaded"), Kind.SERVER_ERROR, "Overloaded"),
    ],
)
def test_what_is_no_answer_is_read_for_what_it_is(behaviour: Behaviour, kind: Kind, words: str) -> None:
    found, said = fault_of(behaviour)
    assert found is kind, said
    assert words in said


def test_a_refusal_is_neither_repaired_nor_asked_for_again() -> None:
    with pytest.raises(ModelAnswerError) as caught:
        asked(answer(GOOD, stop="refusal"))
    assert [one.outcome for one in caught.value.attempts] == ["refused"]
    assert caught.value.attempts[0].usage.completion_tokens == 20, "it is billed"


def test_an_overload_that_passes_is_waited_for() -> None:
    done, bodies, _ = asked(refuses(529, "overloaded_error", "Overloaded"), answer(GOOD))
    assert (len(bodies), done.attempts[0].outcome) == (2, "server_error")


# The documented endpoint, and the configuration


def test_a_prompt_that_grows_at_its_end_is_read_from_the_cache() -> None:
    async def go() -> list[Completion]:
        async with FakeEndpoint() as fake:
            endpoint = Endpoint(name="c", base_url=fake.base_url, model="claude-opus-5", kind="anthropic")
            said, done = [Message("system", RULES), Message("user", "Begin.")], []
            async with EndpointClient(endpoint, Secret(KEY)) as client:
                for _ in range(4):
                    request = CompletionRequest(
                        tuple(said), output=OUTPUT, sampling=Sampling(temperature=0.5)
                    )
                    done.append(await client.complete(request))
                    said += [Message("assistant", done[-1].text), Message("user", "Go on.")]
            return done

    done = asyncio.run(go())
    usages = [one.usage for one in done]
    assert [later.cached_tokens for later in usages[1:]] == [one.prompt_tokens for one in usages[:-1]]
    assert usages[0].cached_tokens == 0
    assert [len(one.attempts) for one in done] == [2, 1, 1, 1], "the temperature is dropped once"


def test_what_the_api_lacks_is_not_tried() -> None:
    endpoint = Endpoint(name="c", base_url="https://a.example/v1", model="claude-opus-5", kind="anthropic")
    assert not endpoint.capabilities.json_object
    assert not endpoint.capabilities.seed
    assert endpoint.capabilities.json_schema
    assert endpoint.schema_dialect == "anthropic"
    with pytest.raises(ValidationError, match="must end before /messages"):
        Endpoint(name="c", base_url="https://a.example/v1/messages", model="m", kind="anthropic")


def test_there_are_no_embeddings() -> None:
    async def go() -> None:
        table = {"base_url": "http://127.0.0.1:9/v1", "model": "claude-opus-5", "kind": "anthropic"}
        async with Models(config_of({"endpoints": {"c": table}})) as models:
            await models.client("c").embed(["a"])

    with pytest.raises(EndpointFault, match="serves no embeddings"):
        asyncio.run(go())


def test_a_kind_that_there_is_not_names_those_that_there_are() -> None:
    table = {"base_url": "http://127.0.0.1:9/v1", "model": "m", "kind": "nobody's"}
    with pytest.raises(BadInput, match="known: openai, anthropic"):
        Models(config_of({"endpoints": {"c": table}})).client("c")
