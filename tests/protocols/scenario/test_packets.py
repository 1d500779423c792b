"""Published packets: read with all their quirks, or refused with the reason."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from osler.cases.rubrics.importing import export_rubrics, import_rubrics
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.packet_text import MAX_BYTES
from osler.cases.scenarios.sources import ScenarioSource, open_scenarios
from osler.cases.scenarios.triage import age_of, urgency_of
from tests.protocols.scenario.packets import CASES, COMPETENCIES, RUBRICS, copied, put_packet, put_rubric


def read(folder: Path, rubrics: Path | None = None) -> tuple[list[Scenario], list[str]]:
    source: ScenarioSource = open_scenarios(str(folder), rubrics=rubrics)
    found = list(source)
    assert source.report is not None
    assert source.report.read == source.report.imported + source.report.rejected
    return found, [one.reason for one in source.report.reasons if one.kind == "rejected"]


def test_our_packets_are_read_or_refused_and_none_is_passed_over() -> None:
    found, refused = read(CASES)
    assert [scenario.id for scenario in found] == [
        "mededportal_90001/scenario2",
        "mededportal_90001/scenario10",
        "mep-99-90001-s001/scenario1",
    ]
    assert refused == [
        "mededportal_90001/scenario3: has no folder environment_controller",
        "mededportal_90001/scenario4: the folder environment_controller is empty",
        "mep_2374-8265.90001-s001: not simulatable: It is a lecture, not an encounter.",
    ]


def test_a_packet_has_the_prose_of_each_role_and_what_its_triage_says() -> None:
    first = read(CASES)[0][0]
    assert first.packet is not None
    assert "walk-in room" in first.packet.examinee
    assert "apixaban" not in first.packet.examinee  # it is struck through
    assert "Diagnosis: anterior epistaxis" in first.packet.environment_controller
    assert (first.age_years, first.sex, first.urgency) == (72, "male", "emergency")
    assert (first.specialty, first.case_shape) == ("Emergency medicine", "single visit")
    assert first.provenance.flags == (
        "note: examinee/instructions.md: text that was struck through was left out",
    )


def test_what_a_triage_does_not_say_plainly_is_not_known() -> None:
    second, third = read(CASES)[0][1:]
    assert (second.title, second.age_years, second.sex) == ("Asking for a sick note", None, None)
    assert (third.age_years, third.specialty, third.urgency) == (None, None, None)


def test_aliases_nested_folders_and_names_with_spaces_are_read_in_natural_order() -> None:
    second = read(CASES)[0][1]
    packet = second.packet
    assert packet is not None
    assert [file.name for file in packet.files if file.role == "examinee"] == [
        "Brief for you.txt",
        "more/2 the room",
        "more/10 the time.markdown",
    ]
    assert (
        packet.examinee.split()
        == (
            "A patient of your practice has an appointment in five minutes. Speak with him. "
            "A small consulting room. A desk, two chairs. You have ten minutes."
        ).split()
    )
    assert "sick note" in packet.sp_actor
    assert "phone: rings once" in packet.environment_controller
    assert second.provenance.flags == ("note: environment_controller/plan.png is no text and was left out",)


def test_rubrics_lie_beside_the_cases_or_where_they_are_said_to(tmp_path: Path) -> None:
    items = [scenario.items for scenario in read(CASES)[0]]
    assert [len(one.items) if one else None for one in items] == [4, 0, 2]
    shutil.copytree(CASES, tmp_path / "a" / "cases")
    alone = read(tmp_path / "a" / "cases")[0]
    assert [scenario.items for scenario in alone] == [None] * 3
    assert "note: no rubric" in alone[0].provenance.flags
    named = read(tmp_path / "a" / "cases", RUBRICS)[0]
    assert [scenario.items for scenario in named] == items


def test_a_rubric_that_cannot_be_used_leaves_the_scenario_without_one(tmp_path: Path) -> None:
    cases, rubrics = tmp_path / "cases", tmp_path / "rubrics"
    for number, raw in ((1, ""), (2, "{"), (3, None)):
        put_packet(cases, "case", f"scenario{number}")
        put_rubric(rubrics, "case", f"scenario{number}", {}, raw=raw)
    put_packet(cases, "case", "scenario4")
    put_rubric(rubrics, "case", "scenario4", {"PC": ["Sits down"]}).rename(rubrics / "other name.json")
    flags = [(scenario.provenance.flags, scenario.items is None) for scenario in read(cases)[0]]
    assert flags == [
        (("note: no rubric: case_scenario1.json: the file is empty (0 bytes)",), True),
        (("note: no rubric: case_scenario2.json: not valid JSON: it ends too early",), True),
        ((), False),
        ((), False),
    ]


def _binary(packet: Path) -> None:
    (packet / "examinee" / "text.md").write_bytes(b"caf\xe9")


def _utf16(packet: Path) -> None:
    (packet / "examinee" / "text.md").write_text("Some words.", encoding="utf-16")


def _large(packet: Path) -> None:
    (packet / "sp_actor" / "more.txt").write_text("x" * (MAX_BYTES + 1))


def _large_together(packet: Path) -> None:
    for number in range(3):
        (packet / "sp_actor" / f"{number}.txt").write_text("x" * (MAX_BYTES // 2))


def _large_roles(packet: Path) -> None:
    for role in ("examinee", "sp_actor"):
        (packet / role / "more.txt").write_text("x" * (MAX_BYTES - 100))


def _missing(packet: Path) -> None:
    shutil.rmtree(packet / "evaluator")


def _picture_only(packet: Path) -> None:
    (packet / "evaluator" / "text.md").rename(packet / "evaluator" / "text.pdf")


def _two(packet: Path) -> None:
    shutil.copytree(packet / "sp_actor", packet / "sp")


def _link_out(packet: Path) -> None:
    (packet.parent.parent / "secret.md").write_text("secret")
    (packet / "examinee" / "more.md").symlink_to(packet.parent.parent / "secret.md")


def _folder_link(packet: Path) -> None:
    shutil.rmtree(packet / "examinee")
    (packet / "examinee").symlink_to(CASES)


def _loop(packet: Path) -> None:
    (packet / "examinee" / "loop.md").symlink_to(packet / "examinee" / "loop.md")


def _not_ours(packet: Path) -> None:
    packet.rename(packet.parent / "scenario(1)")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_binary, "examinee/text.md is not UTF-8: byte 4 cannot be decoded"),
        (_utf16, "examinee/text.md is not UTF-8"),
        (_large, "sp_actor/more.txt is longer than 1.5 MB"),
        (_large_together, "the texts of sp_actor are longer than 1.5 MB"),
        (_large_roles, "its texts are longer than 1.5 MB"),
        (_missing, "has no folder evaluator"),
        (_picture_only, "the folder evaluator is empty (nothing that is text)"),
        (_two, "has two folders for sp_actor: sp and sp_actor"),
        (_link_out, "examinee/more.md is a link out of the folder"),
        (_folder_link, "examinee is a link out of the folder"),
        (_loop, "examinee/loop.md is a link out of the folder"),
        (_not_ours, "scenario: string should match pattern"),
    ],
)
def test_a_bad_packet_is_refused_with_the_reason(
    spoil: Callable[[Path], None], why: str, tmp_path: Path
) -> None:
    spoil(put_packet(tmp_path / "cases", "mep-99-1-s001"))
    put_packet(tmp_path / "cases", "mep-99-2-s001")
    found, refused = read(tmp_path / "cases")
    assert [scenario.case_id for scenario in found] == ["mep-99-2-s001"]
    assert len(refused) == 1
    assert why in refused[0]
    assert len(open_scenarios(str(tmp_path / "cases")).fingerprint) == 32


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_packet_its_case_or_all_cases_may_be_named(depth: int) -> None:
    packet = CASES / "mep-99-90001-s001" / "scenario1"
    folder = (packet, packet.parent, CASES)[depth]
    found = read(folder, RUBRICS)[0][-1]
    assert found.id == "mep-99-90001-s001/scenario1"
    assert found.items is not None


def test_a_folder_of_a_case_without_scenarios_is_not_passed_over(tmp_path: Path) -> None:
    cases = copied(tmp_path)
    (cases / "mededportal_1" / "notes").mkdir(parents=True)
    (cases / "mededportal_2" / "scenario7").mkdir(parents=True)
    refused = read(cases)[1]
    assert "mededportal_1: holds no folder of a scenario" in refused
    assert any(one.startswith("mededportal_2/scenario7: has no folder examinee") for one in refused)


@pytest.mark.parametrize(
    ("text", "years"),
    [("54", 54), ("54-year-old", 54), ("6 months", 0.5), ("3 days", 0.008), ("40-50", None), ("old", None)],
)
def test_an_age_is_one_number_or_unknown(text: str, years: float | None) -> None:
    assert age_of(text) == years


@pytest.mark.parametrize(
    ("text", "urgency"),
    [
        ("Emergent", "emergency"),
        ("urgent", "urgent"),
        ("non-urgent", "routine"),
        ("not stated", None),
        ("Routine follow-up", "routine"),
    ],
)
def test_urgency_is_read_of_words(text: str, urgency: str | None) -> None:
    assert urgency_of(text) == urgency


@pytest.mark.slow
def test_a_folder_of_the_published_size_is_read_to_the_last_file(tmp_path: Path) -> None:
    """As published: 1,638 files, 4 of them of zero bytes, 86 without an item, numbers with gaps."""
    folder = tmp_path / "rubrics"
    wordings = ("Asks about {}", "Fails to mention {}", "Partially explains {}", "Fully explains {}", "{}")
    items = 0
    for number in range(1638):
        case = (f"mededportal_{20_000 + number // 2}", f"mep-77-{number // 2}-s001")[number % 2]
        scenario = f"scenario{1 + number % 40}"
        count = 0 if 4 <= number < 90 else 1 + number % 5
        held = [one.format(f"point {number}") for one in wordings[:count]]
        by = {COMPETENCIES[(number + place) % 6]: [text] for place, text in enumerate(held)}
        put_rubric(folder, case, scenario, by, raw="" if number < 4 else None)
        items += len(held) if number >= 4 else 0
    report = import_rubrics(folder, tmp_path / "out")
    assert (report.read, report.imported, report.empty, report.rejected) == (1638, 1548, 86, 4)
    assert report.items == items == sum(report.items_by_competency.values())
    rejected = [one.reason for one in report.reasons if one.kind == "rejected"]
    assert rejected == ["the file is empty (0 bytes)"] * 4
    written, _ = export_rubrics(tmp_path / "out", tmp_path / "back")
    assert written == 1634
    for path in sorted((tmp_path / "back").iterdir())[::100]:
        assert json.loads(path.read_text()) == json.loads((folder / path.name).read_text())
