"""The holes that a review scene by hand, each tried again as it was: here those of rights, rooms and files.

Finding 11 is in test_stream.py; what every operation answers is in test_operations.py.
"""

from __future__ import annotations

import io
import os
import resource
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import pytest
import segno
import sqlalchemy as sa
from typer.testing import CliRunner

from osler.cli.main import app as program
from osler.core.source import Source
from osler.store.rooms import Rooms
from osler.store.schema import metadata
from osler.store.store import Store, open_store
from osler.testing.hostile_visitor import CANARIES, CASE, Kind, Scene, leaks
from osler.web.door import door
from osler.web.house import House
from osler.web.serving import Server
from osler.web.visitors import COOKIE
from tests.attack.conftest import Scenes
from tests.web.conftest import ask, serving

OWN_WORD: Final = "zqownwordqz"
PATIENCE_S: Final = 30.0
HALF_SENT: Final = 1000
FILES: Final = 2 * HALF_SENT + 500
"""Open files that half-sent requests take in a process that is both their sender and the server."""


@pytest.fixture
def scene(scenes: Scenes) -> Iterator[Scene]:
    """A scene of one's own."""
    with scenes() as made:
        yield made


def expect(scene: Scene, who: Kind, method: str, path: str, body: object = None, status: int = 200) -> Any:
    """The JSON of an answer with this status."""
    answer = scene.ask(who, method, path, body)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def sits_alone(scene: Scene, who: Kind, **more: Any) -> str:
    """A new sitting outside rooms."""
    return str(expect(scene, who, "POST", "/api/sittings", {"case": CASE, **more}, 201)["id"])


def concludes(scene: Scene, who: Kind, sitting: str, words: str = "x") -> None:
    """Ask something, and end the encounter."""
    scene.moves(who, sitting, action="ASK", question=f"Is it {words}?")
    scene.moves(who, sitting, action="FINALIZE", diagnosis="x", plan=["x"], followup="x")


def tables_with(store: Store, words: str) -> list[str]:
    """The tables of a store that hold these words."""
    with store.connected() as connection:
        tables = {
            name: str([tuple(row) for row in connection.execute(sa.select(table))])
            for name, table in metadata.tables.items()
        }
    return [name for name, text in tables.items() if words in text]


@pytest.mark.parametrize("who", ["watcher", "other_teacher", "teacher"])
def test_marks_that_a_learner_keeps_are_in_no_run_and_no_list(who: Kind, scene: Scene) -> None:
    """Finding 5."""
    for listed in ("/api/runs?kind=practice", "/api/runs?limit=200", "/api/runs?q=person"):
        text = scene.ask(who, "GET", listed).text
        assert scene.places["run"] not in text
        assert scene.places["open_run"] not in text
    for part in ("", "/episodes", "/figures", "/facets"):
        for run in ("{run}", "{open_run}"):
            assert scene.ask(who, "GET", f"/api/runs/{run}{part}").status_code == 404, part
    refused = scene.ask(who, "GET", "/api/episodes/{run}/0")
    assert (refused.status_code, leaks(refused)) == (404, [])


@pytest.mark.parametrize("who", ["watcher", "other_teacher"])
def test_a_report_of_programs_says_nothing_of_people(who: Kind, scene: Scene) -> None:
    """Found by the sweep: it was refused with a learner's pseudonym while anybody's practice was stored."""
    report = scene.ask(who, "GET", "/api/reports/{programs}.html")
    assert (report.status_code, leaks(report)) == (200, [])


def test_a_cookie_has_a_new_secret_once_it_may_do_more(scene: Scene) -> None:
    """Finding 6."""
    old, token = scene.secret("owner"), scene.house.visitors.link({"teach", "learn"})
    expect(scene, "owner", "POST", "/api/enter", {"token": token})
    assert scene.secret("owner") != old
    assert "teach" in expect(scene, "owner", "GET", "/api/me")["rights"]
    assert not scene.house.visitors.who(old).may("teach"), "a copy of the old cookie has become a teacher"
    expect(scene, "owner", "GET", "/api/sittings/{open}")


def test_signing_out_ends_the_session(scene: Scene) -> None:
    """Finding 6."""
    secret = scene.secret("teacher")
    expect(scene, "teacher", "POST", "/api/sign-out", status=204)
    assert scene.house.visitors.who(secret).rights == frozenset()


def test_under_tls_the_cookie_is_the_hosts_own(shared: House) -> None:
    """Finding 6."""
    shared.door = door(80, ["osler.example"], until=shared.door.until)
    given = {"token": shared.visitors.link({"watch"})}
    headers = {"host": "osler.example", "origin": "https://osler.example"}
    cookie = ask(shared, "POST", "/api/enter", json=given, headers=headers).headers["set-cookie"]
    assert cookie.startswith(f"__Host-{COOKIE}=")
    assert "Secure" in cookie


