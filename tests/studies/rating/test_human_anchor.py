"""Every report says on which ratings by people its judge rests, or that there are none."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.store.store import Store
from osler.studies.rating.figures import ONE_RATER
from osler.studies.rating.human_anchor import HumanAnchor, human_anchor
from osler.studies.rating.importing import import_sheets
from osler.studies.rating.unblinding_key import Behind
from tests.studies.rating.rated import exported, rate, run_of

NONE = "No human anchor: no person has rated what {} judged here"
PLAYED = {
    "baseline": ("consult", "library", "--limit", "1", "--doctor", "null"),
    "round": ("round", "library", "--limit", "1", "--max-rounds", "1", "--students", "2"),
    "rubric:keyed": ("scenario", "play", "library", "--limit", "1", "--examinee", "null"),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))


def osler(*words: str) -> Result:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    return done


def value(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(osler(*words, "--json").stdout)
    return found


def page(path: str) -> str:
    return " ".join(html.unescape(Path(path).read_text("utf-8")).split())


def anchored(store: Store, folder: Path, *, right: int, wrong: int, says: str = "2") -> HumanAnchor:
    """The anchor of a run of which every episode was rated by two people, who all say the same."""
    run = run_of(store, right, wrong)
    found = exported(store, run, folder, n=100)

    def plan(behind: Behind, rater: str, item: str) -> str:
        return says if item == "diagnosis" else "?"

    import_sheets(store, rate(found, plan), found.key)
    return human_anchor([run], store)


@pytest.mark.parametrize("judge", PLAYED)
def test_until_people_have_rated_it_text_json_and_page_say_that_there_is_no_anchor(judge: str) -> None:
    said = NONE.format(judge)
    assert said in " ".join(osler(*PLAYED[judge]).stdout.split())
    found = value("runs", "summary", "last")["human_anchor"]
    assert (found["anchored"], found["scores"]) == (False, [])
    assert found["line"].startswith(said)
    osler("report", "last", "--out", "report.html", "--no-controls")
    assert page("report.html").count(said) == 1


def test_a_study_says_it_once_for_all_conditions() -> None:
    words = ("study", "run", "cohort-size", "--limit", "1")
    found = value(*words, "--out", "study.html")
    said = NONE.format("round")
    assert found["human_anchor"]["anchored"] is False
    assert found["human_anchor"]["line"].startswith(said)
    assert page("study.html").count(said) == 1
    assert " ".join(osler(*words).stdout.split()).count(said) == 1


def test_what_people_rated_is_said_with_how_many_and_how_far_the_judge_agrees(
    store: Store, tmp_path: Path
) -> None:
    found = anchored(store, tmp_path / "out", right=9, wrong=3)
    assert found.anchored
    assert (found.people, found.episodes, found.cases) == (2, 12, 12)
    (one,) = found.scores
    assert (one.grader, one.score, one.item, one.people, one.cases) == (
        "baseline",
        "correct",
        "diagnosis",
        2,
        12,
    )
    assert one.agreement.value == 0.75
    assert found.line.startswith(
        "Human anchor: 2 people rated 12 episodes of 12 cases; with the judge: baseline,"
    )
    assert "diagnosis agreement 75%" in found.line
    assert "Other scores have none." in found.line
    osler("report", "clinic", "--out", "report.html", "--no-controls")
    assert found.line in page("report.html")
    assert "No human anchor" not in page("report.html")


def test_a_handful_of_ratings_is_no_anchor_yet(store: Store, tmp_path: Path) -> None:
    found = anchored(store, tmp_path / "out", right=3, wrong=2)
    assert not found.anchored
    assert found.line == "No human anchor yet: 2 people rated 5 episodes of 5 cases; fewer than 10."


def test_people_who_sat_the_same_cases_are_counted_if_they_permit_it() -> None:
    """Two people at a terminal, of whom one permits research, and a player on the same case."""
    typed = "Where does it hurt?\n/done heart attack\n80\n\n\n\n"
    for name in ("A1", "B2"):
        assert CliRunner().invoke(app, ["play", "cardiology-01", "--json"], input=typed).exit_code == 0
        uses = "research" if name == "A1" else "practice"
        osler("permit", "last", "--uses", uses, "--pseudonym", name)
    osler("consult", "library", "--limit", "2")
    osler("report", "last", "--out", "report.html", "--no-controls")
    assert "(osler rate export). 1 person sat 1 case of it: osler study people." in page("report.html")


def test_ratings_of_another_run_do_not_anchor_this_one(store: Store, tmp_path: Path) -> None:
    assert anchored(store, tmp_path / "out", right=9, wrong=3).anchored
    other = run_of(store, 9, 3, "other")
    assert not human_anchor([other], store).anchored
    both = value("compare", "clinic", other.name)["human_anchor"]
    assert both["anchored"]
    assert both["line"].startswith("Human anchor: 2 people rated 12 episodes")


def test_the_judge_with_a_rater_stands_beside_a_rater_with_another(store: Store, tmp_path: Path) -> None:
    """One rater always says yes; the other says no in the last five of 15, the judge in the last three."""
    run = run_of(store, 12, 3)
    found = exported(store, run, tmp_path / "out", n=100)

    def plan(behind: Behind, rater: str, item: str) -> str:
        if item != "diagnosis":
            return "?"
        return "0" if rater == "rater-2" and behind.ordinal >= 10 else "2"

    import_sheets(store, rate(found, plan), found.key)
    (one,) = human_anchor([run], store).scores
    assert one.agreement.n == 10, "the majority has no answer to the five on which they are split"
    assert one.agreement.value == 1, "which looks better than any two of them are"
    judge, people = one.one_by_one.judge, one.one_by_one.people
    assert (judge.n, people.n) == (15, 15)
    assert judge.value == pytest.approx((12 + 13) / 30, abs=1e-4)
    assert people.value == pytest.approx(10 / 15, abs=1e-4)
    assert "one by one judge and rater 83%" in one.words
    assert "rater and rater 67%" in one.words


def test_with_one_rater_the_line_says_nothing_of_people_with_each_other(store: Store, tmp_path: Path) -> None:
    run = run_of(store, 9, 3)
    found = exported(store, run, tmp_path / "out", n=100, raters=1)
    import_sheets(store, rate(found, lambda behind, rater, item: "2"), found.key)
    anchor = human_anchor([run], store)
    one = next(one for one in anchor.scores if one.item == "diagnosis")
    assert one.one_by_one.people.reason == ONE_RATER
    assert "one by one" not in anchor.line
