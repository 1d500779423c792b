"""The scene of the attack tests: the kit's own, a shared round beside it, and no processes for runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from osler.core.source import Source
from osler.store.store import open_store
from osler.testing.hostile_visitor import Kind, Scene, scene
from osler.web.evaluate.playing import Playing
from osler.web.house import House
from tests.web.conftest import house as house
from tests.web.conftest import shared as shared
from tests.web.conftest import sources as sources

Scenes = Callable[[], AbstractContextManager[Scene]]


@pytest.fixture(scope="session")
def scenes(tmp_path_factory: pytest.TempPathFactory, sources: dict[tuple[str, str], Source[Any]]) -> Scenes:
    """Sets a scene in a house over an empty store."""

    @contextmanager
    def opened() -> Iterator[Scene]:
        path: Path = tmp_path_factory.mktemp("attack") / "osler.db"
        with open_store(path) as store, scene(House(store, _sources=sources)) as made:
            yield made

    return opened


@pytest.fixture
def unplayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that are started are written, not played: tests/web/test_starting.py is about their processes."""
    monkeypatch.setattr(Playing, "play", lambda *given: None)


def add_circle(made: Scene) -> None:
    """Open another room of the teacher's, in which the learner sits in a shared round that goes on."""

    def expect(who: Kind, *given: Any) -> Any:
        return made.ask(who, *given).raise_for_status().json()

    shelf = expect("teacher", "GET", "/api/shelf")["cases"]
    case = next(one["id"] for one in shelf if one["protocol"] == "ward_round")
    plan = {
        "name": "circle",
        "cases": [{"protocol": "ward_round", "case": case}],
        "group": {"students": 1, "seats": ["tutor", "student_1"]},
    }
    room = expect("teacher", "POST", "/api/rooms", plan)
    pair: tuple[tuple[Kind, str, str], ...] = (("member", "Robin", "tutor"), ("owner", "Finch", "student_1"))
    for who, name, _ in pair:
        expect(who, "POST", f"/api/join/{room['code']}", {"pseudonym": name, "uses": []})
    for who, _, seat in pair:  # the round begins with the last seat
        expect(who, "POST", f"/api/rooms/{room['id']}/seat", {"group": 1, "seat": seat})
    groups = expect("owner", "GET", f"/api/rooms/{room['id']}/groups")["groups"]
    state = expect("teacher", "GET", f"/api/rooms/{room['id']}/state")
    named = {one["pseudonym"]: one["id"] for one in state["learners"]}
    made.places |= {
        "circle": room["id"],
        "group": "1",
        "circle_sitting": groups[0]["sitting"],
        "circle_learner": named["Finch"],
        "floor": "0",
        "key": "abcdef012345",
        "name": "no-result",
        "scale": "manager",
    }