def test_beginning_again_waits_while_the_teacher_holds_or_has_closed_the_room(scene: Scene) -> None:
    """Finding 7."""
    again = ("POST", "/api/sittings/{ended}/again", {"keep": 0})
    expect(scene, "teacher", "POST", "/api/rooms/{room}/hold", {"words": "stop"})
    assert scene.ask("owner", *again).status_code == 400
    expect(scene, "teacher", "POST", "/api/rooms/{room}/release", {})
    expect(scene, "teacher", "PATCH", "/api/rooms/{room}", {"open": False})
    assert scene.ask("owner", *again).status_code == 400
    expect(scene, "teacher", "PATCH", "/api/rooms/{room}", {"open": True})
    assert scene.ask("owner", *again).status_code == 201


@pytest.mark.parametrize("who", ["owner", "other_learner"])
def test_beginning_again_has_a_quota(who: Kind, scene: Scene) -> None:
    """Finding 7: in a room, and outside."""
    sitting = scene.places["ended"]
    if who == "other_learner":
        sitting = sits_alone(scene, who)
        concludes(scene, who, sitting)
    again = [scene.ask(who, "POST", f"/api/sittings/{sitting}/again", {"keep": 0}) for _ in range(15)]
    assert again[0].status_code == 201
    assert again[-1].status_code == 429


