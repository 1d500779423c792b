"""`osler author scenario` from the command line against the fake endpoint, on documents of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from osler.cli.author_scenario import app
from tests.authoring.scenarios.answers import BRIEF, NOT_SIMULATABLE, packet, script
from tests.authoring.scenarios.source import ITEMS, write_source
from tests.endpoints import running

pytestmark = pytest.mark.usefixtures("one_child")

RULES: list[dict[str, Any]] = [
    *script("writer"),
    *script("refuser", triage=NOT_SIMULATABLE),
    *script(
        "leaker",
        examinee=packet(f"{BRIEF} Think of medication-overuse headache."),
        rubric={"items": [{"competency": "ICS", "text": "Asks what she"}]},
    ),
    {"match": {"model": "locked"}, "status": 401, "reply": "no"},
]
Run = Callable[..., Result]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(script=RULES) as base_url:
        yield base_url


@pytest.fixture
def osler_author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> Run:
    """`osler_author("scenario", "headache", ...)` in a folder with the source and an osler.toml."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OSLER_CONFIG", raising=False)
    write_source(tmp_path / "headache")
    table = '[endpoints.{0}]\nbase_url = "{1}"\nmodel = "{0}"\n'
    models = ("writer", "refuser", "leaker", "locked")
    Path("osler.toml").write_text("".join(table.format(model, url) for model in models))
    return lambda *words: CliRunner().invoke(app, words, catch_exceptions=False)


def value(done: Result) -> dict[str, Any]:
    (line,) = done.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def test_documents_become_a_scenario_and_again_nothing_is_asked(osler_author: Run) -> None:
    done = osler_author("scenario", "headache", "--model", "writer", "--json")
    assert done.exit_code == 0, done.stderr
    state = value(done)
    assert state["usage"]["calls"] == 7
    assert state["by_modality"]["image"] == {"files": 1, "bytes": 48, "read": 0}
    rubric = json.loads(Path("headache-scenarios/rubrics/headache_scenario1.json").read_text())
    assert sorted(text for name in ("PC", "MK", "SBP", "ICS") for text in rubric[name]) == sorted(ITEMS)

    again = value(osler_author("scenario", "headache", "--model", "writer", "--json"))
    assert again["usage"]["calls"] == 0
    told = osler_author("scenario", "headache", "--show").stdout
    assert "scenario1: A stronger painkiller" in told
    assert "not read: clinic room.png: pictures are not read" in told
    assert "released: headache-scenarios/packets/headache/scenario1" in told

    sheets = [f"headache-scenarios/review/headache_scenario1-reviewer-{n}.csv" for n in (1, 2)]
    done = osler_author("review", *sheets)
    assert done.exit_code == 1
    assert "names no reviewer" in done.stderr
    for number, sheet in enumerate(sheets):
        text = Path(sheet).read_text(encoding="utf-8")
        Path(sheet).write_text(
            text.replace('"","headache/scenario1"', f'"r{number}","headache/scenario1"').replace(
                '"","","",""', '"yes","","",""'
            ),
            encoding="utf-8",
        )
    compared = value(osler_author("review", *sheets, "--json"))
    assert compared["agreement"]["agree"]["share"]["value"] == 1.0
    assert "r0 and r1: 12 rows" in osler_author("review", *sheets).stdout


def test_what_cannot_be_played_is_an_answer(osler_author: Run) -> None:
    done = osler_author("scenario", "headache", "--model", "refuser")
    assert done.exit_code == 0
    assert "cannot be played: It is a lecture" in done.stdout
    made = {path.name for path in Path("headache-scenarios").iterdir()}
    assert made == {"work", "not_applicable.json"}


def test_a_serious_finding_is_exit_1_and_says_what_to_mend(osler_author: Run) -> None:
    done = osler_author(
        "scenario", "headache", "--model", "writer", "--model", "packets=leaker", "--model", "rubric=leaker"
    )
    assert done.exit_code == 1
    told = " ".join(done.stdout.split())
    assert "serious" in told
    assert "names what is to be found out (medication-overuse headache)" in told
    assert "covers only part of a statement: Asks what she" in told
    assert "fix the files in headache-scenarios/drafts/headache/scenario1" in told
    assert not Path("headache-scenarios/packets").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nowhere",), "nowhere: there is no such folder"),
        (("headache", "--show"), "nothing has been done there yet"),
        (("headache", "--model", "writer", "--model", "leaker"), "writer and leaker are both given"),
        (("headache", "--model", "cooking=writer"), "there is no step 'cooking'"),
        (("headache", "--model", "writr"), "did you mean writer?"),
        (("headache", "--case-id", "../x"), "cannot be a case's id"),
        (("headache", "--out", "headache/out"), "folder overlap"),
        (("headache", "--out", "osler.toml"), "is a file, not a folder"),
        (("headache", "--model", "locked"), "endpoint locked: auth"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(
    osler_author: Run, words: tuple[str, ...], told: str
) -> None:
    done = osler_author("scenario", *words)
    assert done.exit_code == (3 if "auth" in told else 1), "an endpoint that refuses us is a pause"
    assert told in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
