"""`osler permit` and `osler forget`, as whoever plays alone in a terminal meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.memory.sql_memory import SqlKeeper
from osler.store.store import open_store

SMALL = Path(__file__).parent.parent / "protocols" / "scenario" / "small.yaml"
WORDS = "Hello, my name is Dr Quokka. Which tablets does he take?\n/attach the monitor\n\n" + "/wait\n" * 7
TALK = "Where does it hurt, says Dr Quokka?\n/done heart attack\n\n\n\n\n"


def osler(*words: str, given: str = "") -> Any:
    return CliRunner().invoke(app, list(words), input=given)


def value(*words: str) -> dict[str, Any]:
    done = osler(*words, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def told() -> str:
    """What was said on standard error to somebody who played a station."""
    done = osler("scenario", "play", str(SMALL), "--examinee=person", given=WORDS)
    assert done.exit_code == 0, done.output
    said: str = done.stderr
    return said


def uses() -> list[str]:
    found: list[str] = value("permit", "last")["episodes"][0]["uses"]
    return found


def test_before_the_first_word_it_says_what_is_kept_where_for_what_and_how_to_delete_it(told: str) -> None:
    assert "What you say is kept in sqlite:///osler.db for your own practice" in told
    assert "It stays on this machine." in told
    run = value("permit", "last")["run"]
    assert f"osler permit {run} --uses research" in told
    assert f"osler forget {run}" in told


def test_programs_are_told_nothing() -> None:
    done = osler("scenario", "play", str(SMALL), "--examinee=null")
    assert "What you say" not in done.stderr
    assert "played by programs" in osler("permit", "last").stdout
    refused = osler("forget", "last", "--yes")
    assert (refused.exit_code, "played by programs" in refused.stderr) == (1, True)


def test_permitting_showing_and_taking_back(told: str) -> None:
    assert uses() == ["practice"]
    found = value(
        "permit", "last:0", "--uses", "research,share", "--until", "2999-12-31", "--pseudonym", "Wren"
    )
    (row,) = found["episodes"]
    assert (row["uses"], row["until"]) == (["practice", "research", "share"], "2999-12-31")
    assert (row["pseudonym"], row["seat"]) == ("Wren", "examinee")
    assert osler("export", "last", "--out", "out.jsonl").exit_code == 0
    assert value("permit", "last", "--withdraw")["episodes"][0]["uses"] == ["practice"]
    refused = osler("export", "last", "--out", "out.jsonl")
    assert refused.exit_code == 1
    assert "the person who played examinee" in refused.stderr
    assert "Wren" not in refused.stderr, "a refusal names nobody"


def test_what_one_agrees_to_is_shown(told: str) -> None:
    said = osler("permit", "last", "--uses", "teacher").stderr
    assert "read and marked by your teacher" in said
    assert "You can have your words deleted" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["last", "--uses", "fame"], "no use of people's words"),
        (["last", "--uses", "share"], "only until a date"),
        (["last", "--uses", "research", "--until", "soon"], "is not a date"),
        (["last", "--uses", "research", "--until", "1999-01-01"], "end before it begins"),
        (["last", "--uses", "research", "--withdraw"], "both permits and takes back"),
        (["last", "--until", "2999-01-01"], "nothing is permitted"),
        (["last", "--pseudonym", "Wren"], "nothing is permitted"),
        (["last", "--uses", "research", "--seat", "patient"], "no person sits as patient"),
        (["last:7"], "no episode '7'"),
        (["last:x", "--uses", "research"], "no episode 'x'"),
        (["nobody"], "no run 'nobody'"),
        ([""], "no run ''"),
        (["last", "--uses", ""], "no use of people's words"),
    ],
)
def test_what_cannot_be_permitted_is_said_in_words(words: list[str], said: str, told: str) -> None:
    done = osler("permit", *words)
    assert done.exit_code == 1
    assert said in done.stderr
    assert uses() == ["practice"]


def test_forgetting_leaves_a_tombstone_and_no_words(told: str) -> None:
    run = value("permit", "last")["run"]
    assert b"Quokka" in whole_file()
    assert osler("forget", "last").exit_code == 1, "nobody confirms"
    found = value("forget", "last", "--yes")
    assert found == {"deleted": [f"{run}:0"], "cards": 0, "erased": True}
    assert b"Quokka" not in whole_file()
    shown = value("permit", "last")
    assert list(shown["deleted"]) == [f"{run}:0"]
    assert "deleted at the person's wish" in osler("show", "last:0").stdout
    assert value("runs", "summary", "last")["ended"] == {"deleted": 1}


def whole_file() -> bytes:
    return b"".join(path.read_bytes() for path in Path().glob("osler.db*"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["last:0"], "deleted already, on "),
        (["last"], "nothing is left to delete"),
        (["last:3"], "no episode"),
    ],
)
def test_forgetting_again_is_said_in_words(words: list[str], said: str, told: str) -> None:
    assert osler("forget", "last:0", "--yes").exit_code == 0
    done = osler("forget", *words, "--yes")
    assert done.exit_code == 1
    assert said in done.stderr


def test_an_encounter_that_was_left_is_forgotten_and_may_be_begun_anew() -> None:
    assert osler("play", "cardiology-01", given="Where does it hurt, Quokka?\n/quit\n").exit_code == 130
    assert value("forget", "last", "--yes")["erased"]
    assert b"Quokka" not in whole_file()
    again = osler("resume", "last", given=TALK)
    assert again.exit_code == 0, again.output


def test_a_branch_is_forgotten_with_what_it_began_with(told: str) -> None:
    run = value("permit", "last")["run"]
    assert osler("branch", f"{run}:0", "--at", "2", "--examinee", "baseline").exit_code == 0
    assert len(value("forget", f"{run}:0", "--yes")["deleted"]) == 2
    assert b"Quokka" not in whole_file()


def test_what_a_memory_learned_from_it_is_forgotten_too() -> None:
    assert osler("play", "cardiology-01", given=TALK).exit_code == 0
    refused = osler("memory", "snapshot", "lessons", "--from", "last", "--feedback", "none")
    assert "--uses training" in refused.stderr
    osler("permit", "last", "--uses", "training")
    learned = osler("memory", "snapshot", "lessons", "--from", "last", "--feedback", "none")
    assert learned.exit_code == 0, learned.output
    with open_store("osler.db") as store:
        keeper = SqlKeeper(store.engine)
        snapshot = keeper.steps("lessons")[-1].snapshot
        assert len(keeper.load(snapshot).cards) == 1
        assert value("forget", "last", "--yes")["cards"] == 1
        assert len(keeper.load(snapshot).cards) == 0


def test_a_file_that_others_read_is_compacted_afterwards(told: str) -> None:
    assert value("runs", "compact")["bytes"] > 0
