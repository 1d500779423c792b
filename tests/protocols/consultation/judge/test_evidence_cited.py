"""What a conclusion rests on: evidence obtained and cited, evidence nobody gave, and the follow-up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.model import Case, Management, Workup
from osler.cases.sources import open_source
from osler.core.events import Event, Released, Said
from osler.core.order_events import Resulted
from osler.core.trace import Trace
from osler.errors import Status
from osler.judging.scores import Score
from osler.protocols.consultation.judge.built_in import judge
from osler.protocols.consultation.seats import Ask, Finalize
from osler.text.lexical_similarity import numbers, stems
from tests.judging.episodes import case_of, trace_with

HEARD = (
    "I have had a crushing pain in my chest since three hours.",
    "It goes down my left arm.",
    "No, I have no fever.",
    "I smoke twenty a day.",
    "My father died of a heart attack at 52.",
    "I take ramipril for my blood pressure.",
)
RESULTS = {
    "ECG": "ST elevation in II, III and aVF.",
    "Troponin": "450 ng/L (reference below 14)",
    "Full blood count": "haemoglobin 132 g/L, white cells 7.2",
}


def concluded(
    final: Finalize | None, *released: str, heard: tuple[str, ...] = HEARD, **results: str
) -> Trace:
    """An episode in which all this was heard and shown before the conclusion."""
    told: list[Event] = [Said(minute=1, by="patient", text=text) for text in heard]
    told += [Released(minute=1, item=item, provenance="case", gate="asked") for item in released]
    told += [
        Resulted(minute=2, order=1, name=name, returned=True, text=text)
        for name, text in (results or RESULTS).items()
    ]
    status = Status.COMPLETED if final else Status.OUT_OF_TURNS
    return trace_with((told, "doctor", Ask(question="Go on.")), final=final, status=status)


def score(name: str, trace: Trace, case: Case | None = None) -> Score:
    return judge(case or case_of(age_years=58), trace, options_shown=False).scores[name]


def made_up(*evidence: str) -> float | None:
    final = Finalize(diagnosis="PE", evidence=evidence)
    return score("unsupported_evidence", concluded(final)).value


@pytest.mark.parametrize(
    "line",
    [
        "Crushing central chest pain radiating to the left arm",
        "ST elevation in the inferior leads",
        "Raised troponin of 450",
        "Current smoker, 20 per day",
        "58-year-old man with cardiac risk factors",
        "Family history of myocardial infarction",
        "Pain for 3 hours",
        "Normal haemoglobin",
        "No fever to suggest infection",
        "Hypertension on ramipril",
        "Typical of an acute coronary syndrome",
    ],
)
def test_evidence_in_other_words_is_not_called_made_up(line: str) -> None:
    assert made_up(line) == 0


@pytest.mark.parametrize(
    "line",
    [
        "Fever for two days",
        "Blood pressure 85/50",
        "Troponin 900 ng/L",
        "Haemoptysis",
        "Productive cough with green sputum",
        "Never smoked",
        "Chest X-ray shows a pleural effusion",
        "Denies chest pain",
        "Temperature 39.2",
    ],
)
def test_evidence_that_nobody_gave_is_found_and_quoted(line: str) -> None:
    final = Finalize(diagnosis="PE", evidence=("ST elevation in II, III and aVF.", line))
    assert score("unsupported_evidence", concluded(final)) == Score(1.0, "", (line,), missed=(line,))


def test_without_a_conclusion_or_evidence_nothing_is_unsupported_or_supported() -> None:
    assert score("unsupported_evidence", concluded(None)).reason == "no_answer"
    assert score("unsupported_evidence", concluded(Finalize(diagnosis="PE"))).reason == "not_given"
    silent = score("supporting_evidence", concluded(None))
    assert (silent.value, silent.reason, len(silent.missed)) == (0.0, "no_answer", 4)
    nothing = score("follow_up", concluded(None))
    assert (nothing.value, nothing.reason, len(nothing.missed)) == (0.0, "no_answer", 3)


def cited(released: tuple[str, ...], *evidence: str) -> tuple[float | None, tuple[str, ...]]:
    found = score("supporting_evidence", concluded(Finalize(diagnosis="PE", evidence=evidence), *released))
    return found.value, found.evidence


def test_key_evidence_counts_where_it_was_obtained_and_is_cited() -> None:
    """The case's key evidence: the flight, that the pain does not tear, the scan and the heart rate."""
    assert cited(("flight",), "Recent long flight of eleven hours") == (
        0.25,
        ("Recent long flight of eleven hours",),
    )
    assert cited(("flight", "ctpa"), "An 11-hour flight last week", "CTPA shows a clot")[0] == 0.25
    assert cited(("flight", "ctpa"), "An 11-hour flight last week", "CT pulmonary angiogram: clot")[0] == 0.5
    assert cited((), "An 11-hour flight last week")[0] == 0, "cited, but nobody told it"
    assert cited(("flight", "ctpa", "rate"), "Looks unwell")[0] == 0


