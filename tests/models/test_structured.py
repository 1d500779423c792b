"""The ladder: what is asked of an endpoint, what it turns out unable to do, and how answers are mended."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter

from osler.models.client import EndpointClient
from osler.models.faults import Kind, ModelAnswerError
from osler.models.types import Completion, Output, Sampling
from tests.models.endpoint import Behaviour, client_of, fails, request_of, roles, says, serving


class Move(BaseModel):
    """A small output type."""

    model_config = ConfigDict(extra="forbid")
    action: str
    score: int


MOVE = TypeAdapter(Move)
OUTPUT = Output.of(MOVE, "move")
GOOD = '{"action": "ASK", "score": 3}'
NO_SCHEMA = fails(400, "'response_format' of type 'json_schema' is not supported with this model")
NO_OBJECT = fails(400, "response_format json_object is not supported")


def play(
    *script: Behaviour, calls: int = 1, **settings: Any
) -> tuple[list[Completion], list[dict[str, Any]]]:
    """Ask for a move several times in a row."""

    async def go() -> tuple[list[Completion], list[dict[str, Any]]]:
        async with serving(*script) as served, client_of(served.url, **settings) as client:
            return [await ask(client) for _ in range(calls)], served.bodies

    return asyncio.run(go())


async def ask(client: EndpointClient) -> Completion:
    return await client.complete(request_of("Rules.", "Go on.", output=OUTPUT), validate=MOVE.validate_python)


def rung(body: dict[str, Any]) -> str:
    return str(body.get("response_format", {}).get("type", "text"))


def test_an_able_endpoint_is_held_to_the_schema_and_the_prompt_is_left_alone() -> None:
    [done], [body] = play(says(GOOD))
    assert done.parsed == Move(action="ASK", score=3)
    assert body["response_format"]["json_schema"]["schema"] == MOVE.json_schema()
    assert body["messages"][0]["content"] == "Rules."


def test_what_an_endpoint_cannot_do_is_noticed_once_and_remembered() -> None:
    done, bodies = play(NO_SCHEMA, NO_OBJECT, says(GOOD), calls=3)
    assert [rung(body) for body in bodies] == ["json_schema", "json_object", "text", "text", "text"]
    assert [attempt.outcome for attempt in done[0].attempts] == ["bad_request", "bad_request", "ok"]
    assert all(one.parsed == Move(action="ASK", score=3) for one in done)
    shown = [body["messages"][0]["content"] for body in bodies[1:]]
    assert all(OUTPUT.schema_text in text for text in shown)
    assert len(set(shown)) == 1, "the schema stands where it does not break the common prefix"


def test_what_is_declared_is_not_tried() -> None:
    _, bodies = play(says(GOOD), capabilities={"json_schema": False})
    assert [rung(body) for body in bodies] == ["json_object"]
    _, bodies = play(NO_SCHEMA, says(GOOD), capabilities={"json_object": False})
    assert [rung(body) for body in bodies] == ["json_schema", "text"]


def test_a_prompt_without_rules_gets_the_schema_before_it() -> None:
    async def go() -> list[dict[str, Any]]:
        async with serving(says(GOOD)) as served:
            async with client_of(served.url, capabilities={"json_schema": False}) as client:
                request = request_of("Rules.", "Go on.", output=OUTPUT)
                await client.complete(request._replace(messages=request.messages[1:]))
            return served.bodies

    [body] = asyncio.run(go())
    assert roles(body) == ["system", "user"]


def test_a_seed_or_a_name_for_the_length_that_is_not_taken_is_given_up() -> None:
    async def go() -> list[dict[str, Any]]:
        no_seed = fails(400, "Unrecognized request argument: seed")
        renamed = fails(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        async with serving(no_seed, renamed, says("ok")) as served, client_of(served.url) as client:
            await client.complete(request_of(seed=1, sampling=Sampling(max_tokens=5)))
            return served.bodies

    last = asyncio.run(go())[-1]
    assert last["max_completion_tokens"] == 5
    assert not {"seed", "max_tokens"} & last.keys()


def test_errors_go_back_to_the_model_and_prompts_grow_only_at_the_end() -> None:
    [_, done], bodies = play(says(GOOD), says("no idea"), says('{"action": "ASK"}'), says(GOOD), calls=2)
    bodies = bodies[1:]
    assert done.parsed == Move(action="ASK", score=3)
    assert [attempt.outcome for attempt in done.attempts] == ["unparsable", "invalid", "ok"]
    assert [attempt.text for attempt in done.attempts] == ["no idea", '{"action": "ASK"}', GOOD]
    for earlier, later in pairwise(bodies):
        assert later["messages"][: len(earlier["messages"])] == earlier["messages"]
        assert roles(later)[-2:] == ["assistant", "user"]
    assert OUTPUT.schema_text in bodies[1]["messages"][-1]["content"]
    assert "score: Field required" in bodies[2]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (says("I would rather {talk}."), Kind.UNPARSABLE),
        (says('{"action": "ASK", "score": "many"}'), Kind.INVALID),
        (says('{"action": "ASK", "sc', finish="length"), Kind.LENGTH),
        (says('{"moves": [{"action": "ASK", "score": 3}, {"ac', finish="length"), Kind.LENGTH),
        (says(json.dumps([{"action": "ASK", "score": 3}] * 2)), Kind.UNPARSABLE),
    ],
)
def test_a_model_is_asked_a_bounded_number_of_times(said: Behaviour, kind: Kind) -> None:
    with pytest.raises(ModelAnswerError) as caught:
        play(said)
    assert caught.value.kind == kind
    assert [attempt.outcome for attempt in caught.value.attempts] == [kind] * 3


def test_a_format_that_is_ignored_is_noticed_and_the_schema_put_into_the_prompt() -> None:
    done, bodies = play(says("Yes, gladly."), says(GOOD), calls=2)
    assert [rung(body) for body in bodies] == ["json_schema", "json_object", "json_object"]
    assert OUTPUT.schema_text in bodies[1]["messages"][0]["content"]
    assert done[0].rung == "json_object"


def test_words_are_no_sign_of_it_once_an_object_has_come() -> None:
    _, bodies = play(says(GOOD), says("I had rather not."), says(GOOD), calls=2)
    assert {rung(body) for body in bodies} == {"json_schema"}


def test_who_is_asked_again_gets_another_seed() -> None:
    """With the same one, a model says the same again, word for word."""

    async def go() -> list[dict[str, Any]]:
        async with serving(says("I"), says("{}"), says(GOOD)) as served, client_of(served.url) as client:
            await client.complete(
                request_of("Rules.", "Go on.", output=OUTPUT, seed=5), validate=MOVE.validate_python
            )
            return served.bodies

    assert [body["seed"] for body in asyncio.run(go())] == [5, 5, 6], "a lower rung is no second asking"


def test_a_long_wrong_answer_is_not_paid_for_again_in_full() -> None:
    _, bodies = play(says("{" * 50_000), says(GOOD))
    assert len(bodies[1]["messages"][-2]["content"]) < 5000


def test_plain_text_can_be_validated_too() -> None:
    def in_capitals(found: object) -> str:
        text = str(found)
        if not text.isupper():
            raise ValueError("write in capitals")
        return text

    async def go() -> Completion:
        async with serving(says("hello"), says("HELLO")) as served, client_of(served.url) as client:
            return await client.complete(request_of(), validate=in_capitals)

    done = asyncio.run(go())
    assert done.parsed == "HELLO"
    assert done.attempts[0].detail == "write in capitals"


def test_a_cut_plain_answer_is_an_answer_that_says_so() -> None:
    async def go() -> Completion:
        cut = says("It hurts when I", finish="length")
        async with serving(cut) as served, client_of(served.url) as client:
            return await client.complete(request_of())

    assert asyncio.run(go()).finish_reason == "length"
