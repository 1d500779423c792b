"""An accepted name that says less than the answer is an error, unless the case's author says why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.model import Case, Diagnosis, Task
from osler.cases.sources import open_source
from osler.judging.case_lint import BROADER, accepted_broader, import_flags, lint
from osler.judging.diagnosis.judged import judged
from tests.judging.episodes import case_of

ANSWER = "Plasmodium falciparum malaria"
NAMES = (
    "falciparum malaria",
    "malaria",
    "Malaria.",
    "cerebral malaria",
    "P. falciparum malaria",
    "fever",
    "flu",
)


def malaria(*accepts: str, synonyms: tuple[str, ...] = (), why: dict[str, str] | None = None) -> Case:
    """A case of malaria with accepted names."""
    task = Task(
        kind="diagnosis", question="What is it?", answer=ANSWER, accepts=accepts, accepted_why=why or {}
    )
    return case_of(task=task, diagnosis=Diagnosis(name=ANSWER, synonyms=synonyms))


def found(case: Case) -> list[tuple[str, str]]:
    """The places of broader accepted names, with their levels."""
    return [(problem.where, problem.level) for problem in lint(case) if problem.code == BROADER]


@pytest.mark.parametrize("case", list(open_source("library")), ids=lambda case: case.id)
def test_the_library_accepts_only_what_the_judge_calls_right(case: Case) -> None:
    assert list(accepted_broader(case)) == []
    known = case.diagnosis
    assert known is not None
    for name in (*case.task.accepts, *known.synonyms):
        assert judged(name, case.task.answer).right, name
        assert judged(name, known.name).right, name


def test_a_broader_name_is_an_error_in_either_list_and_told_once() -> None:
    assert found(malaria("falciparum malaria", "malaria")) == [("task.accepts[1]", "error")]
    assert found(malaria(synonyms=("malaria",))) == [("diagnosis.synonyms[0]", "error")]
    assert found(malaria("malaria", synonyms=("malaria",))) == [("task.accepts[0]", "error")]
    (flag,) = import_flags(malaria("malaria"))
    assert flag.startswith("accepted-broader: accepts 'malaria'")


def test_its_author_may_say_why() -> None:
    assert found(malaria("malaria", why={"malaria": "no film can be had here"})) == []
    assert found(malaria("malaria", why={"malaria": " "})) == [("task.accepts[0]", "error")]
    assert found(malaria("malaria", why={"fever": "no film can be had"})) == [("task.accepts[0]", "error")]


def test_a_case_without_a_reason_keeps_its_hash() -> None:
    assert "accepted_why" not in malaria("malaria").model_dump_json()


def test_what_nobody_wrote_is_only_warned_about() -> None:
    levels = {level for case in open_source("generated:40:3") for _, level in found(case)}
    assert levels == {"warning"}


@given(st.lists(st.sampled_from(NAMES), unique=True), st.lists(st.sampled_from(NAMES), unique=True))
def test_what_is_flagged_is_what_the_judge_calls_broader_and_nobody_explains(
    accepts: list[str], explained: list[str]
) -> None:
    case = malaria(*accepts, why=dict.fromkeys(explained, "a reason"))
    wanted = [
        f"task.accepts[{number}]"
        for number, name in enumerate(accepts)
        if name not in explained and judged(name, ANSWER).verdict == "broader"
    ]
    assert [where for where, _ in found(case)] == wanted
