"""Protocols written outside Osler as docs/protocols.md teaches it: the short one of the page, and a
hand-over, which does all that ours do."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.store.store import open_store
from tests.endpoints import running
from tests.handover import CASES, ROOT, entry_points, files, importable, installed, on_the_page
from tests.plugged import laid_out
from tests.test_readme import blocks

MOST_LINES: Final = 250
SECTIONS: Final = ("situation", "background", "assessment", "recommendation")
OSLER: Final = str(Path(sys.executable).with_name("osler"))
Osler = Callable[..., Any]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The package's folder; this process finds it."""
    with installed(tmp_path_factory.mktemp("site") / "packages") as folder:
        yield folder


@pytest.fixture
def osler(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Osler:
    """`osler("run", ...)` runs a command in a folder of its own and returns the JSON that it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OSLER_CONFIG", raising=False)
    monkeypatch.delenv("OSLER_STORE", raising=False)

    def run(*words: str, **more: Any) -> Any:
        done = invoked(*words, "--json", **more)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    return run


def invoked(*words: str, **more: Any) -> Result:
    return CliRunner().invoke(app, list(words), catch_exceptions=False, **more)


def case(name: str) -> str:
    """The file of one of the cases that stand beside the tests."""
    return str(CASES / f"{name}.yaml")


def exported(osler: Osler, run: str, name: str = "out.jsonl") -> bytes:
    osler("export", run, "--out", name)
    return Path(name).read_bytes()


def value(found: dict[str, Any], measure: str = "completeness") -> float:
    shown = found["measures"][measure]["value"]
    assert isinstance(shown, float)
    return shown


def test_the_short_protocol_of_the_page_runs_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = on_the_page()
    monkeypatch.chdir(tmp_path)
    Path("callers.yaml").write_text(page["callers.yaml"])
    package = {"triage.py": page["triage.py"]}
    laid_out(tmp_path / "packages", "triage", package, entry_points(page["pyproject.toml"]))
    with importable(tmp_path / "packages", "triage"):
        done = invoked("run", "triage", "callers.yaml")
        assert done.exit_code == 0, done.output
        assert re.search(r"right\W+33\.3", done.stdout)
        shown = invoked("show", "last:0")
        assert "nurse now" in " ".join(shown.stdout.split()), shown.output
        words = ("run", "triage", "callers.yaml", "--seat", "nurse=person", "--limit", "1")
        assert invoked(*words, input="now\n").exit_code == 0


def test_what_the_page_quotes_of_the_long_protocol_stands_in_it() -> None:
    quoted = blocks("docs/protocols.md", "python")
    assert quoted
    assert [block for block in quoted if block not in files()["handover.py"]] == []


@pytest.mark.slow
def test_it_is_short_formatted_typed_and_names_no_part_of_osler_but_the_public_one(package: Path) -> None:
    code = files()["handover.py"]
    assert len(code.splitlines()) <= MOST_LINES
    assert [line for line in code.splitlines() if "osler" in line and "import" in line] == ["import osler"]
    given = [str(package / "handover.py")]
    for command in (
        ["ruff", "format", "--check", "--line-length", "110", *given],
        ["ruff", "check", "--line-length", "110", *given],
        ["mypy", "--strict", "--config-file", "", *given],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            capture_output=True,
            text=True,
            cwd=package,
            env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_of_osler_knows_of_it() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        assert "SBAR" not in path.read_text("utf-8"), path


def test_the_oracle_hands_everything_over_and_who_says_nothing_hands_over_nothing(osler: Osler) -> None:
    found = osler("run", "handover", "--seat", "giver=oracle,null,repeat-everything,baseline")
    oracle, null, repeats, baseline = found["runs"]
    assert {name: each["value"] for name, each in oracle["measures"].items()} == {
        **dict.fromkeys(("completeness", "critical", *SECTIONS, "read_back"), 1.0),
        "turns": 4.0,
        "questions": 0.0,
    }
    assert value(null) == 0.0
    assert null["measures"]["questions"]["value"] == 4.0
    assert null["measures"]["read_back"] == {"value": None, "low": None, "high": None, "n": 0, "unscored": 6}
    assert value(repeats) < value(baseline) < 1.0
    assert all(one["ended"] == {"completed": 6} and one["exchanges"] > 0 for one in found["runs"])


def test_a_question_gets_an_answer_and_the_read_back_is_of_what_was_heard(osler: Osler) -> None:
    said = ["He is worse.", "Nothing to report.", "Bleeding.", "Call.", "Day 1 after a right hemicolectomy."]
    Path("giver.yaml").write_text("\n".join(f"- text: {text}" for text in said))
    osler("run", "handover", case("postop-deteriorating"), "--seat", "giver=scripted:giver.yaml")
    shown = osler("show", "last:0")
    replies = [(row["seat"], row["reply"]["text"]) for row in shown["exchanges"]]
    assert replies[4:6] == [("receiver", "Is there anything on the background?"), ("giver", said[4])]
    scores = shown["judgements"]["sbar"]["scores"]
    assert scores["background"]["evidence"] == [{"item": "operation", "quote": said[4].rstrip(".")}]
    assert scores["background"]["reason"] == "missing: allergy"
    assert scores["read_back"]["value"] == 1.0
    assert scores["critical"]["value"] == pytest.approx(1 / 6)


def test_words_under_the_wrong_heading_hand_nothing_over(osler: Osler) -> None:
    said = ["Glucose was 3.4 and is 5.1, she vomited.", "Her dog.", "She is fine.", "See above."]
    for name, order in (("right", said), ("wrong", [*said[1:], said[0]])):
        Path(f"{name}.yaml").write_text("\n".join(f"- text: {text}" for text in order))
    found = osler(
        "run",
        "handover",
        case("hypoglycaemia-risk"),
        "--seat",
        "giver=scripted:right.yaml,scripted:wrong.yaml",
    )
    assert [value(one, "situation") for one in found["runs"]] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("seat", "script", "ended"),
    [
        ("giver", "- text: ''\n" * 3, "invalid_play"),
        ("receiver", "- {}\n" * 3, "simulator_fault"),
        ("receiver", "- text: And?\n" * 9, "out_of_turns"),
    ],
)
def test_who_does_not_play_along_ends_it_as_in_every_protocol(
    osler: Osler, seat: str, script: str, ended: str
) -> None:
    Path("said.yaml").write_text(script)
    found = osler("run", "handover", "--limit", "1", "--seat", f"{seat}=scripted:said.yaml")
    assert found["ended"] == {ended: 1}
    spoilt = ended == "simulator_fault"
    assert found["measures"]["completeness"]["unscored"] == spoilt


@pytest.mark.slow
def test_killed_and_resumed_it_is_the_same_byte_for_byte(osler: Osler, package: Path, tmp_path: Path) -> None:
    words = ("run", "handover", "library", "--repeats", "150", "--seed", "3")
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{package}"}
    process = subprocess.Popen([OSLER, *words], cwd=tmp_path, env=env, stderr=subprocess.DEVNULL)
    while not _played(tmp_path):
        assert process.poll() is None, "the run was over before it could be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = osler("runs")["runs"][0]
    assert 0 < before["done"] < before["episodes"] == 900
    assert osler("resume", "last")["episodes"] == 900
    resumed = exported(osler, "last")
    osler(*words)
    assert exported(osler, "last") == exported(osler, "last", "again.jsonl") == resumed


def _played(folder: Path) -> int:
    with open_store(folder / "osler.db") as store:
        return sum(run.done for run in store.runs())


def test_a_branch_goes_on_with_another_giver(osler: Osler) -> None:
    osler("run", "handover", case("postpartum-watch"), "--seat", "giver=null")
    branch = osler("branch", "last:0", "--at", "2", "--seat", "giver=oracle")
    assert branch["ended"] == {"completed": 1}
    assert value(branch) == 1.0
    assert value(branch, "questions") == 2.0, "of what the kept giver left out, in the first two sections"
    refused = invoked("branch", "last:0", "--at", "1", "--say", "Hello")
    assert refused.exit_code == 1
    assert "the giver of hand-overs cannot be given words" in " ".join(refused.stderr.split())


def test_judging_again_changes_nothing_and_names_the_judge(osler: Osler) -> None:
    osler("run", "handover", "--limit", "2")
    before = exported(osler, "last")
    again = osler("judge", "run", "last")
    assert again["judged"] == 2
    assert exported(osler, "last") == before


def test_runs_are_compared_and_whoever_is_handed_the_answer_is_refused(osler: Osler) -> None:
    found = osler("run", "handover", "--seat", "giver=null,baseline,oracle")
    null, baseline, oracle = (one["run"] for one in found["runs"])
    (line,) = osler("compare", null, baseline, "--score", "completeness")["comparisons"]
    assert (line["a"], line["b"], line["score"]) == (null, baseline, "completeness")
    assert line["difference"]["value"] == pytest.approx(value(found["runs"][1]))
    assert line["difference"]["n_pairs"] == 6
    refused = invoked("compare", baseline, oracle)
    assert refused.exit_code == 1
    assert "the giver of" in refused.stderr
    assert "privileged" in refused.stderr


def test_it_is_reported_as_a_page_and_as_tables(osler: Osler) -> None:
    found = osler("run", "handover", "--seat", "giver=null,baseline")
    names = [one["run"] for one in found["runs"]]
    osler("report", *names, "--out", "report.html", "--tables", "tables")
    page = Path("report.html").read_text("utf-8")
    assert all(name in page for name in names)
    assert "share of the critical items" in page
    with (Path("tables") / "scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {"completeness", *SECTIONS, "read_back"} <= {row["score"] for row in rows}


def test_a_study_compares_conditions_of_it(osler: Osler) -> None:
    study = {
        "name": "forgetting",
        "title": "Forgetting",
        "question": "What does a reminder cost?",
        "protocol": "handover",
        "conditions": {"forgets": {"giver": "baseline"}, "silent": {"giver": "null"}},
        "primary": {"figure": "completeness", "condition": "forgets", "against": "silent"},
    }
    Path("study.yaml").write_text(json.dumps(study))
    found = osler("study", "run", "study.yaml", "--cases", "library", "--seed", "1")
    assert found["primary"]["figure"] == "completeness"
    assert found["primary"]["value"] > 0.5


def test_it_is_validated_and_a_dry_run_weighs_it(osler: Osler) -> None:
    found = osler("validate", "library", "--protocol", "handover")
    assert found["players"]["null"]["value"] == 0.0
    assert found["players"]["oracle"]["value"] == 1.0
    assert found["checklist"]["oracle_reaches_100"] == 2
    assert osler("run", "handover", "--dry-run")["disk"]["bytes"] > 0


def test_fail_under_reads_its_headline(osler: Osler) -> None:
    for least, code in (("0.5", 0), ("0.99", 4)):
        assert invoked("run", "handover", "--fail-under", least).exit_code == code


def test_a_model_gives_and_receives_and_may_be_asked_several_times(osler: Osler) -> None:
    rules: list[dict[str, Any]] = [
        {"match": {"schema_name": "giver_reply"}, "reply": {"text": "GCS 15, he fell at 15:40 on his head."}},
        {
            "match": {"schema_name": "receiver_reply"},
            "reply": {"text": "GCS 15, he fell.", "is_read_back": True},
        },
    ]
    with running(script=rules) as url:
        endpoint = {"base_url": url, "model": "fake-model"}
        Path("osler.toml").write_text(
            "\n".join(
                ["[endpoints.fake]", *(f"{name} = {json.dumps(said)}" for name, said in endpoint.items())]
            )
        )
        words = ("run", "handover", case("head-injury-anticoagulated"), "--seat", "receiver=model:fake")
        found = osler(*words, "--seat", "giver=model:fake")
        assert found["ended"] == {"completed": 1}
        assert value(found, "situation") == 1.0
        assert found["usage"]["giver"]["fake"]["calls"] == 4
        wrapped = osler(*words, "--seat", "giver=model:fake+self-consistency:2")
        assert wrapped["ended"] == {"completed": 1}
        assert wrapped["usage"]["giver"]["fake"]["calls"] == 8
        assert osler(*words, "--seat", "giver=model:fake", "--dry-run")["episodes"] == 1


def test_a_person_gives_it_line_by_line(osler: Osler) -> None:
    said = ["She vomited, no supper; 3.4, now 5.1.", "Type 1, degludec.", "She may go low again.", "Hourly."]
    lines = "\n".join([said[0], "", "/history", *said[1:], ""])
    words = ("run", "handover", case("hypoglycaemia-risk"), "--seat", "giver=person")
    done = invoked(*words, input=lines)
    assert done.exit_code == 0, done.output
    shown = osler("show", "last:0")
    assert shown["exchanges"][0]["reply"]["text"] == said[0]
    assert [row["seat"] for row in shown["exchanges"]] == ["giver"] * 4 + ["receiver"]
    assert shown["judgements"]["sbar"]["scores"]["assessment"]["value"] == 1.0


def test_what_is_wrong_is_said_in_words(osler: Osler) -> None:
    for words, said in (
        (("--seat", "giver=nobody"), "no giver is called 'nobody'"),
        (("--seat", "doctor=baseline"), "there is no seat 'doctor' in hand-overs"),
        (("--seat", "giver=baseline+memory"), "+memory"),
        (("--set", "settings.max_turns=3"), "greater than or equal to 4"),
        (("nowhere",), "there is no such source of cases"),
    ):
        refused = invoked("run", "handover", *words)
        assert refused.exit_code == 1, words
        assert said in " ".join(refused.stderr.split()), refused.stderr


def test_a_process_that_has_not_imported_it_reads_its_events(osler: Osler, package: Path) -> None:
    osler("run", "handover", "--limit", "1")
    code = (
        "from osler.store.store import open_store\n"
        "print([event.kind for event in open_store('osler.db').trace(1, 0).events])"
    )
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{package}"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert "'section_due', 'handed_over'" in done.stdout, done.stderr
