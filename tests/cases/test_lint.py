"""The linter: a sound case passes, and each way of being unsound is found by its own rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from osler.cases.importers import import_file
from osler.cases.importers.osler_yaml import made_from
from osler.cases.lint import CANARY, Problem, lint, unmarked
from osler.cases.model import Case, Opening
from osler.errors import BadInput

FIXTURES = Path(__file__).parents[1] / "fixtures"
Change = Callable[[dict[str, Any]], object]  # a case as plain data, to be spoiled in one place


def sound() -> Case:
    (case,) = import_file(FIXTURES / "sound_case.yaml")
    assert isinstance(case, Case)
    return case


def spoiled(change: Change) -> Case:
    data = sound().model_dump(mode="json")
    change(data)
    return made_from(Case, data)


def forbid(plan: dict[str, Any], term: str) -> None:
    plan["contraindicated"] = [{"name": term, "terms": [term], "why": "It harms."}]


def codes(problems: tuple[Problem, ...], level: str = "error") -> set[str]:
    return {problem.code for problem in problems if problem.level == level}


def test_a_sound_case_has_no_problem() -> None:
    assert lint(sound(), strict=True) == ()


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("answer-leak", lambda c: c["opening"].update(words="I think my asthma is back.")),
        ("answer-leak", lambda c: c["opening"].update(door_note="Known bronchial  asthma.")),
        ("answer-leak", lambda c: c["facts"][0].update(spoken="They said asthma.")),
        ("answer-leak", lambda c: c["findings"][0].update(result="No infection. Typical of asthma.")),
        ("id-hints", lambda c: c.update(id="asthma-1")),
        ("no-key-facts", lambda c: [fact.update(key=False) for fact in c["facts"]]),
        ("no-key-findings", lambda c: c["findings"][0].update(key=False)),
        ("no-negatives", lambda c: c["facts"][1].update(absent=False)),
        ("child-speaks", lambda c: c.update(age_years=3)),
        ("child-knows", lambda c: c.update(age_years=3, speaker="mother")),
        ("not-a-finding", lambda c: c["workup"].update(required=[["spiro"], ["fever"]])),
        ("empty", lambda c: c["workup"].update(required=[["spiro"], []])),
        ("empty", lambda c: c["findings"][0].update(result=" ")),
        ("loinc", lambda c: c["findings"][0].update(aliases=["19926-5"])),
        ("icd10", lambda c: c["diagnosis"].update(icd10="asthma")),
        ("no-alternatives", lambda c: c["diagnosis"].update(alternatives=[])),
        ("no-discriminator", lambda c: c["diagnosis"]["alternatives"][0].update(discriminators=[])),
        ("management-incomplete", lambda c: c["management"].update(safety_net=[])),
        ("management-incomplete", lambda c: c["management"]["key_features"][0].update(terms=[])),
        ("year", lambda c: c["management"].update(year=24)),
        ("siblings", lambda c: c["teaching"].update(siblings=c["teaching"]["siblings"][:1])),
        ("teaching-incomplete", lambda c: c["teaching"].update(objectives=[])),
        ("no-sources", lambda c: c["provenance"].update(sources=[])),
        ("no-author", lambda c: c["provenance"].update(author=None)),
        ("not_in_case", lambda c: c.update(management=None)),
        (
            "answer-leak",
            lambda c: c["opening"].update(door_note="A man of 24 (asthma, smoker) is short of breath."),
        ),
        ("unwritten", lambda c: c["findings"][0].update(result="FEV1/FVC 0.62")),
        (
            "no-perspective",
            lambda c: [fact.update(topic="diet") for fact in c["facts"] if fact["topic"] == "ideas"],
        ),
        ("speaker-knows", lambda c: c["facts"][0].update(known_by="carer")),
        ("speaker-knows", lambda c: c.update(age_years=9, speaker="mother")),
        ("unrecognised", lambda c: c["management"]["key_features"][0].update(what="Start a preventer")),
        (
            "unrecognised",
            lambda c: c.update(safety=[{"id": "s1", "what": "Ask", "terms": ["consent"], "why": "Law"}]),
        ),
        ("contradiction", lambda c: forbid(c["management"], "beclometasone")),
        ("contradiction", lambda c: forbid(c["workup"], "spirometry")),
    ],
)
def test_each_fault_is_found(code: str, change: Change) -> None:
    assert code in codes(lint(spoiled(change), strict=True))


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("answer-in-name", lambda c: c["findings"][0].update(aliases=["asthma test"])),
        ("title-hints", lambda c: c.update(title="Asthma at night")),
        ("answer-denied", lambda c: c["findings"][0].update(result="No evidence of asthma.")),
        ("answer-denied", lambda c: c["facts"][1].update(text="He denies asthma.")),
        ("dose", lambda c: c["management"]["key_features"][0].update(dose="a little")),
        ("dose", lambda c: c["management"]["key_features"][0].update(what="Give 5 mg of it", dose=None)),
        ("negative-unmarked", lambda c: c["facts"][1].update(absent=False)),
        ("unspoken", lambda c: c["facts"][0].update(spoken=None)),
        ("first-person", lambda c: c["facts"][0].update(text="I cough at night.")),
        ("doubled", lambda c: c["facts"][0].update(text=c["facts"][1]["text"])),
        ("title-hints", lambda c: c.update(title="Breathless at night (asthma)")),
        ("key-facts", lambda c: [fact.update(key=True) for fact in c["facts"]] and c["facts"].extend(
            {"id": f"k{n}", "topic": "diet", "text": f"He eats dish {n}.", "key": True} for n in range(9))),
        ("key-facts", lambda c: [fact.update(key=False) for fact in c["facts"][1:]]),
        ("no-false-belief", lambda c: [fact.update(believed_truly=True) for fact in c["facts"]]),
        ("siblings", lambda c: [item.update(answer="A") for item in c["teaching"]["siblings"]]),
        ("key-not-required", lambda c: c["workup"].update(required=[["other"]]) or c["findings"].append(
            {"id": "other", "kind": "test", "name": "Peak flow", "result": "Low"})),
    ],
)  # fmt: skip
def test_each_doubt_is_a_warning(code: str, change: Change) -> None:
    assert code in codes(lint(spoiled(change), strict=True), "warning")


def test_a_part_of_a_word_is_no_leak() -> None:
    assert not codes(lint(spoiled(lambda c: c["facts"][1].update(text="He is no asthmatical.")), strict=True))


def test_short_capital_names_are_sought_as_written() -> None:
    def change(c: dict[str, Any]) -> None:
        c["diagnosis"]["synonyms"] = ["AIR"]
        c["facts"][0]["text"] = "Fresh air helps."

    case = spoiled(change)
    assert "answer-leak" not in codes(lint(case))
    named = case.model_copy(update={"opening": Opening(door_note="A man.", words="Is it AIR?")})
    assert "answer-leak" in codes(lint(named))


def test_what_an_imported_case_cannot_have_is_only_noted() -> None:
    case = next(case for case in import_file(FIXTURES / "agentclinic_small.jsonl") if isinstance(case, Case))
    problems = lint(case)
    assert codes(problems) == set()
    assert {p.where for p in problems if p.code == "not_in_case"} >= {"management", "teaching", "workup"}
    assert "not_in_case" in codes(lint(case, strict=True))


def test_a_step_may_tell_to_stop_what_is_contraindicated() -> None:
    def change(c: dict[str, Any]) -> None:
        forbid(c["management"], "propranolol")
        c["management"]["key_features"][0].update(what="Stop propranolol", terms=["stop propranolol"])

    assert not codes(lint(spoiled(change), strict=True))


def test_what_only_our_library_must_have_is_a_doubt_in_a_case_from_elsewhere() -> None:
    def change(c: dict[str, Any]) -> None:
        c["provenance"]["origin"] = "model-made"
        c["findings"][0].update(result="FEV1/FVC 0.62")

    problems = lint(spoiled(change), strict=True)
    assert codes(problems) == set()
    assert "unwritten" in codes(problems, "warning")


def test_a_diagnosis_is_found_in_brackets_and_without_its_own() -> None:
    def change(c: dict[str, Any]) -> None:
        c["diagnosis"]["synonyms"] = ["Reactive airways (old name)"]
        c["facts"][0]["text"] = "He was told in March (reactive airways) to wait for months."

    assert "answer-leak" in codes(lint(spoiled(change), strict=True))


def test_a_library_file_without_the_canary_is_named(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(f"{CANARY}\nid: good\n")
    (tmp_path / "bad.yaml").write_text(f"id: bad\n{CANARY}\n")
    assert [(problem.code, problem.where) for problem in unmarked(tmp_path)] == [("no-canary", "bad.yaml")]
    (tmp_path / "bad.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="cannot be read"):
        unmarked(tmp_path)


def told_of_the_father(*flags: str) -> Case:
    def change(data: dict[str, Any]) -> None:
        data["facts"][0] |= {
            "id": "father",
            "topic": "family",
            "text": "His father has asthma.",
            "spoken": None,
        }
        data["provenance"]["flags"] = flags

    return spoiled(change)


def test_a_relatives_illness_is_a_warning_that_a_person_may_accept() -> None:
    case = told_of_the_father()
    assert "answer-leak" not in codes(lint(case))
    (warned,) = [problem for problem in lint(case) if problem.code == "answer-leak"]
    assert warned.level == "warning"
    assert "accepted: facts[father]: NAME: REASON" in warned.message
    accepted = told_of_the_father("accepted: facts[father]: Dr Lane: a family history is wanted here")
    assert "answer-leak" not in codes(lint(accepted), "warning")


@pytest.mark.parametrize(
    "flag",
    [
        "accepted: facts[father]",
        "accepted: facts[father]: Dr Lane:",
        "accepted: facts[other]: Dr Lane: it is meant",
    ],
)
def test_accepting_needs_the_fact_a_name_and_a_reason(flag: str) -> None:
    assert "answer-leak" in codes(lint(told_of_the_father(flag)), "warning")
