"""The formulary and the naming of what can be ordered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput
from osler.knowledge.formulary import Entry, formulary, read_formulary
from osler.knowledge.order_names import MODALITIES, normal_name

NAMES = [name for entry in formulary() for name in (entry.name, *entry.aliases)]


def found(name: str) -> str | None:
    entry = formulary().find(name)
    return entry.name if entry else None


@pytest.mark.parametrize(
    "same",
    [
        ("MRI of the brain", "Brain MRI", "MRI_Brain", "MRI (brain) with contrast", "cerebral MRI scan"),
        ("X-ray of the right hand", "Right hand x ray", "XR hand, right", "rt hand xrays"),
        (
            "Abdominal_Exam",
            "examination of the abdomen",
            "abdominal examination",
            "Please examine the abdomen",
        ),
        ("Haemoglobin", "hemoglobin level", "Hemoglobin test", "serum haemoglobin"),
        ("Complete Blood Count (CBC)", "complete_blood_counts", "a stat complete blood count, please"),
        ("E.C.G.", "12-lead ECG", "ecg"),
        ("X-ray (left knee)", "left-knee X-ray", "plain film of the left knee"),
        ("Doppler ultrasound of the leg", "leg duplex"),
    ],
)
def test_ways_of_writing_one_thing_agree(same: tuple[str, ...]) -> None:
    assert len({normal_name(name) for name in same}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("abdominal examination", "abdominal ultrasound"),
        ("X-ray of the left knee", "X-ray of the right knee"),
        ("chest CT", "chest X-ray"),
        ("urine culture", "blood culture"),
        ("skin test", "skin examination"),
        ("CT thorax", "CT thoracic spine"),
        ("hepatitis A antibody", "hepatitis antibody"),
        ("urine sodium", "serum sodium"),
    ],
)
def test_what_differs_in_site_side_specimen_or_kind_stays_apart(one: str, other: str) -> None:
    assert normal_name(one) != normal_name(other)


@given(st.text(max_size=600))
def test_a_key_has_each_word_once_in_order_for_any_text(text: str) -> None:
    key = normal_name(text)
    assert key == " ".join(sorted(set(key.split())))


@given(st.permutations(["mri", "left", "knee"]), st.sampled_from([" ", "_", " - ", " of the "]))
def test_word_order_and_joints_do_not_matter(words: list[str], joint: str) -> None:
    assert normal_name(joint.join(words)) == "knee left mri"


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("FBC", "Full blood count"),
        ("CBC", "Full blood count"),
        ("complete blood count with differential", "Full blood count"),
        ("U&Es", "Urea and electrolytes"),
        ("BMP", "Urea and electrolytes"),
        ("electrolytes", "Urea and electrolytes"),
        ("LFTs", "Liver function tests"),
        ("CXR", "Chest X-ray"),
        ("x ray chest", "Chest X-ray"),
        ("EKG", "Electrocardiogram"),
        ("obs", "Vital signs"),
        ("blood troponin", "Troponin"),
        ("left knee X-ray", "X-ray of the knee"),
        ("CA125", "CA-125"),
        ("Mental_Status_Examination", "Mental state examination"),
        ("anti-double stranded DNA", "Anti-double-stranded DNA antibodies"),
        ("fecal occult blood", "Faecal occult blood test"),
    ],
)
def test_things_are_found_by_what_clinicians_call_them(asked: str, name: str) -> None:
    assert found(asked) == name


@pytest.mark.parametrize("bare", ["X-ray", "CT scan", "MRI", "ultrasound", "biopsy", "culture", "left X-ray"])
def test_a_modality_without_a_body_part_is_no_name_but_is_near_one(bare: str) -> None:
    assert found(bare) is None
    assert formulary().near(bare)


@pytest.mark.parametrize(
    ("typo", "name"),
    [
        ("trponin", "Troponin"),
        ("elektrocardiogram", "Electrocardiogram"),
        ("abdomnal ultrasund", "Abdominal ultrasound"),
        ("mri barin", "MRI of the brain"),
    ],
)
def test_a_misspelling_is_near_and_not_found(typo: str, name: str) -> None:
    assert found(typo) is None
    near = formulary().near(typo)
    assert near is not None
    assert near.name == name


@pytest.mark.parametrize(
    "nonsense", ["quantum aura scan", "", "???", "rhubarb", "x" * 5000, "chakra balance"]
)
def test_nonsense_is_near_nothing(nonsense: str) -> None:
    assert formulary().near(nonsense) is None


def test_every_name_leads_to_its_own_entry() -> None:
    for entry in formulary():
        for name in (entry.name, *entry.aliases):
            assert formulary().find(name) is entry, name


def test_no_name_is_a_bare_modality() -> None:
    bare = [name for name in NAMES if set(normal_name(name).split()) <= MODALITIES - {"pet"}]
    assert not bare


def test_intimate_examinations_are_marked_and_never_part_of_a_plain_panel() -> None:
    intimate = {entry.name for entry in formulary() if entry.intimate}
    assert intimate >= {
        "Pelvic examination",
        "Rectal examination",
        "Breast examination",
        "Genital examination",
    }
    for entry in formulary():
        assert entry.intimate or entry.kind != "examination" or not formulary().parts(entry) & intimate, (
            entry.name
        )


def test_examinations_are_quick_and_cultures_are_not() -> None:
    quick = [entry.name for entry in formulary() if entry.kind == "examination" and entry.minutes > 10]
    assert not quick
    cultures = [entry for entry in formulary() if entry.name.endswith("culture")]
    assert cultures
    assert all(entry.minutes >= 2880 for entry in cultures)


def test_panels_hold_the_parts_of_their_parts() -> None:
    panel = formulary().find("Comprehensive metabolic panel")
    assert panel is not None
    assert {"Sodium", "Alanine aminotransferase"} <= formulary().parts(panel)


@pytest.mark.parametrize("sex", ["female", "male", None])
@pytest.mark.parametrize("age", [0, 0.5, 3, 8, 15, 40, 90, None])
def test_everything_has_a_normal_result_for_everybody(age: float | None, sex: str | None) -> None:
    assert all(formulary().normal(entry, age, sex) for entry in formulary())


def test_normal_results_fit_age_and_sex() -> None:
    def normal(name: str, age: float | None, sex: str | None) -> str:
        entry = formulary().find(name)
        assert entry is not None
        return formulary().normal(entry, age, sex)

    assert normal("Pulse", 0.3, None) != normal("Pulse", 30, None) == normal("Pulse", None, None)
    assert normal("Haemoglobin", 40, "male") != normal("Haemoglobin", 40, "female")
    assert "prostate" not in normal("Rectal examination", 40, "female")


def one(name: str, more: str = "") -> str:
    return f"- {{name: {name}, kind: test, minutes: 5, cost: 1, normal: Normal.{more}}}\n"


@pytest.mark.parametrize(
    "text",
    [
        one("Sugar") + one("Glucose", ", aliases: [sugars]"),
        one("Sugar", ", parts: [Honey]"),
        one("A1", ", parts: [B2]") + one("B2", ", parts: [A1]"),
        "- {name: Sugar, kind: test, minutes: 0, cost: 1, normal: Normal.}",
        "- {name: Sugar, kind: test, minutes: 5, cost: -1, normal: Normal.}",
        "- {name: Sugar, kind: test, minutes: 5, cost: 1, normal: ''}",
        "- {name: Sugar, kind: test, minutes: 5, cost: 1, normal: [{text: High., sex: male}]}",
        "- {name: Sugar, kind: spell, minutes: 5, cost: 1, normal: Normal.}",
        "[}",
    ],
)
def test_a_formulary_that_contradicts_itself_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="formulary"):
        read_formulary(text)


def test_entries_are_immutable_and_listed_once() -> None:
    assert len(set(formulary().names())) == len(formulary()) > 200
    assert all(isinstance(entry, Entry) for entry in formulary())
