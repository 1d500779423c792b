"""A model borrowed from another framework is asked as an endpoint is, and its faults are no scores."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping

import openai
import pytest

from osler.adapters import (
    Borrowed,
    BorrowedModels,
    EndedEpisode,
    Generated,
    World,
    seated_model,
    why_unscored,
)
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.core.trace import Trace
from osler.errors import BadInput, InfrastructureFault, Status
from osler.models.config import Config as Models
from osler.models.faults import ModelAnswerError
from osler.models.open_models import Models as Opened
from osler.models.types import CompletionRequest, Message, Output
from osler.players.seating import model_player
from osler.testing.endpoint import FakeEndpoint
from tests.adapters.framework import PROTOCOLS, framework, saying

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
REQUEST = CompletionRequest(
    messages=(Message(role="user", text="Count."),),
    output=Output(name="count", json_schema=SCHEMA),
    once=True,
)


def hashes(trace: Trace) -> list[tuple[str, str, str]]:
    """The request and events of each exchange. The words that the fake endpoint fills fields with depend on
    the bytes it is sent, which differ between clients."""
    return [(row.seat, row.request, row.events) for row in trace.rows]


def configured(base_url: str) -> Models:
    """The fake endpoint as one of `osler.toml`."""
    return Models.model_validate({"endpoints": {"fake": {"base_url": base_url, "model": "fake"}}})


async def natively(protocol: str, base_url: str, row: int) -> EndedEpisode:
    """The same seat played by the same model, as an endpoint of `osler.toml`."""
    world = World(PROTOCOLS[protocol])
    async with Opened(configured(base_url)) as models:
        case, seat = world.episode(row).case, world.config.plays.under_test
        asked = PlayerRequest(seat, case, "fake")
        player = model_player(asked, Seating(world.config, models))
        return await world.play(row, player)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_requests_and_events_are_those_of_the_same_model_as_an_endpoint(protocol: str) -> None:
    async def both() -> list[tuple[EndedEpisode, EndedEpisode]]:
        found = []
        async with FakeEndpoint() as endpoint, framework(endpoint.base_url) as generate:
            world = World(PROTOCOLS[protocol])
            for row in range(len(world)):
                native = await natively(protocol, endpoint.base_url, row)
                serving = configured(endpoint.base_url).endpoint("fake").serving
                client = Borrowed(generate, serving=serving)
                player = seated_model(world, world.episode(row).case, client, "fake")
                found.append((native, await world.play(row, player)))
        return found

    seat = PROTOCOLS[protocol].plays.under_test
    for native, lent in asyncio.run(both()):
        assert hashes(lent.trace) == hashes(native.trace)
        assert lent.trace.outcome.counts == native.trace.outcome.counts
        assert lent.trace.outcome.status is native.trace.outcome.status
        assert lent.key == native.key
        assert sum(row.seat == seat and row.reply != "null" for row in lent.trace.rows) > (
            protocol != "scenario"
        )


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("fault", ["500", "wrong-model", "reset", "truncated", "429"])
def test_an_exception_of_the_framework_stops_the_encounter_and_is_kept(protocol: str, fault: str) -> None:
    async def play() -> None:
        async with (
            FakeEndpoint(faults={"kinds": {fault: 1}}) as endpoint,
            framework(endpoint.base_url) as generate,
        ):
            world = World(PROTOCOLS[protocol])
            await world.play(0, seated_model(world, world.episode(0).case, Borrowed(generate)))

    with pytest.raises(InfrastructureFault) as caught:
        asyncio.run(play())
    assert isinstance(caught.value.__cause__, openai.APIError)


def test_a_connection_refused_stops_the_encounter() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"

        async def play() -> None:
            async with framework(nobody) as generate:
                world = World(PROTOCOLS["consultation"])
                await world.play(0, seated_model(world, world.episode(0).case, Borrowed(generate)))

        with pytest.raises(InfrastructureFault, match="APIConnectionError"):
            asyncio.run(play())


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("words", ["I would like to know more about the pain.", "{", " "])
def test_an_endpoint_whose_every_answer_is_unreadable_gives_no_score(protocol: str, words: str) -> None:
    world = World(PROTOCOLS[protocol])
    client = Borrowed(saying(lambda said, messages: words))
    played = asyncio.run(world.play(0, seated_model(world, world.episode(0).case, client)))
    assert played.trace.outcome.status is Status.INVALID_PLAY
    assert why_unscored(played.trace, world.config.plays.under_test)


def test_a_player_that_could_be_read_once_counts_as_wrong_as_it_does_at_home() -> None:
    def answer(said: int, messages: object) -> str:
        return '{"action": "ASK", "question": "Where is the pain?"}' if said == 0 else "More."

    world = World(PROTOCOLS["consultation"])
    played = asyncio.run(world.play(0, seated_model(world, world.episode(0).case, Borrowed(saying(answer)))))
    assert played.trace.outcome.status is Status.INVALID_PLAY
    assert why_unscored(played.trace, "doctor") == ""
    assert played.scores["correct"] == 0.0


def test_a_model_that_declines_in_words_counts_as_wrong_and_one_that_breaks_rules_too() -> None:
    for words in ("I'm sorry, but I can't provide medical advice.", '{"action": "DANCE"}'):
        world = World(PROTOCOLS["consultation"])
        client = Borrowed(saying(lambda said, messages, words=words: words))  # type: ignore[misc]
        played = asyncio.run(world.play(0, seated_model(world, world.episode(0).case, client)))
        assert played.trace.outcome.status is Status.INVALID_PLAY
        assert why_unscored(played.trace, "doctor") == ""


def test_a_framework_that_loses_the_schema_is_asked_with_it_in_the_prompt() -> None:
    asked: list[Mapping[str, bool]] = []

    def answer(said: int, messages: object) -> str:
        words = " ".join(one.text for one in messages)  # type: ignore[attr-defined]
        asked.append({"schema": "integer" in words})
        return '{"n": 3}' if "integer" in words else "Three."

    client = Borrowed(saying(answer))
    assert asyncio.run(client.complete(REQUEST)).parsed == {"n": 3}
    assert asyncio.run(client.complete(REQUEST)).rung == "text"
    assert [one["schema"] for one in asked] == [False, True, True]


@pytest.mark.parametrize(
    ("text", "finish", "reasoning", "kind"),
    [
        ("", "stop", None, "empty"),
        ("", "stop", "Well ...", "thought_only"),
        ("", "length", "Well ...", "length"),
        ('{"n": ', "length", None, "length"),
        ("anything", "content_filter", None, "filtered"),
        ("", None, None, "empty"),
    ],
)
def test_an_answer_that_is_none_is_the_models_own_fault(
    text: str, finish: str | None, reasoning: str | None, kind: str
) -> None:
    async def generate(*given: object) -> Generated:
        return Generated(text, finish, reasoning=reasoning)

    with pytest.raises(ModelAnswerError) as caught:
        asyncio.run(Borrowed(generate).complete(REQUEST))
    assert caught.value.kind == kind
    assert caught.value.attempts[-1].outcome == kind


def test_only_models_that_were_borrowed_can_be_named() -> None:
    models = BorrowedModels({"mine": Borrowed(saying(lambda said, messages: ""))})
    assert not models.has_eyes("mine")
    with pytest.raises(BadInput, match="known: mine"):
        models.client("yours")