@pytest.mark.parametrize("share", [[], ["--share", "--until", "2100-01-01"]])
def test_a_name_for_others_needs_a_shared_server(
    share: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding 8: behind a proxy everybody would be the owner of the machine."""
    monkeypatch.setattr(Server, "run", lambda *given, **more: None)
    words = ["serve", "--port", "0", "--store", str(tmp_path / "osler.db"), "--host-name", "a.example"]
    done = CliRunner().invoke(program, [*words, *share])
    assert (done.exit_code == 0) == bool(share), done.output
    assert share or "--share" in done.output


def test_wrong_codes_of_a_stranger_lock_no_member_out(scene: Scene) -> None:
    """Finding 9: behind a proxy all of a class have one address."""
    for _ in range(25):
        guess = scene.ask("nobody", "GET", "/api/join/BBBBBB", address="10.9.9.9")
    assert guess.status_code == 429
    assert scene.ask("member", "GET", "/api/join/{code}", address="10.9.9.9").status_code == 200
    joined = {"pseudonym": "Robin", "uses": []}
    assert scene.ask("member", "POST", "/api/join/{code}", joined, address="10.9.9.9").status_code == 200


def test_half_sent_requests_of_one_address_stop_nobody_else(house: House) -> None:
    """Finding 10."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FILES:
        pytest.skip(f"this machine lets a process open {hard} files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, FILES), hard))
    try:
        with serving(house) as address, ExitStack() as held:
            where = urlsplit(address)
            assert where.hostname
            for _ in range(HALF_SENT):
                line = held.enter_context(socket.socket())
                line.bind(("127.0.0.2", 0))
                with suppress(ConnectionError):  # it may be refused, or cut off
                    line.connect((where.hostname, where.port))
                    line.sendall(b"GET /api/me HTTP/1.1\r\n")
            assert status_elsewhere(address) == 200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def status_elsewhere(address: str) -> int:
    """The status of an answer from somewhere else, as soon as it is a good one."""
    until = time.monotonic() + PATIENCE_S
    while (status := httpx.get(f"{address}/api/me").status_code) != 200 and time.monotonic() < until:
        time.sleep(0.2)
    return status


def test_a_case_that_is_held_back_is_not_practised_by_the_rooms_learners(scene: Scene) -> None:
    """Finding 12."""
    plan = {"name": "held", "cases": [{"case": "cardiology-02"}], "held_back": True}
    room = expect(scene, "teacher", "POST", "/api/rooms", plan, 201)
    shelf = expect(scene, "teacher", "GET", "/api/shelf")["cases"]
    title = room["cases"][0]["title"]
    (opaque,) = [one["id"] for one in shelf if one["title"] == title and one["protocol"] == "consultation"]
    expect(scene, "owner", "POST", f"/api/join/{room['code']}", {"pseudonym": "Finch", "uses": []})
    assert opaque not in scene.ask("owner", "GET", "/api/shelf").text
    for case in (opaque, "cardiology-02"):
        for seat in ("doctor", "patient"):
            begin = {"case": case, "seat": seat}
            assert scene.ask("owner", "POST", "/api/sittings", begin).status_code == 403, begin
    expect(scene, "owner", "POST", "/api/sittings", {"case": CASE}, 201)
    expect(scene, "other_learner", "POST", "/api/sittings", {"case": opaque}, 201)
    expect(scene, "teacher", "PATCH", f"/api/rooms/{room['id']}", {"held_back": False})
    expect(scene, "owner", "POST", "/api/sittings", {"case": opaque}, 201)


def test_an_encounter_is_deleted_with_what_was_begun_from_it(scene: Scene) -> None:
    """Finding 13."""
    who: Kind = "other_learner"
    first = sits_alone(scene, who)
    concludes(scene, who, first, OWN_WORD)
    again = expect(scene, who, "POST", f"/api/sittings/{first}/again", {"keep": 2}, 201)
    assert OWN_WORD in scene.ask(who, "GET", f"/api/sittings/{again['id']}").text
    expect(scene, who, "DELETE", f"/api/sittings/{first}", status=204)
    assert scene.ask(who, "GET", f"/api/sittings/{first}").status_code == 410
    assert tables_with(scene.house.store, OWN_WORD) == []


def test_the_qr_code_leads_to_the_address_of_the_proxy(
    scene: Scene, sources: dict[tuple[str, str], Source[Any]]
) -> None:
    """Finding 14."""
    store = scene.house.store
    there = door(8321, ["osler.example"], host="127.0.0.1", until=scene.house.door.until)
    headers = {"host": "osler.example", "cookie": f"{COOKIE}={scene.secret('teacher')}"}
    path = f"/api/rooms/{scene.places['room']}/qr.svg"
    drawn = ask(House(store, door=there, _sources=sources), "GET", path, headers=headers)
    row = Rooms(store).room(scene.places["room"])
    assert row is not None
    svg = io.BytesIO()
    link = f"https://osler.example/join/{row.code}"
    segno.make(link, error="m").save(svg, kind="svg", scale=8, border=4, dark="#000", light="#fff")
    assert drawn.content == svg.getvalue()


def test_a_link_on_another_site_replaces_no_cookie(house: House) -> None:
    """Finding 15: a browser sends no cookie with it, which is not to say that it has none."""
    navigation = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    followed = ask(house, "GET", "/", headers=navigation)
    assert followed.status_code == 200
    assert "set-cookie" not in followed.headers
    assert "set-cookie" in ask(house, "GET", "/", headers={"sec-fetch-site": "none"}).headers


def test_no_visitor_is_told_where_the_store_lies(scene: Scene) -> None:
    """Finding 17."""
    path = str(scene.house.store.engine.url.database)
    sitting = sits_alone(scene, "other_learner")
    at_once = scene.ask("other_learner", "POST", f"/api/sittings/{sitting}/again", {"keep": 0})
    assert (at_once.status_code, path in at_once.text) == (400, False), at_once.text
    for who in ("watcher", "other_teacher"):
        told = scene.ask(who, "GET", "/api/runs/{programs}")
        assert (told.status_code, path in told.text) == (200, False), told.text
        assert "osler.toml" not in told.text


@pytest.mark.parametrize("player", ["model:x+y:z", "model:x", "+", "model:", "baseline+baseline:"])
def test_a_substitute_that_there_is_not_is_refused_in_words(
    player: str, scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    """Finding 18."""
    release = {"players": {"patient": player}}
    answer = scene.ask("teacher", "POST", "/api/rooms/{room}/release", release)
    assert answer.status_code in (400, 403), answer.text
    assert "Traceback" not in caplog.text


def test_figures_end_with_the_encounter_they_are_of(scene: Scene) -> None:
    """Finding 19."""
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%d")
    permits = {"uses": ["practice", "share"], "until": tomorrow, "pseudonym": "Wren"}
    sitting = sits_alone(scene, "other_learner", **permits)
    concludes(scene, "other_learner", sitting)
    listed = expect(scene, "watcher", "GET", "/api/runs?kind=practice")["items"]
    (run,) = [
        one["name"] for one in listed if one["name"] not in (scene.places["run"], scene.places["open_run"])
    ]
    before = expect(scene, "watcher", "GET", f"/api/runs/{run}/figures")
    assert before["episodes"] == 1
    expect(scene, "watcher", "GET", f"/api/runs/{run}/facets")
    expect(scene, "other_learner", "DELETE", f"/api/sittings/{sitting}", status=204)
    figures = scene.ask("watcher", "GET", f"/api/runs/{run}/figures")
    assert figures.status_code == 404 or not any(one["n"] for one in figures.json()["measures"])
    facets = scene.ask("watcher", "GET", f"/api/runs/{run}/facets")
    assert facets.status_code == 404 or not facets.json()["scores"]


def test_whoever_leaves_a_room_leaves_no_pseudonym_there(scene: Scene) -> None:
    """Finding 19."""
    for sitting in ("{ended}", "{open}"):
        expect(scene, "owner", "DELETE", f"/api/sittings/{sitting}", status=204)
    expect(scene, "owner", "POST", "/api/rooms/{room}/leave", status=204)
    board = scene.ask("teacher", "GET", "/api/rooms/{room}/state")
    assert leaks(board) == []
    assert tables_with(scene.house.store, CANARIES["pseudonym"]) == []
    assert scene.ask("owner", "POST", "/api/rooms/{room}/sittings", {"case": "c1"}).status_code == 404


def test_a_new_store_is_its_owners_to_read(tmp_path: Path) -> None:
    """Finding 19."""
    usual = os.umask(0o022)
    try:
        with open_store(tmp_path / "osler.db") as store:
            store.runs()
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("osler.db*")}
    finally:
        os.umask(usual)
    assert "osler.db" in modes
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
