"""Levels, findings, criticality and points: what the wording of items tells, and what it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.rubrics.inference import critical, levels, unsure
from osler.cases.rubrics.lint import holds_a_scale
from tests.cases.rubrics.samples import rubric_of


def grouped(*texts: str) -> list[float | None]:
    """The level of each item, `None` for one that is in no group."""
    items = rubric_of(*texts).items
    found = levels(items)
    assert len({level.group for level in found.values()}) <= 1
    return [found[item.id].value if item.id in found else None for item in items]


def test_a_run_of_one_scales_words_is_one_group() -> None:
    assert grouped("Poor: no structure", "Fair: some structure", "Excellent: clear structure") == [0, 0.5, 1]
    assert grouped("Washes hands", "Good - explains", "Poor - silent", "Thanks") == [None, 1, 0, None]
    assert grouped("Level 1 disorganized", "Level 2 mostly organized", "Level 3 organized") == [
        pytest.approx(1 / 3, abs=1e-4),
        pytest.approx(2 / 3, abs=1e-4),
        1,
    ]


def test_the_same_act_in_several_degrees_is_one_group() -> None:
    assert grouped("Fully explains the plan", "Partially explains the plan", "Does not explain the plan") == [
        1,
        0.5,
        0,
    ]
    assert grouped("Washes hands before the examination", "Does not wash hands before the examination") == [
        1,
        0,
    ]


@pytest.mark.parametrize(
    "texts",
    [
        ("1. Washes hands", "2. Introduces self", "3. Sits down"),
        ("Good communication with the nurse", "Poor prognosis discussed"),
        ("Asks about chest pain", "Asks about back pain"),
        ("Good: explains", "Washes hands", "Poor: silent"),
        ("Explains the plan", "Explains the plan"),
        ("Complete blood count", "Full physical examination"),
    ],
)
def test_what_only_looks_like_levels_is_none(texts: tuple[str, ...]) -> None:
    assert grouped(*texts) == [None] * len(texts)


def test_the_lowest_level_is_negative_and_a_treatment_left_out_is_unsure_only_alone() -> None:
    alone = rubric_of("Does not administer oxygen").items[0]
    assert unsure(alone)
    pair = rubric_of("Administers oxygen by mask", "Does not administer oxygen by mask").items
    assert [item.traits.level for item in pair] == [1, 0]
    assert [item.traits.negative for item in pair] == [False, True]
    assert not any(unsure(item) for item in pair)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Orders an ECG (critical action)", True),
        ("Critical: calls for help", True),
        ("CRITICAL ERROR - gives potassium as a bolus", True),
        ("Must call the surgeon", True),
        ("Identifies the leak***", True),
        ("Uses critical thinking", False),
        ("Recognizes that the child is critically ill", False),
        ("Requests a critical care bed", False),
        ("**Communication** with the family", False),
        ("Asks what the patient must avoid", False),
    ],
)
def test_an_item_is_critical_only_where_it_says_so(text: str, expected: bool) -> None:
    assert critical(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Blood pressure is 80/40", True),
        ("The patient has a fever", True),
        ("BP 90/50, HR 130", True),
        ("No known allergies", True),
        ("Adherence is poor.", True),
        ("Patient is given oxygen", False),
        ("Patient was asked about allergies", False),
        ("Blood pressure is measured in both arms", False),
        ("Recognizes that blood pressure is 80/40", False),
        ("Gives 500 ml of saline for a BP of 80/40", False),
        ("Asks about fever", False),
    ],
)
def test_a_finding_is_no_behaviour(text: str, expected: bool) -> None:
    assert rubric_of(text).items[0].traits.finding is expected


def test_a_scale_inside_one_item_is_noticed() -> None:
    assert holds_a_scale("Teamwork - circle one\n1 - poor\n2 - fair\n3 - good")
    assert holds_a_scale("How well did they explain? (Excellent or 5 if clear, poor or 1 if not)")
    assert not holds_a_scale("Gives 1 mg adrenaline; repeats every 3 - 5 minutes")


@given(st.lists(st.text(min_size=1, max_size=60).filter(str.strip), max_size=8))
def test_inference_never_alters_a_text_and_groups_have_a_best_level(texts: list[str]) -> None:
    rubric = rubric_of(*texts) if texts else rubric_of("x")
    if texts:
        assert [item.text for item in rubric.items] == texts
    groups = {item.traits.group for item in rubric.items if item.traits.group}
    for group in groups:
        held = [item.traits.level for item in rubric.items if item.traits.group == group]
        assert max(held) == 1
        assert len(set(held)) > 1
