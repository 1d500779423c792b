"""The commands as a user meets them: one JSON object on standard output, exit codes, readable refusals."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from typer.testing import CliRunner, Result

from osler.cases.importers.osler_yaml import write_case
from osler.cli.lazy_commands import Later
from osler.cli.main import app
from osler.testing.cases import small_case

Osler = Callable[..., Result]
FIXTURES = Path(__file__).parents[1] / "fixtures"
DATA = Path(__file__).parents[3] / "shared" / "data" / "agentclinic" / "agentclinic_medqa.jsonl"
SUMMARY = {
    *("run", "protocol", "episodes", "clusters", "ended", "ended_because", "causes", "exchanges", "wall_s"),
    *("measures", "headline_bounds", "groups", "graders", "unscored_because", "setup", "label"),
}


@pytest.fixture
def osler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Osler:
    """`osler("consult", "library")` runs a command with a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    return lambda *words, **more: CliRunner().invoke(app, list(words), **more)


def value(done: Result) -> dict[str, Any]:
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 1, "standard output holds one JSON object and nothing else"
    found: dict[str, Any] = json.loads(lines[0])
    return found


def said(done: Result) -> str:
    """What was shown on standard error, without the terminal's line breaks."""
    return " ".join(done.stderr.split())


def test_a_run_from_consult_to_delete(osler: Osler, tmp_path: Path) -> None:
    summary = value(osler("consult", "library", "--limit=5", "--repeats", "2", "--seed", "5", "--json"))
    assert set(summary) >= SUMMARY
    assert summary["episodes"] == 10
    assert summary["measures"]["correct"]["n"] + summary["measures"]["correct"]["unscored"] == 10
    run = summary["run"]

    listed = value(osler("runs", "--json"))["runs"]
    (row,) = listed
    assert row.items() >= {"run": run, "status": "done", "episodes": 10, "done": 10, "branch_of": ""}.items()

    resumed = value(osler("resume", run, "--json"))
    assert {**resumed, "wall_s": 0} == {**summary, "wall_s": 0}

    judged = value(osler("judge", "run", run, "--json"))
    assert judged["judged"] == 10
    assert judged["measures"]["correct"] == summary["measures"]["correct"]

    value(osler("export", run, "--out", "out.jsonl", "--json"))
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert len(lines) == 11
    assert run not in (tmp_path / "out.jsonl").read_text()

    shown = value(osler("show", f"{run}:3", "--json"))
    assert shown == lines[4]
    assert "patient" in osler("show", lines[1]["episode"][:12]).stdout

    value(osler("runs", "delete", run, "--yes", "--json"))
    assert value(osler("runs", "--json"))["runs"] == []


@pytest.mark.parametrize(
    ("doctor", "least", "most"),
    [("null", 0, 0), ("always-conclude", 0, 0.1), ("baseline", 0.5, 1)],
)
def test_the_baselines_mark_the_ends_of_the_scale(
    osler: Osler, doctor: str, least: float, most: float
) -> None:
    found = value(osler("consult", "library", "--doctor", doctor, "--json"))["measures"]["correct"]
    assert found["unscored"] == 0
    assert found["n"] == 30
    assert least <= found["value"] <= most


def test_the_oracle_elicits_every_key_fact_and_finding_of_the_library(osler: Osler) -> None:
    found = value(osler("consult", "library", "--doctor", "oracle", "--json"))["measures"]
    assert (found["correct"]["value"], found["correct"]["n"]) == (1.0, 30)
    assert found["fact_coverage"]["value"] == 1.0
    assert found["finding_coverage"]["value"] == 1.0
    assert found["exam_recall"]["value"] == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("doctor", ["oracle", "null", "always-conclude", "baseline"])
def test_real_imported_cases_are_consulted_and_scored(osler: Osler, doctor: str) -> None:
    if not DATA.exists():
        pytest.skip(f"{DATA.name} is not here")
    found = value(osler("consult", str(DATA), "--doctor", doctor, "--json"))
    assert found["episodes"] == found["measures"]["correct"]["n"] == 107
    limits = {"oracle": (1.0, 1.0), "null": (0.0, 0.0), "always-conclude": (0.0, 0.1), "baseline": (0.0, 1.0)}
    low, high = limits[doctor]
    assert low <= found["measures"]["correct"]["value"] <= high


