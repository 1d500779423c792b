"""A call as a whole: what is sent, what comes back, what is tried again, and what a failure is called."""

from __future__ import annotations

import asyncio
import io
import json
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from osler.errors import InfrastructureFault
from osler.models.budget import Ledger
from osler.models.calls import SERVERS_DEFAULT, call_of
from osler.models.faults import EndpointFault, Kind, ModelAnswerError
from osler.models.secret import Secret, sanitized
from osler.models.types import (
    TEMPERATURE,
    Completion,
    CompletionRequest,
    Image,
    Message,
    Sampled,
    Sampling,
)
from tests.models.endpoint import (
    KEY,
    Behaviour,
    Slept,
    answer_body,
    breaks_off,
    client_of,
    fails,
    hangs,
    request_of,
    resets,
    says,
    sends,
    serving,
)

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


def ask(*script: Behaviour, request: CompletionRequest | None = None, **settings: Any) -> Completion:
    """One completion against a script."""

    async def once() -> Completion:
        async with serving(*script) as served, client_of(served.url, **settings) as client:
            return await client.complete(request or request_of())

    return asyncio.run(once())


def test_an_answer_comes_back_with_all_that_the_endpoint_said_of_it() -> None:
    done = ask(says("It hurts.", reasoning_content="They ask where."))
    assert (done.text, done.parsed, done.finish_reason, done.model) == ("It hurts.", None, "stop", "tiny-2")
    assert done.reasoning == "They ask where."
    usage = done.usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (100, 20)
    assert (usage.cached_tokens, usage.reasoning_tokens) == (60, 5)
    assert [attempt.outcome for attempt in done.attempts] == ["ok"]
    assert done.latency_s > 0


def test_what_is_set_for_the_endpoint_stands_and_no_key_is_sent_twice() -> None:
    async def once() -> dict[str, Any]:
        extra = {"max_tokens": 48, "temperature": 0.7}
        async with serving(says("ok")) as served, client_of(served.url, extra=extra) as client:
            await client.complete(request_of("S", "U", sampling=Sampling(temperature=0.0, max_tokens=512)))
            return served.bodies[0]

    body = asyncio.run(once())
    assert (body["max_tokens"], body["temperature"]) == (48, 0.7)


def test_whoever_weighs_what_others_propose_has_a_temperature_of_its_own_where_one_is_set() -> None:
    async def both(**own: Any) -> list[Any]:
        extra = {"temperature": 0.8, "top_k": 5}
        async with serving(says("ok")) as served, client_of(served.url, extra=extra, **own) as client:
            for weighs in (False, True):
                await client.complete(request_of("S", "U", weighs=weighs))
            return [
                (body["temperature"], body["top_k"], "critic_temperature" in body) for body in served.bodies
            ]

    assert asyncio.run(both(critic_temperature=0.0)) == [(0.8, 5, False), (0.0, 5, False)]
    assert asyncio.run(both()) == [(0.8, 5, False)] * 2


def test_a_key_that_the_endpoint_echoes_is_struck_from_its_answer() -> None:
    async def once() -> Completion:
        echo = json.dumps(answer_body(f"You sent Bearer {KEY}.", reasoning_content=f"the key {KEY}"))
        async with serving(sends(echo)) as served, client_of(served.url) as client:
            return await client.complete(request_of())

    done = asyncio.run(once())
    assert done.text == "You sent Bearer [hidden]."
    assert done.reasoning == "the key [hidden]"
    assert KEY not in repr(done)


def test_only_what_was_set_is_sent() -> None:
    async def both() -> list[dict[str, Any]]:
        async with serving(says("ok")) as served, client_of(served.url, extra={"top_k": 5}) as client:
            await client.complete(request_of("S", "hé\ud800", sampling=Sampling(temperature=None)))
            sampling = Sampling(temperature=0.0, top_p=0.5, max_tokens=9, stop=("\n",))
            await client.complete(request_of("S", "U", sampling=sampling, seed=3, sample=2, seat="doctor"))
            assert served.headers[0]["Authorization"] == f"Bearer {KEY}"
            return served.bodies

    bare, full = asyncio.run(both())
    said = [{"role": "system", "content": "S"}, {"role": "user", "content": "hé\ufffd"}]
    assert bare == {"model": "tiny", "top_k": 5, "messages": said}
    drawn = {"temperature": 0.0, "top_p": 0.5, "max_tokens": 9, "stop": ["\n"], "seed": 3}
    assert {name: full[name] for name in drawn} == drawn
    assert full.keys() == bare.keys() | drawn.keys()


