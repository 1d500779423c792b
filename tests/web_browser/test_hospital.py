"""The visible hospital in a browser: picture and log on one clock, and nothing seen that the log lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store.store import open_store
from osler.web.house import House
from osler.web.watch.scenes import choreography
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import DESKTOP, PHONE, Visits

PROTOCOLS = ("consultation", "ward_round", "scenario")


class Played(NamedTuple):
    """A stored episode: its address, and its choreography as everything is seen."""

    address: str
    made: dict[str, Any]


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Played]]:
    """A stored episode of each protocol, served."""
    where = tmp_path_factory.mktemp("hospital") / "osler.db"
    with open_store(where) as store, serving(House(store)) as address, ThreadPoolExecutor(1) as other:

        def play(protocol: str) -> Played:
            config = protocol_named(protocol).config(limit=1)
            source = runs.opened(config)
            run = runs.play(runs.begin(config, store, source=source), store, source=source).run
            made = choreography(store, run, 0, "all").as_json()
            return Played(f"{address}/watch/{run.name}/0", made)

        # In another thread: the browser's driver has the loop of this one.
        yield {protocol: other.submit(play, protocol).result() for protocol in PROTOCOLS}


def log(page: Page) -> Locator:
    return page.get_by_role("list", name="What has happened so far")


def moving(visit: Visits, address: str) -> Page:
    """A page of somebody who does not mind motion."""
    page = visit("about:blank")
    page.emulate_media(reduced_motion="no-preference")
    page.goto(address)
    expect(page.locator(".hospital canvas")).to_be_visible()
    return page


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).casefold()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_log_has_every_word_of_the_picture(
    visit: Visits, episodes: dict[str, Played], protocol: str
) -> None:
    address, made = episodes[protocol]
    page = visit(f"{address}?view=all&at=9999.9")
    expect(page.locator(".log-row.here")).to_contain_text("Ended")
    told = flat(log(page).evaluate("list => list.textContent"))
    spoken = [line for bubble in made["bubbles"] for line in bubble["text"].split("\n")]
    thoughts = {bubble["text"] for bubble in made["bubbles"] if bubble["kind"] == "thought"}
    words = [line.partition(": ")[2] if any(line in one for one in thoughts) else line for line in spoken]
    missing = [one for one in words if flat(one) not in told]
    missing += [one["text"] for one in made["captions"] if flat(one["text"]) not in told]
    walks = re.findall(r"^\((.+) to (.+)\)$", "\n".join(scene["what"] for scene in made["scenes"]), re.M)
    gone = [f"{who.replace('_', ' ')} walks to: {room}" for who, room in walks]
    missing += [one for one in gone if flat(one) not in told]
    assert walks
    assert not missing, missing[:5]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_is_played_on_one_clock_and_is_accessible(
    visit: Visits, episodes: dict[str, Played], protocol: str
) -> None:
    address, made = episodes[protocol]
    bubble = next(one for one in made["bubbles"] if one["kind"] == "said" and one["t0"] > made["end"] / 3)
    page = visit(f"{address}?view=all&at={bubble['id']}")
    here = page.locator(".log-row.here")
    expect(here).to_have_attribute("data-item", bubble["id"])
    scene = next(one for one in made["scenes"] if one["id"] == bubble["id"])
    page.get_by_role("slider", name="Place in the encounter").fill(str(bubble["t0"] + 1))
    expect(here).to_have_attribute("data-item", bubble["id"])
    first = bubble["text"].split()[0]
    expect(page.locator(".h-bubble")).to_contain_text(first)
    assert scene["t0"] <= bubble["t0"] < scene["t1"]
    for tab in ("Notebook", "Board"):
        page.get_by_role("tab", name=tab).click()
        accessible(page)


def test_it_plays_by_itself_and_a_refresh_returns_to_the_same_instant(
    visit: Visits, episodes: dict[str, Played]
) -> None:
    page = moving(visit, f"{episodes['consultation'].address}?view=room")
    player = page.get_by_role("region", name="Player")
    place = page.get_by_role("slider", name="Place in the encounter")
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".h-bubble .h-words")).to_be_visible()
    player.get_by_role("button", name="Pause").click()
    expect(page).to_have_url(re.compile(r"at=\d+\.\d+"))
    stood = int(place.input_value())
    assert stood > 0
    lines = log(page).get_by_role("listitem").count()
    expect(page).to_have_url(re.compile(r"at=\d+\.\d+-\d+"))
    page.reload()
    expect(log(page).get_by_role("listitem")).to_have_count(lines)
    assert abs(int(place.input_value()) - stood) <= 1
    expect(player.get_by_role("button", name="Play")).to_be_visible()


def test_who_minds_motion_starts_paused_and_nobody_stands_between_two_rooms(
    visit: Visits, episodes: dict[str, Played]
) -> None:
    address, made = episodes["consultation"]
    page = visit(f"{address}?view=all&camera=whole")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    walk = made["actors"]["patient"]["walks"][0]
    place = page.get_by_role("slider", name="Place in the encounter")
    patient = page.locator(".h-person[data-who=patient]")
    found = []
    for t in (walk["t1"] - 1, (walk["t0"] + walk["t1"]) // 2):
        place.fill(str(t))
        expect(place).to_have_value(str(t))
        painted(page)
        found.append(patient.evaluate("one => one.style.transform"))
    assert found[0] == found[1], "halfway is at once the end"


def painted(page: Page) -> None:
    """Wait for the next frames."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_the_camera_and_the_eyes_by_keyboard_and_by_pointer(
    visit: Visits, episodes: dict[str, Played]
) -> None:
    page = visit(f"{episodes['consultation'].address}?view=all&at=4.1")
    camera = page.get_by_role("combobox", name="What the camera shows")
    expect(camera).to_have_value("follow")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("0")
    expect(camera).to_have_value("whole")
    expect(page).to_have_url(re.compile("camera=whole"))
    page.keyboard.press("+")
    expect(camera).to_have_value("free")
    page.get_by_role("button", name="Follow").click()
    expect(camera).to_have_value("follow")

    page.locator(".h-person[data-who=patient]").click()
    menu = page.get_by_role("dialog", name="Patient")
    expect(menu.get_by_role("button", name="See through these eyes")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    page.locator(".h-person[data-who=patient]").click()
    with page.expect_response(re.compile("choreography.*view=patient")):
        page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="Patient's eyes")).to_be_checked()
    expect(page.locator(".log-row.here")).to_have_attribute("data-item", re.compile(r"^[34]\.\d+$"))

    page.get_by_role("radio", name="Everything").click()
    page.locator(".h-person[data-who=doctor]").click()
    page.get_by_role("button", name="Take this seat").click()
    what_if = page.get_by_role("dialog", name=re.compile("What if"))
    expect(what_if.get_by_role("combobox", name="Seat")).to_have_value("doctor")
    expect(what_if.get_by_role("button", name="Take this chair")).to_be_visible()


