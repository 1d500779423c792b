"""`osler branch` as a user meets it, with built-in players, a person, and models at a fake endpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import MODELS, SHORT, Osler, configure, reset, said, stats, value


def exported(osler: Osler, run: str) -> list[dict[str, object]]:
    value(osler("export", run, "--out", "out.jsonl", "--json"))
    return [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]


def test_what_if_from_the_transcript_to_the_comparison(osler: Osler) -> None:
    parent = value(osler("consult", "library", "--limit=2", "--json"))["run"]
    shown = osler("show", f"{parent}:1").stdout
    assert any(line.strip().startswith("5 0:0") for line in shown.splitlines()), "exchanges are numbered"
    question = "Have you travelled abroad?"
    asked = osler("branch", f"{parent}:1", "--at=5", "--say", question, "--repeats=2", "--json")
    branch = value(asked)
    assert f"a branch of {parent}:1 at 5" in said(asked)
    assert branch["episodes"] == branch["measures"]["correct"]["n"] == 2
    told = osler("show", f"{branch['run']}:0").stdout
    assert f"branch of {parent}:1 at 5" in " ".join(told.split())
    before, after = told.split("everything after exchange 5 was played again")
    assert question not in before
    assert question in after
    (row, _) = value(osler("runs", "--json"))["runs"]
    assert row["branch_of"] == f"{parent}:1 at 5"
    assert parent in "".join(osler("runs").stdout.split("branch of")[1].split("│")).replace(" ", "")
    header, episode, _ = exported(osler, branch["run"])
    assert header["configuration"]["branch"]["episode"] == episode["branch"]["episode"]  # type: ignore[index]

    same = value(osler("branch", f"{parent}:1", "--at=5", "--repeats=2", "--json"))["run"]
    assert value(osler("compare", same, branch["run"], "--json"))["difference"]["n_pairs"] == 2
    refused = osler("compare", parent, branch["run"])
    assert refused.exit_code == 1
    assert "no branch" in said(refused)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--at=99",), "exchanges (give 0 (keep nothing) to"),
        (("--at=-1",), "exchanges (give 0 (keep nothing) to"),
        (("--at=2", "--doctor=nobody"), "no doctor is called"),
        (("--at=2", "--consultant=baseline"), "no one sat there"),
        (("--at=2", "--say", " "), "not valid text"),
        (("--at=2", "--store=gone.db"), "no store here"),
        ((), "--at"),
    ],
)
def test_what_cannot_be_branched_is_said_with_its_mend(
    osler: Osler, words: tuple[str, ...], why: str
) -> None:
    value(osler("consult", "library", "--limit=1", "--json"))
    done = osler("branch", "last:0", *words)
    assert done.exit_code in (1, 2)
    assert why in said(done)
    assert len(value(osler("runs", "--json"))["runs"]) == 1
    assert not Path("gone.db").exists()


def test_a_person_takes_over_and_can_read_what_was_said(osler: Osler) -> None:
    value(osler("consult", "library", "--limit=1", "--json"))
    lines = ["/history", "Do you smoke?", "/done Acute inferior STEMI", "", "", "aspirin", ""]
    done = osler("branch", "last:0", "--at=4", "--doctor=person", input="\n".join(lines) + "\n")
    assert done.exit_code == 0, done.stderr
    assert "/history shows what has been said so far" in said(done)
    assert "Right: Acute inferior STEMI" in done.stdout
    assert "Do you smoke?" in osler("show", "last:0").stdout


def test_a_model_is_not_asked_again_for_what_is_kept_nor_paid_for_twice(osler: Osler, url: str) -> None:
    configure(url, price_in=1.0, price_out=2.0)
    parent = value(osler("consult", "library", *MODELS, *SHORT[1:], "--json"))
    whole = value(osler("show", f"{parent['run']}:0", "--json"))
    reset(url)
    at = len(whole["exchanges"])
    all_kept = value(osler("branch", f"{parent['run']}:0", f"--at={at}", "--json"))
    assert stats(url)["requests"] == 0
    assert all_kept["usage"] == {}
    one = value(osler("branch", f"{parent['run']}:0", "--at=4", "--doctor=baseline", "--json"))
    assert set(one["usage"]) <= {"patient", "examination"}
    asked = sum(row["fake"]["calls"] for row in one["usage"].values())
    assert asked == stats(url)["requests"] > 0
    kept = value(osler("show", f"{one['run']}:0", "--json"))["exchanges"][:4]
    assert kept == whole["exchanges"][:4]


def test_a_branch_that_is_stopped_is_resumed_with_what_it_keeps(osler: Osler) -> None:
    value(osler("consult", "library", "--limit=1", "--json"))
    whole = value(osler("show", "last:0", "--json"))
    stopped = osler("branch", "last:0", "--at=6", "--doctor=person", input="Do you smoke?\n/quit\n")
    assert stopped.exit_code == 130
    lines = ["/done Acute inferior STEMI", "", "", "aspirin", ""]
    done = osler("resume", "last", input="\n".join(lines) + "\n")
    assert done.exit_code == 0, done.stderr
    episode = value(osler("show", "last:0", "--json"))
    assert episode["exchanges"][:6] == whole["exchanges"][:6]
    assert episode["exchanges"][6]["reply"]["question"] == "Do you smoke?"
