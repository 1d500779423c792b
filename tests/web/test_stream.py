"""The one stream of a tab: over a real server, with another process writing to the same store."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from osler.protocols.scenario.config import ScenarioConfig
from osler.runs import run as runs
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.web.house import House
from osler.web.watch import stream as streaming
from osler.web.watch.hub import Hub, Signals, hub_of
from osler.web.watch.log import log
from tests.protocols.scenario.playing import SMALL
from tests.store.conftest import url as url
from tests.web.conftest import serving

ROOT: Final = Path(__file__).parents[2]
CONFIG: Final = ScenarioConfig(cases=str(SMALL), repeats=2)
PLAYS: Final = """
import json, sys
from osler.runs import run as runs
from osler.store import writer
from osler.store.store import open_store
writer.AUTO_FLUSH_ROWS = 1
for line in sys.stdin:
    url, name = json.loads(line)
    with open_store(url) as store:
        sitting = runs.play(store.run(name), store, concurrency=1)
    print(sitting.status, flush=True)
"""
"""Another process that plays the runs it is told to, committing every exchange by itself."""


class Said(dict[str, Any]):
    """One message of a stream: its fields by name, and its data."""

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self["data"])
        return found


@contextmanager
def stream(address: str, *topics: str, last: str = "") -> Iterator[Iterator[Said]]:
    """The messages of a stream as they come, until it ends; the comment lines are left out."""
    headers = {"last-event-id": last} if last else {}
    given = {"topics": ",".join(topics)}
    with (
        httpx.Client(timeout=20) as client,
        client.stream("GET", f"{address}/api/stream", params=given, headers=headers) as answer,
    ):
        answer.read() if answer.status_code != 200 else None
        assert answer.status_code == 200, answer.text
        yield _messages(answer.iter_lines())


def _messages(lines: Iterator[str]) -> Iterator[Said]:
    fields = Said()
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        else:
            if "data" in fields:
                yield fields
            fields = Said()


@pytest.fixture(scope="module")
def other() -> Iterator[subprocess.Popen[str]]:
    """Another process, which waits for runs to play."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", PLAYS]
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield process
        process.communicate(timeout=60)


@contextmanager
def playing(other: subprocess.Popen[str], url: str, run: RunInfo) -> Iterator[None]:
    """Meanwhile, the other process plays a run."""
    assert other.stdin
    assert other.stdout
    other.stdin.write(json.dumps([url, run.name]) + "\n")
    other.stdin.flush()
    yield
    assert other.stdout.readline().strip() == "done"


@pytest.fixture
def opened(url: str) -> Iterator[Store]:
    with open_store(url) as store:
        yield store


def test_what_another_process_plays_arrives_item_by_item_and_then_the_stream_ends(
    opened: Store, url: str, other: subprocess.Popen[str]
) -> None:
    run = runs.begin(CONFIG, opened)
    views = ("doctor", "patient", "all")
    episodes = [f"episode:{run.name}:0:{view}" for view in views]
    arrived: dict[str, list[dict[str, Any]]] = {topic: [] for topic in episodes}
    counters: list[tuple[int, str]] = []
    with serving(House(opened)) as address, stream(address, *episodes, f"run:{run.name}") as messages:
        with playing(other, url, run):
            for message in messages:
                if message.get("event") == "end":
                    break
                data = message.data
                if data["topic"] in arrived:
                    arrived[data["topic"]] += data["items"]
                else:
                    counters.append((data["done"], data["status"]))
        assert next(messages, None) is None, "the server closes a stream that has ended"
    for view, topic in zip(views, episodes, strict=True):
        whole = [item.model_dump(mode="json") for item in log(opened, run, 0, view).items]
        assert arrived[topic] == whole
    assert counters[-1] == (2, "done")


def test_a_stream_that_breaks_goes_on_where_it_stood(opened: Store, url: str) -> None:
    """After each exchange the connection is lost, and what is written meanwhile must not be."""
    one = CONFIG.model_copy(update={"repeats": 1})
    played = runs.play(runs.begin(one, opened), opened).run
    row, trace, _ = opened.record(played.id, 0)
    run = runs.begin(one, opened)
    topic = f"episode:{run.name}:0:all"
    ids, last = list[str](), json.dumps({topic: "0.0/0"})

    def listen() -> None:
        nonlocal last
        with stream(address, topic, last=last) as messages:
            message = next(messages)
            last = message["id"]
            ids.extend(item["id"] for item in message.data["items"])

    # The store opened again is to the server what another process is.
    with serving(House(opened)) as address, open_store(url) as elsewhere:
        for exchange in trace.rows:
            with elsewhere.writer(run.id) as writer:
                writer.exchange(0, exchange)
            listen()
        with elsewhere.writer(run.id) as writer:
            writer.end(0, row.key, row.case_hash, row.case_id, trace.outcome)
        listen()
    assert ids == [item.id for item in log(opened, run, 0, "all").items], "nothing lost, nothing twice"
    assert len(ids) == len(trace.events) + len(trace.rows)


