"""The endpoint on the wire: every fault is a real one, and nothing a client sends brings it down."""

from __future__ import annotations

import asyncio
import base64
import json
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest

from osler.errors import BadInput
from osler.testing import endpoint as module
from osler.testing.endpoint import FakeEndpoint, running
from tests.testing.schemas import CONTRACTS, body_of, chat, content_of

T = TypeVar("T")
REQUEST = chat("You are a patient.", "Any pain?")
Answer = tuple[int, Mapping[str, str], str]


@asynccontextmanager
async def talking(endpoint: FakeEndpoint) -> AsyncIterator[Callable[..., Awaitable[Answer]]]:
    """`post(request, path)` against a running endpoint, by a client of so many seconds' patience."""
    async with endpoint, aiohttp.ClientSession() as session:

        async def post(
            body: object = REQUEST, path: str = "/chat/completions", patience: float = 20
        ) -> Answer:
            data = BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
            limit = aiohttp.ClientTimeout(total=patience)
            async with session.post(endpoint.base_url + path, data=data, timeout=limit) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                return response.status, headers, await response.text()

        yield post


def once(
    endpoint: FakeEndpoint, body: object = REQUEST, path: str = "/chat/completions", **more: float
) -> Answer:
    async def go() -> Answer:
        async with talking(endpoint) as post:
            return await post(body, path, **more)

    return asyncio.run(go())


def failing(kind: str, **more: object) -> FakeEndpoint:
    return FakeEndpoint(faults={"rate": 1, "kinds": {kind: 1}, **more})


