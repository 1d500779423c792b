"""What is withdrawn while somebody looks at it: the page says so in words, keeps none of it, asks no more."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from osler.store import practice
from osler.store.passes import Passes
from osler.web.door import IN_PROCESS
from osler.web.house import House
from osler.web.rights import Right
from osler.web.watch import stream as streaming
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import PHONE, Visits
from tests.web_browser.test_teach import FIRST, joined, opened, said

OVER, WORDS = "This can no longer be shown", "Does a marmoset live with you?"
UNTIL = "2099-01-01"
AWHILE_MS = 60_000


@pytest.fixture
def shared(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """The same house, shared for an hour; its streams look at once whether a visitor still may."""
    monkeypatch.setattr(streaming, "SILENCE_S", 0.05)
    house.door = IN_PROCESS._replace(until=time.time() + 3600)
    return house


@pytest.fixture
def served(shared: House) -> Iterator[str]:
    """The address of a real server over the shared house."""
    with serving(shared) as address:
        yield address


class Learner:
    """Somebody in a consultation who lets others see it, at the addresses that the pages use."""

    def __init__(self, visit: Visits, house: House, served: str) -> None:
        self._page, self._served = visit("about:blank"), served
        self._ask("POST", "/enter", {"token": house.visitors.link(["learn"])})
        self.id = self._ask("POST", "/sittings", {"case": "cardiology-01"})["id"]
        sitting = practice.sitting(house.store, self.id)
        assert sitting is not None
        self.run = house.store.info(sitting.run).name
        self.permits("share", until=UNTIL)
        self._turn()

    def permits(self, *uses: str, until: str = "") -> None:
        """Permit these uses, in place of those before."""
        self._ask("PUT", f"/sittings/{self.id}/permission", {"uses": uses, "until": until})

    def asks(self, question: str) -> None:
        """Ask the patient, and wait for the answer."""
        move = {"action": "ASK", "question": question}
        self._ask("POST", f"/sittings/{self.id}/moves", {"ticket": self._turn(), "move": move})
        self._turn()

    def deletes(self) -> None:
        """Delete the encounter."""
        self._ask("DELETE", f"/sittings/{self.id}")

    def _turn(self) -> str:
        deadline = time.monotonic() + 60
        while (state := self._ask("GET", f"/sittings/{self.id}"))["status"] != "yours":
            assert time.monotonic() < deadline, state
        return str(state["ticket"])

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = self._page.request.fetch(
            f"{self._served}/api{path}", method=method, data=body, headers={"Origin": self._served}
        )
        assert answer.ok, answer.text()
        return answer.json() if answer.text() else None


class Watcher:
    """Somebody who came in by a link, and whose window's clock can be moved on."""

    def __init__(self, visit: Visits, house: House, served: str, *rights: Right) -> None:
        self.house, self.served = house, served
        self.page = visit(f"{served}/enter#{house.visitors.link(rights)}", PHONE)
        expect(self.page.get_by_role("button", name="Sign out")).to_be_visible()
        self.page.clock.install()

    def is_told(self, *gone: str) -> None:
        """Expect the page to say that it can show it no longer, in words, and to show none of it."""
        expect(self.page.get_by_role("heading", name=OVER).first).to_be_visible()
        for words in gone:
            expect(self.page.get_by_text(words)).to_have_count(0)

    def stops(self) -> None:
        """Expect the page to ask for nothing any more, however long one waits."""
        asked = list[str]()
        self.page.on("request", lambda request: asked.append(request.url))
        self.page.clock.run_for(AWHILE_MS)
        with self.page.expect_response("**/api/me?last"):
            self.page.evaluate("void fetch('/api/me?last')")
        assert asked == [f"{self.served}/api/me?last"]

    def is_revoked(self) -> None:
        """End all that this visitor may do."""
        passes = Passes(self.house.store)
        (id_,) = {one.visitor for one in passes.valid() if one.visitor and one.rights == {"watch"}}
        passes.revoke_visitor(id_)


def taken_back(learner: Learner, watcher: Watcher) -> None:
    learner.permits()


def deleted(learner: Learner, watcher: Watcher) -> None:
    learner.deletes()


def revoked(learner: Learner, watcher: Watcher) -> None:
    watcher.is_revoked()


WORDS_OF: dict[Callable[[Learner, Watcher], None], str] = {
    taken_back: "there is no such run here",
    deleted: "there is no such run here",
    revoked: "this needs the right to watch",
}


@pytest.mark.parametrize("how", WORDS_OF, ids=lambda how: how.__name__)
def test_a_watched_encounter_that_is_withdrawn_is_told_in_words_and_asked_for_no_more(
    visit: Visits, shared: House, served: str, how: Callable[[Learner, Watcher], None]
) -> None:
    learner, watcher = Learner(visit, shared, served), Watcher(visit, shared, served, "watch")
    page = watcher.page
    page.goto(f"{served}/watch/{learner.run}/0?view=doctor&at=999.9")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Watch episode 0")
    learner.asks(WORDS)
    expect(page.get_by_role("list", name="What has happened so far")).to_contain_text(WORDS)
    for status in ("403", "404", "410"):
        visit.expect_trouble(status)
    how(learner, watcher)
    watcher.is_told(WORDS)
    expect(page.get_by_role("alert")).to_contain_text(WORDS_OF[how])
    expect(page.get_by_role("region", name="Player")).to_have_count(0)
    watcher.stops()
    accessible(page)


@pytest.mark.parametrize(
    ("screen", "heading"), [("/evaluate/runs/{run}", "r-"), ("/watch/{run}", "Watch floor 0")]
)
def test_a_run_that_is_withdrawn_is_told_in_words_and_asked_for_no_more(
    visit: Visits, shared: House, served: str, screen: str, heading: str
) -> None:
    learner, watcher = Learner(visit, shared, served), Watcher(visit, shared, served, "watch")
    watcher.page.goto(served + screen.format(run=learner.run))
    expect(watcher.page.get_by_role("heading", level=1)).to_contain_text(heading)
    visit.expect_trouble("404")
    learner.permits()
    watcher.is_told()
    expect(watcher.page.get_by_role("alert").first).to_contain_text("there is no such run here")
    watcher.stops()


def test_a_teacher_who_reads_is_told_when_the_learner_permits_it_no_more(
    visit: Visits, shared: House, served: str
) -> None:
    watcher = Watcher(visit, shared, served, "teach", "learn")
    teacher = watcher.page
    teacher.goto(f"{served}/teach")
    code = opened(teacher)
    learner = visit(f"{served}/join/{code}", PHONE)
    joined(learner, "Heron", "My teacher may read them")
    said(learner, FIRST)
    teacher.get_by_role("link", name="Read", exact=True).click()
    expect(teacher.get_by_text(FIRST)).to_be_visible()
    visit.expect_trouble("403")
    learner.goto(f"{served}/join/{code}")
    learner.get_by_role("button", name="Change that").click()
    learner.get_by_text("My teacher may read them").last.click()
    learner.get_by_role("button", name="I agree, let me in").click()
    watcher.is_told(FIRST)
    expect(teacher.get_by_role("alert")).to_contain_text("does not share words")
    watcher.stops()
    accessible(teacher)
