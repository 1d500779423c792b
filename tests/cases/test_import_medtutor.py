"""MedTutor: exam vignettes with options, steps and patient scripts become cases; personas are refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.importers.medtutor import read, vignette_of, vignettes
from osler.cases.importers.vignette.case import case_of
from osler.cases.importers.vignette.pieces import by_rules
from osler.cases.lint import visible
from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.personas.matching import wanted_by
from osler.core.contract import Request
from osler.core.events import Said
from osler.errors import BadCase
from osler.protocols.shared.patient import PatientView
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.patient import answer
from osler.protocols.shared.views import patient_view
from tests.cases.vignettes import DATA, FIXTURES, assert_sound, imported, refused

SMALL = FIXTURES / "medtutor_small.json"
REAL = DATA / "medtutor"
needs_real_data = pytest.mark.skipif(
    not REAL.exists(), reason="the MedTutor data is not beside this checkout"
)


def record(**changes: object) -> dict[str, object]:
    return {
        "question": "A 30-year-old man presents with a cough. What is the most likely diagnosis?",
        "options": {"A": "Asthma", "B": "Croup"},
        "label": "A",
        "patient_script": {"metadata": {}, "patient_fact_base": {"chief_complaint": "I cough."}},
        **changes,
    }


def one(**changes: object) -> Case:
    vignette = vignette_of(record(**changes), 1)
    return case_of(vignette, by_rules(vignette), "t", "t")


def test_the_script_speaks_and_the_vignette_stays_in_the_notes() -> None:
    case = imported(read, SMALL)[0][0]
    assert case.opening.words == "My knee hurts so much that I cannot walk on it."
    spoken = {fact.spoken for fact in case.facts}
    assert {"I heard a pop.", "I am afraid that I will never play again."} <= spoken
    (taken,) = [fact for fact in case.facts if fact.topic == "medications"]
    assert (taken.text, taken.known_by, taken.key) == ("He takes no medications.", "record", False)
    assert [fact.topic for fact in case.facts if fact.spoken and "afraid" in fact.spoken] == ["concerns"]


def test_with_a_script_the_patient_knows_the_script_alone_and_denies_nothing_of_the_rest() -> None:
    prose = (
        "A 60-year-old man presents with a cough. He has had fever for two days. He has diabetes. He denies "
        "chest pain. Which of the following is the most likely diagnosis?"
    )
    case = one(question=prose, patient_script={"patient_fact_base": {"chief_complaint": "I cough all day."}})
    view = patient_view(case, persona=persona("plain"), unknown="standard")
    assert not view.facts
    assert "fever" in view.unsure_of
    assert "past_medical" in view.unsure_topics
    answers = {q: ask(view, q) for q in ("Do you have a fever?", "What illnesses have you had?")}
    assert set(answers.values()) == {voice.UNSURE}
    assert ask(view, "Do you have a rash?") == voice.DENIED


def test_how_the_pictured_thing_looks_to_the_patient_is_theirs_to_tell() -> None:
    base = {
        "chief_complaint": "My knee hurts.",
        "related_images": [{"image_id": "a.png", "patient_perception": "The kneecap looks puffy and shiny."}],
    }
    case = one(patient_script={"patient_fact_base": base})
    (seen,) = [fact for fact in case.facts if fact.known_by == "patient"]
    assert seen.spoken == "The kneecap looks puffy and shiny."


def test_what_is_said_of_a_test_answers_no_question_about_symptoms_or_illnesses() -> None:
    seen = "This was another picture they reviewed to see what kind of tumor it could be. I await the news."
    base = {
        "chief_complaint": "My knee hurts.",
        "related_images": [{"image_id": "a.png", "patient_perception": seen}],
    }
    case = one(patient_script={"patient_fact_base": base})
    (fact,) = [fact for fact in case.facts if fact.known_by == "patient"]
    assert (fact.topic, fact.key, fact.spoken) == ("other", False, seen)
    view = patient_view(case, persona=persona("plain"), unknown="standard")
    for question in ("What illnesses have you had?", "Tell me about the pain.", "How long have you had it?"):
        assert "picture" not in ask(view, question)


def test_the_personas_that_a_script_suits_are_kept_and_matched() -> None:
    attributes = {"compatible_persona_tags": ["Senior", "Anxious"]}
    script = {
        "metadata": {"case_attributes": attributes},
        "patient_fact_base": {"chief_complaint": "I cough."},
    }
    case = one(patient_script=script)
    assert case.persona_tags == ("Senior", "Anxious")
    assert wanted_by(case).tags == ("Senior", "Anxious")
    assert "persona_tags" not in one(patient_script={}).model_dump_json()


def ask(view: PatientView, question: str) -> str:
    """The built-in patient's answer."""
    return answer(Request(view, (Said(minute=0, by="doctor", text=question),), "w")).answer


def test_a_title_with_the_answer_is_for_educators_and_no_seat_sees_it() -> None:
    case = imported(read, SMALL)[0][0]
    assert case.title == "Anterior cruciate ligament rupture in a footballer"
    assert not [seen.where for seen in visible(case) if "cruciate" in seen.text]