def test_a_temperature_is_sent_where_nobody_sets_one_and_an_endpoint_has_the_last_word() -> None:
    async def sent(**more: Any) -> Any:
        async with serving(says("ok")) as served, client_of(served.url, **more) as client:
            done = await client.complete(request_of("S", "U", seed=3))
            return served.bodies[0]["temperature"], done.attempts[-1].sampled

    assert asyncio.run(sent()) == (TEMPERATURE, Sampled(TEMPERATURE, None, 3))
    warm = {"temperature": 0.2, "top_p": 0.9}
    assert asyncio.run(sent(extra=warm)) == (0.2, Sampled(0.2, 0.9, 3))


def test_an_endpoint_without_temperatures_is_left_its_own_and_the_record_says_so() -> None:
    async def ask(*refusals: str, extra: dict[str, Any] | None = None) -> Any:
        refused = [fails(400, one) for one in refusals]
        async with (
            serving(*refused, says("ok")) as served,
            client_of(served.url, extra=extra or {}) as client,
        ):
            done = await client.complete(request_of("S", "U"))
            call = call_of("one", request_of("S", "U"), done)
            return [body.get("temperature") for body in served.bodies], call["sampling"]

    own = dict.fromkeys(("temperature", "top_p", "seed"), SERVERS_DEFAULT)
    refusal = "Unsupported value: 'temperature' does not support 0.7 with this model."
    assert asyncio.run(ask(refusal)) == ([TEMPERATURE, None], own)
    with pytest.raises(EndpointFault, match="temperature"):
        asyncio.run(ask(refusal, extra={"temperature": 0.7}))
    with pytest.raises(EndpointFault):  # the request is only repeated
        asyncio.run(ask('{"input": {"temperature": 0.7}} is not valid'))


def test_images_travel_under_their_true_type_even_when_large() -> None:
    picture = Image.of(PNG + bytes(2_000_000))
    request = CompletionRequest(messages=(Message(role="user", text="What is it?", images=(picture,)),))

    async def look() -> Any:
        async with serving(says("A hand.")) as served:
            async with client_of(served.url, capabilities={"images": True}) as client:
                await client.complete(request)
            return served.bodies[0]["messages"][0]["content"]

    text, image = asyncio.run(look())
    assert text == {"type": "text", "text": "What is it?"}
    assert image["image_url"]["url"] == f"data:image/png;base64,{picture.data}"
    with pytest.raises(EndpointFault, match="images"):
        ask(says("never sent"), request=request)


@pytest.mark.parametrize(
    "fault",
    [
        resets,
        breaks_off,
        fails(500),
        fails(502),
        fails(503),
        fails(429),
        fails(408),
        says(""),
        says(None),
        says([]),
        sends('{"choices": [{"mes'),
        sends(""),
        sends('{"error": {"code": 503, "message": "upstream is down"}}'),
    ],
)
def test_what_may_pass_is_tried_again_and_stands_in_the_record(fault: Behaviour) -> None:
    done = ask(fault, fault, says("Better now."))
    assert done.text == "Better now."
    assert [attempt.outcome == "ok" for attempt in done.attempts] == [False, False, True]


def test_a_time_out_is_tried_again() -> None:
    done = ask(hangs, says("Late."), timeout_s=0.15)
    assert [attempt.outcome for attempt in done.attempts] == ["timeout", "ok"]


INFRASTRUCTURE: list[tuple[Behaviour, Kind, int]] = [
    (resets, Kind.CONNECTION, 3),
    (breaks_off, Kind.TRUNCATED, 3),
    (fails(500), Kind.SERVER_ERROR, 3),
    (fails(429), Kind.RATE_LIMITED, 3),
    (fails(429, "slow down", Retry_After="3600"), Kind.RATE_LIMITED, 1),
    (fails(429, "no credit", "insufficient_quota"), Kind.QUOTA, 1),
    (fails(402), Kind.QUOTA, 1),
    (fails(401, f"Incorrect API key provided: {KEY}."), Kind.AUTH, 1),
    (fails(403), Kind.AUTH, 1),
    (fails(404, "The model `tiny` does not exist", "model_not_found"), Kind.WRONG_MODEL, 1),
    (fails(400, "tiny is not a valid model ID"), Kind.WRONG_MODEL, 1),
    (sends("404 page not found", 404), Kind.WRONG_ADDRESS, 1),
    (sends("", 307, Location="http://elsewhere.invalid/"), Kind.WRONG_ADDRESS, 1),
    (fails(400, "unknown field top_k"), Kind.BAD_REQUEST, 1),
    (sends("<html>Welcome to our proxy</html>"), Kind.BAD_BODY, 1),
    (sends('{"object": "list"}'), Kind.BAD_BODY, 1),
]