def test_bubbles_stay_inside_the_picture_and_off_the_faces(
    visit: Visits, episodes: dict[str, Played]
) -> None:
    address, made = episodes["consultation"]
    said = [one for one in made["bubbles"] if one["kind"] == "said"][:8]
    for screen in (DESKTOP, PHONE):
        page = visit(f"{address}?view=all", screen)
        place = page.get_by_role("slider", name="Place in the encounter")
        for bubble in said:
            place.fill(str(bubble["t0"] + 50))
            expect(page.locator(".h-bubble .h-words")).to_contain_text(bubble["text"][:24].strip())
            painted(page)
            box = page.locator(".h-bubble").bounding_box()
            frame = page.locator(".hospital").bounding_box()
            speaker = page.locator(f".h-person[data-who={bubble['who']}]").bounding_box()
            assert box
            assert frame
            assert speaker
            assert box["x"] >= frame["x"]
            assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1
            assert box["y"] >= frame["y"]
            assert box["y"] + box["height"] <= frame["y"] + frame["height"] + 1
            head = {**speaker, "height": speaker["height"] * 0.45}
            assert apart(box, head), (screen, bubble["text"][:40])


def apart(a: Any, b: Any) -> bool:
    """Whether two boxes of a page do not lie over each other by more than a rounding."""
    wide = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
    high = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
    return bool(min(wide, high) <= 1)


