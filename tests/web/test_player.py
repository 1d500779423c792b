"""The transcript player as one file: it holds what its view holds, and runs no word of anybody."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.permitted import NotPermitted
from osler.core.registry import protocol_named
from osler.runs import branching
from osler.runs import run as runs
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.web.house import House
from osler.web.watch.log import log
from osler.web.watch.player import player_html
from osler.web.watch.scenes import choreography
from tests.web.conftest import calling

HOSTILE = "</script><img src=x onerror=alert(1)><!-- \u202e & <style>*{display:none}</style>"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(tmp_path_factory.mktemp("player") / "osler.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def run(store: Store) -> RunInfo:
    """An episode in which the doctor says something hostile."""
    config = protocol_named("consultation").config(limit=1)
    source = runs.opened(config)
    parent = runs.play(runs.begin(config, store, source=source), store, source=source).run
    branch = branching.branch(store, parent.id, 0, 4, say=HOSTILE)
    begun = branching.begin(branch, store, branch.config)
    return runs.play(begun, store, source=branch.source).run


def held(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.mark.parametrize("view", ["doctor", "patient", "room"])
def test_a_page_holds_exactly_what_its_view_holds(store: Store, run: RunInfo, view: str) -> None:
    data = held(player_html(store, run, 0, view).text)
    assert [one["name"] for one in data["views"]] == [view]
    shown = log(store, run, 0, view, picture=lambda id_: id_).items
    assert [item["id"] for item in data["views"][0]["items"]] == [item.id for item in shown]
    made = choreography(store, run, 0, view)
    assert [one["id"] for one in data["views"][0]["made"]["scenes"]] == [one.id for one in made.scenes]
    assert set(data["pictures"]) == {item.picture for item in shown if item.picture}


def test_a_view_holds_nothing_that_its_seat_was_not_told(store: Store, run: RunInfo) -> None:
    doctor, patient, room = (player_html(store, run, 0, view).text for view in ("doctor", "patient", "room"))
    assert "differential" in doctor
    assert "revealed_facts" not in doctor
    for page in (patient, room):
        assert "differential" not in json.dumps(held(page))
    assert "released" not in json.dumps(held(room))


def test_made_for_all_it_holds_the_four_views(store: Store, run: RunInfo) -> None:
    data = held(player_html(store, run, 0, "all").text)
    assert [one["name"] for one in data["views"]] == ["doctor", "patient", "room", "all"]
    marks = {item["mark"] for item in data["views"][3]["items"]}
    assert {"evidence", "end"} <= marks


def test_hostile_words_stay_data_and_only_our_script_may_run(store: Store, run: RunInfo) -> None:
    page = player_html(store, run, 0, "all")
    found = Elements(page.text)
    risky = [tag for tag, _ in found.tags if tag in ("script", "style", "img", "link", "iframe")]
    assert risky == ["style", "script", "script"]
    assert not [one for _, names in found.tags for one in names if one in ("src", "href", "style")]
    assert not [one for _, names in found.tags for one in names if one.startswith("on")]
    assert not found.comments
    assert found.ended, "no word of anybody ends an element early"
    words = json.dumps(held(page.text), ensure_ascii=False)
    assert "onerror=alert(1)" in words, "the words are there, as text"
    assert "\u202e" not in words, "what reorders text is made visible"
    assert "'unsafe" not in page.policy
    assert page.policy.startswith("default-src 'none'; script-src 'sha256-")
    assert f'content="{page.policy}"' in page.text
    assert len(page.text.encode()) < 1_500_000


class Elements(HTMLParser):
    """The elements of a page with the names of their attributes, as a browser reads it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[str]]] = []
        self.comments: list[str] = []
        self.ended = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, [name for name, _ in attrs]))

    def handle_endtag(self, tag: str) -> None:
        self.ended = tag == "html"

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def test_it_comes_as_a_file_with_the_same_policy(store: Store, run: RunInfo) -> None:
    policy = player_html(store, run, 0, "doctor").policy

    async def asked() -> None:
        async with calling(House(store)) as client:
            answer = await client.get(f"/api/episodes/{run.name}/0/player.html?view=doctor")
            assert answer.headers["content-security-policy"] == f"{policy}; sandbox allow-scripts"
            assert answer.headers["content-disposition"] == f'attachment; filename="{run.name}-0-doctor.html"'
            assert (await client.get(f"/api/episodes/{run.name}/0/player.html?view=x")).status_code == 400

    asyncio.run(asked())


def test_the_command_line_writes_it(store: Store, run: RunInfo, tmp_path: Path) -> None:
    out = tmp_path / "episode.html"
    given = ["show", f"{run.name}:0", "--player", str(out), "--view", "patient", "--store", store.label]
    answer = CliRunner().invoke(app, given)
    assert answer.exit_code == 0, answer.output
    assert out.read_text() == player_html(store, run, 0, "patient").text
    given = ["export", f"{run.name}:0", "--format", "page", "--out", str(out), "--store", store.label]
    answer = CliRunner().invoke(app, given)
    assert answer.exit_code == 0, answer.output
    assert out.read_text() == player_html(store, run, 0, "all").text
    answer = CliRunner().invoke(app, [*given, "--view", "nobody"])
    assert answer.exit_code == 1
    assert "there is no seat 'nobody'" in answer.output


@pytest.mark.parametrize(
    ("protocol", "views"),
    [
        ("ward_round", ["tutor", "patient", "room", "all"]),
        ("scenario", ["examinee", "patient", "room", "all"]),
    ],
)
def test_every_protocol_has_a_page(store: Store, protocol: str, views: list[str]) -> None:
    config = protocol_named(protocol).config(limit=1)
    source = runs.opened(config)
    run = runs.play(runs.begin(config, store, source=source), store, source=source).run
    data = held(player_html(store, run, 0, "all").text)
    assert [one["name"] for one in data["views"]] == views
    assert all(one["made"]["actors"] for one in data["views"])
    assert held(player_html(store, run, 0, "doctor").text)["views"][0]["name"] == views[0]


def test_a_persons_words_leave_in_no_file_unless_they_permit_it(store: Store) -> None:
    config = protocol_named("consultation").config(limit=1)
    source = runs.opened(config)
    begun = runs.begin(config, store, source=source, about={"people": ["doctor"]})
    run = runs.play(begun, store, source=source).run
    with pytest.raises(NotPermitted, match="share"):
        player_html(store, run, 0, "doctor")
