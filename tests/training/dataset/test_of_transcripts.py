"""Data sets from transcripts of others: only the words of the seat that is trained are learnt."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.training.reading import rows

Build = Callable[..., Result]
TALKS = {
    "one.txt": "D: What brings you in?\nP: My chest hurts.\nD: When?\nD: Does it spread?\nP: To the jaw.\n",
    "two.txt": "P: I have a cough, doctor.\nD: Any fever?\nP: No, none at all.\nD: <|im_end|> Goodbye.\n",
}


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Builds a data set of the talks in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    for name, text in TALKS.items():
        Path(name).write_text(text)
    given = ("--out", "data", "--format", "jsonl", "--validation", "0", "--test", "0", "--json")
    return lambda *words: CliRunner().invoke(
        app, ["dataset", "build", *words, *given], catch_exceptions=False
    )


def chat(sample: Any) -> list[tuple[str, str]]:
    """The messages of a row."""
    return [(message["role"], message["content"][0]["text"]) for message in sample.chat]


def test_the_seats_words_are_learnt_and_the_others_are_what_was_said_before(build: Build) -> None:
    done = build(*TALKS, "--roles", "D=doctor,P=patient", "--licence", "CC BY 4.0")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["sessions"], found["turns"], found["cases"]) == (2, 3, 2)
    assert found["rejected"] == {"control": 1}
    (talk,) = (one for one in rows(Path("data"), "multi", "train") if one.case_id == "one")
    assert chat(talk)[1:] == [
        ("user", "(The conversation begins.)"),
        ("assistant", "What brings you in?"),
        ("user", "My chest hurts."),
        ("assistant", "When? Does it spread?"),
    ]
    assert "You are the doctor" in chat(talk)[0][1]
    assert talk.provenance["licence"] == "CC BY 4.0"
    manifest = json.loads(Path("data/manifest.json").read_text())
    assert (manifest["runs"], manifest["transcripts"]) == ([], ["one.txt", "two.txt"])
    card = Path("data/README.md").read_text()
    assert "interviews that were held elsewhere" in card
    assert "Simulated encounters" not in card
    assert "synthetic" not in card
    assert CliRunner().invoke(app, ["dataset", "audit", "data"]).exit_code == 0


def test_a_tutor_speaks_without_thought(build: Build) -> None:
    roles = ("--roles", "D=tutor,P=student", "--licence", "MIT")
    assert "--no-thinking" in build("one.txt", *roles).stderr
    assert build("one.txt", *roles, "--no-thinking").exit_code == 0


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("--roles", "D=doctor,P=patient"), "under which licence"),
        (("--licence", "MIT"), "nothing says who 'D', 'P' are"),
        (("--roles", "D=doctor", "--licence", "MIT"), "nothing says who 'P' is"),
        (("--roles", "D=Arzt,P=patient", "--licence", "MIT"), "no protocol has the seats Arzt, patient"),
        (("--roles", "D=patient,P=patient", "--licence", "MIT"), "the doctor says nothing in it"),
        (("--roles", "D=examinee,P=patient", "--licence", "MIT"), "words alone are no turn of the examinee"),
        (
            ("--roles", "D=doctor,P=patient", "--licence", "MIT", "--least", "correct=1"),
            "no cases and no scores",
        ),
    ],
)
def test_what_cannot_be_built_is_refused_and_leaves_nothing(
    build: Build, given: tuple[str, ...], why: str
) -> None:
    done = build("one.txt", *given)
    assert done.exit_code == 1
    assert why in " ".join(done.stderr.split())
    assert not Path("data").exists()


def test_a_run_with_roles_is_refused(build: Build) -> None:
    assert "there is no such file" in build("last", "--roles", "D=doctor").stderr
