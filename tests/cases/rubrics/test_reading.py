"""Published files: read as they are or refused with a reason, and written back with equal content."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from osler.cases.rubrics.importing import export_rubrics, import_rubrics
from osler.cases.rubrics.lint import lint
from osler.cases.rubrics.model import COMPETENCIES, items_of
from osler.cases.rubrics.near_duplicates import clusters, source_case
from osler.cases.rubrics.reading import MAX_BYTES, load, parse, published, published_text, read_all
from osler.cases.rubrics.side_file import side_text
from osler.errors import BadInput
from tests.cases.rubrics.samples import CHEST_PAIN, published_of, rubric_of, write

DATA = Path(__file__).parents[3] / "../shared/data/medsp1000"

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
texts = st.lists(words.filter(str.strip), max_size=4)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def rubrics(draw: st.DrawFn) -> dict[str, Any]:
    """Any rubric that can be read: fields in any order, lists left out, fields of other tools."""
    value: dict[str, Any] = {"case_id": draw(words.filter(str.strip)), "scenario": "scenario1"}
    if draw(st.booleans()):
        value["rubric_version"] = draw(st.none() | words)
    kept = draw(st.lists(st.sampled_from(COMPETENCIES), min_size=1, unique=True))
    value |= {name: draw(texts) for name in kept}
    ours = {"case_id", "scenario", "rubric_version", *COMPETENCIES}
    value |= draw(st.dictionaries(words.filter(lambda name: name not in ours), anything, max_size=3))
    order = draw(st.permutations(list(value)))
    return {name: value[name] for name in order}


@given(rubrics())
def test_what_is_written_back_is_what_was_read(value: dict[str, Any]) -> None:
    rubric = parse(json.dumps(value).encode())
    again = json.loads(published_text(rubric))
    assert again == value
    assert list(again) == list(value), "the order of the fields too"
    assert len(rubric.items) == sum(len(value.get(name, ())) for name in COMPETENCIES)


@given(st.lists(st.tuples(st.sampled_from(COMPETENCIES), words), max_size=12))
def test_ids_are_unique_and_do_not_depend_on_what_stands_around(pairs: list[tuple[Any, str]]) -> None:
    items = items_of(pairs)
    assert len({item.id for item in items}) == len(items)
    for competency, text in pairs:
        assert items_of([(competency, text)])[0].id in {item.id for item in items}


REFUSED = {
    b"": "the file is empty (0 bytes)",
    b" \n": "nothing but blanks",
    b"[]": "must hold one object",
    b'"PC"': "must hold one object",
    b'{"case_id": "a", "scenario"': "ends too early",
    b'{"case_id": "a", "scenario": "s", "PC": ["x"],}': "not valid JSON",
    b'{"case_id": "\xff", "scenario": "s", "PC": []}': "not UTF-8: byte 14",
    b'{"case_id": "\\ud800", "scenario": "s", "PC": []}': "half a character",
    b'{"case_id": "a", "scenario": "s", "PC": [], "PC": ["x"]}': "a field is repeated",
    b'{"case_id": "a", "scenario": "s", "PC": [], "x": NaN}': "NaN is no number",
    b'{"case_id": "a", "scenario": "s", "PC": [], "x": 1e999}': "no number that can be kept",
    b'{"case_id": 3, "scenario": "s", "PC": []}': "case_id must be a text",
    b'{"case_id": "a", "scenario": " ", "PC": []}': "scenario must be a text",
    b'{"case_id": "a", "scenario": "s"}': "none of PC",
    b'{"case_id": "a", "scenario": "s", "rubric_version": 2, "PC": []}': "rubric_version must be a text",
    b'{"case_id": "a", "scenario": "s", "PC": {"Asks": true}}': "PC must be a list",
    b'{"case_id": "a", "scenario": "s", "PC": ["Asks", 3]}': "PC, item 2: must be a text",
    b'{"case_id": "a", "scenario": "s", "ICS": ["  "]}': "ICS, item 1: is blank",
    b'{"case_id": "a", "scenario": "s", "PC": ' + b"[" * 100_000 + b"}": "nested too deeply",
    "{}".encode("utf-16"): "UTF-16",
    b'{"a": "' + b"x" * MAX_BYTES + b'"}': "longer than 5 MB",
}


def test_every_damage_is_refused_with_its_own_reason_and_costs_no_other_file(tmp_path: Path) -> None:
    good = write(tmp_path / "in" / "deep folder", published_of())
    for number, raw in enumerate(REFUSED):
        (tmp_path / "in" / f"bad{number}.json").write_bytes(raw)
    (tmp_path / "in" / "folder.json").mkdir()
    (tmp_path / "in" / ".hidden.json").write_bytes(b"")
    found = {one.file: one for one in read_all(tmp_path / "in")}
    assert found.pop(f"deep folder/{good.name}").rubric is not None
    for number, (raw, reason) in enumerate(REFUSED.items()):
        assert reason in found[f"bad{number}.json"].reason, raw[:60]
    assert len(found) == len(REFUSED)
    report = import_rubrics(tmp_path / "in", tmp_path / "out")
    assert (report.read, report.imported, report.rejected) == (len(REFUSED) + 1, 1, len(REFUSED))


def test_a_byte_order_mark_and_an_unknown_version_are_read_and_noted(tmp_path: Path) -> None:
    value = published_of(rubric_version="v9", examiner="B")
    del value["PROF"]
    (tmp_path / "other.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(value).encode())
    (found,) = read_all(tmp_path)
    assert found.rubric is not None
    assert published(found.rubric) == value
    told = " ".join(found.remarks)
    assert all(word in told for word in ('"v9"', "PROF", '"examiner"', "not named after"))


def test_files_come_in_natural_order_and_nothing_to_read_is_said(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        write(tmp_path / "in", published_of(scenario=f"scenario{number}"))
    names = [found.file.rpartition("_")[2] for found in read_all(tmp_path / "in")]
    assert names == ["scenario1.json", "scenario2.json", "scenario10.json"]
    for nothing in ("in/none", "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(BadInput):
            list(read_all(tmp_path / nothing))


def test_import_counts_writes_and_keeps_what_people_corrected(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    write(source, published_of())
    write(source, published_of(scenario="scenario2", items={}))
    report = import_rubrics(source, out)
    assert (report.read, report.imported, report.empty, report.rejected) == (2, 1, 1, 0)
    assert report.items == sum(map(len, CHEST_PAIN.values())) == sum(report.items_by_competency.values())
    file = out / "cardiology-01_scenario1.json"
    side = file.with_suffix(".yaml")
    corrected = side.read_text().replace("critical: false", "critical: true", 1)
    side.write_text(corrected)
    again = import_rubrics(source, out)
    assert (again.imported, again.kept) == (1, 2)
    assert side.read_text() == corrected
    assert load(file).items[0].traits.critical
    assert published(load(file)) == published_of(), "a correction never reaches the published form"


def test_import_never_writes_over_another_rubric_nor_into_its_source(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    file = write(one, published_of())
    write(other, published_of(items={"PC": ["Washes hands"]}))
    import_rubrics(one, tmp_path / "out")
    report = import_rubrics(other, tmp_path / "out")
    assert report.rejected == 1
    assert "another rubric is already there" in report.reasons[0].reason
    assert published(load(tmp_path / "out" / file.name)) == published_of()
    for inside in (one, one / "sub"):
        with pytest.raises(BadInput, match="is inside the folder"):
            import_rubrics(one, inside)


def test_export_equals_its_source(tmp_path: Path) -> None:
    value = published_of(notes=["of another tool"], PROF=["Same words", "Same words"])
    write(tmp_path / "in", value)
    import_rubrics(tmp_path / "in", tmp_path / "out")
    assert export_rubrics(tmp_path / "out", tmp_path / "back") == (1, ())
    (file,) = (tmp_path / "back").iterdir()
    assert json.loads(file.read_text(encoding="utf-8")) == value


@pytest.mark.skipif(not DATA.is_dir(), reason="the published rubrics are not here")
def test_all_published_rubrics_at_hand_are_read_or_refused_and_come_back(tmp_path: Path) -> None:
    report = import_rubrics(DATA / "rubrics", tmp_path / "out")
    assert (report.read, report.imported, report.empty, report.rejected) == (63, 60, 2, 1)
    assert (report.items, report.items_by_competency["PC"]) == (931, 463)
    notes = [reason.reason for reason in report.reasons if reason.kind == "note"]
    assert {reason.kind for reason in report.reasons} == {"empty", "note", "rejected"}
    assert [note.partition(" (")[0] for note in notes] == ["doubtful points of items: 1"]
    export_rubrics(tmp_path / "out", tmp_path / "back")
    for file in sorted((tmp_path / "back").iterdir()):
        source = json.loads((DATA / "rubrics" / file.name).read_text(encoding="utf-8"))
        assert json.loads(file.read_text(encoding="utf-8")) == source
    assert "case_id must be a text" in next(read_all(DATA / "subset_60.json")).reason


# Side files


def test_a_side_file_corrects_only_what_it_names(tmp_path: Path) -> None:
    file = write(tmp_path, published_of(items={"PC": ["Does not administer oxygen", "Washes hands"]}))
    first, second = load(file).items
    file.with_suffix(".yaml").write_text(f"items:\n- {{id: {first.id!r}, negative: true, weight: 3}}\n")
    corrected, other = load(file).items
    assert (corrected.traits.negative, corrected.traits.weight) == (True, 3)
    assert corrected.traits.by_absence == first.traits.by_absence
    assert other == second
    assert corrected.text == first.text


@pytest.mark.parametrize(
    ("side", "reason"),
    [
        ("items: [{id: '0123456789ab'}]", "no item 0123456789ab"),
        ("items: [{id: ID, text: Washes feet}]", "not the published one"),
        ("items: [{id: ID}, {id: ID}]", "is in it twice"),
        ("items: [{id: ID, weight: -1}]", "weight"),
        ("items: [{id: ID, negative: perhaps}]", "negative"),
        ("items: [{id: ID, polarity: negative}]", "polarity"),
        ("rubric: other/scenario1", "side file of other"),
        ("items: [", "not valid YAML at line"),
        ("- x", "the file"),
        ("", "the file"),
        ("!!python/object/apply:os.getcwd []", "not valid YAML"),
    ],
)
def test_a_side_file_that_does_not_fit_is_refused(tmp_path: Path, side: str, reason: str) -> None:
    file = write(tmp_path, published_of(items={"PC": ["Washes hands"]}))
    (item,) = load(file).items
    file.with_suffix(".yaml").write_text(side.replace("ID", repr(item.id)))
    with pytest.raises(BadInput, match=reason):
        load(file)
    (found,) = read_all(tmp_path)
    assert found.rubric is None
    assert found.reason


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rubrics())
def test_a_side_file_that_was_written_reads_back_the_same(tmp_path: Path, value: dict[str, Any]) -> None:
    file = write(tmp_path, value, "rubric.json")
    file.with_suffix(".yaml").unlink(missing_ok=True)
    before = load(file)
    file.with_suffix(".yaml").write_text(side_text(before), encoding="utf-8", newline="\n")
    assert load(file) == before


# Shared rubrics


def test_rubrics_of_one_source_or_alike_are_one_cluster() -> None:
    items = ("Washes hands", "Asks about pain", "Explains the plan", "Thanks the patient")
    held = [
        rubric_of(*items, case_id="mededportal_1_1"),
        rubric_of("Lifts the leg", case_id="mededportal_1_2"),
        rubric_of(*(f"{n}. {text.upper()}!" for n, text in enumerate(items[:3], 1)), case_id="mep-2-3-s001"),
        rubric_of("Taps the knee", case_id="mep-2-3-s002"),
        rubric_of(items[0], "Lifts the arm", "Looks at the tongue", case_id="mededportal_12"),
        rubric_of("Lifts the arm", case_id="mededportal_1"),
    ]
    names = clusters(held)
    assert len({names[rubric.key] for rubric in held[:4]}) == 1, "alike joins what is of one source too"
    assert names[held[4].key] == held[4].key, "one item of three is not enough"
    assert names[held[5].key] == names[held[0].key]
    assert source_case("mededportal_10012") == "mededportal_10012"
    kinds = [remark.kind for remark in lint({rubric.key: rubric for rubric in held})]
    assert kinds.count("shared") == 2
    assert kinds.count("same_case") == 5


def test_lint_names_each_kind_once_per_item() -> None:
    rubric = rubric_of(
        "Fails to wash hands",
        "Does not administer oxygen",
        "Excellent: explains",
        "Poor: silent",
        "The patient has a fever",
        "Cough",
        "cough",
        "word " * 61,
        "Circle one: 1 - poor, 2 - fair, 3 - good",
    )
    found = Counter(one.kind for one in lint({"a.json": rubric, "b.json": rubric_of("x y", case_id="other")}))
    assert found == {
        "negative": 2,
        "unsure": 1,
        "level": 2,
        "finding": 1,
        "short": 2,
        "duplicate": 1,
        "long": 1,
        "scale": 1,
    }
    empty = parse(json.dumps(published_of(items={})).encode())
    assert [remark.kind for remark in lint({"e.json": empty})] == ["empty"]


@pytest.mark.parametrize("text", ["(1" * 300_000, "\n1 - " * 300_000, "not " * 300_000, " " * 10**6 + "x"])
def test_a_huge_item_is_read_and_looked_over_like_any_other(text: str) -> None:
    rubric = rubric_of(text, "Washes hands")
    assert rubric.items[0].text == text
    assert [one.item for one in lint({"a.json": rubric}) if one.kind == "duplicate"] == []
