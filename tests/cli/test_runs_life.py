"""The life of runs: size, deletion, grader versions, and stores that are not there."""

from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from osler.judging import correctness
from osler.judging.scores import Score
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.judge import built_in as judging
from osler.runs import run as runs
from osler.store.store import open_store
from tests.cli.test_commands import Osler, osler, said, value

__all__ = ["osler"]

Usage = namedtuple("Usage", "total used free")


def test_several_runs_are_deleted_only_after_a_yes_and_say_what_they_free(
    osler: Osler, tmp_path: Path
) -> None:
    names = [value(osler("consult", "library", "--limit=3", "--json"))["run"] for _ in range(3)]
    foreseen = value(osler("runs", "delete", *names[:2], names[0], "--dry-run", "--json"))
    assert foreseen["runs"] == names[:2]
    assert foreseen["deleted"] == []
    assert foreseen["episodes"] == 6
    unasked = osler("runs", "delete", names[0])
    assert unasked.exit_code == 1
    assert "add --yes" in said(unasked)
    unknown = osler("runs", "delete", names[0], "r-nope", "--yes")
    assert unknown.exit_code == 1
    assert len(value(osler("runs", "--json"))["runs"]) == 3, "all or none"
    done = value(osler("runs", "delete", *names[:2], "--yes", "--compact", "--json"))
    assert done["deleted"] == names[:2]
    assert done["bytes"] == foreseen["bytes"] > 0
    assert done["store_bytes"] < foreseen["store_bytes"]
    (left,) = value(osler("runs", "--json"))["runs"]
    assert left["run"] == names[2]
    assert value(osler("judge", "run", names[2], "--json"))["judged"] == 3, "its cases are still there"


def test_the_names_of_runs_are_listed_whole_in_80_columns(osler: Osler) -> None:
    run = value(osler("consult", "generated:10:7", "--repeats=10", "--doctor=always-conclude", "--json"))[
        "run"
    ]
    assert run in osler("runs").stdout


def test_a_run_that_another_version_goes_on_with_says_so(osler: Osler, tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        config = RunConfig(cases="library", limit=2)
        begun = runs.begin(config, store)
        old = {**begun.manifest, "configuration": {**begun.manifest["configuration"], "osler": "0.0.9"}}
        store.begin_run("older", old, begun.planned)
    mixed = osler("resume", "older", "--json")
    assert value(mixed)["episodes"] == 2
    assert "begun with Osler 0.0.9" in said(mixed)
    assert "begun with" not in said(osler("resume", "older", "--json")), "nothing is left to play"
    assert "begun with" not in said(osler("resume", begun.name, "--json"))


def test_a_summary_and_a_transcript_say_by_which_version_and_take_an_earlier_one(
    osler: Osler, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = value(osler("consult", "library", "--limit=2", "--json"))
    run = first["run"]
    (old,) = first["graders"]
    judging.grader_version.cache_clear()
    monkeypatch.setattr(judging, "VERSION", "test")
    monkeypatch.setattr(judging, "answered", lambda *given: correctness.Answered(Score(0.0)))
    again = osler("judge", "run", run, "--json")
    judging.grader_version.cache_clear()
    summed = value(again)
    assert summed["measures"]["correct"]["value"] == 0.0
    assert f"also stored: {old}" in said(again)
    (new,) = summed["graders"]
    assert new != old

    named = old.replace(" ", "@")
    kept = value(osler("runs", "summary", run, "--grader", named, "--json"))
    assert {**kept, "wall_s": 0} == {**first, "wall_s": 0}
    assert value(osler("runs", "summary", run, "--json"))["graders"] == {new: 2}
    assert f"version {new.split()[1]}" in osler("show", f"{run}:0").stdout
    assert f"version {old.split()[1]}" in osler("show", f"{run}:0", "--grader", named).stdout
    shown = value(osler("show", f"{run}:0", "--json"))
    assert shown["judgements"]["baseline"]["version"] == new.split()[1]
    assert [one["version"] for one in shown["earlier_judgements"]] == [old.split()[1]]
    for wrong in ("baseline@9", "somebody"):
        refused = osler("runs", "summary", run, "--grader", wrong)
        assert refused.exit_code == 1
        assert named in said(refused)


@pytest.mark.parametrize(
    "words",
    [
        ("runs",),
        ("runs", "delete", "last", "--yes"),
        ("runs", "summary", "last"),
        ("show", "last:0"),
        ("export", "last", "--out", "out.jsonl"),
        ("judge", "run", "last"),
        ("resume", "last"),
        ("compare", "a", "b"),
        ("branch", "last:0", "--at", "1"),
    ],
)
def test_a_mistyped_store_is_said_not_to_be_there_and_not_made(
    osler: Osler, tmp_path: Path, words: tuple[str, ...]
) -> None:
    done = osler(*words, "--store", "mistyped.db")
    assert done.exit_code == 1
    assert "mistyped.db: there is no store here (check --store" in said(done)
    assert list(tmp_path.iterdir()) == []


def test_before_a_run_its_size_is_foreseen_and_a_full_disk_is_warned_of(
    osler: Osler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("consult", "library", "--repeats=4", "--consultant=baseline", "--json")
    done = osler(*words, "--dry-run")
    foreseen = value(done)["disk"]
    assert foreseen["episodes"] == 120
    assert "warning" not in said(done)
    assert list(tmp_path.iterdir()) == []
    value(osler(*words))
    found = value(osler("runs", "--json"))
    assert 0.7 < foreseen["bytes"] / found["runs"][0]["bytes"] < 1.4
    assert 0.6 < foreseen["bytes"] / found["bytes"] < 1.4

    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(10, 9, 1000))
    full = osler(*words, "--dry-run")
    assert full.exit_code == 0
    assert "only 1.0 kB are free; when the disk is full the run pauses" in said(full)


def test_an_exported_episode_is_shown_from_its_file(osler: Osler, tmp_path: Path) -> None:
    osler("consult", "library", "--limit=1")
    assert osler("export", "last", "--out=export.jsonl").exit_code == 0
    shown = osler("show", "export.jsonl:0")
    assert shown.exit_code == 0, shown.stderr
    stored = osler("show", "last:0").stdout
    assert sorted(shown.stdout.splitlines()) == sorted(stored.splitlines()), "scores are in another order"
    missing = osler("show", "export.jsonl:7")
    assert missing.exit_code == 1
    assert "no episode 7" in said(missing)
