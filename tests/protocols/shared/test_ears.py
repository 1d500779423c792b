"""A model's ears for the built-in patient: it chooses what was meant, and says nothing itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import osler
from osler.errors import BadInput
from tests.protocols.shared.test_claimed_facts import scripted

@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


ODD = "And would there happen to be any goings-on of the flibbertigibbet kind?"


def asked(folder: Path, question: str, choices: list[Any]) -> tuple[str, list[str]]:
    """The patient's answer to one question with scripted ears, and the facts told."""
    moves = [{"action": "ASK", "question": question}, {"action": "FINALIZE", "diagnosis": "Angina"}]
    scripted(folder, "ears", choices)
    doctor = scripted(folder, "doctor", moves)
    store = f"sqlite:///{folder}/osler.db"
    run = osler.run("consultation", "library", limit=1, store=store, doctor=doctor, patient="baseline+ears:scripted:ears.json")
    (episode,) = run.episodes()
    reply = next(json.loads(row.reply) for row in episode.trace.rows if row.seat == "patient")
    return reply["answer"], reply.get("revealed_facts", [])


def test_what_the_model_hears_is_told_in_the_built_in_voice(tmp_path: Path) -> None:
    _, told = asked(tmp_path, ODD, [{"chosen": 1}])
    assert len(told) == 1


def test_what_the_model_does_not_hear_is_not_told(tmp_path: Path) -> None:
    _, told = asked(tmp_path, ODD, [{"chosen": 9}])
    assert told == []


@pytest.mark.parametrize(
    "question", ["Good morning.", "Have you had thoughts of ending your life?", "May I examine you?"]
)
def test_courtesies_harm_and_consent_are_never_the_models(tmp_path: Path, question: str) -> None:
    """The script of the ears is empty: a question put to it would end the episode by a fault."""
    answer, _ = asked(tmp_path, question, [])
    assert answer


@pytest.mark.parametrize("name", ["baseline+ears", "baseline+ears:3", "reciter+ears:scripted:x.json"])
def test_ears_are_one_models_and_the_built_in_patients(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(BadInput):
        osler.run("consultation", "library", limit=1, store=f"sqlite:///{tmp_path}/o.db", patient=name)
