"""Fake doctors: as able as they say, and the same in every style."""

from __future__ import annotations

import json

import pytest

from osler.cases.model import Case, Task
from osler.protocols.consultation.seats import Finalize
from osler.testing.cases import small_case
from osler.testing.endpoint_plans import Rule
from tests.testing import doctors
from tests.testing.doctors import STYLES, FakeDoctor, concluded, endpoint_script

CASES = [small_case(id=f"case-{n}") for n in range(300)]


def rights(accuracy: float, *, repeats: int = 1, shared: float = 0.5, alike: float = 0.0) -> list[list[bool]]:
    found = []
    for case in CASES:
        doctor = FakeDoctor(case, accuracy, alike=alike, shared=shared)
        found.append([doctor.right(f"{case.id}/{repeat}") for repeat in range(repeats)])
    return found


@pytest.mark.parametrize("accuracy", [0.0, 0.35, 0.6, 0.85, 1.0])
def test_a_doctor_is_as_able_as_it_says(accuracy: float) -> None:
    for alike in (0.0, 1.0):
        found = rights(accuracy, repeats=4, alike=alike)
        assert sum(map(sum, found)) / 1200 == pytest.approx(accuracy, abs=0.09)
        assert (alike < 1) or all(len(set(each)) == 1 for each in found)


def test_sharing_all_luck_the_abler_is_right_wherever_the_other_is() -> None:
    weak, strong = rights(0.35, shared=1.0), rights(0.85, shared=1.0)
    assert all(b or not a for (a,), (b,) in zip(weak, strong, strict=True))
    apart = zip(rights(0.35, shared=0.0), rights(0.85, shared=0.0), strict=True)
    assert any(a and not b for (a,), (b,) in apart)


@pytest.mark.parametrize("style", STYLES)
def test_a_style_changes_the_wording_only(style: doctors.Style) -> None:
    case = small_case()
    assert "Pneumonia" in concluded(case, True, style).diagnosis
    assert "pneumonia" not in concluded(case, False, style).diagnosis.lower()
    worlds = [FakeDoctor(case, 0.6, style).right(f"{n}") for n in range(50)]
    assert worlds == [FakeDoctor(case, 0.6).right(f"{n}") for n in range(50)]


def test_options_are_answered_by_their_keys() -> None:
    task = Task(kind="choice", question="Which?", options={"A": "Gout", "B": "Pneumonia"}, answer="B")
    case = small_case(task=task)
    assert (concluded(case, True).answer, concluded(case, False).answer) == ("B", "A")


def test_names_say_ability_and_style() -> None:
    assert callable(getattr(doctors, "right_85"))  # noqa: B009 - made by name
    assert callable(getattr(doctors, "right_60_hedged"))  # noqa: B009
    for name in ("right_101", "right_60_shouted", "wrong_10", "right_"):
        with pytest.raises(AttributeError):
            getattr(doctors, name)


def test_the_endpoint_plays_the_same_doctor() -> None:
    noted = [noted_case(n) for n in range(40)]
    rules = endpoint_script(noted, 0.5, "hedged")
    assert 8 <= sum("Pneumonia" in said(rule) for rule in rules) <= 32
    assert all(said(rule).startswith("Probably ") for rule in rules)
    with pytest.raises(ValueError, match="two cases have the door note"):
        endpoint_script([small_case(), small_case(id="other")], 0.5)


def said(rule: Rule) -> str:
    return Finalize.model_validate(json.loads(rule.text or "{}")).diagnosis


def noted_case(n: int) -> Case:
    case = small_case(id=f"case-{n}")
    opening = case.opening.model_copy(update={"door_note": f"Number {n} of forty has a cough."})
    return case.model_copy(update={"opening": opening})