def test_images_have_neutral_names_and_can_be_ordered_by_what_they_are() -> None:
    (image,) = [f for f in imported(read, SMALL)[0][0].findings if f.kind == "image"]
    assert image.name == "MRI"
    assert image.result == "An MRI is shown in Figure A. This image is not at hand."
    assert {"MRI of the knee", "Image 1"} <= {*image.aliases}


def test_a_table_is_results_and_the_choices_are_no_part_of_the_question() -> None:
    case = imported(read, SMALL)[0][0]
    found = {finding.name: finding.result for finding in case.findings}
    assert found["C-reactive protein"] == "C-reactive protein | 3 mg/L |."
    assert "14.2 g/dL" in found["Hemoglobin"]
    assert case.task.question == "Which of the following is the most likely diagnosis?"


@pytest.mark.parametrize("key", ["model_response", "question_steps"])
def test_steps_stand_under_either_name_and_become_the_teaching_plan(key: str) -> None:
    steps = [{"key_question": "Why?", "step_summary": "Because."}, {"step_summary": "no question"}, "x"]
    case = one(**{key: steps})
    assert case.teaching is not None
    assert [(step.key_question, step.summary) for step in case.teaching.steps] == [("Why?", "Because.")]


def test_a_script_that_is_unparsed_is_withheld_and_said() -> None:
    case = imported(read, SMALL)[0][1]
    assert "note: it has no patient script" in case.provenance.flags
    assert '{"case_id": "ours' in {leaf.text for leaf in case.withheld}
    assert case.task.options is not None
    assert len(case.task.options) == 10
    assert case.speaker == "parent"


def test_options_may_stand_in_the_text_alone() -> None:
    case = imported(read, SMALL)[0][2]
    assert case.task.options == {"A": "Anterior cruciate", "B": "Posterior cruciate"}
    assert case.teaching is None


def test_ages_may_be_fractions_and_a_gender_may_be_none() -> None:
    case = imported(read, SMALL)[0][2]
    assert (case.age_years, case.sex) == (4.5, None)


def test_a_part_of_the_script_that_recites_a_value_is_withheld() -> None:
    case = imported(read, SMALL)[0][2]
    assert any("hemoglobin is 9.1" in leaf.text for leaf in case.withheld)
    assert not any("hemoglobin" in (fact.spoken or "") for fact in case.facts)


def test_bad_records_and_personas_are_refused_by_number() -> None:
    cases, report = imported(read, SMALL)
    assert refused(report) == {
        3: "its answer 'Z' is none of its options",
        5: "it is a patient persona, not a case",
        6: "it has no question",
    }
    assert [case.id for case in cases] == ["test-0001", "test-0002", "test-0004"]


def test_a_script_that_names_the_diagnosis_is_withheld() -> None:
    base = {"chief_complaint": "My asthma is back.", "symptom_details": "It is like the asthma I had."}
    case = one(patient_script={"patient_fact_base": base})
    assert not [seen.where for seen in visible(case) if "asthma" in seen.text.lower()]


@pytest.mark.slow
@needs_real_data
@pytest.mark.parametrize(("name", "size"), [("text_60", 60), ("multimodal_60", 60), ("multimodal_dev_5", 5)])
def test_every_real_record_is_imported_whole(name: str, size: int) -> None:
    path = REAL / f"{name}.json"
    cases, report = imported(read, path)
    assert (report.read, report.rejected) == (size, 0)
    assert_sound(vignettes(path), cases)
    assert all(case.teaching is not None for case in cases)
    if name != "text_60":
        assert all(any(flag.startswith("unseen: ") for flag in case.provenance.flags) for case in cases)
        said = [f"{one.name} {one.result}" for case in cases for one in case.findings]
        assert not [text for text in said if re.search(r"MM-\d|\.(?:png|jpe?g)", text)]


@needs_real_data
def test_every_real_persona_is_refused() -> None:
    cases, report = imported(read, REAL / "patient_personas_60.json")
    assert (len(cases), report.rejected) == (0, 60)
    assert set(refused(report).values()) == {"it is a patient persona, not a case"}


leaf = st.none() | st.booleans() | st.integers() | st.text(max_size=30)
anything = st.recursive(
    leaf,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=6) | st.sampled_from(["patient_fact_base", "metadata", "demographics", "age"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
KEYS = [*record(), "images", "model_response", "question_steps", "body_system", "persona_id"]


@given(st.dictionaries(st.sampled_from(KEYS), anything, max_size=4))
def test_any_record_is_a_case_or_refused_with_a_reason(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("medtutor") / "one.json"
    path.write_text(json.dumps([record(**changes)]), encoding="utf-8")
    (item,) = read(path, "t")
    if isinstance(item, Case):
        assert_sound(vignettes(path), [item])
    else:
        assert item.reason


def test_a_list_where_text_is_expected_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(BadCase, match="no question"):
        vignette_of(record(question=["a", "b"]), 1)