def test_importing_says_what_was_read_and_why_something_was_not(osler: Osler, tmp_path: Path) -> None:
    good = (FIXTURES / "agentclinic_small.jsonl").read_text().splitlines()
    (tmp_path / "good.jsonl").write_text("\n".join(good))
    before = value(osler("cases", "import", "good.jsonl", "--out", "good", "--json"))
    (tmp_path / "cases.jsonl").write_text("\n".join([*good, '{"OSCE_Examination": {"cut off', "[1, 2]"]))
    found = value(osler("cases", "import", "cases.jsonl", "--out", "imported", "--json"))
    assert found["read"] == len(good) + 2
    assert found["rejected"] == before["rejected"] + 2
    rejected = {reason["record"] for reason in found["reasons"] if reason["kind"] == "rejected"}
    assert rejected >= {len(good) + 1, len(good) + 2}
    assert value(osler("consult", "imported", "--json"))["episodes"] == found["imported"]


def test_listing_showing_and_linting_the_library(osler: Osler) -> None:
    cases = value(osler("cases", "list", "library", "--json"))["cases"]
    assert len(cases) == 30
    for case in cases[::6]:
        shown = value(osler("cases", "show", case["id"], "--json"))
        assert shown["hash"] == case["hash"]
    assert value(osler("cases", "lint", "library", "--json"))["errors"] == 0


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("consult", "no-such-file"), 1, "no such source"),
        (("consult", "."), 1, "holds no case files"),
        (("consult", "library", "--doctor", "nobody"), 1, "known: always-conclude,"),
        (("consult", "library", "--doctor", "scripted"), 1, "write scripted:FILE"),
        (("consult", "library", "--doctor", "scripted:missing.json"), 1, "missing.json"),
        (("consult", "library", "--persona", "angry"), 1, "plain"),
        (("consult", "library", "--unknown", "guess"), 2, "'standard'"),
        (("consult", "library", "--unknown", "synthesize"), 1, "--synthesizer model:NAME"),
        (("consult", "generated:10"), 1, "write generated:N:SEED"),
        (("consult", "library", "--repeats", "0"), 2, "--repeats"),
        (("play",), 2, "CASE"),
        (("run", "seance"), 2, "known: consultation, ward_round, scenario"),
        (("dance",), 2, "No such command"),
        (("resume", "last"), 1, "no store here"),
        (("show", "last:0"), 1, "no store here"),
        (("cases", "import", ".", "--out", "o"), 1, "folder"),
        (("cases", "import", "gone.jsonl", "--out", "o"), 1, "gone.jsonl"),
        (("cases", "show", "cardiology-99"), 1, "cardiology-99"),
        (("play", "library", "--as", "nurse"), 2, "'doctor'"),
        (("export", "last", "--out", "x", "--format", "csv"), 1, "jsonl"),
    ],
)
def test_bad_input_is_refused_in_words_and_never_with_a_traceback(
    osler: Osler, words: tuple[str, ...], code: int, why: str
) -> None:
    done = osler(*words)
    assert done.exit_code == code, done.output
    assert why in said(done)
    assert done.stdout == ""
    assert "Traceback" not in done.output


def test_a_changed_case_file_is_not_resumed_as_if_nothing_had_happened(osler: Osler, tmp_path: Path) -> None:
    path = write_case(small_case(), tmp_path / "mine")
    run = value(osler("consult", "mine", "--json"))["run"]
    path.write_text(path.read_text().replace("five days ago", "six days ago"))
    done = osler("resume", run)
    assert done.exit_code == 1
    assert "have changed since" in said(done)


def test_a_person_plays_the_doctor_and_sees_what_was_missed(osler: Osler) -> None:
    lines = [
        "/help",
        "When did it start?",
        "/test ECG",
        "/wait",
        "/left",
        "/history",
        "/ddx STEMI 80; GORD 5",
    ]
    lines += ["/done inferior STEMI", "80", "ST elevation", "aspirin; primary PCI", "admit to coronary care"]
    done = osler("play", "cardiology-01", "--as", "doctor", input="\n".join(lines) + "\n")
    assert done.exit_code == 0, done.stderr
    assert "two and a half hours ago" in said(done)
    assert "ST elevation in II" in said(done)
    assert done.stdout.startswith("Right: inferior STEMI")
    assert "Next time" in done.stdout
    assert "reads words, not meaning" in " ".join(done.stdout.split())
    command = next(line for line in done.stderr.splitlines() if "--debrief" in line).partition("osler ")[2]
    whole = osler(*command.split())
    assert "Key facts and findings you did not obtain" in whole.stdout
    assert "What the case teaches" in whole.stdout
    kept = value(osler(*command.split(), "--json"))["debrief"]
    assert kept["sentence"].startswith("Right: inferior STEMI")
    assert kept["moments"]
    assert kept["sections"][0]["entries"]