def test_nobody_speaks_over_the_face_of_who_lies_in_bed(visit: Visits, episodes: dict[str, Played]) -> None:
    address, made = episodes["scenario"]
    page = visit(f"{address}?view=all")
    place = page.get_by_role("slider", name="Place in the encounter")
    beside = [one for one in made["bubbles"] if one["kind"] == "said" and one["who"] != "patient"][:6]
    assert beside
    for bubble in beside:
        place.fill(str(bubble["t0"] + 50))
        expect(page.locator(".h-bubble .h-words")).to_contain_text(bubble["text"][:24].strip())
        painted(page)
        box = page.locator(".h-bubble").bounding_box()
        bed = page.locator(".h-person[data-who=patient]").bounding_box()
        assert box
        assert bed
        # The head is in the middle of the northern third of whom lies.
        head = {"x": bed["x"] + bed["width"] * 0.35, "width": bed["width"] * 0.3}
        head |= {"y": bed["y"] + bed["height"] * 0.1, "height": bed["height"] * 0.25}
        assert apart(box, head), bubble["text"][:40]


def test_a_growing_episode_is_followed_and_caught_up_with(visit: Visits, episodes: dict[str, Played]) -> None:
    page = visit("about:blank")
    page.emulate_media(reduced_motion="no-preference")
    told = {"items": 6}

    def log_so_far(route: Route) -> None:
        address = re.sub(r"&after=[\d.]+", "", route.request.url)
        whole = route.fetch(url=address).json()
        after = re.search(r"after=(\d+)\.(\d+)", route.request.url)
        past = (int(after[1]), int(after[2])) if after else (-1, 0)
        seen = [one for one in whole["items"] if past < number(one["id"]) <= limit[told["items"]]]
        last = "{}.{}".format(*limit[told["items"]])
        route.fulfill(json={**whole, "items": seen, "last": last, "ended": False})

    def directed_so_far(route: Route) -> None:
        whole = route.fetch().json()
        scenes = [one for one in whole["scenes"] if number(one["id"]) <= limit[told["items"]]]
        route.fulfill(json={**whole, "scenes": scenes, "end": scenes[-1]["t1"]})

    address, made = episodes["consultation"]
    ids = [number(one["id"]) for one in made["scenes"] if one["kind"] in ("said", "reply", "result")]
    limit = {6: ids[3], 12: ids[9]}
    page.route("**/log?*", log_so_far)
    page.route("**/choreography?*", directed_so_far)
    page.route(re.compile(r"/api/episodes/[^/]+/0$"), still_played)
    page.goto(f"{address}?view=all")
    newest = page.get_by_role("button", name="You see the newest line")
    expect(newest).to_be_visible()
    expect(page.get_by_text("being played")).to_be_visible()
    before = log(page).get_by_role("listitem").count()
    told["items"] = 12
    expect(page.locator(f".log-row[data-item='{limit[12][0]}.{limit[12][1]}']")).to_be_visible()
    assert log(page).get_by_role("listitem").count() > before
    page.get_by_role("slider", name="Place in the encounter").fill("0")
    page.get_by_role("button", name="Catch up").click()
    expect(newest).to_be_visible()


def still_played(route: Route) -> None:
    route.fulfill(json={**route.fetch().json(), "ended": False})


def number(id_: str) -> tuple[int, int]:
    """An id as two whole numbers."""
    n, _, i = id_.partition(".")
    return int(n), int(i)


def test_the_notebook_leads_back_to_where_evidence_was_earned(
    visit: Visits, episodes: dict[str, Played]
) -> None:
    address, made = episodes["consultation"]
    page = visit(f"{address}?view=doctor&at=9999.9")
    page.get_by_role("tab", name="Notebook").click()
    notebook = page.get_by_role("group", name="Notebook")
    result = next(card for card in made["cards"] if card["kind"] == "result")
    expect(notebook.get_by_text(result["title"], exact=True).first).to_be_visible()
    expect(notebook.get_by_role("heading", name="The conclusion")).to_be_visible()
    n = result["id"].partition(".")[0]
    notebook.get_by_role("button", name=re.compile(f"exchange {n}: ")).first.click()
    expect(notebook.get_by_role("heading", name="The conclusion")).to_have_count(0)
    page.get_by_role("tab", name="Log").click()
    expect(page.locator(".log-row.here")).to_have_attribute("data-item", result["id"])