async def raw(endpoint: FakeEndpoint, *sent: bytes, answers: int) -> bytes:
    """Send bytes as they are; read until `answers` answers have begun or the other side closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", endpoint.port)
    for part in sent:
        writer.write(part)
        await writer.drain()
    got = b""
    while got.count(b"HTTP/1.1 ") < answers or not got.endswith(b"}"):
        if not (more := await asyncio.wait_for(reader.read(65536), 5)):
            break
        got += more
    writer.close()
    return got


def framed(body: bytes, path: str = "/v1/chat/completions", more: str = "") -> bytes:
    return f"POST {path} HTTP/1.1\r\nHost: x\r\ncontent-length: {len(body)}\r\n{more}\r\n".encode() + body


# Faults


def test_a_timeout_never_answers() -> None:
    with pytest.raises(TimeoutError):
        once(failing("timeout"), patience=0.2)


def test_a_reset_is_a_reset_by_the_peer() -> None:
    with pytest.raises((ConnectionResetError, aiohttp.ClientOSError)) as caught:
        once(failing("reset"))
    assert "reset" in str(caught.value).lower()


def test_a_truncated_answer_ends_before_its_stated_length() -> None:
    with pytest.raises(aiohttp.ClientPayloadError):
        once(failing("truncated"))


@pytest.mark.parametrize(("kind", "status"), [("429", 429), ("500", 500), ("503", 503), ("wrong-model", 404)])
def test_a_status_fault_has_its_status(kind: str, status: int) -> None:
    got, headers, _ = once(failing(kind))
    assert got == status
    assert "retry-after" not in headers


def test_a_proxy_says_503_in_html_and_a_wrong_model_has_its_code() -> None:
    assert once(failing("503"))[2].startswith("<html>")
    assert json.loads(once(failing("wrong-model"))[2])["error"]["code"] == "model_not_found"


def test_429_with_retry_after_says_when() -> None:
    status, headers, _ = once(failing("429-retry-after", retry_after_s=7))
    assert (status, headers["retry-after"]) == (429, "7")


def test_empty_refused_and_filtered_answers_are_answers_of_no_words() -> None:
    choices = {
        kind: json.loads(once(failing(kind))[2])["choices"][0] for kind in ("empty", "refused", "filtered")
    }
    assert choices["empty"]["message"]["content"] == ""
    assert choices["refused"]["message"]["content"] is None
    assert choices["refused"]["message"]["refusal"]
    assert choices["filtered"]["finish_reason"] == "content_filter"


def test_bad_json_does_not_parse_and_a_schema_violation_parses_but_does_not_fit() -> None:
    for seat, contract in CONTRACTS.items():
        request = chat("Go.", "Now.", schema=contract.reply.json_schema())
        with pytest.raises(json.JSONDecodeError):
            json.loads(content_of(json.loads(once(failing("bad-json"), request)[2])))
        said = content_of(json.loads(once(failing("schema-violation"), request)[2]))
        assert json.loads(said), seat
        with pytest.raises(ValueError, match="validation error"):
            contract.reply.validate_json(said)


def test_another_model_answers_in_its_own_name() -> None:
    assert json.loads(once(failing("other-model"))[2])["model"] != REQUEST["model"]


def test_a_slow_body_arrives_in_drips_and_whole_to_those_who_wait() -> None:
    async def go() -> list[bytes]:
        async with failing("slow-body", slow_body_s=0.05) as endpoint, aiohttp.ClientSession() as session:
            url = endpoint.base_url + "/chat/completions"
            async with session.post(url, json=REQUEST) as response:
                return [chunk async for chunk in response.content.iter_any()]

    chunks = asyncio.run(go())
    assert len(chunks) > 1
    assert json.loads(b"".join(chunks))["object"] == "chat.completion"
    with pytest.raises(TimeoutError):
        once(failing("slow-body", slow_body_s=60), patience=0.2)


def test_the_same_requests_fare_the_same_again_and_are_counted() -> None:
    plan = {"seed": 3, "rate": 0.5, "kinds": {"500": 1, "429": 1, "empty": 2}}

    async def go() -> tuple[list[tuple[int, str]], Any]:
        endpoint = FakeEndpoint(faults=plan)
        async with talking(endpoint) as post:
            fates = []
            for i in range(30):
                status, _, text = await post(chat("You are a patient.", f"Question {i // 3}?"))
                fates.append((status, text))
            return fates, endpoint.stats

    first, stats = asyncio.run(go())
    second, _ = asyncio.run(go())
    assert first == second
    assert {status for status, _ in first} == {200, 429, 500}
    assert (
        sum(stats["faults"].values()) + stats["seats"]["patient"]["requests"] - stats["faults"]["empty"] == 30
    )
    assert stats["requests"] == 30


def test_lost_answers_are_in_nobodys_usage() -> None:
    async def go() -> Any:
        endpoint = failing("truncated", until=1)
        async with talking(endpoint) as post:
            with pytest.raises(aiohttp.ClientPayloadError):
                await post()
            await post()
            return endpoint.stats

    stats = asyncio.run(go())
    assert (stats["requests"], stats["answers"]["requests"]) == (2, 1)


# Answers


def test_a_script_answers_before_the_template_and_may_refuse_a_format() -> None:
    script: list[Mapping[str, object]] = [
        {"match": {"format": "json_schema"}, "status": 400, "reply": "no response_format here"},
        {
            "match": {"contains": "pain"},
            "reply": "It hurts.",
            "usage": {"prompt_tokens": 7},
            "finish_reason": "x",
        },
        {"match": {"contains": "nothing"}, "reply": None},
    ]

    async def go() -> list[Answer]:
        async with talking(FakeEndpoint(script=script)) as post:
            said = (REQUEST, chat("s", "nothing"), chat("s", "u", schema={"type": "string"}), chat("s", "u"))
            return [await post(request) for request in said]

    scripted, nothing, refused, templated = asyncio.run(go())
    answer = json.loads(scripted[2])
    assert content_of(answer) == "It hurts."
    assert (answer["usage"]["prompt_tokens"], answer["choices"][0]["finish_reason"]) == (7, "x")
    assert json.loads(nothing[2])["choices"][0]["message"]["content"] is None
    assert refused[0] == 400
    assert "no response_format here" in refused[2]
    assert content_of(json.loads(templated[2]))


def test_a_slower_answer_comes_later_and_holds_up_nobody_else() -> None:
    script: list[Mapping[str, object]] = [{"match": {"contains": "slow"}, "delay_ms": 400}]

    async def go() -> tuple[list[str], Any]:
        order: list[str] = []
        endpoint = FakeEndpoint(latency_s=0.01, script=script)
        async with talking(endpoint) as post:

            async def say(what: str) -> None:
                await post(chat("s", what))
                order.append(what)

            await asyncio.gather(say("slow"), *(say(f"quick {i}") for i in range(9)))
            return order, endpoint.stats["peak_in_flight"]

    order, peak = asyncio.run(go())
    assert order[-1] == "slow"
    assert peak > 1


def test_embeddings_are_alike_where_words_are_shared_and_come_packed_on_request() -> None:
    texts = ["chest pain since morning", "pain in the chest", "itchy rash"]

    async def go() -> list[list[Any]]:
        async with talking(FakeEndpoint()) as post:
            answers = []
            for more in ({}, {"encoding_format": "base64"}):
                request = {"model": "e", "input": texts, "dimensions": 256, **more}
                _, _, text = await post(request, "/embeddings")
                answers.append([item["embedding"] for item in json.loads(text)["data"]])
            return answers

    plain, packed = asyncio.run(go())

    def likeness(a: list[float], b: list[float]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True))

    assert likeness(plain[0], plain[1]) > likeness(plain[0], plain[2])
    assert struct.unpack("<256f", base64.b64decode(packed[0])) == pytest.approx(plain[0])


def test_models_stats_and_reset() -> None:
    async def go() -> tuple[Any, Any, Any]:
        endpoint = FakeEndpoint()
        async with talking(endpoint) as post, aiohttp.ClientSession() as session:
            await post()
            answers = []
            for path in ("/v1/models", "/stats"):
                async with session.get(f"http://127.0.0.1:{endpoint.port}{path}") as response:
                    answers.append(await response.json())
            await post(path="/reset")
            return *answers, endpoint.stats

    models, before, after = asyncio.run(go())
    assert models["data"][0]["id"] == "fake-model"
    assert before["requests_per_model"] == {"fake-model": 1}
    assert before["last_prompt_tokens"] == [before["answers"]["prompt_tokens"]]
    assert after["requests"] == 0


# The wire


def test_a_connection_is_kept_and_requests_sent_together_are_answered_in_order() -> None:
    """Three requests in one write, cut anywhere; the first is the slowest."""
    script: list[Mapping[str, object]] = [{"match": {"contains": "0"}, "delay_ms": 30}]
    sent = b"".join(framed(body_of(chat("s", str(i), model=f"model-{i}"))) for i in range(3))

    async def go(cut: int) -> bytes:
        async with FakeEndpoint(script=script) as endpoint:
            return await raw(endpoint, sent[:cut], sent[cut:], answers=3)

    for cut in (1, 40, 150, len(sent) - 1):
        got = asyncio.run(go(cut))
        assert [part.split(b'"')[0] for part in got.split(b'"model":"')[1:]] == [
            b"model-0",
            b"model-1",
            b"model-2",
        ]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"not json", 400),
        (b"\xff\xfe", 400),
        (b"[]", 400),
        (b"[" * 100_000, 400),
        (body_of({"messages": []}), 400),
        (body_of({"model": "m", "messages": []}), 400),
        (body_of({"model": "m", "messages": "hello"}), 400),
        (body_of({"model": "m", "messages": [{"content": "no role"}]}), 400),
        (body_of({"model": "m", "messages": [{"role": "user", "content": 7}]}), 400),
        (body_of({"model": "m", "messages": [{"role": "user", "content": [7]}]}), 400),
        (body_of(chat("s", "u", stream=True)), 400),
        (body_of(chat("s", "u", response_format={"type": "grammar"})), 400),
        (body_of(chat("s", "u", response_format={"type": "json_schema"})), 400),
        (body_of(chat("s", "u", schema={"$ref": "#"})), 400),
        (body_of(chat("s", "u", schema={"type": "integer", "minimum": 1, "multipleOf": 1e-320})), 400),
        (body_of(chat("half a character: \ud800", "u")), 400),
        (body_of(chat('By {"properties": {"x": false}, "required": ["x"]}', "u")), 200),
        (body_of(chat("s", "u", tools=[], seed=1, temperature=0, user="x", unknown={})), 200),
    ],
)
def test_a_malformed_request_is_refused_and_the_next_one_served(body: bytes, status: int) -> None:
    async def go() -> tuple[Answer, Answer]:
        async with talking(FakeEndpoint()) as post:
            return await post(body), await post()

    first, second = asyncio.run(go())
    assert first[0] == status
    if status == 400:
        assert json.loads(first[2])["error"]["message"]
    assert second[0] == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / SPDY/9\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"400"),
        (b"POST /v1/models HTTP/1.1\r\ncontent-length: -5\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 20_000, b"400"),
        (b"GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n", b"404"),
        (b"GET /v1/chat/completions?a=b HTTP/1.1\r\nhost: x\r\n\r\n", b"405"),
    ],
)
def test_what_is_no_request_is_answered_in_kind(sent: bytes, status: bytes) -> None:
    async def go() -> tuple[bytes, int]:
        async with FakeEndpoint() as endpoint:
            got = await raw(endpoint, sent, answers=1)
            async with (
                aiohttp.ClientSession() as client,
                client.get(endpoint.base_url + "/models") as response,
            ):
                return got, response.status

    got, after = asyncio.run(go())
    assert got.split(b" ")[1] == status
    assert after == 200


def test_clients_that_wait_to_be_told_to_go_on_or_close_after_one_are_served() -> None:
    async def go() -> bytes:
        async with FakeEndpoint() as endpoint:
            more = "expect: 100-continue\r\nconnection: close\r\n"
            return await raw(endpoint, framed(body_of(REQUEST), more=more), answers=3)

    got = asyncio.run(go())
    assert got.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")


def test_five_megabytes_of_images_are_nothing_special() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 1_000_000}}
    content = [{"type": "text", "text": "What is this?"}, *[image] * 5]
    request = {"model": "m", "messages": [{"role": "user", "content": content}]}
    status, _, text = once(FakeEndpoint(), request)
    assert status == 200
    assert 5 * 700 < json.loads(text)["usage"]["prompt_tokens"] < 5 * 1000


def test_leaving_ends_what_was_still_waiting() -> None:
    async def go() -> Any:
        async with FakeEndpoint(latency_s=60) as endpoint:
            reader, writer = await asyncio.open_connection("127.0.0.1", endpoint.port)
            writer.write(framed(body_of(REQUEST), more="expect: 100-continue\r\n"))
            await reader.readuntil(b"\r\n\r\n")
            assert endpoint.stats["requests"] == 1
        assert await reader.read() == b""
        writer.close()
        endpoint.reset()  # the peak begins anew at what is in flight now
        return endpoint.stats["peak_in_flight"]

    assert asyncio.run(go()) == 0


# A process of its own


def test_it_runs_as_a_process_that_says_where_and_is_always_stopped() -> None:
    async def post(url: str) -> int:
        async with aiohttp.ClientSession() as session, session.post(url, json=REQUEST) as response:
            return response.status

    faults: Mapping[str, object] = {"rate": 1, "kinds": {"500": 1}, "until": 1}
    script: list[Mapping[str, object]] = [{"match": {}, "reply": None}]
    with running(faults=faults, script=script) as base_url:
        assert base_url.startswith("http://127.0.0.1:")
        url = base_url + "/chat/completions"
        assert [asyncio.run(post(url)) for _ in range(2)] == [500, 200]
    with pytest.raises(aiohttp.ClientConnectionError):
        asyncio.run(post(url))


def test_a_plan_or_a_port_that_cannot_be_used_ends_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('{"rate": 2}')
    assert module.main(["--faults", str(plan)]) == 1
    assert "rate" in capsys.readouterr().err
    assert module.main(["--port", "99999999"]) == 1
    assert "port 99999999" in capsys.readouterr().err
    with pytest.raises(BadInput), running(port=99999999):
        pass


def test_a_process_ends_with_its_owner() -> None:
    command = [sys.executable, "-m", "osler.testing.endpoint", "--with-parent"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert json.loads(process.stdout.readline())["port"]
        process.stdin.close()
        assert process.wait(timeout=30) == 0
