"""MVME records: Chinese text that stays Chinese, under names that can be ordered in both languages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.importers import chinese
from osler.cases.importers.json_paths import leaves_of
from osler.cases.importers.mvme import import_record, read
from osler.cases.importers.reading import Record, read_records
from osler.cases.model import Case
from osler.errors import BadCase
from tests.cases.importing import FIXTURES, damaged, imported, refusals, shown, squeezed, told

SMALL = FIXTURES / "mvme_small.json"
GOOD: dict[str, Any] = next(item.value for item in read_records(SMALL) if isinstance(item, Record))


def test_good_records_are_imported_and_others_refused_by_number() -> None:
    cases, report = imported(read, SMALL, "mvme")
    assert [case.id for case in cases] == ["mvme-0001", "mvme-0002", "mvme-0003"]
    assert (report.read, report.imported, report.rejected) == (8, 3, 5)
    reasons = refusals(report)
    assert "dialogue" in reasons[4]
    assert reasons[5] == "it has no diagnosis"
    assert "must be an object" in reasons[6]
    assert reasons[7] == "it says nothing of the patient"
    assert "not valid JSON" in reasons[8]


def test_a_record_is_sorted_by_its_sections_and_kept_in_chinese() -> None:
    case = imported(read, SMALL)[0][0]
    assert (case.age_years, case.sex, case.speaker) == (28, "female", "patient")
    assert case.opening.words == "医生，我这次来是因为：转移性右下腹痛1天。"
    assert case.task.answer == "急性阑尾炎"
    facts = {fact.text: (fact.topic, fact.absent) for fact in case.facts}
    assert facts["无发热、寒战，无腹泻。"] == ("course", True)
    assert facts["对青霉素过敏。"] == ("allergies", False)
    assert facts["不吸烟"] == ("tobacco", True)
    assert facts["父亲患高血压，母亲体健。"] == ("family", False)
    findings = {finding.name: finding for finding in case.findings}
    assert findings["生命体征"].aliases == ("Vital signs",)
    assert findings["血常规"].aliases == ("Complete blood count",)
    assert findings["腹部"].result.startswith("腹平坦，右下腹麦氏点压痛阳性")
    assert findings["腹部超声"].kind == "image"


def test_no_seat_reads_the_diagnosis_but_where_a_result_names_it_and_that_is_flagged() -> None:
    case = imported(read, SMALL)[0][0]
    facts = " ".join(fact.text for fact in case.facts) + case.opening.words + case.opening.door_note
    assert "急性阑尾炎" not in facts
    assert case.provenance.flags[0] == "leak: diagnosis named in medical_record.辅助检查"
    assert "行腹腔镜阑尾切除术" not in shown(case)


def test_no_name_or_address_is_told() -> None:
    first, second, _ = imported(read, SMALL)[0]
    assert "张某" not in shown(first)
    assert "某市" not in shown(second)


def test_an_infant_speaks_through_a_parent_and_nested_sections_are_read() -> None:
    case = imported(read, SMALL)[0][1]
    assert (case.age_years, case.sex, case.speaker) == (0.6667, "male", "parent")
    assert case.opening.words.startswith("医生，孩子这次来是因为：咳嗽3天")
    assert {fact.topic for fact in case.facts} >= {"birth", "immunization", "course"}
    assert case.task.accepts == ("毛细支气管炎",)


def test_an_english_record_is_read_as_english() -> None:
    case = imported(read, SMALL)[0][2]
    assert (case.task.kind, case.task.question) == ("diagnosis", "What is the most likely diagnosis?")
    assert case.opening.words == "I have come because of this: wheeze for two days."


def test_every_sentence_stands_in_the_case() -> None:
    cases = {case.provenance.record: case for case in imported(read, SMALL)[0]}
    for item in read_records(SMALL):
        if isinstance(item, Record) and str(item.number) in cases:
            everything = told(cases[str(item.number)])
            for leaf in leaves_of(item.value):
                for clause in chinese.clauses(chinese.text_of(leaf.value)):
                    assert squeezed(clause) in everything, clause


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("否认高血压，糖尿病，冠心病史。", [("否认高血压，糖尿病，冠心病史。", True)]),
        ("咳嗽2天，无发热，伴咳痰。", [("咳嗽2天", False), ("无发热", True), ("伴咳痰。", False)]),
        ("体温38.5℃；未就诊。", [("体温38.5℃；", False), ("未就诊。", True)]),
    ],
)
def test_denials_are_told_apart(text: str, expected: list[tuple[str, bool]]) -> None:
    assert [(said.text, said.absent) for said in chinese.statements(text)] == expected


@pytest.mark.parametrize(
    ("text", "years", "sex"),
    [
        ("患者，男，35岁，工人", 35, "male"),
        ("女性，8个月", 0.6667, "female"),
        ("新生儿，女婴", 0, "female"),
        ("年龄：60 性别：女", 60, "female"),
        ("患者子女均体健", None, None),
        ("发病3天前", None, None),
        ("300岁", None, None),
    ],
)
def test_age_and_sex_are_read_or_left_open(text: str, years: float | None, sex: str | None) -> None:
    assert (chinese.age_in(text).years, chinese.sex_in(text)) == (years, sex)


@given(st.text(alphabet="否认无发热，。；、有咳嗽 \n3", max_size=300))
def test_statements_lose_nothing(text: str) -> None:
    assert squeezed("".join(said.text for said in chinese.statements(text))) == squeezed(text)


@given(damaged(GOOD))
def test_a_damaged_record_is_a_case_or_refused(record: dict[str, Any]) -> None:
    try:
        case = import_record(record, 1, "t")
    except BadCase:
        return
    assert Case.model_validate_json(case.model_dump_json()) == case
    told_by_patient = " ".join(fact.text for fact in case.facts if not fact.absent) + case.opening.words
    assert case.task.answer not in told_by_patient or len(case.task.answer) < 2


def test_the_key_order_of_sections_does_not_matter() -> None:
    sections = GOOD["medical_record"]
    turned = {**GOOD, "medical_record": dict(reversed(sections.items()))}
    one, other = import_record(GOOD, 1, "t"), import_record(turned, 1, "t")
    assert one.task == other.task
    assert {fact.text for fact in one.facts} == {fact.text for fact in other.facts}
    assert json.loads(one.opening.model_dump_json()) == json.loads(other.opening.model_dump_json())
