"""Scenarios written as packets, and episodes in the published form: what is written can be read again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from osler.cases.rubrics.reading import read as read_rubric
from osler.cases.scenarios.export import export_packets, packet_files
from osler.cases.scenarios.lint import lint
from osler.cases.scenarios.model import Packet, PacketFile
from osler.cases.scenarios.prose import packet_of
from osler.cases.scenarios.reading import read_subset
from osler.cases.scenarios.sources import open_scenarios
from osler.cli.main import app
from osler.core.trace import Trace
from osler.judging.lines import as_examined, lines_of
from osler.judging.rubric.transcripts import judged_lines
from osler.protocols.scenario.events import Acted, Assessed, StateEntered
from osler.protocols.scenario.protocol import PROTOCOL as SCENARIO
from osler.protocols.scenario.published import action_history, run_manifest, transcript, turns
from osler.text.struck_text import without_struck
from osler.text.transcripts import transcript_of
from tests.protocols.scenario.packets import CASES, RUBRICS, SMALL, tree
from tests.protocols.scenario.playing import move, played, small

runner = CliRunner()
FILES = ("transcript.json", "turns.json", "action_history.json", "run_manifest.json")


def run(*words: str) -> dict[str, Any]:
    done = runner.invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    value: dict[str, Any] = json.loads(done.stdout)
    return value


# Packets


def test_packets_are_written_back_as_they_were_in_content(tmp_path: Path) -> None:
    done = run("scenario", "export", str(CASES), "--out", str(tmp_path))
    assert (done["written"], done["rubrics"], done["rejected"]) == (3, 3, 3)
    renamed = {"SP": "sp_actor", "environment": "environment_controller"}
    for scenario in open_scenarios(str(CASES)):
        source, target = CASES / scenario.id, tmp_path / scenario.id
        kept = {
            "/".join(renamed.get(part, part) for part in name.split("/")): without_struck(text)
            for name, text in tree(source).items()
            if not name.endswith((".png", ".hidden.md"))
        }
        assert tree(target) == kept
    for rubric in RUBRICS.iterdir():
        assert json.loads((tmp_path / "rubrics" / rubric.name).read_text()) == json.loads(rubric.read_text())


def test_what_is_exported_is_imported_again_and_exported_the_same(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for source, out in ((CASES, first), (first, second)):
        export_packets(open_scenarios(str(source)), out, "same")
    assert tree(first) == tree(second)
    before, after = (list(open_scenarios(str(folder))) for folder in (CASES, first))
    assert [one.packet for one in before] == [one.packet for one in after]
    assert [one.items for one in before] == [one.items for one in after]
    assert [one.age_years for one in before] == [one.age_years for one in after]


def test_a_manifest_and_a_subset_name_what_was_written(tmp_path: Path) -> None:
    export_packets(open_scenarios(str(CASES)), tmp_path, "mine")
    subset = read_subset(tmp_path / "subset.json")
    assert subset.name == "mine"
    assert subset.scenarios == read_subset(tmp_path / "manifest.json").scenarios
    assert all((tmp_path / path / "evaluator").is_dir() for path in subset.scenarios)
    chosen = tmp_path / "chosen.json"
    chosen.write_text(json.dumps([subset.scenarios[1]]))
    found = run("scenario", "import", str(tmp_path), "--subset", str(chosen))
    assert (found["read"], found["imported"]) == (1, 1)


def test_a_scenario_with_states_becomes_a_packet_that_can_be_read(tmp_path: Path) -> None:
    done = run("scenario", "export", str(SMALL), "--out", str(tmp_path))
    assert done["scenarios"] == ["small-one/scenario1"]
    source = small()
    again = open_scenarios(str(tmp_path)).get(0)
    assert again.packet == packet_of(source).model_copy(
        update={"files": again.packet.files if again.packet else ()}
    )
    for name in ("title", "age_years", "sex", "urgency", "case_shape", "specialty"):
        assert getattr(again, name) == getattr(source, name)
    assert source.items is not None
    assert again.items is not None
    assert {(item.id, item.traits) for item in again.items.items} == {
        (item.id, item.traits) for item in source.items.items
    }
    published = read_rubric(tmp_path / "rubrics" / "small-one_scenario1.json")
    assert published.version == "v1"
    assert [problem for problem in lint(again) if problem.level == "error"] == []


def test_the_prose_of_each_role_holds_what_is_theirs_and_nothing_that_is_not() -> None:
    packet = packet_of(small())
    assert "1.9 mmol/L" in packet.environment_controller
    assert "12 minutes have passed" in packet.environment_controller
    assert "counting against the examinee" in packet.evaluator
    assert "half a bottle of spirits" in packet.sp_actor
    assert "alone, with nobody else in the room" in packet.sp_actor
    for hidden in ("1.9 mmol", "spirits", "gliclazide", "hypoglyc", "seizure", "small-one", "Nurse Kemp"):
        assert hidden.lower() not in packet.examinee.lower()
    for hidden in ("1.9 mmol", "Symptomatic hypoglycaemia", "check_glucose", "Measures"):
        assert hidden not in packet.sp_actor


def test_nothing_that_stands_there_is_written_over(tmp_path: Path) -> None:
    export_packets([small()], tmp_path, "x")
    assert export_packets([small()], tmp_path, "x").rejected == ()
    strange = tmp_path / "small-one" / "scenario1" / "examinee" / "notes.md"
    strange.write_text("somebody's work")
    done = export_packets([small()], tmp_path, "x")
    assert done.scenarios == ()
    assert "another packet is already there" in done.rejected[0][1]
    strange.unlink()
    changed = small().model_copy(update={"setting": "Elsewhere"})
    assert "a different file is already there" in export_packets([changed], tmp_path, "x").rejected[0][1]


@given(
    st.text(max_size=12)
    | st.sampled_from(["../../up.md", "/etc/x", "a/../../b", ".hidden", "a\\b", "a//b", "."])
)
def test_a_packets_file_names_never_lead_out_of_its_folder(name: str) -> None:
    parts = (PacketFile(role="examinee", name=name, start=0, end=4),)
    packet = Packet(examinee="text", sp_actor="a", environment_controller="b", evaluator="c", files=parts)
    root = Path("/root of packets")
    for path, text in packet_files(packet):
        whole = (root / path).resolve()
        assert whole.is_relative_to(root.resolve() / path.split("/")[0])
        assert text in ("text", "a", "b", "c")
        assert not any(part.startswith(".") for part in Path(path).parts)


def test_importing_writes_files_that_hold_the_packet_and_its_rubric(tmp_path: Path) -> None:
    found = run("scenario", "import", str(CASES), "--out", str(tmp_path / "out"))
    assert (found["read"], found["imported"], found["rejected"], found["written"]) == (6, 3, 3, 3)
    assert (found["with_rubric"], found["items"], found["items_by_competency"]["PC"]) == (2, 6, 3)
    again = list(open_scenarios(str(tmp_path / "out")))
    before = list(open_scenarios(str(CASES)))
    assert [one.content_hash for one in again] == [one.content_hash for one in before]
    repeated = run(
        "scenario", "import", str(CASES), "--rubrics", str(RUBRICS), "--out", str(tmp_path / "out")
    )
    assert repeated["written"] == 3


@pytest.mark.parametrize("what", ["import", "export"])
def test_where_nothing_can_be_read_the_command_fails_in_words(what: str, tmp_path: Path) -> None:
    shutil.copytree(CASES / "mep_2374-8265.90001-s001", tmp_path / "in" / "mep_1")
    out = ["--out", str(tmp_path / "out")]
    done = runner.invoke(app, ["scenario", what, str(tmp_path / "in"), "--format", "medsp1000", *out])
    assert done.exit_code == 1
    assert "not simulatable: It is a lecture" in done.output


# Episodes


@pytest.fixture(scope="module")
def trace() -> Trace:
    return played(
        [
            move(
                "Hello, I am Dr Lane. Which tablets does he take?", "Check the bedside glucose", "Sing a song"
            ),
            move("", "Give 75 mL of 20 % glucose intravenously", "Attach the monitor", eos=True),
            move("Your blood sugar was very low.", eos=True),
        ]
    )


def test_a_transcript_is_read_back_as_the_same_lines(trace: Trace) -> None:
    entries = transcript(small(), trace)
    assert {entry["role"] for entry in entries} == {
        "system",
        "examinee",
        "examinee_actions",
        "sp",
        "environment",
        "system_event",
    }
    read = judged_lines(transcript_of(json.loads(json.dumps(entries))))
    told = (
        "This is the last turn.",
        "The examinee has done all that is due here.",
        "The encounter is over (",
    )
    kept = [(line.turn, line.source, line.text) for line in read if not line.text.startswith(told)]
    assert kept == [(line.turn, line.source, line.text) for line in lines_of(trace, SCENARIO, as_examined)]


def test_a_transcript_shows_the_opening_and_no_label_or_id(trace: Trace) -> None:
    entries = transcript(small(), trace)
    assert entries[0]["role"] == "system"
    assert "brought in by his wife" in entries[0]["content"]
    text = " ".join(entry["content"] for entry in entries)
    for hidden in (
        "Symptomatic",
        "check_glucose",
        "small-one",
        "Recovered, needs",
        "Measures the blood glucose",
    ):
        assert hidden not in text


def test_turns_hold_what_each_seat_said_and_the_state_after_it(trace: Trace) -> None:
    found = turns(small(), trace)
    assert [turn["turn"] for turn in found] == [0, 1, 2, 3]
    assert [turn["examinee"]["eos"] for turn in found] == [False, False, True, True]
    states = [turn["environment"]["state_id"] for turn in found]
    assert states == ["drowsy", "drowsy", "awake", "awake"]
    assert [turn["environment"]["progress_index"] for turn in found] == [0, 0, 1, 1]
    assert found[2]["environment"]["state_label"].startswith("Recovered")
    assert [turn["environment"]["should_end"] for turn in found] == [False, False, False, True]
    minutes = [turn["minute"] for turn in found]
    assert minutes == sorted(minutes)
    assert {"Mr Hale", "Mrs Hale"} <= found[1]["sp"]["actors_present"].keys()
    acts = [act for event in trace.of(Acted) for act in event.actions]
    assert [act for turn in found for act in turn["examinee"]["actions"]] == acts
    assert len(trace.of(StateEntered)) == 2


def test_every_act_stands_in_the_history_with_what_became_of_it(trace: Trace) -> None:
    history = action_history(small(), trace)
    assert [(one["raw"], one["status"]) for one in history] == [
        (event.raw, event.status) for event in trace.of(Assessed)
    ]
    assert (history[0]["interpreted_action"], history[0]["action_id"]) == (
        "Measures the capillary blood glucose",
        "check_glucose",
    )
    assert (history[1]["raw"], history[1]["status"]) == ("Sing a song", "unsupported")


def test_an_episode_without_a_score_says_so_with_no_number(trace: Trace) -> None:
    manifest = run_manifest(small(), trace, "r-0", {"examinee": "x"}, None)
    assert manifest["score_summary"] == {}
    assert (manifest["case_id"], manifest["scenario_id"], manifest["status"]) == (
        "small-one",
        "scenario1",
        "completed",
    )


def test_a_run_is_written_in_folders_that_other_tools_read(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    for _ in range(2):
        run("scenario", "play", str(SMALL), "--examinee", "oracle", "--repeats", "2", "--store", store)
    out = tmp_path / "out"
    done = run("export", "last", "--format", "medsp1000", "--out", str(out), "--store", store)
    assert done["episodes"] == 2
    before = tree(out)
    assert len(before) == 2 * (len(FILES) + 1)
    run("export", "last", "--format", "medsp1000", "--out", str(out), "--store", store)
    assert tree(out) == before  # the same run again is left as it is
    folder = out / done["run"] / "small-one_scenario1_0"
    score = json.loads((folder / "final_evaluation_frozen_rubric.json").read_text())
    manifest = json.loads((folder / "run_manifest.json").read_text())
    assert manifest["score_summary"] == score["_score_summary"]
    assert manifest["models"].keys() == {"examinee", "sp", "environment", "judge"}
    assert score["_frozen_rubric"] is True
    (folder / "turns.json").write_text("somebody's work")
    again = ["export", "last", "--format", "medsp1000", "--out", str(out), "--store", store]
    refused = runner.invoke(app, again)
    assert refused.exit_code == 1
    assert "the folder has other contents" in refused.output
    assert (folder / "turns.json").read_text() == "somebody's work"
    assert not list(out.rglob(".osler-*"))


def test_only_runs_of_scenarios_have_this_form(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    run("consult", "library", "--doctor", "null", "--limit", "1", "--store", store)
    words = ["export", "last", "--format", "medsp1000", "--out", str(tmp_path / "out"), "--store", store]
    refused = runner.invoke(app, words)
    assert refused.exit_code == 1
    assert "not of scenarios" in refused.output