def test_what_this_process_plays_is_told_too(opened: Store) -> None:
    run = runs.begin(CONFIG.model_copy(update={"repeats": 1}), opened)
    topic = f"episode:{run.name}:0:room"
    with serving(House(opened)) as address, stream(address, topic) as messages:
        runs.play(run, opened)
        found = [one.data for one in messages]
    assert found[-1] == {"topics": [topic]}
    assert [item["id"] for one in found[:-1] for item in one["items"]] == [
        item.id for item in log(opened, run, 0, "room").items
    ]


def test_a_signal_says_only_that_something_changed_whoever_gives_it(house: House) -> None:
    hub = hub_of(house)
    Signals(hub, "note", lambda visitor, name: name != "another's")
    with serving(house) as address:
        with stream(address, "note:mine", "note:another's") as messages:
            hub.changed("note:another's")
            hub.changed("note:mine")
            first = next(messages)
            assert set(first.data) == {"topic", "changed"}
            assert first.data["topic"] == "note:mine"
        hub.changed("note:mine")
        with stream(address, "note:mine", last=first["id"]) as messages:
            assert next(messages).data["changed"] != first.data["changed"], "what was missed is told"
        refused = httpx.get(f"{address}/api/stream", params={"topics": "note:another's"})
        assert refused.status_code == 403


def test_a_cursor_that_leads_nowhere_is_reset(opened: Store) -> None:
    run = runs.begin(CONFIG, opened)
    topic = f"episode:{run.name}:0:doctor"
    with serving(House(opened)) as address:
        for cursor in ("9.1/0", "nonsense", "1.2/x"):
            with stream(address, topic, last=json.dumps({topic: cursor})) as messages:
                message = next(messages)
                assert message["event"] == "reset"
                assert message.data == {"topic": topic}


@pytest.mark.parametrize(
    "topics", ["", "weather:today", "episode:r:x:doctor", "episode:gone:0:doctor", "run:gone", "a:b," * 70]
)
def test_topics_that_do_not_exist_are_refused_in_words(house: House, topics: str) -> None:
    with serving(house) as address:
        answer = httpx.get(f"{address}/api/stream", params={"topics": topics})
        assert 400 <= answer.status_code < 500
        assert answer.json()["what"]


def test_a_silent_stream_is_kept_open_and_ends_with_the_server(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "SILENCE_S", 0.05)
    Signals(hub_of(house), "note", lambda visitor, name: True)
    with httpx.Client(timeout=20) as client:
        with serving(house) as address:
            asked = client.build_request("GET", f"{address}/api/stream", params={"topics": "note:1"})
            answer = client.send(asked, stream=True)
            lines = answer.iter_lines()
            assert next(lines) == "retry: 1000"
            assert [next(lines) for _ in range(3)] == ["", ": nothing new", ""]
        answer.close()


def test_streams_that_stand_at_the_same_place_share_one_reading() -> None:
    async def share() -> int:
        hub, read, go = Hub(), list[str](), threading.Event()

        class Slow:
            def may(self, visitor: Any, name: str) -> bool:
                return True

            def now(self, name: str) -> str:
                return "0"

            def since(self, name: str, cursor: str) -> Any:
                go.wait(5)
                read.append(cursor)
                return cursor

        hub.add("slow", Slow())
        asking = [asyncio.ensure_future(hub.since("slow:1", "0")) for _ in range(20)]
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(*asking)
        hub.close()
        return len(read)

    assert asyncio.run(share()) == 1


def test_a_sitting_tells_its_learner_when_its_state_has_changed(house: House) -> None:
    case = {"protocol": "scenario", "seat": ""}
    with serving(house) as address, httpx.Client(base_url=address, timeout=30) as client:
        here = {"origin": address}
        shelf = client.get("/api/shelf").json()
        one = next(each for each in shelf["cases"] if each["protocol"] == "scenario")
        sat = client.post("/api/sittings", json={**case, "case": one["id"]}, headers=here)
        assert sat.status_code == 201, sat.text
        id_ = sat.json()["id"]
        with stream(address, f"sitting:{id_}") as messages:
            state: dict[str, Any] = client.get(f"/api/sittings/{id_}").json()
            while state["status"] != "yours":
                assert next(messages).data["topic"] == f"sitting:{id_}"
                state = client.get(f"/api/sittings/{id_}").json()
            move = {"ticket": state["ticket"], "move": {"speak": "Hello."}}
            given = client.post(f"/api/sittings/{id_}/moves", json=move, headers=here)
            assert given.status_code == 202, given.text
            turn = state["turn"]
            while state["turn"] == turn or state["status"] != "yours":
                next(messages)
                state = client.get(f"/api/sittings/{id_}").json()
        assert state["turn"] == turn + 1
        stranger = client.get("/api/stream", params={"topics": "sitting:nobody's"})
        assert stranger.status_code == 403
