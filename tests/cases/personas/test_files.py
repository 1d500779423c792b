"""Published libraries of personas: read with their quirks, written as they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.personas import library
from osler.cases.personas.files import persona_of, published, read_library
from osler.errors import BadInput

SMALL = Path(__file__).parents[2] / "fixtures" / "personas_small.json"
SHARED = Path(__file__).parents[4] / "shared" / "data" / "medtutor" / "patient_personas_60.json"


def test_quirks_are_survived_and_nothing_is_lost() -> None:
    read = read_library(SMALL)
    assert [each.persona_id for each in read.patients] == [f"persona_{letter}" for letter in "abcd"]
    assert [each.student_id for each in read.students] == ["Ida"]
    assert len(read.rejected) == 1
    assert "record 5" in read.rejected[0]
    baby, toddler, unparsed = read.patients[1:]
    assert (baby.demographics.age, baby.demographics.gender, baby.sex) == (0.5, "Child", None)
    assert baby.persona_tags == ("child", "calm")
    assert (toddler.demographics.age, toddler.demographics.gender) == (1.5, None)
    assert (unparsed.demographics.name, unparsed.sex) == ("Zeno", "male")
    assert [remark.split(": ", 1)[1] for remark in read.remarks] == [
        "mood is not a field of a persona and was left out",
        "age '18 months' was read as 1.5 years",
    ]


def test_a_clean_record_is_written_as_it_was_read() -> None:
    records = json.loads(SMALL.read_text())
    for number in (0, 5):
        persona, remarks = persona_of(records[number], "here")
        assert persona.model_dump(mode="json") == records[number]
        assert not remarks


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "patients.json").write_text(published(library.patients()[:40]))
    (tmp_path / "students.jsonl").write_text(
        "\n".join(each.model_dump_json() for each in library.students()[:40])
    )
    read = read_library(tmp_path)
    assert read.patients == library.patients()[:40]
    assert read.students == library.students()[:40]
    assert not read.rejected
    assert not read.remarks


def test_a_library_in_a_wrapper_is_unpacked(tmp_path: Path) -> None:
    wrapped = {"version": 2, "personas": json.loads(published(library.patients()[:3]))}
    file = tmp_path / "wrapped.json"
    file.write_text(json.dumps(wrapped))
    assert read_library(file).patients == library.patients()[:3]


@pytest.mark.parametrize("content", ["", "[]", "[1, 2]", '{"question": "?", "steps": [{"a": 1}]}', "[{"])
def test_what_holds_no_persona_is_refused_in_words(content: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(content)
    with pytest.raises(BadInput):
        read_library(file)


@given(
    record=st.dictionaries(
        st.sampled_from(
            ["persona_id", "demographics", "background", "persona_tags", "style_prompt_for_llm", "x"]
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["age", "gender", "name", "occupation"]), inner, max_size=3)
            ),
            max_leaves=6,
        ),
    )
)
def test_whatever_a_field_holds_it_is_read_or_refused(record: dict[str, object]) -> None:
    try:
        persona, _ = persona_of(record, "record 1")
    except BadInput:
        assert not record.keys() & {"persona_id", "style_prompt_for_llm", "persona_tags", "background"}
        return
    assert json.loads(published([persona])) == [persona.model_dump(mode="json")]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared sample data are not here")
def test_the_published_sample_comes_back_as_it_is() -> None:
    read = read_library(SHARED)
    assert json.loads(published(read.patients)) == json.loads(SHARED.read_text())
    assert not read.rejected
    assert not read.remarks
