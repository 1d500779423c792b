"""A store of the first wave with all three protocols is used as one of today.

`store-0004-protocols.sql.gz` in `tests/fixtures/earlier` holds a consultation ("consulted"), a branch of it
("branch"), one by a silent doctor ("silent"), a ward round ("taught") and two plays of a scenario ("station",
"shown-all"), as that Osler wrote and judged them; `export-1-protocols.jsonl.gz` its exports of them in turn.
They never change.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from tests.store.test_earlier_versions import EARLIER, without_marks

RUNS: Final = ("consulted", "branch", "silent", "taught", "station", "shown-all")
GRADERS: Final = {
    **dict.fromkeys(("consulted", "branch", "silent"), "baseline"),
    "taught": "round",
    **dict.fromkeys(("station", "shown-all"), "rubric:keyed"),
}
REWORDED: Final = {"correct", "provisional_correct", "follow_up", "right_but_unsupported"}
# What a verdict says besides: its words, its quotes, and the range a mark may lie in.
SAID_SINCE: Final = {"version", "at_most", "new_steps"}
Osler = Callable[..., Result]


@pytest.fixture
def osler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Osler:
    """`osler("runs")` runs a command on the store, which is a copy."""
    connection = sqlite3.connect(tmp_path / "old.db")
    connection.executescript(gzip.decompress((EARLIER / "store-0004-protocols.sql.gz").read_bytes()).decode())
    connection.close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "old.db"))
    return lambda *words: CliRunner().invoke(app, list(words), catch_exceptions=False)


def value(done: Result) -> dict[str, Any]:
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def verdict(judged: dict[str, Any]) -> dict[str, Any]:
    """A judgement without what is said besides its verdicts."""
    kept = {key: found for key, found in judged.items() if key not in SAID_SINCE}
    for key, found in kept.items():
        if isinstance(found, dict):
            kept[key] = {name: part for name, part in found.items() if name not in SAID_SINCE}
        if isinstance(found, list):
            kept[key] = [
                {name: part for name, part in one.items() if name not in ("why", "quotes", "open")}
                if isinstance(one, dict)
                else one
                for one in found
            ]
    return kept


def wrote() -> list[list[str]]:
    """The lines of each run's export, as schema 2 has them."""
    text = gzip.decompress((EARLIER / "export-1-protocols.jsonl.gz").read_bytes()).decode()
    lines = text.replace('"schema":1', '"schema":2').splitlines()
    return [lines[at : at + 2] for at in range(0, len(lines), 2)]


def test_every_run_is_listed_exported_as_it_was_and_shown(osler: Osler, tmp_path: Path) -> None:
    listed = value(osler("runs", "--json"))["runs"]
    assert [run["run"] for run in reversed(listed)] == list(RUNS)
    assert {(run["status"], run["done"]) for run in listed} == {("done", 1)}
    for name, lines in zip(RUNS, wrote(), strict=True):
        assert osler("export", name, "--out=out.jsonl").exit_code == 0
        assert without_marks((tmp_path / "out.jsonl").read_text().splitlines()) == lines
        for episode in (f"{name}:0", "out.jsonl:0"):
            shown = osler("show", episode)
            assert shown.exit_code == 0, shown.stderr
            assert len(shown.stdout.splitlines()) > 2
            assert value(osler("show", episode, "--json")) == json.loads(lines[1])


@pytest.mark.parametrize("name", RUNS)
def test_every_run_is_judged_again_beside_what_was_said_and_summed_up(osler: Osler, name: str) -> None:
    then = value(osler("runs", "summary", name, "--json"))
    before = value(osler("show", f"{name}:0", "--json"))["judgements"][GRADERS[name]]
    assert then["episodes"] == 1
    again = value(osler("judge", "run", name, "--json"))
    assert again["run"] == name
    after = value(osler("show", f"{name}:0", "--json"))["judgements"][GRADERS[name]]
    if GRADERS[name] == "baseline":  # its diagnosis judge reads as a physician since, and has more verdicts
        old, new = before["scores"], after["scores"]
        assert new.keys() >= old.keys()
        assert new["correct"]["value"] == old["correct"]["value"]
        changed = {one for one in old if one not in REWORDED and new[one] != old[one]}
        assert not changed, "no other score has changed since"
    else:
        assert verdict(after) == verdict(before), "no verdict has changed since"
    now = value(osler("runs", "summary", name, "--json"))
    assert now.keys() >= then.keys()
    if name != "branch":  # nothing of a branch is left to do
        done = osler("resume", name)
        assert done.exit_code == 1
        assert "the cases have changed since this run began" in done.stderr


def test_an_episode_is_gone_on_with_from_where_its_seats_see_what_they_saw(osler: Osler) -> None:
    assert osler("branch", "consulted:0", "--at=1", "--doctor=always-conclude").exit_code == 0
    kept, new = (value(osler("show", f"{run}:0", "--json"))["exchanges"] for run in ("consulted", "last"))
    assert new[:1] == kept[:1]
    assert new[1:] != kept[1:]


@pytest.mark.parametrize(
    ("name", "seat"),
    [
        ("consulted", "--doctor=always-conclude"),
        ("taught", "--tutor=silent"),
        ("station", "--examinee=null"),
    ],
)
def test_an_episode_whose_seats_see_more_now_is_not_gone_on_with_behind_its_back(
    osler: Osler, name: str, seat: str
) -> None:
    done = osler("branch", f"{name}:0", "--at=2", seat)
    assert done.exit_code == 1
    assert "can no longer be replayed" in done.stderr
    assert value(osler("show", f"{name}:0", "--json"))["exchanges"], "the record itself stays"


def test_consultations_are_reported_and_written_as_tables(osler: Osler, tmp_path: Path) -> None:
    done = osler("report", "consulted", "silent", "--no-controls", "--out=out.html", "--tables=tables")
    assert done.exit_code == 0, done.stderr
    assert "consulted" in (tmp_path / "out.html").read_text()
    assert list((tmp_path / "tables").iterdir())
