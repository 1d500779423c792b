"""A score is no number where the case lacks what it is about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from osler.cases.importers import import_file
from osler.cases.model import Case, Contraindicated, Diagnosis, Workup
from osler.core.measure import Scored
from osler.protocols.consultation.judge.built_in import judge, lacking
from osler.protocols.consultation.judge.manager_items import items_of
from osler.protocols.consultation.measures import MEASURES
from osler.protocols.consultation.seats import Finalize
from osler.protocols.consultation.story import TOLD
from osler.store.records import EpisodeRow
from tests.judging.episodes import asked, case_of, ordered, trace_with

IMPORTED = Path(__file__).parents[3] / "fixtures" / "agentclinic_small.jsonl"
CITES = Finalize(
    diagnosis="Pulmonary embolism",
    evidence=("CT pulmonary angiogram: A clot.", "Flew for eleven hours last week."),
    plan=("anticoagulation",),
)
WELL_PLAYED = trace_with(asked("Travel?", "flight"), ordered("CTPA", "ctpa"), final=CITES)


def unmarked(case: Case, **changes: Any) -> Case:
    """The case as an importer leaves it: no result is marked key and nobody says what must be done."""
    plain = tuple(finding.model_copy(update={"key": False}) for finding in case.findings)
    return case.model_copy(update={"findings": plain, "workup": None, "management": None, **changes})


def test_evidence_is_unscored_where_no_result_is_marked() -> None:
    """Before, citing the decisive result earned nothing and repeating the history everything."""
    score = judge(unmarked(case_of()), WELL_PLAYED, options_shown=False).scores["supporting_evidence"]
    assert (score.value, score.reason) == (None, "not_in_case")
    assert judge(case_of(), WELL_PLAYED, options_shown=False).scores["supporting_evidence"].value


def test_a_work_up_that_marks_no_result_key_says_what_matters_too() -> None:
    by_history = unmarked(case_of(), workup=Workup(required=()))
    assert judge(by_history, WELL_PLAYED, options_shown=False).scores["supporting_evidence"].value == 0.5


def test_a_model_is_not_asked_for_evidence_that_nobody_marked() -> None:
    assert "supporting_evidence" in {item.part for item in items_of(case_of())}
    assert "supporting_evidence" not in {item.part for item in items_of(unmarked(case_of()))}


@pytest.mark.parametrize("case", [one for one in import_file(IMPORTED) if isinstance(one, Case)])
def test_an_imported_case_has_no_score_of_what_its_source_does_not_hold(case: Case) -> None:
    scores = judge(case, trace_with(final=CITES), options_shown=False).scores
    without = {name for name, score in scores.items() if score.reason == "not_in_case"}
    assert without == lacking(case)
    assert without >= {"supporting_evidence", "exam_recall", "finding_coverage", "unsafe_acts", "follow_up"}


NOT_A_HARM = Contraindicated.model_validate(
    {"name": "CT head", "terms": ["ct head"], "why": "answers no question", "class_": "unnecessary"}
)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("fact_coverage", {"facts": (), "diagnosis": None}),
        ("exam_precision", {"workup": Workup(required=())}),
        ("exam_recall", {"workup": Workup(required=(), useful=("ecg",))}),
        ("exam_f1", {"workup": Workup(required=(), useful=("ecg",))}),
        ("contraindicated_tests", {"workup": Workup(required=(("ctpa",),), contraindicated=(NOT_A_HARM,))}),
        ("premature_closure", {"workup": Workup(required=())}),
        ("unsafe_acts", {"workup": Workup(required=(("ctpa",),)), "management": None}),
        ("must_not_miss", {"diagnosis": Diagnosis(name="Pulmonary embolism")}),
        ("safety_done", {"safety": ()}),
        ("provisional_correct", {"diagnosis": None}),
    ],
)
def test_each_score_is_missing_with_its_need_and_a_number_with_it(name: str, changes: dict[str, Any]) -> None:
    whole = case_of()
    (need,) = [one.needs for one in MEASURES if one.name == name]
    assert need is not None
    assert need.met(whole)
    less = case_of(**changes)
    assert not need.met(less)
    score = judge(less, WELL_PLAYED, options_shown=False).scores[name]
    assert (score.value, score.reason) == (None, "not_in_case")


def test_no_critical_step_is_missed_where_none_is_critical() -> None:
    management = case_of().management
    assert management is not None
    steps = tuple(step.model_copy(update={"critical": False}) for step in management.key_features)
    less = case_of(management=management.model_copy(update={"key_features": steps}))
    scores = judge(less, WELL_PLAYED, options_shown=False).scores
    assert scores["critical_missed"].reason == "not_in_case"
    assert scores["management_met"].value is not None


def test_what_the_judge_counts_is_what_a_run_counts() -> None:
    """Where the doctor was told the case at once, nothing was spent: unscored in both, and 0 in neither."""
    for counts in ({"turns": 6, "tests": 2, "cost": 300}, {TOLD: 1}):
        trace = replace(WELL_PLAYED, outcome=WELL_PLAYED.outcome._replace(counts=counts))
        scores = judge(case_of(), trace, options_shown=False).scores
        row = EpisodeRow(0, "", "", "", *trace.outcome[:4], counts, "[]", None, None)
        for name in ("turns", "tests", "minutes", "cost"):
            (measure,) = [one for one in MEASURES if one.name == name]
            assert measure.of(Scored(row, None, lambda: WELL_PLAYED)) == scores[name].value
