"""`osler rubric` as a user meets it: the store and the runs are real, the endpoint is fake."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import Result

from osler.store.store import open_store
from osler.text.transcripts import transcript_in
from tests.cases.rubrics.samples import CHEST_PAIN, published_of, write
from tests.cli.commands import Osler, value
from tests.endpoints import running

ITEMS = sum(map(len, CHEST_PAIN.values()))


def refused(done: Result) -> str:
    """What is said on the way to exit code 1."""
    assert done.exit_code == 1
    assert "Traceback" not in done.output
    return " ".join(done.stderr.split())


def test_import_lint_and_export(osler: Osler) -> None:
    write(Path("in"), published_of())
    write(Path("in"), published_of(scenario="scenario2", items={}))
    Path("in/zero.json").touch()
    found = value(osler("rubric", "import", "in", "--out", "out", "--json"))
    assert (found["read"], found["imported"], found["empty"], found["rejected"]) == (3, 1, 1, 1)
    assert found["items"] == ITEMS
    assert found["items_by_competency"]["PC"] == len(CHEST_PAIN["PC"])
    assert {"file": "zero.json", "kind": "rejected", "reason": "the file is empty (0 bytes)"} in found[
        "reasons"
    ]
    only_read = value(osler("rubric", "import", "in", "--json"))
    assert only_read["items_by_competency"] == found["items_by_competency"]
    assert (only_read["imported"], only_read["empty"], only_read["rejected"]) == (1, 1, 1)
    linted = value(osler("rubric", "lint", "out", "--json"))
    assert linted["counts"] | {"negative": 3, "level": 3, "empty": 1} == linted["counts"]
    shown = osler("rubric", "lint", "out", "--show", "negative")
    assert shown.stdout.count("negative: Administers") == 1
    assert value(osler("rubric", "export", "out", "--out", "back", "--json"))["written"] == 2
    assert json.loads(Path("back/cardiology-01_scenario1.json").read_text()) == published_of()


def test_what_cannot_be_done_is_said(osler: Osler) -> None:
    Path("empty").mkdir()
    Path("bad.json").write_text("{")
    assert "no such file" in refused(osler("rubric", "import", "none", "--out", "out"))
    assert "holds no JSON file" in refused(osler("rubric", "lint", "empty"))
    assert "ends too early" in refused(osler("rubric", "lint", "bad.json"))
    assert "is inside the folder" in refused(osler("rubric", "import", "bad.json", "--out", "."))
    assert osler("rubric", "import", "bad.json", "--out", "out").exit_code == 1
    assert "no kind" in refused(osler("rubric", "lint", "bad.json", "--show", "x"))


def test_a_stored_run_is_judged_once_summed_up_and_written_for_other_tools(osler: Osler) -> None:
    write(Path("rubrics"), published_of())
    osler("consult", "library", "--limit", "2", "--repeats", "2", "--seed", "1", "--json")
    found = value(osler("rubric", "judge", "last", "--rubric", "rubrics", "--out", "files", "--json"))
    assert (found["judged"], found["episodes"], found["without_rubric"], found["files"]) == (2, 2, 2, 2)
    assert found["completion_micro"].keys() >= {"value", "low", "high", "n", "unscored", "clusters"}
    assert found["completion_micro"]["clusters"] == 1
    assert list(found["by_competency"]) == ["PC", "MK", "SBP", "ICS", "PBLI", "PROF"]
    assert found["by_competency"]["PBLI"]["completion_micro"]["value"] is None
    file = next(Path("files").glob("*/final_evaluation_frozen_rubric.json"))
    summary = json.loads(file.read_text())["_score_summary"]
    assert summary["total_items"] == ITEMS
    again = value(osler("rubric", "judge", "last", "--rubric", "rubrics", "--json"))
    assert again["judged"] == 0
    assert again["completion_micro"] == found["completion_micro"]
    assert "rubric:lexical" in osler("show", "last:0", "--grader", "rubric:lexical").stdout


def test_a_corrected_side_file_is_another_version_and_keeps_the_earlier_judgement(osler: Osler) -> None:
    write(Path("in"), published_of())
    osler("rubric", "import", "in", "--out", "rubrics")
    osler("consult", "library", "--limit", "1", "--seed", "1", "--json")
    first = value(osler("rubric", "judge", "last", "--rubric", "rubrics", "--json"))
    side = Path("rubrics/cardiology-01_scenario1.yaml")
    side.write_text(side.read_text().replace("weight: 1.0", "weight: 5.0", 4))
    second = value(osler("rubric", "judge", "last", "--rubric", "rubrics", "--json"))
    assert second["judged"] == 1
    assert second["net"]["value"] != first["net"]["value"]
    assert second["completion_micro"] == first["completion_micro"]
    with open_store("osler.db") as store:
        graders = store.graders(store.run("last").id)
    assert {(*first["versions"],), (*second["versions"],)} == {
        (version,) for grader, version in graders if grader == "rubric:lexical"
    }


def test_one_rubric_for_every_case_only_if_asked_for(osler: Osler) -> None:
    file = str(write(Path("rubrics"), published_of("elsewhere")))
    osler("consult", "library", "--limit", "2", "--seed", "1", "--json")
    assert "--any-case" in refused(osler("rubric", "judge", "last", "--rubric", file))
    found = value(osler("rubric", "judge", "last", "--rubric", file, "--any-case", "--json"))
    assert (found["episodes"], found["completion_micro"]["clusters"]) == (2, 2)
    for scenario in ("scenario1", "scenario2"):
        write(Path("rubrics"), published_of("cardiology-01", scenario))
    assert "has 2 rubrics" in refused(osler("rubric", "judge", "last", "--rubric", "rubrics"))
    assert "3 rubrics" in refused(osler("rubric", "judge", "last", "--rubric", "rubrics", "--any-case"))
    assert "no judge" in refused(
        osler("rubric", "judge", "last", "--rubric", file, "--any-case", "--judge", "gut")
    )


def test_who_does_nothing_scores_next_to_nothing(osler: Osler) -> None:
    write(Path("rubrics"), published_of())
    osler("consult", "library", "--limit", "1", "--doctor", "null", "--max-turns", "3", "--json")
    found = value(osler("rubric", "judge", "last", "--rubric", "rubrics", "--json"))
    assert found["net"]["value"] == 0
    assert found["completion_micro"]["value"] == pytest.approx(1 / ITEMS, abs=1e-6), "what is left undone"


def test_a_model_judges_and_one_that_played_needs_leave(osler: Osler) -> None:
    write(Path("rubrics"), published_of())
    osler("consult", "library", "--limit", "1", "--seed", "1", "--json")
    with running() as url:
        table = {"base_url": url, "model": "fake-model"}
        lines = [f"{name} = {json.dumps(held)}" for name, held in table.items()]
        Path("osler.toml").write_text("\n".join(["[endpoints.fake]", *lines, ""]))
        judged = ("rubric", "judge", "last", "--rubric", "rubrics", "--judge", "model:fake", "--json")
        found = value(osler(*judged, "--batch", "5", "--repeats", "2"))
        assert (found["judge"], found["judged"], found["agreement"]) == ("rubric:model:fake", 1, 1)
        assert found["completion_micro"]["n"] + found["completion_micro"]["unscored"] == 1
        osler("consult", "library", "--limit", "1", "--doctor", "model:fake", "--max-turns", "3", "--json")
        assert "also a player" in refused(osler(*judged))
        assert "models tend to favour" in value(osler(*judged, "--same-endpoint-allowed"))["warning"]


def test_a_published_transcript_is_judged_without_a_store(osler: Osler) -> None:
    file = str(write(Path("rubrics"), published_of()))
    entries = [
        {"role": "examinee", "content": "Hello, when did the pain begin?"},
        {"role": "examinee_actions", "content": "Electrocardiogram"},
    ]
    transcript = str(write(Path("run"), entries, "transcript.json"))
    found = value(osler("rubric", "judge", transcript, "--rubric", file, "--out", "files", "--json"))
    held = {item["text"]: item["holds"] for item in found["items"]}
    assert held["Asks when the pain began"]
    assert held["Orders an electrocardiogram (critical action)"]
    assert not held["Orders a troponin"]
    assert Path("files/final_evaluation_frozen_rubric.json").exists()
    assert not Path("osler.db").exists()
    assert "turn 1: Electrocardiogram" in osler("rubric", "judge", transcript, "--rubric", file).stdout
    for text, reason in (
        ("[", "not a JSON file"),
        ("{}", "is not a transcript"),
        ('[{"role": "x", "content": ""}]', "'x'"),
    ):
        Path("bad.json").write_text(text)
        assert reason in refused(osler("rubric", "judge", "bad.json", "--rubric", file))


def test_other_readers_of_a_run_are_not_troubled_by_its_rubric_judgements(osler: Osler) -> None:
    write(Path("rubrics"), published_of())
    before = value(osler("consult", "library", "--limit", "1", "--seed", "1", "--json"))
    osler("rubric", "judge", "last", "--rubric", "rubrics")
    after = value(osler("runs", "summary", "last", "--json"))
    assert after["measures"]["correct"] == before["measures"]["correct"]
    assert osler("report", "last", "--out", "report.html").exit_code == 0
    assert osler("export", "last", "--out", "run.jsonl").exit_code == 0
    assert "rubric:lexical" in Path("run.jsonl").read_text()


def test_the_page_about_rubrics_does_what_it_says(osler: Osler) -> None:
    page = (Path(__file__).parents[2] / "docs" / "rubrics.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    write(Path("rubrics"), json.loads(example))
    (interview,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    Path("interview.txt").write_text(interview)
    commands = [
        line for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL) for line in block.splitlines()
    ]
    assert len(commands) == 7
    for command in commands:
        done = osler(*shlex.split(command, comments=True)[1:])
        assert done.exit_code == 0, f"{command}: {done.output}"
    side = Path("frozen/cardiology-01_scenario1.yaml").read_text()
    assert side.count("negative: true") == 3
    assert len(list(Path("evaluations").glob("*/*.json"))) == 2


def test_a_ward_round_is_not_judged_as_if_its_doctor_had_been_silent(osler: Osler) -> None:
    file = str(write(Path("rubrics"), published_of()))
    assert osler("round", "library", "--limit", "1", "--max-rounds", "1", "--json").exit_code == 0
    assert "ward rounds" in refused(osler("rubric", "judge", "last", "--rubric", file))


TALK = "D: When did the pain begin?\nP: Two hours ago, at rest.\nD: Are you allergic to anything?\nP: No.\n"
OSCE = Path(__file__).parents[3] / "shared" / "data" / "osce"


def test_a_transcript_of_others_is_judged_with_the_roles_of_its_speakers(osler: Osler) -> None:
    file = str(write(Path("rubrics"), published_of()))
    Path("talk.txt").write_text(TALK)
    segments = [{"speaker": row[0], "text": row[2:]} for row in TALK.splitlines()]
    Path("talk.json").write_text(json.dumps({"segments": segments}))
    users = {"D": "assistant", "P": "user"}
    messages = [
        {"role": users[row[0]], "content": [{"type": "text", "text": row[3:]}]} for row in TALK.splitlines()
    ]
    Path("chat.json").write_text(json.dumps({"messages": messages}))
    judged = [
        value(osler("rubric", "judge", talk, file, "--roles", roles, "--json"))
        for talk, roles in (
            ("talk.txt", "D=doctor,P=patient"),
            ("talk.json", "d=examinee, P=sp"),
            ("chat.json", "assistant=doctor,user=patient"),
        )
    ]
    assert judged[0] == judged[1] == judged[2]
    held = {item["text"]: item["holds"] for item in judged[0]["items"]}
    assert held["Asks when the pain began"]
    assert not held["Orders a troponin"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "nothing says who 'D', 'P' are"),
        (["--roles", "D=doctor"], "nothing says who 'P' is; its speakers are 'D', 'P'"),
        (["--roles", "D=Arzt,P=patient"], "there is no role 'Arzt' (known: "),
        (["--roles", "D=patient,P=patient"], "nobody in it is examined"),
        (["--roles", "D=doctor,P=tutor"], "doctor and tutor would be judged as one"),
        (["--roles", "D"], "'D' is not SPEAKER=ROLE"),
    ],
)
def test_a_transcript_whose_speakers_have_no_place_is_refused(
    osler: Osler, given: list[str], why: str
) -> None:
    file = str(write(Path("rubrics"), published_of()))
    Path("talk.txt").write_text(TALK)
    assert why in refused(osler("rubric", "judge", "talk.txt", file, *given))


def test_roles_without_a_transcript_and_a_rubric_named_twice_or_never_are_refused(osler: Osler) -> None:
    file = str(write(Path("rubrics"), published_of()))
    Path("talk.txt").write_text(TALK)
    assert "there is no such file" in refused(osler("rubric", "judge", "last", file, "--roles", "D=doctor"))
    assert "no rubric is named" in refused(osler("rubric", "judge", "talk.txt"))
    assert "two rubrics are named" in refused(osler("rubric", "judge", "talk.txt", file, "--rubric", file))


def test_the_built_in_judge_does_not_judge_a_transcript_in_another_language(osler: Osler) -> None:
    file = str(write(Path("rubrics"), published_of()))
    segments = [{"speaker": "D", "text": "Seit wann haben Sie Schmerzen?"}]
    Path("talk.json").write_text(json.dumps({"segments": segments, "language": "de"}))
    found = value(osler("rubric", "judge", "talk.json", file, "--roles", "D=doctor", "--json"))
    assert {item["holds"] for item in found["items"]} == {None}
    assert found["scores"]["completion"]["reason"] == "not_english"


def test_a_cases_history_rubric_asks_without_telling_the_case(osler: Osler) -> None:
    found = value(osler("rubric", "history", "cardiology-01", "--out", "history.json", "--json"))
    rubric = json.loads(Path("history.json").read_text())
    assert found["items"] == len(rubric["PC"]) > 10
    assert {"Asks about allergies", "Asks about smoking"} <= {*rubric["PC"]}
    assert not any(len(rubric[other]) for other in ("MK", "SBP", "ICS", "PBLI", "PROF"))
    counts = value(osler("rubric", "lint", "history.json", "--json"))["counts"]
    assert not any(counts.values()), "every item is a plain positive one"


@pytest.mark.skipif(not OSCE.is_dir(), reason="the real interviews are not here (../shared/data/osce)")
@pytest.mark.parametrize(("interview", "case"), [("CAR0002", "cardiology-01"), ("RES0054", "respiratory-01")])
def test_a_real_interview_is_judged_by_the_history_of_a_case(interview: str, case: str, osler: Osler) -> None:
    osler("rubric", "history", case, "--out", "history.json")
    talk = str(OSCE / f"{interview}.txt")
    found = value(osler("rubric", "judge", talk, "history.json", "--roles", "D=doctor,P=patient", "--json"))
    held = {item["text"]: item["holds"] for item in found["items"]}
    assert held["Asks when it began and how it went on"]
    assert held["Asks about allergies"]
    assert held["Asks about smoking"]


@pytest.mark.skipif(not OSCE.is_dir(), reason="the real interviews are not here (../shared/data/osce)")
def test_every_real_interview_is_read_with_its_two_speakers() -> None:
    for file in sorted(OSCE.glob("*.txt")):
        found = transcript_in(file, "DP")
        assert {name.upper() for name in found.speakers} == {"D", "P"}, file.name
