"""The station pack: hostile text stays text, and what players are handed does not name the answer."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args

import pytest
import typer
from typer.testing import CliRunner

from osler.authoring.station_pack import station_pack
from osler.cases.importers.leaks import plain
from osler.cases.lint import answer_names
from osler.cases.model import Case, Fact, Finding
from osler.cases.sources import open_source
from osler.cli.cases import pack
from osler.core.pictures import Nomogram
from osler.knowledge.vocabulary import TOPICS, FindingKind, Told
from osler.pictures import draw
from osler.testing.cases import small_case

LIBRARY = {case.id: case for case in open_source("library")}
FULL = LIBRARY["toxicology-02"]
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7 * 7 }}\u202e\x1b[2J"


class Page(HTMLParser):
    """The words of each section, every tag, and every attribute's value."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.sections: dict[str, str] = {}
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self._section, self._skipped = "head", False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag == "section":
            self._section = dict(attrs)["id"] or ""
        self._skipped = tag == "style"

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.sections[self._section] = self.sections.get(self._section, "") + data


@cache
def library_pack(id: str) -> Page:
    return Page(station_pack(LIBRARY[id]))


def names_said(case: Case, text: str) -> list[str]:
    """The answer's names that a text says: short capital ones as written, the others as plain words."""
    found = []
    for name in answer_names(case):
        if len(name) <= 5 and name.isupper():
            said = re.search(rf"\b{re.escape(name)}\b", text) is not None
        else:
            said = f" {plain(name)} " in f" {plain(text)} "
        found += [name] * said
    return found


@pytest.mark.parametrize("case", LIBRARY.values(), ids=lambda case: case.id)
def test_what_players_are_handed_names_no_answer(case: Case) -> None:
    page = library_pack(case.id)
    for section in ("head", "candidate", "patient"):
        assert names_said(case, page.sections[section]) == []
        assert (case.title or "-") not in page.sections[section]
    assert names_said(case, page.sections["marks"]), "the examiner is told"


