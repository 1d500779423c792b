"""The built-in examination service: the right finding, or none."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.core.contract import Request
from osler.core.order_events import Ordered
from osler.knowledge.vocabulary import FindingKind
from osler.protocols.consultation.players.examination import BaselineExamination, match_order
from osler.protocols.consultation.seats import ExaminationReply, ExaminationView, FindingView

AGENTCLINIC = Path(__file__).parents[4] / "../shared/data/agentclinic/agentclinic_medqa.jsonl"


def finding(name: str, kind: FindingKind = "test", result: str = "Normal.", *aliases: str) -> FindingView:
    return FindingView(id=name, kind=kind, name=name, aliases=aliases, result=result)


CASE = (
    finding("Vital signs", "examination", "Temperature: 38.4 °C; Heart rate: 110/min"),
    finding("General_Examination", "examination", "Looks tired. Lymph nodes: two in the neck."),
    finding("Cardiopulmonary_Exam", "examination", "Cardiac: no murmur; Lungs: crackles at the right base"),
    finding("Abdominal_Examination", "examination", "Inspection: flat; Palpation: soft"),
    finding("Pelvic_Examination", "examination", "Speculum exam: cervix healthy"),
    finding("Rectovaginal_Examination", "examination", "Nodules felt."),
    finding("Complete_Blood_Count", "test", "Hemoglobin: 9 g/dL; WBC: 14,000/mm3"),
    finding("Laboratory_Studies", "test", "Sodium 128 mmol/L; TSH: 9 mU/L; the platelet story is untold"),
    finding("Thyroid_Function_Tests", "test", "Free T4: 0.4 ng/dL"),
    finding("Urinalysis", "test", "Glucose: none; Protein: 1+"),
    finding("Blood_Cultures", "test", "No growth."),
    finding("Chest_X-ray", "image", "Shadow at the right base. An MRI of the brain is advised."),
    finding("MRI_Brain", "image", "Normal."),
    finding("X-ray_Left_Hip", "image", "Narrow joint space."),
    finding("Biopsy", "test", "Skin of the shin: granulomas."),
    finding("CT_Scan_Thorax_and_Abdomen", "image", "Normal."),
    finding("Factor VIII level", "test", "2 %"),
    finding("Wrist aspiration", "test", "Cloudy."),
    finding("Blue spot test", "test", "Blue.", "Azure sign"),
)


def asked(name: str) -> tuple[str, set[str]]:
    reply = match_order(name, CASE)
    return reply.match_type, set(reply.findings)


@pytest.mark.parametrize(
    ("order", "held"),
    [
        ("complete blood count", "Complete_Blood_Count"),
        ("Please order the Blood Cultures", "Blood_Cultures"),
        ("brain MRI", "MRI_Brain"),
        ("examination of the abdomen", "Abdominal_Examination"),
        ("left hip x-ray", "X-ray_Left_Hip"),
    ],
)
def test_a_findings_own_name_in_any_writing_is_exact(order: str, held: str) -> None:
    assert asked(order) == ("exact", {held})


@pytest.mark.parametrize(
    ("order", "held"),
    [
        ("CBC", {"Complete_Blood_Count"}),
        ("azure sign", {"Blue spot test"}),
        ("radiograph of heart and lungs", {"Chest_X-ray"}),
        ("hip x-ray", {"X-ray_Left_Hip"}),
        ("haemoglobin", {"Complete_Blood_Count"}),
        ("serum sodium", {"Laboratory_Studies"}),
        ("heart rate", {"Vital signs"}),
        ("lymph nodes", {"General_Examination"}),
        ("speculum examination", {"Pelvic_Examination"}),
        ("skin biopsy", {"Biopsy"}),
        ("urine dipstick", {"Urinalysis"}),
        ("arthrocentesis of the wrist", {"Wrist aspiration"}),
        ("CBC, chest X-ray and brain MRI", {"Complete_Blood_Count", "Chest_X-ray", "MRI_Brain"}),
        ("blood and urine cultures", {"Blood_Cultures"}),
        ("X-ray of the left hip and knee", {"X-ray_Left_Hip"}),
        ("CBC/urinalysis", {"Complete_Blood_Count", "Urinalysis"}),
    ],
)
def test_other_names_panels_parts_and_lists_are_aliases(order: str, held: set[str]) -> None:
    assert asked(order) == ("alias", held)


@pytest.mark.parametrize(
    "order",
    [
        "thyroid ultrasound",
        "urine culture",
        "MRI knee",
        "right hip x-ray",
        "chest MRI",
        "platelets",
        "factor IX",
        "knee aspiration",
        "skin examination",
        "electrocardiogram",
        "quantum aura scan",
        "   ",
        "%%%",
    ],
)
def test_what_the_case_does_not_hold_returns_nothing(order: str) -> None:
    assert match_order(order, CASE).findings == ()


def test_chest_ct_is_not_the_chest_x_ray() -> None:
    assert asked("chest CT") == ("alias", {"CT_Scan_Thorax_and_Abdomen"})
    assert match_order("chest CT", CASE[:12]).findings == ()


def test_a_physical_examination_is_every_examination_but_the_intimate_ones() -> None:
    plain = {"Vital signs", "General_Examination", "Cardiopulmonary_Exam", "Abdominal_Examination"}
    assert asked("full physical examination") == ("alias", plain)
    assert asked("pelvic examination") == ("exact", {"Pelvic_Examination"})


@pytest.mark.parametrize(
    "order",
    [
        "x-ray",
        "CT",
        "a biopsy",
        "take your bloods please",
        "some imaging",
        "labs",
        "trponin",
    ],
)
def test_unclear_orders_are_asked_back_without_saying_what_there_is(order: str) -> None:
    reply = match_order(order, CASE)
    assert (reply.match_type, reply.findings, reply.matched_test_name) == ("fuzzy", (), None)
    assert reply.reason == match_order("x-ray", ()).reason or not any(
        held.name.lower() in reply.reason.lower() for held in CASE
    )


def test_none_names_a_real_test_and_only_a_real_one() -> None:
    assert match_order("EKG", CASE).matched_test_name == "Electrocardiogram"
    assert match_order("quantum aura scan", CASE).matched_test_name is None
    assert match_order("right hip x-ray", CASE).matched_test_name == "X-ray of the hip"


def test_a_list_says_which_of_its_orders_returned_nothing() -> None:
    assert match_order("CBC and lipase", CASE).unheld == ("Lipase",)


def test_a_name_with_an_and_in_it_is_one_order_in_a_list_as_well() -> None:
    held = (
        finding("Full blood count"),
        finding("C-reactive protein"),
        finding("Urea and electrolytes"),
        finding("Urinalysis"),
    )
    for order in ("FBC, CRP, U&E", "U&E, CRP and FBC", "FBC & CRP, U&E", "FBC, U&Es and CRP"):
        reply = match_order(order, held)
        assert set(reply.findings) == {"Full blood count", "C-reactive protein", "Urea and electrolytes"}
        assert (reply.unheld, reply.unclear) == ((), ())


def test_the_letters_of_one_tests_name_are_not_orders_of_their_own() -> None:
    for order in ("U&E", "lipase, U&E"):
        reply = match_order(order, (finding("Urinalysis"),))
        assert reply.findings == ()
        assert "Urea and electrolytes" in reply.unheld


def test_two_cases_with_the_same_names_keep_their_own_results() -> None:
    with_sodium = (finding("Laboratory tests", "test", "Sodium: 140"),)
    without = (finding("Laboratory tests", "test", "Lipase: 30"),)
    assert match_order("sodium", with_sodium).findings
    assert not match_order("sodium", without).findings


def test_a_result_of_blanks_colons_and_brackets_is_read_in_one_pass() -> None:
    """A label's pattern that tries every split of a run of blanks would take hours here."""
    for filling in (" ", ":", "(", "a ", '"', "| x:"):
        held = (finding("Laboratory tests", "test", filling * 5000 + "Sodium: 140"),)
        assert match_order("lipase, " + "( " * 100, held).findings == ()