def test_what_says_the_opposite_is_not_cited() -> None:
    facts = case_of().facts
    fever = facts[2].model_copy(update={"key": True})
    case = case_of(facts=(fever,), findings=(), workup=Workup(required=()), diagnosis=None)
    for line, met in (("No fever", 1.0), ("Fever", 0.0)):
        final = Finalize(diagnosis="PE", evidence=(line,))
        found = judge(case, concluded(final, "fever"), options_shown=False)
        assert found.scores["supporting_evidence"].value == met


def followed(disposition: str, followup: str, *plan: str, net: tuple[str, ...] = ()) -> float | None:
    plan_of = case_of().management
    assert plan_of is not None
    wanted: Management = plan_of.model_copy(update={"disposition": disposition, "safety_net": net})
    final = Finalize(diagnosis="PE", followup=followup, plan=plan)
    return score("follow_up", concluded(final), case_of(management=wanted)).value


@pytest.mark.parametrize(
    ("disposition", "followup", "plan", "met"),
    [
        ("Admit to the ward.", "", ("Admit under medicine",), 1.0),
        ("Admit to the ward.", "Transfer to intensive care", (), 1.0),
        ("Admit to the ward.", "Home today", (), 0.0),
        ("Admit to the ward.", "No need to admit", (), 0.0),
        ("Home with review in the clinic.", "Outpatient review in a week", (), 1.0),
        ("Home with review in the clinic.", "", ("Start apixaban",), 0.0),
        ("From the emergency department straight to theatre; home later.", "Theatre now", (), 1.0),
    ],
)
def test_where_the_patient_goes_is_one_of_a_few_places(
    disposition: str, followup: str, plan: tuple[str, ...], met: float
) -> None:
    assert followed(disposition, followup, *plan) == met


def test_warnings_count_by_what_they_warn_of_or_by_their_words() -> None:
    net = ("Come back at once if you cough up blood.", "Keep the stocking on for ten days.")
    assert followed("Home.", "Go home. Return for haemoptysis.", net=net) == 3 / 4
    assert followed("Home.", "Home, and keep that stocking on, ten days.", net=net) == 2 / 4
    assert followed("Home.", "Home. Seek help if you get worse.", net=net) == 2 / 4


def test_a_disposition_in_its_own_words_and_a_help_line_count() -> None:
    case = next(each for each in open_source("library") if each.id == "psychiatry-01")
    final = Finalize(diagnosis="Depression", followup="Same day crisis team; back if worse; Samaritans")
    found = score("follow_up", concluded(final), case)
    assert found.value == 2 / 5
    assert found.evidence == ("Same day crisis team; back if worse; Samaritans",)


def test_a_case_without_management_or_key_evidence_is_not_scored() -> None:
    bare = case_of(facts=(), findings=(), workup=None, management=None, diagnosis=None)
    judged = judge(bare, concluded(Finalize(diagnosis="PE", evidence=("x",))), options_shown=False)
    for name in ("supporting_evidence", "follow_up"):
        assert judged.scores[name].reason == "not_in_case"


def test_words_are_compared_by_root_and_numbers_by_value() -> None:
    assert stems("Breathlessness on walking") & stems("breathless, walks")
    assert numbers("eleven hours, 38.5 degrees and 120/80") == {"11", "38.5", "120", "80"}
    assert stems("the patient says that she has had it") == frozenset()


@given(st.lists(st.text(max_size=200), max_size=5), st.text(max_size=300))
def test_no_text_breaks_the_judge(evidence: list[str], followup: str) -> None:
    final: dict[str, Any] = {"evidence": tuple(filter(None, evidence)), "followup": followup}
    judged = judge(case_of(), concluded(Finalize(diagnosis="PE", **final)), options_shown=False)
    assert judged.scores["correct"].value == 1
    assert not any(found.reason.startswith("judge_failed") for found in judged.scores.values())
