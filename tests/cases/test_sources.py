"""Where cases come from, and our own format: what is written reads back as the same case."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.importers import Rejected, import_file, write_case
from osler.cases.importers.osler_yaml import case_text
from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.errors import BadCase, BadInput

FIXTURES = Path(__file__).parents[1] / "fixtures"
SMALL = FIXTURES / "agentclinic_small.jsonl"
SOUND = FIXTURES / "sound_case.yaml"


def sound() -> Case:
    (case,) = import_file(SOUND)
    assert isinstance(case, Case)
    return case


def read_text(tmp_path: Path, text: str) -> list[Case | Rejected]:
    path = tmp_path / "case.yaml"
    path.write_text(text, encoding="utf-8")
    return list(import_file(path))


# --- our own YAML


def test_what_is_written_reads_back_as_the_same_case(tmp_path: Path) -> None:
    path = write_case(sound(), tmp_path / "new")
    assert path.name == "amber-harbour.yaml"
    (back,) = import_file(path)
    assert isinstance(back, Case)
    assert back.content_hash == sound().content_hash


awkward = st.one_of(
    st.text(min_size=1),
    st.sampled_from(
        [
            "no",
            "12:30",
            "2024-01-01",
            "1e5",
            "0x1F",
            "~",
            "null",
            "- a",
            "# b",
            " c ",
            "d: e",
            "\u2028",
            "\x85",
            "\ufeff",
            "*a",
            "!b",
            "'",
            "\ttab",
            "\r\n",
            "a\n b\n\n",
        ]
    ),
)


@given(awkward, awkward)
def test_any_text_survives_writing(tmp_path_factory: pytest.TempPathFactory, words: str, result: str) -> None:
    case = sound()
    case = case.model_copy(
        update={
            "opening": case.opening.model_copy(update={"words": words}),
            "findings": (case.findings[0].model_copy(update={"result": result}),),
        }
    )
    (back,) = import_file(write_case(case, tmp_path_factory.mktemp("written")))
    assert back == case


def test_a_different_file_is_never_overwritten(tmp_path: Path) -> None:
    path = write_case(sound(), tmp_path)
    kept = path.read_text()
    assert write_case(sound(), tmp_path) == path
    with pytest.raises(BadInput, match="different file"):
        write_case(sound().model_copy(update={"setting": "Elsewhere"}), tmp_path)
    assert path.read_text() == kept
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


def test_a_folder_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        write_case(sound(), tmp_path / "file" / "below")


def test_half_a_character_cannot_be_written(tmp_path: Path) -> None:
    case = sound().model_copy(update={"setting": "\ud800"})
    with pytest.raises(BadCase):
        write_case(case, tmp_path)
    assert not list(tmp_path.iterdir())


def test_every_field_that_is_wrong_is_named_in_one_line(tmp_path: Path) -> None:
    text = (
        case_text(sound())
        .replace("topic: course", "topic: smoke")
        .replace("spoken: It started", "spokn: It started")
    )
    (found,) = read_text(tmp_path, text)
    assert isinstance(found, Rejected)
    assert "facts[0].topic: input should be" in found.reason
    assert "facts[0].spokn: there is no such field; did you mean spoken?" in found.reason
    assert "\n" not in found.reason


def test_yes_and_no_and_times_stay_text(tmp_path: Path) -> None:
    (case,) = read_text(tmp_path, case_text(sound()).replace("setting: General practice", "setting: no"))
    assert isinstance(case, Case)
    assert case.setting == "no"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: &x [1]\nb: *x\n", "anchor"),
        ("a: !!python/object:os.system x\n", "tag"),
        ("a: [1\n", "YAML"),
        ("a: \x07\n", "YAML"),
        ("just words", "mapping"),
        ("[" * 3000 + "]" * 3000, "deeply"),
        ("a: " + "9" * 30, "missing"),
    ],
    ids=["alias", "tag", "open", "bell", "text", "deep", "number"],
)
def test_tricks_and_damage_are_rejected_with_a_reason(tmp_path: Path, text: str, reason: str) -> None:
    found = read_text(tmp_path, text)
    assert isinstance(found[-1], Rejected)
    assert reason in found[-1].reason


def test_several_documents_and_lists_hold_several_cases(tmp_path: Path) -> None:
    one, two = (case_text(sound().model_copy(update={"id": name})) for name in ("one", "two"))
    assert len(read_text(tmp_path, f"{one}---\n{two}")) == 2
    listed = "".join("- " + text.replace("\n", "\n  ").rstrip() + "\n" for text in (one, two))
    assert [case.id for case in read_text(tmp_path, listed) if isinstance(case, Case)] == ["one", "two"]


def test_cases_as_json_lines_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(sound().model_dump_json() + "\n{}\n")
    case, rejected = import_file(path)
    assert isinstance(case, Case)
    assert case.content_hash == sound().content_hash
    assert isinstance(rejected, Rejected)


def test_a_file_without_a_case_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        read_text(tmp_path, "# nothing\n")
    with pytest.raises(BadInput, match="longer"):
        read_text(tmp_path, "a: " + "x" * 5_000_000)


# --- sources


def test_a_file_is_a_source_that_can_be_read_again() -> None:
    source = open_source(str(SMALL))
    assert [case.id for case in source] == [case.id for case in source]
    assert source.label == SMALL.name
    assert source.report is not None
    assert (source.report.read, source.report.rejected) == (4, 1)


def test_cases_can_be_got_by_number_in_any_order() -> None:
    source = open_source(str(SMALL))
    cases = list(source)
    assert [source.get(n) for n in (2, 0, 1, 2)] == [cases[n] for n in (2, 0, 1, 2)]
    for wrong in (-1, 3):
        with pytest.raises(BadInput):
            source.get(wrong)
    assert source.get(0) == cases[0]


def test_a_folder_is_read_in_natural_order_and_a_bad_file_costs_only_itself(tmp_path: Path) -> None:
    for name in ("case10", "case9"):
        write_case(sound().model_copy(update={"id": name}), tmp_path)
    (tmp_path / "case11.yaml").write_text("")
    (tmp_path / "notes.txt").write_text("not a case")
    shutil.copy(SMALL, tmp_path / "z.jsonl")
    source = open_source(str(tmp_path))
    assert [case.id for case in source][:3] == ["case9", "case10", "agentclinic-0001"]
    assert source.report is not None
    assert source.report.rejected == 2
    assert "case11.yaml: the file is empty" in {reason.reason for reason in source.report.reasons}


def test_two_record_files_do_not_share_ids(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        shutil.copy(SMALL, tmp_path / name)
    ids = [case.id for case in open_source(str(tmp_path))]
    assert len(set(ids)) == len(ids) == 6


def test_a_case_id_used_twice_is_rejected_and_said(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        shutil.copy(SOUND, tmp_path / name)
    source = open_source(str(tmp_path))
    assert len(list(source)) == 1
    assert source.report is not None
    assert source.report.reasons[0].reason == "b.yaml: the id amber-harbour is already used in a.yaml"


def test_the_fingerprint_is_of_what_the_files_say_not_of_where_they_lie(tmp_path: Path) -> None:
    copy = tmp_path / SMALL.name
    shutil.copy(SMALL, copy)
    before = open_source(str(copy)).fingerprint
    assert before == open_source(str(SMALL)).fingerprint
    copy.write_bytes(copy.read_bytes() + b"\n")
    assert open_source(str(copy)).fingerprint != before


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("librari", "did you mean library"),
        ("generated:0:1", "write generated:N:SEED"),
        ("no/such/folder", "accepted are"),
        ("bad\0name", "accepted are"),
        ("x" * 5000, "accepted are"),
        ("", "accepted are"),
    ],
)
def test_an_unknown_source_says_what_is_accepted(spec: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        open_source(spec)


def test_an_empty_folder_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no case files"):
        open_source(str(tmp_path))


# --- files that are read with others


def ddxplus(folder: Path) -> Path:
    for file in (FIXTURES / "ddxplus_small").iterdir():
        shutil.copy(file, folder)
    return folder / "release_patients.csv"


def test_what_a_table_is_read_with_is_no_file_of_cases(tmp_path: Path) -> None:
    ddxplus(tmp_path)
    source = open_source(str(tmp_path))
    assert len(list(source)) == 4
    assert source.report is not None
    assert all("release_patients.csv" in reason.reason for reason in source.report.reasons)


def test_what_a_table_is_read_with_is_in_the_fingerprint(tmp_path: Path) -> None:
    table = ddxplus(tmp_path)
    before = [open_source(str(spec)).fingerprint for spec in (table, tmp_path)]
    evidences = tmp_path / "release_evidences.json"
    evidences.write_text(evidences.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    after = [open_source(str(spec)).fingerprint for spec in (table, tmp_path)]
    assert not set(before) & set(after)


def test_a_file_that_only_has_such_a_name_is_not_passed_over(tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "medtutor_small.json", tmp_path / "conditions.json")
    assert list(open_source(str(tmp_path)))


@pytest.mark.parametrize("spec", ["library", "generated:2:1"])
def test_our_own_cases_have_no_other_format(spec: str) -> None:
    with pytest.raises(BadInput, match="omit --format"):
        open_source(spec, "mediq")


def test_half_a_character_in_a_record_is_left_out_and_a_whole_one_stays(tmp_path: Path) -> None:
    """JSON may name lone surrogates, which no store and no hash takes; a pair of them is one character."""
    case = next(iter(open_source("generated:1:1")))
    text = case.model_copy(update={"title": "MARK"}).model_dump_json()
    text = text.replace("MARK", "Half \\ud800, whole \\ud83d\\ude00")
    (tmp_path / "cases.jsonl").write_text(text)
    (read,) = open_source(str(tmp_path / "cases.jsonl"))
    assert read.title == "Half , whole \U0001f600"
    assert read.content_hash
