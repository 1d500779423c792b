"""A floor of a run in a browser: its episodes on one clock, the list of what each does, and the lift."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, expect

from osler.choreography.floors import lane_of
from osler.choreography.plan import our_plan
from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store.store import Store, open_store
from osler.web.house import House
from osler.web.watch.scenes import choreography, staging_of
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import DESKTOP, PHONE, Visits
from tests.web_browser.test_hospital import apart


class Played(NamedTuple):
    """A run's address on the floor, its own, and the choreographies of its first floor as all is seen."""

    floor: str
    run: str
    made: list[dict[str, Any]]


def _play(store: Store) -> tuple[str, list[dict[str, Any]]]:
    plays = protocol_named("consultation")
    config = plays.config(limit=4)
    source = runs.opened(config)
    run = runs.play(runs.begin(config, store, source=source), store, source=source).run
    plan, staging = our_plan(), staging_of(plays)
    made = [choreography(store, run, n, "all", plan, lane=lane_of(n, staging, plan)) for n in (0, 1)]
    return run.name, [one.as_json() for one in made]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """A stored run of four consultations, served: two floors of two."""
    with open_store(tmp_path_factory.mktemp("floor") / "osler.db") as store, serving(House(store)) as address:
        with ThreadPoolExecutor(1) as other:  # the browser's driver has the loop of this thread
            run, made = other.submit(_play, store).result()
        yield Played(f"{address}/watch/{run}", f"{address}/evaluate/runs/{run}", made)


def place(page: Page) -> Any:
    return page.get_by_role("slider", name="Place on the floor")


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).casefold()


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_people_of_all_episodes_are_there_and_the_list_has_all_words_of_their_bubbles(
    visit: Visits, played: Played, screen: Any
) -> None:
    page = visit(f"{played.floor}?view=all&t=0", screen)
    doings = page.get_by_role("region", name="The episodes of this floor").get_by_role("listitem")
    expect(doings).to_have_count(2)
    middle = min(one["end"] for one in played.made) // 2
    heard = 0
    for t in range(middle, middle + 40_000, 5_000):
        place(page).fill(str(t))
        expect(place(page)).to_have_value(str(t))
        open_ = [[one for one in made["bubbles"] if one["t0"] <= t < one["t1"]] for made in played.made]
        expect(page.locator(".h-bubble:visible")).to_have_count(sum(map(bool, open_)))
        for item, bubbles in zip(doings.all(), open_, strict=True):
            for bubble in bubbles[-1:]:
                heard += 1
                assert flat(bubble["text"]) in flat(item.inner_text())
        off_the_faces(page)
    assert heard > 4
    for who in ("0/doctor", "0/patient", "1/doctor", "1/patient"):
        expect(page.locator(f".h-person[data-who='{who}']")).to_be_visible()


def off_the_faces(page: Page) -> None:
    """Fail where a bubble lies over anybody's face or another bubble, or leaves the picture."""
    frame = page.locator(".hospital").bounding_box()
    boxes = [one.bounding_box() for one in page.locator(".h-bubble:visible").all()]
    people = [one.bounding_box() for one in page.locator(".h-person:visible").all()]
    assert frame
    for k, box in enumerate(boxes):
        assert box
        assert frame["x"] <= box["x"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1
        assert all(apart(box, other) for other in boxes[:k])
        for person in people:
            assert person
            assert apart(box, {**person, "height": person["height"] * 0.4})


@pytest.mark.smoke
def test_an_episode_is_opened_at_the_same_instant_and_leads_back_to_its_floor(
    visit: Visits, played: Played
) -> None:
    bubble = next(one for one in played.made[1]["bubbles"] if one["t0"] > played.made[1]["end"] / 2)
    page = visit(f"{played.floor}?view=all&floor=0&t={bubble['t0'] + 20}")
    expect(place(page)).to_have_value(str(bubble["t0"] + 20))
    page.get_by_role("link", name="Episode 1").click()
    expect(page).to_have_url(re.compile(rf"/1\?view=all&at={re.escape(bubble['id'])}-\d+$"))
    expect(page.locator(".log-row.here")).to_have_attribute("data-item", bubble["id"])
    page.get_by_role("link", name="Its floor").click()
    expect(page.get_by_role("heading", name="Watch floor 0")).to_be_visible()
    back = int(place(page).input_value())
    assert bubble["t0"] <= back < bubble["t1"]
    expect(page.get_by_role("radio", name="Everything")).to_be_checked()
    page.locator(".h-person[data-who='0/patient']").click()
    expect(page).to_have_url(re.compile(r"/0\?view=all&at="))


def test_the_lift_goes_to_other_floors_by_pointer_and_by_key(visit: Visits, played: Played) -> None:
    page = visit(played.run)
    page.get_by_role("link", name="Watch the floor").click()
    lift = page.get_by_role("navigation", name="Lift")
    floors = lift.get_by_role("list", name="Floors").get_by_role("link")
    expect(floors).to_have_count(2)
    expect(floors.first).to_have_attribute("aria-current", "page")
    expect(floors.last).to_have_accessible_name("Floor 1 : 2 completed")
    accessible(page)
    lift.get_by_role("button", name="One floor up").click()
    expect(page.get_by_role("heading", name="Watch floor 1")).to_be_visible()
    expect(page).to_have_url(re.compile("floor=1"))
    expect(page.get_by_role("link", name="Episode 2")).to_be_visible()
    expect(lift.get_by_role("button", name="One floor up")).to_be_disabled()
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("d")
    expect(page.get_by_role("heading", name="Watch floor 0")).to_be_visible()
    expect(place(page)).to_have_value("0")
    page.keyboard.press("ArrowRight")
    expect(place(page)).not_to_have_value("0")
    page.keyboard.press("2")
    expect(page).to_have_url(re.compile(r"/1\?at="))


def test_it_plays_for_who_does_not_mind_motion_and_the_view_is_the_servers(
    visit: Visits, played: Played
) -> None:
    page = visit("about:blank")
    page.emulate_media(reduced_motion="no-preference")
    page.goto(played.floor)
    player = page.get_by_role("region", name="Player of the floor")
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    expect(page).to_have_url(re.compile(r"t=\d{3,}"))
    player.get_by_role("button", name="Pause").click()
    with page.expect_response(re.compile(r"/floors/0\?view=room")):
        page.get_by_role("radio", name="The room").click()
    stood = int(place(page).input_value())
    assert stood > 0
    page.reload()
    expect(page.get_by_role("radio", name="The room")).to_be_checked()
    expect(place(page)).to_have_value(str(stood))
