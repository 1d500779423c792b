"""The debrief in a browser while a teacher answers and marks: what is given appears by itself."""

from __future__ import annotations

from typing import Any

import httpx
from playwright.sync_api import expect

from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import PHONE, Visits

SAY = "Say something to the patient"


def test_a_teacher_s_answer_and_marks_appear_while_the_debrief_is_read(served: str, visit: Visits) -> None:
    with httpx.Client(base_url=served, headers={"Origin": served}, timeout=60) as teacher:
        plan = {"name": "Monday", "cases": [{"case": "cardiology-01"}], "marks": ["rules", "person"]}
        room: dict[str, Any] = teacher.post("/api/rooms", json=plan).json()
        page = visit(f"{served}/join/{room['code']}", PHONE)
        page.get_by_label("A name to go by").fill("Otter")
        page.locator("label").filter(has_text="My teacher may read them").click()
        page.get_by_role("button", name="let me in").click()
        page.get_by_role("button", name="Sit down").click()
        page.get_by_label(SAY).fill("Where is the pain?")
        page.get_by_label(SAY).press("Enter")
        expect(page.get_by_role("listitem")).to_have_count(3)
        sitting = page.url.rpartition("/")[2]
        page.get_by_role("button", name="Conclude").click()
        page.get_by_label("Diagnosis", exact=True).fill("Heart attack")
        page.get_by_role("dialog").get_by_role("button", name="Conclude", exact=True).click()
        page.get_by_role("button", name="Yes, conclude").click()
        page.get_by_role("link", name="See the debrief").click()

        page.get_by_text("Other steps not recognized in your plan").click()
        page.get_by_role("button", name="I did that").first.click()
        page.get_by_label("Where did you do it?").fill("In my second sentence")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_text("Not answered yet.")).to_be_visible()
        (question,) = teacher.get(f"/api/rooms/{room['id']}/contests").json()
        answer = {"sitting": sitting, "item": question["item"], "answer": "accept", "by": "Dr Lind"}
        teacher.post(f"/api/rooms/{room['id']}/contests", json=answer).raise_for_status()
        expect(page.get_by_text("Dr Lind", exact=True)).to_be_visible()
        expect(page.get_by_text("Dr Lind Accepted")).to_be_visible()

        sheet = f"/api/rooms/{room['id']}/sheet/{sitting}"
        items = [{"id": one["id"], "met": True} for one in teacher.get(sheet).json()["items"]]
        teacher.put(sheet, json={"by": "Dr Lind", "items": items}).raise_for_status()
        expect(page.get_by_role("heading", name="Marked by Dr Lind")).to_be_visible()
        expect(page.get_by_text(f"{len(items)} of {len(items)} items met.")).to_be_visible()
        accessible(page)
