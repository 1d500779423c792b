"""What Osler exports, it reads back: a packet of our own becomes the same packet, with the same items."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from osler.authoring.scenarios.checklists import of_competency, rows
from osler.authoring.scenarios.pipeline import PipelineRequest, author
from osler.cases.rubrics.model import COMPETENCIES
from osler.cases.scenarios.export import export_packets
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.cases.scenarios.triage import triage_of
from tests.protocols.scenario.packets import ROLES, tree

LIBRARY = [f"st{number:02}" for number in range(1, 11)]
ONCE_MORE = ("st01", "st09")
"""Those that go round twice: it takes a second each, and nothing is new in the others."""


@pytest.fixture(scope="module")
def packets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library as packets."""
    out = tmp_path_factory.mktemp("packets")
    assert len(export_packets(open_scenarios("library"), out, "library").scenarios) == 10
    return out


def authored(folder: Path, out: Path, case: str) -> dict[str, Any]:
    return asyncio.run(author(PipelineRequest(folder, out, case), {}))


def of(folder: Path) -> Scenario:
    (found,) = open_scenarios(str(folder))
    return found


def judged(scenario: Scenario) -> list[tuple[str, str, bool]]:
    assert scenario.items is not None
    held = {name: [item for item in scenario.items.items if item.competency == name] for name in COMPETENCIES}
    return [(name, i.text, i.traits.negative) for name, items in held.items() for i in items]


def about(scenario: Scenario) -> tuple[Any, ...]:
    said = scenario
    return said.title, said.specialty, said.urgency, said.sex, said.age_years, said.case_shape, said.body_part


def prose(scenario: Scenario) -> list[str]:
    assert scenario.packet is not None
    return [getattr(scenario.packet, role) for role in ROLES]


@pytest.mark.parametrize("case", LIBRARY)
def test_an_exported_packet_is_authored_imported_and_exported_again_the_same(
    case: str, packets: Path, tmp_path: Path
) -> None:
    first = authored(packets / case, tmp_path / "a", case)
    (made,) = first["scenarios"]
    assert made["released"], made["findings"]
    assert (made["items"], made["refused"], made["left_out"], first["unread"]) == (28, [], [], [])

    before, after = of(packets / case), of(tmp_path / "a" / "packets")
    assert prose(after) == prose(before)
    assert about(after) == about(before)
    assert judged(after) == judged(before)

    if case not in ONCE_MORE:
        return
    export_packets([after], tmp_path / "b", case)
    second = authored(tmp_path / "b" / case, tmp_path / "c", case)
    assert second["scenarios"][0]["released"]
    again, once = tree(tmp_path / "c" / "packets"), tree(tmp_path / "a" / "packets")
    assert again == once
    assert tree(tmp_path / "c" / "rubrics") == tree(tmp_path / "a" / "rubrics")


def test_an_import_of_what_was_exported_is_exported_as_the_same_files(packets: Path, tmp_path: Path) -> None:
    done = export_packets(open_scenarios(str(packets)), tmp_path / "b", "library")
    assert len(done.scenarios) == 10
    assert tree(tmp_path / "b") == tree(packets)


def test_the_triage_of_a_packet_is_read_written_and_names_the_part_of_the_body(tmp_path: Path) -> None:
    folder = tmp_path / "ankle" / "scenario1"
    for role in ROLES:
        (folder / role).mkdir(parents=True)
        (folder / role / "text.md").write_text(f"# {role}\n\nWhat the {role} has to know of the ankle.\n")
    (folder / "evaluator" / "text.md").write_text("# PC: patient care\n\n- Examines the ankle\n")
    entry = {"scenario_id": "scenario1", "patient_gender": "F", "injury_body_part": "left ankle"}
    said = {"simulatable": True, "case_shape": "one encounter", "scenarios": [entry]}
    (tmp_path / "ankle" / "triage.json").write_text(json.dumps(said))
    state = authored(tmp_path / "ankle", tmp_path / "out", "ankle")
    assert state["unread"] == []
    found = of(tmp_path / "out" / "packets" / "ankle")
    assert (found.sex, found.body_part, found.case_shape) == ("female", "left ankle", "one encounter")
    export_packets([found], tmp_path / "again", "ankle")
    told = json.loads((tmp_path / "again" / "ankle" / "triage.json").read_text())
    assert told["scenarios"][0]["injury_body_part"] == "left ankle"
    (folder / "evaluator" / "text.md").write_text("Nothing that is an item.\n")
    Path(tmp_path / "out" / "drafts" / "ankle" / "scenario1" / "evaluator" / "01-text.md").unlink()
    authored(tmp_path / "ankle", tmp_path / "out", "ankle")
    assert not (tmp_path / "out" / "packets").exists() or not tree(tmp_path / "out" / "packets")


@pytest.mark.parametrize("none", ["", "none", "N/A", "Not stated", "-"])
def test_a_part_of_the_body_that_is_not_told_is_not_known(none: str, tmp_path: Path) -> None:
    entry = {"scenario_id": "scenario1", "scenario_title": "A title", "injury_body_part": none}
    (tmp_path / "t.json").write_text(json.dumps({"case_shape": "x", "scenarios": [entry]}))
    assert triage_of(tmp_path, "scenario1") == {"title": "A title", "case_shape": "x"}


@pytest.mark.parametrize(
    ("heading", "is_one"),
    [
        ("PC: patient care", True),
        ("PC", True),
        ("Patient Care", True),
        ("Systems based practice (SBP)", True),
        ("ICS - Interpersonal and communication skills", True),
        ("PROF: professionalism, counting against the examinee", True),
        ("A session on professionalism", False),
        ("What the patient care assistant knows", False),
        ("Sources", False),
    ],
)
def test_items_stand_under_a_heading_that_is_a_competency_and_nothing_else(
    heading: str, is_one: bool
) -> None:
    assert of_competency(heading) is is_one
    assert len(list(rows(f"## {heading}\n\n- Washes hands\n"))) == is_one


def test_headings_that_tell_for_from_against_come_before_the_wording() -> None:
    for_it, against = "## PC: patient care", "## PC: patient care, counting against the examinee"
    text = f"{for_it}\n\n- Talks over nothing\n\n{against}\n\n- Waits"
    assert [row.against for row in rows(text)] == [False, True]
    assert [row.against for row in rows("## PC: patient care\n\n- Waits")] == [None]
