"""The stream of a real server as every kind of visitor, and its end when what allowed it is withdrawn."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest

from osler.core.source import Source
from osler.store import practice
from osler.store.store import open_store
from osler.testing.hostile_visitor import CANARIES, CASE, KINDS, Kind, leaks, revoke, scene
from osler.web.house import House
from osler.web.visitors import COOKIE
from osler.web.watch.hub import hub_of
from tests.attack.expected import TOPICS
from tests.web.conftest import serving

PATIENCE_S: Final = 60.0
SILENT: Final = ": nothing new"
SECOND: Final = "zqsecondqz"


class LiveScene(NamedTuple):
    """A scene that a real server goes on with."""

    house: House
    address: str
    places: dict[str, str]
    secrets: dict[Kind, str]
    ids: dict[Kind, str]

    def browser(self, who: Kind) -> httpx.Client:
        """The browser of a visitor."""
        cookie = {"cookie": f"{COOKIE}={secret}"} if (secret := self.secrets[who]) else {}
        return httpx.Client(base_url=self.address, headers={"origin": self.address, **cookie}, timeout=40)


@pytest.fixture(scope="module")
def live(
    tmp_path_factory: pytest.TempPathFactory, sources: dict[tuple[str, str], Source[Any]]
) -> Iterator[LiveScene]:
    path: Path = tmp_path_factory.mktemp("stream") / "osler.db"
    with open_store(path) as store:
        with scene(House(store, _sources=sources)) as made:
            secrets = {who: made.secret(who) for who in KINDS}
            ids = {who: made.visitor(who) for who in KINDS}
        house = House(store, _sources=sources, door=made.house.door)
        with serving(house) as address:
            yield LiveScene(house, address, made.places, secrets, ids)


@contextmanager
def listen(browser: httpx.Client, *topics: str) -> Iterator[Iterator[str]]:
    """The lines of an open stream."""
    with browser.stream("GET", "/api/stream", params={"topics": ",".join(topics)}) as answer:
        assert answer.status_code == 200, answer.read()
        yield answer.iter_lines()


@pytest.mark.parametrize("who", KINDS)
def test_each_visitor_hears_the_topics_that_the_table_says(who: Kind, live: LiveScene) -> None:
    wrong = []
    with live.browser(who) as browser:
        for topic, may in TOPICS.items():
            named = {"topics": topic.format_map(live.places)}
            with browser.stream("GET", "/api/stream", params=named) as answer:
                if (answer.status_code == 200) != (who in may):
                    wrong.append(f"{who} {'hears' if answer.status_code == 200 else 'hears not'} {topic}")
                elif answer.status_code != 200:
                    answer.read()
                    assert answer.status_code in (403, 404), topic
                    assert not leaks(answer), f"{topic}: {answer.text}"
    assert not wrong, "\n" + "\n".join(wrong)


def test_a_topic_that_is_refused_is_left_out_of_a_stream_of_several(live: LiveScene) -> None:
    allowed = f"run:{live.places['programs']}"
    refused = [one.format_map(live.places) for one, may in TOPICS.items() if "watcher" not in may]
    with live.browser("watcher") as browser, listen(browser, allowed, *refused) as lines:
        text = "\n".join(until(lines, lambda line: line.startswith(("data:", SILENT))))
    assert f'data: {{"topics": ["{allowed}"]}}' in text, "that run is done, so nothing more can come"


def test_withdrawing_permission_ends_the_streams_of_those_who_watch(live: LiveScene) -> None:
    """Finding 11."""
    with live.browser("other_learner") as learner, live.browser("watcher") as watcher:
        sitting = shared_sitting(learner)
        topic = f"episode:{run_of(live, sitting)}:0:doctor"
        with listen(watcher, topic) as lines:
            says(learner, sitting, CANARIES["words"])
            assert CANARIES["words"] in until(lines, lambda line: CANARIES["words"] in line)[-1]
            permit = learner.put(f"/api/sittings/{sitting}/permission", json={"uses": []})
            assert permit.status_code == 204
            says(learner, sitting, SECOND)
            rest = until(lines, lambda line: SECOND in line)
    assert SECOND not in "".join(rest), "the words arrived after the permission was withdrawn"
    assert rest.count(SILENT) < 2, "the stream stayed open"


def test_the_streams_of_a_visitor_who_is_revoked_end(live: LiveScene) -> None:
    """Finding 6."""
    room = live.places["other_room"]
    with live.browser("other_teacher") as teacher, live.browser("other_learner") as learner:
        with listen(teacher, f"room:{room}") as lines:
            begun = learner.post(f"/api/rooms/{room}/sittings", json={"case": "c1"})
            assert until(lines, lambda line: room in line and line.startswith("data:"))
            revoke(live.house, live.ids["other_teacher"])
            told = hub_of(live.house).count(f"room:{room}")  # what is on its way was sent before

            def is_later(line: str) -> bool:
                changed = re.search(r'"changed": "(\d+)"', line)
                return changed is not None and int(changed[1]) > told

            gone = learner.delete(f"/api/sittings/{begun.json()['sitting']}")
            assert gone.status_code == 204
            rest = until(lines, is_later)
        assert teacher.get("/api/me").json()["rights"] == []
    assert not [line for line in rest if is_later(line)], "the room was followed after that"
    assert rest.count(SILENT) < 2, "the stream stayed open"


def until(lines: Iterator[str], last: Callable[[str], bool]) -> list[str]:
    """The lines up to this one, the end of the stream, or its second silence."""
    heard = []
    for line in lines:
        heard.append(line)
        if last(line) or heard.count(SILENT) > 1:
            break
    return heard


def shared_sitting(learner: httpx.Client) -> str:
    """A new encounter, whose learner permits it to be shared until tomorrow."""
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%d")
    given = {"case": CASE, "uses": ["practice", "share"], "until": tomorrow, "pseudonym": "Wren"}
    begun = learner.post("/api/sittings", json=given)
    assert begun.status_code == 201, begun.text
    turn(learner, begun.json()["id"])
    return str(begun.json()["id"])


def turn(learner: httpx.Client, sitting: str) -> dict[str, Any]:
    """The state of a sitting, once it is the learner's turn."""
    until_ = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_:
        state: dict[str, Any] = learner.get(f"/api/sittings/{sitting}").json()
        if state["status"] == "yours":
            return state
    raise TimeoutError(state)


def says(learner: httpx.Client, sitting: str, words: str) -> None:
    """Ask the patient something."""
    ticket = turn(learner, sitting)["ticket"]
    move = {"action": "ASK", "question": f"Is it {words}?"}
    given = learner.post(f"/api/sittings/{sitting}/moves", json={"ticket": ticket, "move": move})
    assert given.status_code == 202, given.text


def run_of(live: LiveScene, sitting: str) -> str:
    """The name of a sitting's run."""
    taken = practice.sitting(live.house.store, sitting)
    assert taken is not None
    return live.house.store.info(taken.run).name