def test_labels_are_found_in_lists_and_nested_text() -> None:
    for result in ('{"Labs": {"Sodium": "140"}}', "Chemistry: Sodium: 140", "Clotting normal; Sodium: 140"):
        assert match_order("Na", (finding("Results of tests", "test", result),)).findings


@given(st.text(max_size=120))
def test_any_text_gets_an_honest_answer(order: str) -> None:
    reply = match_order(order, CASE)
    assert set(reply.findings) <= {held.id for held in CASE}
    assert bool(reply.findings) == (reply.match_type in ("exact", "alias"))
    assert reply == match_order(order, CASE[:1] + CASE[1:])


def test_the_player_answers_the_latest_order() -> None:
    feed = (Ordered(minute=0, order=1, name="CBC"), Ordered(minute=1, order=2, name="CXR"))
    request = Request(ExaminationView(findings=CASE), feed, "world")
    reply = asyncio.run(BaselineExamination().reply(request))
    assert isinstance(reply, ExaminationReply)
    assert reply.findings == ("Chest_X-ray",)


def test_real_records_return_each_finding_by_its_name_and_no_other() -> None:
    if not AGENTCLINIC.exists():
        pytest.skip("AgentClinic's records are not here")
    orders = hits = asked_back = others = 0
    for line in AGENTCLINIC.read_text().splitlines():
        record = json.loads(line)["OSCE_Examination"]
        held = tuple(
            FindingView(id=key, kind=kind, name=key, result=json.dumps(value))
            for section, kind in _SECTIONS
            if isinstance(record.get(section), dict)
            for key, value in record[section].items()
        )
        for each in held:
            reply = match_order(f"Please order the {each.name.replace('_', ' ').lower()}", held)
            others += bool(reply.findings) and each.id not in reply.findings
            asked_back += not reply.findings
            orders, hits = orders + 1, hits + (reply.findings == (each.id,))
    assert orders > 500
    assert hits + asked_back >= 0.99 * orders, "a whole category, such as imaging, is asked back"
    assert asked_back <= 0.15 * orders
    assert others <= 0.005 * orders