@pytest.mark.parametrize(("fault", "kind", "tries"), INFRASTRUCTURE)
def test_what_the_endpoint_does_wrong_pauses_the_run(fault: Behaviour, kind: Kind, tries: int) -> None:
    async def count() -> tuple[EndpointFault, int]:
        async with serving(fault) as served, client_of(served.url) as client:
            with pytest.raises(EndpointFault) as caught:
                await client.complete(request_of())
            return caught.value, len(served.bodies)

    error, sent = asyncio.run(count())
    assert isinstance(error, InfrastructureFault)
    assert (error.kind, sent) == (kind, tries)
    assert "endpoint tiny" in str(error)


OWN: list[tuple[Behaviour, Kind]] = [
    (says(None, refusal="I will not."), Kind.REFUSED),
    (says("", finish="content_filter"), Kind.FILTERED),
    (fails(400, "The response was filtered", "content_filter"), Kind.FILTERED),
    (fails(400, "This model's maximum context length is 4096 tokens"), Kind.TOO_LONG),
    (says("", finish="length", reasoning_content="hm"), Kind.LENGTH),
    (says("  "), Kind.EMPTY),
]


@pytest.mark.parametrize(("fault", "kind"), OWN)
def test_what_the_model_does_wrong_is_an_invalid_attempt_with_its_record(
    fault: Behaviour, kind: Kind
) -> None:
    with pytest.raises(ModelAnswerError) as caught:
        ask(fault)
    assert caught.value.kind == kind
    assert not isinstance(caught.value, InfrastructureFault)
    assert {attempt.outcome for attempt in caught.value.attempts} == {kind}


def test_a_dead_address_and_an_unknown_host_are_connection_faults() -> None:
    async def reach(url: str) -> Kind:
        async with client_of(url) as client:
            with pytest.raises(EndpointFault) as caught:
                await client.complete(request_of())
            return caught.value.kind

    assert asyncio.run(reach("http://127.0.0.1:1/v1")) == Kind.CONNECTION
    assert asyncio.run(reach("http://nowhere.invalid/v1")) == Kind.CONNECTION


def test_waits_grow_jittered_and_an_endpoint_that_names_a_time_is_not_asked_before() -> None:
    slept = Slept()
    ask(fails(500), fails(500), fails(500), fails(429, Retry_After="7"), says("ok"), tries=5, slept=slept)
    free, asked = slept.seconds[:3], slept.seconds[3]
    assert all(0 <= wait <= 0.5 * 2**n for n, wait in enumerate(free))
    assert 7 <= asked <= 7 + 4
    again = Slept()
    ask(fails(500), fails(500), fails(500), fails(429, Retry_After="7"), says("ok"), tries=5, slept=again)
    assert again.seconds == slept.seconds


def test_an_open_breaker_sends_nothing_more() -> None:
    async def burn() -> int:
        async with serving(fails(500)) as served, client_of(served.url, breaker_after=2) as client:
            kinds = []
            for _ in range(4):
                with pytest.raises(EndpointFault) as caught:
                    await client.complete(request_of())
                kinds.append(caught.value.kind)
            assert kinds == [Kind.SERVER_ERROR] * 2 + [Kind.BREAKER_OPEN] * 2
            return len(served.bodies)

    assert asyncio.run(burn()) == 2 * 3


def test_a_model_that_answers_badly_does_not_open_the_breaker() -> None:
    async def refuse() -> None:
        async with serving(says(None, refusal="No.")) as served, client_of(served.url) as client:
            for _ in range(5):
                with pytest.raises(ModelAnswerError):
                    await client.complete(request_of())
            assert not client.breaker.open

    asyncio.run(refuse())


