"""`osler cases generate` and `osler cases import` as a user meets them; the endpoint is fake."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import Result

from osler.cases.sources import open_source
from tests.cli.commands import Osler
from tests.endpoints import running

FIXTURES: Final = Path(__file__).parents[1] / "fixtures"
MEDIQ: Final = str(FIXTURES / "mediq_small.jsonl")
HOLDERS: Final = ["opening", "history", "examination", "test"]
SORTED: Final = {
    "clauses": [{"number": n, "holder": h, "topic": "travel"} for n, h in enumerate(HOLDERS, start=1)]
}
VIGNETTE: Final = {
    "question": "What is the best treatment?",
    "context": [
        "A 29-year-old man presents with a sore throat.",
        "He was abroad in June.",
        "His temperature is 38.4°C.",
        "A throat swab grows streptococci.",
    ],
    "options": {"A": "Penicillin", "B": "Rest"},
    "answer": "Penicillin",
    "answer_idx": "A",
}
SCRIPT: Final[list[dict[str, Any]]] = [
    {"match": {"model": "sorter"}, "reply": SORTED},
    {"match": {"model": "chatter"}, "reply": "I would rather talk about the weather."},
    {"match": {"model": "locked"}, "status": 401, "reply": "no"},
]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(script=SCRIPT) as base_url:
        yield base_url


@pytest.fixture
def converted(osler: Osler, url: str, monkeypatch: pytest.MonkeyPatch) -> Osler:
    """`converted("sorter")` imports one vignette with that model into ./made."""
    monkeypatch.setenv("MY_KEY", "key-of-a-test")
    table = '[endpoints.{0}]\nbase_url = "{1}"\nmodel = "{0}"\nkey_env = "MY_KEY"\n'
    Path("osler.toml").write_text(
        "".join(table.format(rule["match"]["model"], url) for rule in SCRIPT), encoding="utf-8"
    )
    Path("one.jsonl").write_text(json.dumps(VIGNETTE), encoding="utf-8")
    return lambda model, file="one.jsonl", *words: osler(
        "cases", "import", file, "--out", "made", f"--converter=model:{model}", *words
    )


def value(done: Result) -> dict[str, Any]:
    """The one JSON object on standard output."""
    (line,) = done.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def said(done: Result) -> str:
    """What was shown on standard error, without the terminal's line breaks."""
    assert "Traceback" not in done.output
    return " ".join(done.stderr.split())


# Made-up cases


def test_made_up_cases_are_written_and_read_back(osler: Osler) -> None:
    done = osler("cases", "generate", "--n", "3", "--seed", "7", "--out", "made.jsonl", "--json")
    assert done.exit_code == 0
    assert value(done) == {"written": 3, "kept": 0, "cases": "generated:3:7", "file": "made.jsonl"}
    made = [case.content_hash for case in open_source("made.jsonl")]
    assert made == [case.content_hash for case in open_source("generated:3:7")]
    consulted = value(osler("consult", "made.jsonl", "--doctor", "oracle", "--json"))
    assert consulted["episodes"] == 3


def test_the_same_file_is_left_and_a_different_one_is_never_overwritten(osler: Osler) -> None:
    words = ("cases", "generate", "--n", "2", "--out", "made.jsonl")
    assert osler(*words).exit_code == 0
    before = Path("made.jsonl").read_bytes()
    assert value(osler(*words, "--json"))["kept"] == 2
    # Another seed, more cases, and fewer.
    for more in (("--seed", "1"), ("--n", "3"), ("--n", "1")):
        done = osler(*words, *more)
        assert (done.exit_code, "a different file is already there" in said(done)) == (1, True)
    assert Path("made.jsonl").read_bytes() == before
    assert [path.name for path in Path().iterdir()] == ["made.jsonl"]


def test_misspecified_knowledge_makes_other_cases(osler: Osler) -> None:
    for name in ("standard", "misspecified"):
        osler("cases", "generate", "--n", "2", "--out", f"{name}.jsonl", "--knowledge", name)
    assert Path("standard.jsonl").read_bytes() != Path("misspecified.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--n", "2", "--out", "made.yaml"), 1, "name a .jsonl file"),
        (("--n", "2", "--out", "folder.jsonl"), 1, "is a folder"),
        (("--n", "0", "--out", "made.jsonl"), 2, "--n"),
        (("--n", "2", "--out", "made.jsonl", "--seed", "-1"), 2, "--seed"),
        (("--n", "2", "--out", "made.jsonl", "--knowledge", "none"), 2, "misspecified"),
    ],
)
def test_what_cannot_be_written_is_refused_in_words(
    osler: Osler, words: tuple[str, ...], code: int, told: str
) -> None:
    Path("folder.jsonl").mkdir()
    done = osler("cases", "generate", *words)
    assert (done.exit_code, told in said(done)) == (code, True)
    assert [path.name for path in Path().iterdir()] == ["folder.jsonl"]


# A model as converter


def test_a_model_sorts_a_vignette(converted: Osler) -> None:
    done = converted("sorter", "one.jsonl", "--json")
    assert done.exit_code == 0
    assert "no real patient's data" in said(done)
    found = value(done)
    assert (found["read"], found["imported"]) == (1, 1)
    used = found["converter"]
    assert (used["by_model"], used["by_rules"], used["calls"], used["cost"]) == (1, 0, 1, None)
    assert used["prompt_tokens"] > 0
    (case,) = open_source("made")
    assert [(fact.text, fact.topic) for fact in case.facts] == [("He was abroad in June.", "travel")]


