"""Image files in the requests to models: who is sent them, when, and that nobody is sent their names."""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic_core import from_json

from osler.cases.importers import Images
from osler.cases.model import Case
from osler.cases.pictures import pictures_of
from osler.cases.sources import open_source
from osler.models import wire
from osler.models.wire import body_of
from osler.pictures import draw
from osler.store.store import open_store
from osler.testing.endpoint_asked import read_chat
from tests.cases.pictured import write_mm, write_nejm
from tests.cli.commands import Osler, value
from tests.endpoints import running

NAMES = re.compile(r"tell-tale|pictures\.invalid|XM-70", re.IGNORECASE)
MOVES: dict[str, dict[str, Any] | None] = {
    "Turn 1,": {"action": "REQUEST_TEST", "test_name": "Image 1"},
    "Turn 2,": {"action": "WAIT"},
    "Turn 3,": {"action": "REQUEST_TEST", "test_name": None},  # no valid move: it is asked again
    "Turn 4,": {"action": "REQUEST_TEST", "test_name": "Image 1"},  # the same result once more
    "Turn 5,": {"action": "FINALIZE", "diagnosis": "Infection", "confidence": 0.5},
}
DOCTOR: list[dict[str, Any]] = [
    {"match": {"seat": "doctor", "contains": turn}, "reply": move} for turn, move in MOVES.items()
]
EXAMINED: dict[str, Any] = {
    "match_type": "exact",
    "findings": ["e3"],
    "unheld": [],
    "matched_test_name": "Image 1",
}
DOCTOR.append({"match": {"seat": "examination"}, "reply": EXAMINED})
BAD_DRAFT: dict[str, Any] = {"match": {"seat": "tutor", "nth": 1}, "reply": {"guidance": ""}}
BAD_CHECK: dict[str, Any] = {"match": {"seat": "specialist", "nth": 1}, "reply": {"is_correct": "who knows"}}
REJECTED: dict[str, Any] = {
    "match": {"seat": "specialist", "nth": 1},
    "reply": {"is_correct": False, "feedback": "The bone is not named.", "covered_steps": []},
}


class Sent(NamedTuple):
    """A request as it left: its messages as texts, and the images in each."""

    texts: tuple[str, ...]
    images: tuple[tuple[bytes, ...], ...]

    @property
    def shown(self) -> list[bytes]:
        return [raw for images in self.images for raw in images]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(script=[*DOCTOR, BAD_DRAFT, BAD_CHECK, REJECTED]) as base_url:
        yield base_url


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Sent]]:
    """Every request's content as it goes out, by seat."""
    kept: dict[str, list[Sent]] = defaultdict(list)

    def watched(*given: Any, **more: Any) -> bytes:
        body = body_of(*given, **more)
        assert not NAMES.search(body.decode()), "the name of a file leaves with a request"
        kept[read_chat(body).seat].append(_sent(body))
        return body

    monkeypatch.setattr(wire, "body_of", watched)
    return kept


def _sent(body: bytes) -> Sent:
    texts, images = list[str](), list[tuple[bytes, ...]]()
    for message in from_json(body)["messages"]:
        content = message["content"]
        parts: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        texts.append("\n".join(part["text"] for part in parts if part["type"] == "text"))
        urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        images.append(tuple(base64.b64decode(one.partition(";base64,")[2]) for one in urls))
    return Sent(tuple(texts), tuple(images))


def configure(url: str) -> None:
    """Endpoints that see, one to play and one to judge, and one that does not."""
    for_each = [("eyes", "m", True), ("second", "other", True), ("blind", "third", False)]
    Path("osler.toml").write_text(
        "".join(
            f'[endpoints.{name}]\nbase_url = "{url}"\nmodel = "{model}"\n'
            f"[endpoints.{name}.capabilities]\nimages = {json.dumps(sees)}\n"
            for name, model, sees in for_each
        )
    )