@pytest.mark.parametrize("fault", [case[0] for case in INFRASTRUCTURE] + [case[0] for case in OWN])
def test_no_error_and_no_record_of_one_shows_the_key(
    fault: Behaviour, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> str:
        async with serving(fault) as served, client_of(served.url, breaker_after=9) as client:
            with pytest.raises((EndpointFault, ModelAnswerError)) as caught:
                await client.complete(request_of())
            error, shown = caught.value, io.StringIO()
            traceback.print_exception(error, file=shown)
            assert error.__context__ is None, "the network library's errors hold the headers"
            return shown.getvalue() + repr(error) + repr(vars(error)) + repr(vars(client))

    with caplog.at_level(0):
        shown = asyncio.run(fail())
    assert KEY not in shown + caplog.text
    assert KEY[8:20] not in shown + caplog.text


def test_an_error_repeats_little_of_what_the_endpoint_said() -> None:
    long = "Secret-looking 4f" + "A1b2C3d4" * 8 + " and\nthen \x1b[31mred \u202e text " + "word " * 200
    with pytest.raises(EndpointFault) as caught:
        ask(fails(400, long))
    text = str(caught.value)
    assert "A1b2C3d4" not in text
    assert "\x1b" not in text
    assert "\n" not in text
    assert len(text) < 400


@pytest.mark.parametrize("write", [repr, str, "{}".format, lambda key: f"{key!r}"])
def test_a_key_has_no_readable_face(write: Callable[[Secret], str]) -> None:
    assert KEY not in write(Secret(KEY))
    with pytest.raises(TypeError):
        pickle.dumps(Secret(KEY))


@pytest.mark.parametrize("key", ["two words", "qu'ote=", "EMPTY", "kurzundknapp", "0123456789abcdef0123"])
def test_no_words_of_others_hold_the_key_or_a_part_of_it(key: str) -> None:
    parts = [key, f"({key})", f"{key[:8]}...{key[-4:]}" if len(key) > 14 else key]
    for part in parts:
        cleaned = sanitized(f"the key {part} is wrong for model-x", Secret(key))
        assert part.strip("()") not in cleaned
        assert cleaned.endswith("is wrong for model-x")


def test_no_more_requests_are_in_flight_than_allowed_and_none_is_lost() -> None:
    async def crowd() -> None:
        async def slow(request: Any) -> Any:
            await asyncio.sleep(0.005)
            return await says("ok")(request)

        async with serving(slow) as served, client_of(served.url, max_in_flight=4) as client:
            done = await asyncio.gather(*(client.complete(request_of("S", str(n))) for n in range(40)))
            assert {one.text for one in done} == {"ok"}
            assert served.most_in_flight <= 4
            assert len(served.bodies) == 40
            assert client.limiter.in_flight == 0

    asyncio.run(crowd())


def test_a_cancelled_call_gives_its_slot_back_and_is_counted() -> None:
    async def leave() -> None:
        async with serving(hangs) as served, client_of(served.url, max_in_flight=1) as client:
            calls = [asyncio.create_task(client.complete(request_of())) for _ in range(3)]
            await served.asked.wait()
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            assert client.limiter.in_flight == 0
            assert client.ledger.total.failed == 1

    asyncio.run(leave())


def test_vectors_come_back_in_order_whatever_the_order_of_the_answer() -> None:
    rows = [{"index": 1, "embedding": [3, 4]}, {"index": 0, "embedding": [1.5, 2]}]
    ledger = Ledger()

    async def embed(body: str) -> list[list[float]]:
        async with serving(sends(body)) as served, client_of(served.url, ledger=ledger) as client:
            return await client.embed(["a", "b"])

    import_body = f'{{"data": {rows}, "usage": {{"prompt_tokens": 8}}}}'.replace("'", '"')
    assert asyncio.run(embed(import_body)) == [[1.5, 2.0], [3.0, 4.0]]
    assert (ledger.total.prompt_tokens, ledger.total.unreported) == (8, 0)
    with pytest.raises(EndpointFault, match="1 vectors for 2"):
        asyncio.run(embed('{"data": [{"index": 0, "embedding": [1]}]}'))


def test_content_in_parts_and_half_a_character_are_read() -> None:
    assert (
        ask(says([{"type": "text", "text": "It "}, {"type": "text", "text": "hurts."}])).text == "It hurts."
    )
    assert ask(says("ouch \ud800")).text == "ouch \ufffd"


def test_unknown_tokens_stay_unknown() -> None:
    for usage in (None, {}, {"prompt_tokens": "7", "completion_tokens": -1, "prompt_tokens_details": None}):
        assert set(ask(says("ok", usage=usage)).usage) == {None}
    assert answer_body("x")["usage"]["prompt_tokens"] == 100