def test_where_a_model_gives_no_answer_the_rules_do_it_and_it_is_said(converted: Osler) -> None:
    done = converted("chatter")
    assert done.exit_code == 0
    assert "sorted by model:chatter 0, by the rules 1" in done.stdout
    (case,) = open_source("made")
    assert any(flag.startswith("note: sorted by the rules") for flag in case.provenance.flags)


def test_bad_records_are_refused_by_number_and_the_others_converted(converted: Osler) -> None:
    found = value(converted("chatter", MEDIQ, "--json"))
    assert (found["imported"], found["rejected"]) == (3, 3)
    assert [reason["record"] for reason in found["reasons"]] == [2, 4, 5]


def test_an_endpoint_that_fails_ends_the_import_with_what_was_done(converted: Osler) -> None:
    done = converted("locked", "one.jsonl", "--json")
    assert done.exit_code == 1
    assert "locked" in said(done)
    assert (value(done)["imported"], value(done)["converter"]["stopped"]) == (0, True)


@pytest.mark.parametrize(
    ("model", "file", "told"),
    [
        ("sorter", str(FIXTURES / "agentclinic_small.jsonl"), "not prose"),
        ("sorter", "none.jsonl", "no such file"),
        ("sortr", "one.jsonl", "did you mean sorter?"),
    ],
)
def test_what_no_model_can_convert_is_refused_in_words(
    converted: Osler, model: str, file: str, told: str
) -> None:
    done = converted(model, file)
    assert (done.exit_code, told in said(done)) == (1, True)
    assert not Path("made").exists()


def test_a_converter_is_a_model(osler: Osler) -> None:
    done = osler("cases", "import", MEDIQ, "--out", "made", "--converter", "sorter")
    assert (done.exit_code, "write model:NAME" in said(done)) == (1, True)


# Formats


@pytest.mark.parametrize("cases", ["library", "generated:2:1"])
def test_a_format_for_our_own_cases_is_refused(osler: Osler, cases: str) -> None:
    done = osler("consult", cases, "--format", "mediq")
    assert (done.exit_code, "omit --format" in said(done)) == (1, True)


def test_made_up_cases_say_that_they_are_for_machines(osler: Osler) -> None:
    words = "not for learners"
    listed = osler("cases", "list", "generated:2:7", "--json")
    assert words in listed.stderr
    assert [row["made_up"] for row in value(listed)["cases"]] == [True, True]
    assert words in osler("cases", "show", "generated:1:7").stderr
    assert words not in osler("cases", "list", "--json").stderr


def test_what_does_not_go_together_is_an_error_in_a_made_up_case_and_a_warning_elsewhere(
    osler: Osler, tmp_path: Path
) -> None:
    (case,) = open_source("generated:1:7")
    held = case.model_dump(mode="json")
    held["facts"].append(
        {"id": "new", "topic": "exposure", "text": "A mole has changed; it is a changing mole."}
    )
    for name, flags in (("made", held["provenance"]["flags"]), ("own", [])):
        held["provenance"]["flags"] = flags
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(held))
    made = value(osler("cases", "lint", str(tmp_path / "made.jsonl"), "--json"))
    assert {row["level"] for row in made["problems"] if row["code"] == "foreign"} == {"error"}
    own = str(tmp_path / "own.jsonl")
    assert "foreign" not in {row["code"] for row in value(osler("cases", "lint", own, "--json"))["problems"]}
    asked = value(osler("cases", "lint", own, "--coherence", "--json"))
    assert {row["level"] for row in asked["problems"] if row["code"] == "foreign"} == {"warning"}


def test_an_accepted_name_that_says_less_is_refused_and_an_import_flags_it(
    osler: Osler, tmp_path: Path
) -> None:
    held = next(case for case in open_source("library") if case.id == "infectious-01").model_dump(mode="json")
    held["task"]["accepts"].append("malaria")
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(held))
    done = osler("cases", "lint", str(path), "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    (row,) = [row for row in found["findings"] if row["code"] == "accepted-broader"]
    assert (row["case"], row["level"], row["where"]) == ("infectious-01", "error", "task.accepts[5]")
    assert found["findings"] == found["problems"]
    read = value(osler("cases", "import", str(path), "--out", "read", "--json"))
    assert (read["imported"], read["flagged"]) == (1, 1)
    assert "accepted-broader" in read["reasons"][0]["reason"]
    held["task"]["accepted_why"] = {"malaria": "no film can be had here"}
    path.write_text(json.dumps(held))
    again = json.loads(osler("cases", "lint", str(path), "--json").stdout)
    assert "accepted-broader" not in {row["code"] for row in again["findings"]}


def test_the_words_that_an_importer_takes_for_another_name_are_flagged_too(
    osler: Osler, tmp_path: Path
) -> None:
    """A record's further codes may be wider than the first one."""
    bundle = (FIXTURES / "fhir_small.ndjson").read_text().splitlines()[0]
    words = '"display": "Community acquired pneumonia (disorder)"}'
    assert words in bundle
    path = tmp_path / "record.ndjson"
    path.write_text(bundle.replace(words, words + ', {"display": "Pneumonia"}'))
    read = value(osler("cases", "import", str(path), "--format", "fhir", "--out", "read", "--json"))
    (reason,) = [row["reason"] for row in read["reasons"] if row["kind"] == "flagged"]
    assert "accepted-broader: accepts 'Pneumonia'" in reason
