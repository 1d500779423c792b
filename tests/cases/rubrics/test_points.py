"""Points of criteria: signs, brackets, commas and halves are read; what is doubtful or missing is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.rubrics.importing import import_rubrics
from osler.cases.rubrics.inference import doubt, infer
from osler.cases.rubrics.lint import lint
from osler.cases.rubrics.points import read_points
from osler.cases.rubrics.reading import load, read_all
from osler.errors import BadInput
from osler.text.records.missing import is_missing
from tests.cases.rubrics.samples import rubric_of

GIVEN = Path(__file__).parents[4] / "shared" / "data" / "field-inputs" / "rubrics"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Takes the pulse (1,5 points)", 1.5),
        ("Takes the pulse ½ mark", 0.5),
        ("Takes the pulse (1½ marks)", 1.5),
        ("Takes the pulse, half a mark", 0.5),
        ("Recommends aspirin 300 mg [-5]", -5),
        ("[-5] Recommends aspirin 300 mg", -5),
        ("Fails to ask about allergies (-4)", -4),
        ("Recommends aspirin (\N{MINUS SIGN}2)", -2),
        ("Recommends aspirin \N{MINUS SIGN}2", -2),
        ("Recommends aspirin (minus 3 points)", -3),
        ("Recommends aspirin minus 3", -3),
        ("Recommends aspirin -5 points", -5),
        ("Asks about onset (+3)", 3),
        ("Asks about onset - 3 points", 3),
        ("Mentions at least 2 points", None),
        ("Avoids jargon (2)", None),
        ("Names STEMI (worth 5%)", None),
        ("Asks (1,000 points)", None),
        ("Gives aspirin 300 mg", None),
    ],
)
def test_points_in_a_text(text: str, value: float | None) -> None:
    assert read_points(text).value == value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Avoids jargon (2)", "not read: the item counts 1"),
        ("Names STEMI (worth 5%)", "not read: the item counts 1"),
        ("Notes a base excess of -4", "may be a value"),
        ("Asks about onset - 3 points", "may be a minus or none"),
        ("Does not interrupt the patient (-2)", "its wording counts for, and its points against"),
        ("Fails to ask about allergies (+3)", "its wording counts against, and its points for"),
        ("Asks about onset (0 points)", "counts for nothing"),
        ("Asks about onset (3 points)", ""),
        ("Asks about onset", ""),
    ],
)
def test_a_figure_of_two_meanings_is_a_remark(text: str, told: str) -> None:
    rubric = infer(rubric_of(text))
    assert told in doubt(rubric.items[0])
    assert bool(told) is any(remark.kind == "points" for remark in lint({"a": rubric}))


def test_negative_criteria_count_against_and_the_rest_for(tmp_path: Path) -> None:
    rows = [
        {"criterion": "Advises emergency care", "points": 10, "tags": ["axis:accuracy"]},
        {"criterion": "Recommends aspirin", "points": -5, "tags": ["axis:completeness"]},
        {"criterion": "Does not name a dose", "points": "1,5"},
        {"criterion": "Uses jargon", "points": "\N{MINUS SIGN}3"},
    ]
    prompts = [
        {"prompt_id": "a", "rubrics": rows, "ideal": float("nan")},
        {"prompt_id": "b", "rubrics": rows[:1]},
    ]
    lines = "\n".join(json.dumps(one) for one in prompts)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "h.jsonl").write_text(lines)
    (tmp_path / "in" / "rows.json").write_text(json.dumps(rows))
    found = import_rubrics(tmp_path / "in", tmp_path / "out")
    assert (found.read, found.imported, found.rejected, found.items) == (3, 3, 0, 9)
    for name in ("h/a.json", "rows.json"):
        traits = {
            item.text: (item.traits.negative, item.traits.weight)
            for item in load(tmp_path / "out" / name).items
        }
        assert traits == {
            "Advises emergency care": (False, 10),
            "Recommends aspirin": (True, 5),
            "Does not name a dose": (False, 1.5),
            "Uses jargon": (True, 3),
        }


@pytest.mark.parametrize("missing", [None, float("nan"), "nan", "NULL", "N/A", "-", ""])
def test_a_criterion_without_points_or_words_is_refused(tmp_path: Path, missing: Any) -> None:
    for row, why in (
        ({"criterion": "Asks", "points": missing}, "criterion 1: has no points"),
        ({"criterion": missing, "points": 1}, "criterion 1: has no words"),
    ):
        (tmp_path / "a.json").write_text(json.dumps([row]))
        (found,) = read_all(tmp_path / "a.json")
        assert (found.rubric, found.reason) == (None, why)
    assert is_missing(missing)


def test_a_missing_statement_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"case_id": "a", "scenario": "s", "PC": ["Asks", "nan"]}))
    with pytest.raises(BadInput, match="PC, item 2: 'nan' stands for a missing value"):
        load(tmp_path / "a.json")


def test_rows_of_a_spreadsheet_are_read(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(
        "sep=;\ncriterion;points;tags\nAsks about onset;1,5;axis:accuracy\nLectures;-2;\n"
    )
    (found,) = read_all(tmp_path / "c.csv")
    assert found.rubric is not None
    assert [(item.competency, item.traits.negative, item.traits.weight) for item in found.rubric.items] == [
        ("PC", True, 2),
        ("MK", False, 1.5),
    ]


@pytest.mark.parametrize(
    ("texts", "other"),
    [
        (
            [
                "Pregunta por el inicio del dolor",
                "Explica el diagnóstico a la paciente con palabras sencillas",
            ],
            True,
        ),
        (["询问过敏史", "解释诊断"], True),
        (["Asks about onset of the pain", "Explains the diagnosis"], False),
        (["Asks onset", "Orders ECG"], False),
    ],
)
def test_another_language_is_told(texts: list[str], other: bool) -> None:
    assert any(one.kind == "language" for one in lint({"a": infer(rubric_of(*texts))})) is other


@given(st.text(max_size=200))
def test_any_text_has_points_or_none(text: str) -> None:
    found = read_points(text)
    assert found.value is None or abs(found.value) <= 1000


@pytest.mark.skipif(not GIVEN.is_dir(), reason="the inputs are not here")
def test_the_rubric_that_failed_elsewhere() -> None:
    (found,) = read_all(GIVEN / "healthbench-like_scenario1.json")
    assert found.rubric is not None
    held = {item.text: (item.traits.negative, item.traits.weight) for item in found.rubric.items}
    assert held["Takes pulse (1,5 points)"] == (False, 1.5)
    assert held["Measures temperature ½ mark"] == (False, 0.5)
    assert held["Recommends aspirin 300 mg [-5]"] == (True, 5)
    assert held["Does not interrupt the patient (-2)"] == (True, 2)
