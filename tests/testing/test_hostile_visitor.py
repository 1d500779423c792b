"""The hostile visitor: the example of docs/examples finds its leak, and the scene is what it says."""

from __future__ import annotations

import runpy
from collections.abc import Iterator

import httpx
import pytest

from osler.store.store import open_store
from osler.testing.hostile_visitor import CANARIES, KINDS, Kind, Scene, leaks, scene
from osler.web.house import House
from tests.attack.expected import RIGHTS
from tests.test_readme import ROOT


def test_the_example_of_the_page_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "docs" / "examples" / "notes_route.py"))
    readers = ("watcher", "other_teacher", "teacher")
    marks = [f"{who} reads the {mark}" for who in readers for mark in ("diagnosis", "words")]
    assert capsys.readouterr().out.splitlines() == marks


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with open_store(tmp_path_factory.mktemp("scene") / "osler.db") as store, scene(House(store)) as made:
        yield made


@pytest.mark.parametrize("who", KINDS)
def test_each_visitor_has_the_rights_of_its_kind(who: Kind, visit: Scene) -> None:
    assert visit.ask(who, "GET", "/api/me").json()["rights"] == sorted(RIGHTS[who])


def test_every_place_of_the_scene_is_real(visit: Scene) -> None:
    assert all(visit.places.values()), visit.places
    mine = visit.ask("owner", "GET", "/api/sittings/{ended}")
    assert (mine.json()["status"], leaks(mine)) == ("ended", ["words", "diagnosis"])
    assert visit.ask("owner", "GET", "/api/sittings/{open}").json()["ticket"] == visit.places["ticket"]
    board = visit.ask("teacher", "GET", "/api/rooms/{room}/state").json()
    assert visit.places["learner"] in [one["id"] for one in board["learners"]]


def test_a_mark_is_found_in_bodies_and_headers_however_it_is_written() -> None:
    assert leaks(httpx.Response(200, text="nothing")) == []
    assert leaks(httpx.Response(404, json={"where": CANARIES["words"].upper()})) == ["words"]
    assert leaks(httpx.Response(200, headers={"x-room": f"a-{CANARIES['room']}-b.csv"})) == ["room"]
