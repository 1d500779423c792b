"""Archives on the command line: made, brought back, and read as they lie by what reads runs."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import pytest

from osler.core.factory import always
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.runs import run as runs
from osler.store.store import open_store
from tests.cli.test_commands import Osler, osler, said, value

__all__ = ["osler"]


@pytest.fixture
def two(osler: Osler, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[str, str]:
    """Two runs of the same worlds; temporary files go to a folder of this test."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install -e '.[archive]'")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    words = ("consult", "library", "--limit=3", "--json")
    return value(osler(*words))["run"], value(osler(*words, "--doctor=always-conclude"))["run"]


def test_a_run_is_archived_read_as_it_lies_and_restored(
    osler: Osler, two: tuple[str, str], tmp_path: Path
) -> None:
    run, other = two

    def read(first: str, second: str) -> list[object]:
        assert osler("export", first, "--out", "out.jsonl").exit_code == 0
        assert osler("report", first, second, "--no-controls", "--out", "report.html").exit_code == 0
        shown = ("--prompts", "--debrief", "--scenes")
        return [
            Path("out.jsonl").read_bytes(),
            Path("report.html").read_text(),
            value(osler("show", f"{first}:1", "--json")),
            value(osler("compare", first, second, "--json")),
            value(osler("runs", "summary", first, "--json")),
            *(osler("show", f"{first}:1", option).stdout for option in shown),
        ]

    before = read(run, other)
    made = value(osler("runs", "archive", run, "--out", "kept", "--json"))
    assert made.items() >= {"run": run, "episodes": 3, "out": "kept", "kept": False, "shards": 2}.items()
    assert [one["run"] for one in value(osler("runs", "--json"))["runs"]] == [other]
    for path in (tmp_path / "kept", Path("kept")):
        assert read(str(path), other) == before
    value(osler("runs", "archive", other, "--out", "both/other", "--json"))
    Path("osler.db").unlink()
    assert read("kept", "both/other") == before, "no store is needed"
    assert not list((tmp_path / "tmp").iterdir()), "nothing stays behind"

    assert value(osler("runs", "restore", "kept", "--json"))["episodes"] == 3
    assert value(osler("runs", "restore", "both/other", "--json"))["run"] == other
    assert read(run, other) == before
    assert "already a run" in said(osler("runs", "restore", "kept"))


def test_a_run_goes_before_an_archive_of_its_name_unless_a_path_is_written(
    osler: Osler, two: tuple[str, str]
) -> None:
    run, other = two
    value(osler("runs", "archive", run, "--out", other, "--json"))
    assert osler("export", other, "--out", "a.jsonl", "--json").stdout.count(other) == 1
    assert value(osler("export", f"./{other}", "--out", "b.jsonl", "--json"))["run"] == run
    same = osler("compare", f"./{other}", f"./{other}", "--json")
    assert value(same)["comparisons"][0]["difference"]["value"] == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("runs", "archive", "last", "--out", "kept"), "there is another archive"),
        (("runs", "archive", "nope", "--out", "new"), "there is no run 'nope'"),
        (("runs", "archive", "last", "--out", "tmp"), "something of this name already"),
        (("runs", "archive", "last", "--out", "osler.db/x"), "cannot be written"),
        (("show", "kept:9"), "the archive has no episode 9"),
        (("show", "kept:1", "--grader", "nobody"), "nobody"),
        (("compare", "kept", "copy"), "two of these are the same run"),
        (("runs", "restore", "tmp"), "there is no archive here"),
        (("runs", "restore", "nowhere"), "there is no archive here"),
    ],
)
def test_what_cannot_be_done_is_said(
    osler: Osler, two: tuple[str, str], words: tuple[str, ...], why: str
) -> None:
    for out in ("kept", "copy"):
        value(osler("runs", "archive", two[0], "--out", out, "--keep", "--json"))
    done = osler(*words)
    assert done.exit_code == 1, done.output
    assert why in said(done)
    assert len(value(osler("runs", "--json"))["runs"]) == 2


def test_a_damaged_archive_is_refused_by_every_command_that_reads_it(
    osler: Osler, two: tuple[str, str]
) -> None:
    value(osler("runs", "archive", two[0], "--out", "kept", "--json"))
    shard = Path("kept/episodes-000000.parquet")
    shard.write_bytes(shard.read_bytes()[:-1])
    for words in (
        ("show", "kept:1"),
        ("export", "kept", "--out", "x"),
        ("report", "kept", "--out", "x"),
        ("compare", "kept", two[1]),
        ("runs", "restore", "kept"),
    ):
        done = osler(*words)
        assert done.exit_code == 1
        assert "episodes-000000.parquet: is damaged" in said(done)
    assert not Path("x").exists()


def test_a_persons_run_is_neither_archived_nor_copied_beside_an_archive(
    osler: Osler, two: tuple[str, str], tmp_path: Path
) -> None:
    value(osler("runs", "archive", two[0], "--out", "kept", "--json"))
    with open_store(tmp_path / "osler.db") as store:
        person = {"person": always(BaselineDoctor())}
        config = RunConfig(only="cardiology-01", doctor="person")
        runs.play(runs.begin(config, store, person, name="talk"), store, more=person)
    assert osler("permit", "talk", "--uses", "research").exit_code == 0
    for words in (("runs", "archive", "talk", "--out", "new"), ("compare", "kept", "talk")):
        done = osler(*words)
        assert done.exit_code == 1
        assert "a person sat, or may have sat, as doctor" in said(done)
        assert "osler forget" in said(done)


def test_without_pyarrow_it_is_said_what_to_install(osler: Osler, monkeypatch: pytest.MonkeyPatch) -> None:
    run = value(osler("consult", "library", "--limit=1", "--json"))["run"]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = osler("runs", "archive", run, "--out", "kept")
    assert done.exit_code == 1
    assert "pip install -e '.[archive]'" in said(done)
    assert json.loads(osler("runs", "--json").stdout)["runs"][0]["run"] == run
