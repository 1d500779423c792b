"""Fault plans and scripts: the same every time, and refused in words when they make no sense."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput
from osler.testing.endpoint_plans import FAULTS, FaultPlan, Faults, Script, plan_of, rules_of

ASKED = {"model": "m", "seat": "doctor", "schema_name": "reply", "format": "text"}


@given(
    seed=st.integers(0, 2**32), digest=st.text(max_size=8), attempt=st.integers(0, 9), rate=st.floats(0, 1)
)
def test_a_draw_depends_on_nothing_but_plan_content_and_attempt(
    seed: int, digest: str, attempt: int, rate: float
) -> None:
    one, other = FaultPlan(seed=seed, rate=rate), FaultPlan(seed=seed, rate=rate)
    assert one.draw(digest, attempt) == other.draw(digest, attempt)


def test_the_share_and_the_weights_of_faults_are_kept() -> None:
    plan = FaultPlan(seed=1, rate=0.3, kinds={"500": 3, "reset": 1, "empty": 0})
    drawn = [plan.draw(f"content {i}", 0) for i in range(4000)]
    assert {fault for fault in drawn if fault} == {"500", "reset"}
    assert sum(fault is not None for fault in drawn) / 4000 == pytest.approx(0.3, abs=0.03)
    assert drawn.count("500") / drawn.count("reset") == pytest.approx(3, rel=0.2)


def test_every_kind_is_drawn_where_none_is_named() -> None:
    plan = FaultPlan()
    assert {plan.draw(str(i), 0) for i in range(1000)} == set(FAULTS)


def test_a_retry_may_pass_and_the_same_run_again_fares_the_same() -> None:
    def fates() -> list[list[str | None]]:
        faults = Faults(FaultPlan(seed=4, rate=0.5))
        return [[faults.next(f"content {i}") for _ in range(6)] for i in range(20)]

    assert fates() == fates()
    assert any(first is not None and None in later for first, *later in fates())


def test_until_ends_the_faults() -> None:
    faults = Faults(FaultPlan(rate=1, until=2))
    assert [faults.next("same") is None for _ in range(4)] == [False, False, True, True]


def test_the_first_rule_that_matches_answers() -> None:
    script = Script(
        rules_of(
            [
                {"match": {"contains": "cough", "nth": 2}, "reply": "second cough"},
                {"match": {"contains": "cough", "seat": "doctor"}, "reply": "cough"},
                {"match": {"anywhere": "fever", "model": "m"}, "reply": None},
                {"match": {"seat": "patient"}, "reply": "never"},
            ]
        )
    )
    found = [
        script.find(ASKED, texts)
        for texts in (["a cough"], ["a cough"], ["fever", "a cough"], ["fever", "now"], ["cough", "now"])
    ]
    assert [rule and rule.text for rule in found] == ["cough", "second cough", "cough", None, None]
    assert found[3] is not None
    assert found[3].is_scripted
    assert found[4] is None


def test_plans_and_scripts_are_read_from_json_and_yaml(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"seed": 1, "rate": 0.3, "kinds": {"timeout": 1}}')
    (tmp_path / "script.yaml").write_text("- match: {nth: 1}\n  reply: {verdict: true}\n  delay_ms: 5\n")
    plan, rules = plan_of(tmp_path / "plan.json"), rules_of(tmp_path / "script.yaml")
    assert plan == FaultPlan(seed=1, rate=0.3, kinds={"timeout": 1})
    assert rules[0].text == '{"verdict": true}'


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("absent.json", None, "cannot be read"),
        ("broken.json", "{", "neither JSON nor YAML"),
        ("broken.yaml", "a: [", "neither JSON nor YAML"),
        ("tagged.yaml", "!!python/object/apply:os.getcwd []", "neither JSON nor YAML"),
        ("rate.json", '{"rate": 3}', "rate"),
        ("kind.json", '{"kinds": {"earthquake": 1}}', "earthquake"),
        ("list.json", "[]", "the whole"),
        ("deep.json", "[" * 100_000, "neither JSON nor YAML"),
    ],
)
def test_a_plan_that_cannot_be_used_is_refused_in_words(
    tmp_path: Path, name: str, text: str | None, complaint: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match=complaint):
        plan_of(tmp_path / name)


def test_a_rule_that_cannot_be_used_is_refused_in_words() -> None:
    with pytest.raises(BadInput, match="nth"):
        rules_of([{"match": {"nth": 0}, "reply": "x"}])