def test_a_person_plays_the_patient(osler: Osler) -> None:
    answers = ["/facts", *["It came on two hours ago, a heavy pressure behind the breastbone."] * 40]
    done = osler("play", "cardiology-01", "--as", "patient", "--json", input="\n".join(answers) + "\n")
    found = value(done)
    assert found["episodes"] == 1
    assert "You know:" in done.stderr


def test_a_person_who_leaves_can_come_back(osler: Osler) -> None:
    first = osler("play", "cardiology-01", input="When did it start?\n/quit\n")
    assert first.exit_code == 130
    assert "osler resume" in first.stderr
    lines = ["/done STEMI", "", "", "", ""]
    second = osler("resume", "last", "--json", input="\n".join(lines) + "\n")
    assert value(second)["episodes"] == 1
    assert "two and a half hours ago" in said(second)


def test_who_comes_back_gets_the_debrief_too(osler: Osler) -> None:
    osler("play", "cardiology-01", input="When did it start?\n/quit\n")
    done = osler("resume", "last", input="\n".join(["/done inferior STEMI", "", "", "aspirin", ""]) + "\n")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("Right: inferior STEMI")
    assert "Next time" in done.stdout


def test_a_store_named_before_delete_is_the_one_deleted_from(osler: Osler) -> None:
    value(osler("consult", "library", "--json"))
    value(osler("consult", "library", "--store", "other.db", "--json"))
    value(osler("runs", "--store", "other.db", "delete", "last", "--yes", "--json"))
    assert value(osler("runs", "--store", "other.db", "--json"))["runs"] == []
    assert len(value(osler("runs", "--json"))["runs"]) == 1


def test_a_run_that_cannot_begin_leaves_nothing_behind(osler: Osler) -> None:
    for words in (("--persona", "angry"), ("--doctor", "scripted:gone.yaml")):
        assert osler("consult", "library", *words).exit_code == 1
    assert value(osler("runs", "--json"))["runs"] == []


def test_an_export_writes_to_a_pipe_or_through_a_link_and_replaces_neither(
    osler: Osler, tmp_path: Path
) -> None:
    value(osler("consult", "library", "--limit", "1", "--json"))
    (tmp_path / "real.jsonl").write_text("old")
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    value(osler("export", "last", "--out", "link.jsonl", "--json"))
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "real.jsonl").read_text().startswith("{")
    assert osler("export", "last", "--out", "").exit_code == 1


def test_a_case_is_shown_as_yaml_that_can_be_read_back(osler: Osler, tmp_path: Path) -> None:
    shown = osler("cases", "show", "cardiology-01").stdout
    assert yaml.safe_load(shown)["id"] == "cardiology-01"


def test_records_that_cannot_be_read_are_named_by_list_and_lint(osler: Osler, tmp_path: Path) -> None:
    good = (FIXTURES / "agentclinic_small.jsonl").read_text().splitlines()[0]
    (tmp_path / "w.jsonl").write_text(good + '\n{"OSCE_Examination": 3}\n')
    listed = osler("cases", "list", "w.jsonl", "--json")
    assert value(listed)["rejected"] == 1
    assert "record 2 rejected" in said(listed)
    assert osler("cases", "lint", "w.jsonl").exit_code == 1


def test_to_a_patient_the_score_is_said_of_the_doctor(osler: Osler) -> None:
    done = osler("play", "surgery-01", "--as", "patient", input="It hurts low down on the right.\n" * 60)
    assert done.exit_code == 0, done.stderr
    assert "the doctor named a decisive step" in " ".join(done.stdout.split())
    assert "you named" not in done.stdout


def every_command(group: Any, *names: str) -> Iterator[tuple[str, Any]]:
    """Each command of the program by its words."""
    for name, one in group.commands.items():
        found = one.imported() if isinstance(one, Later) else one
        if hasattr(found, "commands"):
            yield from every_command(found, *names, name)
        else:
            yield " ".join((*names, name)), found


def test_every_command_takes_json() -> None:
    found = dict(every_command(typer.main.get_command(app)))
    assert "train serve" in found
    assert [name for name, one in found.items() if "as_json" not in {each.name for each in one.params}] == []


def test_the_list_of_studies_has_every_one_that_can_be_run_by_name(osler: Osler) -> None:
    studies = {study["name"]: study for study in value(osler("study", "list", "--json"))["studies"]}
    assert {"mdt", "tutors", "longitudinal"} <= studies.keys()
    assert studies["longitudinal"]["conditions"] == ["none", "memory", "wrong", "oracle", "small"]
    assert "longitudinal" in osler("study", "list").stdout
