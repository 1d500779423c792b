"""The published formats, in their odd shapes; a bad row is named, with what is wrong with it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from osler.cases.importers.report import Rejected
from osler.errors import BadInput
from osler.protocols.vqa.item import LeftOut, VqaItem
from osler.protocols.vqa.readers import FORMATS
from osler.protocols.vqa.readers import mmmu as mmmu_reader
from tests.pictures.images import png
from tests.protocols.vqa.made_up import medxpertqa, mmmu, pmc_vqa, write


def read(path: Path, form: str) -> list[VqaItem | LeftOut | Rejected]:
    return list(FORMATS[form](path))


def one(
    tmp_path: Path, form: str, row: dict[str, Any], name: str = "questions.jsonl"
) -> VqaItem | LeftOut | Rejected:
    return read(write(tmp_path, [row], name), form)[0]


def reason(tmp_path: Path, form: str, row: dict[str, Any]) -> str:
    found = one(tmp_path, form, row)
    assert isinstance(found, Rejected), found
    assert found.record == 1
    return found.reason


def item(found: VqaItem | LeftOut | Rejected) -> VqaItem:
    assert isinstance(found, VqaItem), found
    return found


def test_medxpertqa_as_published(tmp_path: Path) -> None:
    (row,) = medxpertqa(1, pictures=2)
    found = item(one(tmp_path, "medxpertqa", row))
    assert found.id == "MM-0"
    assert found.options == tuple(row["options"].values())
    assert found.right == 0
    assert [(each.number, each.name) for each in found.pictures] == [(1, "MM-0-a.png"), (2, "MM-0-b.png")]
    assert dict(found.subjects)["body_system"] == "Cardiovascular"
    assert "Answer Choices" not in found.question, "the list would contradict the order shown"
    assert found.question.endswith("(0)")


def test_medxpertqa_of_text_alone_has_ten_options_and_no_picture(tmp_path: Path) -> None:
    (row,) = medxpertqa(1, options=10)
    del row["images"]
    found = item(one(tmp_path, "medxpertqa", row))
    assert len(found.options) == 10
    assert found.pictures == ()


@pytest.mark.parametrize(
    "options",
    [
        '{"A": "aorta", "B": "vena cava", "C": "azygos vein"}',
        "{'B': 'vena cava', 'A': 'aorta', 'C': 'azygos vein'}",
        ["aorta", "vena cava", "azygos vein"],
        [
            {"letter": "B", "content": "vena cava"},
            {"letter": "A", "content": "aorta"},
            {"letter": "C", "content": "azygos vein"},
        ],
        {"C": "azygos vein", "A": "aorta", "B": "vena cava", "D": None, "E": None},
        {"a": "aorta", "b": "vena cava", "c": "azygos vein"},
    ],
)  # fmt: skip
def test_options_in_other_shapes_and_orders(tmp_path: Path, options: Any) -> None:
    (row,) = medxpertqa(1, listed=False)
    found = item(one(tmp_path, "medxpertqa", {**row, "options": options, "label": "(b)"}))
    assert found.options == ("aorta", "vena cava", "azygos vein")
    assert found.right == 1


@pytest.mark.parametrize(
    "images", ["['MM-0-a.png']", '["MM-0-a.png"]', "MM-0-a.png", [{"path": "MM-0-a.png"}]]
)
def test_images_in_other_shapes(tmp_path: Path, images: Any) -> None:
    (row,) = medxpertqa(1)
    found = item(one(tmp_path, "medxpertqa", {**row, "images": images}))
    assert [each.name for each in found.pictures] == ["MM-0-a.png"]


def test_a_byte_order_mark_and_any_order_and_case_of_columns(tmp_path: Path) -> None:
    (row,) = medxpertqa(1)
    turned = {name.replace("_", " ").title(): value for name, value in reversed(row.items())}
    path = tmp_path / "marked.jsonl"
    path.write_text(json.dumps(turned) + "\n", encoding="utf-8-sig")
    assert read(path, "medxpertqa") == read(write(tmp_path, [row]), "medxpertqa")


def test_a_json_list_reads_as_lines_do(tmp_path: Path) -> None:
    rows = medxpertqa(3)
    path = tmp_path / "all.json"
    path.write_text(json.dumps(rows, indent=1))
    assert read(path, "medxpertqa") == read(write(tmp_path, rows), "medxpertqa")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"question": ""}, "no question"),
        ({"question": ["a"]}, "question is a list, not text"),
        ({"options": {}}, "0 options"),
        ({"options": {"A": "x", "C": "y"}}, "lettered A, C"),
        ({"options": {"A": "x"}}, "1 option,"),
        ({"options": {"A": "x", "B": " "}}, "option B is empty"),
        ({"options": {"A": "x", "B": {}}}, "holds an object"),
        ({"options": "__import__('os').getcwd()"}, "no list that can be read"),
        ({"options": "[" * 60_000}, "longer than"),
        ({"options": "[" * 40_000}, "no list that can be read"),
        ({"label": "F"}, "not a letter from A to E"),
        ({"label": "AB"}, "not a letter from A to E"),
        ({"label": None}, "no label"),
        ({"options": {"A": "same", "B": "same"}, "label": "A"}, "options A and B are the same"),
        ({"images": [7]}, "no picture"),
        ({"images": ["x.png"] * 30}, "30 pictures"),
        ({"question": "What does <image 3> show?"}, "names <image 3>"),
        ({"question": "What? Answer Choices: (A) other (B) ones"}, "are not its options"),
    ],
)  # fmt: skip
def test_a_row_without_sense_is_named(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    (row,) = medxpertqa(1, listed=False)
    assert words in reason(tmp_path, "medxpertqa", {**row, **change})


def test_mmmu_as_published(tmp_path: Path) -> None:
    found = read(write(tmp_path, mmmu(3)), "mmmu")
    first = item(found[0])
    assert first.options == ("The effusion's size", 'The "bat wing"', "Nothing", "Both lungs")
    assert first.right == 1
    assert [(each.number, each.name) for each in first.pictures] == [(1, "0-1.png"), (2, "0-2.jpg")]
    assert first.subjects == (("subject", "Clinical_Medicine"), ("subfield", "Clinical Radiology"))
    assert found[2] == LeftOut(3, mmmu_reader.OPEN)
    assert found[3] == LeftOut(4, mmmu_reader.ELSEWHERE)


def test_mmmu_has_its_pictures_inside(tmp_path: Path) -> None:
    raw = png(1)
    coded = base64.b64encode(raw).decode()
    (row, *_) = mmmu(1)
    row |= {"image_1": {"bytes": coded, "path": "a.png"}, "image_2": f"data:image/png;base64,{coded}"}
    found = item(one(tmp_path, "mmmu", row))
    assert [each.raw for each in found.pictures] == [raw, raw]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"options": "['a', 'b'"}, "no list that can be read"),
        ({"options": "{'a': 1}"}, "an object, not a list"),
        ({"options": "['a' 'b']"}, "1 option,"),
        ({"options": "[print(1)]"}, "no list that can be read"),
        ({"answer": "E"}, "not a letter from A to D"),
        ({"question_type": "essay"}, "neither multiple-choice nor open"),
        ({"image_1": {"bytes": "?"}}, "not base64"),
        ({"image_2": None}, "names <image 2>"),
    ],
)
def test_a_row_of_mmmu_without_sense_is_named(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    (row, *_) = mmmu(1)
    assert words in reason(tmp_path, "mmmu", {**row, **change})


def test_pmc_vqa_as_published(tmp_path: Path) -> None:
    found = [item(each) for each in read(write(tmp_path, pmc_vqa(5), "pmc.csv"), "pmc-vqa")]
    assert [each.right for each in found] == [0, 1, 2, 3, 0]
    assert found[0].options[1] == "Computed tomography", "the letter before it would tell the order"
    assert found[3].pictures[0].name == "PMC3_F1.jpg"
    assert [each.id for each in found] == ["1", "2", "3", "4", "5"]


def test_pmc_vqa_with_the_letter_as_its_answer(tmp_path: Path) -> None:
    (row,) = pmc_vqa(1)
    del row["Answer_label"]
    assert item(one(tmp_path, "pmc-vqa", {**row, "Answer": "C"})).right == 2
    assert item(one(tmp_path, "pmc-vqa", {**row, "Answer": " ultrasound."})).right == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Answer_label": "E"}, "not a letter from A to D"),
        ({"Answer_label": "B"}, "answer is the text of A"),
        ({"Answer_label": "", "Answer": ""}, "no answer_label and no answer"),
        ({"Choice C": ""}, "no choice_c"),
        ({"Figure_path": ""}, "no figure_path"),
    ],
)
def test_a_row_of_pmc_vqa_without_sense_is_named(tmp_path: Path, change: dict[str, str], words: str) -> None:
    (row,) = pmc_vqa(1)
    assert words in reason(tmp_path, "pmc-vqa", {**row, **change})


def test_half_a_character_is_replaced_since_nothing_can_be_sent_with_it(tmp_path: Path) -> None:
    (row,) = medxpertqa(1, listed=False)
    row |= {"id": "one\ud800", "question": "Which\udc00?", "options": {"A": "this\ud800", "B": "that"}}
    found = item(one(tmp_path, "medxpertqa", row))
    for text in (found.id, found.question, *found.options):
        assert text == text.encode("utf-8").decode()


def test_only_the_bad_row_is_rejected(tmp_path: Path) -> None:
    path = write(tmp_path, medxpertqa(3))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "{", lines[2]]))
    assert [type(each) for each in read(path, "medxpertqa")] == [VqaItem, Rejected, VqaItem]


def test_parquet_with_pictures_inside(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="Parquet is read with pyarrow (extra `analysis`)")
    parquet = pytest.importorskip("pyarrow.parquet")
    raw = png(1)
    rows = [
        {**row, "image_1": {"bytes": raw, "path": "a.png"}, "image_2": {"bytes": raw, "path": None}}
        for row in mmmu(9)
    ]
    path = tmp_path / "mmmu.parquet"
    parquet.write_table(arrow.Table.from_pylist(rows), path)
    found = [each for each in read(path, "mmmu") if isinstance(each, VqaItem)]
    assert len(found) == 6
    assert all([each.raw for each in one.pictures] == [raw, raw] for one in found)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(BadInput, match="Parquet"):
        read(path, "mmmu")
