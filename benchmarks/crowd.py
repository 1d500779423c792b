"""Fifty slow visitors beside one who plays a consultation: how much longer do that one's moves take?

    python benchmarks/crowd.py [--moves 40] [--visitors 50] [--rounds 2] [--json]

A real `osler serve --share` in a process of its own, the crowd in another, all at one address. One learner
plays a consultation, a move a second, alone and beside the crowd. The crowd does what a visitor may do to be
slow, as fast as it is allowed: headers and bodies half sent, streams that nobody reads, learners who ask the
longest questions, ward rounds, scenarios with the most actions, and `again`. What is printed is the time from
a move to one's own next turn, and its 95th percentile beside the crowd over that alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

QUESTIONS: Final = (
    "When did it start?",
    "Has it changed since then?",
    "Have you felt sick?",
    "Do you take any medicines?",
    "Are you allergic to anything?",
    "Do you smoke?",
    "Have you had any operations?",
    "What do you do for a living?",
    "Does anything run in the family?",
    "Have you been abroad lately?",
)
WORDS: Final = (
    "where when how long does the pain fever cough breath chest belly head back leg swelling smoke drink"
    " alcohol medicine allergy operation father mother work travel sleep weight appetite worse better night"
    " morning sudden slow sharp dull did you ever have had any do your and or since after before with"
).split()
LONGEST: Final = 4000
WARMS_UP_S: Final = 20.0
KINDS: Final = ("headers", "bodies", "streams", "texts", "rounds", "actions", "again")


def served(folder: str) -> tuple[subprocess.Popen[str], str, str]:
    """Start a shared server; its process, its address, and the token of its teacher's link."""
    command = [sys.executable, "-m", "osler.cli.main", "serve", "--share", "--until", "2035-01-01"]
    command += ["--store", str(Path(folder) / "osler.db"), "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    return process, str(told["url"]).rstrip("/"), str(told["links"]["teacher"]).partition("#")[2]


class Learner:
    """Somebody with a browser of their own."""

    def __init__(self, url: str) -> None:
        limits = httpx.Limits(max_connections=4)
        self.client = httpx.AsyncClient(base_url=url, headers={"origin": url}, timeout=120, limits=limits)

    async def joins(self, code: str, name: str) -> None:
        """Join a room, which is the way in."""
        answer = await self.post(f"/api/join/{code}", {"pseudonym": name, "uses": ["practice"]})
        answer.raise_for_status()

    async def post(self, path: str, body: object) -> httpx.Response:
        """Post, and wait where the server asks for that."""
        while True:
            answer = await self.client.post(path, json=body)
            if answer.status_code not in (429, 503):
                return answer
            await asyncio.sleep(float(answer.headers.get("retry-after", "1")))

    async def sits(self, protocol: str, case: str, seat: str = "") -> str:
        """Begin a sitting."""
        answer = await self.post("/api/sittings", {"protocol": protocol, "case": case, "seat": seat})
        answer.raise_for_status()
        return str(answer.json()["id"])

    async def turn(self, sitting: str, every_s: float = 1.0) -> dict[str, Any]:
        """The state once it is one's turn, or nothing happens any more."""
        while True:
            state: dict[str, Any] = (await self.client.get(f"/api/sittings/{sitting}")).json()
            if state.get("status") not in ("starting", "thinking"):
                return state
            await asyncio.sleep(every_s)

    async def next_turn(self, sitting: str, ticket: str, changed: asyncio.Event) -> dict[str, Any]:
        """The state at one's next turn, looked at whenever the sitting changes."""
        while True:
            await changed.wait()
            changed.clear()
            state: dict[str, Any] = (await self.client.get(f"/api/sittings/{sitting}")).json()
            if state["status"] not in ("starting", "thinking") and state["ticket"] != ticket:
                return state

    async def move(self, sitting: str, state: dict[str, Any], move: object) -> httpx.Response:
        """Reply to the open question."""
        return await self.post(f"/api/sittings/{sitting}/moves", {"ticket": state["ticket"], "move": move})


async def plays(url: str, code: str, case: str, moves: int, name: str) -> list[float]:
    """Play a consultation, a move a second; the seconds from each move to one's own next turn."""
    learner, took = Learner(url), []
    await learner.joins(code, name)
    for first in range(0, moves, len(QUESTIONS)):  # a consultation has so many turns
        sitting = await learner.sits("consultation", case)
        state = await learner.turn(sitting)
        async with listening(learner, sitting) as changed:
            for n, question in enumerate(QUESTIONS[: moves - first], start=first):
                begun = time.perf_counter()
                move = {"action": "ASK", "question": f"{question} ({n})"}
                changed.clear()
                answer = await learner.move(sitting, state, move)
                assert answer.status_code == 202, answer.text
                state = await learner.next_turn(sitting, state["ticket"], changed)
                took.append(time.perf_counter() - begun)
                await asyncio.sleep(max(0.0, 1.0 - took[-1]))
        await learner.move(sitting, state, FINALIZE)
    await learner.client.aclose()
    return took


@asynccontextmanager
async def listening(learner: Learner, sitting: str) -> AsyncIterator[asyncio.Event]:
    """Meanwhile, an event that is set whenever the sitting changes, as a browser's page hears of it."""
    changed, opened = asyncio.Event(), asyncio.Event()

    async def listen() -> None:
        topics = {"topics": f"sitting:{sitting}"}
        async with learner.client.stream("GET", "/api/stream", params=topics, timeout=None) as stream:
            async for line in stream.aiter_lines():
                opened.set()
                if line.startswith("data:"):
                    changed.set()

    task = asyncio.create_task(listen())
    try:
        await opened.wait()
        yield changed
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class Crowd:
    """The slow visitors, and what they achieved by kind."""

    def __init__(self, url: str, code: str, cases: dict[str, list[str]]) -> None:
        self._url, self._code, self._cases = url, code, cases
        self._random = random.Random(7)
        self.done = dict.fromkeys(KINDS, 0)

    async def come(self, number: int) -> None:
        """As many visitors, of all kinds, until cancelled."""
        await asyncio.gather(*(self._one(kind, n) for n, kind in zip(range(number), cycle(KINDS))))

    async def _one(self, kind: str, n: int) -> None:
        learner = Learner(self._url)
        if kind not in ("headers", "bodies"):
            await learner.joins(self._code, f"{kind} {n}")
        while True:
            try:
                await getattr(self, f"_{kind}")(learner, n)
            except (OSError, httpx.HTTPError, KeyError, json.JSONDecodeError):
                await asyncio.sleep(0.5)

    async def _held(self, lines: int, text: bytes, kind: str) -> None:
        where = urlsplit(self._url)
        held = []
        for _ in range(lines):
            _, writer = await asyncio.open_connection(where.hostname, where.port)
            writer.write(text)
            held.append(writer)
            self.done[kind] += 1
        await asyncio.sleep(5)
        for writer in held:
            writer.close()

    async def _headers(self, learner: Learner, n: int) -> None:
        await self._held(20, b"GET /api/me HTTP/1.1\r\n", "headers")

    async def _bodies(self, learner: Learner, n: int) -> None:
        host = urlsplit(self._url).netloc.encode()
        head = b"POST /api/enter HTTP/1.1\r\nHost: " + host + b"\r\nOrigin: " + self._url.encode()
        await self._held(
            10, head + b"\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{", "bodies"
        )

    async def _streams(self, learner: Learner, n: int) -> None:
        sitting = await learner.sits("consultation", self._cases["consultation"][0])
        cookie = "; ".join(f"{key}={value}" for key, value in learner.client.cookies.items()).encode()
        host = urlsplit(self._url).netloc.encode()
        asked = b"GET /api/stream?topics=sitting:" + sitting.encode() + b" HTTP/1.1\r\nHost: " + host
        await self._held(20, asked + b"\r\nCookie: " + cookie + b"\r\n\r\n", "streams")
        await learner.post(f"/api/sittings/{sitting}/moves", {"ticket": "0.0", "move": FINALIZE})

    async def _texts(self, learner: Learner, n: int) -> None:
        sitting = await learner.sits("consultation", self._cases["consultation"][n % 30])
        for _ in range(15):
            state = await learner.turn(sitting)
            if state["status"] != "yours":
                break
            await learner.move(sitting, state, {"action": "ASK", "question": self._text(LONGEST)})
            self.done["texts"] += 1
        await learner.move(sitting, await learner.turn(sitting), FINALIZE)

    async def _actions(self, learner: Learner, n: int) -> None:
        sitting = await learner.sits("scenario", self._cases["scenario"][n % 10])
        for _ in range(15):
            state = await learner.turn(sitting)
            if state["status"] != "yours":
                return
            actions = [self._text(1000) for _ in range(40)]
            answer = await learner.move(sitting, state, {"speak": self._text(8000), "actions": actions})
            if answer.status_code != 202:
                await learner.move(sitting, state, {"actions": ["nothing"], "eos": True})
            self.done["actions"] += answer.status_code == 202

    async def _rounds(self, learner: Learner, n: int) -> None:
        sitting = await learner.sits("ward_round", self._cases["ward_round"][n % 30], "tutor")
        while (state := await learner.turn(sitting))["status"] == "yours":
            schema = state["wanted"]["reply"]
            move: dict[str, Any] = (
                {"guidance": self._text(LONGEST)} if "guidance" in schema["properties"] else {}
            )
            answer = await learner.move(sitting, state, move)
            if answer.status_code != 202:
                await learner.client.delete(f"/api/sittings/{sitting}")
                return
            self.done["rounds"] += 1

    async def _again(self, learner: Learner, n: int) -> None:
        sitting = await learner.sits("consultation", self._cases["consultation"][n % 30])
        state = await learner.turn(sitting)
        await learner.move(sitting, state, {"action": "ASK", "question": self._text(LONGEST)})
        await learner.move(sitting, await learner.turn(sitting), FINALIZE)
        while True:
            answer = await learner.post(f"/api/sittings/{sitting}/again", {"keep": 1})
            if answer.status_code != 201:
                return
            self.done["again"] += 1
            state = await learner.turn(answer.json()["id"])
            if state["status"] == "yours":
                await learner.move(answer.json()["id"], state, FINALIZE)

    def _text(self, letters: int) -> str:
        words: list[str] = []
        while sum(map(len, words)) + len(words) < letters - 12:
            words.append(self._random.choice(WORDS))
        return " ".join(words)[: letters - 2]


FINALIZE: Final = {"action": "FINALIZE", "diagnosis": "angina"}


async def prepared(url: str, token: str) -> tuple[str, dict[str, list[str]]]:
    """Open a room by which learners come in; its code, and the cases of each protocol."""
    teacher = Learner(url)
    (await teacher.post("/api/enter", {"token": token})).raise_for_status()
    shelf = (await teacher.client.get("/api/shelf")).json()["cases"]
    plan = {"name": "crowd", "cases": [{"case": "cardiology-01"}]}
    room = await teacher.post("/api/rooms", plan)
    room.raise_for_status()
    cases: dict[str, list[str]] = {}
    for one in shelf:
        cases.setdefault(one["protocol"], []).append(one["id"])
    await teacher.client.aclose()
    return str(room.json()["code"]), cases


def crowd(url: str, code: str, cases: dict[str, list[str]], number: int) -> None:
    """Be the crowd, until killed; tell each second what was achieved."""

    async def come() -> None:
        there = Crowd(url, code, cases)
        coming = asyncio.create_task(there.come(number))
        while not coming.done():
            await asyncio.sleep(1)
            print(json.dumps(there.done), flush=True)
        await coming

    with suppress(KeyboardInterrupt):
        asyncio.run(come())


def share(values: list[float], of: float) -> float:
    """A quantile in milliseconds."""
    ordered = sorted(values)
    return 1000 * ordered[min(len(ordered) - 1, int(of * len(ordered)))]


def measured(url: str, token: str, given: argparse.Namespace) -> dict[str, Any]:
    """Play alone and beside the crowd, in turn."""
    code, cases = asyncio.run(prepared(url, token))
    time.sleep(WARMS_UP_S)  # a server reads its cases when it starts
    asyncio.run(plays(url, code, cases["consultation"][1], 5, "warms up"))
    times: dict[str, list[float]] = {"alone": [], "beside": []}
    done: dict[str, int] = {}
    for n in range(given.rounds):
        times["alone"] += asyncio.run(plays(url, code, cases["consultation"][0], given.moves, f"alone {n}"))
        command = [sys.executable, __file__, "--crowd", json.dumps([url, code, cases, given.visitors])]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        time.sleep(10)  # they have come in and sat down
        times["beside"] += asyncio.run(plays(url, code, cases["consultation"][0], given.moves, f"beside {n}"))
        process.kill()
        told = process.communicate()[0].splitlines()
        done = {kind: done.get(kind, 0) + count for kind, count in json.loads(told[-1]).items()}
        time.sleep(5)
    found: dict[str, Any] = {"visitors": given.visitors, "moves": len(times["alone"]), "done": done}
    for name, each in times.items():
        found[name] = {"p50_ms": round(share(each, 0.5), 1), "p95_ms": round(share(each, 0.95), 1)}
    found["ratio_p95"] = round(share(times["beside"], 0.95) / share(times["alone"], 0.95), 2)
    found["load"] = round(os.getloadavg()[0], 1)
    return found


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=40)
    parser.add_argument("--visitors", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--crowd", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.crowd:
        crowd(*json.loads(given.crowd))
        return
    with tempfile.TemporaryDirectory() as folder:
        process, url, token = served(folder)
        try:
            found = measured(url, token, given)
        finally:
            process.terminate()
            process.wait(timeout=60)
    if given.json:
        print(json.dumps(found))
        return
    print(f"what the crowd of {found['visitors']} did: {found['done']}")
    for name in ("alone", "beside"):
        print(f"{name}: p50 {found[name]['p50_ms']} ms, p95 {found[name]['p95_ms']} ms")
    print(f"p95 beside over alone: {found['ratio_p95']} (load {found['load']} on {os.cpu_count()} cores)")


if __name__ == "__main__":
    main()
