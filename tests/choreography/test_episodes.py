"""Choreographies of whole episodes: the library of every protocol, and stored random ones."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.choreography.cues import Spoken, ViewedEvent
from osler.choreography.director import Director, direct
from osler.choreography.floors import Lane
from osler.choreography.scene import Choreography
from osler.choreography.shared import EVENTS as SHARED
from osler.cli.main import app
from osler.cli.scenes import storyboard_lines
from osler.core.events import EVENTS
from osler.core.registry import OURS, protocol_named
from osler.runs import run as runs
from osler.store.export import export_run
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.lookups import Place
from osler.web.watch.log import log
from osler.web.watch.scenes import choreography, staging_of, told_of
from osler.web.watch.seats import seats_of
from tests.choreography.instant import Timeline
from tests.choreography.valid import check

PROTOCOLS = ("consultation", "ward_round", "scenario")


def played(store: Store, protocol: str, **fields: Any) -> RunInfo:
    config = protocol_named(protocol).config(**fields)
    source = runs.opened(config)
    run = runs.begin(config, store, source=source)
    found: RunInfo = runs.play(run, store, source=source).run
    return found


def told(store: Store, run: RunInfo, n: int, view: str) -> list[ViewedEvent]:
    return told_of(log(store, run, n, view).items)


def made_of(protocol: str, items: list[ViewedEvent], view: str = "all") -> Choreography:
    return direct(items, "key", view, staging_of(protocol_named(protocol)))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("limit", [2, pytest.param(None, marks=pytest.mark.slow)])
def test_every_case_of_the_library_gives_a_valid_choreography_in_every_view(
    store: Store, protocol: str, limit: int | None
) -> None:
    run, plays = played(store, protocol, limit=limit), protocol_named(protocol)
    for row in store.episodes(run.id):
        seats = seats_of(store, Place(run, row.ordinal, None), plays)
        for view in (*seats, "room", "all"):
            items = told(store, run, row.ordinal, view)
            found = made_of(protocol, items, view)
            check(found, items)
            assert json.dumps(found.as_json()) == json.dumps(made_of(protocol, items, view).as_json())
            assert all("unknown" not in scene.kind for scene in found.scenes)


PLAYERS: Mapping[str, tuple[str, Sequence[str]]] = {
    "consultation": (
        "doctor",
        ("baseline", "parrot", "null", "oracle", "python:osler.testing.players:RandomDoctor"),
    ),
    "ward_round": ("tutor", ("socratic", "lecturer", "announcer", "silent")),
    "scenario": ("examinee", ("baseline", "null", "oracle", "repeat-everything")),
}


@pytest.mark.slow
def test_a_thousand_random_episodes_give_valid_choreographies(store: Store) -> None:
    chance, n = random.Random(0), 0
    while n < 1000:
        protocol = chance.choice(PROTOCOLS)
        seat, players = PLAYERS[protocol]
        fields = {seat: chance.choice(players), "seed": chance.randrange(10_000)}
        run = played(store, protocol, **fields)
        for row in store.episodes(run.id):
            for view in ("doctor", "room", "all"):
                items = told(store, run, row.ordinal, view)
                check(made_of(protocol, items, view), items)
            n += 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_log_that_grows_gives_the_same_as_the_whole_log(store: Store, protocol: str) -> None:
    run = played(store, protocol, limit=1)
    items = told(store, run, 0, "all")
    whole = made_of(protocol, items)
    chance = random.Random(1)
    for _ in range(5):
        director, rest = Director("key", "all", staging_of(protocol_named(protocol))), items
        while rest:
            n = chance.randint(1, 9)
            director.add(rest[:n])
            before = director.made()
            assert whole.scenes[: len(before.scenes)] == before.scenes
            assert whole.bubbles[: len(before.bubbles)] == before.bubbles
            rest = rest[n:]
        assert director.made() == whole


def test_the_looks_are_drawn_by_the_key_and_the_rooms_are_those_of_the_lane(store: Store) -> None:
    run = played(store, "consultation", limit=1)
    items, staging = told(store, run, 0, "all"), staging_of(protocol_named("consultation"))
    found = [direct(items, str(key), "all", staging, lane=Lane(key % 2, 2)) for key in range(12)]
    for key, one in enumerate(found):
        used = {scene.where[-1] for scene in one.scenes if scene.where[-1].isdecimal()}
        assert used == {str(key % 2 + 1)}, "the examination corner is that of the consulting room"
    assert len({one.actors["patient"].figure for one in found}) > 6
    assert len({tuple(scene.kind for scene in one.scenes) for one in found}) == 1


@pytest.mark.slow
def test_a_consultation_is_watched_in_a_few_minutes(store: Store) -> None:
    run = played(store, "consultation")
    lengths = [
        choreography(store, run, row.ordinal, view).end
        for row in store.episodes(run.id)
        for view in ("doctor", "room", "all")
    ]
    assert len(lengths) == 90
    assert 20_000 < min(lengths) <= max(lengths) <= 180_000


def test_twenty_minutes_of_long_sentences_are_watched_in_about_three() -> None:
    items = [ViewedEvent("0.1", 0, 0, {"kind": "visit", "visit": 1})]
    for minute in range(20):
        for at, by in enumerate(("doctor", "patient"), 1):
            line = Spoken(by, "said", "and then " * 15, by)
            items.append(
                ViewedEvent(f"{minute}.{at}", minute, minute, {"kind": "said", "by": by}, lines=(line,))
            )
    assert 120_000 < made_of("consultation", items).end < 190_000


def test_every_kind_of_event_of_every_protocol_is_staged() -> None:
    stagings = {name: staging_of(protocol_named(name)) for name in PROTOCOLS}
    ours = {kind: one.__module__ for kind, one in EVENTS.kinds.items() if one.__module__.startswith("osler.")}
    assert len(ours) > 35
    unstaged = [name for name in OURS if protocol_named(name).staging is None]
    for kind, module in ours.items():
        if any(f".protocols.{name}." in module for name in unstaged):
            continue  # in one room, every line is spoken or noted
        own = [name for name in PROTOCOLS if f".protocols.{name}." in module]
        tables = [stagings[name].events for name in own] or [one.events for one in stagings.values()]
        assert kind in SHARED or any(kind in table for table in tables), kind


def test_a_long_wait_turns_the_clock_and_fills_the_hall() -> None:
    items = [
        ViewedEvent("0.1", 0, 0, {"kind": "visit", "visit": 1}),
        ViewedEvent("1.1", 1, 60, {"kind": "turn", "turn": 2}),
        ViewedEvent("2.1", 2, 8 * 24 * 60, {"kind": "visit", "visit": 2}),
    ]
    found = made_of("consultation", items)
    assert [one.text for one in found.captions if one.kind == "time"] == [
        "1 hour later",
        "7 days 23 hours later",
    ]
    waits, leaf = (one for one in found.captions if one.kind == "time")
    assert waits.t1 - waits.t0 <= 1500 >= leaf.t1 - leaf.t0
    timeline = Timeline(found)
    assert timeline.at(waits.t0).people["patient"].slot.startswith("seat-")
    assert timeline.at(leaf.t0).people["patient"].pose == "away"
    assert timeline.at(found.end).people["patient"].slot == "patient"


def test_a_patient_sent_for_a_picture_stays_until_they_are_spoken_to(store: Store) -> None:
    """The log has imaging and back in one minute: nobody could see it."""
    items = [
        ViewedEvent("0.1", 0, 0, {"kind": "visit", "visit": 1}),
        ViewedEvent("1.1", 1, 7, {"kind": "move", "who": "patient", "place": "imaging"}),
        ViewedEvent("1.2", 1, 7, {"kind": "move", "who": "patient", "place": "consulting room"}),
        ViewedEvent(
            "1.3",
            1,
            7,
            {"kind": "taken", "order": 1, "name": "X", "ready_minute": 37, "finding_kind": "image"},
        ),
        ViewedEvent("2.1", 2, 8, {"kind": "turn", "turn": 2}),
    ]
    found = made_of("consultation", items)
    assert Timeline(found).at(found.end).people["patient"].slot == "table"
    assert [scene.where for scene in found.scenes if scene.id == "1.3"] == ["Imaging"]
    assert [scene.seconds for scene in found.scenes if scene.kind == "move"] == [0, 0]
    assert found.slips[0].due == 37


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_event_that_nobody_knows_is_a_line_of_the_log(protocol: str) -> None:
    items = [ViewedEvent("0.1", 0, 3, {"kind": "teleported", "minute": 3, "to": []})]
    found = made_of(protocol, items)
    assert list(storyboard_lines(found))[-1].what == "teleported"
    assert found.scenes[-1].seconds == 0


def test_an_unknown_place_becomes_a_sign_in_the_corridor() -> None:
    items = [ViewedEvent("0.1", 0, 0, {"kind": "move", "who": "porter", "place": "the roof"})]
    found = made_of("scenario", items)
    assert [(one.kind, one.text) for one in found.captions] == [("sign", "the roof")]
    assert found.scenes[-1].where == "Corridor"


def test_an_instant_is_read_off_without_playing(store: Store) -> None:
    """500 events: an instant is a search, and says the same as the walks and bubbles do."""
    run = played(store, "consultation", limit=1)
    items = told(store, run, 0, "all")
    found = made_of("consultation", items)
    timeline = Timeline(found)
    for bubble in found.bubbles:
        assert bubble in timeline.at(bubble.t0).bubbles
        assert bubble not in timeline.at(bubble.t1).bubbles
    for actor in found.actors.values():
        for walk in actor.walks:
            name = next(who for who, one in found.actors.items() if one is actor)
            there = timeline.at(walk.t1).people[name]
            assert (there.x, there.y) == walk.points[-1] or walk.t1 in {one.t0 for one in actor.walks}


def test_the_storyboard_is_printed_and_read_by_programs(store: Store) -> None:
    run = played(store, "consultation", limit=1)
    url = f"sqlite:///{store.label.removeprefix('sqlite:///')}"
    told_ = CliRunner().invoke(app, ["show", f"{run.name}:0", "--scenes", "--json", "--store", url])
    assert told_.exit_code == 0, told_.output
    value = json.loads(told_.stdout)
    assert {"minute", "seconds", "who", "where", "what", "exchange"} <= set(value["scenes"][0])
    assert value["seconds"] == pytest.approx(sum(scene["seconds"] for scene in value["scenes"]))
    shown = CliRunner().invoke(app, ["show", f"{run.name}:0", "--scenes", "--store", url])
    assert "Waiting hall" in shown.stdout


def test_an_exported_episode_has_its_storyboard(store: Store, tmp_path: Path) -> None:
    run, out = played(store, "consultation", limit=2), tmp_path / "run.jsonl"
    export_run(store, run.id, out)
    for view in ("doctor", "room", "all"):
        answer = CliRunner().invoke(app, ["show", f"{out}:1", "--scenes", "--view", view, "--json"])
        assert answer.exit_code == 0, answer.output
        scenes, stored = json.loads(answer.stdout)["scenes"], choreography(store, run, 1, view).scenes
        assert [one["kind"] for one in scenes] == [one.kind for one in stored]
        assert [one["id"] for one in scenes] == [one.id for one in stored]
    wrong = CliRunner().invoke(app, ["show", f"{out}:9", "--scenes"])
    assert wrong.exit_code == 1
    assert "no episode 9" in wrong.output