def cases_of(records: Path, folder: Path) -> list[Case]:
    return list(open_source(str(records), images=Images(folder)))


def seen_bytes(case: Case) -> list[bytes]:
    return [draw(picture) for picture in pictures_of(case).values()]


def assert_grows(requests: list[Sent]) -> None:
    """Within each conversation (told apart by its first messages), requests grow only at their end."""
    talks: dict[tuple[str, ...], list[Sent]] = defaultdict(list)
    for one in requests:
        talks[one.texts[:2]].append(one)
    for talk in talks.values():
        for earlier, later in pairwise(talk):
            n = len(earlier.texts)
            assert later.texts[:n] == earlier.texts
            assert later.images[:n] == earlier.images


def test_a_doctor_sees_what_it_orders_and_nobody_else_does(
    osler: Osler, url: str, sent: dict[str, list[Sent]], tmp_path: Path
) -> None:
    configure(url)
    records, folder = write_nejm(tmp_path / "in")
    seats = [f"--{seat}=model:eyes" for seat in ("doctor", "patient", "examination", "consultant")]
    words = (str(records), "--images", str(folder), *seats, "--mdt=always", "--limit=3", "--concurrency=1")
    found = value(osler("consult", *words, "--json"))
    assert found["episodes"] == 3
    for case in cases_of(records, folder)[:3]:
        (picture,) = seen_bytes(case)
        own = [one for one in sent["doctor"] if picture in one.shown]
        assert own, "the doctor is shown the picture"
        assert all(one.shown == [picture] for one in own), "once, and no other case's"
        refused = [one for one in own if any("Answer again." in text for text in one.texts)]
        assert refused, "a refused answer was asked for again, with the picture"
        heard = [one for one in sent["consultant"] if one.shown]
        assert {raw for one in heard for raw in one.shown} <= {
            raw for each in cases_of(records, folder) for raw in seen_bytes(each)
        }
    before = [one for one in sent["doctor"] if not one.shown]
    assert before, "nothing is shown before it is ordered"
    for seat in ("patient", "examination"):
        assert sent[seat]
        assert not [one for one in sent[seat] if one.shown], seat
    assert_grows(sent["doctor"])


@pytest.mark.parametrize("arm", ["vignette", "one-step"])
def test_a_doctor_who_is_told_the_case_at_once_is_shown_its_image_files(
    arm: str, osler: Osler, url: str, sent: dict[str, list[Sent]], tmp_path: Path
) -> None:
    configure(url)
    records, folder = write_mm(tmp_path / "in", 1)
    words = (str(records), "--images", str(folder), "--doctor=model:eyes", "--options=shown")
    assert value(osler("consult", *words, f"--arm={arm}", "--json"))["episodes"] == 1
    (case,) = cases_of(records, folder)
    assert all(one.shown == seen_bytes(case) for one in sent["doctor"])
    assert sent["doctor"]


def test_a_describer_sees_for_a_doctor_who_does_not(
    osler: Osler, url: str, sent: dict[str, list[Sent]], tmp_path: Path
) -> None:
    configure(url)
    records, folder = write_nejm(tmp_path / "in")
    seats = ("--doctor=model:blind", "--describer=model:eyes", "--pictures=shown")
    value(osler("consult", str(records), "--images", str(folder), *seats, "--limit=1", "--json"))
    (picture,) = seen_bytes(cases_of(records, folder)[0])
    shown = [seat for seat, requests in sent.items() if any(one.shown for one in requests)]
    assert "doctor" not in shown
    assert len(shown) == 1
    assert all(one.shown == [picture] for one in sent[shown[0]])


