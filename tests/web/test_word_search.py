"""Words and failure tags for the browser: what a visitor finds, and what is not for them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest

from osler.core.factory import always
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.runs import run as runs
from osler.store.deletion import delete_words
from osler.store.permissions import grant
from osler.store.store import Store, open_store
from osler.web.door import IN_PROCESS
from osler.web.house import House
from osler.web.watch import seeing
from tests.web.conftest import calling
from tests.web.test_rights import come_in

PEOPLE = {"person": always(BaselineDoctor())}
HEART = "cardiology-01"


@pytest.fixture
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with a run of programs, and one in which a person sits."""
    with open_store(tmp_path_factory.mktemp("words") / "osler.db") as opened:
        for name, doctor in (("programs", "baseline"), ("talk", "person")):
            config = RunConfig(only=HEART, doctor=doctor, repeats=2)
            runs.play(runs.begin(config, opened, PEOPLE, name=name), opened, more=PEOPLE)
        yield opened


def asked(house: House, path: str, who: dict[str, str] | None = None, **params: Any) -> tuple[int, Any]:
    async def once() -> tuple[int, Any]:
        async with calling(house) as client:
            answer = await client.get(f"/api/{path}", params=params, headers=who or {})
            return answer.status_code, answer.json()

    return asyncio.run(once())


def found(house: House, who: dict[str, str] | None = None, **params: Any) -> set[str]:
    status, page = asked(house, "search", who, q='"left arm"', limit=100, **params)
    assert status == 200
    return {f"{hit['run']}:{hit['ordinal']}" for hit in page["items"]}


def shared(store: Store) -> House:
    house = House(store)
    house.door = IN_PROCESS._replace(until=time.time() + 3600)
    return house


def test_whoever_owns_the_machine_finds_everything(store: Store) -> None:
    house = House(store)
    assert found(house) == {"programs:0", "programs:1", "talk:0", "talk:1"}
    _, page = asked(house, "search", q='"LEFT arm"', run="talk", seat="patient")
    hit = page["items"][0]
    assert (hit["run"], hit["seat"], hit["exchange"] > 0, page["reading"]) == ("talk", "patient", True, False)
    assert "left arm" in [piece["text"] for piece in hit["passage"] if piece["marked"]]
    assert asked(house, "search", q="left", protocol="scenario")[1]["items"] == []
    status, refusal = asked(house, "search", q="left", seat="nosuch")
    assert status == 400
    assert "doctor" in str(refusal)
    first = asked(house, "search", q="the", limit=2)[1]
    then = asked(house, "search", q="the", limit=2, cursor=first["next"])[1]
    assert first["items"] != then["items"]


def test_a_visitor_finds_what_its_people_share_alone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    house = shared(store)
    watcher, learner = come_in(house, {"watch"}), come_in(house, {"learn"})
    assert found(house, watcher) == {"programs:0", "programs:1"}
    assert asked(house, "search", watcher, q="left", run="talk")[0] == 404
    assert asked(house, "search", learner, q="left")[0] == 403
    assert asked(house, "search", q="left")[0] in (401, 403)
    talk = store.run("talk")
    grant(store, talk.id, [1], ["share"], expires=time.time() + 3600)
    assert found(house, watcher) == {"programs:0", "programs:1", "talk:1"}
    with monkeypatch.context() as room:  # a room that has not released its debriefs
        room.setattr(seeing, "kept_back", lambda house, asking, runs: talk.id in runs)
        assert found(house, watcher) == {"programs:0", "programs:1"}
    assert found(house, watcher) == {"programs:0", "programs:1", "talk:1"}
    delete_words(store, talk.id, [0, 1])
    assert found(House(store)) == {"programs:0", "programs:1"}


@pytest.mark.parametrize("query", ['"', "* OR 1=1", "%", "é\u0301 \u202e", "x" * 500, '"a" NEAR("b")'])
def test_a_strange_query_is_answered(store: Store, query: str) -> None:
    assert asked(House(store), "search", q=query)[0] == 200


def test_episodes_are_filtered_by_what_went_wrong(store: Store) -> None:
    house = House(store)
    _, facets = asked(house, "runs/programs/failures")
    assert (facets["scored"], facets["unscored"], facets["too_many"]) == (2, 0, False)
    assert facets["tags"], "the built-in doctor misses something"
    tag = facets["tags"][0]
    _, page = asked(house, "runs/programs/episodes", failure=tag["name"])
    assert len(page["items"]) == page["total"] == tag["count"]
    assert all(line["failed_at"] > 0 and line["failed_why"] for line in page["items"])
    assert asked(house, "runs/programs/episodes", failure="given_away")[1]["items"] == []
    assert asked(house, "runs/programs/episodes")[1]["items"][0]["failed_at"] is None
    watcher = come_in(shared(store), {"watch"})
    assert asked(shared(store), "runs/talk/failures", watcher)[0] in (401, 403, 404)
