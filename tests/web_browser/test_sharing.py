"""A shared server in a browser: the link lets in, and its token is gone from the address at once."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from osler.web.door import IN_PROCESS
from osler.web.house import House
from osler.web.rights import ALL
from tests.web.conftest import serving
from tests.web_browser.conftest import Visits


@pytest.mark.smoke
def test_a_link_lets_in_and_leaves_no_token_behind(visit: Visits, house: House) -> None:
    house.door = IN_PROCESS._replace(until=time.time() + 3600)
    with serving(house) as address:
        token = house.visitors.link(ALL)
        page = visit(f"{address}/enter#{token}")
        expect(page).to_have_url(f"{address}/")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert token not in page.evaluate(
            "location.href + document.cookie + JSON.stringify({...localStorage})"
        )
        assert page.request.get(f"{address}/api/me").json()["rights"] == sorted(ALL)
        visit.close()


def test_a_wrong_link_is_told_in_words(visit: Visits, house: House) -> None:
    house.door = IN_PROCESS._replace(until=time.time() + 3600)
    visit.expect_trouble("403")
    with serving(house) as address:
        page = visit(f"{address}/enter#wrong")
        expect(page.get_by_text("this link does not work")).to_be_visible()
        visit.close()


def test_two_people_of_one_server_are_told_apart(visit: Visits, served: str) -> None:
    one, other = visit(f"{served}/"), visit(f"{served}/")
    made = [page.context.cookies()[0] for page in (one, other)]
    assert made[0]["value"] != made[1]["value"]
    assert all(cookie["httpOnly"] and cookie["sameSite"] == "Strict" for cookie in made)
