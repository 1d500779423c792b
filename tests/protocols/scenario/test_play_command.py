"""`osler scenario play` as a user meets it: one examinee, several on the same worlds, a person."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Osler, configure, said, value
from tests.protocols.scenario.playing import SMALL

FIGURES = ("completion_micro", "completion_macro", "net", "critical")
FIGURE = {"value", "low", "high", "n", "unscored"}


def play(osler: Osler, *words: str, **more: Any) -> dict[str, Any]:
    return value(osler("scenario", "play", str(SMALL), *words, "--json", **more))


def test_one_examinee_in_figures(osler: Osler) -> None:
    found = play(osler, "--examinee=oracle", "--repeats=3")
    measures, groups = found["measures"], found["groups"]
    assert (found["episodes"], found["clusters"]) == (3, 1)
    assert found["ended"] == {"completed": 3}
    for name in FIGURES:
        assert measures[name].keys() == FIGURE
    assert {f"net_{name}" for name in ("pc", "mk", "sbp", "ics", "pbli", "prof")} <= measures.keys()
    assert measures["net"]["value"] == 1.0
    assert (measures["net"]["n"], measures["net"]["unscored"]) == (3, 0)
    assert groups["specialty"]["Emergency medicine"]["value"] == 1.0
    assert groups["urgency"].keys() == {"emergency"}
    assert {k: each["value"] for k, each in found["pass_k"].items()} == {"1": 1.0, "2": 1.0, "3": 1.0}
    assert found["agreement"]["value"] == 1.0
    assert [name.split()[0] for name in found["graders"]] == ["rubric:keyed"]


def test_several_examinees_play_the_same_worlds(osler: Osler) -> None:
    found = play(osler, "--examinee=baseline,null,oracle,repeat-everything")["examinees"]
    net = {name: one["measures"]["net"]["value"] for name, one in found.items()}
    assert net["oracle"] == 1.0
    assert net["null"] <= 0.02
    assert net["repeat-everything"] < net["baseline"]
    assert net["baseline"] >= 0.2
    worlds = set()
    for one in found.values():
        value(osler("export", one["run"], "--out", "out.jsonl", "--json"))
        episode = json.loads(Path("out.jsonl").read_text().splitlines()[1])
        worlds.add(episode["case"] if "case" in episode else episode["case_id"])
    assert len(worlds) == 1


def test_tables_name_intervals_and_clusters(osler: Osler) -> None:
    one = osler("scenario", "play", str(SMALL)).stdout
    for words in ("completion, by item", "95 % interval", "1 case", "ICS net", "no evidence about medicine"):
        assert words in one
    both = osler("scenario", "play", str(SMALL), "--examinee=null,oracle").stdout
    for words in ("null", "oracle", "unscored", "privileged", "no interval"):
        assert words in both
    assert "PROF" not in both, "nothing is judged there"


def test_the_same_seed_gives_the_same_bytes(osler: Osler) -> None:
    def exported(seed: str) -> list[Any]:
        run = play(osler, seed)["run"]
        value(osler("export", run, "--out", "out.jsonl", "--json"))
        return [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()[1:]]

    assert exported("--seed=1") == exported("--seed=1")


def test_the_static_arm_is_one_move(osler: Osler) -> None:
    found = play(osler, "--arm=static", "--examinee=baseline")
    assert found["ended"] == {"completed": 1}
    told = osler("show", f"{found['run']}:0").stdout
    assert "adrenaline" not in told
    assert found["exchanges"] == 2, "the examinee and the controller, once each"


def test_another_judge_is_named(osler: Osler) -> None:
    found = play(osler, "--judge=lexical", "--examinee=oracle")
    assert found["judge"] == "rubric:lexical"
    assert found["measures"]["completion_micro"]["value"] is not None


def test_a_model_judges(osler: Osler, url: str) -> None:
    configure(url)
    found = play(osler, "--judge=model:fake", "--examinee=null")
    assert found["judge"] == "rubric:model:fake"
    assert sum(found["measures"]["net"][key] for key in ("n", "unscored")) == 1


def test_a_script_plays(osler: Osler) -> None:
    Path("moves.yaml").write_text("- {speak: Hello., eos: true}\n" + "- {eos: true}\n" * 3)
    assert play(osler, "--examinee=scripted:moves.yaml")["episodes"] == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--examinee=",), "no player is named"),
        (("--examinee=hero",), "no examinee is called 'hero'"),
        (("--examinee=person,null",), "a person plays alone"),
        (("--patient=person",), "a person has no form to fill as the patient"),
        (("--judge=god",), "there is no judge 'god'"),
        (("--only=nothing/here",), "no scenario nothing/here (known: small-one/scenario1)"),
        (("--rubrics=nowhere",), "no such folder"),
        (("--persona=nobody",), "nobody"),
    ],
)
def test_what_cannot_be_is_said(osler: Osler, words: tuple[str, ...], why: str) -> None:
    done = osler("scenario", "play", str(SMALL), *words)
    assert done.exit_code == 1
    assert why in said(done)


def test_a_file_that_cannot_be_read_says_why(osler: Osler) -> None:
    Path("mine.yaml").write_text(SMALL.read_text().replace("ends: eos", "ends: never"))
    done = osler("scenario", "play", "mine.yaml")
    assert done.exit_code == 1
    assert "states[2].ends: input should be" in said(done)
    assert "osler scenario lint mine.yaml" in said(done)


def test_what_is_left_out_of_a_folder_is_said(osler: Osler) -> None:
    Path("both").mkdir()
    Path("both", "good.yaml").write_text(SMALL.read_text())
    Path("both", "bad.yaml").write_text("a: [")
    done = osler("scenario", "play", "both", "--examinee=null")
    assert done.exit_code == 0
    assert (
        "of 2 scenarios 1 cannot be read and are left out; for the reasons: osler scenario lint both"
        in said(done)
    )


@pytest.mark.parametrize("judge", ["god", "model:god"])
def test_a_wrong_judge_is_found_before_anything_is_played(osler: Osler, judge: str) -> None:
    done = osler("scenario", "play", str(SMALL), f"--judge={judge}")
    assert done.exit_code == 1
    assert not Path("osler.db").exists() or value(osler("runs", "--json"))["runs"] == []


# A person

TURNS = "Hello, my name is Dr Lane. Which tablets does he take?\n/attach the monitor\n\n"
TREATED = "/measure the glucose\n/give 100 mL of glucose 20 % iv\n\nYour sugar was low.\neos\n"


def test_a_person_plays_gets_a_report_and_tries_again(osler: Osler) -> None:
    done = osler("scenario", "play", str(SMALL), "--examinee=person", input=TURNS + "/wait\n" * 7)
    assert done.exit_code == 0, done.stderr
    shown = " ".join(done.stdout.split())
    assert 'met: Introduces himself or herself by name and role turn 1: "Hello, my name is Dr Lane."' in shown
    assert "not seen: Measures the blood glucose" in shown
    assert "none recognized: Gives insulin" in shown
    assert "A sulfonylurea acts for many hours" in shown
    assert "0 min> " in done.stderr
    command = shlex.split(shown[shown.index("osler branch") :])
    again = value(osler(*command[1:], "--json", input="Hello, I am Dr Lane.\n" + TREATED))
    assert again["measures"]["critical"]["value"] == 1.0
    assert again["setup"]["examinee"] == "person"
    assert set(again["items"]["PC"]) >= {"Gives insulin to a hypoglycaemic patient"}


def test_a_person_gets_up_and_comes_back(osler: Osler) -> None:
    left = osler("scenario", "play", str(SMALL), "--examinee=person", input=TURNS + "/quit\n")
    assert left.exit_code != 0
    run = left.stderr.split("osler resume ")[1].split()[0]
    again = value(osler("resume", run, "--json", input=TREATED))
    assert again["ended"] == {"completed": 1}
    assert again["measures"]["critical"]["value"] == 1.0
    assert "branch" not in again


def test_harm_branches_before_the_turn_in_which_it_was_done(osler: Osler) -> None:
    found = play(osler, "--examinee=person", input=TREATED.replace("eos", "/give insulin 10 units iv\neos"))
    assert found["measures"]["harm"]["value"] == 1.0
    assert found["branch"]["item"].startswith("Gives insulin")
    told = osler("show", f"{found['episode']}").stdout
    assert found["branch"]["keep"] > 0
    assert "give insulin" in told
