"""The scorecard of a patient: leaking, refusing, denying and over-telling ones get the rates they have."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import osler
from osler.cases.sources import open_source
from osler.cli.main import app
from osler.core.registry import protocol_named
from osler.errors import BadInput
from osler.protocols.shared.patient import PatientFact
from osler.protocols.shared.patient_score import FIGURES, told_too_soon
from osler.protocols.vqa.config import VqaConfig
from osler.reports.scorecard import Scorecard
from osler.runs import run as runs
from osler.store.store import open_store
from osler.studies.scorecards import scorecard
from tests.protocols.scenario.packets import FOLDER
from tests.protocols.shared import faulty_patients as faulty

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
        found = scorecard(opened.run("last"), opened, "patient")
    assert not found.unread
    return {name: one.value for name, one in found.figures.items()}


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
    assert list(figures) == [one.name for one in FIGURES]
    assert figures["at_once"]["value"] == 1
    assert figures["contradicted"]["value"] == figures["refusals"]["value"] == 0
    assert figures["asked_told"]["value"] > 0.9


def test_a_protocol_without_a_patient_is_refused(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        run = runs.play(runs.begin(VqaConfig(cases="library"), store), store).run
        with pytest.raises(BadInput, match="no seat 'patient'"):
            scorecard(run, store, "patient")


PLAYERS = f"python:{faulty.__name__}"
UNDER_TEST = {"consultation": "doctor", "scenario": "examinee"}
CASES = {"consultation": 3, "scenario": 2}
WRONG = faulty.QUESTIONS // faulty.EVERY
"""The answers of each encounter in which a patient misbehaves."""
both = pytest.mark.parametrize("protocol", list(UNDER_TEST))


def card(folder: Path, protocol: str, patient: str, asks: str = "greets") -> Scorecard:
    """The scorecard of a patient who misbehaves in every fourth answer."""
    store = f"sqlite:///{folder}/osler.db"
    seats: dict[str, Any] = {UNDER_TEST[protocol]: f"{PLAYERS}:{asks}", "patient": f"{PLAYERS}:{patient}"}
    osler.run(protocol, "library", limit=CASES[protocol], store=store, **seats)
    with open_store(store) as opened:
        found = scorecard(opened.run("last"), opened, "patient")
    assert found.answers == faulty.QUESTIONS * CASES[protocol]
    assert not found.unread
    return found


def attempts(found: Scorecard) -> float:
    """The answers, and those before them that the table refused: at most one for each answer."""
    at_once = found.figures["at_once"].value
    assert at_once is not None
    return found.answers * (2 - at_once)


def has(found: Scorecard, name: str, rate: float) -> None:
    """Check that a figure is this rate, which its interval holds, and every fourth answer, too."""
    one = found.figures[name]
    assert one.value == pytest.approx(rate, abs=1e-6)
    if one.low is not None and one.high is not None:
        assert one.low <= rate <= one.high


def played(protocol: str) -> list[Any]:
    """The cases or scenarios that are played, in order."""
    config = protocol_named(protocol).config(cases="library")
    return list(islice(config.opened(), CASES[protocol]))


@both
@pytest.mark.parametrize(("patient", "name"), [("refusing", "refusals"), ("breaking", "role_breaks")])
def test_every_fourth_refusal_and_role_break_is_counted(
    tmp_path: Path, protocol: str, patient: str, name: str
) -> None:
    found = card(tmp_path, protocol, patient)
    has(found, name, WRONG * CASES[protocol] / attempts(found))
    other = {"refusals", "role_breaks"} - {name}
    assert found.figures[other.pop()].value == 0


@both
def test_every_fourth_diagnosis_of_their_own_is_counted(tmp_path: Path, protocol: str) -> None:
    found = card(tmp_path, protocol, "diagnosing")
    cases = 1 if protocol == "scenario" else CASES[protocol]  # the first scenario is the one of anaphylaxis
    named = found.figures["names_diagnosis"]
    assert named.value is not None
    assert round(named.value * named.n) == WRONG * cases


@both
def test_every_fourth_false_denial_is_counted(tmp_path: Path, protocol: str) -> None:
    found = card(tmp_path, protocol, "denying", "asks")
    able = [one for one in played(protocol) if faulty.deniable(one)]
    assert found.figures["asked_denied"].n >= faulty.QUESTIONS * len(able) > 0
    has(found, "asked_denied", 1 / faulty.EVERY)
    has(found, "at_once", 1 - len(able) / CASES[protocol] / faulty.EVERY)


@both
def test_every_fourth_fact_that_nobody_asked_for_is_counted(tmp_path: Path, protocol: str) -> None:
    found = card(tmp_path, protocol, "over_telling")
    has(found, "unasked_told", 1 / faulty.EVERY)


@both
def test_every_fourth_fact_told_too_early_is_counted_though_the_table_refuses_it(
    tmp_path: Path, protocol: str
) -> None:
    found = card(tmp_path, protocol, "leaking")
    able = [one for one in played(protocol) if faulty.kept_back(faulty.facts_of(one))]
    assert able
    has(found, "told_early", WRONG * len(able) / attempts(found))


@both
def test_every_fourth_answer_that_changes_is_counted(tmp_path: Path, protocol: str) -> None:
    """Of eight answers to one question the fourth differs from the third and the eighth from the seventh: in
    between the built-in patient repeats what it said last."""
    found = card(tmp_path, protocol, "changing", "asks")
    able = [one for one in played(protocol) if faulty.deniable(one)]
    assert able
    repeats = (faulty.QUESTIONS - 1) * CASES[protocol]
    has(found, "same_again", 1 - WRONG * len(able) / repeats)


def test_the_built_in_patient_of_a_library_scenario_keeps_to_its_facts(tmp_path: Path) -> None:
    store = tmp_path / "osler.db"
    osler.run("scenario", "library", limit=2, store=store)
    with open_store(store) as opened:
        found = scorecard(opened.run("last"), opened, "patient")
    value = {name: one.value for name, one in found.figures.items()}
    assert found.answers > 0
    assert not found.unread
    assert value["at_once"] == 1
    assert value["refusals"] == value["asked_denied"] == value["told_early"] == 0
    assert (value["asked_told"] or 0) > 0.9
    assert (value["supported"] or 0) > 0.9


def test_what_is_so_by_now_is_no_fact_of_later() -> None:
    def fact(name: str, topic: Any, text: str, spoken: str) -> PatientFact:
        return PatientFact(id=name, topic=topic, text=text, spoken=spoken, told="asked")

    now = [
        fact("easy", "systems", "He breathes easily; no tight throat.", "No, I can breathe. Throat's fine."),
        fact("alone", "home", "Her husband left; she lives alone with a cat.", "It's me and the cat now."),
    ]
    later = (
        fact("shut", "systems", "His throat is closing and he cannot breathe.", "Throat... can't breathe."),
        fact("leaves", "concerns", "She wants to leave to feed the cat.", "Nobody's fed the cat."),
    )
    asked = "Have you noticed any other symptoms?"
    for one in (*now, fact("", "home", "", "He went in July. It's me and the cat now. I'm just weak.")):
        assert told_too_soon(later, str(one.spoken), asked, now) == frozenset()
    for one in later:
        told = f"{now[0].spoken} {one.spoken}"
        assert (
            told_too_soon(later, told, asked, now) == told_too_soon(later, one.text, asked, now) == {one.id}
        )


def test_a_packet_of_prose_is_left_out_in_words(tmp_path: Path) -> None:
    """Nobody plays a packet without a model or a script."""
    opening = {"progress_index": 0, "patient_status": "He sits up and holds his nose."}
    replies = {
        "examinee": [{"speak": "Hello."}] * 40,
        "patient": [{}] * 40,
        "controller": [opening, *([{"progress_index": 0}] * 40)],
    }
    seats: dict[str, Any] = {}
    for seat, lines in replies.items():
        (tmp_path / f"{seat}.json").write_text(json.dumps(lines))
        seats[seat] = f"scripted:{tmp_path / seat}.json"
    store = tmp_path / "osler.db"
    osler.run("scenario", str(FOLDER / "cases"), limit=1, store=store, **seats)
    with open_store(store) as opened:
        found = scorecard(opened.run("last"), opened, "patient")
    assert found.answers == 0
    assert sum(found.unread.values()) > 0
    assert "packet" in found.in_words


def test_a_round_with_a_patient_is_scored_and_one_without_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "osler.db"
    osler.run("ward_round", "library", limit=1, store=store)
    osler.run("ward_round", "library", limit=1, patient="none", store=store)
    with open_store(store) as opened:
        with_patient, without = sorted(
            opened.runs(), key=lambda one: one.manifest["configuration"]["patient"]
        )
        found = scorecard(with_patient, opened, "patient")
        assert found.answers > 0
        assert not found.unread
        assert found.figures["at_once"].value == 1
        with pytest.raises(BadInput, match="nobody sits"):
            scorecard(without, opened, "patient")
