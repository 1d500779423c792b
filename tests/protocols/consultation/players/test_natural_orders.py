"""Orders in a doctor's own words, against cases written for this: the right result, or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.cli.reading_figures import Sets, figures
from osler.cli.reading_sets import HERE
from osler.knowledge.vocabulary import FindingKind
from osler.protocols.consultation.players.examination import match_order
from osler.protocols.consultation.seats import FindingView


def held(name: str, kind: FindingKind = "test", result: str = "Normal.") -> FindingView:
    return FindingView(id=name, kind=kind, name=name, result=result)


STROKE = (
    held("Vital signs", "examination", "Blood pressure 180/100; heart rate 80"),
    held(
        "Neurological examination",
        "examination",
        "Cranial nerves: left facial droop; Motor: 4/5 right arm; Reflexes: brisk; Gait: hemiparetic",
    ),
    held("CT head", "image", "No bleed."),
    held("Carotid Doppler", "image", "Stenosis of 70 %."),
    held("Lipid panel", "test", "LDL: 180; HDL: 30"),
    held("HbA1c", "test", "9 %"),
    held("ECG", "test", "Atrial fibrillation."),
    held("TTE", "image", "Large left atrium."),
    held("Coagulation profile", "test", "PT: 12 s; INR: 1.0; aPTT: 30 s"),
)
LUPUS = (
    held("Anti-dsDNA antibodies"),
    held("ANA", "test", "1:640"),
    held("C3 complement"),
    held("Urine protein/creatinine ratio"),
    held("Renal biopsy", "test", "Class IV."),
    held("Serum creatinine"),
    held("Blood count", "test", "Hb: 9 g/dL; WBC: 3; Plt: 90"),
    held("Anti-Ro"),
    held("Joint examination", "examination", "Swollen knuckles."),
)
CONN = (
    held("Plasma aldosterone"),
    held("Serum potassium"),
    held("CT scan of the adrenal glands", "image", "A nodule."),
    held("24-hour urine catecholamines"),
)
THYROID = (
    held("Thyroid ultrasound", "image"),
    held("TSH"),
    held("Anti-thyroid peroxidase antibodies"),
    held("Fine-needle aspiration of thyroid nodule"),
    held("Calcitonin"),
    held("Neck examination", "examination", "A nodule of 2 cm."),
)
BLEED = (
    held("Upper endoscopy with biopsy", "test", "Ulcer."),
    held("H. pylori stool antigen"),
    held("Stool culture"),
    held("Abdominal CT scan with contrast", "image"),
    held("Iron studies", "test", "Ferritin: 5"),
    held("Rectal examination", "examination", "Melaena."),
    held("Abdominal examination", "examination", "Tender epigastrium."),
)
SYPHILIS = (
    held("HIV antibody test"),
    held("Hepatitis C antibody"),
    held("Hepatitis B surface antigen"),
    held("RPR"),
    held("CSF analysis", "test", "WBC: 100; Protein: 80; VDRL: reactive"),
    held("MRI of the brain with gadolinium", "image"),
)
MYASTHENIA = (
    held("Acetylcholine receptor antibodies", "test", "Elevated."),
    held("Electromyography", "test", "Decreasing response with repetitive stimulation."),
    held("Biopsy", "test", "Cervical lymph node: reactive."),
    held("Chest CT", "image", "No thymoma."),
    held("Urinalysis", "test", "Na: 45; Osmolality: 300"),
    held("Arthrocentesis of the right knee", "test", "Leukocyte count in synovial fluid: 26,000"),
    held("Skin examination", "examination", "A rash on both hands."),
)

FOUND: list[tuple[tuple[FindingView, ...], str, set[str]]] = [
    (STROKE, "non-contrast CT scan of the brain", {"CT head"}),
    (STROKE, "fasting lipids, A1c and a 12 lead EKG", {"Lipid panel", "HbA1c", "ECG"}),
    (STROKE, "LDL", {"Lipid panel"}),
    (STROKE, "PT/INR", {"Coagulation profile"}),
    (STROKE, "examine his gait", {"Neurological examination"}),
    (STROKE, "Walk up and down the room for me", {"Neurological examination"}),
    (STROKE, "full set of obs", {"Vital signs"}),
    (STROKE, "CBC with differential and transthoracic echo", {"TTE"}),
    (LUPUS, "double-stranded DNA Ab level", {"Anti-dsDNA antibodies"}),
    (LUPUS, "complement C3 and C4", {"C3 complement"}),
    (LUPUS, "SSA antibodies", {"Anti-Ro"}),
    (LUPUS, "Platlets", {"Blood count"}),
    (CONN, "urinary catecholamines", {"24-hour urine catecholamines"}),
    (CONN, "renin and aldosterone", {"Plasma aldosterone"}),
    (THYROID, "FNA of the thyroid nodule", {"Fine-needle aspiration of thyroid nodule"}),
    (THYROID, "thyroid function tests (TSH, free T4)", {"TSH"}),
    (BLEED, "gastroscopy", {"Upper endoscopy with biopsy"}),
    (SYPHILIS, "VDRL", {"RPR"}),
    (SYPHILIS, "CSF VDRL", {"CSF analysis"}),
    (SYPHILIS, "hepatitis panel", {"Hepatitis C antibody", "Hepatitis B surface antigen"}),
    (MYASTHENIA, "EMG with repetitive nerve stimulation", {"Electromyography"}),
    (MYASTHENIA, "Excisional lymph node biopsy with immunohistochemistry", {"Biopsy"}),
    (MYASTHENIA, "Can I see the rash on your hands?", {"Skin examination"}),
]
NOT_HELD = [
    (STROKE, "MRI brain"),
    (STROKE, "fasting glucose"),
    (STROKE, "transesophageal echocardiogram"),
    (STROKE, "CT angiogram of the neck"),
    (STROKE, "CT abdomen"),
    (STROKE, "leg Doppler"),
    (LUPUS, "anti-Smith antibodies"),
    (LUPUS, "C4"),
    (LUPUS, "skin biopsy"),
    (LUPUS, "anti-La/SSB"),
    (LUPUS, "urine creatinine"),
    (LUPUS, "antiphospholipid antibodies"),
    (CONN, "plasma renin activity"),
    (CONN, "renin"),
    (CONN, "plasma metanephrines"),
    (CONN, "urine potassium"),
    (THYROID, "thyroglobulin antibodies"),
    (THYROID, "thyroglobulin"),
    (THYROID, "TSH receptor antibodies"),
    (THYROID, "free T4"),
    (THYROID, "neck CT"),
    (BLEED, "colonoscopy"),
    (BLEED, "H pylori serology"),
    (BLEED, "urea breath test"),
    (BLEED, "blood culture"),
    (SYPHILIS, "HIV viral load"),
    (SYPHILIS, "HCV RNA"),
    (SYPHILIS, "anti-HBs"),
    (SYPHILIS, "serum glucose"),
    (MYASTHENIA, "anti-MuSK antibody level"),
    (MYASTHENIA, "serum sodium"),
    (MYASTHENIA, "liver biopsy"),
    (MYASTHENIA, "CT of the head"),
    (MYASTHENIA, "left knee aspiration"),
    (MYASTHENIA, "flurbin IgG"),
]


@pytest.mark.parametrize(
    ("case", "order", "found"), FOUND, ids=lambda each: each if isinstance(each, str) else ""
)
def test_an_order_finds_what_it_means_and_nothing_else(
    case: tuple[FindingView, ...], order: str, found: set[str]
) -> None:
    assert set(match_order(order, case).findings) == found


@pytest.mark.parametrize(("case", "order"), NOT_HELD, ids=lambda each: each if isinstance(each, str) else "")
def test_another_test_antibody_specimen_or_body_part_is_never_given(
    case: tuple[FindingView, ...], order: str
) -> None:
    assert match_order(order, case).findings == ()


_BEFORE = ["", "please ", "I'd like to order ", "Can we get ", "urgent ", "stat ", "Let's check "]
_AFTER = ["", " please", ".", "?", " today"]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([row for row in FOUND if row[1] != "Platlets" and len(row[1].split()) < 4]),
    st.sampled_from(_BEFORE),
    st.sampled_from(_AFTER),
    st.sampled_from([str, str.upper, str.lower, str.title]),
)
def test_case_courtesy_and_qualifiers_never_change_what_is_found(
    row: tuple[tuple[FindingView, ...], str, set[str]], before: str, after: str, written: object
) -> None:
    case, order, found = row
    assert callable(written)
    assert set(match_order(written(f"{before}{order}{after}"), case).findings) == found


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(NOT_HELD), st.sampled_from(_BEFORE), st.sampled_from(_AFTER))
def test_no_wording_turns_a_test_that_is_not_held_into_another(
    row: tuple[tuple[FindingView, ...], str], before: str, after: str
) -> None:
    case, order = row
    assert match_order(f"{before}{order}{after}", case).findings == ()


SCALY = (
    held("Vital signs", "examination", "Blood pressure: 126/84 mmHg; Respiratory rate: Data not provided"),
    held("Skin examination", "examination", "Scaly patches on both arms and legs; a lesion on the hand."),
    held("Right hand examination", "examination", "Range of motion: full; Finkelstein's test: positive"),
    held("Leg examination", "examination", "Inspection: ulcer; Pulse: weak dorsalis pedis pulses"),
    held("Arterial blood gases", "test", "Not specified"),
    held("Head imaging", "image", "No bleed."),
    held("Nerve conduction studies", "test", "Slowed at the wrist."),
    held("Toxicology screen", "test", "Cocaine: positive; opiates: negative"),
    held("Maternal blood group", "test", "A negative"),
)


@pytest.mark.parametrize(
    "order",
    [
        "Skin smear for acid-fast bacilli from the arms",
        "HPV DNA typing of the lesion",
        "Phalen's and Tinel's",
        "Temperature please",
        "Glucose in the urine",
    ],
)
def test_a_technical_order_or_an_absent_component_is_not_answered_by_an_examination(order: str) -> None:
    assert match_order(order, SCALY).findings == ()


@pytest.mark.parametrize("result", ["None", "Nil", "Not detected", "Nothing abnormal", ""])
def test_a_short_result_is_still_a_result(result: str) -> None:
    assert match_order("Urine protein", (held("Urine protein", "test", result),)).findings == (
        "Urine protein",
    )


def test_most_orders_in_free_words_bring_what_they_mean_and_talk_brings_nothing(tmp_path: Path) -> None:
    """On every tenth line of the set; `osler reading figures` measures all of them."""
    lines = (HERE / "learn" / "orders.jsonl").read_text(encoding="utf-8").splitlines()[::10]
    (tmp_path / "orders.jsonl").write_text("\n".join(lines), encoding="utf-8")
    measured = figures(Sets(tmp_path), ("orders_consultation",))["orders_consultation"]
    found = {name: one.value or 0.0 for name, one in measured.items()}
    assert found["exact"] > 0.8
    assert found["exact_hasty"] > 0.75
    assert found["acted_on_talk"] < 0.04
    assert found["acted_on_talk_hasty"] < 0.04
