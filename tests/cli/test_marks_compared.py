"""A model judge's marks in comparisons and in studies, over rounds and scenarios; studies on several sets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from osler.protocols.ward_round.players.tutors import SILENCE
from tests.cli.commands import Osler, configure, value
from tests.endpoints import running

ASKED: Final = "what do you make of this?"
STUDY: Final = """
name: marked
title: Marked tutors
question: Does asking earn a better mark?
base: {students: 1, settings: {max_rounds: 1}}
conditions: {asks: {tutor: socratic}, silent: {tutor: silent}}
primary: {figure: ets, condition: asks, against: silent}
"""


def marked(score: int, quote: str) -> dict[str, Any]:
    """A judge's answer, as the endpoint is told to give it."""
    return {
        "quotes": [quote],
        "justification": "because",
        "missed": ["one name"],
        "critical": False,
        "score": score,
    }


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A judge that gives silence 2 and all else 8; any other seat is answered by the template."""
    rules = [
        {"match": {"anywhere": SILENCE}, "reply": marked(2, SILENCE)},
        {"match": {"schema_name": "mark"}, "reply": marked(8, ASKED)},
    ]
    with running(script=rules) as base_url:
        yield base_url


def rounds(osler: Osler, tutor: str, *words: str) -> str:
    short = ("round", "library", "--limit=3", "--max-rounds=1", "--students=1", "--tutor", tutor, *words)
    name: str = value(osler(*short, "--json"))["run"]
    return name


def refused(osler: Osler, *words: str) -> str:
    done = osler(*words)
    assert done.exit_code == 1, done.stdout
    return " ".join(done.stderr.split())


def test_marks_of_a_judge_are_compared_and_a_run_without_them_is_told_how(osler: Osler, url: str) -> None:
    configure(url)
    silent, asks = rounds(osler, "silent"), rounds(osler, "socratic", "--judge=model:fake")
    assert "osler judge run RUN --judge model:NAME" in refused(osler, "compare", silent, asks, "--score=ets")
    by = ("--score=ets", "--score=mps", "--judge=model:fake")
    told = refused(osler, "compare", silent, asks, *by)
    assert f"osler judge run {silent} --judge model:fake" in told
    assert osler("judge", "run", silent, "--judge=model:fake").exit_code == 0
    found = value(osler("compare", silent, asks, *by, "--margin=0.5", "--json"))
    assert (found["score"], found["kind"], found["judge"]) == ("ets", "mark", "model:fake")
    assert (found["first_mean"], found["second_mean"], found["difference"]["value"]) == (2, 8, 6)
    assert (found["difference"]["n_pairs"], found["cases"]) == (3, 3)
    assert set(found["further"]) == {"mps"}
    shown = osler("compare", silent, asks, *by).stdout
    assert "%" not in shown.replace("(95 %)", "")
    by_model = rounds(osler, "model:fake")
    told = osler("compare", silent, by_model, asks, "--score=step_gain").stdout
    assert "models: fake:" in told
    assert "{" not in told
    same = value(osler("compare", asks, rounds(osler, "socratic"), "--score=step_gain", "--json"))
    assert same["difference"]["value"] == 0


def test_more_thought_is_compared_with_less_for_equivalence(osler: Osler, url: str) -> None:
    configure(url)
    short = ("scenario", "play", "library", "--limit=3", "--max-turns=2", "--json", "--examinee")
    names = [value(osler(*short, who))["run"] for who in ("model:fake", "model:fake+best-of:2")]
    found = value(osler("compare", *names, "--margin=0.05", "--json"))
    assert (found["score"], found["difference"]["n_pairs"]) == ("net", 3)
    assert found["differs"]["examinee"] == ["model:fake", "model:fake+best-of:2"]
    assert found["equivalent"] in (True, None), "no gain, or no spread at all"


def test_a_study_of_marks_is_judged_by_its_judge_in_one_command(osler: Osler, url: str) -> None:
    configure(url)
    Path("study.yaml").write_text(STUDY, encoding="utf-8")
    words = ("study", "run", "study.yaml", "--limit=2", "--repeats=2")
    assert "name one with --judge model:NAME" in refused(osler, *words)
    done = osler(*words, "--judge=model:fake", "--out=study.html", "--json")
    found = value(done)
    assert [found["primary"][name] for name in ("figure", "value", "n_pairs")] == ["ets", 6, 4]
    assert found["marks"] == ["ets", "msm", "mps", "mean_mark"]
    asks = found["conditions"]["asks"]
    assert (asks["ets"]["value"], asks["ets"]["n"], asks["sd"]["ets"]) == (8, 4, 0)
    assert "model:fake" in asks["grader"]
    assert {one["figure"] for one in found["contrasts"]} >= {"msm", "mps", "learning_gain"}
    page = Path("study.html").read_text("utf-8")
    assert ">ETS<" in page.replace(' scope="col"', "")
    assert "SD over repeats" in page
    again = osler(*words, "--judge=model:fake")
    assert "judged 0" not in again.stderr
    legend = " ".join(again.stdout.split())
    assert "fewer than 5 cases, or all of them alike" in legend
    assert "SD: standard deviation over the repeats" in legend
    assert value(osler(*words, "--judge=model:fake", "--json"))["primary"] == found["primary"]


def test_a_study_on_several_sets_gives_a_table_of_conditions_by_sets(osler: Osler, url: str) -> None:
    configure(url)
    Path("study.yaml").write_text(f"{STUDY}judge: model:fake\n", encoding="utf-8")
    words = ("study", "run", "study.yaml", "--limit=1", "--cases", "one=library", "--cases", "generated:1:3")
    found = value(osler(*words, "--out=study.html", "--json"))
    assert list(found["sets"]) == ["one", "generated:1:3"]
    for each in found["sets"].values():
        assert each["conditions"]["silent"]["ets"]["value"] == 2
    assert [Path(one).name for one in found["written"]] == ["study-one.html", "study-generated-1-3.html"]
    assert all(Path(one).is_file() for one in found["written"])
    shown = osler(*words).stdout
    assert "Conditions by sets of cases" in shown
    assert "two sets of cases are called 'a'" in refused(
        osler, "study", "run", "study.yaml", "--cases", "a=library", "--cases", "a=generated:1:3"
    )


def test_a_judge_that_gives_the_protocols_measures_takes_their_place(osler: Osler) -> None:
    text = (
        "name: votes\ntitle: Two examinees\nquestion: Who?\nprotocol: scenario\n"
        "conditions: {plays: {examinee: baseline}, waits: {examinee: 'null'}}\n"
        "primary: {figure: net, condition: plays, against: waits}\n"
    )
    Path("study.yaml").write_text(text, encoding="utf-8")
    found = value(osler("study", "run", "study.yaml", "--limit=2", "--judge=lexical", "--json"))
    assert found["conditions"]["plays"]["grader"].startswith("rubric:lexical ")
    assert "marks" not in found


def test_reports_on_rounds_and_scenarios_speak_of_tutors_and_examinees(osler: Osler) -> None:
    scenario = value(osler("scenario", "play", "library", "--limit=1", "--json"))["run"]
    for run, other in ((rounds(osler, "silent"), rounds(osler, "socratic")), (scenario, scenario)):
        done = osler("report", *dict.fromkeys((run, other)), "--out=r.html", "--no-controls", "--json")
        assert done.exit_code == 0, done.stderr
        words = f"{Path('r.html').read_text('utf-8')} {done.stderr}"
        assert "doctor played" not in words
        assert json.loads(done.stdout)["written"] == ["r.html"]
