"""No claim of a player is believed: its words are read, and an order's results by the order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import osler
from osler.cases.sources import open_source

ALL = [f"f{n}" for n in range(1, 31)]
CASE = next(case for case in open_source("library") if case.id == "cardiology-01")
SPOKEN = {fact.id: fact.spoken or fact.text for fact in CASE.facts}
QUESTIONS = ("Where is the pain?", "Does the pain spread anywhere?", "Do you smoke?")


def played(folder: Path, orders: tuple[str, ...] = (), questions: int = 0, **scripts: list[Any]) -> Any:
    """A consultation on `cardiology-01` with scripted players: a question for each of the patient's answers,
    or orders for the examination service."""
    moves: list[dict[str, Any]] = [{"action": "ASK", "question": q} for q in QUESTIONS]
    moves = moves[:questions]
    moves += [{"action": "REQUEST_TEST", "test_name": order} for order in orders]
    moves.append({"action": "FINALIZE", "diagnosis": "Angina"})
    seats: dict[str, Any] = {
        name: scripted(folder, name, lines) for name, lines in {"doctor": moves, **scripts}.items()
    }
    return osler.run("consultation", "library", limit=1, store=f"sqlite:///{folder}/osler.db", **seats)


def scripted(folder: Path, name: str, replies: list[Any]) -> str:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(replies))
    return f"scripted:{path}"


def figures(run: Any) -> dict[str, float | None]:
    return {name: figure.value for name, figure in run.totals.measures.items()}


def test_a_patient_who_claims_all_and_tells_nothing_has_told_nothing(tmp_path: Path) -> None:
    evasions = ("It's hard to say, doctor.", "I really couldn't tell you.", "Is that important?")
    patient = [{"answer": words, "revealed_facts": ALL} for words in evasions]
    found = figures(played(tmp_path, questions=3, patient=patient))
    assert found["fact_coverage"] == 0.0
    assert found["facts_claimed_not_told"] == 3 * len(ALL)


def test_what_a_patient_tells_counts_though_it_claims_nothing(tmp_path: Path) -> None:
    key = [fact.id for fact in CASE.facts if fact.key]
    patient = [{"answer": SPOKEN[name]} for name in key[:3]]
    found = figures(played(tmp_path, questions=3, patient=patient))
    assert found["fact_coverage"] == 3 / len(key)
    assert found["facts_told_not_claimed"] == 3
    assert found["facts_claimed_not_told"] == 0


def test_a_denial_of_what_the_case_holds_is_asked_again(tmp_path: Path) -> None:
    denial = {"answer": "No, I don't feel sick and I have no chest pain.", "revealed_facts": ["f4"]}
    run = played(tmp_path, questions=1, patient=[denial, {"answer": SPOKEN["f4"], "revealed_facts": ["f4"]}])
    (episode,) = run.episodes()
    refused = [one for row in episode.trace.rows for one in json.loads(row.attempts) if one["at"] != "used"]
    assert "contradicts" in json.dumps(refused)
    assert episode.status == "completed"


def test_a_wrong_result_is_not_released(tmp_path: Path) -> None:
    troponin = next(finding.id for finding in CASE.findings if finding.name == "Troponin")
    wrong = {"match_type": "alias", "findings": [troponin], "matched_test_name": "Troponin"}
    run = played(tmp_path, ("Complete blood count",), examination=[wrong])
    assert figures(run)["wrong_release"] == 1
    (episode,) = run.episodes()
    assert troponin not in json.dumps([row.events for row in episode.trace.rows])


def test_a_right_result_in_other_words_is_released(tmp_path: Path) -> None:
    names = {finding.name: finding.id for finding in CASE.findings}
    right = {"match_type": "alias", "findings": [names["Troponin"]], "matched_test_name": "Troponin"}
    run = played(tmp_path, ("a trop please, and send it off now",), examination=[right])
    assert figures(run)["wrong_release"] == 0


def test_built_in_patients_are_not_read(tmp_path: Path) -> None:
    run = osler.run("consultation", "library", limit=1, store=f"sqlite:///{tmp_path}/osler.db")
    assert figures(run)["facts_claimed_not_told"] is None
