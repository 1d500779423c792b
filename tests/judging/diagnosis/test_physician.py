"""The diagnosis judge: an answer that entails the reference is right, a list or less is not."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.judging.diagnosis.concepts import graph, normal
from osler.judging.diagnosis.judged import judged
from osler.judging.diagnosis.support import Record
from osler.judging.diagnosis.vocabulary import Entry, entries

AGENT = graph().agent
FIRST = [name for number, name in enumerate(graph().first) if AGENT not in graph().above[number]]


@cache
def sound() -> list[str]:
    """The names that are read as themselves in a sentence. To judge them all takes seconds."""
    return [name for name in FIRST if len(name) > 4 and judged(name.title() + ".", name).verdict == "same"]


SOUND = st.deferred(lambda: st.sampled_from(sound()))
# Pairs that an evaluator of models found judged the wrong way round: the reference, then the answer.
ENTAILED = [
    ("Tuberculosis", "Active pulmonary tuberculosis"),
    ("Asthma", "Mild persistent asthma"),
    ("Osteoarthritis", "Knee osteoarthritis"),
    ("Hemophilia", "Hemophilia A (factor VIII deficiency)"),
    ("Atrial Septal Defect", "Ostium secundum atrial septal defect"),
    ("Leprosy", "Lepromatous leprosy (Hansen disease)"),
    ("Pneumonia", "Community-acquired bacterial pneumonia"),
    ("Disc herniation", "L5-S1 disc herniation with S1 radiculopathy"),
    ("Diffuse large B-cell lymphoma", "Diffuse large B-cell lymphoma (DLBCL), stage III"),
    ("Irritable Bowel Syndrome", "Irritable bowel syndrome, diarrhea-predominant (IBS-D)"),
    ("Cytomegalovirus retinitis", "CMV retinitis in advanced HIV/AIDS"),
    ("Myasthenia gravis", "Myasthenia gravis, generalized, without thymoma"),
    ("Posterior hip dislocation", "Traumatic posterior dislocation of the right hip"),
    ("Osteoclastoma", "Giant cell tumor of the distal femur"),
    ("Acute myeloid leukemia", "Acute promyelocytic leukemia"),
    ("Melanoma", "Nodular melanoma"),
    ("Lung cancer", "Small cell lung cancer"),
    ("Lung cancer", "Non-small cell lung cancer"),
    ("Situational syncope", "Micturition syncope"),
    ("Jersey finger", "Avulsion of the flexor digitorum profundus"),
    ("Eczema", "Atopic dermatitis"),
]
WIDER = [
    ("Atopic dermatitis", "Eczema"),
    ("Diffuse large B-cell lymphoma", "Lymphoma"),
    ("Frontotemporal dementia", "Dementia"),
    ("Acute myeloid leukemia", "Leukemia"),
    ("Chronic lymphocytic leukemia", "Leukemia"),
    ("Acute lymphoblastic leukemia", "Acute leukemia"),
    ("Chronic hepatitis B", "Hepatitis"),
    ("Atrial septal defect", "Congenital heart disease"),
    ("Coarctation of the aorta", "Congenital heart disease"),
    ("Schizotypal personality disorder", "Personality disorder"),
    ("Membranous nephropathy", "Nephrotic syndrome"),
    ("Acute interstitial nephritis", "Acute kidney injury"),
    ("Situational syncope", "Syncope"),
    ("Breast milk jaundice", "Neonatal jaundice"),
    ("Physiological jaundice", "Neonatal jaundice"),
    ("Essential thrombocythemia", "Myeloproliferative neoplasm"),
    ("Hemophilia A", "Hemophilia"),
    ("Anemia due to chronic kidney disease", "Anemia"),
]
OTHER = [
    ("Situational syncope", "Vasovagal syncope"),
    ("Ischemic stroke", "Hemorrhagic stroke"),
    ("Left lower lobe pneumonia", "Right lower lobe pneumonia"),
    ("Type 2 diabetes mellitus", "Type 1 diabetes mellitus"),
    ("Hyperthyroidism", "Hypothyroidism"),
    ("Hypertension", "Portal hypertension"),
    ("Diabetes mellitus", "Diabetes insipidus"),
    ("Stroke", "Heat stroke"),
    ("Rubella", "Measles"),
    ("Cushing disease", "Ectopic ACTH syndrome"),
    ("Pneumonia", "Not pneumonia"),
    ("Pneumonia", "Pneumonia ruled out"),
    ("Pneumonia", "Family history of pneumonia"),
    ("Pneumonia", "The diagnosis remains unclear"),
    ("Cirrhosis", "Hepatic encephalopathy"),
]
LISTS = [
    ("Pneumonia", "Pneumonia or pulmonary embolism"),
    ("Pneumonia", "Pneumonia vs. heart failure vs. pulmonary embolism"),
    ("Pneumonia", "1. Pneumonia 2. Pulmonary embolism"),
    ("Pneumonia", "Pneumonia; lung cancer; asthma"),
    ("Bacterial meningitis", "Viral or bacterial meningitis"),
]
HEDGES = ["Likely {}", "Suspected {}", "{}, probable", "Findings consistent with {}", "The diagnosis is {}."]


@pytest.mark.parametrize(("reference", "answer"), ENTAILED)
def test_an_answer_that_entails_the_reference_is_right(reference: str, answer: str) -> None:
    assert judged(answer, reference).right


@pytest.mark.parametrize(("reference", "answer"), WIDER)
def test_an_answer_that_says_less_is_broader(reference: str, answer: str) -> None:
    assert judged(answer, reference).verdict == "broader"


@pytest.mark.parametrize(("reference", "answer"), OTHER)
def test_another_condition_is_different(reference: str, answer: str) -> None:
    assert judged(answer, reference).verdict == "different"


@pytest.mark.parametrize(("reference", "answer"), LISTS)
def test_a_list_of_alternatives_is_wrong(reference: str, answer: str) -> None:
    assert judged(answer, reference).verdict == "list"


@pytest.mark.parametrize(
    "answer",
    [
        "Acute appendicitis with perforation and peritonitis",
        "Acute appendicitis, given the migrating pain and the raised CRP",
        "Appendicitis complicated by sepsis",
        "Appendicitis in a patient with type 2 diabetes and hypertension",
        "I suspect appendicitis; Crohn disease is unlikely",
        "apendicitis",
    ],
)
def test_reasons_complications_and_company_leave_a_diagnosis_right(answer: str) -> None:
    assert judged(answer, "Appendicitis").right


@given(st.sampled_from(FIRST))
def test_every_name_means_itself(name: str) -> None:
    assert judged(name, name).verdict == "same"
    assert judged(name.upper(), name).verdict == "same"


@given(SOUND, st.sampled_from(HEDGES))
def test_a_hedge_never_changes_a_verdict(name: str, hedge: str) -> None:
    assert judged(hedge.format(name), name).verdict == "same"


@given(st.sampled_from([one.names for one in entries() if len(one.names) > 1]), st.data())
def test_synonyms_mean_each_other_both_ways(names: tuple[str, ...], data: st.DataObject) -> None:
    one, other = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
    if graph().ids.get(normal(one)) == graph().ids.get(normal(other)):
        assert judged(one, other).verdict == judged(other, one).verdict == "same"


@given(SOUND, st.sampled_from([", stage III", ", severe", " on the left side", " (acute)"]))
def test_a_stage_or_side_keeps_a_right_answer_right(name: str, more: str) -> None:
    assert judged(name + more, name).right or more == " (acute)" or "right" in name


@given(st.sampled_from([one for one in entries() if one.kinds]), st.data())
def test_a_broader_name_is_never_right(one: Entry, data: st.DataObject) -> None:
    wider = data.draw(st.sampled_from(one.kinds))
    assert (
        not judged(wider, one.names[0]).right
        or graph().ids[normal(wider)] == graph().ids[normal(one.names[0])]
    )


@given(SOUND)
def test_a_list_of_one_name_is_the_same(name: str) -> None:
    assert judged(f"{name} or {name.upper()}", name).verdict == "same"


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_text_gets_a_verdict(answer: str, reference: str) -> None:
    assert judged(answer, reference).why


CASE = Record(
    "Cough and fever. Sputum culture: Streptococcus pneumoniae. CT: right lower lobe consolidation."
)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("Pneumococcal pneumonia", "narrower"),
        ("Severe right lower lobe pneumonia", "narrower"),
        ("Legionella pneumonia", "narrower_unsupported"),
        ("Pneumonia due to lung cancer", "narrower_unsupported"),
        ("Pneumonia", "same"),
    ],
)
def test_what_nothing_in_the_case_bears_out_is_told_apart(answer: str, verdict: str) -> None:
    assert judged(answer, "Pneumonia", case=CASE).verdict == verdict


def test_without_a_case_nothing_is_unsupported() -> None:
    assert judged("Legionella pneumonia", "Pneumonia").verdict == "narrower"


def test_what_was_not_reported_bears_nothing_out() -> None:
    case = Record("Cough and fever; Legionella antigen pending.")
    assert judged("Legionella pneumonia", "Pneumonia", case=case).verdict == "narrower_unsupported"


def test_the_best_of_several_right_wordings_counts() -> None:
    assert not judged("rugby ear", "Auricular haematoma").right
    assert judged("Rugby ear.", "Auricular haematoma", accepts=("rugby ear",)).right


# Wordings of our own for the rules: another order, a place, a cause, a short form, what is denied.
REWORDED = [
    ("Uterine rupture", "Rupture of the uterus through an old scar"),
    ("Placental abruption", "Concealed abruption of the placenta at 34 weeks"),
    ("Brain abscess", "Abscess in the left frontal lobe"),
    ("Splenic rupture", "Ruptured spleen after a fall"),
    ("Bacterial meningitis", "Meningitis due to Neisseria meningitidis"),
    ("Neurosyphilis", "Syphilis of the central nervous system"),
    ("Aspirin-induced gastric ulcer", "Gastric ulcer due to aspirin"),
    ("Acute kidney injury due to rhabdomyolysis", "Rhabdo-induced AKI"),
    ("Acute liver failure due to paracetamol overdose", "Paracetamol-induced acute hepatic failure"),
    ("Pneumonia", "Pneumonia secondry to influenza"),
    ("Pneumonia", "Pneumonia, less likely pulmonary embolism"),
    ("Pericarditis", "Pericarditis; pulmonary embolism less likely"),
    ("Pellagra", "Niacin deficiency - dermatitis, diarrhoea and dementia"),
    ("HELLP syndrome", "Haemolysis, elevated liver enzymes and low platelets"),
    ("Mitral regurgitation", "Regurgitation through the mitral valve"),
    ("Bacterial vaginosis", "Clue cells and a fishy odour, in keeping with BV"),
    ("Small bowel obstruction due to adhesions", "SBO from adhesions"),
]
NOT_REWORDED = [
    ("Liver abscess", "Abscess in a patient with liver disease"),
    ("Heat stroke", "Stroke in the heat"),
    ("Cerebral palsy", "Palsy due to brain injury"),
    ("Pneumonia", "High risk of pneumonia"),
    ("Pneumonia", "Pulmonary embolism, pneumonia less likely"),
    ("Acute appendicitis", "Bleeding ulcer, Forrest Ia"),
    ("Reflux disease", "RD"),
    ("Budd-Chiari syndrome", "Lung cancer complicated by Budd-Chiari syndrome"),
    ("Neurofibroma", "Fibroma of the brain"),
]


@pytest.mark.parametrize(("reference", "answer"), REWORDED)
def test_other_words_in_another_order_mean_the_same(reference: str, answer: str) -> None:
    assert judged(answer, reference).right


@pytest.mark.parametrize(("reference", "answer"), NOT_REWORDED)
def test_the_same_words_in_another_sense_do_not(reference: str, answer: str) -> None:
    assert not judged(answer, reference).right


@given(SOUND, SOUND)
def test_an_alternative_that_is_dismissed_makes_no_list(name: str, other: str) -> None:
    assert judged(f"{name}; {other} less likely", name).right
    assert judged(f"{name}; {other} is unlikely", name).right


@pytest.mark.parametrize(
    ("answer", "reference", "story", "verdict"),
    [
        (
            "Bird fancier's lung",
            "Hypersensitivity pneumonitis",
            "Keeps parrots. CT: ground glass.",
            "narrower",
        ),
        ("Bird fancier's lung", "Hypersensitivity pneumonitis", "CT: ground glass.", "narrower_unsupported"),
        ("Hyperactive delirium", "Delirium", "Shouting all night.", "narrower"),
        ("Hepatitis (anti-LKM1)", "Hepatitis", "ALT 900. Antibodies not back.", "narrower_unsupported"),
        ("Hepatitis (anti-LKM1)", "Hepatitis", "ALT 900. Anti-LKM1 positive.", "narrower"),
        (
            "Intussusception with a polyp as the lead point",
            "Intussusception",
            "Target sign.",
            "narrower_unsupported",
        ),
        ("Alcoholic pancreatitis", "Pancreatitis", "Lipase 900. No alcohol.", "narrower_unsupported"),
        ("Alcoholic pancreatitis", "Pancreatitis", "Lipase 900. A bottle of vodka a day.", "narrower"),
    ],
)
def test_a_cause_or_kind_needs_words_of_the_case_and_a_form_does_not(
    answer: str, reference: str, story: str, verdict: str
) -> None:
    assert judged(answer, reference, case=Record(story)).verdict == verdict