def test_models_that_cannot_see_are_named_where_there_are_image_files(
    osler: Osler, url: str, sent: dict[str, list[Sent]], tmp_path: Path
) -> None:
    configure(url)
    records, folder = write_mm(tmp_path / "in", 1)
    given = (str(records), "--images", str(folder), "--max-rounds=1", "--students=2", "--concurrency=1")
    said = osler("round", *given, "--tutor=model:eyes", "--student=model:blind,baseline").stderr
    assert "model:blind cannot see the image files" in said
    assert "model:eyes cannot" not in said
    assert "cannot see" not in osler("round", *given, "--patient=model:blind").stderr
    bare = (str(records), "--without-images", *given[3:])
    out = osler("round", *bare, "--tutor=model:blind").stderr
    assert "cannot see" not in out
    assert "of 1 cases 1 are played without images that were not at hand" in out


def test_a_round_shows_tutor_students_specialist_and_judge_and_no_other(
    osler: Osler, url: str, sent: dict[str, list[Sent]], tmp_path: Path
) -> None:
    configure(url)
    records, folder = write_mm(tmp_path / "in", 1)
    seats = [
        f"--{seat}=model:eyes"
        for seat in ("tutor", "student", "patient", "specialist", "supervisor", "expert")
    ]
    words = (
        str(records),
        "--images",
        str(folder),
        *seats,
        "--max-rounds=2",
        "--students=2",
        "--concurrency=1",
    )
    found = value(osler("round", *words, "--judge=model:second", "--json"))
    assert found["episodes"] == 1
    (case,) = cases_of(records, folder)
    pictures = seen_bytes(case)
    assert len(pictures) == 2
    for seat in ("tutor", "specialist", "judge"):
        assert sent[seat], seat
        assert all(one.shown == pictures for one in sent[seat]), f"{seat}: every request, each picture once"
    assert len(sent["tutor"]) > 2, "it was asked again after a refused draft and a rejected one"
    last = max(sent["student"], key=lambda one: len(one.texts))
    assert sorted(last.shown) == sorted(pictures), "students get the whole chart, each picture once"
    for seat in ("patient", "supervisor", "expert"):
        assert sent[seat], seat
        assert not [one for one in sent[seat] if one.shown], seat
    for seat in ("tutor", "student", "specialist"):
        assert_grows(sent[seat])


def test_a_run_goes_on_elsewhere_without_the_folder(
    osler: Osler, url: str, sent: dict[str, list[Sent]], tmp_path: Path
) -> None:
    configure(url)
    records, folder = write_nejm(tmp_path / "in", left_out=(1,))
    words = (str(records), "--images", str(folder), "--without-images", "--limit=3", "--concurrency=1")
    pictures = [raw for case in cases_of(records, folder)[:2] for raw in seen_bytes(case)]
    begun = osler("consult", *words, "--doctor=model:eyes", "--token-budget=4000", "--json")
    assert begun.exit_code != 0, "it pauses before it is done"
    shutil.rmtree(folder)
    found = value(osler("resume", "last", "--token-budget=4000000", "--json"))
    assert found["episodes"] == 3
    shown = {raw for one in sent["doctor"] for raw in one.shown}
    assert shown == set(pictures)
    with open_store("osler.db") as store:
        run = store.run("last")
        assert {str(row.status) for row in store.episodes(run.id)} == {"completed"}
        kept = store.pictures(run.id)
        assert len(kept) == 2
        store.delete_run(run.name)
        assert [store.picture(one.sha256) for one in kept.values()] == [None, None], "they go with the run"


def test_another_folder_makes_other_runs_and_a_missing_one_is_said(osler: Osler, tmp_path: Path) -> None:
    records, folder = write_nejm(tmp_path / "in")
    for at in (folder, folder):
        value(osler("consult", str(records), "--images", str(at), "--limit=2", "--json"))
    done = osler("consult", str(records), "--limit=2")
    assert done.exit_code != 0
    assert "--images" in " ".join(done.stderr.split())
    with open_store("osler.db") as store:
        told = [run.manifest["configuration"]["images_fingerprint"] for run in store.runs()]
    assert len(told) == 2
    assert len({*told}) == 1