_SECTIONS: tuple[tuple[str, FindingKind], ...] = (
    ("Physical_Examination_Findings", "examination"),
    ("Test_Results", "test"),
)


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("can I feel his tummy?", {"Abdominal_Examination"}),
        ("bloods and a chest x-ray", {"Chest_X-ray"}),
    ],
)
def test_an_order_in_plain_speech_finds_what_is_meant(order: str, found: set[str]) -> None:
    assert set(match_order(order, CASE).findings) == found


def attached(*names: str) -> tuple[FindingView, ...]:
    return tuple(
        FindingView(id=name, kind="image", name=name, aliases=("Image", "Photograph"), result="A picture.")
        for name in names
    )


@pytest.mark.parametrize(
    "order", ["Images", "REQUEST IMAGES", "the photo", "photograph of the shins", "Image 1"]
)
def test_an_image_file_without_a_name_is_found_under_any_word_for_a_picture(order: str) -> None:
    assert match_order(order, attached("Image 1")).findings == ("Image 1",)


def test_the_images_are_all_of_them_and_one_by_its_number_is_one() -> None:
    both = attached("Image 1", "Image 2")
    assert match_order("Show me the pictures", both).findings == ("Image 1", "Image 2")
    assert match_order("Image 2", both).findings == ("Image 2",)
    assert match_order("full blood count and the image", attached("Image 1")).findings == ("Image 1",)


@pytest.mark.parametrize(
    "order", ["imaging", "chest X-ray image", "MRI pictures", "ECG image", "Image 3", "X-ray"]
)
def test_a_technique_or_another_number_brings_no_image_of_which_nobody_knows_what_it_is(order: str) -> None:
    assert match_order(order, attached("Image 1")).findings == ()
