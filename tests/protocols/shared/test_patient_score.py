"""The scorecard of a patient: leaking, refusing, denying and over-telling ones get the rates they have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import osler
from osler.cases.sources import open_source
from osler.cli.main import app
from osler.errors import BadInput
from osler.protocols.shared.patient_score import FIGURES, patient_scores
from osler.protocols.vqa.config import VqaConfig
from osler.runs import run as runs
from osler.store.store import open_store

CASE = next(iter(open_source("library")))
ASKED = "Do you smoke?"


def spoken(fact: Any) -> str:
    return str(fact.spoken or fact.text)


FACTS = {fact.id: fact for fact in CASE.facts if fact.told == "asked" and not fact.absent}
FIRST, SECOND, THIRD = list(FACTS.values())[:3]


def scored(folder: Path, questions: list[str], answers: list[str]) -> dict[str, float | None]:
    """The figures of a scripted patient who answers a scripted doctor."""
    moves = [{"action": "ASK", "question": line} for line in questions]
    scripts: dict[str, list[Any]] = {
        "doctor": [*moves, {"action": "FINALIZE", "diagnosis": "unknown"}],
        "patient": [{"answer": line} for line in answers],
    }
    seats: dict[str, Any] = {}
    for seat, lines in scripts.items():
        (folder / f"{seat}.json").write_text(json.dumps(lines))
        seats[seat] = f"scripted:{folder / seat}.json"
    store = f"sqlite:///{folder}/osler.db"
    osler.run("consultation", "library", limit=1, store=store, **seats)
    with open_store(store) as opened:
        found = patient_scores(opened.run("last"), opened)
    assert found.unread == 0
    return {name: one.value for name, one in found.figures().items()}


def test_an_over_telling_patient_tells_what_was_not_asked(tmp_path: Path) -> None:
    everything = " ".join(map(spoken, (FIRST, SECOND, THIRD)))
    found = scored(tmp_path, ["Good morning, I'm the doctor."], [everything])
    assert found["unasked_told"] == 3
    assert found["supported"] == 1


def test_a_refusing_patient_refuses_and_one_out_of_the_part_breaks_it(tmp_path: Path) -> None:
    found = scored(
        tmp_path,
        ["How are you?", "Any pain?"],
        ["I'm sorry, but I can't help with that request.", "As an AI language model, I feel nothing."],
    )
    assert (found["refusals"], found["role_breaks"]) == (0.5, 0.5)


def test_a_leaking_patient_names_the_diagnosis_unless_the_doctor_has(tmp_path: Path) -> None:
    diagnosis = CASE.task.answer
    leak = f"I think I have {diagnosis}."
    found = scored(tmp_path, ["What is wrong?", f"Is it {diagnosis}?"], [leak, leak, leak, leak, leak, leak])
    assert found["names_diagnosis"] == 1


def test_a_denying_patient_is_counted_though_the_table_asks_again(tmp_path: Path) -> None:
    case = next(one for one in open_source("library") if one.id == CASE.id)
    present = next(fact for fact in case.facts if "pain" in fact.text and not fact.absent)
    found = scored(
        tmp_path,
        ["Do you have any chest pain?"],
        ["No, I have no chest pain.", spoken(present)],
    )
    assert found["at_once"] == 0
    assert (found["contradicted"] or 0) > 0


def test_the_same_question_is_to_be_answered_alike(tmp_path: Path) -> None:
    question = "Tell me more about that."
    found = scored(tmp_path, [question] * 3, [spoken(FIRST), spoken(FIRST), spoken(SECOND)])
    assert found["same_again"] == 0.5


def test_the_built_in_patient_of_every_library_case_keeps_to_its_facts(tmp_path: Path) -> None:
    store = tmp_path / "osler.db"
    osler.run("consultation", "library", limit=2, store=store)
    done = CliRunner().invoke(app, ["patient", "score", "last", "--store", str(store), "--json"])
    figures = json.loads(done.stdout)["figures"]
    assert list(figures) == list(FIGURES)
    assert figures["at_once"]["value"] == 1
    assert figures["contradicted"]["value"] == figures["refusals"]["value"] == 0
    assert figures["asked_told"]["value"] > 0.9


def test_a_protocol_without_a_patient_is_refused(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        run = runs.play(runs.begin(VqaConfig(cases="library"), store), store).run
        with pytest.raises(BadInput, match="no seat 'patient'"):
            patient_scores(run, store)