def hostile(case: Case) -> Case:
    """The case with hostile text in every field that takes any text."""
    data = case.model_dump(mode="json")

    def spoiled(value: object, key: str) -> object:
        if isinstance(value, dict):
            return {k: spoiled(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [spoiled(item, key) for item in value]
        kept = (
            "id",
            "kind",
            "topic",
            "told",
            "known_by",
            "sex",
            "answer",
            "required",
            "useful",
            "discriminators",
            "born",
            "number",
            "system",
            "level",
            "skills",
            "class_",
        )
        return f"{HOSTILE} {value}" if isinstance(value, str) and key not in kept else value

    return Case.model_validate(spoiled(data, ""))


def test_hostile_text_in_every_field_stays_text() -> None:
    honest, spoiled = library_pack(FULL.id), Page(station_pack(hostile(FULL)))
    assert spoiled.tags == honest.tags
    assert "script" not in spoiled.tags
    assert {name for name, _ in spoiled.attributes} == {name for name, _ in honest.attributes}
    shown = "".join(spoiled.sections.values())
    assert shown.count("<script>alert(1)</script>\"'>") > 200
    assert "{{ 7 * 7 }}" in shown
    assert "\u202e" not in shown
    assert "\x1b" not in shown


def test_the_file_asks_the_network_for_nothing_and_runs_nothing() -> None:
    for case in LIBRARY.values():
        page = library_pack(case.id)
        assert not page.tags & {"script", "link", "iframe", "object", "embed", "form", "base"}
        sources = [value for name, value in page.attributes if name in ("src", "href", "style", "srcset")]
        assert all(source.startswith("data:image/png;base64,") for source in sources)
        assert not [name for name, _ in page.attributes if name.startswith("on")]


def test_a_picture_is_in_the_file_itself_and_its_report_on_another_card() -> None:
    picture = Nomogram(hours=6, level_mg_per_l=120)
    finding = Finding(id="x9", kind="test", name="Level", result="120 mg/L at six hours", picture=picture)
    case = small_case()
    page = Page(station_pack(case.model_copy(update={"findings": (*case.findings, finding)})))
    (source,) = (value for name, value in page.attributes if name == "src")
    assert base64.b64decode(source.partition(",")[2]) == draw(picture)
    assert "120 mg/L at six hours" in page.sections["cards"]


def test_the_patient_is_told_what_to_keep_and_the_examiner_what_to_mark() -> None:
    page = Page(station_pack(small_case()))
    patient, marks = page.sections["patient"], page.sections["marks"]
    secret = patient.index("Between us, a bottle of wine most evenings.")
    assert "Only once confidentiality is promised" in patient[secret : secret + 200]
    assert "penicillin rash" not in patient, "the record is the examiner's"
    assert "penicillin rash" in page.sections["cards"]
    case = small_case()
    for fact in case.facts:
        assert (fact.text in marks) == fact.key
    assert "Not reviewed by a clinician" in page.sections["cover"]
    assert "For education and research only" in page.sections["cover"]


def test_the_plan_is_on_the_mark_sheet_with_what_is_critical_and_what_would_harm() -> None:
    marks = library_pack(FULL.id).sections["marks"]
    assert FULL.management
    assert FULL.safety
    for step in FULL.management.key_features:
        assert step.what in marks
        assert (step.dose or "") in marks
    assert marks.count("CRITICAL") == sum(step.critical for step in FULL.management.key_features)
    assert all(act.why in marks for act in FULL.management.contraindicated)
    assert all(act.what in marks and act.why in marks for act in FULL.safety)


def test_answers_stand_on_a_page_of_their_own() -> None:
    page = library_pack(FULL.id)
    assert FULL.teaching
    for item in FULL.teaching.siblings:
        assert item.stem in page.sections["questions"]
        assert f"(step {item.step + 1}: " in page.sections["answers"]
    assert "(step " not in page.sections["questions"]


def test_a_case_without_the_later_sections_makes_a_pack_too() -> None:
    gone = dict.fromkeys(
        ("title", "diagnosis", "workup", "management", "safety", "teaching", "age_years", "sex")
    )
    page = Page(station_pack(small_case(**gone)))
    assert "The case has no plan of management" in page.sections["marks"]
    assert "teaching" not in page.sections


def test_every_topic_way_of_telling_and_kind_of_finding_has_its_words() -> None:
    ways, kinds = get_args(Told), get_args(FindingKind)
    facts = tuple(
        Fact(id=f"t{n}", topic=topic, text=f"Thing {n}.", told=ways[n % len(ways)])
        for n, topic in enumerate(TOPICS)
    )
    findings = tuple(
        Finding(id=f"x{n}", kind=kind, name=kind, result="Seen.") for n, kind in enumerate(kinds)
    )
    page = Page(station_pack(small_case(facts=facts, findings=findings)))
    assert all(fact.text in page.sections["patient"] for fact in facts)


def run(*words: str) -> tuple[int, str, str]:
    app = typer.Typer()
    app.command()(pack)
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.stdout, done.stderr


def test_the_command_writes_the_file_and_says_where(tmp_path: Path) -> None:
    out = tmp_path / "station.html"
    code, shown, _ = run("cardiology-01", "--out", str(out), "--json")
    assert code == 0
    assert json.loads(shown) == {
        "case": "cardiology-01", "out": str(out), "bytes": out.stat().st_size, "pictures": 1
    }  # fmt: skip


@pytest.mark.parametrize(
    ("case", "out", "told"),
    [("cardiology-99", "a.html", "no such source"), ("cardiology-01", "taken/a.html", "Not a directory")],
)
def test_the_command_refuses_in_words(tmp_path: Path, case: str, out: str, told: str) -> None:
    (tmp_path / "taken").write_text("a file")
    code, shown, said = run(case, "--out", str(tmp_path / out))
    assert (code, shown) == (1, "")
    assert told in said
    assert "Traceback" not in said
