"""Test cases: a small sound one, and one with a canary string in every text field."""

from __future__ import annotations

from typing import Any

from osler.cases.model import (
    Alternative,
    Case,
    Contraindicated,
    Diagnosis,
    Fact,
    Finding,
    KeyFeature,
    Management,
    Opening,
    Provenance,
    SafetyAction,
    Sibling,
    SocraticStep,
    Source,
    Task,
    TeachingPlan,
    Withheld,
    Workup,
)


def small_case(**changes: Any) -> Case:
    """Build a complete small case; `changes` replace its fields."""
    fields: dict[str, Any] = {
        "id": "test-01",
        "title": "Community-acquired pneumonia",
        "specialty": "respiratory",
        "task": Task(kind="diagnosis", question="What is the most likely diagnosis?", answer="Pneumonia"),
        "age_years": 54,
        "sex": "female",
        "opening": Opening(
            door_note="A 54-year-old woman has come because of a cough.",
            words="I have had this cough for days and it wears me out.",
        ),
        "facts": (
            Fact(
                id="f1",
                topic="course",
                text="The cough began five days ago and has grown worse.",
                spoken="It started five days ago and it keeps getting worse.",
                key=True,
            ),
            Fact(
                id="f2",
                topic="associated",
                text="She has had fever with shivering.",
                spoken="I have had a fever, with shivers.",
                key=True,
            ),
            Fact(
                id="f3",
                topic="medications",
                text="She takes amlodipine for high blood pressure.",
                spoken="I take amlodipine for my blood pressure.",
            ),
            Fact(
                id="f4",
                topic="alcohol",
                text="She drinks a bottle of wine on most evenings.",
                spoken="Between us, a bottle of wine most evenings.",
                told="confidential",
            ),
            Fact(
                id="f5",
                topic="systems",
                text="She has had no chest pain.",
                spoken="No, no pain in the chest.",
                absent=True,
            ),
            Fact(
                id="f6",
                topic="past_medical",
                text="Her practice recorded a penicillin rash in 2019.",
                known_by="record",
            ),
        ),
        "findings": (
            Finding(
                id="x1",
                kind="examination",
                name="Respiratory examination",
                result="Crackles and bronchial breathing at the right base.",
                abnormal=True,
                key=True,
            ),
            Finding(
                id="x2",
                kind="image",
                name="Chest X-ray",
                aliases=("CXR",),
                result="Consolidation of the right lower lobe.",
                abnormal=True,
                key=True,
            ),
            Finding(
                id="x3",
                kind="test",
                name="Complete blood count",
                result="White cells 16.2 x10^9/L, haemoglobin 132 g/L, platelets 310 x10^9/L.",
                abnormal=True,
            ),
        ),
        "diagnosis": Diagnosis(name="Pneumonia", synonyms=("community-acquired pneumonia",)),
        "workup": Workup(required=(("x1",), ("x2",))),
        "provenance": Provenance(origin="osler.testing", record="1"),
    }
    return Case(**{**fields, **changes})


def canary_case() -> Case:
    """Build a case whose every text field carries a unique canary `zq-PATH-qz`."""

    def mark(path: str) -> str:
        return f"zq-{path}-qz"

    return Case(
        id="zq-id-qz",
        title=mark("title"),
        specialty=mark("specialty"),
        setting=mark("setting"),
        task=Task(
            kind="choice",
            question=mark("question"),
            options={"A": mark("option-a"), "B": mark("option-b")},
            answer="B",
            accepts=(mark("accepts"),),
        ),
        age_years=40,
        sex="male",
        opening=Opening(door_note=mark("door"), words=mark("words"), sources=(mark("opening-source"),)),
        facts=(
            Fact(id="f1", topic="course", text=mark("asked"), source=mark("fact-source"), key=True),
            Fact(id="f2", topic="alcohol", text=mark("confidential"), told="confidential"),
            Fact(id="f3", topic="sexual", text=mark("in-private"), told="in_private"),
            Fact(id="f4", topic="past_medical", text=mark("record"), known_by="record"),
        ),
        findings=(
            Finding(
                id="x1",
                kind="examination",
                name="Abdominal examination",
                aliases=(mark("alias"),),
                result=mark("examined"),
                source=mark("finding-source"),
            ),
            Finding(id="x2", kind="test", name="Lipase", result=mark("tested"), key=True),
        ),
        diagnosis=Diagnosis(
            name=mark("diagnosis"),
            synonyms=(mark("synonym"),),
            icd10="Z99.9",
            alternatives=(
                Alternative(name=mark("alternative"), why_less_likely=mark("why"), discriminators=("x2",)),
            ),
        ),
        workup=Workup(
            required=(("x2",),),
            contraindicated=(
                Contraindicated(name=mark("harm"), terms=(mark("term"),), why=mark("harm-why")),
            ),
        ),
        management=Management(
            key_features=(KeyFeature(id="k1", what=mark("feature"), terms=(mark("feature-term"),)),),
            disposition=mark("disposition"),
            safety_net=(mark("net"),),
            guideline=mark("guideline"),
            year=2024,
            jurisdiction=mark("jurisdiction"),
        ),
        safety=(
            SafetyAction(id="s1", what=mark("safety"), terms=(mark("safety-term"),), why=mark("safety-why")),
        ),
        teaching=TeachingPlan(
            objectives=(mark("objective"),),
            steps=(SocraticStep(key_question=mark("key-question"), summary=mark("summary")),),
            siblings=(Sibling(stem=mark("stem"), options={"A": mark("sibling-a")}, answer="A", step=0),),
        ),
        withheld=(Withheld(text=mark("withheld"), source=mark("withheld-source")),),
        provenance=Provenance(
            origin=mark("origin"),
            record=mark("record-number"),
            author=mark("author"),
            licence=mark("licence"),
            sources=(Source(title=mark("book"), year=2020),),
            content_warnings=(mark("warning"),),
            flags=(mark("flag"),),
        ),
    )
