"""The validity battery finds what was planted, with its case and place, and little in a sound set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from osler.cases.importers.osler_yaml import write_case
from osler.cases.model import Case, Diagnosis, Fact, Finding, Opening, Task
from osler.core.protocol import Protocol
from osler.core.registry import protocols
from osler.errors import BadInput
from osler.knowledge.conditions import knowledge, name_key
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.probes import _telling_tests
from osler.protocols.scenario.casting import BUILT_IN
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.store.store import Store, open_store
from osler.studies.audit import NOTHING, Flaw
from osler.studies.validate import Validation, validate
from osler.testing.cases import small_case

MANY = 8
Check = Callable[[Sequence[Case]], Validation]


@pytest.fixture
def check(tmp_path: Path, store: Store) -> Check:
    """Write cases to a folder and let the battery at them."""

    def run(cases: Sequence[Case]) -> Validation:
        for case in cases:
            write_case(case, tmp_path / "cases")
        return validate(RunConfig(cases=str(tmp_path / "cases")), store)

    return run


def sound(number: int = 1, **changes: Any) -> Case:
    """The small case without what would name its answer, with a key fact that can be asked for."""
    return small_case(**{"id": f"test-{number:02}", "title": None, **changes})


def found(validation: Validation, code: str) -> list[Flaw]:
    return [flaw for flaw in validation.findings if flaw.code == code]


def other_names() -> list[tuple[str, str]]:
    """(name, synonym) of conditions whose synonym shares no word with the name."""
    pairs = [
        (condition.name, synonym)
        for condition in knowledge().conditions
        for synonym in condition.synonyms[:1]
        if not set(name_key(synonym).split()) & set(name_key(condition.name).split())
        and len(name_key(synonym)) > 6
        and knowledge().condition(synonym) is condition
    ]
    return pairs[:MANY]


def of_condition(number: int, name: str, **changes: Any) -> Case:
    """A case of one condition that tells nothing of it."""
    fields = {
        "task": Task(kind="diagnosis", question="What is it?", answer=name),
        "diagnosis": Diagnosis(name=name),
        "opening": Opening(door_note="Somebody has come.", words="I do not feel right."),
        "facts": (
            Fact(id="f1", topic="course", text="It began some days ago.", key=True),
            Fact(id="f2", topic="home", text="Lives with a sister."),
        ),
        "findings": (),
        "workup": None,
    }
    return sound(number, **{**fields, **changes})


def test_a_sound_case_shows_no_error_and_every_item_has_a_reason(check: Check) -> None:
    validation = check([sound()])
    assert [flaw for flaw in validation.findings if flaw.level == "error"] == []
    assert validation.players["oracle"].value == 1
    assert validation.players["null"].value == 0
    assert validation.checklist.keys() == validation.reasons.keys()
    assert all(validation.reasons.values())
    assert validation.checklist["oracle_reaches_100"] == 2
    assert validation.checklist["non_determinism_reported"] == 2
    assert validation.checklist["frozen_environment"] == 2


def test_options_are_probed_only_where_there_are_any(check: Check) -> None:
    row = check([sound()]).players["options-longest"]
    assert (row.value, row.n, row.unscored) == (None, 0, 1)


@pytest.mark.parametrize(
    ("changes", "code", "level", "where"),
    [
        ({"title": "A case of pneumonia"}, "title-hints", "warning", "title"),
        (
            {"findings": (Finding(id="x1", kind="test", name="Pneumonia score", result="High."),)},
            "answer-in-name",
            "error",
            "findings[x1].name",
        ),
        (
            {"opening": Opening(door_note="A woman of 54 with pneumonia.", words="I cough.")},
            "answer-leak",
            "error",
            "opening.door_note",
        ),
    ],
)
def test_a_planted_name_is_reported_with_its_case_and_place(
    check: Check, changes: dict[str, Any], code: str, level: str, where: str
) -> None:
    if "findings" in changes:
        changes = {**changes, "workup": None}
    validation = check([sound(1), sound(2, **changes)])
    (flaw,) = found(validation, code)
    assert (flaw.level, flaw.cases, flaw.where) == (level, ("test-02",), where)
    assert (validation.checklist["gold_isolation"] == 0) == (level == "error")


def test_a_case_that_cannot_be_played_is_reported_with_the_facts(check: Check) -> None:
    too_many = [
        Fact(id=f"k{n}", topic="family", text=f"Relative number {n} was born in {1800 + n}.", key=True)
        for n in range(140)
    ]
    validation = check([sound(1), sound(2, facts=(*small_case().facts, *too_many))])
    flaws = found(validation, "unplayable")
    assert flaws, "there are more key facts than turns"
    assert {(flaw.level, flaw.cases) for flaw in flaws} == {("error", ("test-02",))}
    assert any(flaw.where.startswith("facts[k") for flaw in flaws)
    assert validation.checklist["oracle_reaches_100"] == 0


def test_options_that_always_begin_with_the_right_one_are_found(check: Check) -> None:
    options = {"A": "Pneumonia", "B": "Asthma", "C": "Gout", "D": "Influenza"}
    planted = Task(kind="choice", question="Which?", options=options, answer="A")
    validation = check([sound(number, task=planted) for number in range(MANY)])
    (flaw,) = found(validation, "options-first")
    assert flaw.level == "error"
    assert flaw.where == "task.options"
    assert len(flaw.cases) == MANY
    assert validation.own["base_rate"]["value"] == 0.25
    assert found(validation, "always-conclude"), "who takes the first key beats chance as well"


def test_options_whose_form_tells_nothing_are_not(check: Check) -> None:
    options = {"A": "Pneumonia", "B": "Lobar pneumonia of the base", "C": "Gout", "D": "Asthma"}
    cases = [
        sound(
            number,
            diagnosis=None,
            task=Task(kind="choice", question="Which?", options=options, answer="ABCD"[number % 4]),
        )
        for number in range(MANY)
    ]
    assert [flaw for flaw in check(cases).findings if flaw.code.startswith("options-")] == []


@pytest.mark.parametrize("planted", [True, False])
def test_a_telling_fact_that_always_stands_first_is_found(check: Check, planted: bool) -> None:
    cases = []
    for number, (name, synonym) in enumerate(other_names()):
        plain = of_condition(number, name)
        telling = Fact(id="f3", topic="ideas", text=f"Thinks it may be {synonym}.")
        facts = (telling, *plain.facts) if planted else (*plain.facts, telling)
        cases.append(plain.model_copy(update={"facts": facts}))
    assert len(cases) == MANY
    flaws = found(check(cases), "first-told")
    assert [(flaw.level, flaw.where) for flaw in flaws] == ([("error", "facts")] if planted else [])


@pytest.mark.slow
@pytest.mark.parametrize("planted", [True, False])
def test_tests_that_exist_only_where_they_show_something_are_found(check: Check, planted: bool) -> None:
    tests = _telling_tests()
    shows = {
        row: tuple(shown[row] >= 0.5 for _, shown in tests) for row in range(len(knowledge().conditions))
    }
    rows = [
        row for row, pattern in shows.items() if sum(pattern) > 1 and [*shows.values()].count(pattern) == 1
    ]
    cases = []
    for number, row in enumerate(rows):
        here = [name for (name, _), there in zip(tests, shows[row], strict=True) if there or not planted]
        findings = tuple(
            Finding(id=f"x{n}", kind="test", name=name, result="Awaited.") for n, name in enumerate(here)
        )
        cases.append(of_condition(number, knowledge().conditions[row].name, findings=findings))
    flaws = found(check(cases), "availability-only")
    assert [(flaw.level, flaw.where) for flaw in flaws] == ([("error", "findings")] if planted else [])


def test_an_opening_that_tells_all_is_a_warning(check: Check) -> None:
    cases = [
        of_condition(number, name, opening=Opening(door_note=f"Sent with {synonym}.", words="Hello."))
        for number, (name, synonym) in enumerate(other_names())
    ]
    (flaw,) = found(check(cases), "opening-only")
    assert (flaw.level, flaw.where, len(flaw.cases)) == ("warning", "opening", MANY)


def test_a_judge_that_takes_another_diagnosis_for_the_answer_is_found(check: Check) -> None:
    twice = Diagnosis.model_validate(
        {"name": "Pneumonia", "alternatives": [{"name": "Pneumonia", "why_less_likely": "It is the same."}]}
    )
    (flaw,) = found(check([sound(diagnosis=twice)]), "judge-accepts")
    assert (flaw.cases, flaw.where) == (("test-01",), "diagnosis.alternatives[0]")


def test_the_same_cases_give_the_same_findings(tmp_path: Path) -> None:
    write_case(sound(), tmp_path / "cases")
    config = RunConfig(cases=str(tmp_path / "cases"), repeats=2)
    seen = []
    for name in ("one.db", "other.db"):
        with open_store(str(tmp_path / name)) as opened:
            seen.append(validate(config, opened).model_copy(update={"runs": {}}))
    assert seen[0] == seen[1]
    assert seen[0].players["baseline"].n == 2


def test_a_source_without_cases_is_refused(tmp_path: Path, store: Store) -> None:
    (tmp_path / "none.jsonl").write_text('{"OSCE_Examination": {}}\n')
    with pytest.raises(BadInput):
        validate(RunConfig(cases=str(tmp_path / "none.jsonl")), store)


# Every protocol

EVERY = [(one.name, one) for one in protocols()]


@pytest.mark.parametrize(("name", "protocol"), EVERY)
def test_trivial_play_scores_at_the_floor_and_the_oracle_at_the_top(
    name: str, protocol: Protocol, store: Store
) -> None:
    found = validate(protocol.config(cases="library", limit=2), store)
    for player, looked in found.looks_at.items():
        assert player in found.players
        if looked == NOTHING and player in found.lift:
            assert (found.lift[player].low or 0) <= 0
    role = protocol.role(protocol.under_test)
    if privileged := role.privileged & role.players.keys():
        assert {found.players[one].value for one in privileged} == {protocol.measures[0].most}
        assert found.checklist["oracle_reaches_100"] == 2
        assert not privileged & found.lift.keys(), "who is handed the answer is compared with nobody"
    else:
        assert "oracle_reaches_100" not in found.checklist, "nothing is claimed of a player there is not"
    assert found.checklist["non_determinism_reported"] == 2
    assert found.checklist["trivial_near_chance"] == 1, "two cases are too few to show a gain"
    assert set(found.runs) == {one for one, each in found.players.items() if each.n}
    assert found.protocol == name


@pytest.mark.parametrize(("name", "protocol"), EVERY)
def test_every_probe_is_a_built_in_player_of_the_role_under_test_and_one_looks_at_nothing(
    name: str, protocol: Protocol
) -> None:
    players = protocol.role(protocol.under_test).players
    assert protocol.probes.keys() <= players.keys()
    assert NOTHING in protocol.probes.values()


def test_a_tutor_who_tells_the_answer_teaches_nothing_and_is_seen_to_leak(store: Store) -> None:
    found = validate(RoundConfig(cases="library", limit=2), store)
    assert found.against["announcer"]["leak_rate"].value == 1
    assert found.against["silent"] == {}
    assert (found.lift["announcer"].low or 0) <= 0, "who knows the answer alone knows no sibling question"


def test_a_rubric_that_rewards_doing_nothing_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    able = BUILT_IN["examinee"]["baseline"]
    monkeypatch.setitem(BUILT_IN["examinee"], "null", able)
    found = validate(ScenarioConfig(cases="library", limit=2), store)
    (flaw,) = [one for one in found.findings if one.code == "null"]
    assert len(flaw.cases) == 2
    assert "doing nothing is worth" in flaw.message
